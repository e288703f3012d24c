//! The JSON schema of `guard.toml`, for editors.

use std::io;

use serde_json::{Map, Value, json};

use super::json::document;
use crate::finding::Rule;
use crate::scope::settings::{KEYS, Key, LEVELS, RULES, Settings, ValueKind};

/// The schema as a document.
///
/// # Errors
/// None in practice: the values are plain.
pub fn schema() -> io::Result<String> {
    let mut tables = Map::new();
    for key in KEYS {
        let table = tables
            .entry(key.section)
            .or_insert_with(|| table(Map::new()));
        table["properties"][key.name] = property(key);
    }
    tables.insert(RULES.to_owned(), table(rules()));
    document(&json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "guard.toml",
        "description": "Settings of guard",
        "type": "object",
        "additionalProperties": false,
        "properties": tables,
    }))
}

fn table(properties: Map<String, Value>) -> Value {
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
