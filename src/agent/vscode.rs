//! VS Code: the event `PreToolUse`. VS Code runs the hook for every tool, whatever the matcher says.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::apply_patch;
use super::call::{FileAction, ToolCall};
use super::claude;
use super::edit::TextEdit;
use super::payload::{self, Payload};
use super::protocol::{DENIED, FINISHED, Protocol, pre_tool_use_denied};
use crate::error::{Error, Result};

pub(super) const PROTOCOL: Protocol = Protocol {
    parse,
    allowed: "",
    denied: Some(pre_tool_use_denied),
    finished: FINISHED,
    reported: |event, report| {
        json!({
            "decision": "block",
            "reason": report,
            "hookSpecificOutput": {"hookEventName": event, "decision": "block", "reason": report},
        })
    },
    denied_code: DENIED,
    project_variable: None,
    sample: |root, path| {
        json!({
            "sessionId": "guard", "cwd": root, "hookEventName": "PreToolUse", "tool_name": "create_file",
            "tool_use_id": "guard", "tool_input": {"filePath": path, "content": "x\n"},
        })
    },
};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct VscodeCreate {
    file_path: String,
    content: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct VscodeReplace {
    file_path: String,
    old_string: String,
    new_string: String,
    #[serde(default, rename = "explanation")]
    _explanation: Value,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct VscodeReplaceMany {
    replacements: Vec<VscodeReplace>,
    #[serde(default, rename = "explanation")]
    _explanation: Value,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct VscodePatch {
    input: String,
    #[serde(default, rename = "explanation")]
    _explanation: Value,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct VscodeRead {
    file_path: String,
}

#[derive(Deserialize)]
struct VscodeShell {
    command: String,
}

fn parse(payload: &Payload) -> Result<ToolCall> {
    payload.announced(&["PreToolUse"], actions)
}

fn actions(tool: &str, input: &Map<String, Value>) -> Result<Vec<FileAction>> {
    Ok(match tool {
        "read_file" => {
            let VscodeRead { file_path } = payload::tool_input(tool, input)?;
            vec![FileAction::read(file_path)]
        }
        "create_file" => {
            let VscodeCreate { file_path, content } = payload::tool_input(tool, input)?;
            vec![FileAction::write(file_path, content)]
        }
        "replace_string_in_file" => by_file(vec![payload::tool_input(tool, input)?]),
        "multi_replace_string_in_file" => {
            let VscodeReplaceMany { replacements, .. } = payload::tool_input(tool, input)?;
            by_file(replacements)
        }
        "apply_patch" => {
            let VscodePatch { input, .. } = payload::tool_input(tool, input)?;
            apply_patch::parse(&input)?
        }
        "run_in_terminal" => {
            let VscodeShell { command } = payload::tool_input(tool, input)?;
            vec![FileAction::command(command)]
        }
        // A model merges the code into the file, or the shape is not documented.
        "insert_edit_into_file"
        | "edit_notebook_file"
        | "editFiles"
        | "create_new_jupyter_notebook" => {
            return Err(
                Error::new(format!("guard cannot know what the tool {tool} will write")).help(
                    "use replace_string_in_file or apply_patch, which name the text to replace",
                ),
            );
        }
        // Copilot runs the hooks of VS Code as well, with the tools of Claude Code.
        _ => return claude::actions(tool, input),
    })
}

/// One action per file, with its edits in order.
fn by_file(replacements: Vec<VscodeReplace>) -> Vec<FileAction> {
    let mut files: Vec<(String, Vec<TextEdit>)> = Vec::new();
    for replace in replacements {
        let edit = TextEdit::once(replace.old_string, replace.new_string);
        match files
            .iter_mut()
            .find(|(path, _)| *path == replace.file_path)
        {
            Some((_, edits)) => edits.push(edit),
            None => files.push((replace.file_path, vec![edit])),
        }
    }
    files
        .into_iter()
        .map(|(path, edits)| FileAction::edit(path, edits))
        .collect()
}
