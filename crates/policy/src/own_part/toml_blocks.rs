//! guard's part of settings in TOML, which is read by its headers: each begins a block of lines.

use serde_json::{Map, Value};
use toml::de::{DeTable, DeValue};

use super::remainder::Without;
use super::{lefthook, pre_commit};
use crate::hooks::is_hook;

/// The lines below a header, with it; what stands above the first has none.
struct TomlBlock<'t> {
    /// The name in double brackets.
    list: Option<&'t str>,
    lines: Vec<&'t str>,
}

fn blocks(text: &str) -> Vec<TomlBlock<'_>> {
    let mut blocks = vec![TomlBlock {
        list: None,
        lines: Vec::new(),
    }];
    for line in text.split_inclusive('\n') {
        let header = line.trim();
        if header.starts_with('[') {
            let list = header
                .strip_prefix("[[")
                .and_then(|rest| rest.strip_suffix("]]"));
            blocks.push(TomlBlock {
                list,
                lines: Vec::new(),
            });
        }
        if let Some(last) = blocks.last_mut() {
            last.lines.push(line);
        }
    }
    blocks
}

/// The keys of a block that is a table by itself.
fn keys(lines: &[&str]) -> Option<Map<String, Value>> {
    let text: String = lines.iter().skip(1).copied().collect();
    let table = DeTable::parse(&text).ok()?;
    table
        .get_ref()
        .iter()
        .map(|(key, value)| Some((key.get_ref().to_string(), json(value.get_ref())?)))
        .collect()
}

fn json(written: &DeValue<'_>) -> Option<Value> {
    Some(match written {
        DeValue::String(text) => Value::String(text.to_string()),
        DeValue::Boolean(flag) => Value::Bool(*flag),
        DeValue::Array(items) => {
            let items = items.iter().map(|item| json(item.get_ref()));
            Value::Array(items.collect::<Option<_>>()?)
        }
        DeValue::Table(table) => Value::Object(
            table
                .iter()
                .map(|(key, value)| Some((key.get_ref().to_string(), json(value.get_ref())?)))
                .collect::<Option<_>>()?,
        ),
        _ => return None,
    })
}

/// The settings of prek without guard's entries.
pub(super) fn without_prek(text: &str) -> Option<Without> {
    DeTable::parse(text).ok()?;
    let mut found = Without::default();
    let mut kept = String::new();
    let blocks = blocks(text);
    let mut at = 0;
    while let Some(block) = blocks.get(at) {
        let mut end = at + 1;
        let mut own = None;
        if block.list == Some("repos") {
            let mut entry = keys(&block.lines).unwrap_or_default();
            let mut hooks = Vec::new();
            while let Some(hook) = blocks
                .get(end)
                .filter(|next| next.list == Some("repos.hooks"))
            {
                hooks.push(Value::Object(keys(&hook.lines).unwrap_or_default()));
                end += 1;
            }
            if !hooks.is_empty() {
                entry.insert("hooks".to_owned(), hooks.into());
            }
            own = pre_commit::own_entry(&entry);
        }
        match own {
            Some(own) => {
                found.calls.extend(own.calls);
                found.sources.extend(own.sources);
                found.part.extend(
                    blocks[at..end]
                        .iter()
                        .flat_map(|one| one.lines.iter().copied()),
                );
            }
            None => kept.extend(
                blocks[at..end]
                    .iter()
                    .flat_map(|one| one.lines.iter().copied()),
            ),
        }
        at = end;
    }
    found.rest = kept;
    Some(found)
}

/// The settings of lefthook without guard's jobs.
pub(super) fn without_lefthook(text: &str) -> Option<Without> {
    DeTable::parse(text).ok()?;
    let mut found = Without::default();
    for block in blocks(text) {
        let hook = block.list.and_then(|list| list.strip_suffix(".jobs"));
        let hook = hook.filter(|hook| is_hook(hook));
        let call = hook.and_then(|hook| lefthook::own_job(hook, &keys(&block.lines)?));
        match call {
            Some(call) => {
                found.calls.insert(call);
                found.part.extend(block.lines);
            }
            None => found.rest.extend(block.lines),
        }
    }
    Some(found)
}
