//! The JSON interface: keys are added, never renamed.
//!
//! - Indented by two blanks, one document, one line feed at the end.
//! - A path is a string. One that is not UTF-8, or that begins with a double
//!   quote, is written as git quotes it (`"a\377"`, the quotes included), so
//!   a string that begins with a double quote is always a quoted path.
//! - Control, bidirectional and invisible characters are written as `\uXXXX`,
//!   so that the output is safe to show and still says exactly what was there.

use std::fmt::Write as _;
use std::io;

use gix::bstr::{BStr, ByteSlice};
use serde::Serialize;

use super::{ChangeLine, Counts, DesignUsed, Report, escape, ordered};
use crate::error::Error;
use crate::finding::{Details, Finding};
use crate::path::is_hostile;

#[derive(Serialize)]
struct ReportJson<'a> {
    version: u32,
    verdict: &'static str,
    source: SourceJson<'a>,
    designs: Vec<DesignJson<'a>>,
    findings: Vec<FindingJson<'a>>,
    changes: Vec<ChangeJson<'a>>,
    summary: Counts,
}

#[derive(Serialize)]
struct SourceJson<'a> {
    kind: &'static str,
    base: Option<&'a str>,
    head: Option<&'a str>,
    branch: Option<String>,
    notes: &'a [String],
}

#[derive(Serialize)]
pub(super) struct DesignJson<'a> {
    path: String,
    from: &'a str,
    selected_by: &'a str,
    grants: usize,
}

#[derive(Serialize)]
pub(super) struct FindingJson<'a> {
    rule: &'static str,
    level: &'static str,
    path: Option<String>,
    message: &'a str,
    closest: Option<String>,
    design: Option<PlaceJson>,
    help: &'a [String],
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
    approved: bool,
}

/// The document of `guard lint`.
pub(super) fn report(report: &Report) -> io::Result<String> {
    let source = &report.source;
    document(&ReportJson {
        version: 1,
        verdict: report.verdict().name(),
        source: SourceJson {
            kind: source.kind.name(),
            base: source.base.as_deref(),
            head: source.head.as_deref(),
            branch: source.branch.as_ref().map(|name| path(name.as_bstr())),
            notes: &report.notes,
        },
        designs: designs(&report.designs),
        findings: findings(&report.findings),
        changes: report.ordered_changes().into_iter().map(change).collect(),
        summary: report.counts(),
    })
}

pub(super) fn designs(designs: &[DesignUsed]) -> Vec<DesignJson<'_>> {
    designs.iter().map(design).collect()
}

fn design(design: &DesignUsed) -> DesignJson<'_> {
    DesignJson {
        path: path(design.path.as_bstr()),
        from: &design.from,
        selected_by: &design.selected_by,
        grants: design.grants,
    }
}

#[derive(Serialize)]
struct FailureJson<'a> {
    version: u32,
    error: ErrorJson<'a>,
    findings: Vec<FindingJson<'a>>,
}

#[derive(Serialize)]
pub(super) struct ErrorJson<'a> {
    message: &'a str,
    help: &'a [String],
}

/// The document of a run that could not judge: it has no verdict.
pub(super) fn failure(failure: &Error) -> io::Result<String> {
    document(&FailureJson {
        version: 1,
        error: error(failure),
        findings: findings(&failure.problems),
    })
}

pub(super) fn error(error: &Error) -> ErrorJson<'_> {
    ErrorJson {
        message: &error.message,
        help: &error.help,
    }
}

/// Findings in the common order.
pub(super) fn findings(findings: &[Finding]) -> Vec<FindingJson<'_>> {
    ordered(findings).into_iter().map(finding).collect()
}

fn finding(finding: &Finding) -> FindingJson<'_> {
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

pub(super) fn change(change: &ChangeLine) -> ChangeJson<'_> {
    ChangeJson {
        path: path(change.path.as_bstr()),
        from: change.from.as_ref().map(|p| path(p.as_bstr())),
        action: change.action,
        class: change.class,
        original_lines: change.original_lines,
        new_lines: change.new_lines,
        lost_share: change.lost_share,
        approved: change.approved,
    }
}

/// A value as a whole document, safe to show.
///
/// # Errors
///
/// Those of serde_json.
pub(crate) fn document(value: &impl Serialize) -> io::Result<String> {
    Ok(safe(&serde_json::to_string_pretty(value)?))
}

/// A value as one line.
pub(super) fn line(value: &impl Serialize) -> io::Result<String> {
    Ok(safe(&serde_json::to_string(value)?))
}

/// What serde_json wrote, safe to show, with a line feed at its end.
fn safe(json: &str) -> String {
    let mut out = String::with_capacity(json.len() + 1);
    let mut units = [0; 2];
    for c in json.chars() {
        // serde_json has escaped everything below the blank inside strings, so
        // a line feed is layout, and any other hostile character is in a string.
        if c != '\n' && is_hostile(c) {
            for unit in c.encode_utf16(&mut units) {
                // Writing to a string cannot fail.
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(c);
        }
    }
    out.push('\n');
    // A number sign is in a string, so the bracket after it is too.
    escape::brackets(out, "\\u005b")
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
