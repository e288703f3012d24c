//! Which settings are weaker than others: they refuse less, or let more documents and people decide.

use serde_json::Value;

use super::keys::{KEYS, Settings};
use crate::finding::Rule;

/// In which direction the value of a key weakens guard.
enum Weaker {
    /// By one entry more.
    More,
    /// By one entry fewer.
    Fewer,
    /// By a greater number.
    Greater,
    /// By this value.
    Is(&'static str),
    /// By any other value.
    Other,
}

/// The keys whose values can weaken guard.
const WEAKER: &[(&str, &str, Weaker)] = &[
    ("lld", "path", Weaker::More),
    ("lld", "standing", Weaker::More),
    ("lld", "done", Weaker::Fewer),
    ("lld", "base", Weaker::Other),
    ("lld", "issue-pattern", Weaker::Other),
    ("lld", "headings", Weaker::More),
    ("lld", "missing", Weaker::Is("skip")),
    ("lld", "authority", Weaker::Is("head")),
    ("scope", "always", Weaker::More),
    ("scope", "protect", Weaker::Fewer),
    ("scope", "protect-tests", Weaker::Is("off")),
    ("workspace", "read", Weaker::Other),
    ("workspace", "write", Weaker::Other),
    ("workspace", "secrets", Weaker::Fewer),
    ("destructive", "lines", Weaker::Greater),
    ("destructive", "share", Weaker::Greater),
    ("destructive", "exempt", Weaker::More),
    ("approvals", "signers", Weaker::Other),
    ("approvals", "accept-unsigned", Weaker::Is("true")),
];

/// The keys that `next` weakens, in the order of the documentation; the levels of rules come last.
pub fn weakened(now: &Settings, next: &Settings) -> Vec<String> {
    let mut keys = Vec::new();
    for (section, name, weaker) in WEAKER {
        let mut known = KEYS.iter();
        let Some(key) = known.find(|key| key.section == *section && key.name == *name) else {
            continue;
        };
        let now = key.value(now);
        let next = key.value(next);
        if now != next && is_weaker(weaker, &now, &next) {
            keys.push(format!("`[{section}] {name}`"));
        }
    }
    for rule in Rule::ALL {
        if next.level(*rule) < now.level(*rule) {
            keys.push(format!("`[rules] {}`", rule.id()));
        }
    }
    keys
}

/// The entries of a list; a value that is no list is its own only entry.
fn entries(value: &Value) -> &[Value] {
    match value {
        Value::Array(entries) => entries,
        Value::Null => &[],
        other => std::slice::from_ref(other),
    }
}

fn has_all(list: &Value, wanted: &Value) -> bool {
    let entries_of_list = entries(list);
    entries(wanted)
        .iter()
        .all(|entry| entries_of_list.contains(entry))
}

fn is_weaker(weaker: &Weaker, now: &Value, next: &Value) -> bool {
    match weaker {
        Weaker::More => !has_all(now, next),
        Weaker::Fewer => !has_all(next, now),
        Weaker::Greater => next.as_f64() > now.as_f64(),
        Weaker::Is(word) => next.to_string().trim_matches('"') == *word,
        Weaker::Other => true,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::super::parse;
    use super::*;

    #[test]
    fn only_what_refuses_less_is_listed() {
        for (now, next, expected) in [
            (
                "",
                "[rules]\ndestructive-change = \"off\"",
                &["`[rules] destructive-change`"][..],
            ),
            ("[rules]\ndestructive-change = \"off\"", "", &[]),
            ("", "[lld]\nmissing = \"skip\"", &["`[lld] missing`"]),
            (
                "[scope]\nalways = [\"a\"]",
                "[scope]\nalways = [\"a\", \"b\"]",
                &["`[scope] always`"],
            ),
            ("[scope]\nalways = [\"a\"]", "[scope]\nalways = []", &[]),
            ("[scope]\nprotect = [\"a\"]", "", &["`[scope] protect`"]),
            (
                "[destructive]\nlines = 100",
                "[destructive]\nlines = 900",
                &["`[destructive] lines`"],
            ),
            (
                "[destructive]\nlines = 100",
                "[destructive]\nlines = 50",
                &[],
            ),
            (
                "",
                "[approvals]\naccept-unsigned = true",
                &["`[approvals] accept-unsigned`"],
            ),
            ("", "[snapshots]\nkeep = \"1d\"", &[]),
        ] {
            let [before, after] = [now, next].map(|text| parse(text.as_bytes()).unwrap());
            assert_eq!(weakened(&before, &after), expected, "{now} -> {next}");
        }
    }
}
