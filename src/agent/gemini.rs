//! Gemini CLI: the event `BeforeTool`.

use std::path::PathBuf;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::call::{FileAction, ToolCall};
use super::edit::TextEdit;
use super::payload::{self, Payload};
use super::protocol::{DENIED, Protocol, sample};
use crate::error::Result;

pub(super) const PROTOCOL: Protocol = Protocol {
    parse,
    allowed: "",
    denied: Some(|reason| json!({"decision": "deny", "reason": reason})),
    finished: &[("AfterTool", false), ("AfterAgent", true)],
    reported: |_, report| json!({"decision": "deny", "reason": report}),
    denied_code: DENIED,
    project_variable: Some("GEMINI_PROJECT_DIR"),
    sample: |root, path| {
        let input = json!({"file_path": path, "content": "x\n"});
        sample(root, "BeforeTool", "write_file", input)
    },
};

/// `modified_by_user` and `ai_proposed_content` say where the content comes from.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GeminiWrite {
    file_path: String,
    content: String,
    #[serde(default, rename = "modified_by_user")]
    _modified: Value,
    #[serde(default, rename = "ai_proposed_content")]
    _proposed: Value,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GeminiReplace {
    file_path: String,
    old_string: String,
    new_string: String,
    #[serde(default)]
    allow_multiple: bool,
    #[serde(default, rename = "instruction")]
    _instruction: Value,
    #[serde(default, rename = "modified_by_user")]
    _modified: Value,
    #[serde(default, rename = "ai_proposed_content")]
    _proposed: Value,
}

#[derive(Deserialize)]
struct GeminiRead {
    #[serde(alias = "absolute_path")]
    file_path: String,
}

#[derive(Deserialize)]
struct GeminiShell {
    command: String,
    #[serde(alias = "directory")]
    dir_path: Option<PathBuf>,
}

fn parse(payload: &Payload) -> Result<ToolCall> {
    payload.announced(&["BeforeTool"], actions)
}

fn actions(tool: &str, input: &Map<String, Value>) -> Result<Vec<FileAction>> {
    let action = match tool {
        "read_file" => {
            let GeminiRead { file_path } = payload::tool_input(tool, input)?;
            FileAction::read(file_path)
        }
        "write_file" => {
            let write: GeminiWrite = payload::tool_input(tool, input)?;
            FileAction::write(write.file_path, write.content)
        }
        "replace" => {
            let edit: GeminiReplace = payload::tool_input(tool, input)?;
            let step = TextEdit::replace(edit.old_string, edit.new_string, edit.allow_multiple);
            FileAction::edit(edit.file_path, [step])
        }
        "run_shell_command" => {
            let GeminiShell { command, dir_path } = payload::tool_input(tool, input)?;
            FileAction::Command {
                text: command,
                directory: dir_path,
            }
        }
        _ => return payload::unknown_tool(tool, input),
    };
    Ok(vec![action])
}
