//! Why guard could not check: exit code 2.

use std::collections::BTreeMap;
use std::fmt;

use gix::bstr::BString;

use crate::finding::{Finding, Help};

/// The result of an operation that may be unable to judge.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why guard could not check: a sentence that says what is wrong, with the next steps.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Error {
    /// One sentence without a full stop; names in it are escaped.
    pub message: String,
    /// The next steps.
    pub(crate) help: Vec<Help>,
    /// The kind in answers for programs, if it is not the usual one.
    pub(crate) kind: Option<&'static str>,
    /// The faults of a document behind the error.
    pub(crate) problems: Vec<Finding>,
    /// The text of each document that `problems` refer to.
    pub(crate) texts: BTreeMap<BString, String>,
}

impl Error {
    /// An error without help.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Error {
            message: message.into(),
            ..Error::default()
        }
    }

    /// The kind in answers for programs.
    pub(crate) fn kind(&self) -> &'static str {
        self.kind.unwrap_or("cannot-judge")
    }

    /// Adds one line of help.
    #[must_use]
    pub(crate) fn help(mut self, line: impl Into<Help>) -> Self {
        self.help.push(line.into());
        self
    }
}

/// What this guard cannot do because it was built without a feature of the crate.
#[cfg(not(all(feature = "extend", feature = "mcp")))]
pub(crate) fn not_built(what: &str, feature: &str) -> Error {
    Error::new(format!(
        "this guard {what}: it was built without the feature `{feature}`"
    ))
    .help("install a released guard, which has every feature, or build it with: cargo install --locked --path . --features full")
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}
