//! Combines new text with an existing file, keeping its line endings, byte order mark and final newline.

use gix::bstr::{BStr, ByteSlice};

#[cfg(feature = "extend")]
use super::extend::{can_extend, extend};
use super::failure::{Failure, FailureKind, GateResult, not_found, refuse_binary};
use super::text::{Extension, ending_of, split_mark};
use crate::path::escaped;

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

/// Inserts `content` before a line of `old`, or after the last one.
fn join(path: &BStr, old: &[u8], content: &[u8], line: Option<usize>) -> GateResult<Vec<u8>> {
    let (mark, text) = split_mark(old);
    let mut lines: Vec<&[u8]> = text.lines_with_terminator().collect();
    let at = match line {
        Some(line) => place(path, lines.len(), line)?,
        None => lines.len(),
    };
    if old.is_empty() {
        return Ok(content.to_vec());
    }
    let (_, content) = split_mark(content);
    if text.is_empty() {
        return Ok([mark, content].concat());
    }
    let ending = ending_of(text);
    let added = with_ending(content, ending);
    if added.is_empty() {
        return Ok(old.to_vec());
    }
    let ends = text.ends_with(b"\n");
    lines.insert(at, &added);
    let mut result = mark.to_vec();
    for line in &lines {
        // Only the last line of the file and of the content may lack a line ending.
        if result.len() > mark.len() && !result.ends_with(b"\n") {
            result.extend_from_slice(ending);
        }
        result.extend_from_slice(line);
    }
    if ends && !result.ends_with(b"\n") {
        result.extend_from_slice(ending);
    } else if !ends && result.ends_with(b"\n") {
        result.truncate(result.len() - ending.len().min(result.len() - mark.len()));
    }
    Ok(result)
}

/// The number of lines before the new text.
fn place(path: &BStr, lines: usize, line: usize) -> GateResult<usize> {
    if (1..=lines + 1).contains(&line) {
        return Ok(line - 1);
    }
    let message = format!("{} has no line {line} to insert before", escaped(path));
    Err(Failure::new(FailureKind::NoSuchLine, message)
        .help(format!("give a line from 1 to {}", lines + 1))
        .detail("lines", lines))
}

/// The text with this line ending everywhere.
fn with_ending(text: &[u8], ending: &[u8]) -> Vec<u8> {
    let plain = text.replace("\r\n", "\n");
    if ending == b"\n" {
        plain
    } else {
        plain.replace("\n", ending)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
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
