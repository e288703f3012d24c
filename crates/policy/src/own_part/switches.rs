//! What switches guard off in the files that call it: keys beside or above the call.

use std::collections::BTreeSet;
use std::fmt;

use bstr::{BStr, ByteSlice};

use super::yaml::{self, YamlEntry, YamlNode, YamlNodeKind};
use crate::hooks::runs_guard;

/// Keys that decide whether what holds them runs, and whether its failure counts.
const SWITCHES: &[&str] = &[
    "allow_failure",
    "branches",
    "condition",
    "continue-on-error",
    "continueOnError",
    "enabled",
    "except",
    "exclude",
    "exclude_tags",
    "fail_on_changes",
    "files",
    "if",
    "ignore",
    "manual",
    "needs",
    "on",
    "only",
    "rules",
    "skip",
    "soft_fail",
    "stages",
    "trigger",
    "when",
    "workflow",
];

/// The key of the version that is called.
const VERSION: &str = "rev";

/// A key beside or above a call of guard.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Switch {
    /// Where it is, as the keys above it.
    at: String,
    key: String,
    value: String,
}

impl Switch {
    /// Whether it decides whether guard runs and counts; the others say which guard.
    pub fn is_decisive(&self) -> bool {
        self.key != VERSION
    }
}

impl fmt::Display for Switch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}: {}", self.at, self.key, self.value)
    }
}

/// The switches in a YAML file that concern a call of guard, each with its value; none if the file is not YAML.
pub fn switches(path: &BStr, text: &[u8]) -> BTreeSet<Switch> {
    let mut found = BTreeSet::new();
    let is_yaml = path.ends_with(b".yml") || path.ends_with(b".yaml");
    if let (true, Ok(text)) = (is_yaml, text.to_str())
        && let Some(root) = yaml::entries(text)
    {
        of_entries(&root, "", &mut found);
    }
    found
}

/// Adds the switches of a mapping that holds a call of guard, and tells whether it does.
fn of_entries(entries: &[YamlEntry], at: &str, found: &mut BTreeSet<Switch>) -> bool {
    let mut holds = false;
    for entry in entries {
        let line = match &entry.value.kind {
            YamlNodeKind::Text(text) => format!("{}: {text}", entry.key),
            _ => String::new(),
        };
        holds |=
            text_runs_guard(&line) | of_node(&entry.value, &format!("{at}{}.", entry.key), found);
    }
    if holds {
        for entry in entries {
            if SWITCHES.contains(&entry.key.as_str()) || entry.key == VERSION {
                found.insert(Switch {
                    at: at.to_owned(),
                    key: entry.key.clone(),
                    value: entry.value.shown(),
                });
            }
        }
    }
    holds
}

fn of_node(node: &YamlNode, at: &str, found: &mut BTreeSet<Switch>) -> bool {
    match &node.kind {
        YamlNodeKind::Text(text) => text_runs_guard(text),
        YamlNodeKind::Map(entries) => of_entries(entries, at, found),
        YamlNodeKind::List(items) => {
            let mut holds = false;
            for item in items {
                holds |= of_node(item, at, found);
            }
            holds
        }
        YamlNodeKind::Alias => false,
    }
}

fn text_runs_guard(text: &str) -> bool {
    text.lines().any(|line| runs_guard(line.as_bytes()))
}
