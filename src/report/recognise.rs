//! Recognises guard's own reports, so that a new report replaces no other file.

use super::html;
use super::target::Format;
use crate::finding::{Level, Rule};

/// How many bytes of a file to inspect.
pub(crate) const RECOGNISED_FROM: u64 = 64 * 1024;

/// Whether a file that starts with `start` is a guard report in this format.
pub(crate) fn is_report(format: Format, start: &[u8]) -> bool {
    // A character cut at the end is lost alone.
    let text = String::from_utf8_lossy(start);
    let text = text.as_ref();
    let begins = |with: &[&str]| with.iter().any(|with| text.starts_with(with));
    let names_rule = |before: &str, after: &str| {
        let rest = text.split_once(before).map(|(_, rest)| rest);
        let name = rest.and_then(|rest| rest.split_once(after));
        name.is_some_and(|(name, _)| Rule::from_id(name).is_some() || name == "guard")
    };
    match format {
        // A finding, or the first line of lint, check, scope show and scope prompt.
        Format::Human => {
            let mut levels = Level::VARIANTS.iter();
            begins(&["guard: ", "allowed ", "refused ", "granted ("])
                || begins(&["You may change only these files"])
                || levels.any(|level| text.starts_with(level.name())) && names_rule("[", "]: ")
        }
        Format::Json => {
            let keys = [
                "verdict", "error", "results", "designs", "grants", "findings", "target",
            ];
            let first = text.strip_prefix("{\n  \"version\": 1,\n  \"");
            let key = first.and_then(|rest| rest.split_once('"'));
            key.is_some_and(|(key, _)| keys.contains(&key))
        }
        Format::Jsonl => begins(&[
            "{\"type\":\"finding\",\"rule\":",
            "{\"type\":\"result\",\"requested_path\":",
            "{\"type\":\"summary\",\"version\":1,",
            "{\"type\":\"error\",",
        ]),
        Format::Sarif => {
            begins(&["{\n  \"$schema\": \""]) && text.contains("\n          \"name\": \"guard\",")
        }
        Format::Github => begins(&["::stop-commands::"]),
        Format::Gitlab => {
            text.trim_end() == "[]"
                || begins(&["[\n  {\n    \"description\": \""])
                    && names_rule("\n    \"check_name\": \"", "\"")
        }
        Format::Junit => {
            begins(&["<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"guard\" "])
        }
        Format::Markdown => begins(&["### guard: "]),
        Format::Html => begins(&[html::BEGINNING]),
    }
}
