//! What a CI system wants judged, in its own terms.

/// What to judge, in the CI system's terms.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CiPlan {
    /// The system and the kind of build, for messages: `GitHub pull_request`.
    pub what: String,
    /// Why there is nothing to judge.
    pub nothing: Option<String>,
    /// The merge commit that the system made for the build. If HEAD is this commit, its first parent is the target.
    pub merge: Option<Merge>,
    /// What existed before. All must be in the clone, because the nearest to the head counts.
    pub known: Vec<Point>,
    /// Another branch of the remote that counts, if the clone has it.
    pub known_if_here: Option<String>,
    /// Whether this may be a build of the target branch itself, whose new commits the system does not report.
    pub may_be_target: bool,
    /// Why the build has no new commits, if the system says so. Otherwise an empty range is an error.
    pub nothing_new: Option<&'static str>,
    /// The last commit; `None` for HEAD.
    pub head: Option<String>,
    /// The ref from which to fetch the head, if it is not a branch.
    pub head_ref: Option<String>,
    /// The branch of the work.
    pub branch: Option<String>,
    /// How to configure the system for a deeper clone.
    pub deepen: &'static str,
}

/// A merge made by the system: target first, work second.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merge {
    /// The merge commit.
    pub commit: String,
    /// The last commit of the work, its second parent.
    pub work: String,
}

/// A point in the history that is older than the work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Point {
    /// A commit by its id.
    Commit(String),
    /// A branch of the remote by its short name.
    Branch(String),
    /// The previous state of the branch: what a forced push removes is lost.
    Before(String),
    /// The remote's default branch, or the `[lld] base` of its settings.
    Default,
}
