//! The content of a Jupyter notebook after an agent has changed a cell.

use serde::{Deserialize, Serialize};
use serde_json::ser::PrettyFormatter;
use serde_json::{Map, Serializer, Value, json};

use crate::gate::{Failure, FailureKind, GateResult};
use crate::path::escaped;

/// The change of one cell.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CellEdit {
    /// The ID of the cell, or `cell-N` with its position. An insertion comes after it, or first without one.
    pub(crate) cell: Option<String>,
    pub(crate) source: String,
    pub(crate) kind: Option<CellKind>,
    pub(crate) mode: CellMode,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum CellKind {
    Code,
    Markdown,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum CellMode {
    #[default]
    Replace,
    Insert,
    Delete,
}

/// The notebook after the change, indented by one blank as agents and Jupyter write it.
///
/// # Errors
/// The file is no notebook, or has no such cell.
pub(super) fn edited(old: Option<&[u8]>, edit: &CellEdit) -> GateResult<Vec<u8>> {
    let bad = |why: &str| {
        Failure::new(
            FailureKind::NotFound,
            format!("guard cannot rebuild the notebook: {why}"),
        )
        .help("read the notebook again and name an existing cell")
    };
    let old = old.ok_or_else(|| bad("there is no such file"))?;
    let mut notebook: Value =
        serde_json::from_slice(old).map_err(|error| bad(&format!("it is not JSON: {error}")))?;
    let cells = notebook.get_mut("cells").and_then(Value::as_array_mut);
    let cells = cells.ok_or_else(|| bad("it has no list `cells`"))?;
    let at = match &edit.cell {
        None => None,
        Some(cell) => {
            let at = position(cells, cell);
            let missing = || bad(&format!("it has no cell {}", escaped(cell.as_str())));
            Some(at.ok_or_else(missing)?)
        }
    };
    match (edit.mode, at) {
        (CellMode::Insert, at) => {
            let kind = edit.kind.unwrap_or(CellKind::Code);
            cells.insert(at.map_or(0, |at| at + 1), new_cell(kind, &edit.source));
        }
        (_, None) => return Err(bad("no cell is named")),
        (CellMode::Delete, Some(at)) => {
            cells.remove(at);
        }
        (CellMode::Replace, Some(at)) => {
            let cell = cells[at].as_object_mut();
            let cell = cell.ok_or_else(|| bad("a cell is not an object"))?;
            replace(cell, edit);
        }
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

/// Running the old code gave the outputs, so they go.
fn replace(cell: &mut Map<String, Value>, edit: &CellEdit) {
    cell.insert("source".into(), edit.source.clone().into());
    let was_code = cell.get("cell_type").is_some_and(|kind| kind == "code");
    let is_code = edit.kind.map_or(was_code, |kind| kind == CellKind::Code);
    if let Some(kind) = edit.kind {
        cell.insert("cell_type".into(), name(kind).into());
    }
    if is_code {
        cell.insert("execution_count".into(), Value::Null);
        cell.insert("outputs".into(), json!([]));
    } else if was_code {
        cell.remove("execution_count");
        cell.remove("outputs");
    }
}

fn new_cell(kind: CellKind, source: &str) -> Value {
    match kind {
        CellKind::Code => json!({
            "cell_type": "code",
            "source": source,
            "metadata": {},
            "execution_count": null,
            "outputs": [],
        }),
        CellKind::Markdown => json!({
            "cell_type": "markdown",
            "source": source,
            "metadata": {},
        }),
    }
}

fn name(kind: CellKind) -> &'static str {
    match kind {
        CellKind::Code => "code",
        CellKind::Markdown => "markdown",
    }
}
