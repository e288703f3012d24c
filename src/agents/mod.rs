//! The hooks of coding agents: an announced tool call comes in, the agent's own form of an answer goes out.
//!
//! Most agents go on after exit code 1, a crash or a timeout. So whatever fails, the answer is a denial.

mod judgement;
mod observe;
mod payload;
mod plan;
mod protocol;
mod reason;
mod rebuild;
mod tools;

pub(crate) use judgement::{judge, refuse};
pub(crate) use observe::Observer;
pub(crate) use payload::AgentEvent;
pub(crate) use plan::rows_to_propose;
pub(crate) use protocol::{Reply, Told};
#[cfg(feature = "mcp")]
pub(crate) use reason::explained;
pub(crate) use reason::{failed_to, scope_to_tell};
pub(crate) use tools::FileAction;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};

use crate::files::GateResult;
use payload::Payload;
use protocol::{EventKind, Protocol};
use write_guard_policy::error::Result;

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
        &protocol::ALL[self as usize]
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
    pub(crate) fn failed(self) -> Reply {
        self.refusal(FAILED)
    }

    /// The answer to a payload. A panic is answered as a lack of time, by what `fallback` holds.
    pub(crate) fn answer(
        self,
        payload: Result<Vec<u8>>,
        work: &impl HookWork,
        fallback: &Mutex<Reply>,
    ) -> Reply {
        let answer = || self.answer_from(payload, work, fallback);
        catch_unwind(AssertUnwindSafe(answer)).unwrap_or_else(|_| locked(fallback).clone())
    }

    fn answer_from(
        self,
        payload: Result<Vec<u8>>,
        work: &impl HookWork,
        fallback: &Mutex<Reply>,
    ) -> Reply {
        let parsed = payload.and_then(|bytes| payload::parse(&bytes));
        let sender = parsed.as_ref().map_or(self, |payload| self.sender(payload));
        let protocol = sender.protocol();
        *locked(fallback) = sender.failed();
        let event = parsed.and_then(|payload| payload.event(protocol));
        let reason = match &event {
            Ok(event) if event.kind == EventKind::BeforeTool => match work.judge(event) {
                Ok(()) => return protocol.allowance(),
                Err(failure) => {
                    let only_reads = event.actions.iter().all(FileAction::is_read);
                    let is_read = only_reads && !event.actions.is_empty();
                    let undone = if is_read { "read" } else { "written" };
                    reason::of(&event.tool, undone, &failure)
                }
            },
            Ok(event) => {
                let about = (event.name, event.kind);
                let unseen = Told {
                    text: UNSEEN.to_owned(),
                    is_neutral: false,
                };
                // A prompt is no request: nothing is denied here.
                let unseen = Some(&unseen).filter(|_| !event.takes_context());
                *locked(fallback) = protocol.report(about, unseen);
                let told = match event.is_repeated {
                    true => None,
                    false => work.tell(event),
                };
                return protocol.report(about, told.as_ref());
            }
            Err(error) => reason::of("the tool call", "written", &error.clone().into()),
        };
        match sender == self {
            true => protocol.denial(&reason),
            // In case the sender is another.
            false => sender.refusal(&reason),
        }
    }
}

/// The content of a mutex, also after a panic, which leaves it whole: nothing can fail while it is locked.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What guard does about a payload, besides reading and answering it.
pub(crate) trait HookWork {
    /// Decides about a call that reads or changes files, and prepares to see what any other does.
    fn judge(&self, call: &AgentEvent) -> GateResult<()>;
    /// Says what a call did, or what the model does not know about the scope.
    fn tell(&self, event: &AgentEvent) -> Option<Told>;
}

/// The reason if guard fails or needs too long.
const FAILED: &str = "guard failed or took too long to check the tool call, so it is denied; try again, and show a person what guard says on standard error";
/// The report if it does so after a tool.
const UNSEEN: &str = "guard failed or took too long to look at what the tool did; look yourself: git status. Show a person what guard says on standard error";

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    struct Fault;

    impl HookWork for Fault {
        fn judge(&self, _: &AgentEvent) -> GateResult<()> {
            panic!("a fault of guard")
        }
        fn tell(&self, _: &AgentEvent) -> Option<Told> {
            panic!("a fault of guard")
        }
    }

    fn answer(agent: Agent, payload: &Value) -> Reply {
        let fallback = Mutex::new(agent.failed());
        agent.answer(Ok(payload.to_string().into_bytes()), &Fault, &fallback)
    }

    #[test]
    fn panic_is_a_denial_in_the_form_of_every_agent() {
        for agent in Agent::VARIANTS {
            let reply = answer(*agent, &agent.sample("/project", "/project/a.py"));
            assert_eq!(reply, agent.refusal(FAILED));
            assert_eq!(reply.code, protocol::DENIED);
            let expected = agent.protocol().denied.map(|denied| denied("", FAILED));
            let answered = match reply.stdout.as_str() {
                "" => None,
                json => Some(serde_json::from_str(json).unwrap()),
            };
            assert_eq!(answered, expected, "{agent:?}");
        }
        let mut sample = Agent::Claude.sample("/project", "/project/a.py");
        sample["cursor_version"] = "3".into();
        let reply = answer(Agent::Claude, &sample);
        assert_eq!(reply, Agent::Cursor.failed(), "in the form of the sender");
    }

    #[test]
    fn panic_after_the_fact_is_a_report_in_the_form_of_every_agent() {
        use protocol::EventKind::{AfterTool, EndOfTurn};
        for agent in Agent::VARIANTS {
            let protocol = agent.protocol();
            for (event, kind) in protocol.events {
                let expected = match kind {
                    AfterTool => protocol.after_tool,
                    EndOfTurn => protocol.end_of_turn,
                    _ => continue,
                };
                let mut sample = agent.sample("/project", "/project/a.py");
                sample["hook_event_name"] = (*event).into();
                let reply = answer(*agent, &sample);
                let told: Value = serde_json::from_str(&reply.stdout).unwrap();
                assert_eq!(told, expected(event, UNSEEN), "{agent:?} {event}");
                assert_eq!(reply.code, 0);
            }
        }
    }
}
