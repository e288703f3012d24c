//! The report of `guard check`: may this path be written?

use std::io;

use annotate_snippets::renderer::{DEFAULT_ERROR_STYLE, DEFAULT_NOTE_STYLE};
use gix::bstr::ByteSlice;
use serde::Serialize;

use super::escape::message;
use super::human::paint;
use super::json::{document, path};
use super::scope::place;
use super::style::Style;
use super::{Format, escape};
use crate::finding::Rule;
use crate::path::show;
use crate::verdict::{CheckAnswers, CheckResult};

#[derive(Serialize)]
struct CheckJson<'a> {
    version: u32,
    results: Vec<ResultJson<'a>>,
    notes: &'a [String],
}

#[derive(Serialize)]
struct ResultJson<'a> {
    requested_path: String,
    path: Option<String>,
    allowed: bool,
    closest_match: Option<String>,
    reason: &'a str,
    rule: Option<&'static str>,
}

/// Writes the report in one piece; quiet leaves out what is allowed.
///
/// # Errors
///
/// Those of `out`, and `Unsupported` for a format that is neither human nor JSON.
pub fn write_check(
    answers: &CheckAnswers,
    format: Format,
    out: &mut dyn io::Write,
    style: &Style,
) -> io::Result<()> {
    let text = match format {
        Format::Human => answers
            .results
            .iter()
            .filter(|result| !(style.quiet && result.allowed))
            .map(|result| escape::commands(human(result, style)))
            .collect(),
        Format::Json => json(answers)?,
        other => return Err(other.not_here("guard check")),
    };
    out.write_all(text.as_bytes())
}

fn json(answers: &CheckAnswers) -> io::Result<String> {
    document(&CheckJson {
        version: 1,
        results: answers
            .results
            .iter()
            .map(|result| ResultJson {
                requested_path: path(result.requested_path.as_bstr()),
                path: result.path.as_ref().map(|p| path(p.as_bstr())),
                allowed: result.allowed,
                closest_match: result.closest_match.as_ref().map(|p| path(p.as_bstr())),
                reason: &result.reason,
                rule: result.rule.map(Rule::id),
            })
            .collect(),
        notes: &answers.notes,
    })
}

fn human(result: &CheckResult, style: &Style) -> String {
    let asked = show(&result.requested_path).to_string();
    let resolved = match &result.path {
        Some(path) if *path != result.requested_path => {
            format!(" = {}", show(path))
        }
        _ => String::new(),
    };
    let place = match &result.design {
        Some(at) => format!(" ({})", place(&at.path, at.line)),
        None => String::new(),
    };
    if result.allowed {
        let word = paint(DEFAULT_NOTE_STYLE, "allowed", style);
        return format!("{word} {asked}{resolved}{place}\n");
    }
    let word = paint(DEFAULT_ERROR_STYLE, "refused", style);
    let reason = message(&result.reason);
    let closest = match &result.closest_match {
        Some(path) => format!("; closest: {}", show(path)),
        None => String::new(),
    };
    let rule = match result.rule {
        Some(rule) => format!(" [{}]", rule.id()),
        None => String::new(),
    };
    format!("{word} {asked}{resolved}: {reason}{closest}{place}{rule}\n")
}
