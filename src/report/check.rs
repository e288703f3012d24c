//! The report of `guard check`.

use std::io::{self, Write as _};

use annotate_snippets::renderer::{DEFAULT_ERROR_STYLE, DEFAULT_NOTE_STYLE};
use gix::bstr::BStr;
use serde::Serialize;
use serde_json::json;

use super::json::write_line;
use super::target::{BUFFER, Format, Style, Target};
use super::texts::message;
use super::texts::{ordered, place};
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
pub fn write_check(answers: &CheckAnswers, to: Target<'_>) -> io::Result<()> {
    if to.format != Format::Jsonl {
        let results = answers.results.iter();
        let human = |style: &Style| results.map(|result| shown(result, style)).collect();
        let json = || json!({"version": 1, "results": answers.results, "notes": answers.notes});
        return to.answer(human, json);
    }
    let mut out = io::BufWriter::with_capacity(BUFFER, to.out);
    for result in &answers.results {
        write_line(&CheckLine::Result(result), &mut out)?;
    }
    write_line(&summary(&answers.counts(), &answers.notes), &mut out)?;
    out.flush()
}

/// Writes the answer for one path, as a line of the report for people or of JSON Lines.
///
/// # Errors
///
/// Those of `out`.
pub fn write_check_result(result: &CheckResult, to: Target<'_>) -> io::Result<()> {
    match to.format {
        Format::Jsonl => write_line(&CheckLine::Result(result), to.out),
        _ => to.say(|style| shown(result, style)),
    }
}

/// Writes that guard could not check one path.
///
/// # Errors
///
/// Those of `out`.
pub fn write_check_error(requested: &BStr, error: &Error, to: Target<'_>) -> io::Result<()> {
    if to.format == Format::Jsonl {
        let line = CheckLine::Error {
            version: 1,
            requested_path: path_text(requested),
            kind: error.kind(),
            message: &error.message,
            help: &error.help,
            findings: ordered(&error.problems),
        };
        return write_line(&line, to.out);
    }
    let (path, why) = (escaped(requested), message(&error.message));
    to.say(|style| {
        let word = style.paint(DEFAULT_ERROR_STYLE, "error");
        format!("{word} {path}: {why}\n")
    })
}

/// Writes the last line of JSON Lines; the report for people has none.
///
/// # Errors
///
/// Those of `out`.
pub fn write_check_end(counts: &CheckCounts, notes: &[String], to: Target<'_>) -> io::Result<()> {
    match to.format {
        Format::Jsonl => write_line(&summary(counts, notes), to.out),
        _ => Ok(()),
    }
}

fn summary<'a>(counts: &'a CheckCounts, notes: &'a [String]) -> CheckLine<'a> {
    CheckLine::Summary {
        version: 1,
        counts,
        notes,
    }
}

/// The line for people; quiet omits an allowed path.
fn shown(result: &CheckResult, style: &Style) -> String {
    if style.quiet && result.allowed {
        return String::new();
    }
    let mut text = escaped(&result.requested_path).to_string();
    let path = result.path.as_ref();
    if let Some(path) = path.filter(|path| **path != result.requested_path) {
        text.push_str(&format!(" = {}", escaped(path)));
    }
    let place = match &result.design {
        Some(at) => format!(" ({})", place(at)),
        None => String::new(),
    };
    if result.allowed {
        let word = style.paint(DEFAULT_NOTE_STYLE, "allowed");
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
    let word = style.paint(DEFAULT_ERROR_STYLE, "refused");
    format!("{word} {text}\n")
}
