//! Adds text to a text, keeping its line endings, byte order mark and final newline.

use gix::bstr::{BStr, ByteSlice};

use super::failure::{Failure, FailureKind, GateResult};
use crate::path::escaped;

const BOM: &[u8] = b"\xef\xbb\xbf";

/// The byte order mark of a text, if it has one, and the rest.
pub(super) fn split_mark(text: &[u8]) -> (&[u8], &[u8]) {
    text.split_at(if text.starts_with(BOM) { BOM.len() } else { 0 })
}

/// Whether most lines end with CRLF.
pub(crate) fn ends_lines_with_crlf(text: &[u8]) -> bool {
    ending_of(text) == b"\r\n"
}

/// The line ending that most lines of a text have.
pub(super) fn ending_of(text: &[u8]) -> &'static [u8] {
    let all = text.find_iter("\n").count();
    let crlf = text.find_iter("\r\n").count();
    if crlf * 2 > all { b"\r\n" } else { b"\n" }
}

/// Inserts `content` before a line of `old`, or after the last one.
pub(super) fn join(
    path: &BStr,
    old: &[u8],
    content: &[u8],
    line: Option<usize>,
) -> GateResult<Vec<u8>> {
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

/// The result of `extend`; each entry names one definition, import or statement.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Extension {
    /// What was added.
    pub added: Vec<String>,
    /// What differs between file and content, and stays unchanged.
    pub kept: Vec<String>,
    /// What the content has but `extend` does not add: statements without a name, and unused imports.
    pub left_out: Vec<String>,
}
