//! `guard.toml`: the settings in force with the source of each value, and the reference of all keys, in Markdown and as a
//! JSON schema.

use std::io;

use serde_json::{Map, Value, json};

use super::json::document;
use super::target::{Style, Target};
use super::{human, texts};
use write_guard_policy::finding::{Level, Rule};
use write_guard_policy::scope::settings::{
    FILE, KEYS, Key, LEVELS, RULES, SECTIONS, Settings, ValueKind,
};
use write_guard_policy::verdict::SettingsInForce;

/// Writes the report in one piece.
///
/// # Errors
///
/// Those of `out`.
pub fn write_settings(in_force: &SettingsInForce, to: Target<'_>) -> io::Result<()> {
    to.answer(|style| human(in_force, style), || json(in_force))
}

/// Each key with its table and the value in force.
fn rows(in_force: &SettingsInForce) -> impl Iterator<Item = (&'static str, &'static str, Value)> {
    let settings = &in_force.settings;
    let keys = KEYS.iter();
    let keys = keys.map(|key| (key.section, key.name, key.value(settings)));
    let rules = Rule::ALL.iter().map(move |rule| {
        let level = settings.level(*rule).map_or("off", Level::name);
        (RULES, rule.id(), level.into())
    });
    keys.chain(rules)
}

/// The line and the column that set a key.
fn place(in_force: &SettingsInForce, table: &str, name: &str) -> Option<(usize, usize)> {
    let key = (table.to_owned(), name.to_owned());
    in_force.places.get(&key).copied()
}

fn json(in_force: &SettingsInForce) -> Value {
    let mut settings = Vec::new();
    let mut rules = Vec::new();
    for (table, name, value) in rows(in_force) {
        let (list, mut row) = match table {
            RULES => (&mut rules, json!({"rule": name, "level": value})),
            _ => {
                let row = json!({"table": table, "key": name, "value": value});
                (&mut settings, row)
            }
        };
        let place = place(in_force, table, name);
        row["from"] = place.map_or("default", |_| FILE).into();
        row["line"] = place.map(|(line, _)| line).into();
        row["column"] = place.map(|(_, column)| column).into();
        list.push(row);
    }
    let variables = in_force.variables.iter();
    let variables = variables.map(|(name, value)| json!({"name": name, "value": value}));
    json!({
        "version": 1,
        "file": FILE,
        "commit": in_force.commit,
        "settings": settings,
        "rules": rules,
        "designs": in_force.designs,
        "variables": variables.collect::<Vec<_>>(),
        "notes": in_force.notes,
    })
}

/// The tables as in TOML: `key = value  # place`.
fn human(in_force: &SettingsInForce, style: &Style) -> String {
    let mut out = String::new();
    let mut known = "";
    for (table, name, value) in rows(in_force) {
        if table != known {
            known = table;
            out += &format!("{}\n", style.title(&format!("[{table}]")));
        }
        let place = place(in_force, table, name);
        let place = place.map_or("default".to_owned(), |(line, _)| format!("{FILE}:{line}"));
        let text = match &value {
            Value::Array(items) => {
                let items: Vec<String> = items.iter().map(ToString::to_string).collect();
                format!("[{}]", items.join(", "))
            }
            value => value.to_string(),
        };
        out += &match value {
            Value::Null => format!("  # {name} is not set\n"),
            _ => format!("  {name} = {}  # {place}\n", texts::text(&text)),
        };
    }
    if let Some(designs) = &in_force.designs {
        let files = designs.files.join(", ");
        let by = &designs.by;
        let files = texts::text(&files);
        let by = texts::text(by);
        out += &format!("designs: {files} ({by})\n");
    }
    for (name, value) in &in_force.variables {
        out += &format!("{name}={}\n", texts::message(value));
    }
    if !style.quiet {
        out += &human::notes(&in_force.notes, style);
    }
    out
}

/// The reference in Markdown, which docs/settings.md ends with: every key by table.
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
        "The level of the rule's findings. `outside-workspace`, `unsafe-path` and the rules about \
         documents (`design-…`) have fixed levels, and guard refuses another one. Only errors \
         refuse a request. At any level, requests may not write the files that configure guard."
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
    let mut properties = Map::new();
    for rule in Rule::ALL {
        let levels: Vec<&str> = if rule.has_fixed_level() {
            vec![rule.default_level().name()]
        } else {
            LEVELS.map(|(name, _)| name).to_vec()
        };
        let default = settings.level(*rule).map_or("off", |level| level.name());
        let property = json!({"enum": levels, "description": rule.summary(), "default": default});
        properties.insert(rule.id().to_owned(), property);
    }
    properties
}
