//! A requested operation at a path, and the content that results.

use gix::bstr::{BStr, BString};

use super::failure::{not_found, refuse_binary};
use super::strategy::{self, Strategy};
use super::{Edit, Extension, Failure, FailureKind, Gate, GateResult, apply};
use crate::boundary::OpenedFile;
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

    /// The content that the caller passed; only for a write.
    pub(super) fn content(&self) -> Option<&[u8]> {
        match self {
            Operation::Write { content, .. } => Some(content),
            _ => None,
        }
    }

    /// How to combine new content with the file; only for a write.
    pub fn strategy(&self) -> Option<Strategy> {
        match self {
            Operation::Write { strategy, .. } => Some(*strategy),
            _ => None,
        }
    }

    /// The snapshot that a restore names.
    pub(super) fn snapshot(&self) -> Option<&str> {
        match self {
            Operation::Restore { snapshot, .. } => Some(snapshot),
            _ => None,
        }
    }

    /// Whether a new file becomes executable.
    pub(super) fn is_of_executable(&self) -> bool {
        matches!(
            self,
            Operation::Restore {
                previous: Some((_, true)),
                ..
            }
        )
    }

    /// The title of the snapshot (requirement 001, section 2.2).
    pub(super) fn title(&self, path: &BStr) -> String {
        let name = escaped(path.rsplit(|&byte| byte == b'/').next().unwrap_or(path)).to_string();
        match self {
            Operation::Patch { .. } => format!("Backup before file patch: {name}"),
            Operation::Restore { .. } => format!("Backup before restore: {}", escaped(path)),
            _ => format!("Backup before file mod: {name}"),
        }
    }

    /// The digest that the file must still have; [`ABSENT`] for no file. A caller that repeats a write for lack of an
    /// answer still expects the state before it, so a file that already is what it asks for needs to meet nothing.
    fn expectation(&self, old: Option<&OpenedFile>) -> Option<&str> {
        match self {
            Operation::Write {
                content,
                strategy: Strategy::Replace,
                ..
            } if old.is_some_and(|entry| entry.content == *content) => None,
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
        old: Option<&OpenedFile>,
        operation: &Operation,
    ) -> GateResult<(Option<Vec<u8>>, Option<Extension>)> {
        let there = old.map(|entry| entry.content.as_slice());
        let existing = || there.ok_or_else(|| not_found(path));
        Ok(match operation {
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
                let (content, extension) = strategy::combine(path, there, content, *strategy)?;
                self.check_size(path, &content)?;
                (Some(content), extension)
            }
            Operation::Patch { edits, .. } => {
                let old = existing()?;
                refuse_binary(path, old)?;
                let content = apply(old, edits)?;
                refuse_binary(path, &content)?;
                self.check_size(path, &content)?;
                (Some(content), None)
            }
            Operation::Restore {
                previous: Some((content, _)),
                ..
            } => (Some(content.clone()), None),
            Operation::Delete { .. } | Operation::Move { .. } | Operation::Restore { .. } => {
                existing()?;
                (None, None)
            }
        })
    }

    /// Checks that the file has not changed since the caller read it.
    pub(super) fn check_expectation(
        &self,
        path: &BStr,
        old: Option<&OpenedFile>,
        operation: &Operation,
    ) -> GateResult<()> {
        let Some(expected) = operation.expectation(old) else {
            return Ok(());
        };
        let actual = self.digest(old.map(|entry| entry.content.as_slice()));
        let wanted = Some(expected).filter(|&expected| expected != ABSENT);
        if actual.as_deref() == wanted {
            return Ok(());
        }
        let failure = match wanted {
            Some(_) => Failure::new(
                FailureKind::Stale,
                format!("{} has changed since it was read", escaped(path)),
            )
            .help("read it again, then retry"),
            None => Failure::new(
                FailureKind::Exists,
                format!("the file {} already exists", escaped(path)),
            )
            .help("to change it, read it and pass its digest with --expect"),
        };
        Err(failure
            .detail("expected", expected)
            .detail("actual", actual))
    }

    fn check_size(&self, path: &BStr, content: &[u8]) -> GateResult<()> {
        if content.len() as u64 <= MAX_SIZE {
            return Ok(());
        }
        Err(Failure::new(
            FailureKind::TooLarge,
            format!(
                "the content for {} has {} bytes, more than the limit of {MAX_SIZE}",
                escaped(path),
                content.len()
            ),
        )
        .help("write a smaller file"))
    }
}
