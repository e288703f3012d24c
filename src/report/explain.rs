//! `guard explain`: the page of a rule, or the list of all rules.

use std::io;

use serde_json::{Value, json};

use super::target::{Style, Target};
use crate::finding::Rule;
use crate::scope::settings::{KEYS, Key, LEVELS, RULES};

/// What `guard explain` explains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Topic {
    /// The list of all rules.
    Rules,
    /// One rule: what, why, an example, the fix.
    Rule(Rule),
    /// Every key of `guard.toml`.
    Settings,
}

/// Writes the page on a topic.
///
/// # Errors
/// Those of `out`, and `Unsupported` for a format that is neither human nor JSON.
pub fn write_topic(topic: Topic, to: Target<'_>) -> io::Result<()> {
    let human = |style: &Style| match topic {
        Topic::Rules => rules(style),
        Topic::Rule(rule) => rule_page(rule, style),
        Topic::Settings => settings(style),
    };
    let of_rules = |rules: &[Rule]| {
        let rules: Vec<Value> = rules.iter().copied().map(rule_json).collect();
        json!({"version": 1, "rules": rules})
    };
    let json = || match topic {
        Topic::Rules => of_rules(Rule::ALL),
        Topic::Rule(rule) => of_rules(&[rule]),
        Topic::Settings => settings_json(),
    };
    to.answer(human, json)
}

fn rule_json(rule: Rule) -> Value {
    json!({
        "rule": rule,
        "level": rule.default_level(),
        "summary": rule.summary(),
        "what": rule.section(""),
        "why": rule.section("Why"),
        "example": rule.section("Example"),
        "fix": rule.section("Fix"),
        "allow": rule.section("Allow it"),
        "configurable": !rule.has_fixed_level(),
        "approvable": rule.can_be_approved(),
    })
}

fn settings_json() -> Value {
    let key = |key: &Key| json!({"table": key.section, "key": key.name, "default": key.default_text(), "doc": key.doc});
    let keys: Vec<Value> = KEYS.iter().map(key).collect();
    let levels = LEVELS.map(|(name, _)| name);
    json!({"version": 1, "settings": keys, "rules": {"table": RULES, "levels": levels}})
}

/// The page of a rule as it is published, its headings emphasised.
fn rule_page(rule: Rule, style: &Style) -> String {
    let line = |line: &str| match line.starts_with('#') {
        true => style.title(line) + "\n",
        false => format!("{line}\n"),
    };
    rule.page().lines().map(line).collect()
}

/// One line per rule: name, default level, when it fires.
fn rules(style: &Style) -> String {
    let widest = Rule::ALL.iter().map(|rule| rule.id().len()).max();
    let widest = widest.unwrap_or(0);
    let line = |rule: &Rule| {
        // Padded before it is painted: colour codes have no width.
        let name = format!("{:widest$}", rule.id());
        let name = style.title(&name);
        let level = rule.default_level().name();
        format!("{name}  {level:7}  {}\n", rule.summary())
    };
    let lines: String = Rule::ALL.iter().map(line).collect();
    lines + "\nFor the reason, an example and the fix: guard explain RULE\n"
}

/// Every key of `guard.toml` by table, as a file with all defaults would hold it.
fn settings(style: &Style) -> String {
    let title = |table: &str| style.title(&format!("[{table}]")) + "\n";
    let mut page = String::new();
    for keys in KEYS.chunk_by(|a, b| a.section == b.section) {
        page.push_str(&title(keys[0].section));
        for key in keys {
            let default = key.default_text();
            let default = default.map_or(String::new(), |default| format!(" = {default}"));
            page.push_str(&format!("  {}{default}\n      {}\n", key.name, key.doc));
        }
    }
    page.push_str(&title(RULES));
    page + "  RULE = \"off\" | \"note\" | \"warning\" | \"error\"\n      The level of a rule; `guard explain` lists the rules.\n"
}
