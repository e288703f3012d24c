//! `guard explain`: the page of a rule, or the list of all rules.

use std::io;

use serde_json::{Value, json};

use super::target::Target;
use super::texts::columns;
use write_guard_policy::finding::{Level, Rule};
use write_guard_policy::scope::settings::Settings;

/// Writes the page of a rule, or the list of all rules.
///
/// # Errors
/// Those of `out`.
pub fn write_rules(rule: Option<Rule>, to: Target<'_>) -> io::Result<()> {
    to.answer(
        |_| rule.map_or_else(list, |rule| rule.page().to_owned()),
        || {
            let rules = rule.as_ref().map_or(Rule::ALL, std::slice::from_ref);
            let rules: Vec<Value> = rules.iter().copied().map(rule_json).collect();
            json!({"version": 1, "rules": rules})
        },
    )
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

/// One line per rule: name, default level, when it fires.
fn list() -> String {
    let rows = columns(Rule::ALL.iter().map(|rule| {
        // A rule may be off until the settings ask for it.
        let level = Settings::default().level(*rule).map_or("off", Level::name);
        vec![
            rule.id().to_owned(),
            level.to_owned(),
            rule.summary().to_owned(),
        ]
    }));
    rows + "\nFor the reason, an example and the fix: guard explain RULE\n"
}
