//! How each agent is called and answered.

use serde_json::{Value, json};

use super::events::EventKind::{self, AfterTool, EndOfTurn, NewContext, Prompt};
use super::events::SESSION_END;
use super::observe::Told;

/// Claude Code's event after a tool that failed.
const FAILURE: &str = "PostToolUseFailure";

/// The exit code that every agent takes for a denial.
pub(super) const DENIED: u8 = 2;

/// What differs between agents.
#[derive(Clone, Copy)]
pub(super) struct Protocol {
    /// The spellings of the event before a tool runs; an empty one if a payload names none.
    pub(super) before: &'static [&'static str],
    /// Standard output for an allowed call, or nothing.
    pub(super) allowed: &'static str,
    /// Standard output for a denied call with this reason, or nothing.
    pub(super) denied: Option<fn(&str) -> Value>,
    /// The exit code of a denial.
    pub(super) denied_code: u8,
    /// The events that announce no tool call.
    pub(super) events: &'static [(&'static str, EventKind)],
    /// Standard output that tells the agent after an event what landed, if the agent reads that.
    pub(super) reported: fn(event: &str, report: &str) -> Value,
    /// Standard output that adds this text to the model's context.
    pub(super) told: fn(event: &str, text: &str) -> Value,
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
    pub(super) fn allowance(&self) -> Reply {
        Reply {
            stdout: self.allowed.to_owned(),
            stderr: String::new(),
            code: 0,
        }
    }

    /// The report after an event, if there is one. What is not the agent's doing holds nothing up.
    pub(super) fn report(&self, event: &str, report: Option<&Told>) -> Reply {
        self.message(report.map(|report| match report.is_neutral {
            true => (self.told)(event, &report.text),
            false => (self.reported)(event, &report.text),
        }))
    }

    /// Tells the agent something after an event, if there is something to tell.
    pub(super) fn message(&self, message: Option<Value>) -> Reply {
        let told = message.map(|message| format!("{message}\n"));
        Reply {
            stdout: told.unwrap_or_else(|| self.allowed.to_owned()),
            ..self.allowance()
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

pub(super) const CLAUDE: Protocol = Protocol {
    before: &["PreToolUse"],
    // No decision: Claude Code then asks as its own settings say.
    allowed: "",
    denied: Some(|reason| {
        json!({
            "hookSpecificOutput": {
                "hookEventName": "PreToolUse",
                "permissionDecision": "deny",
                "permissionDecisionReason": reason,
            }
        })
    }),
    denied_code: DENIED,
    events: &[
        ("PostToolUse", AfterTool),
        (FAILURE, AfterTool),
        ("PostToolBatch", AfterTool),
        ("Stop", EndOfTurn),
        ("SubagentStop", EndOfTurn),
        (SESSION_END, EndOfTurn),
        // Also follows a compaction.
        ("SessionStart", NewContext),
        ("UserPromptSubmit", Prompt),
    ],
    reported: |event, report| match event {
        // A tool that failed leaves nothing to block.
        FAILURE => (CLAUDE.told)(event, report),
        _ => json!({"decision": "block", "reason": report}),
    },
    told: |event, text| json!({"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}),
    project_variable: Some("CLAUDE_PROJECT_DIR"),
    sample: |root, path| {
        sample(
            root,
            "PreToolUse",
            "Write",
            json!({"file_path": path, "content": "x\n"}),
        )
    },
};

/// Codex goes on if a denial has a key that it does not know; even `allow` would be invalid.
pub(super) const CODEX: Protocol = Protocol {
    project_variable: None,
    sample: |root, path| {
        let patch = format!("*** Begin Patch\n*** Add File: {path}\n+x\n*** End Patch\n");
        let mut sample = sample(root, "PreToolUse", "apply_patch", json!({"command": patch}));
        sample["turn_id"] = "guard".into();
        sample["model"] = "guard".into();
        sample
    },
    ..CLAUDE
};

/// GitHub Copilot CLI and cloud agent. The keys of an answer are at the top level.
pub(super) const COPILOT: Protocol = Protocol {
    // The spelling `PreToolUse` in Copilot's settings asks for Claude Code's payload, but not for its answer.
    before: &["", "PreToolUse"],
    // Without a decision, Copilot asks as its own settings say.
    allowed: "{}\n",
    denied: Some(
        |reason| json!({"permissionDecision": "deny", "permissionDecisionReason": reason}),
    ),
    // Any other code denies as well, but then Copilot need not read the reason.
    denied_code: 0,
    events: &[
        ("postToolUse", AfterTool),
        ("agentStop", EndOfTurn),
        ("sessionEnd", EndOfTurn),
        ("sessionStart", NewContext),
        ("userPromptSubmitted", Prompt),
    ],
    reported: |event, report| match event {
        "agentStop" => json!({"decision": "block", "reason": report}),
        _ => json!({"additionalContext": report}),
    },
    told: |_, text| json!({"additionalContext": text}),
    project_variable: None,
    sample: |root, path| {
        json!({
            "sessionId": "guard", "timestamp": 1, "cwd": root, "toolName": "create",
            "toolArgs": {"path": path, "file_text": "x\n"},
        })
    },
};

pub(super) const CURSOR: Protocol = Protocol {
    // The first spelling is that of Claude Code's hooks, which Cursor runs as well.
    before: &["PreToolUse", "preToolUse"],
    // Cursor reads standard output after each call. Without a permission, it asks as its own settings say.
    allowed: "{}\n",
    denied: Some(
        |reason| json!({"permission": "deny", "user_message": reason, "agent_message": reason}),
    ),
    events: &[
        ("postToolUse", AfterTool),
        ("stop", EndOfTurn),
        ("sessionEnd", EndOfTurn),
        ("sessionStart", NewContext),
    ],
    reported: |event, report| match event {
        "stop" => json!({"followup_message": report}),
        _ => json!({"additional_context": report}),
    },
    told: |_, text| json!({"additional_context": text}),
    project_variable: Some("CURSOR_PROJECT_DIR"),
    sample: |root, path| {
        json!({
            "conversation_id": "guard", "generation_id": "guard", "cursor_version": "3", "hook_event_name": "preToolUse",
            "workspace_roots": [root], "cwd": root, "tool_use_id": "guard",
            "tool_name": "Write", "tool_input": {"file_path": path, "content": "x\n"},
        })
    },
    ..CLAUDE
};

pub(super) const GEMINI: Protocol = Protocol {
    before: &["BeforeTool"],
    denied: Some(|reason| json!({"decision": "deny", "reason": reason})),
    events: &[
        ("AfterTool", AfterTool),
        ("AfterAgent", EndOfTurn),
        (SESSION_END, EndOfTurn),
        ("SessionStart", NewContext),
        ("BeforeAgent", Prompt),
    ],
    reported: |_, report| json!({"decision": "deny", "reason": report}),
    project_variable: Some("GEMINI_PROJECT_DIR"),
    sample: |root, path| {
        sample(
            root,
            "BeforeTool",
            "write_file",
            json!({"file_path": path, "content": "x\n"}),
        )
    },
    ..CLAUDE
};

/// The plugin in hooks/agents throws what is on standard error before a tool, and adds a report to its output.
pub(super) const OPENCODE: Protocol = Protocol {
    before: &[""],
    denied: None,
    events: &[("tool.execute.after", AfterTool)],
    reported: |_, report| json!({"report": report}),
    told: |_, text| json!({"report": text}),
    project_variable: None,
    sample: |root, path| json!({"tool": "write", "args": {"filePath": path, "content": "x\n"}, "cwd": root}),
    ..CLAUDE
};

/// VS Code runs the hook for every tool, whatever the matcher says.
pub(super) const VSCODE: Protocol = Protocol {
    reported: |event, report| {
        json!({
            "decision": "block",
            "reason": report,
            "hookSpecificOutput": {"hookEventName": event, "decision": "block", "reason": report},
        })
    },
    project_variable: None,
    sample: |root, path| {
        json!({
            "sessionId": "guard", "cwd": root, "hookEventName": "PreToolUse", "tool_name": "create_file",
            "tool_use_id": "guard", "tool_input": {"filePath": path, "content": "x\n"},
        })
    },
    ..CLAUDE
};

/// A payload of Claude Code and of those that follow it.
fn sample(root: &str, event: &str, tool: &str, input: Value) -> Value {
    json!({
        "session_id": "guard", "cwd": root, "hook_event_name": event, "tool_name": tool, "tool_use_id": "guard",
        "tool_input": input,
    })
}
