//! A requested operation at a path, and the content that results.

use gix::bstr::{BStr, BString};

#[cfg(feature = "extend")]
use super::extend::{can_extend, extend};
use super::failure::{not_found, refuse_binary};
use super::text::{Extension, join};
use super::{Edit, Failure, FailureKind, Gate, GateResult, apply};
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
        /// The content afterwards, if it changes, too; only another program does that.
        content: Option<Vec<u8>>,
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

    /// The content that the caller passed.
    pub(super) fn content(&self) -> Option<&[u8]> {
        match self {
            Operation::Write { content, .. } => Some(content),
            Operation::Move { content, .. } => content.as_deref(),
            _ => None,
        }
    }

    /// The digest that the file must still have; [`ABSENT`] for no file.
    fn expectation(&self) -> Option<&str> {
        match self {
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
        let Some(expected) = operation.expectation() else {
            return Ok(());
        };
        let (actual, path) = (self.digest(old), escaped(path));
        if actual.as_deref().unwrap_or(ABSENT) == expected {
            return Ok(());
        }
        let (kind, message, help) = match expected {
            ABSENT => (
                FailureKind::Exists,
                format!("the file {path} already exists"),
                "to change it, read it and pass its digest with --expect",
            ),
            _ => (
                FailureKind::Stale,
                format!("{path} has changed since it was read"),
                "read it again, then retry",
            ),
        };
        let failure = Failure::new(kind, message).help(help);
        Err(failure
            .detail("expected", expected)
            .detail("actual", actual))
    }
}

/// How to combine the content with the existing file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strategy {
    /// The content is the whole new file.
    Replace,
    /// The content goes to the end.
    Append,
    /// The content goes before a line.
    Insert {
        /// From 1; the number of lines plus one means the end.
        line: usize,
    },
    /// Definitions that the file lacks are added, by the syntax of its language.
    Extend,
}

impl Strategy {
    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Strategy::Replace => "replace",
            Strategy::Append => "append",
            Strategy::Insert { .. } => "insert",
            Strategy::Extend => "extend",
        }
    }

    /// The strategy with this name; only `insert` has a line.
    pub fn named(name: &str, line: Option<usize>) -> Option<Strategy> {
        match (name, line) {
            ("replace", None) => Some(Strategy::Replace),
            ("append", None) => Some(Strategy::Append),
            ("insert", Some(line)) => Some(Strategy::Insert { line }),
            ("extend", None) => Some(Strategy::Extend),
            _ => None,
        }
    }
}

/// The strategies for an existing file, as a person types them.
pub(super) fn offers(path: &BStr) -> Vec<&'static str> {
    let mut offers = vec!["replace", "append", "insert LINE"];
    if can_extend(path) {
        offers.push("extend");
    }
    offers
}

/// The content of the file after the write.
///
/// # Errors
/// There is no such line or no such file, the file is binary, or it cannot be extended.
pub(super) fn combine(
    path: &BStr,
    old: Option<&[u8]>,
    content: &[u8],
    strategy: Strategy,
) -> GateResult<(Vec<u8>, Option<Extension>)> {
    if strategy != Strategy::Replace {
        refuse_binary(path, old.unwrap_or_default())?;
    }
    Ok(match strategy {
        Strategy::Replace => (content.to_vec(), None),
        Strategy::Extend => {
            let old = old
                .ok_or_else(|| not_found(path).help("to create a file, use --strategy replace"))?;
            let (content, extension) = extend(path, old, content)?;
            (content, Some(extension))
        }
        Strategy::Append => (join(path, old.unwrap_or_default(), content, None)?, None),
        Strategy::Insert { line } => {
            let joined = join(path, old.unwrap_or_default(), content, Some(line))?;
            (joined, None)
        }
    })
}

#[cfg(not(feature = "extend"))]
fn can_extend(_: &BStr) -> bool {
    false
}

#[cfg(not(feature = "extend"))]
fn extend(path: &BStr, _: &[u8], _: &[u8]) -> GateResult<(Vec<u8>, Extension)> {
    let failure = Failure::from(crate::error::not_built(
        &format!("cannot extend {}", escaped(path)),
        "extend",
    ));
    Err(Failure {
        kind: FailureKind::UnsupportedLanguage,
        ..failure.help("or use --strategy append, insert, or guard patch")
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use gix::bstr::ByteSlice;

    use super::*;

    #[track_caller]
    fn check(old: &str, content: &str, strategy: Strategy, expected: &str) {
        let result = combine(
            "f".into(),
            Some(old.as_bytes()),
            content.as_bytes(),
            strategy,
        );
        assert_eq!(result.unwrap().0.as_bstr(), expected);
    }

    const AT_1: Strategy = Strategy::Insert { line: 1 };
    const AT_2: Strategy = Strategy::Insert { line: 2 };
    const AT_3: Strategy = Strategy::Insert { line: 3 };

    #[test]
    fn text_is_inserted_at_the_right_place() {
        check("a\nb\n", "x\n", Strategy::Append, "a\nb\nx\n");
        check("a\nb\n", "x\n", AT_1, "x\na\nb\n");
        check("a\nb\n", "x\n", AT_2, "a\nx\nb\n");
        check("a\nb\n", "x\n", AT_3, "a\nb\nx\n");
        check("a\nb\n", "", Strategy::Append, "a\nb\n");
        check("", "x", Strategy::Append, "x");
        check("", "x\n", AT_1, "x\n");
    }

    #[test]
    fn the_final_newline_is_as_it_was() {
        check("a\nb\n", "x", Strategy::Append, "a\nb\nx\n");
        check("a\nb", "x\n", Strategy::Append, "a\nb\nx");
        check("a\nb", "x", Strategy::Append, "a\nb\nx");
        check("a\nb", "x", AT_2, "a\nx\nb");
        check("a\r\nb", "x\n", Strategy::Append, "a\r\nb\r\nx");
    }

    #[test]
    fn line_endings_are_those_of_the_file() {
        check("a\r\nb\r\n", "x\ny", AT_2, "a\r\nx\r\ny\r\nb\r\n");
        check("a\nb\n", "x\r\ny\r\n", Strategy::Append, "a\nb\nx\ny\n");
        check(
            "a\r\nb\r\n",
            "x\r\ny\n",
            Strategy::Append,
            "a\r\nb\r\nx\r\ny\r\n",
        );
    }

    #[test]
    fn byte_order_mark_stays_first_and_single() {
        check("\u{feff}a\n", "x\n", AT_1, "\u{feff}x\na\n");
        check(
            "\u{feff}a\n",
            "\u{feff}x\n",
            Strategy::Append,
            "\u{feff}a\nx\n",
        );
        check("\u{feff}", "\u{feff}x\n", Strategy::Append, "\u{feff}x\n");
    }

    #[test]
    fn az_64_insert_beyond_the_end_is_refused() {
        for line in [0, 4, usize::MAX] {
            let failure =
                combine("f".into(), Some(b"a\nb\n"), b"x", Strategy::Insert { line }).unwrap_err();
            assert_eq!(failure.kind, FailureKind::NoSuchLine, "{line}");
        }
    }

    #[cfg(not(feature = "extend"))]
    #[test]
    fn without_the_feature_extending_is_refused() {
        let failure = combine("a.py".into(), Some(b""), b"x = 1\n", Strategy::Extend).unwrap_err();
        assert_eq!(failure.kind, FailureKind::UnsupportedLanguage);
        assert!(failure.message.contains("built without"));
    }

    #[test]
    fn replacing_is_byte_for_byte() {
        check("\u{feff}a\r\n", "x\n\n", Strategy::Replace, "x\n\n");
    }
}
