//! GitHub Copilot CLI and cloud agent: the event `preToolUse`. The keys of an answer are at the top level.

use std::path::PathBuf;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::apply_patch;
use super::call::{FileAction, ToolCall};
use super::claude;
use super::edit::TextEdit;
use super::payload::{self, Payload};
use super::protocol::{Protocol, blocked};
use crate::error::{Error, Result};

pub(super) const PROTOCOL: Protocol = Protocol {
    parse,
    // Without a decision, Copilot asks as its own settings say.
    allowed: "{}\n",
    denied: Some(
        |reason| json!({"permissionDecision": "deny", "permissionDecisionReason": reason}),
    ),
    finished: &[("agentStop", true)],
    reported: blocked,
    // Any other code denies as well, but then Copilot need not read the reason.
    denied_code: 0,
    project_variable: None,
    sample: |root, path| {
        json!({
            "sessionId": "guard", "timestamp": 1, "cwd": root, "toolName": "create",
            "toolArgs": {"path": path, "file_text": "x\n"},
        })
    },
};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CopilotPayload {
    cwd: PathBuf,
    tool_name: String,
    tool_args: CopilotArgs,
}

/// Some versions send the arguments as JSON in a string.
#[derive(Deserialize)]
#[serde(untagged)]
enum CopilotArgs {
    Object(Map<String, Value>),
    Text(String),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CopilotCreate {
    path: String,
    file_text: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CopilotEdit {
    path: String,
    old_str: String,
    new_str: String,
}

#[derive(Deserialize)]
struct CopilotView {
    path: String,
}

#[derive(Deserialize)]
struct CopilotShell {
    command: String,
}

fn parse(payload: &Payload) -> Result<ToolCall> {
    // The spelling `PreToolUse` in Copilot's settings asks for Claude Code's payload, but not for its answer.
    if payload.object.contains_key("hook_event_name") {
        return claude::parse(payload);
    }
    let CopilotPayload {
        cwd,
        tool_name: tool,
        tool_args,
    } = payload.confirmed()?;
    let directory = payload.directory(cwd)?;
    let actions = match tool_args {
        // A patch is sent as it is.
        CopilotArgs::Text(text)
            if tool == "apply_patch" && text.trim_start().starts_with("***") =>
        {
            apply_patch::parse(&text)?
        }
        CopilotArgs::Text(text) => {
            let input = serde_json::from_str(&text);
            payload.require(input.is_ok(), "`toolArgs` is not a JSON object")?;
            actions(&tool, &input.unwrap_or_default())?
        }
        CopilotArgs::Object(input) => actions(&tool, &input)?,
    };
    Ok(ToolCall {
        actions,
        tool,
        directory,
    })
}

fn actions(tool: &str, input: &Map<String, Value>) -> Result<Vec<FileAction>> {
    // The older tool does the work of three others.
    if tool == "str_replace_editor" {
        let mut input = input.clone();
        let command = input.remove("command").unwrap_or_default();
        let tool = match command.as_str() {
            Some("view") => "view",
            Some("create") => "create",
            Some("str_replace") => "edit",
            _ => {
                return Err(Error::new(
                    "guard does not know this command of the tool str_replace_editor",
                )
                .help("use its commands create and str_replace"));
            }
        };
        return actions(tool, &input);
    }
    let action = match tool {
        "view" => {
            let CopilotView { path } = payload::tool_input(tool, input)?;
            FileAction::read(path)
        }
        "create" => {
            let CopilotCreate { path, file_text } = payload::tool_input(tool, input)?;
            FileAction::write(path, file_text)
        }
        "edit" => {
            let CopilotEdit {
                path,
                old_str,
                new_str,
            } = payload::tool_input(tool, input)?;
            FileAction::edit(path, [TextEdit::once(old_str, new_str)])
        }
        "bash" => {
            let CopilotShell { command } = payload::tool_input(tool, input)?;
            FileAction::command(command)
        }
        "apply_patch" => {
            let mut texts = input.values().map(Value::as_str);
            return match (texts.next(), texts.next()) {
                (Some(Some(patch)), None) => apply_patch::parse(patch),
                _ => Err(
                    Error::new("guard does not know the input of the tool apply_patch")
                        .help("send only the patch"),
                ),
            };
        }
        _ => return payload::unknown_tool(tool, input),
    };
    Ok(vec![action])
}
