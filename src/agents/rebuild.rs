//! The content of a file after the edits, the patch or the change of a cell that an agent announces.
//!
//! Agents find the lines of a chunk first as they are; some then ignore blanks. guard denies what it does not find as it is.

use std::ops::Range;

use gix::bstr::ByteSlice;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::ser::PrettyFormatter;
use serde_json::{Serializer, Value, json};

use crate::files::{Edit, Failure, FailureKind, GateResult, PlainLines, apply};
use write_guard_policy::path::escaped;

/// A replacement of text, as an agent announces it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TextEdit {
    #[serde(alias = "filePath", alias = "path")]
    pub(super) file_path: Option<String>,
    /// The text to replace; if it is empty, the edit creates the file.
    #[serde(alias = "oldString", alias = "old_str")]
    old_string: String,
    #[serde(alias = "newString", alias = "new_str")]
    new_string: String,
    /// Whether every occurrence is replaced; otherwise there must be exactly one.
    #[serde(default, alias = "replaceAll", alias = "allow_multiple")]
    replace_all: bool,
    #[serde(default, rename = "instruction", alias = "explanation")]
    _why: IgnoredAny,
    #[serde(default, rename = "modified_by_user")]
    _modified: IgnoredAny,
    #[serde(default, rename = "ai_proposed_content")]
    _proposed: IgnoredAny,
}

/// Applies the edits in order. A first edit without old text begins a file that is missing or empty.
///
/// # Errors
/// An edit cannot be rebuilt. The agent would usually fail as well, but some match loosely, and would then write what
/// guard has not judged.
pub(super) fn edited_text(old: Option<&[u8]>, edits: &[TextEdit]) -> GateResult<Vec<u8>> {
    let old = old.unwrap_or_default();
    let (begun, edits) = match edits {
        [first] if first.old_string.is_empty() && old.is_empty() => {
            return Ok(first.new_string.clone().into());
        }
        [first, rest @ ..] if first.old_string.is_empty() && old.is_empty() => {
            (first.new_string.as_bytes(), rest)
        }
        all => (old, all),
    };
    let edits = edits.iter().map(|edit| Edit {
        search: edit.old_string.clone(),
        replace: edit.new_string.clone(),
        every: edit.replace_all,
    });
    apply(begun, &edits.collect::<Vec<_>>())
}

/// Lines to replace in a file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PatchChunk {
    /// A line before the chunk.
    pub(super) context: Option<String>,
    /// The lines to replace and the new ones, each with its end.
    pub(super) old: String,
    pub(crate) new: String,
    /// Whether the lines are the last ones of the file.
    pub(super) is_at_end: bool,
}

/// The content after the chunks.
///
/// # Errors
/// The lines of a chunk are not in the file.
pub fn patched(old: Option<&[u8]>, chunks: &[PatchChunk]) -> GateResult<Vec<u8>> {
    let missing = |kind, message: &str| {
        Failure::new(kind, message).help("read the file again and send lines as they are in it")
    };
    let old = old.ok_or_else(|| missing(FailureKind::NotFound, "there is no file to patch"))?;
    if chunks.is_empty() {
        return Ok(old.to_vec());
    }
    // Every line is between two line ends.
    let mut content = [b"\n", old].concat();
    if !content.ends_with(b"\n") {
        content.push(b'\n');
    }
    let mut at = 0;
    let mut added = Vec::new();
    for (number, chunk) in chunks.iter().enumerate() {
        let not_found = || {
            let message = format!("the lines of chunk {} are not in the file", number + 1);
            missing(FailureKind::SearchNotFound, &message)
        };
        if let Some(context) = &chunk.context {
            let line = format!("\n{context}\n");
            let found = find_lines(&content[at..], &line, false).ok_or_else(not_found)?;
            at += found.end - 1;
        }
        if chunk.old.is_empty() {
            added.extend_from_slice(chunk.new.as_bytes());
            continue;
        }
        let lines = format!("\n{}", chunk.old);
        let found = find_lines(&content[at..], &lines, chunk.is_at_end).ok_or_else(not_found)?;
        let start = at + found.start;
        content.splice(start..at + found.end, chunk.new.bytes());
        at = start + chunk.new.len() - 1;
    }
    content.extend(added);
    Ok(content.split_off(1))
}

/// Where the lines stand that follow the first line end of `lines`, whatever line endings the content has.
fn find_lines(content: &[u8], lines: &str, is_at_end: bool) -> Option<Range<usize>> {
    let plain = PlainLines::of(content);
    let text = plain.text();
    let start = if is_at_end {
        text.strip_suffix(lines.as_bytes())?.len()
    } else {
        text.find(lines)?
    };
    Some(plain.in_original(start + 1..start + lines.len()))
}

