//! The hooks of coding agents: an announced tool call comes in, the agent's own form of an answer goes out.
//!
//! Most agents go on after exit code 1, a crash or a timeout. So whatever fails, the answer is a denial.

mod apply_patch;
mod call;
#[cfg(feature = "shell")]
mod command;
mod commands;
mod context;
mod edit;
mod finished;
mod judgement;
mod landed;
mod notebook;
mod patch_chunk;
mod payload;
mod protocol;
mod reason;
mod repeated;
mod scratch;
#[cfg(feature = "shell")]
mod shell;
mod tools;

pub(crate) use call::{FileAction, ToolCall};
pub(crate) use commands::{Commands, Surroundings};
pub(crate) use context::{ContextEvent, scope_to_tell};
pub(crate) use finished::Finished;
pub(crate) use judgement::judge;
pub(crate) use landed::landed;
pub(crate) use protocol::Reply;
#[cfg(feature = "mcp")]
pub(crate) use reason::of as reason;
pub(crate) use repeated::times_told;

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::Value;

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
        let has = |key| payload.object.contains_key(key);
        let is = |key, value: &str| payload.object.get(key).is_some_and(|text| text == value);
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

    /// The payload for a write of this file in a project.
    pub(crate) fn sample(self, root: &str, path: &str) -> Value {
        (self.protocol().sample)(root, path)
    }

    /// The denial if guard itself fails, before or whatever it knows about the payload.
    pub(crate) fn failed(self, why: &str) -> Reply {
        Reply {
            code: protocol::DENIED,
            ..self.protocol().denial(why)
        }
    }

    /// The answer to a payload. `judge` decides about a call that reads or changes files; `look` says what landed,
    /// `tell` what the model does not know about the scope, and `times_told` how often a session was told a reason. A
    /// panic in one of them is a denial.
    pub(crate) fn answer(
        self,
        payload: Result<Vec<u8>>,
        judge: impl FnOnce(&ToolCall) -> GateResult<()>,
        look: impl FnOnce(&Finished) -> Option<String>,
        tell: impl FnOnce(&ContextEvent) -> Option<String>,
        times_told: impl FnOnce(&str, &str) -> usize,
    ) -> Reply {
        let sender = Cell::new(self);
        let answer = || self.answer_from(&sender, payload, judge, look, tell, times_told);
        catch_unwind(AssertUnwindSafe(answer)).unwrap_or_else(|_| {
            let why = "guard failed while it judged the tool call, so it is denied; a person should report what guard says on standard error";
            sender.get().failed(why)
        })
    }

    /// The same; notes who sent the payload.
    fn answer_from(
        self,
        known: &Cell<Agent>,
        payload: Result<Vec<u8>>,
        judge: impl FnOnce(&ToolCall) -> GateResult<()>,
        look: impl FnOnce(&Finished) -> Option<String>,
        tell: impl FnOnce(&ContextEvent) -> Option<String>,
        times_told: impl FnOnce(&str, &str) -> usize,
    ) -> Reply {
        let parsed = payload.and_then(|bytes| payload::parse(self.name(), &bytes));
        let sender = parsed.as_ref().map_or(self, |payload| self.sender(payload));
        known.set(sender);
        let protocol = sender.protocol();
        if let Ok(payload) = &parsed
            && let Some(finished) = Finished::of(protocol.finished, payload)
        {
            let report = (!Finished::is_repeated(payload)).then(|| look(&finished));
            let report = report.flatten();
            return protocol
                .message(report.map(|text| (protocol.reported)(&finished.event, &text)));
        }
        if let Ok(payload) = &parsed
            && let Some(event) = ContextEvent::of(protocol.context, payload)
        {
            return protocol.message(tell(&event).map(|text| (protocol.told)(event.event, &text)));
        }
        let session = parsed.as_ref().map_or("", Payload::session).to_owned();
        let call = parsed.and_then(|payload| payload.call(protocol.before));
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn panic_is_a_denial_in_the_form_of_every_agent() {
        for agent in Agent::VARIANTS {
            let sample = agent.sample("/project", "/project/a.py").to_string();
            let reply = agent.answer(
                Ok(sample.into_bytes()),
                |_| panic!("a fault of guard"),
                |_| None,
                |_| None,
                |_, _| 1,
            );
            let reason = reply.stderr.trim_end();
            assert!(reason.contains("so it is denied"), "{agent:?}: {reason}");
            assert_eq!(reply, agent.failed(reason));
            assert_eq!(reply.code, protocol::DENIED);
            let expected = agent.protocol().denied.map(|denied| denied(reason));
            let answered = match reply.stdout.as_str() {
                "" => None,
                json => Some(serde_json::from_str(json).unwrap()),
            };
            assert_eq!(answered, expected, "{agent:?}");
        }
    }

    #[test]
    fn panic_denies_in_the_form_of_the_sender() {
        let sample = Agent::Cursor
            .sample("/project", "/project/a.py")
            .to_string();
        let reply = Agent::Claude.answer(
            Ok(sample.into_bytes()),
            |_| panic!("a fault of guard"),
            |_| None,
            |_| None,
            |_, _| 1,
        );
        assert!(
            reply.stdout.contains("\"permission\":\"deny\""),
            "{reply:?}"
        );
    }
}
