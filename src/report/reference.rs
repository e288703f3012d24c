//! The reference of `guard.toml` in Markdown: what docs/settings.md ends with.

use crate::scope::settings::{KEYS, Key, LEVELS, RULES, SECTIONS};

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
