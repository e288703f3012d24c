//! OpenCode: the plugin in docs/agents.md sends `tool.execute.before`, and throws if guard denies.

use std::path::PathBuf;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::apply_patch;
use super::call::{FileAction, ToolCall};
use super::edit::TextEdit;
use super::payload::{self, Payload};
use super::protocol::{DENIED, Protocol, blocked};
use crate::error::Result;

pub(super) const PROTOCOL: Protocol = Protocol {
    parse,
    allowed: "",
    // The plugin throws what is on stderr.
    denied: None,
    finished: &[],
    reported: blocked,
    denied_code: DENIED,
    project_variable: None,
    sample: |root, path| json!({"tool": "write", "args": {"filePath": path, "content": "x\n"}, "cwd": root}),
};

#[derive(Deserialize)]
struct OpencodePayload {
    tool: String,
    args: Map<String, Value>,
    cwd: PathBuf,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct OpencodeWrite {
    file_path: String,
    content: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct OpencodeEdit {
    file_path: String,
    old_string: String,
    new_string: String,
    #[serde(default)]
    replace_all: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct OpencodeMultiEdit {
    file_path: String,
    edits: Vec<OpencodeStep>,
}

/// The tool ignores the path of a single edit.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct OpencodeStep {
    old_string: String,
    new_string: String,
    #[serde(default)]
    replace_all: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct OpencodePatch {
    patch_text: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct OpencodeRead {
    file_path: String,
}

#[derive(Deserialize)]
struct OpencodeShell {
    command: String,
    workdir: Option<PathBuf>,
}

fn parse(payload: &Payload) -> Result<ToolCall> {
    let OpencodePayload { tool, args, cwd } = payload.confirmed()?;
    Ok(ToolCall {
        directory: payload.directory(cwd)?,
        actions: actions(&tool, &args)?,
        tool,
    })
}

fn actions(tool: &str, input: &Map<String, Value>) -> Result<Vec<FileAction>> {
    let action = match tool {
        "read" => {
            let OpencodeRead { file_path } = payload::tool_input(tool, input)?;
            FileAction::read(file_path)
        }
        "write" => {
            let OpencodeWrite { file_path, content } = payload::tool_input(tool, input)?;
            FileAction::write(file_path, content)
        }
        "edit" => {
            let edit: OpencodeEdit = payload::tool_input(tool, input)?;
            let step = TextEdit::replace(edit.old_string, edit.new_string, edit.replace_all);
            FileAction::edit(edit.file_path, [step])
        }
        "multiedit" => {
            let OpencodeMultiEdit { file_path, edits } = payload::tool_input(tool, input)?;
            let steps = edits
                .into_iter()
                .map(|edit| TextEdit::replace(edit.old_string, edit.new_string, edit.replace_all));
            FileAction::edit(file_path, steps)
        }
        "patch" | "apply_patch" => {
            let OpencodePatch { patch_text } = payload::tool_input(tool, input)?;
            return apply_patch::parse(&patch_text);
        }
        "bash" => {
            let OpencodeShell { command, workdir } = payload::tool_input(tool, input)?;
            FileAction::Command {
                text: command,
                directory: workdir,
            }
        }
        _ => return payload::unknown_tool(tool, input),
    };
    Ok(vec![action])
}
