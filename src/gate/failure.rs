//! Why a file operation did not happen.

use std::io;

use gix::bstr::BStr;

use super::Analysis;
use crate::boundary::BoundaryError;
use crate::error::Error;
use crate::finding::{Details, Finding, Help, Rule};
use crate::measure;
use crate::path::{Rejection, show};

/// The result of a file operation.
pub type GateResult<T, E = Failure> = std::result::Result<T, E>;

named! {
    /// The kind of a failure, stable for programs (requirement 001, section 3).
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum FailureKind {
        /// The path leaves the workspace or is dangerous.
        Security = "security",
        /// A rule of the policy refuses.
        Refused = "refused",
        /// There is no such file.
        NotFound = "not-found",
        /// The file or its directory may not be read or written.
        Permission = "permission",
        /// The text to replace is not in the file.
        SearchNotFound = "search-not-found",
        /// The text to replace is in several places.
        MultipleMatches = "multiple-matches",
        /// The snapshot could not be taken; nothing was written.
        Backup = "backup",
        /// The log could not be written; nothing else was.
        Record = "record",
        /// There is no such line to insert before.
        NoSuchLine = "no-such-line",
        /// The strategy `extend` does not know the language of the file.
        UnsupportedLanguage = "unsupported-language",
        /// The file or the content is not correct in its language.
        SyntaxError = "syntax-error",
        /// There is nothing that the file lacks.
        NothingToAdd = "nothing-to-add",
        /// What the file lacks cannot be added without changing what is there.
        NoPlace = "no-place",
        /// Something is already where a file is to be moved.
        Exists = "exists",
        /// The file is not what the caller last saw.
        Stale = "stale",
        /// The change waits for a person.
        Held = "held",
        /// It belongs to another work tree of the repository.
        OtherWorkTree = "other-worktree",
        /// A person rejected the change.
        Rejected = "rejected",
        /// A person was asked and did not consent.
        NotApproved = "not-approved",
        /// A person consented, but the consent could not be signed; nothing was approved.
        NotSigned = "not-signed",
        /// The content is binary.
        Binary = "binary",
        /// The content is larger than the settings allow.
        TooLarge = "too-large",
        /// The operating system failed: a full disk, a broken one, a read-only one.
        Io = "io",
        /// guard could not judge.
        CannotJudge = "cannot-judge",
    }
}

impl FailureKind {
    /// 1 where guard judged and refused, 2 where it could not do its work.
    pub fn exit_code(self) -> u8 {
        match self {
            FailureKind::CannotJudge
            | FailureKind::Backup
            | FailureKind::Record
            | FailureKind::NotSigned
            | FailureKind::Io => 2,
            _ => 1,
        }
    }
}

/// A failure with its next step.
#[derive(Debug, Clone)]
pub struct Failure {
    /// What kind.
    pub kind: FailureKind,
    /// One sentence without a final full stop; names in it are escaped.
    pub message: String,
    /// The next steps.
    pub help: Vec<Help>,
    /// The finding behind a refusal.
    pub finding: Option<Box<Finding>>,
    /// Facts for machines.
    pub details: Details,
    /// What a held change would do.
    pub analysis: Option<Box<Analysis>>,
}

impl Failure {
    /// A failure without advice.
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Failure {
        Failure {
            kind,
            message: message.into(),
            help: Vec::new(),
            finding: None,
            details: Details::default(),
            analysis: None,
        }
    }

    /// The same as an error that ends the run.
    pub fn into_error(self) -> Error {
        self.help
            .into_iter()
            .fold(Error::new(self.message), Error::help)
    }

    /// Whether guard judged and refused, in contrast to a file that is missing or a system that failed.
    pub fn is_refusal(&self) -> bool {
        matches!(
            self.kind,
            FailureKind::Security | FailureKind::Refused | FailureKind::Held
        )
    }

    /// Adds one line of advice.
    #[must_use]
    pub fn help(mut self, line: impl Into<Help>) -> Failure {
        self.help.push(line.into());
        self
    }

    /// Adds a fact for machines.
    #[must_use]
    pub fn detail(mut self, key: &'static str, value: impl Into<serde_json::Value>) -> Failure {
        self.details.insert(key, value.into());
        self
    }
}

impl From<Rejection> for Failure {
    fn from(rejection: Rejection) -> Failure {
        let Rejection { reason, message } = rejection;
        let mut finding = Finding::new(reason.rule(), "", message)
            .help(reason.advice())
            .detail("reason", reason.detail());
        finding.path = None;
        finding.into()
    }
}

impl From<BoundaryError> for Failure {
    fn from(error: BoundaryError) -> Failure {
        let message = error.to_string();
        let (kind, advice) = match (error.io_kind(), error) {
            (_, BoundaryError::Refused(rejection)) => return rejection.into(),
            (_, BoundaryError::Changed(_)) => (FailureKind::Stale, "read it again and decide anew"),
            (Some(io::ErrorKind::NotFound), _) => {
                (FailureKind::NotFound, "look the name up: guard scope show")
            }
            (Some(io::ErrorKind::PermissionDenied), _) => (
                FailureKind::Permission,
                "a person has to change the permissions",
            ),
            (Some(io::ErrorKind::AlreadyExists), _) => {
                (FailureKind::Exists, "choose a path where nothing is")
            }
            // The system has a limit of its own, which it reports with a number.
            (Some(io::ErrorKind::FileTooLarge), BoundaryError::Io { source, .. })
                if source.raw_os_error().is_none() =>
            {
                (
                    FailureKind::TooLarge,
                    "[workspace] max-size in guard.toml sets the limit",
                )
            }
            (Some(io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded), _) => (
                FailureKind::Io,
                "make room on the disk; the old content is still there",
            ),
            (Some(io::ErrorKind::ReadOnlyFilesystem), _) => (
                FailureKind::Io,
                "the file system is read-only; nothing was written",
            ),
            _ => (
                FailureKind::Io,
                "the old content is still there unless the message says otherwise",
            ),
        };
        Failure::new(kind, message).help(advice)
    }
}

impl From<Box<Finding>> for Failure {
    fn from(finding: Box<Finding>) -> Failure {
        (*finding).into()
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure {
            help: error.help,
            ..Failure::new(FailureKind::CannotJudge, error.message)
        }
    }
}

impl From<Finding> for Failure {
    fn from(finding: Finding) -> Failure {
        let kind = match finding.rule {
            Rule::UnsafePath | Rule::OutsideWorkspace | Rule::OutsideRoots => FailureKind::Security,
            _ => FailureKind::Refused,
        };
        Failure {
            help: finding.help.clone(),
            details: finding.details.clone(),
            finding: Some(Box::new(finding.clone())),
            ..Failure::new(kind, finding.message)
        }
    }
}

pub(super) fn refuse_binary(path: &BStr, content: &[u8]) -> GateResult<()> {
    if measure::is_binary(content) {
        return Err(Failure::new(
            FailureKind::Binary,
            format!("the content of {} is binary", show(path)),
        )
        .help("guard reads and writes text; a person has to handle binary files"));
    }
    Ok(())
}

pub(super) fn not_found(path: &BStr) -> Failure {
    Failure::new(
        FailureKind::NotFound,
        format!("there is no file {}", show(path)),
    )
    .help("guard scope show lists what the design grants, and what of it exists")
}
