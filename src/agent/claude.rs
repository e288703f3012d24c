//! Claude Code: the event `PreToolUse`.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::call::{FileAction, ToolCall};
use super::edit::TextEdit;
use super::notebook::{CellEdit, CellKind, CellMode};
use super::payload::{self, Payload};
use super::protocol::{DENIED, FINISHED, Protocol, blocked, pre_tool_use_denied, sample};
use crate::error::Result;

pub(super) const PROTOCOL: Protocol = Protocol {
    parse,
    // No decision: Claude Code then asks as its own settings say.
    allowed: "",
    denied: Some(pre_tool_use_denied),
    finished: FINISHED,
    reported: blocked,
    denied_code: DENIED,
    project_variable: Some("CLAUDE_PROJECT_DIR"),
    sample: |root, path| {
        let input = json!({"file_path": path, "content": "x\n"});
        sample(root, "PreToolUse", "Write", input)
    },
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ClaudeWrite {
    file_path: String,
    content: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ClaudeEdit {
    file_path: String,
    old_string: String,
    new_string: String,
    #[serde(default)]
    replace_all: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ClaudeMultiEdit {
    file_path: String,
    edits: Vec<ClaudeEdits>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ClaudeEdits {
    old_string: String,
    new_string: String,
    #[serde(default)]
    replace_all: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ClaudeNotebookEdit {
    notebook_path: String,
    cell_id: Option<String>,
    #[serde(default)]
    new_source: String,
    cell_type: Option<CellKind>,
    #[serde(default)]
    edit_mode: CellMode,
}

/// Other keys, such as a range of lines, change nothing.
#[derive(Deserialize)]
struct ClaudeRead {
    file_path: String,
}

/// Other keys, such as a time limit, change nothing.
#[derive(Deserialize)]
struct ClaudeShell {
    command: String,
}

pub(super) fn parse(payload: &Payload) -> Result<ToolCall> {
    payload.announced(&["PreToolUse"], actions)
}

pub(super) fn actions(tool: &str, input: &Map<String, Value>) -> Result<Vec<FileAction>> {
    let action = match tool {
        "Read" => {
            let ClaudeRead { file_path } = payload::tool_input(tool, input)?;
            FileAction::read(file_path)
        }
        "Write" => {
            let ClaudeWrite { file_path, content } = payload::tool_input(tool, input)?;
            FileAction::write(file_path, content)
        }
        "Edit" => {
            let edit: ClaudeEdit = payload::tool_input(tool, input)?;
            let step = TextEdit::replace(edit.old_string, edit.new_string, edit.replace_all);
            FileAction::edit(edit.file_path, [step])
        }
        "MultiEdit" => {
            let ClaudeMultiEdit { file_path, edits } = payload::tool_input(tool, input)?;
            let steps = edits
                .into_iter()
                .map(|edit| TextEdit::replace(edit.old_string, edit.new_string, edit.replace_all));
            FileAction::edit(file_path, steps)
        }
        "NotebookEdit" => {
            let edit: ClaudeNotebookEdit = payload::tool_input(tool, input)?;
            FileAction::EditCell {
                path: edit.notebook_path.into(),
                edit: CellEdit {
                    cell: edit.cell_id,
                    source: edit.new_source,
                    kind: edit.cell_type,
                    mode: edit.edit_mode,
                },
            }
        }
        "Bash" | "Monitor" => {
            let ClaudeShell { command } = payload::tool_input(tool, input)?;
            FileAction::command(command)
        }
        _ => return payload::unknown_tool(tool, input),
    };
    Ok(vec![action])
}
