//! The report of `guard check`.

use std::io::{self, Write as _};

use annotate_snippets::renderer::{DEFAULT_ERROR_STYLE, DEFAULT_NOTE_STYLE};
use gix::bstr::{BStr, BString, ByteSlice};
use serde_json::{Map, Value, json};

use super::escape::{self, message};
use super::json::{findings, path, write_line};
use super::scope::place;
use super::style::{Style, paint};
use super::{BUFFER, Format, write_answer};
use crate::error::Error;
use crate::finding::Rule;
use crate::path::escaped;
use crate::verdict::{CheckAnswers, CheckCounts, CheckResult};

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
            write_check_result(result, format, &mut out, style)?;
        }
        write_check_end(&answers.counts(), &answers.notes, format, &mut out)?;
        return out.flush();
    }
    let human = || {
        let results = answers.results.iter();
        results.map(|result| shown(result, style)).collect()
    };
    write_answer(format, out, human, || document(answers))
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
    if format == Format::Jsonl {
        let mut line = Map::from_iter([("type".to_owned(), "result".into())]);
        line.append(&mut keys(result));
        return write_line(&line, out);
    }
    out.write_all(escape::commands(shown(result, style)).as_bytes())
}

/// Writes that guard could not judge one path.
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
        let line = json!({
            "type": "error",
            "version": 1,
            "requested_path": path(requested),
            "kind": error.kind(),
            "message": error.message,
            "help": error.help,
            "findings": findings(&error.problems),
        });
        return write_line(&line, out);
    }
    let word = paint(DEFAULT_ERROR_STYLE, "error", style);
    let line = format!(
        "{word} {}: {}\n",
        escaped(requested),
        message(&error.message)
    );
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
    if format != Format::Jsonl {
        return Ok(());
    }
    let line = json!({
        "type": "summary",
        "version": 1,
        "allowed": counts.allowed,
        "refused": counts.refused,
        "errors": counts.errors,
        "notes": notes,
    });
    write_line(&line, out)
}

fn document(answers: &CheckAnswers) -> Value {
    let results: Vec<_> = answers.results.iter().map(keys).collect();
    json!({"version": 1, "results": results, "notes": answers.notes})
}

fn keys(result: &CheckResult) -> Map<String, Value> {
    let path_of = |of: &Option<BString>| of.as_ref().map(|of| path(of.as_bstr())).into();
    let absolute = result.absolute_path.as_deref();
    let value = [
        (
            "requested_path",
            path(result.requested_path.as_bstr()).into(),
        ),
        ("path", path_of(&result.path)),
        (
            "absolute_path",
            absolute.map(|path| path.to_string_lossy()).into(),
        ),
        ("allowed", result.allowed.into()),
        ("closest_match", path_of(&result.closest_match)),
        ("reason", result.reason.as_str().into()),
        ("rule", result.rule.map(Rule::id).into()),
        ("kind", result.kind.into()),
        ("violation", result.violation.as_deref().into()),
    ];
    value
        .map(|(key, value)| (key.to_owned(), value))
        .into_iter()
        .collect()
}

/// The line for people; quiet omits an allowed path.
fn shown(result: &CheckResult, style: &Style) -> String {
    match style.quiet && result.allowed {
        true => String::new(),
        false => human(result, style),
    }
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
