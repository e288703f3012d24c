//! The report of `guard check`.

use std::io;

use annotate_snippets::renderer::{DEFAULT_ERROR_STYLE, DEFAULT_NOTE_STYLE};
use serde_json::json;

use super::target::{Style, Target};
use super::texts::{message, place};
use write_guard_policy::path::escaped;
use write_guard_policy::verdict::{CheckAnswers, CheckResult};

/// Writes the report; quiet omits allowed paths.
///
/// # Errors
///
/// Those of `out`.
pub fn write_check(answers: &CheckAnswers, to: Target<'_>) -> io::Result<()> {
    let CheckAnswers { results, notes } = answers;
    to.answer(
        |style| results.iter().map(|result| shown(result, style)).collect(),
        || json!({"version": 1, "results": results, "notes": notes}),
    )
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
    if let Some(closest) = &result.closest_match {
        text.push_str(&format!("; closest: {}", escaped(closest)));
    }
    text.push_str(&place);
    if let Some(rule) = result.rule {
        text.push_str(&format!(" [{}]", rule.id()));
    }
    let word = style.paint(DEFAULT_ERROR_STYLE, "refused");
    format!("{word} {text}\n")
}
