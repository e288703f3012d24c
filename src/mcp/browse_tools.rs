//! The tools that look at directories.

use gix::bstr::{BStr, ByteSlice};
use serde_json::{Value, json};

use super::arguments::bad;
use super::tool::{Call, ToolAnswer, told};
use crate::gate::{Completeness, EntryKind, Gate, GateResult, ListedEntry, rfc3339};
use crate::path::escaped;
use crate::policy::patterns::Patterns;

/// How many names an answer may hold.
const MOST_NAMES: usize = 10_000;

pub(super) fn list_directory(call: &Call<'_>) -> GateResult<ToolAnswer> {
    let gate = call.gate_to_look()?;
    let entries = gate.list_directory(call.path("path").as_ref())?;
    let is_cut = entries.len() > MOST_NAMES;
    let entries = &entries[..entries.len().min(MOST_NAMES)];
    let lines = entries.iter().map(|entry| {
        let mark = match entry.kind {
            EntryKind::Directory => "[DIR]",
            EntryKind::File => "[FILE]",
        };
        format!("{mark} {}\n", escaped(name_of(entry)))
    });
    let text = lines.collect();
    let names: Vec<Value> = entries.iter().map(short).collect();
    Ok(ToolAnswer::of_text(
        json!({ "entries": names, "truncated": is_cut }),
        text,
    ))
}

pub(super) fn directory_tree(call: &Call<'_>) -> GateResult<ToolAnswer> {
    let gate = call.gate_to_look()?;
    let excluded = patterns(call)?;
    let mut all = Vec::new();
    let walked = gate.walk(call.path("path").as_ref(), MOST_NAMES, &mut |entry| {
        let is_wanted = !excluded.contains(entry.path.as_ref());
        if is_wanted {
            all.push(entry.clone());
        }
        is_wanted
    })?;
    let mut rest = all.as_slice();
    let root = gate.locate_directory(call.path("path").as_ref())?;
    let tree = branch(&mut rest, root.as_ref());
    let text = serde_json::to_string_pretty(&tree).unwrap_or_default();
    let is_cut = walked == Completeness::Cut;
    Ok(ToolAnswer::of_text(
        json!({ "tree": tree, "truncated": is_cut }),
        text,
    ))
}

/// The entries at the front of `rest` that lie below a directory, as a tree.
fn branch(rest: &mut &[ListedEntry], directory: &BStr) -> Value {
    let mut children = Vec::new();
    while let Some((entry, behind)) = rest.split_first() {
        let below = match directory.is_empty() {
            true => Some(entry.path.as_bytes()),
            false => entry
                .path
                .strip_prefix(directory.as_bytes())
                .and_then(|below| below.strip_prefix(b"/")),
        };
        if below.is_none() {
            break;
        }
        *rest = behind;
        let mut child = json!({ "name": name_of(entry).to_str_lossy(), "type": entry.kind.name() });
        if entry.kind == EntryKind::Directory {
            child["children"] = branch(rest, entry.path.as_ref());
        }
        children.push(child);
    }
    children.into()
}

pub(super) fn search_files(call: &Call<'_>) -> GateResult<ToolAnswer> {
    let gate = call.gate_to_look()?;
    let excluded = patterns(call)?;
    let wanted = compiled(vec![call.arguments.text("pattern").to_owned()])?;
    let mut found = Vec::new();
    let walked = gate.walk(call.path("path").as_ref(), MOST_NAMES * 10, &mut |entry| {
        let is_excluded = excluded.contains(entry.path.as_ref());
        if !is_excluded && found.len() < MOST_NAMES && wanted.contains(entry.path.as_ref()) {
            found.push(absolute(&gate, entry));
        }
        !is_excluded
    })?;
    let text = match found.is_empty() {
        true => "No matches found".to_owned(),
        false => found.join("\n"),
    };
    let is_cut = walked == Completeness::Cut || found.len() == MOST_NAMES;
    Ok(ToolAnswer::of_text(
        json!({ "paths": found, "truncated": is_cut }),
        text,
    ))
}

pub(super) fn get_file_info(call: &Call<'_>) -> GateResult<ToolAnswer> {
    let gate = call.gate_to_look()?;
    let entry = gate.entry(call.path("path").as_ref())?;
    Ok(json!({
        "version": 1,
        "path": absolute(&gate, &entry),
        "type": entry.kind.name(),
        "size": entry.size,
        "modified": entry.modified.map(rfc3339),
        "isFile": entry.kind == EntryKind::File,
        "isDirectory": entry.kind == EntryKind::Directory,
        "writable": entry.is_writable,
    })
    .into())
}

pub(super) fn create_directory(call: &Call<'_>) -> GateResult<ToolAnswer> {
    let gate = call.gate()?;
    let created = gate.create_directory(call.path("path").as_ref());
    let answer = created.map(|(path, is_new)| {
        let path = gate.absolute(path.as_ref()).to_string_lossy().into_owned();
        json!({ "version": 1, "path": path, "created": is_new })
    });
    told(&gate, answer)
}

fn short(entry: &ListedEntry) -> Value {
    json!({
        "name": name_of(entry).to_str_lossy(),
        "type": entry.kind.name(),
        "size": entry.size,
    })
}

fn name_of(entry: &ListedEntry) -> &BStr {
    let name = entry.path.rsplit(|&byte| byte == b'/').next();
    name.unwrap_or_default().into()
}

fn absolute(gate: &Gate<'_>, entry: &ListedEntry) -> String {
    let path = gate.absolute(entry.path.as_ref());
    path.to_string_lossy().into_owned()
}

/// The patterns that leave paths out.
fn patterns(call: &Call<'_>) -> GateResult<Patterns> {
    compiled(call.arguments.texts("excludePatterns"))
}

fn compiled(patterns: Vec<String>) -> GateResult<Patterns> {
    let shown = patterns.join("`, `");
    Patterns::new(patterns).map_err(|error| {
        bad(format!("the pattern `{}` {error}", escaped(shown.as_str())))
            .help("write a pattern as in a .gitignore, such as *.py or src/**/*.rs")
    })
}
