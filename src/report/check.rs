//! The report of `guard check`.

use std::io::{self, Write as _};

use annotate_snippets::renderer::{DEFAULT_ERROR_STYLE, DEFAULT_NOTE_STYLE};
use gix::bstr::BStr;
use serde::Serialize;
use serde_json::json;

use super::escape::{self, message};
use super::json::write_line;
use super::scope::place;
use super::style::{Style, paint};
use super::texts::ordered;
use super::{BUFFER, Format, write_answer};
use crate::error::Error;
use crate::finding::json::path_text;
use crate::finding::{Finding, Help};
use crate::path::escaped;
use crate::verdict::{CheckAnswers, CheckCounts, CheckResult};

/// One line of JSON Lines.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum CheckLine<'a> {
    Result(&'a CheckResult),
    Error {
        version: u32,
        requested_path: String,
        kind: &'static str,
        message: &'a str,
        help: &'a [Help],
        findings: Vec<&'a Finding>,
    },
    Summary {
        version: u32,
        #[serde(flatten)]
        counts: &'a CheckCounts,
        notes: &'a [String],
    },
}

/// Writes the report in one piece; quiet omits allowed paths.
///
/// # Errors
///
/// Those of `out`, and `Unsupported` for formats other than human, JSON and JSON Lines.
pub fn write_check(
    answers: &CheckAnswers,
    format: Format,
    out: &mut dyn io::Write,
    style: &Style,
) -> io::Result<()> {
    if format == Format::Jsonl {
        let mut out = io::BufWriter::with_capacity(BUFFER, out);
        for result in &answers.results {
            write_line(&CheckLine::Result(result), &mut out)?;
        }
        write_check_end(&answers.counts(), &answers.notes, format, &mut out)?;
        return out.flush();
    }
    let human = || {
        let results = answers.results.iter();
        results.map(|result| shown(result, style)).collect()
    };
    let json = || json!({"version": 1, "results": answers.results, "notes": answers.notes});
    write_answer(format, out, human, json)
}

/// Writes the answer for one path, as a line of the report for people or of JSON Lines.
///
/// # Errors
///
/// Those of `out`.
pub fn write_check_result(
    result: &CheckResult,
    format: Format,
    out: &mut dyn io::Write,
    style: &Style,
) -> io::Result<()> {
    match format {
        Format::Jsonl => write_line(&CheckLine::Result(result), out),
        _ => out.write_all(escape::commands(shown(result, style)).as_bytes()),
    }
}

/// Writes that guard could not check one path.
///
/// # Errors
///
/// Those of `out`.
pub fn write_check_error(
    requested: &BStr,
    error: &Error,
    format: Format,
    out: &mut dyn io::Write,
    style: &Style,
) -> io::Result<()> {
    if format == Format::Jsonl {
        let line = CheckLine::Error {
            version: 1,
            requested_path: path_text(requested),
            kind: error.kind(),
            message: &error.message,
            help: &error.help,
            findings: ordered(&error.problems),
        };
        return write_line(&line, out);
    }
    let word = paint(DEFAULT_ERROR_STYLE, "error", style);
    let why = message(&error.message);
    let line = format!("{word} {}: {why}\n", escaped(requested));
    out.write_all(escape::commands(line).as_bytes())
}

/// Writes the last line of JSON Lines; the report for people has none.
///
/// # Errors
///
/// Those of `out`.
pub fn write_check_end(
    counts: &CheckCounts,
    notes: &[String],
    format: Format,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    match format {
        Format::Jsonl => write_line(
            &CheckLine::Summary {
                version: 1,
                counts,
                notes,
            },
            out,
        ),
        _ => Ok(()),
    }
}

/// The line for people; quiet omits an allowed path.
fn shown(result: &CheckResult, style: &Style) -> String {
    if style.quiet && result.allowed {
        return String::new();
    }
    let mut text = escaped(&result.requested_path).to_string();
    if let Some(path) = result
        .path
        .as_ref()
        .filter(|path| **path != result.requested_path)
    {
        text.push_str(&format!(" = {}", escaped(path)));
    }
    let place = match &result.design {
        Some(at) => format!(" ({})", place(&at.path, at.line)),
        None => String::new(),
    };
    if result.allowed {
        let word = paint(DEFAULT_NOTE_STYLE, "allowed", style);
        return format!("{word} {text}{place}\n");
    }
    text.push_str(&format!(": {}", message(&result.reason)));
    if let Some(path) = &result.closest_match {
        text.push_str(&format!("; closest: {}", escaped(path)));
    }
    text.push_str(&place);
    if let Some(rule) = result.rule {
        text.push_str(&format!(" [{}]", rule.id()));
    }
    let word = paint(DEFAULT_ERROR_STYLE, "refused", style);
    format!("{word} {text}\n")
}
