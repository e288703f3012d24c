//! The hooks of coding agents: an announced tool call comes in, the agent's own form of an answer goes out.
//!
//! Most agents go on after exit code 1, a crash or a timeout. So whatever fails, the answer is a denial.

mod action;
mod answer;
mod judgement;
mod patch;
mod payload;
mod place;
mod plan;
mod protocol;
mod reason;
mod rebuild;
mod switch_words;
mod tools;
mod unified_diff;
mod work;

pub use action::FileAction;
pub use answer::Received;
pub(crate) use answer::{answer, locked};
pub use payload::AgentEvent;
pub use protocol::Reply;
#[cfg(feature = "mcp")]
pub(crate) use reason::explained;
pub use rebuild::patched;
#[cfg(all(test, feature = "mcp"))]
pub(crate) use tools::OWN_TOOLS;

use serde_json::{Value, json};

use payload::Payload;
use protocol::Protocol;

/// The reason if guard fails or needs too long.
const FAILED: &str = "guard failed or took too long to check the tool call, so it is denied; try again, and show a person what guard says on standard error";

use write_guard_policy::named;

named! {
    /// A coding agent whose hooks guard answers.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Agent {
        /// Claude Code.
        Claude = "claude",
        /// OpenAI Codex CLI.
        Codex = "codex",
        /// GitHub Copilot CLI and cloud agent.
        Copilot = "copilot",
        /// Cursor.
        Cursor = "cursor",
        /// Gemini CLI.
        Gemini = "gemini",
        /// OpenCode, through the plugin in docs/agents.md.
        Opencode = "opencode",
        /// The agent mode of VS Code.
        Vscode = "vscode",
    }
}

impl Agent {
    fn protocol(self) -> &'static Protocol {
        match self {
            Agent::Claude => &protocol::CLAUDE,
            Agent::Codex => &protocol::CODEX,
            Agent::Copilot => &protocol::COPILOT,
            Agent::Cursor => &protocol::CURSOR,
            Agent::Gemini => &protocol::GEMINI,
            Agent::Opencode => &protocol::OPENCODE,
            Agent::Vscode => &protocol::VSCODE,
        }
    }

    /// The variable with the directory of the project, which stays when the agent changes its directory.
    pub(crate) fn project_variable(self) -> Option<&'static str> {
        self.protocol().project_variable
    }

    /// The agent that sent a payload: several also run the hooks of others. Only keys that no tool controls decide.
    fn sender(self, payload: &Payload) -> Agent {
        let has = |key| payload.0.contains_key(key);
        let is = |key, value: &str| payload.0.get(key).is_some_and(|text| text == value);
        if has("cursor_version") || has("conversation_id") && has("generation_id") {
            Agent::Cursor
        } else if has("hookEventName") {
            Agent::Vscode
        } else if has("sessionId") || has("toolName") {
            Agent::Copilot
        } else if ["BeforeTool", "AfterTool", "BeforeAgent", "AfterAgent"]
            .iter()
            .any(|event| is("hook_event_name", event))
        {
            Agent::Gemini
        } else if has("turn_id") && has("model") {
            Agent::Codex
        } else {
            self
        }
    }

    /// A payload for a write of this file in a project, to try out an agent's settings.
    pub(crate) fn sample(self, root: &str, path: &str) -> Value {
        json!({
            "session_id": "guard", "cwd": root, "hook_event_name": self.protocol().before.last(),
            "tool_name": "Write", "tool_use_id": "guard", "tool_input": {"file_path": path, "content": "x\n"},
        })
    }

    /// A denial with the exit code that every agent takes for one, before or whatever guard knows about the payload.
    fn refusal(self, why: &str) -> Reply {
        Reply {
            code: protocol::DENIED,
            ..self.protocol().denial(why)
        }
    }

    /// The denial if guard fails or needs too long before it has read the payload.
    pub fn failed(self) -> Reply {
        self.refusal(FAILED)
    }
}
