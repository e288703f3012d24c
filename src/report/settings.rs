//! The report of `guard settings`: the settings in force, and the source of each value.

use std::io;

use annotate_snippets::renderer::DEFAULT_EMPHASIS_STYLE;
use serde_json::{Value, json};

use super::style::{Style, paint};
use super::{Format, escape, human, write_answer};
use crate::finding::{Level, Rule};
use crate::policy::settings::{FILE, KEYS, KeyPlace, RULES};
use crate::verdict::SettingsInForce;

/// One value in force, and where it came from.
struct SettingRow {
    table: &'static str,
    name: &'static str,
    value: Value,
    place: Option<KeyPlace>,
}

/// Writes the report in one piece.
///
/// # Errors
///
/// Those of `out`.
pub fn write_settings(
    in_force: &SettingsInForce,
    format: Format,
    out: &mut dyn io::Write,
    style: &Style,
) -> io::Result<()> {
    write_answer(format, out, || human(in_force, style), || json(in_force))
}

fn json(in_force: &SettingsInForce) -> Value {
    let settings = settings(in_force).map(|row| {
        let value = json!({"table": row.table, "key": row.name, "value": row.value});
        with_place(value, row.place)
    });
    let rules = rules(in_force).map(|row| {
        let value = json!({"rule": row.name, "level": row.value});
        with_place(value, row.place)
    });
    let variables = in_force.variables.iter();
    let variables = variables.map(|(name, value)| json!({"name": name, "value": value}));
    json!({
        "version": 1,
        "file": FILE,
        "commit": in_force.commit,
        "settings": settings.collect::<Vec<_>>(),
        "rules": rules.collect::<Vec<_>>(),
        "designs": in_force.designs,
        "variables": variables.collect::<Vec<_>>(),
        "notes": in_force.notes,
    })
}

fn with_place(mut value: Value, place: Option<KeyPlace>) -> Value {
    value["from"] = place.map_or("default", |_| FILE).into();
    value["line"] = place.map(|place| place.line).into();
    value["column"] = place.map(|place| place.column).into();
    value
}

fn settings(in_force: &SettingsInForce) -> impl Iterator<Item = SettingRow> {
    KEYS.iter().map(|key| SettingRow {
        table: key.section,
        name: key.name,
        value: key.value(&in_force.settings),
        place: place(in_force, key.section, key.name),
    })
}

fn rules(in_force: &SettingsInForce) -> impl Iterator<Item = SettingRow> {
    Rule::ALL.iter().map(|rule| SettingRow {
        table: RULES,
        name: rule.id(),
        value: in_force
            .settings
            .level(*rule)
            .map_or("off", Level::name)
            .into(),
        place: place(in_force, RULES, rule.id()),
    })
}

fn place(in_force: &SettingsInForce, section: &str, name: &str) -> Option<KeyPlace> {
    let key = (section.to_owned(), name.to_owned());
    in_force.places.get(&key).copied()
}

fn human(in_force: &SettingsInForce, style: &Style) -> String {
    let title = |text: &str| format!("{}\n", paint(DEFAULT_EMPHASIS_STYLE, text, style));
    let mut out = String::new();
    let mut table = "";
    for row in settings(in_force).chain(rules(in_force)) {
        if row.table != table {
            table = row.table;
            out.push_str(&title(&format!("[{table}]")));
        }
        let remark = row.place.map_or("default".to_owned(), |place| {
            format!("{FILE}:{}", place.line)
        });
        out.push_str(&line(row.name, &row.value, &remark));
    }
    if let Some(designs) = &in_force.designs {
        let files: Vec<_> = designs
            .files
            .iter()
            .map(|file| escape::text(file))
            .collect();
        let by = escape::text(&designs.by);
        out.push_str(&format!("designs: {} ({by})\n", files.join(", ")));
    }
    for (name, value) in &in_force.variables {
        out.push_str(&format!("{name}={}\n", escape::message(value)));
    }
    if !style.quiet {
        out.push_str(&human::notes(&in_force.notes, style));
    }
    out
}

/// `key = value  # remark`, as in TOML.
fn line(key: &str, value: &Value, remark: &str) -> String {
    let text = match value {
        Value::Null => return format!("  # {key} is not set\n"),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(ToString::to_string).collect();
            format!("[{}]", items.join(", "))
        }
        value => value.to_string(),
    };
    format!("  {key} = {}  # {remark}\n", escape::text(&text))
}
