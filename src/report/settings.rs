//! The report of `guard settings`: the settings in force, and the source of each value.

use std::io;

use serde_json::{Value, json};

use super::target::{Style, Target};
use super::{escape, human};
use crate::finding::{Level, Rule};
use crate::scope::settings::{FILE, KEYS, KeyPlace, RULES};
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
pub fn write_settings(in_force: &SettingsInForce, to: Target<'_>) -> io::Result<()> {
    to.answer(|style| human(in_force, style), || json(in_force))
}

fn json(in_force: &SettingsInForce) -> Value {
    let (mut settings, mut rules) = (Vec::new(), Vec::new());
    for row in rows(in_force) {
        let (list, mut value) = match row.table {
            RULES => (&mut rules, json!({"rule": row.name, "level": row.value})),
            table => {
                let value = json!({"table": table, "key": row.name, "value": row.value});
                (&mut settings, value)
            }
        };
        value["from"] = row.place.map_or("default", |_| FILE).into();
        value["line"] = row.place.map(|place| place.line).into();
        value["column"] = row.place.map(|place| place.column).into();
        list.push(value);
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

/// The keys by table, then the rules.
fn rows(in_force: &SettingsInForce) -> impl Iterator<Item = SettingRow> {
    let row = |table: &'static str, name: &'static str, value| SettingRow {
        table,
        name,
        value,
        place: (in_force.places)
            .get(&(table.to_owned(), name.to_owned()))
            .copied(),
    };
    let level = |rule| in_force.settings.level(rule).map_or("off", Level::name);
    let keys = KEYS.iter();
    let keys = keys.map(move |key| row(key.section, key.name, key.value(&in_force.settings)));
    let rules = Rule::ALL.iter();
    keys.chain(rules.map(move |rule| row(RULES, rule.id(), level(*rule).into())))
}

fn human(in_force: &SettingsInForce, style: &Style) -> String {
    let title = |text: &str| format!("{}\n", style.title(text));
    let mut out = String::new();
    let mut table = "";
    for row in rows(in_force) {
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
        let (files, by) = (designs.files.join(", "), &designs.by);
        out.push_str(&format!(
            "designs: {} ({})\n",
            escape::text(&files),
            escape::text(by)
        ));
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
