//! What a CI system wants judged, and the meaning of its variables.

use std::collections::BTreeMap;

use write_guard_policy::error::{Error, Result};
use write_guard_policy::path::escaped;

/// What to judge, in the CI system's terms.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CiPlan {
    /// The system and the kind of build, for messages: `GitHub pull_request`.
    pub what: String,
    /// The merge of `head` with the target that the system made for the build. If HEAD is this commit, its first parent
    /// is the target.
    pub merge: Option<String>,
    /// What existed before. All must be in the clone, because the nearest to the head counts.
    pub known: Vec<Point>,
    /// The target of a request, if `known` does not name it.
    pub target: Option<Point>,
    /// Why the build has no new commits, if the system says so. Otherwise an empty range is an error.
    pub nothing_new: Option<&'static str>,
    /// The last commit; `None` for HEAD.
    pub head: Option<String>,
    /// The branch of the work.
    pub branch: Option<String>,
    /// How to configure the system for a deeper clone.
    pub deepen: &'static str,
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

/// The variables of a CI job.
pub type Variables = BTreeMap<String, String>;

/// Help where the CI system does not say which commits are new.
pub(super) const NAME_RANGE: &str = "name the commits yourself: guard lint --range A..B";

/// The error for a build of the target branch whose previous state the system does not report.
pub fn unknown_before(what: &str) -> Error {
    let why = "the CI system does not say which commits are new on the target branch";
    Error::new(format!("{what}: {why}"))
        .help("name the commits yourself: guard lint --range BEFORE..HEAD")
}

pub(super) fn is_on(variables: &Variables, name: &str) -> bool {
    get(variables, name).is_some_and(|value| value.eq_ignore_ascii_case("true"))
}

/// A variable that is set and not empty.
pub(super) fn get<'a>(variables: &'a Variables, name: &str) -> Option<&'a str> {
    let value = variables.get(name)?.trim();
    (!value.is_empty()).then_some(value)
}

pub(super) fn required<'a>(variables: &'a Variables, name: &str) -> Result<&'a str> {
    get(variables, name)
        .ok_or_else(|| Error::new(format!("the CI system does not set {name}")).help(NAME_RANGE))
}

/// A commit id; all zeros mean `None`.
pub(crate) fn commit(id: &str) -> Result<Option<String>> {
    let is_hex = matches!(id.len(), 40 | 64) && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !is_hex {
        let id = escaped(id);
        let message = format!("the CI system names {id}, which is not a commit id");
        return Err(Error::new(message).help(NAME_RANGE));
    }
    Ok((!id.bytes().all(|byte| byte == b'0')).then(|| id.to_owned()))
}

/// A branch without `refs/heads/`.
pub(super) fn short(name: &str) -> String {
    name.strip_prefix("refs/heads/").unwrap_or(name).to_owned()
}
