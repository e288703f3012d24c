//! The JSON interface: keys are added, never renamed.
//!
//! - One document, indented by two blanks, with a final newline.
//! - A path is a string. A path that is not UTF-8 or starts with a double quote is quoted like in git (`"a\377"`,
//!   including the quotes), so a string that starts with a double quote is always a quoted path.
//! - Control, bidirectional and invisible characters are written as `\uXXXX`, which is safe to print and exact.

use std::fmt::Write as _;
use std::io::{self, BufWriter, Write};

use gix::bstr::{BStr, ByteSlice};
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use super::escape::Brackets;
use super::order::ordered;
use crate::error::Error;
use crate::finding::{Details, Finding, Help};
use crate::path::is_hostile;
use crate::verdict::{Counts, DesignUsed, JudgedChange, Verdict};

#[derive(Serialize)]
struct ReportJson<F, C> {
    version: u32,
    verdict: &'static str,
    source: Value,
    designs: Vec<Value>,
    findings: F,
    changes: C,
    summary: Counts,
}

#[derive(Serialize)]
pub(super) struct FindingJson<'a> {
    rule: &'static str,
    level: &'static str,
    path: Option<String>,
    message: &'a str,
    closest: Option<String>,
    design: Option<PlaceJson>,
    help: &'a [Help],
    details: &'a Details,
}

#[derive(Serialize)]
struct PlaceJson {
    path: String,
    line: usize,
    column: usize,
}

#[derive(Serialize)]
pub(super) struct ChangeJson<'a> {
    path: String,
    from: Option<String>,
    action: &'a str,
    class: &'a str,
    original_lines: Option<usize>,
    new_lines: Option<usize>,
    lost_share: Option<f64>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    reformatted: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    moved_to: Vec<MovedToJson>,
    approved: bool,
}

#[derive(Serialize)]
struct MovedToJson {
    path: String,
    lines: usize,
}

/// The document of `guard lint`.
pub(super) fn report(verdict: &Verdict, out: &mut dyn Write) -> io::Result<()> {
    let source = &verdict.source;
    let (findings, changes) = (ordered(&verdict.findings), verdict.ordered_changes());
    let mut source_json = json!({
        "kind": source.kind.name(),
        "base": source.base,
        "head": source.head,
        "branch": source.branch.as_ref().map(|name| path(name.as_bstr())),
        "notes": verdict.notes,
    });
    if let Some(reverted) = &source.reverts {
        source_json["reverts"] = reverted.as_str().into();
    }
    let value = ReportJson {
        version: 1,
        verdict: verdict.outcome().name(),
        source: source_json,
        designs: designs(&verdict.designs),
        findings: Streamed(|| findings.iter().map(|one| finding(one))),
        changes: Streamed(|| changes.iter().map(|one| change(one))),
        summary: verdict.counts(),
    };
    write_document(&value, out)
}

pub(super) fn designs(designs: &[DesignUsed]) -> Vec<Value> {
    let design = |design: &DesignUsed| {
        json!({
            "path": path(design.path.as_bstr()),
            "from": design.from,
            "selected_by": design.selected_by,
            "grants": design.grants,
        })
    };
    designs.iter().map(design).collect()
}

/// The document of a run that could not judge: it has no verdict.
pub(super) fn failure(failure: &Error, out: &mut dyn Write) -> io::Result<()> {
    let value = json!({
        "version": 1,
        "error": {"kind": failure.kind(), "message": failure.message, "help": failure.help},
        "findings": findings(&failure.problems),
    });
    write_document(&value, out)
}

/// Findings in the common order.
pub(super) fn findings(findings: &[Finding]) -> Vec<FindingJson<'_>> {
    ordered(findings).into_iter().map(finding).collect()
}

pub(super) fn finding(finding: &Finding) -> FindingJson<'_> {
    FindingJson {
        rule: finding.rule.id(),
        level: finding.level.name(),
        path: finding.path.as_ref().map(|p| path(p.as_bstr())),
        message: &finding.message,
        closest: finding.closest.as_ref().map(|p| path(p.as_bstr())),
        design: finding.design.as_ref().map(|at| PlaceJson {
            path: path(at.path.as_bstr()),
            line: at.line,
            column: at.column,
        }),
        help: &finding.help,
        details: &finding.details,
    }
}

pub(super) fn change(change: &JudgedChange) -> ChangeJson<'_> {
    ChangeJson {
        path: path(change.path.as_bstr()),
        from: change.from.as_ref().map(|p| path(p.as_bstr())),
        action: change.action,
        class: change.class,
        original_lines: change.original_lines,
        new_lines: change.new_lines,
        lost_share: change.lost_share,
        reformatted: change.reformatted,
        moved_to: change
            .moved_to
            .iter()
            .map(|(to, lines)| MovedToJson {
                path: path(to.as_bstr()),
                lines: *lines,
            })
            .collect(),
        approved: change.approved,
    }
}

/// Values that are made, written and dropped one by one.
pub(super) struct Streamed<F>(pub(super) F);

