//! A requested operation at a path, and the content that results.

use gix::bstr::{BStr, BString};

use super::failure::{not_found, refuse_binary};
use super::strategy::{self, Strategy};
use super::{Edit, Extension, Failure, FailureKind, Gate, GateResult, Restore, apply};
use crate::boundary::OpenedFile;
use crate::path::escaped;

/// The expectation that the file does not exist.
pub(super) const ABSENT: &str = "none";

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
    /// Restore a state from a snapshot.
    Restore(Restore),
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
            Operation::Restore(_) => "restore",
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

    /// The digest that the file must still have; [`ABSENT`] for no file.
    pub(super) fn expect(&self) -> Option<&str> {
        match self {
            Operation::Write { expect, .. }
            | Operation::Patch { expect, .. }
            | Operation::Delete { expect }
            | Operation::Move { expect, .. } => expect.as_deref(),
            Operation::Restore(_) => None,
        }
    }

    /// Whether the file already is what a write asks for, whatever it was before.
    pub(super) fn is_fulfilled_by(&self, old: Option<&OpenedFile>) -> bool {
        match self {
            Operation::Write {
                content,
                strategy: Strategy::Replace,
                ..
            } => old.is_some_and(|entry| entry.content == *content),
            _ => false,
        }
    }

    /// What to restore; only for a restore.
    pub(super) fn restore(&self) -> Option<&Restore> {
        match self {
            Operation::Restore(restore) => Some(restore),
            _ => None,
        }
    }

    /// The title of the snapshot (requirement 001, section 2.2).
    pub(super) fn title(&self, path: &BStr) -> String {
        let name = escaped(path.rsplit(|&byte| byte == b'/').next().unwrap_or(path)).to_string();
        match self {
            Operation::Patch { .. } => format!("Backup before file patch: {name}"),
            Operation::Restore(_) => format!("Backup before restore: {}", escaped(path)),
            _ => format!("Backup before file mod: {name}"),
        }
    }
}

impl Gate<'_> {
    /// The content after a write or a patch.
    pub(super) fn written(
        &self,
        path: &BStr,
        old: Option<&OpenedFile>,
        content: &[u8],
        strategy: Strategy,
    ) -> GateResult<(Vec<u8>, Option<Extension>)> {
        refuse_binary(path, content)?;
        let there = old.map(|entry| entry.content.as_slice());
        let result = strategy::combine(path, there, content, strategy)?;
        self.check_size(path, &result.0)?;
        Ok(result)
    }

    /// The content after a patch.
    pub(super) fn patched(
        &self,
        path: &BStr,
        old: Option<&OpenedFile>,
        edits: &[Edit],
    ) -> GateResult<Vec<u8>> {
        let old = old.ok_or_else(|| not_found(path))?;
        refuse_binary(path, &old.content)?;
        let result = apply(&old.content, edits)?;
        refuse_binary(path, &result)?;
        self.check_size(path, &result)?;
        Ok(result)
    }

    /// Checks that the file has not changed since the caller read it.
    pub(super) fn check_expectation(
        &self,
        path: &BStr,
        old: Option<&OpenedFile>,
        expected: &str,
    ) -> GateResult<()> {
        let actual = match old {
            Some(entry) => self.digest(Some(&entry.content)),
            None => None,
        };
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
        let max = crate::policy::settings::MAX_SIZE;
        if content.len() as u64 <= max {
            return Ok(());
        }
        Err(Failure::new(
            FailureKind::TooLarge,
            format!(
                "the content for {} has {} bytes, more than the limit of {max}",
                escaped(path),
                content.len()
            ),
        )
        .help("write a smaller file"))
    }
}
