//! OpenAI Codex CLI: the event `PreToolUse`. Codex goes on if a denial has a key that it does not know.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::apply_patch;
use super::call::{FileAction, ToolCall};
use super::payload::{self, Payload};
use super::protocol::{DENIED, FINISHED, Protocol, blocked, pre_tool_use_denied, sample};
use crate::error::Result;

pub(super) const PROTOCOL: Protocol = Protocol {
    parse,
    // Even `allow` would be invalid.
    allowed: "",
    denied: Some(pre_tool_use_denied),
    finished: FINISHED,
    reported: blocked,
    denied_code: DENIED,
    project_variable: None,
    sample: |root, path| {
        let patch = format!("*** Begin Patch\n*** Add File: {path}\n+x\n*** End Patch\n");
        let mut sample = sample(root, "PreToolUse", "apply_patch", json!({"command": patch}));
        sample["turn_id"] = "guard".into();
        sample["model"] = "guard".into();
        sample
    },
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CodexPatch {
    command: String,
}

/// Other keys, such as a time limit, change nothing.
#[derive(Deserialize)]
struct CodexShell {
    command: String,
}

fn parse(payload: &Payload) -> Result<ToolCall> {
    payload.announced(&["PreToolUse"], actions)
}

fn actions(tool: &str, input: &Map<String, Value>) -> Result<Vec<FileAction>> {
    match tool {
        "apply_patch" => {
            let CodexPatch { command } = payload::tool_input(tool, input)?;
            apply_patch::parse(&command)
        }
        "Bash" => {
            let CodexShell { command } = payload::tool_input(tool, input)?;
            Ok(vec![FileAction::command(command)])
        }
        _ => payload::unknown_tool(tool, input),
    }
}