impl<I: IntoIterator<Item: Serialize>, F: Fn() -> I> Serialize for Streamed<F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq((self.0)())
    }
}

/// A value as a whole document, safe to show.
///
/// # Errors
///
/// Those of serde_json.
pub(crate) fn document(value: &impl Serialize) -> io::Result<String> {
    let mut out = Vec::new();
    write_document(value, &mut out)?;
    String::from_utf8(out).map_err(io::Error::other)
}

/// Writes a value as a whole document, safe to show.
pub(super) fn write_document(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    let mut safe = BufWriter::new(SafeWriter::new(out));
    serde_json::to_writer_pretty(&mut safe, value)?;
    safe.write_all(b"\n")?;
    safe.flush()
}

/// Writes a value as one line.
pub(super) fn write_line(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    let mut safe = BufWriter::new(SafeWriter::new(out));
    serde_json::to_writer(&mut safe, value)?;
    safe.write_all(b"\n")?;
    safe.flush()
}

/// Makes what serde_json writes safe to show.
struct SafeWriter<'a> {
    out: &'a mut dyn Write,
    brackets: Brackets,
}

impl<'a> SafeWriter<'a> {
    fn new(out: &'a mut dyn Write) -> SafeWriter<'a> {
        SafeWriter {
            out,
            brackets: Brackets::default(),
        }
    }
}

impl Write for SafeWriter<'_> {
    /// serde_json writes whole characters, and a [`BufWriter`] splits none, so that each piece is text.
    fn write(&mut self, json: &[u8]) -> io::Result<usize> {
        let is_plain = |byte: &u8| matches!(byte, b' '..=b'~' | b'\n') && *byte != b'#';
        if matches!(self.brackets, Brackets::Nothing) && json.iter().all(is_plain) {
            return self.out.write(json);
        }
        let text = std::str::from_utf8(json).map_err(io::Error::other)?;
        let mut written = 0;
        let mut units = [0; 2];
        for (at, c) in text.char_indices() {
            // A number sign is in a string, so the bracket after it is too. serde_json has escaped everything below
            // the blank inside strings, so a line feed is layout, and any other hostile character is in a string.
            let is_bracket = self.brackets.is_next(c);
            if !is_bracket && (c == '\n' || !is_hostile(c)) {
                continue;
            }
            self.out.write_all(&json[written..at])?;
            for unit in c.encode_utf16(&mut units) {
                write!(self.out, "\\u{unit:04x}")?;
            }
            written = at + c.len_utf8();
        }
        self.out.write_all(&json[written..])?;
        Ok(json.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// A path as a JSON string's value.
pub(super) fn path(path: &BStr) -> String {
    match path.to_str() {
        Ok(text) if !text.starts_with('"') => text.to_owned(),
        _ => git_quoted(path),
    }
}

/// The path between double quotes with git's C-like escapes, as git prints it
/// with `core.quotePath` on.
fn git_quoted(path: &BStr) -> String {
    let mut out = String::from("\"");
    for &byte in path.iter() {
        match byte {
            0x07 => out.push_str("\\a"),
            0x08 => out.push_str("\\b"),
            b'\t' => out.push_str("\\t"),
            b'\n' => out.push_str("\\n"),
            0x0b => out.push_str("\\v"),
            0x0c => out.push_str("\\f"),
            b'\r' => out.push_str("\\r"),
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b' '..=b'~' => out.push(char::from(byte)),
            _ => {
                let _ = write!(out, "\\{byte:03o}");
            }
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_utf8_path_is_written_as_it_is() {
        assert_eq!(path(BStr::new("src/ä b.rs")), "src/ä b.rs");
    }

    #[test]
    fn a_command_in_a_string_is_broken_and_comes_back_unchanged() {
        let json = document(&["##[error]x", "##vso[y]"]).unwrap_or_default();
        assert!(!json.contains("##[") && !json.contains("##vso["), "{json}");
        let back: Vec<String> = serde_json::from_str(&json).unwrap_or_default();
        assert_eq!(back, ["##[error]x", "##vso[y]"]);
    }

    #[test]
    fn a_path_that_is_not_utf8_is_quoted_as_git_does() {
        assert_eq!(path(BStr::new(b"a\xff\"\\\n")), r#""a\377\"\\\n""#);
    }

    #[test]
    fn a_path_that_begins_with_a_quote_cannot_be_taken_for_a_quoted_one() {
        assert_eq!(path(BStr::new(r#""a\377""#)), r#""\"a\\377\"""#);
    }

    #[test]
    fn hostile_characters_are_escaped_and_come_back_unchanged() {
        let hostile = "a\u{1b}\n\u{7f}\u{202e}\u{e0041}é";
        let json = document(&hostile).unwrap_or_default();
        assert_eq!(json, "\"a\\u001b\\n\\u007f\\u202e\\udb40\\udc41é\"\n");
        let back: String = serde_json::from_str(&json).unwrap_or_default();
        assert_eq!(back, hostile);
    }
}
