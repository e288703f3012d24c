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
    let text = rule.explain();
    json!({
        "rule": rule.id(),
        "level": rule.default_level().name(),
        "summary": rule.summary(),
        "what": text.what,
        "why": text.why,
        "example": text.example,
        "fix": text.fix,
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

/// The long text of one rule.
fn rule_page(rule: Rule, style: &Style) -> String {
    let title = |text| paint(DEFAULT_EMPHASIS_STYLE, text, style);
    let text = rule.explain();
    let mut page = format!(
        "{} ({})\n\n{}\n",
        title(rule.id()),
        rule.default_level().name(),
        text.what
    );
    let sections = [
        ("Why", text.why),
        ("Example", text.example),
        ("Fix", text.fix),
        ("Level", level(rule)),
        ("Approval", approval(rule)),
    ];
    for (name, body) in sections {
        page.push_str(&format!("\n{}\n", title(name)));
        for line in body.lines() {
            page.push_str(&format!("  {line}\n"));
        }
    }
    page
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

fn level(rule: Rule) -> &'static str {
    if rule.is_always() {
        "Always an error; no setting changes it."
    } else if rule.has_fixed_level() {
        "No setting changes its level."
    } else if rule == Rule::ProtectedPath {
        "Set it under [rules] in guard.toml.\n\
         At any level, requests may not write the files that configure guard."
    } else {
        "Set it under [rules] in guard.toml."
    }
}

fn approval(rule: Rule) -> &'static str {
    if rule.can_be_approved() {
        "A person's approval of exactly this change clears it (`guard approve`). Ranges and CI need a signed one."
    } else if rule.is_always() {
        "No approval clears it."
    } else if rule.is_about_design() {
        "Does not apply: correct the document."
    } else {
        "Does not apply."
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(rule: Rule) -> String {
        rule_page(rule, &Style::default())
    }

    #[test]
    fn page_of_an_unconditional_rule_says_that_nothing_clears_it() {
        let page = page(Rule::UnsafePath);
        assert!(page.starts_with("unsafe-path (error)\n\n"), "{page}");
        assert!(page.contains("Always an error; no setting changes it."));
        assert!(page.contains("No approval clears it."));
    }

    #[test]
    fn a_page_has_all_sections() {
        insta::assert_snapshot!(page(Rule::OutOfScope));
    }

    #[test]
    fn the_list_has_one_line_per_rule() {
        let list = rules(&Style::default());
        for rule in Rule::ALL {
            let lines = list
                .lines()
                .filter(|line| line.split(' ').next() == Some(rule.id()))
                .count();
            assert_eq!(lines, 1, "{}", rule.id());
        }
    }
}
