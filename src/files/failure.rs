//! Why a file operation failed.

use std::io;

use gix::bstr::BStr;
use serde_json::{Value, json};

use write_guard_policy::error::Error;
use write_guard_policy::finding::{Details, Finding, Help, Rule};
use write_guard_policy::measure;
use write_guard_policy::path::{Rejection, escaped};
use write_guard_repo::boundary::BoundaryError;

/// The result of a file operation.
pub type GateResult<T, E = Failure> = std::result::Result<T, E>;

named! {
    /// The kind of a failure, stable for programs (requirement 001, section 3).
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
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

/// A failure with its next steps.
#[derive(Debug, Clone)]
pub struct Failure {
    /// The kind.
    pub kind: FailureKind,
    /// One sentence without a full stop; names in it are escaped.
    pub message: String,
    /// The next steps.
    pub help: Vec<Help>,
    /// The finding, if a rule refuses.
    pub finding: Option<Box<Finding>>,
    /// Facts for programs.
    pub details: Details,
    /// The analysis of a held change.
    pub analysis: Option<Box<Value>>,
}

impl Failure {
    /// A failure without help.
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

    /// The failure as an error that ends the run.
    pub fn into_error(self) -> Error {
        let mut error = Error::new(self.message);
        error.kind = Some(self.kind.name());
        self.help.into_iter().fold(error, Error::help)
    }

    /// The answer to an operation that failed.
    pub fn to_json(&self) -> Value {
        json!({
            "version": 1,
            "error": {
                "kind": self.kind.name(),
                "message": self.message,
                "help": self.help,
                "rule": self.finding.as_ref().map(|finding| finding.rule.id()),
                "details": self.details,
                "analysis": self.analysis,
            },
        })
    }

    /// Adds one line of help.
    #[must_use]
    pub fn help(mut self, line: impl Into<Help>) -> Failure {
        self.help.push(line.into());
        self
    }

    /// Adds a fact for programs.
    #[must_use]
    pub fn detail(mut self, key: &'static str, value: impl Into<Value>) -> Failure {
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
        use io::ErrorKind as Kind;
        let message = error.to_string();
        let source = match error {
            BoundaryError::Refused(rejection) => return rejection.into(),
            BoundaryError::Changed(_) => {
                return Failure::new(FailureKind::Stale, message).help("read it again, then retry");
            }
            BoundaryError::Io { source, .. } => source,
        };
        // The system has its own limit for sizes, which it reports with an error number.
        let is_ours = source.raw_os_error().is_none();
        let (kind, advice) = match source.kind() {
            Kind::NotFound => (FailureKind::NotFound, MISSPELT),
            Kind::PermissionDenied => (
                FailureKind::Permission,
                "ask a person to change the permissions",
            ),
            Kind::AlreadyExists => (FailureKind::Exists, "choose a path that does not exist"),
            Kind::FileTooLarge if is_ours => (
                FailureKind::TooLarge,
                "split the file, or change it without guard",
            ),
            _ => (
                FailureKind::Io,
                "the old content is still in place unless the message says otherwise",
            ),
        };
        Failure::new(kind, message).help(advice)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        let mut kinds = FailureKind::VARIANTS.iter().copied();
        let kind = kinds.find(|kind| kind.name() == error.kind());
        Failure {
            help: error.help,
            ..Failure::new(kind.unwrap_or(FailureKind::CannotJudge), error.message)
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
            help: finding.steps(),
            details: finding.details.clone(),
            finding: Some(Box::new(finding.clone())),
            ..Failure::new(kind, finding.message)
        }
    }
}

pub(super) fn refuse_binary(path: &BStr, content: &[u8]) -> GateResult<()> {
    if measure::is_binary(content) {
        let message = format!("the content of {} is binary", escaped(path));
        return Err(Failure::new(FailureKind::Binary, message)
            .help("guard reads and writes only text; ask a person to handle binary files"));
    }
    Ok(())
}

/// The next step if there is no such file.
const MISSPELT: &str = "the name may be misspelt; to list the allowed files: guard scope show";

pub(super) fn not_found(path: &BStr) -> Failure {
    let message = format!("there is no file {}", escaped(path));
    Failure::new(FailureKind::NotFound, message).help(MISSPELT)
}
