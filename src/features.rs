//! Features of the crate that a build may lack.

use write_guard_policy::Error;

/// What this guard cannot do because it was built without a feature of the crate.
pub(crate) fn not_built(what: &str, feature: &str) -> Error {
    Error::new(format!(
        "this guard {what}: it was built without the feature `{feature}`"
    ))
    .help("install a released guard, which has every feature, or build it with: cargo install --locked --path . --features full")
}
