//! How each agent is called and answered: one table per agent.

use serde_json::{Value, json};

use super::observe::Told;
use super::payload::EventKind::{self, AfterTool, EndOfTurn, NewContext, Prompt};
use super::payload::SESSION_END;

/// The exit code that every agent takes for a denial.
pub(super) const DENIED: u8 = 2;

/// What guard prints for a text, after the event of this name.
type AgentAnswer = fn(event: &str, text: &str) -> Value;

/// What differs between agents.
#[derive(Clone, Copy)]
pub(super) struct Protocol {
    /// The spellings of the event before a tool runs; an empty one if a payload names none.
    pub(super) before: &'static [&'static str],
    /// Standard output for an allowed call, or nothing.
    pub(super) allowed: &'static str,
    /// Standard output for a denied call, or nothing.
    pub(super) denied: Option<AgentAnswer>,
    /// The exit code of a denial.
    pub(super) denied_code: u8,
    /// The events that announce no tool call, with standard output that tells the agent what landed, if it reads that.
    pub(super) events: &'static [(&'static str, EventKind, AgentAnswer)],
    /// Standard output that adds a text to the model's context.
    pub(super) told: AgentAnswer,
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

    /// Tells the agent something after an event, if there is something to tell. What is not its doing holds nothing up.
    pub(super) fn report(&self, event: &str, report: Option<&Told>) -> Reply {
        let told = report.map(|report| {
            let rows = self.events.iter();
            let mut reported = rows.filter(|(name, ..)| !report.is_neutral && *name == event);
            let answer = reported.next().map_or(self.told, |(_, _, answer)| *answer);
            format!("{}\n", answer(event, &report.text))
        });
        Reply {
            stdout: told.unwrap_or_else(|| self.allowed.to_owned()),
            ..self.allowance()
        }
    }

    pub(super) fn denial(&self, reason: &str) -> Reply {
        let json = self
            .denied
            .map(|denied| format!("{}\n", denied("", reason)));
        Reply {
            stdout: json.unwrap_or_default(),
            stderr: format!("{reason}\n"),
            code: self.denied_code,
        }
    }
}

/// Holds the agent until it has dealt with the text.
const BLOCK: AgentAnswer = |_, text| json!({"decision": "block", "reason": text});
const DENY: AgentAnswer = |_, text| json!({"decision": "deny", "reason": text});
const CONTEXT: AgentAnswer = |event, text| json!({"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}});
const COPILOT_CONTEXT: AgentAnswer = |_, text| json!({"additionalContext": text});
const CURSOR_CONTEXT: AgentAnswer = |_, text| json!({"additional_context": text});
const CURSOR_FOLLOWUP: AgentAnswer = |_, text| json!({"followup_message": text});
const VSCODE_BLOCK: AgentAnswer = |event, text| {
    let own = json!({"hookEventName": event, "decision": "block", "reason": text});
    json!({"decision": "block", "reason": text, "hookSpecificOutput": own})
};
const OPENCODE_REPORT: AgentAnswer = |_, text| json!({"report": text});

pub(super) const CLAUDE: Protocol = Protocol {
    before: &["PreToolUse"],
    // No decision: Claude Code then asks as its own settings say.
    allowed: "",
    denied: Some(|_, reason| {
        json!({"hookSpecificOutput": {
            "hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": reason,
        }})
    }),
    denied_code: DENIED,
    events: &[
        ("PostToolUse", AfterTool, BLOCK),
        // A tool that failed leaves nothing to block.
        ("PostToolUseFailure", AfterTool, CONTEXT),
        ("PostToolBatch", AfterTool, BLOCK),
        ("Stop", EndOfTurn, BLOCK),
        ("SubagentStop", EndOfTurn, BLOCK),
        (SESSION_END, EndOfTurn, BLOCK),
        // Also follows a compaction.
        ("SessionStart", NewContext, CONTEXT),
        ("UserPromptSubmit", Prompt, CONTEXT),
    ],
    told: CONTEXT,
    project_variable: Some("CLAUDE_PROJECT_DIR"),
    sample: |root, path| sample(root, "PreToolUse", "Write", path),
};

/// Codex goes on if a denial has a key that it does not know; even `allow` would be invalid.
pub(super) const CODEX: Protocol = Protocol {
    project_variable: None,
    sample: |root, path| {
        let patch = format!("*** Begin Patch\n*** Add File: {path}\n+x\n*** End Patch\n");
        let mut sample = sample(root, "PreToolUse", "apply_patch", path);
        sample["tool_input"] = json!({"command": patch});
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
        |_, reason| json!({"permissionDecision": "deny", "permissionDecisionReason": reason}),
    ),
    // Any other code denies as well, but then Copilot need not read the reason.
    denied_code: 0,
    events: &[
        ("postToolUse", AfterTool, COPILOT_CONTEXT),
        ("agentStop", EndOfTurn, BLOCK),
        ("sessionEnd", EndOfTurn, COPILOT_CONTEXT),
        ("sessionStart", NewContext, COPILOT_CONTEXT),
        ("userPromptSubmitted", Prompt, COPILOT_CONTEXT),
    ],
    told: COPILOT_CONTEXT,
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
    denied: Some(|_, why| json!({"permission": "deny", "user_message": why, "agent_message": why})),
    events: &[
        ("postToolUse", AfterTool, CURSOR_CONTEXT),
        ("stop", EndOfTurn, CURSOR_FOLLOWUP),
        ("sessionEnd", EndOfTurn, CURSOR_CONTEXT),
        ("sessionStart", NewContext, CURSOR_CONTEXT),
    ],
    told: CURSOR_CONTEXT,
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
    denied: Some(DENY),
    events: &[
        ("AfterTool", AfterTool, DENY),
        ("AfterAgent", EndOfTurn, DENY),
        (SESSION_END, EndOfTurn, DENY),
        ("SessionStart", NewContext, CONTEXT),
        ("BeforeAgent", Prompt, CONTEXT),
    ],
    project_variable: Some("GEMINI_PROJECT_DIR"),
    sample: |root, path| sample(root, "BeforeTool", "write_file", path),
    ..CLAUDE
};

/// The plugin in hooks/agents throws what is on standard error before a tool, and adds a report to its output.
pub(super) const OPENCODE: Protocol = Protocol {
    before: &[""],
    denied: None,
    events: &[("tool.execute.after", AfterTool, OPENCODE_REPORT)],
    told: OPENCODE_REPORT,
    project_variable: None,
    sample: |root, path| json!({"tool": "write", "args": {"filePath": path, "content": "x\n"}, "cwd": root}),
    ..CLAUDE
};

/// VS Code runs the hook for every tool, whatever the matcher says.
pub(super) const VSCODE: Protocol = Protocol {
    events: &[
        ("PostToolUse", AfterTool, VSCODE_BLOCK),
        ("PostToolUseFailure", AfterTool, VSCODE_BLOCK),
        ("PostToolBatch", AfterTool, VSCODE_BLOCK),
        ("Stop", EndOfTurn, VSCODE_BLOCK),
        ("SubagentStop", EndOfTurn, VSCODE_BLOCK),
        (SESSION_END, EndOfTurn, VSCODE_BLOCK),
        ("SessionStart", NewContext, CONTEXT),
        ("UserPromptSubmit", Prompt, CONTEXT),
    ],
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
fn sample(root: &str, event: &str, tool: &str, path: &str) -> Value {
    json!({
        "session_id": "guard", "cwd": root, "hook_event_name": event, "tool_name": tool, "tool_use_id": "guard",
        "tool_input": {"file_path": path, "content": "x\n"},
    })
}
