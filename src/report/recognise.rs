//! Tells guard's own reports from other files, so that a new report replaces nothing else.

use super::Format;
use crate::finding::{Level, Rule};

/// How many bytes of a file tell whether it is a report.
pub(crate) const RECOGNISED_FROM: u64 = 64 * 1024;

/// Whether a file that begins with `start` is a report that guard wrote in this format.
pub(crate) fn is_report(format: Format, start: &[u8]) -> bool {
    // A cut through a character at the end loses that character alone.
    let text = String::from_utf8_lossy(start);
    match format {
        Format::Human => is_human(&text),
        Format::Json => is_json(&text),
        Format::Jsonl => [
            "{\"type\":\"finding\",\"rule\":",
            "{\"type\":\"summary\",\"version\":1,",
            "{\"type\":\"error\",",
        ]
        .iter()
        .any(|beginning| text.starts_with(beginning)),
        Format::Sarif => {
            text.starts_with("{\n  \"$schema\": \"")
                && text.contains("\n          \"name\": \"guard\",")
        }
        Format::Github => {
            text.starts_with("::stop-commands::")
                || text.starts_with("::error title=guard could not judge::")
        }
        Format::Gitlab => is_gitlab(&text),
        Format::Junit => text
            .starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"guard\" "),
        Format::Markdown => text.starts_with("### guard: "),
    }
}

/// The report begins with a finding or with the last line of guard.
fn is_human(text: &str) -> bool {
    let is_finding = |(level, rest): (&str, &str)| {
        let names = [Level::Error, Level::Warning, Level::Note].map(Level::name);
        let rule = rest
            .split_once("]: ")
            .and_then(|(rule, _)| Rule::from_id(rule));
        names.contains(&level) && rule.is_some()
    };
    // `guard lint`, `guard check`, `guard scope show` and `guard scope prompt`.
    let beginnings = [
        "guard: ",
        "allowed ",
        "refused ",
        "granted (",
        "REQUIRED FILE PATHS (from ",
    ];
    beginnings
        .iter()
        .any(|beginning| text.starts_with(beginning))
        || text.split_once('[').is_some_and(is_finding)
}

/// Every JSON document of guard begins with its version and a key of its own.
fn is_json(text: &str) -> bool {
    const KEYS: [&str; 7] = [
        "verdict",
        "error",
        "results",
        "designs",
        "documents",
        "grants",
        "findings",
    ];
    text.strip_prefix("{\n  \"version\": 1,\n  \"")
        .and_then(|rest| rest.split_once('"'))
        .is_some_and(|(key, _)| KEYS.contains(&key))
}

/// A list without findings, or one whose first finding has the name of a rule.
fn is_gitlab(text: &str) -> bool {
    let name = || {
        let (_, rest) = text.split_once("\n    \"check_name\": \"")?;
        rest.split_once('"').map(|(name, _)| name)
    };
    text.trim_end() == "[]"
        || text.starts_with("[\n  {\n    \"description\": \"")
            && name().is_some_and(|name| Rule::from_id(name).is_some() || name == "guard")
}