/// The change of one cell of a Jupyter notebook.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CellEdit {
    pub(super) notebook_path: String,
    /// The ID of the cell, or `cell-N` with its position. An insertion comes after it, or first without one.
    cell_id: Option<String>,
    #[serde(default)]
    new_source: String,
    cell_type: Option<CellKind>,
    #[serde(default)]
    edit_mode: CellMode,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CellKind {
    Code,
    Markdown,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CellMode {
    #[default]
    Replace,
    Insert,
    Delete,
}

/// The notebook after the change, indented by one blank as agents and Jupyter write it.
///
/// # Errors
/// The file is no notebook, or has no such cell.
pub(super) fn edited_notebook(old: Option<&[u8]>, edit: &CellEdit) -> GateResult<Vec<u8>> {
    let bad = |why: &str| {
        let message = format!("guard cannot rebuild the notebook: {why}");
        Failure::new(FailureKind::NotFound, message)
            .help("read the notebook again and name an existing cell")
    };
    let old = old.ok_or_else(|| bad("there is no such file"))?;
    let mut notebook: Value =
        serde_json::from_slice(old).map_err(|error| bad(&format!("it is not JSON: {error}")))?;
    let cells = notebook.get_mut("cells").and_then(Value::as_array_mut);
    let cells = cells.ok_or_else(|| bad("it has no list `cells`"))?;
    let named = |name: &String| {
        position(cells, name).ok_or_else(|| bad(&format!("it has no cell {}", escaped(name))))
    };
    let at = edit.cell_id.as_ref().map(named).transpose()?;
    let (mut cell, at) = match (edit.edit_mode, at) {
        (CellMode::Insert, at) => {
            let cell = json!({ "cell_type": "code", "source": "", "metadata": {} });
            (cell, at.map_or(0, |at| at + 1))
        }
        (_, Some(at)) => (cells.remove(at), at),
        (_, None) => return Err(bad("no cell is named")),
    };
    if edit.edit_mode != CellMode::Delete {
        let object = cell.as_object_mut();
        let object = object.ok_or_else(|| bad("a cell is not an object"))?;
        object.insert("source".into(), edit.new_source.clone().into());
        if let Some(kind) = edit.cell_type {
            object.insert("cell_type".into(), json!(kind));
        }
        // Running the old code gave the outputs, so they go.
        object.remove("execution_count");
        object.remove("outputs");
        if object.get("cell_type").is_some_and(|kind| kind == "code") {
            object.insert("execution_count".into(), Value::Null);
            object.insert("outputs".into(), json!([]));
        }
        cells.insert(at, cell);
    }
    let mut text = Vec::new();
    let mut serializer = Serializer::with_formatter(&mut text, PrettyFormatter::with_indent(b" "));
    notebook
        .serialize(&mut serializer)
        .map_err(|error| bad(&error.to_string()))?;
    Ok(text)
}

fn position(cells: &[Value], name: &str) -> Option<usize> {
    let by_id = cells.iter().position(|cell| cell["id"] == name);
    by_id.or_else(|| {
        let at: usize = name.strip_prefix("cell-")?.parse().ok()?;
        (at < cells.len()).then_some(at)
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn edits(all: &[(&str, &str)]) -> Vec<TextEdit> {
        let edit = |(old, new): &(&str, &str)| {
            serde_json::from_value(json!({"old_string": old, "new_string": new})).unwrap()
        };
        all.iter().map(edit).collect()
    }

    #[test]
    fn first_edit_without_old_text_begins_a_missing_or_empty_file() {
        for (old, all, expected) in [
            (None, &[("", "x = 1\n")][..], Some("x = 1\n")),
            (Some(""), &[("", "x = 1\n")], Some("x = 1\n")),
            (None, &[("", "x = 1\n"), ("1", "2")], Some("x = 2\n")),
            (Some("x = 1\n"), &[("1", "2"), ("2", "3")], Some("x = 3\n")),
            // Otherwise there is a text to find.
            (Some("x = 1\n"), &[("", "y\n")], None),
            (Some("x = 1\n"), &[("", "y\n"), ("1", "2")], None),
            (None, &[("x", "y")], None),
            (None, &[("x", "y"), ("", "z")], None),
        ] {
            let made = edited_text(old.map(str::as_bytes), &edits(all)).ok();
            let made = made.map(|made| String::from_utf8(made).unwrap());
            assert_eq!(made.as_deref(), expected, "{old:?} {all:?}");
        }
    }

    /// A chunk: the line before it, its old lines and its new ones.
    type Chunk<'a> = (&'a str, &'a str, &'a str);

    fn chunks(all: &[Chunk<'_>]) -> Vec<PatchChunk> {
        let lines = |text: &str| -> String { text.chars().map(|c| format!("{c}\n")).collect() };
        let chunk = |(context, old, new): &Chunk<'_>| PatchChunk {
            context: (!context.is_empty()).then(|| (*context).to_owned()),
            old: lines(old),
            new: lines(new),
            is_at_end: false,
        };
        all.iter().map(chunk).collect()
    }

    /// Each letter is a line.
    #[test]
    fn each_chunk_is_found_behind_its_context_and_the_chunk_before() {
        for (old, all, expected) in [
            ("xaxbx", &[("a", "x", "y")][..], "xaybx"),
            ("xaxbx", &[("b", "x", "y")], "xaxby"),
            ("xaxbx", &[("a", "x", "y"), ("b", "x", "z")], "xaybz"),
            ("xaxbxbx", &[("b", "x", "y"), ("b", "x", "z")], "xaxbybz"),
            ("xxx", &[("", "x", "y"), ("", "x", "z")], "yzx"),
            ("xxx", &[("", "x", "xx"), ("", "x", "z")], "xxzx"),
            ("xxx", &[("", "x", ""), ("", "x", "z")], "zx"),
            ("ab", &[("", "ab", "c"), ("", "", "d")], "cd"),
            ("ab", &[("", "", "d"), ("", "b", "c")], "acd"),
        ] {
            let [old, expected] = [old, expected]
                .map(|text| text.chars().map(|c| format!("{c}\n")).collect::<String>());
            let made = patched(Some(old.as_bytes()), &chunks(all)).unwrap();
            assert_eq!(String::from_utf8(made).unwrap(), expected, "{all:?}");
        }
        for all in [
            &[("b", "a", "y")][..],
            &[("", "b", "y"), ("", "a", "z")],
            &[("b", "", ""), ("a", "b", "z")],
            &[("c", "a", "y")],
        ] {
            let failure = patched(Some(b"a\nb\n"), &chunks(all)).unwrap_err();
            let part = format!("chunk {} are not in the file", all.len());
            assert!(failure.message.contains(&part), "{}", failure.message);
        }
    }

    fn notebook(edit: Value) -> GateResult<Value> {
        let cells = json!([
            {"cell_type": "markdown", "id": "intro", "source": "# T"},
            {"cell_type": "code", "id": "load", "source": "x", "execution_count": 3, "outputs": [1]},
        ]);
        let old = json!({"cells": cells, "nbformat": 4}).to_string();
        let mut edit = edit;
        edit["notebook_path"] = "work.ipynb".into();
        let edit: CellEdit = serde_json::from_value(edit).unwrap();
        let text = edited_notebook(Some(old.as_bytes()), &edit)?;
        let book: Value = serde_json::from_slice(&text).unwrap();
        assert_eq!(book["nbformat"], 4);
        Ok(book["cells"].clone())
    }

    /// Only cells of code have outputs, and those of the old code go.
    #[test]
    fn change_of_a_cell_leaves_the_others() {
        let intro = json!({"cell_type": "markdown", "id": "intro", "source": "# T"});
        let load = json!({"cell_type": "code", "id": "load", "source": "x", "execution_count": 3, "outputs": [1]});
        let code = |source: &str| json!({"cell_type": "code", "source": source, "execution_count": null, "outputs": [], "metadata": {}});
        let text = json!({"cell_type": "markdown", "source": "new", "metadata": {}});
        let changed = json!({"cell_type": "code", "id": "load", "source": "new", "execution_count": null, "outputs": []});
        let retitled = json!({"cell_type": "markdown", "id": "intro", "source": "new"});
        let as_text = json!({"cell_type": "markdown", "id": "load", "source": "new"});
        let as_code = json!({"cell_type": "code", "id": "intro", "source": "new", "execution_count": null, "outputs": []});
        for (edit, expected) in [
            (
                json!({"cell_id": "load", "new_source": "new"}),
                json!([intro, changed]),
            ),
            (
                json!({"cell_id": "cell-1", "new_source": "new"}),
                json!([intro, changed]),
            ),
            (
                json!({"cell_id": "intro", "new_source": "new"}),
                json!([retitled, load]),
            ),
            (
                json!({"cell_id": "load", "new_source": "new", "cell_type": "markdown"}),
                json!([intro, as_text]),
            ),
            (
                json!({"cell_id": "intro", "new_source": "new", "cell_type": "code"}),
                json!([as_code, load]),
            ),
            (
                json!({"cell_id": "load", "edit_mode": "delete"}),
                json!([intro]),
            ),
            (
                json!({"cell_id": "cell-0", "edit_mode": "delete"}),
                json!([load]),
            ),
            (
                json!({"new_source": "new", "edit_mode": "insert"}),
                json!([code("new"), intro, load]),
            ),
            (
                json!({"cell_id": "intro", "new_source": "new", "edit_mode": "insert"}),
                json!([intro, code("new"), load]),
            ),
            (
                json!({"cell_id": "load", "new_source": "new", "edit_mode": "insert", "cell_type": "markdown"}),
                json!([intro, load, text]),
            ),
        ] {
            assert_eq!(notebook(edit.clone()).unwrap(), expected, "{edit}");
        }
        for (edit, why) in [
            (
                json!({"cell_id": "cell-2", "new_source": "new"}),
                "no cell cell-2",
            ),
            (
                json!({"cell_id": "none", "edit_mode": "delete"}),
                "no cell none",
            ),
            (json!({"new_source": "new"}), "no cell is named"),
        ] {
            let failure = notebook(edit).unwrap_err();
            assert!(failure.message.contains(why), "{}", failure.message);
        }
    }
}
