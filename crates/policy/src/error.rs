//! Why guard could not check: exit code 2.

use std::collections::BTreeMap;
use std::fmt;

use bstr::BString;

use crate::finding::{Finding, Help};

/// The result of an operation that may be unable to judge.
pub type Result<T, E = Error> = std::result::Result<T, E>;

named! {
    /// The kind of a failure, stable for programs (requirement 001, section 3).
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum FailureKind {
        /// The path leaves the workspace or is dangerous.
        Security = "security",
        /// A policy rule refuses.
        Refused = "refused",
        /// There is no such file.
        NotFound = "not-found",
        /// The permissions of the file or its directory forbid it.
        Permission = "permission",
        /// The search text is not in the file.
        SearchNotFound = "search-not-found",
        /// The search text occurs several times.
        MultipleMatches = "multiple-matches",
        /// The snapshot could not be taken; nothing was written.
        Backup = "backup",
        /// The log could not be written, so nothing else was.
        Record = "record",
        /// There is no such line to insert before.
        NoSuchLine = "no-such-line",
        /// `extend` does not support the language of the file.
        UnsupportedLanguage = "unsupported-language",
        /// The file or the content does not parse.
        SyntaxError = "syntax-error",
        /// The file lacks nothing.
        NothingToAdd = "nothing-to-add",
        /// An addition would change existing code.
        NoPlace = "no-place",
        /// The target of a move already exists.
        Exists = "exists",
        /// The file has changed since the caller read it.
        Stale = "stale",
        /// The change waits for approval.
        Held = "held",
        /// The change belongs to another work tree of the repository.
        OtherWorkTree = "other-worktree",
        /// A person rejected the change.
        Rejected = "rejected",
        /// The person who was asked did not approve.
        NotApproved = "not-approved",
        /// The approval could not be signed, so nothing was approved.
        NotSigned = "not-signed",
        /// The content is binary.
        Binary = "binary",
        /// The content is larger than the settings allow.
        TooLarge = "too-large",
        /// A system error, such as a full, broken or read-only disk.
        Io = "io",
        /// guard could not check.
        #[default]
        CannotJudge = "cannot-judge",
        /// The command line or the list of operations cannot be understood.
        Usage = "usage",
    }
}

impl FailureKind {
    /// 1 if guard judged and refused, 2 if it could not do its work.
    pub fn exit_code(self) -> u8 {
        match self {
            FailureKind::CannotJudge
            | FailureKind::Usage
            | FailureKind::Backup
            | FailureKind::Record
            | FailureKind::NotSigned
            | FailureKind::Io => 2,
            _ => 1,
        }
    }
}

/// Why guard could not check: a sentence that says what is wrong, with the next steps.
#[derive(Debug, Clone, Default)]
pub struct Error {
    /// One sentence without a full stop; names in it are escaped.
    pub message: String,
    /// The next steps.
    pub help: Vec<Help>,
    /// The kind in answers for programs.
    pub kind: FailureKind,
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
