//! How each agent is called and answered: one table per agent.

use crate::observe::Told;
use serde_json::{Value, json};

use self::EventKind::{AfterTool, EndOfSession, EndOfSubagent, EndOfTurn, NewContext, Prompt};

/// The exit code that every agent takes for a denial.
pub(super) const DENIED: u8 = 2;

/// What guard prints for a text, after the event of this name.
type AgentAnswer = fn(event: &str, text: &str) -> Value;

/// What an event means for guard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EventKind {
    /// A tool is about to run.
    BeforeTool,
    /// A tool ran.
    AfterTool,
    EndOfTurn,
    /// A subagent has ended its turn; others go on.
    EndOfSubagent,
    EndOfSession,
    /// The context holds nothing yet, or nothing any more.
    NewContext,
    /// The context takes up a prompt.
    Prompt,
}

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
    /// The events that announce no tool call.
    pub(super) events: &'static [(&'static str, EventKind)],
    /// Standard output that keeps the agent from ending its turn.
    pub(super) end_of_turn: AgentAnswer,
    /// Standard output that adds a text to the model's context.
    pub(super) told: AgentAnswer,
    /// Standard output with a text at the end of a turn that does not hold the agent.
    pub(super) noted_at_end: AgentAnswer,
    /// The key of an answer that a person sees, if there is one.
    pub(super) for_person: Option<&'static str>,
    /// The variable with the directory of the project, which stays when the agent changes its directory.
    pub(super) project_variable: Option<&'static str>,
}

/// What guard prints for the agent, and its exit code.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reply {
    pub stdout: String,
    pub stderr: String,
    pub code: u8,
}

impl Protocol {
    pub(super) fn allowance(&self) -> Reply {
        Reply {
            stdout: self.allowed.to_owned(),
            ..Reply::default()
        }
    }

    /// Tells the agent something after an event, if there is something to tell. After a tool that stands beside the
    /// tool's own output, never in its place; only the end of a turn is held up, and not for what is not its doing.
    pub(super) fn report(&self, (name, kind): (&str, EventKind), report: Option<&Told>) -> Reply {
        let Some(report) = report else {
            return self.allowance();
        };
        let answer = match kind {
            EndOfTurn | EndOfSubagent | EndOfSession if report.is_neutral => self.noted_at_end,
            EndOfTurn | EndOfSubagent | EndOfSession => self.end_of_turn,
            _ => self.told,
        };
        let mut answer = answer(name, &report.text);
        if let (Some(key), Some(text)) = (self.for_person, &report.for_person) {
            answer[key] = text.as_str().into();
        }
        Reply {
            stdout: format!("{answer}\n"),
            ..Reply::default()
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
        ("PostToolUse", AfterTool),
        ("PostToolUseFailure", AfterTool),
        ("Stop", EndOfTurn),
        ("SubagentStop", EndOfSubagent),
        ("SessionEnd", EndOfSession),
        // Also follows a compaction.
        ("SessionStart", NewContext),
        ("UserPromptSubmit", Prompt),
    ],
    end_of_turn: BLOCK,
    told: CONTEXT,
    noted_at_end: CONTEXT,
    for_person: Some("systemMessage"),
    project_variable: Some("CLAUDE_PROJECT_DIR"),
};

/// Codex goes on if a denial has a key that it does not know; even `allow` would be invalid.
pub(super) const CODEX: Protocol = Protocol {
    // There it has no key for the model's context, and drops an answer that has one.
    noted_at_end: |_, text| json!({"systemMessage": text}),
    project_variable: None,
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
        ("postToolUse", AfterTool),
        ("agentStop", EndOfTurn),
        ("sessionEnd", EndOfSession),
        ("sessionStart", NewContext),
        ("userPromptSubmitted", Prompt),
    ],
    told: COPILOT_CONTEXT,
    noted_at_end: COPILOT_CONTEXT,
    for_person: None,
    project_variable: None,
    ..CLAUDE
};

pub(super) const CURSOR: Protocol = Protocol {
    // The first spelling is that of Claude Code's hooks, which Cursor runs as well.
    before: &["PreToolUse", "preToolUse"],
    // Cursor reads standard output after each call. Without a permission, it asks as its own settings say.
    allowed: "{}\n",
    denied: Some(|_, why| json!({"permission": "deny", "user_message": why, "agent_message": why})),
    events: &[
        ("postToolUse", AfterTool),
        ("stop", EndOfTurn),
        ("sessionEnd", EndOfSession),
        ("sessionStart", NewContext),
    ],
    end_of_turn: |_, text| json!({"followup_message": text}),
    told: CURSOR_CONTEXT,
    noted_at_end: CURSOR_CONTEXT,
    for_person: None,
    project_variable: Some("CURSOR_PROJECT_DIR"),
    ..CLAUDE
};

pub(super) const GEMINI: Protocol = Protocol {
    before: &["BeforeTool"],
    denied: Some(DENY),
    events: &[
        ("AfterTool", AfterTool),
        ("AfterAgent", EndOfTurn),
        ("SessionEnd", EndOfSession),
        ("SessionStart", NewContext),
        ("BeforeAgent", Prompt),
    ],
    end_of_turn: DENY,
    project_variable: Some("GEMINI_PROJECT_DIR"),
    ..CLAUDE
};

/// The plugin in hooks/agents throws what is on standard error before a tool, adds a report to its output, and begins
/// another turn with what is reported at the end of one.
pub(super) const OPENCODE: Protocol = Protocol {
    before: &[""],
    denied: None,
    events: &[
        ("tool.execute.after", AfterTool),
        ("session.idle", EndOfTurn),
        ("session.deleted", EndOfSession),
        ("session.created", NewContext),
    ],
    end_of_turn: OPENCODE_REPORT,
    told: OPENCODE_REPORT,
    noted_at_end: OPENCODE_REPORT,
    for_person: Some("person"),
    project_variable: None,
    ..CLAUDE
};

/// VS Code runs the hook for every tool, whatever the matcher says.
pub(super) const VSCODE: Protocol = Protocol {
    end_of_turn: VSCODE_BLOCK,
    project_variable: None,
    ..CLAUDE
};
