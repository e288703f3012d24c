//! Windsurf (Cascade): the action `pre_write_code`. Only exit code 2 denies; the reason is on stderr.

use std::path::PathBuf;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::call::{FileAction, ToolCall};
use super::edit::TextEdit;
use super::payload::{self, Payload};
use super::protocol::{DENIED, Protocol, blocked};
use crate::error::Result;

pub(super) const PROTOCOL: Protocol = Protocol {
    parse,
    allowed: "",
    denied: None,
    finished: &[],
    reported: blocked,
    denied_code: DENIED,
    project_variable: None,
    sample: |_, path| {
        json!({
            "agent_action_name": "pre_write_code", "trajectory_id": "guard", "execution_id": "guard",
            "tool_info": {"file_path": path, "edits": [{"old_string": "", "new_string": "x\n"}]},
        })
    },
};

#[derive(Deserialize)]
struct WindsurfPayload {
    agent_action_name: String,
    tool_info: Map<String, Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WindsurfWrite {
    file_path: String,
    edits: Vec<WindsurfEdit>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WindsurfEdit {
    old_string: String,
    new_string: String,
}

#[derive(Deserialize)]
struct WindsurfShell {
    command_line: String,
    cwd: Option<PathBuf>,
}

fn parse(payload: &Payload) -> Result<ToolCall> {
    let WindsurfPayload {
        agent_action_name: tool,
        tool_info,
    } = payload.confirmed()?;
    let actions = match tool.as_str() {
        "pre_write_code" => {
            let WindsurfWrite { file_path, edits } = payload::tool_input(&tool, &tool_info)?;
            let steps = edits
                .into_iter()
                .map(|edit| TextEdit::once(edit.old_string, edit.new_string));
            vec![FileAction::edit(file_path, steps)]
        }
        "pre_run_command" => {
            let WindsurfShell { command_line, cwd } = payload::tool_input(&tool, &tool_info)?;
            vec![FileAction::Command {
                text: command_line,
                directory: cwd,
            }]
        }
        _ => payload::unknown_tool(&tool, &tool_info)?,
    };
    Ok(ToolCall {
        actions,
        tool,
        // Windsurf runs hooks in the workspace and does not name it.
        directory: None,
    })
}
