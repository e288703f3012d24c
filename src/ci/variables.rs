//! The variables of a CI job, and the meaning of their values.

use std::collections::BTreeMap;

use crate::error::{Error, Result};
use crate::path::escaped;

/// Help where the CI system does not say which commits are new.
pub(super) const NAME_RANGE: &str = "name the range yourself: guard lint --range A..B";

/// The variables of a CI job.
pub type Variables = BTreeMap<String, String>;

/// A variable that is set and not empty.
pub(super) fn get<'a>(variables: &'a Variables, name: &str) -> Option<&'a str> {
    variables
        .get(name)
        .map(|value| value.trim())
        .filter(|value| !value.is_empty())
}

pub(super) fn owned(variables: &Variables, name: &str) -> Option<String> {
    get(variables, name).map(str::to_owned)
}

pub(super) fn required<'a>(variables: &'a Variables, name: &str) -> Result<&'a str> {
    get(variables, name)
        .ok_or_else(|| Error::new(format!("the CI system does not set {name}")).help(NAME_RANGE))
}

/// A commit id; all zeros mean `None`.
pub(super) fn commit(id: &str) -> Result<Option<String>> {
    let is_hex = matches!(id.len(), 40 | 64) && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !is_hex {
        return Err(Error::new(format!(
            "the CI system names {}, which is not a commit id",
            escaped(id)
        ))
        .help(NAME_RANGE));
    }
    Ok((!id.bytes().all(|byte| byte == b'0')).then(|| id.to_owned()))
}

/// A branch without `refs/heads/`.
pub(super) fn short(name: &str) -> String {
    name.strip_prefix("refs/heads/").unwrap_or(name).to_owned()
}

/// The error for a build of the target branch whose previous state the system does not report.
pub fn unknown_before(what: &str) -> Error {
    Error::new(format!(
        "{what}: the CI system does not say which commits are new on the target branch"
    ))
    .help("name the range yourself: guard lint --range BEFORE..HEAD")
}
