//! A requested operation at a path, and the content that results.

use gix::bstr::{BStr, BString};

use super::failure::{not_found, refuse_binary};
use super::write::combine;
use super::{Edit, Extension, Failure, FailureKind, Gate, GateResult, Strategy, apply};
use crate::path::escaped;
use crate::scope::settings::MAX_SIZE;

/// The expectation that the file does not exist.
const ABSENT: &str = "none";

/// A requested operation.
#[derive(Debug, Clone)]
pub enum Operation {
    /// Write content, with the digest (git blob id) that the caller last read.
    Write {
        /// The whole content, or the addition.
        content: Vec<u8>,
        /// How to combine it with the existing file.
        strategy: Strategy,
        /// The expected digest, or `none` for no file.
        expect: Option<String>,
        /// Whether `content` may be empty. Otherwise closed or forgotten input could empty a file.
        allow_empty: bool,
    },
    /// Replace text in the file.
    Patch {
        /// Applied all or none.
        edits: Vec<Edit>,
        /// The expected digest.
        expect: Option<String>,
    },
    /// Remove the file.
    Delete {
        /// The expected digest.
        expect: Option<String>,
    },
    /// Move the file to a path that does not exist.
    Move {
        /// The request for the new path.
        to: BString,
        /// The expected digest.
        expect: Option<String>,
    },
    /// Write the content that a file had, or remove a file that did not exist. guard judges it as that.
    Restore {
        /// The id of the snapshot.
        snapshot: String,
        /// The content and whether it was executable; `None` for no file.
        previous: Option<(Vec<u8>, bool)>,
    },
}

impl Operation {
    /// The removal of a file, whatever it holds.
    pub(crate) const DELETE: Operation = Operation::Delete { expect: None };

    /// A write of the whole content, whatever the file holds.
    pub(crate) fn replace(content: Vec<u8>, allow_empty: bool) -> Operation {
        Operation::Write {
            content,
            strategy: Strategy::Replace,
            expect: None,
            allow_empty,
        }
    }

    /// The word in the log.
    pub fn verb(&self) -> &'static str {
        match self {
            Operation::Write { .. } => "write",
            Operation::Patch { .. } => "patch",
            Operation::Delete { .. } => "delete",
            Operation::Move { .. } => "move",
            Operation::Restore { .. } => "restore",
        }
    }

    /// How a write combines its content with the file.
    pub(super) fn strategy(&self) -> Option<Strategy> {
        match self {
            Operation::Write { strategy, .. } => Some(*strategy),
            _ => None,
        }
    }

    /// The snapshot that is restored, and whether the file was executable in it.
    pub(super) fn restored(&self) -> Option<(&str, bool)> {
        match self {
            Operation::Restore { snapshot, previous } => {
                Some((snapshot, matches!(previous, Some((_, true)))))
            }
            _ => None,
        }
    }

    /// The content that the caller passed; only for a write.
    pub(super) fn content(&self) -> Option<&[u8]> {
        match self {
            Operation::Write { content, .. } => Some(content),
            _ => None,
        }
    }

    /// The digest that the file must still have; [`ABSENT`] for no file. A caller that repeats a write for lack of an
    /// answer still expects the state before it, so a file that already is what it asks for needs to meet nothing.
    fn expectation(&self, old: Option<&[u8]>) -> Option<&str> {
        match self {
            Operation::Write {
                content,
                strategy: Strategy::Replace,
                ..
            } if old == Some(content.as_slice()) => None,
            Operation::Write { expect, .. }
            | Operation::Patch { expect, .. }
            | Operation::Delete { expect }
            | Operation::Move { expect, .. } => expect.as_deref(),
            Operation::Restore { .. } => None,
        }
    }
}

impl Gate<'_> {
    /// The content of the file after an operation other than a move, and what `extend` did; no content if the file
    /// goes.
    pub(super) fn result(
        &self,
        path: &BStr,
        old: Option<&[u8]>,
        operation: &Operation,
    ) -> GateResult<(Option<Vec<u8>>, Option<Extension>)> {
        self.check_expectation(path, old, operation)?;
        let existing = || old.ok_or_else(|| not_found(path));
        let (content, extension) = match operation {
            Operation::Write {
                content,
                allow_empty: false,
                ..
            } if content.is_empty() => {
                let message = format!("the content for {} is empty", escaped(path));
                return Err(Failure::new(FailureKind::CannotJudge, message)
                    .help("to write an empty file, add --allow-empty"));
            }
            Operation::Write {
                content, strategy, ..
            } => {
                refuse_binary(path, content)?;
                combine(path, old, content, *strategy)?
            }
            Operation::Patch { edits, .. } => {
                let old = existing()?;
                refuse_binary(path, old)?;
                let content = apply(old, edits)?;
                refuse_binary(path, &content)?;
                (content, None)
            }
            Operation::Restore {
                previous: Some((content, _)),
                ..
            } => return Ok((Some(content.clone()), None)),
            Operation::Delete { .. } | Operation::Move { .. } | Operation::Restore { .. } => {
                existing()?;
                return Ok((None, None));
            }
        };
        if content.len() as u64 > MAX_SIZE {
            let (path, length) = (escaped(path), content.len());
            let message = format!(
                "the content for {path} has {length} bytes, more than the limit of {MAX_SIZE}"
            );
            return Err(Failure::new(FailureKind::TooLarge, message).help("write a smaller file"));
        }
        Ok((Some(content), extension))
    }

    /// Checks that the file has not changed since the caller read it.
    fn check_expectation(
        &self,
        path: &BStr,
        old: Option<&[u8]>,
        operation: &Operation,
    ) -> GateResult<()> {
        let Some(expected) = operation.expectation(old) else {
            return Ok(());
        };
        let (actual, path) = (self.digest(old), escaped(path));
        let wanted = Some(expected).filter(|&expected| expected != ABSENT);
        if actual.as_deref() == wanted {
            return Ok(());
        }
        let (kind, message, help) = match wanted {
            Some(_) => (
                FailureKind::Stale,
                format!("{path} has changed since it was read"),
                "read it again, then retry",
            ),
            None => (
                FailureKind::Exists,
                format!("the file {path} already exists"),
                "to change it, read it and pass its digest with --expect",
            ),
        };
        let failure = Failure::new(kind, message).help(help);
        Err(failure
            .detail("expected", expected)
            .detail("actual", actual))
    }
}
