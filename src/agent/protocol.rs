//! How an agent is answered.

use serde_json::{Value, json};

use super::call::ToolCall;
use super::finished::SESSION_END;
use super::observe::Told;
use super::payload::Payload;
use crate::error::Result;

/// The exit code that every agent takes for a denial.
pub(super) const DENIED: u8 = 2;

/// What differs between agents.
pub(super) struct Protocol {
    /// The tool call of a payload. An unknown shape of a tool that may write is an error.
    pub(super) parse: fn(&Payload) -> Result<ToolCall>,
    /// Standard output for an allowed call, or nothing.
    pub(super) allowed: &'static str,
    /// Standard output for a denied call with this reason, or nothing.
    pub(super) denied: Option<fn(&str) -> Value>,
    /// The events after the fact, each with whether it is the end of a turn.
    pub(super) finished: &'static [(&'static str, bool)],
    /// Standard output that tells the agent after an event what landed, if the agent reads that.
    pub(super) reported: fn(event: &str, report: &str) -> Value,
    /// The exit code of a denial.
    pub(super) denied_code: u8,
    /// The variable with the directory of the project, which stays when the agent changes its directory.
    pub(super) project_variable: Option<&'static str>,
    /// The payload for a write of this file, with the root of the project; to try out an agent's settings.
    pub(super) sample: fn(root: &str, path: &str) -> Value,
}

/// What guard prints for the agent, and its exit code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reply {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) code: u8,
}

impl Protocol {
    /// Whether the agent reads what guard says after each tool.
    pub(super) fn tells_after_tools(&self) -> bool {
        self.finished.iter().any(|(_, ends_turn)| !ends_turn)
    }

    pub(super) fn allowance(&self) -> Reply {
        Reply {
            stdout: self.allowed.to_owned(),
            stderr: String::new(),
            code: 0,
        }
    }

    pub(super) fn report(&self, event: &str, report: Option<&Told>) -> Reply {
        let Some(report) = report else {
            return self.allowance();
        };
        let told = match report.is_neutral {
            true => noted(event, &report.text),
            false => (self.reported)(event, &report.text),
        };
        Reply {
            stdout: format!("{told}\n"),
            stderr: String::new(),
            code: 0,
        }
    }

    pub(super) fn denial(&self, reason: &str) -> Reply {
        let json = self.denied.map(|denied| format!("{}\n", denied(reason)));
        Reply {
            stdout: json.unwrap_or_default(),
            stderr: format!("{reason}\n"),
            code: self.denied_code,
        }
    }
}

/// A payload of Claude Code and of those that follow it.
pub(super) fn sample(root: &str, event: &str, tool: &str, input: Value) -> Value {
    json!({
        "session_id": "guard", "cwd": root, "hook_event_name": event, "tool_name": tool, "tool_use_id": "guard",
        "tool_input": input,
    })
}

/// The events after the fact of Claude Code and of those that follow it.
pub(super) const FINISHED: &[(&str, bool)] = &[
    ("PostToolUse", false),
    ("PostToolUseFailure", false),
    ("PostToolBatch", false),
    ("Stop", true),
    ("SubagentStop", true),
    (SESSION_END, true),
];

/// The report that most agents give to their model.
pub(super) fn blocked(_: &str, report: &str) -> Value {
    json!({"decision": "block", "reason": report})
}

/// A note for the model that holds nothing up.
fn noted(event: &str, note: &str) -> Value {
    json!({"hookSpecificOutput": {"hookEventName": event, "additionalContext": note}})
}

/// The denial of Claude Code and of those that follow it.
pub(super) fn pre_tool_use_denied(reason: &str) -> Value {
    json!({
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "deny",
            "permissionDecisionReason": reason,
        }
    })
}
