//! The report of `guard check`.

use std::io;

use annotate_snippets::renderer::{DEFAULT_ERROR_STYLE, DEFAULT_NOTE_STYLE};
use gix::bstr::{BString, ByteSlice};
use serde_json::{Value, json};

use super::escape::message;
use super::json::path;
use super::scope::place;
use super::style::{Style, paint};
use super::{Format, write_answer};
use crate::finding::Rule;
use crate::path::escaped;
use crate::verdict::{CheckAnswers, CheckResult};

/// Writes the report in one piece; quiet omits allowed paths.
///
/// # Errors
///
/// Those of `out`, and `Unsupported` for formats other than human and JSON.
pub fn write_check(
    answers: &CheckAnswers,
    format: Format,
    out: &mut dyn io::Write,
    style: &Style,
) -> io::Result<()> {
    let human = || {
        let results = answers.results.iter();
        let shown = results.filter(|result| !(style.quiet && result.allowed));
        shown.map(|result| human(result, style)).collect()
    };
    write_answer(format, out, human, || json(answers))
}

fn json(answers: &CheckAnswers) -> Value {
    let result = |result: &CheckResult| {
        let path_of = |of: &Option<BString>| of.as_ref().map(|of| path(of.as_bstr()));
        json!({
            "requested_path": path(result.requested_path.as_bstr()),
            "path": path_of(&result.path),
            "allowed": result.allowed,
            "closest_match": path_of(&result.closest_match),
            "reason": result.reason,
            "rule": result.rule.map(Rule::id),
        })
    };
    let results: Vec<_> = answers.results.iter().map(result).collect();
    json!({"version": 1, "results": results, "notes": answers.notes})
}

fn human(result: &CheckResult, style: &Style) -> String {
    let asked = escaped(&result.requested_path).to_string();
    let resolved = match &result.path {
        Some(path) if *path != result.requested_path => {
            format!(" = {}", escaped(path))
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
        Some(path) => format!("; closest: {}", escaped(path)),
        None => String::new(),
    };
    let rule = match result.rule {
        Some(rule) => format!(" [{}]", rule.id()),
        None => String::new(),
    };
    format!("{word} {asked}{resolved}: {reason}{closest}{place}{rule}\n")
}
