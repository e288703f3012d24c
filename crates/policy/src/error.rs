//! Why guard could not check: exit code 2.

use std::collections::BTreeMap;
use std::fmt;

use bstr::BString;

use crate::finding::{Finding, Help};

/// The result of an operation that may be unable to judge.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why guard could not check: a sentence that says what is wrong, with the next steps.
#[derive(Debug, Clone, Default)]
pub struct Error {
    /// One sentence without a full stop; names in it are escaped.
    pub message: String,
    /// The next steps.
    pub help: Vec<Help>,
    /// The kind in answers for programs, if it is not the usual one.
    pub kind: Option<&'static str>,
    /// The faults of a document behind the error.
    pub problems: Vec<Finding>,
    /// The text of each document that `problems` refer to.
    pub texts: BTreeMap<BString, String>,
}

impl Error {
    /// An error without help.
    pub fn new(message: impl Into<String>) -> Self {
        Error {
            message: message.into(),
            ..Error::default()
        }
    }

    /// The kind in answers for programs.
    pub fn kind(&self) -> &'static str {
        self.kind.unwrap_or("cannot-judge")
    }

    /// Adds one line of help.
    #[must_use]
    pub fn help(mut self, line: impl Into<Help>) -> Self {
        self.help.push(line.into());
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}
