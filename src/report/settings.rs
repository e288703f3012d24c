//! The report of `guard settings`: what is in force, and where each value came from.

use std::io;

use annotate_snippets::renderer::DEFAULT_EMPHASIS_STYLE;
use serde::Serialize;
use serde_json::Value;

use super::json::document;
use super::style::Style;
use super::{Format, escape, human};
use crate::finding::{Level, Rule};
use crate::policy::settings::{FILE, KEYS, Place, RULES};
use crate::verdict::{ChosenDesigns, SettingsInForce};

#[derive(Serialize)]
struct SettingsJson<'a> {
    version: u32,
    file: &'static str,
    commit: Option<&'a str>,
    settings: Vec<SettingJson>,
    rules: Vec<RuleJson>,
    designs: Option<&'a ChosenDesigns>,
    variables: Vec<VariableJson<'a>>,
    notes: &'a [String],
}

#[derive(Serialize)]
struct SettingJson {
    table: &'static str,
    key: &'static str,
    value: Value,
    #[serde(flatten)]
    source: SourceJson,
}

#[derive(Serialize)]
struct RuleJson {
    rule: &'static str,
    level: &'static str,
    #[serde(flatten)]
    source: SourceJson,
}

/// Where a value came from.
#[derive(Serialize)]
struct SourceJson {
    from: &'static str,
    line: Option<usize>,
    column: Option<usize>,
}

#[derive(Serialize)]
struct VariableJson<'a> {
    name: &'a str,
    value: &'a str,
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
    let text = match format {
        Format::Human => escape::commands(human(in_force, style)),
        Format::Json => document(&SettingsJson {
            version: 1,
            file: FILE,
            commit: in_force.commit.as_deref(),
            settings: settings(in_force),
            rules: rules(in_force),
            designs: in_force.designs.as_ref(),
            variables: in_force
                .variables
                .iter()
                .map(|(name, value)| VariableJson { name, value })
                .collect(),
            notes: &in_force.notes,
        })?,
        other => return Err(other.not_here("guard settings")),
    };
    out.write_all(text.as_bytes())
}

fn settings(in_force: &SettingsInForce) -> Vec<SettingJson> {
    let setting = |key: &'static crate::policy::settings::Key| SettingJson {
        table: key.section,
        key: key.name,
        value: key.value(&in_force.settings),
        source: source(in_force, key.section, key.name),
    };
    KEYS.iter().map(setting).collect()
}

fn rules(in_force: &SettingsInForce) -> Vec<RuleJson> {
    let rule = |rule: &Rule| RuleJson {
        rule: rule.id(),
        level: in_force.settings.level(*rule).map_or("off", Level::name),
        source: source(in_force, RULES, rule.id()),
    };
    Rule::ALL.iter().map(rule).collect()
}

fn source(in_force: &SettingsInForce, section: &str, name: &str) -> SourceJson {
    let key = (section.to_owned(), name.to_owned());
    match in_force.places.get(&key) {
        Some(&Place { line, column }) => SourceJson {
            from: FILE,
            line: Some(line),
            column: Some(column),
        },
        None => SourceJson {
            from: "default",
            line: None,
            column: None,
        },
    }
}

fn human(in_force: &SettingsInForce, style: &Style) -> String {
    let title = |text: &str| format!("{}\n", human::paint(DEFAULT_EMPHASIS_STYLE, text, style));
    let mut out = String::new();
    let mut table = "";
    for setting in settings(in_force) {
        if setting.table != table {
            table = setting.table;
            out.push_str(&title(&format!("[{table}]")));
        }
        let remark = setting.source.text();
        out.push_str(&line(setting.key, &setting.value, &remark, style.width));
    }
    out.push_str(&title(&format!("[{RULES}]")));
    for rule in rules(in_force) {
        let remark = rule.source.text();
        out.push_str(&line(rule.rule, &rule.level.into(), &remark, style.width));
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

impl SourceJson {
    fn text(&self) -> String {
        match self.line {
            Some(line) => format!("{}:{line}", self.from),
            None => self.from.to_owned(),
        }
    }
}

/// `key = value  # remark`, a list that is too wide on several lines, as TOML takes them.
fn line(key: &str, value: &Value, remark: &str, width: usize) -> String {
    let text = match value {
        Value::Null => return format!("  # {key} is not set\n"),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(ToString::to_string).collect();
            let one_line = format!("[{}]", items.join(", "));
            if key.len() + one_line.len() + remark.len() + 9 <= width {
                one_line
            } else {
                wrapped(&items, width)
            }
        }
        value => value.to_string(),
    };
    let mut lines = text.lines();
    let first = escape::text(lines.next().unwrap_or_default()).into_owned();
    let mut out = format!("  {key} = {first}  # {remark}\n");
    for line in lines {
        out.push_str(&format!("{}\n", escape::text(line)));
    }
    out
}

/// A list from its second line on indented, as many items a line as fit.
fn wrapped(items: &[String], width: usize) -> String {
    let mut out = String::from("[");
    let mut column = width;
    for item in items {
        let length = item.chars().count() + 2;
        if column + length > width {
            out.push_str("\n     ");
            column = 5;
        }
        out.push_str(&format!(" {item},"));
        column += length;
    }
    out.push_str("\n  ]");
    out
}
