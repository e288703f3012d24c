//! Recognises guard's own reports, so that a new report replaces no other file.

use super::{Format, html};
use crate::finding::{Level, Rule};

/// How many bytes of a file to inspect.
pub(crate) const RECOGNISED_FROM: u64 = 64 * 1024;

/// Whether a file that starts with `start` is a guard report in this format.
pub(crate) fn is_report(format: Format, start: &[u8]) -> bool {
    // A character cut at the end is lost alone.
    let text = String::from_utf8_lossy(start);
    match format {
        Format::Human => is_human(&text),
        Format::Json => is_json(&text),
        Format::Jsonl => [
            "{\"type\":\"finding\",\"rule\":",
            "{\"type\":\"result\",\"requested_path\":",
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
        Format::Html => text.starts_with(html::BEGINNING),
    }
}

/// Whether the text is a report for people: it starts with a finding or with guard's last line.
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
        "You may change only these files",
    ];
    beginnings
        .iter()
        .any(|beginning| text.starts_with(beginning))
        || text.split_once('[').is_some_and(is_finding)
}

/// Whether the text is one of guard's JSON documents, which start with the version and a specific key.
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

/// An empty list, or one whose first finding has a rule's name.
fn is_gitlab(text: &str) -> bool {
    let name = || {
        let (_, rest) = text.split_once("\n    \"check_name\": \"")?;
        rest.split_once('"').map(|(name, _)| name)
    };
    text.trim_end() == "[]"
        || text.starts_with("[\n  {\n    \"description\": \"")
            && name().is_some_and(|name| Rule::from_id(name).is_some() || name == "guard")
}
