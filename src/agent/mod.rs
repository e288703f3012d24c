//! The hooks of coding agents: an announced tool call comes in, the agent's own form of an answer goes out.
//!
//! Most agents go on after exit code 1, a crash or a timeout. So whatever fails, the answer is a denial.

mod apply_patch;
mod call;
mod claude;
mod codex;
#[cfg(feature = "shell")]
mod command;
mod commands;
mod copilot;
mod edit;
mod finished;
mod gemini;
mod judgement;
mod landed;
mod notebook;
mod opencode;
mod patch_chunk;
mod payload;
mod protocol;
mod reason;
mod repeated;
#[cfg(feature = "shell")]
mod shell;
mod vscode;
mod windsurf;

pub(crate) use call::{FileAction, ToolCall};
pub(crate) use commands::{Commands, Surroundings};
pub(crate) use finished::Finished;
pub(crate) use judgement::judge;
pub(crate) use landed::landed;
pub(crate) use protocol::Reply;
#[cfg(feature = "mcp")]
pub(crate) use reason::of as reason;
pub(crate) use repeated::times_told;

use crate::error::Result;
use crate::gate::{Failure, GateResult};
use payload::Payload;
use protocol::Protocol;

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
        /// Gemini CLI.
        Gemini = "gemini",
        /// OpenCode, through the plugin in docs/agents.md.
        Opencode = "opencode",
        /// The agent mode of VS Code.
        Vscode = "vscode",
        /// Windsurf (Cascade).
        Windsurf = "windsurf",
    }
}

impl Agent {
    fn protocol(self) -> &'static Protocol {
        match self {
            Agent::Claude => &claude::PROTOCOL,
            Agent::Codex => &codex::PROTOCOL,
            Agent::Copilot => &copilot::PROTOCOL,
            Agent::Gemini => &gemini::PROTOCOL,
            Agent::Opencode => &opencode::PROTOCOL,
            Agent::Vscode => &vscode::PROTOCOL,
            Agent::Windsurf => &windsurf::PROTOCOL,
        }
    }

    /// The variable with the directory of the project, which stays when the agent changes its directory.
    pub(crate) fn project_variable(self) -> Option<&'static str> {
        self.protocol().project_variable
    }

    /// The agent that sent a payload: several also run the hooks of others. Only keys that no tool controls decide.
    fn sender(self, payload: &Payload) -> Agent {
        let has = |key| payload.object.contains_key(key);
        let is = |key, value: &str| payload.object.get(key).is_some_and(|text| text == value);
        if has("agent_action_name") {
            Agent::Windsurf
        } else if has("toolName") || has("toolArgs") {
            Agent::Copilot
        } else if has("hookEventName") {
            Agent::Vscode
        } else if ["BeforeTool", "AfterTool", "AfterAgent"]
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

    /// The answer to a payload. `judge` decides about a call that reads or changes files; `look` says what landed,
    /// and `times_told` how often a session was told a reason.
    pub(crate) fn answer(
        self,
        payload: Result<Vec<u8>>,
        judge: impl FnOnce(&ToolCall) -> GateResult<()>,
        look: impl FnOnce(&Finished) -> Option<String>,
        times_told: impl FnOnce(&str, &str) -> usize,
    ) -> Reply {
        let parsed = payload.and_then(|bytes| payload::parse(self.name(), &bytes));
        let sender = parsed.as_ref().map_or(self, |payload| self.sender(payload));
        let protocol = sender.protocol();
        if let Ok(payload) = &parsed
            && let Some(finished) = Finished::of(protocol.finished, payload)
        {
            return match Finished::is_repeated(payload) {
                true => protocol.allowance(),
                false => protocol.report(&finished.event, look(&finished).as_deref()),
            };
        }
        let session = parsed.as_ref().map_or("", Payload::session).to_owned();
        let call = parsed.and_then(|payload| (protocol.parse)(&payload));
        let judged = match &call {
            Ok(call) if call.actions.is_empty() => Ok(()),
            Ok(call) => judge(call).map_err(|failure| {
                let reason = reason::of(&call.tool, call.changes_files(), &failure);
                let times = times_told(&session, &reason);
                repeated::in_short(reason, times)
            }),
            Err(error) => {
                let failure = Failure::from(error.clone());
                Err(reason::of("the tool call", true, &failure))
            }
        };
        match judged {
            Ok(()) => protocol.allowance(),
            // In case the sender is another, the code is one that every agent takes for a denial.
            Err(reason) if sender != self => Reply {
                code: protocol::DENIED,
                ..protocol.denial(&reason)
            },
            Err(reason) => protocol.denial(&reason),
        }
    }
}
