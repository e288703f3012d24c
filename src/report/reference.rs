//! The reference of `guard.toml`: in Markdown, which docs/settings.md ends with, and as a JSON schema for editors.

use std::io;

use serde_json::{Map, Value, json};

use super::json::document;
use crate::finding::Rule;
use crate::scope::settings::{KEYS, Key, LEVELS, RULES, SECTIONS, Settings, ValueKind};

/// Every key by table.
pub fn settings_reference() -> String {
    let mut page = String::new();
    for (section, title) in SECTIONS {
        let keys = KEYS.iter().filter(|key| key.section == *section);
        table(&mut page, section, title, keys.map(cells));
    }
    let rule = [
        "the name of a rule".to_owned(),
        quoted(&LEVELS.map(|(name, _)| format!("\"{name}\"")).join(", ")),
        "see `guard explain RULE`".to_owned(),
        "The level of the rule's findings. `outside-workspace`, `unsafe-path` and the rules about documents \
         (`design-…`) have fixed levels, and guard refuses another one. Only errors refuse a request. At any level, \
         requests may not write the files that configure guard."
            .to_owned(),
    ];
    table(&mut page, RULES, "levels", [rule].into_iter());
    // Between tables, not after the last one.
    page.pop();
    page
}

fn cells(key: &Key) -> [String; 4] {
    [
        format!("`{}`", key.name),
        quoted(&key.kind.expected()),
        key.default_markdown(),
        format!("{} {}", key.doc, key.more).trim_end().to_owned(),
    ]
}

fn table(page: &mut String, name: &str, title: &str, rows: impl Iterator<Item = [String; 4]>) {
    page.push_str(&format!(
        "## `[{name}]`: {title}\n\n| key | value | default | meaning |\n|---|---|---|---|\n"
    ));
    for row in rows {
        page.push_str(&format!(
            "| {} |\n",
            row.map(|cell| cell.replace('|', "\\|")).join(" | ")
        ));
    }
    page.push('\n');
}

/// The text with its quoted words as code.
fn quoted(text: &str) -> String {
    let parts = text.split('"').enumerate();
    let code = parts.map(|(at, part)| match at % 2 {
        0 => part.to_owned(),
        _ => format!("`\"{part}\"`"),
    });
    code.collect()
}

/// The schema as a document.
///
/// # Errors
/// None in practice: the values are plain.
pub fn schema() -> io::Result<String> {
    let mut tables = Map::new();
    for key in KEYS {
        let table = tables
            .entry(key.section)
            .or_insert_with(|| object(Map::new()));
        table["properties"][key.name] = property(key);
    }
    tables.insert(RULES.to_owned(), object(rules()));
    document(&json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "guard.toml",
        "description": "Settings of guard",
        "type": "object",
        "additionalProperties": false,
        "properties": tables,
    }))
}

fn object(properties: Map<String, Value>) -> Value {
    json!({"type": "object", "additionalProperties": false, "properties": properties})
}

fn property(key: &Key) -> Value {
    let mut property = match key.kind {
        ValueKind::Text | ValueKind::Regex => json!({"type": "string"}),
        ValueKind::Choice(words) => json!({"enum": words}),
        ValueKind::Texts | ValueKind::Directories | ValueKind::Patterns => json!({"anyOf": [
            {"type": "string", "maxLength": 1024},
            {"type": "array", "items": {"type": "string", "maxLength": 1024}},
        ]}),
        ValueKind::Flag => json!({"type": "boolean"}),
        ValueKind::Count => json!({"type": "integer", "minimum": 0}),
        ValueKind::Share => json!({"type": "number", "exclusiveMinimum": 0, "maximum": 1}),
        ValueKind::Span => json!({"type": "string", "pattern": "^[0-9]+ *[hdw]$"}),
    };
    property["description"] = key.doc.into();
    let default = key.value(&Settings::default());
    if !default.is_null() {
        property["default"] = default;
    }
    property
}

fn rules() -> Map<String, Value> {
    let settings = Settings::default();
    let rule = |rule: &Rule| {
        let levels: Vec<&str> = match rule.has_fixed_level() {
            true => vec![rule.default_level().name()],
            false => LEVELS.map(|(name, _)| name).to_vec(),
        };
        let default = settings.level(*rule).map_or("off", |level| level.name());
        let property = json!({"enum": levels, "description": rule.summary(), "default": default});
        (rule.id().to_owned(), property)
    };
    Rule::ALL.iter().map(rule).collect()
}
