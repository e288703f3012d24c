//! A requested operation at a path, and the content that results.

use gix::bstr::{BStr, BString};
use serde::Deserialize;

#[cfg(feature = "extend")]
pub(crate) use super::extend::can_extend;
#[cfg(feature = "extend")]
use super::extend::extend;
use super::failure::{not_found, refuse_binary};
use super::text::{Extension, join};
use super::{Edit, Failure, FailureKind, GateResult, apply};
use write_guard_policy::named;
use write_guard_policy::path::escaped;
use write_guard_policy::scope::settings::MAX_SIZE;

/// The expectation that the file does not exist.
pub(crate) const ABSENT: &str = "none";

/// A requested operation.
#[derive(Debug, Clone)]
pub enum Operation {
    /// Write content.
    Write {
        /// The whole content, or the addition.
        content: Vec<u8>,
        /// How to combine it with the existing file.
        strategy: Strategy,
    },
    /// Replace text in the file: all edits or none.
    Patch(Vec<Edit>),
    /// Remove the file.
    Delete,
    /// Move the file to a path that does not exist.
    Move {
        /// The request for the new path.
        to: BString,
        /// The content afterwards, if it changes, too; only another program does that.
        content: Option<Vec<u8>>,
    },
    /// Write the content that a file had, or remove a file that did not exist. guard judges it as that.
    /// The content comes with whether it was executable.
    Restore(Option<(Vec<u8>, bool)>),
}

named! {
    /// The operations, by their words in the log.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum OperationKind {
        /// See [`Operation::Write`].
        Write = "write",
        /// See [`Operation::Patch`].
        Patch = "patch",
        /// See [`Operation::Delete`].
        Delete = "delete",
        /// See [`Operation::Move`].
        Move = "move",
        /// See [`Operation::Restore`].
        Restore = "restore",
    }
}

/// The content of a file that must be there.
fn existing<'a>(path: &BStr, old: Option<&'a [u8]>) -> GateResult<&'a [u8]> {
    old.ok_or_else(|| not_found(path))
}

impl Operation {
    /// A write of the whole content.
    pub fn replace(content: impl Into<Vec<u8>>) -> Operation {
        Operation::Write {
            content: content.into(),
            strategy: Strategy::Replace,
        }
    }

    /// Which operation it is.
    pub fn kind(&self) -> OperationKind {
        match self {
            Operation::Write { .. } => OperationKind::Write,
            Operation::Patch(_) => OperationKind::Patch,
            Operation::Delete => OperationKind::Delete,
            Operation::Move { .. } => OperationKind::Move,
            Operation::Restore(_) => OperationKind::Restore,
        }
    }

    /// The word in the log.
    pub fn verb(&self) -> &'static str {
        self.kind().name()
    }

    /// How a write combines its content with the file.
    pub(crate) fn strategy(&self) -> Option<Strategy> {
        match self {
            Operation::Write { strategy, .. } => Some(*strategy),
            _ => None,
        }
    }

    /// Whether it makes a new file executable.
    pub(super) fn is_executable(&self) -> bool {
        matches!(self, Operation::Restore(Some((_, true))))
    }

    /// The content of the file afterwards, and what `extend` did; no content if the file goes.
    pub(super) fn result(
        &self,
        path: &BStr,
        old: Option<&[u8]>,
    ) -> GateResult<(Option<Vec<u8>>, Option<Extension>)> {
        let mut extension = None;
        let content = match self {
            Operation::Restore(Some((content, _))) => return Ok((Some(content.clone()), None)),
            Operation::Delete | Operation::Restore(None) => {
                existing(path, old)?;
                return Ok((None, None));
            }
            Operation::Write { content, strategy } => {
                refuse_binary(path, content)?;
                if *strategy != Strategy::Replace {
                    refuse_binary(path, old.unwrap_or_default())?;
                }
                match strategy {
                    Strategy::Replace => content.clone(),
                    Strategy::Append => join(path, old.unwrap_or_default(), content, None)?,
                    Strategy::Insert { line } => {
                        join(path, old.unwrap_or_default(), content, Some(*line))?
                    }
                    Strategy::Extend => {
                        let current = existing(path, old).map_err(|failure| {
                            failure.help("to create a file, use --strategy replace")
                        })?;
                        let (content, what) = extend(path, current, content)?;
                        extension = Some(what);
                        content
                    }
                }
            }
            Operation::Patch(edits) => {
                let current = existing(path, old)?;
                refuse_binary(path, current)?;
                apply(current, edits)?
            }
            Operation::Move { content, .. } => {
                let current = existing(path, old)?;
                refuse_binary(path, current)?;
                content.clone().unwrap_or_else(|| current.to_vec())
            }
        };
        refuse_binary(path, &content)?;
        if content.len() as u64 > MAX_SIZE {
            let path = escaped(path);
            let length = content.len();
            let message = format!(
                "the content for {path} has {length} bytes, more than the limit of {MAX_SIZE}"
            );
            return Err(Failure::new(FailureKind::TooLarge, message).help("write a smaller file"));
        }
        Ok((Some(content), extension))
    }
}

/// Checks that the file still has the digest (git blob id) that the caller read; `none` stands for no file.
pub(super) fn check_expectation(
    path: &BStr,
    expected: Option<&str>,
    actual: Option<&str>,
) -> GateResult<()> {
    let Some(expected) = expected.filter(|expected| actual.unwrap_or(ABSENT) != *expected) else {
        return Ok(());
    };
    let path = escaped(path);
    let failure = match expected {
        ABSENT => Failure::new(
            FailureKind::Exists,
            format!("the file {path} already exists"),
        )
        .help("to change it, read it and pass its digest with --expect; else choose another path"),
        _ => Failure::new(
            FailureKind::Stale,
            format!("{path} has changed since it was read"),
        )
        .help("read it again, then retry"),
    };
    Err(failure
        .detail("expected", expected)
        .detail("actual", actual))
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

#[cfg(not(feature = "extend"))]
pub(crate) fn can_extend(_: &BStr) -> bool {
    false
}

#[cfg(not(feature = "extend"))]
fn extend(path: &BStr, _: &[u8], _: &[u8]) -> GateResult<(Vec<u8>, Extension)> {
    let what = format!("cannot extend {}", escaped(path));
    let failure = Failure::from(crate::features::not_built(&what, "extend"));
    Err(failure.help("or use --strategy append, insert, or guard patch"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use gix::bstr::ByteSlice;

    use super::*;

    #[track_caller]
    fn check(old: &str, content: &str, strategy: Strategy, expected: &str) {
        let result = combine(old, content, strategy);
        assert_eq!(result.unwrap().as_bstr(), expected);
    }

    fn combine(old: &str, content: &str, strategy: Strategy) -> GateResult<Vec<u8>> {
        let content = content.into();
        let write = Operation::Write { content, strategy };
        let (content, _) = write.result("a.py".into(), Some(old.as_bytes()))?;
        Ok(content.unwrap())
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
            let failure = combine("a\nb\n", "x", Strategy::Insert { line }).unwrap_err();
            assert_eq!(failure.kind, FailureKind::NoSuchLine, "{line}");
        }
    }

    #[cfg(not(feature = "extend"))]
    #[test]
    fn without_the_feature_extending_is_refused() {
        let failure = combine("", "x = 1\n", Strategy::Extend).unwrap_err();
        assert_eq!(failure.kind, FailureKind::UnsupportedLanguage);
        assert!(failure.message.contains("built without"));
    }

    #[test]
    fn replacing_is_byte_for_byte() {
        check("\u{feff}a\r\n", "x\n\n", Strategy::Replace, "x\n\n");
    }
}
