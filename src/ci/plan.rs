//! What a CI system wants judged, in its own terms.

/// What to judge, in the CI system's own terms.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CiPlan {
    /// The system and the kind of build, for people: `GitHub pull_request`.
    pub what: String,
    /// Nothing is to be judged, and why.
    pub nothing: Option<String>,
    /// The merge commit that the system made for the build: if HEAD is this one, its first parent is the target.
    pub merge: Option<Merge>,
    /// What was there before. All must be here, for the nearest to the head counts.
    pub known: Vec<Point>,
    /// A branch of the remote that counts among them if the clone happens to have it.
    pub known_if_here: Option<String>,
    /// The build may be one of the target branch itself, whose new commits the system does not tell.
    pub may_be_target: bool,
    /// Why the build brings no new commits, if the system says so. Without it, an empty range is an error.
    pub nothing_new: Option<&'static str>,
    /// The last commit; `None` for HEAD.
    pub head: Option<String>,
    /// The ref by which the head can be fetched, where it is no branch.
    pub head_ref: Option<String>,
    /// The branch that the work is on.
    pub branch: Option<String>,
    /// What to set in the system itself so that the clone is deep enough.
    pub deepen: &'static str,
}

/// A merge made by the system: target first, work second.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merge {
    /// The merge commit.
    pub commit: String,
    /// The last commit of the work, which must be its second parent.
    pub work: String,
}

/// A place in the history that is older than the work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Point {
    /// A commit by its id.
    Commit(String),
    /// A branch of the remote by its short name.
    Branch(String),
    /// What the branch itself was: what a forced push throws away of it is lost.
    Before(String),
    /// The remote's default branch, or the `[lld] base` of its settings.
    Default,
}
