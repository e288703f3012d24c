//! `guard explain`: the page of a rule, or the list of all rules.

use std::io;

use annotate_snippets::renderer::DEFAULT_EMPHASIS_STYLE;
use serde_json::{Value, json};

use super::style::{Style, paint};
use super::{Format, write_answer};
use crate::finding::Rule;
use crate::policy::settings::{KEYS, LEVELS, RULES};

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
pub fn write_topic(
    topic: Topic,
    format: Format,
    out: &mut dyn io::Write,
    style: &Style,
) -> io::Result<()> {
    let human = || match topic {
        Topic::Rules => rules(style),
        Topic::Rule(rule) => rule_page(rule, style),
        Topic::Settings => settings(style),
    };
    let json = || match topic {
        Topic::Rules => {
            let rules: Vec<Value> = Rule::ALL.iter().copied().map(rule_json).collect();
            json!({"version": 1, "rules": rules})
        }
        Topic::Rule(rule) => json!({"version": 1, "rules": [rule_json(rule)]}),
        Topic::Settings => settings_json(),
    };
    write_answer(format, out, human, json)
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
    let keys: Vec<Value> = KEYS
        .iter()
        .map(|key| {
            json!({
                "table": key.section,
                "key": key.name,
                "default": key.default_text(),
                "doc": key.doc,
            })
        })
        .collect();
    json!({"version": 1, "settings": keys, "rules": {"table": RULES, "levels": LEVELS.map(|(name, _)| name)}})
}

/// The page of a rule as it is published, its headings emphasised.
fn rule_page(rule: Rule, style: &Style) -> String {
    let line = |line: &str| match line.starts_with('#') {
        true => paint(DEFAULT_EMPHASIS_STYLE, line, style) + "\n",
        false => format!("{line}\n"),
    };
    rule.page().lines().map(line).collect()
}

/// One line per rule: name, default level, when it fires.
fn rules(style: &Style) -> String {
    let widest = Rule::ALL
        .iter()
        .map(|rule| rule.id().len())
        .max()
        .unwrap_or(0);
    let mut page = String::new();
    for rule in Rule::ALL {
        // Padded before it is painted: colour codes have no width.
        let name = paint(
            DEFAULT_EMPHASIS_STYLE,
            &format!("{:widest$}", rule.id()),
            style,
        );
        let level = rule.default_level().name();
        page.push_str(&format!("{name}  {level:7}  {}\n", rule.summary()));
    }
    page.push_str("\nFor the reason, an example and the fix: guard explain RULE\n");
    page
}

/// Every key of `guard.toml` by table, as a file with all defaults would hold it.
fn settings(style: &Style) -> String {
    let mut page = String::new();
    let mut section = "";
    for key in KEYS {
        if key.section != section {
            section = key.section;
            page.push_str(&format!(
                "{}\n",
                paint(DEFAULT_EMPHASIS_STYLE, &format!("[{section}]"), style)
            ));
        }
        let default = key.default_text();
        let default = default.map_or(String::new(), |default| format!(" = {default}"));
        page.push_str(&format!("  {}{default}\n      {}\n", key.name, key.doc));
    }
    page.push_str(&format!(
        "{}\n",
        paint(DEFAULT_EMPHASIS_STYLE, "[rules]", style)
    ));
    page.push_str("  RULE = \"off\" | \"note\" | \"warning\" | \"error\"\n      The level of a rule; `guard explain` lists the rules.\n");
    page
}
