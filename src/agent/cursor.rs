//! Cursor: the events `preToolUse`, `beforeShellExecution`, `beforeReadFile` and `beforeMCPExecution`.

use std::path::PathBuf;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::apply_patch;
use super::call::{FileAction, ToolCall};
use super::claude;
use super::edit::TextEdit;
use super::payload::{self, Payload};
use super::protocol::{DENIED, Protocol};
use crate::error::{Error, Result};

pub(super) const PROTOCOL: Protocol = Protocol {
    parse,
    // Cursor reads standard output after each call. Without a permission, it asks as its own settings say.
    allowed: "{}\n",
    denied: Some(
        |reason| json!({"permission": "deny", "user_message": reason, "agent_message": reason}),
    ),
    finished: &[("stop", true)],
    reported: |_, report| json!({"followup_message": report}),
    denied_code: DENIED,
    project_variable: Some("CURSOR_PROJECT_DIR"),
    sample: |root, path| {
        json!({
            "conversation_id": "guard", "generation_id": "guard", "cursor_version": "3", "hook_event_name": "preToolUse",
            "workspace_roots": [root], "cwd": root, "tool_use_id": "guard",
            "tool_name": "Write", "tool_input": {"file_path": path, "content": "x\n"},
        })
    },
};

#[derive(Deserialize)]
struct CursorEvent {
    hook_event_name: String,
    /// Empty if Cursor does not know it.
    #[serde(default)]
    cwd: PathBuf,
    #[serde(default)]
    workspace_roots: Vec<PathBuf>,
}

#[derive(Deserialize)]
struct CursorTool {
    tool_name: String,
    tool_input: CursorInput,
}

/// For tools of MCP servers, the input is JSON in a string.
#[derive(Deserialize)]
#[serde(untagged)]
enum CursorInput {
    Object(Map<String, Value>),
    Text(String),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CursorWrite {
    #[serde(alias = "path")]
    file_path: String,
    #[serde(alias = "contents")]
    content: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CursorReplace {
    #[serde(alias = "path")]
    file_path: String,
    old_string: String,
    new_string: String,
    #[serde(default)]
    replace_all: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CursorDelete {
    #[serde(alias = "path")]
    file_path: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CursorPatch {
    patch: String,
}

#[derive(Deserialize)]
struct CursorRead {
    #[serde(alias = "path")]
    file_path: String,
}

/// Other keys, such as a time limit, change nothing.
#[derive(Deserialize)]
struct CursorShell {
    command: String,
    #[serde(default, alias = "working_directory")]
    cwd: PathBuf,
}

fn parse(payload: &Payload) -> Result<ToolCall> {
    let CursorEvent {
        hook_event_name: event,
        cwd,
        workspace_roots,
    } = payload.confirmed()?;
    let (tool, actions) = match event.as_str() {
        "preToolUse" | "PreToolUse" | "beforeMCPExecution" => {
            let CursorTool {
                tool_name,
                tool_input,
            } = payload.confirmed()?;
            let input = match tool_input {
                CursorInput::Object(input) => input,
                CursorInput::Text(text) => {
                    let input = serde_json::from_str(&text);
                    payload.require(input.is_ok(), "`tool_input` is not a JSON object")?;
                    input.unwrap_or_default()
                }
            };
            let actions = match event == "beforeMCPExecution" {
                true => payload::unknown_tool(&tool_name, &input)?,
                false => actions(&tool_name, &input)?,
            };
            (tool_name, actions)
        }
        "beforeShellExecution" => {
            let CursorShell { command, .. } = payload.confirmed()?;
            (event, vec![FileAction::command(command)])
        }
        "beforeReadFile" | "beforeTabFileRead" => {
            let CursorRead { file_path } = payload.confirmed()?;
            (event, vec![FileAction::read(file_path)])
        }
        _ => {
            payload.require(
                false,
                "guard answers the event preToolUse and its like only",
            )?;
            Default::default()
        }
    };
    let directory = match cwd.as_os_str().is_empty() {
        true => payload.workspace(&workspace_roots, &actions)?,
        false => payload.directory(cwd)?,
    };
    Ok(ToolCall {
        directory,
        actions,
        tool,
    })
}

fn actions(tool: &str, input: &Map<String, Value>) -> Result<Vec<FileAction>> {
    let action = match tool {
        "Read" => {
            let CursorRead { file_path } = payload::tool_input(tool, input)?;
            FileAction::read(file_path)
        }
        "Write" => {
            let CursorWrite { file_path, content } = payload::tool_input(tool, input)?;
            FileAction::write(file_path, content)
        }
        "StrReplace" | "Edit" => {
            let edit: CursorReplace = payload::tool_input(tool, input)?;
            let step = TextEdit::replace(edit.old_string, edit.new_string, edit.replace_all);
            FileAction::edit(edit.file_path, [step])
        }
        "Delete" => {
            let CursorDelete { file_path } = payload::tool_input(tool, input)?;
            FileAction::Delete {
                path: file_path.into(),
            }
        }
        "ApplyPatch" => {
            let CursorPatch { patch } = payload::tool_input(tool, input)?;
            return apply_patch::parse(&patch);
        }
        "Shell" => {
            let CursorShell { command, cwd } = payload::tool_input(tool, input)?;
            FileAction::Command {
                text: command,
                directory: Some(cwd).filter(|cwd| !cwd.as_os_str().is_empty()),
            }
        }
        // No public source says what their input means.
        "EditNotebook" | "TabWrite" => {
            return Err(
                Error::new(format!("guard cannot know what the tool {tool} will write"))
                    .help("use StrReplace or Write, which name the text"),
            );
        }
        // The names of Claude Code's tools, in its hooks that Cursor runs as well.
        _ => return claude::actions(tool, input),
    };
    Ok(vec![action])
}
