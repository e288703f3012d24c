//! Why a file operation failed.

use std::io;

use gix::bstr::BStr;
use serde_json::{Value, json};

use write_guard_policy::error::Error;
pub use write_guard_policy::error::FailureKind;
use write_guard_policy::finding::{Details, Finding, Help, Rule};
use write_guard_policy::measure;
use write_guard_policy::path::{Rejection, escaped};
use write_guard_repo::boundary::BoundaryError;
use write_guard_repo::system::is_held_open;

/// The result of a file operation.
pub type GateResult<T, E = Failure> = std::result::Result<T, E>;

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
        error.kind = self.kind;
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

    /// Adds a line of help in front of the others.
    #[must_use]
    pub fn first_help(mut self, line: impl Into<Help>) -> Failure {
        self.help.insert(0, line.into());
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
            _ if is_held_open(&source) => (
                FailureKind::Io,
                "close the program that has the file open, then retry; if there is none, ask a \
                 person to change the permissions",
            ),
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
        Failure {
            help: error.help,
            ..Failure::new(error.kind, error.message)
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn each_error_of_the_system_has_its_kind_and_next_step() {
        use io::ErrorKind as Kind;
        let stays = "the old content is still in place";
        for (source, kind, step) in [
            (
                Kind::NotFound,
                FailureKind::NotFound,
                "the name may be misspelt",
            ),
            (
                Kind::PermissionDenied,
                FailureKind::Permission,
                "ask a person to change the permissions",
            ),
            (
                Kind::AlreadyExists,
                FailureKind::Exists,
                "choose a path that does not exist",
            ),
            (Kind::FileTooLarge, FailureKind::TooLarge, "split the file"),
            (Kind::StorageFull, FailureKind::Io, stays),
            (Kind::Other, FailureKind::Io, stays),
        ] {
            let failure = Failure::from(BoundaryError::Io {
                what: "write a.py".to_owned(),
                source: source.into(),
            });
            assert_eq!(failure.kind, kind, "{source:?}");
            assert_eq!(failure.message, format!("cannot write a.py: {source}"));
            let [only] = failure.help.as_slice() else {
                panic!("{:?}", failure.help);
            };
            assert!(only.contains(step), "{source:?}: {only:?}");
        }
        let changed = Failure::from(BoundaryError::Changed("a.py".into()));
        assert_eq!(changed.kind, FailureKind::Stale);
        assert_eq!(&*changed.help[0], "read it again, then retry");
    }
}
