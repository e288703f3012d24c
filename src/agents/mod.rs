//! The hooks of coding agents: an announced tool call comes in, the agent's own form of an answer goes out.
//!
//! Most agents go on after exit code 1, a crash or a timeout. So whatever fails, the answer is a denial.

mod judgement;
mod observe;
mod payload;
mod protocol;
mod reason;
mod rebuild;
mod tools;

pub(crate) use judgement::{judge, refuse};
pub(crate) use observe::{Observer, Told};
pub(crate) use payload::AgentEvent;
pub(crate) use protocol::Reply;
#[cfg(feature = "mcp")]
pub(crate) use reason::explained;
pub(crate) use reason::{failed_to, scope_to_tell, times_told};
#[cfg(fuzzing)]
pub(crate) use rebuild::patched;
pub(crate) use tools::{FileAction, ToolCall};

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use serde_json::Value;

use crate::error::Result;
use crate::files::GateResult;
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

    /// The answer to a payload. A panic in `work` is a denial, or after the fact a report.
    pub(crate) fn answer(self, payload: Result<Vec<u8>>, work: &impl HookWork) -> Reply {
        let fallback = RefCell::new(self.failed(FAILED));
        let answer = || self.answer_from(payload, work, &fallback);
        catch_unwind(AssertUnwindSafe(answer)).unwrap_or_else(|_| fallback.borrow().clone())
    }

    /// The same; notes what to answer if it fails.
    fn answer_from(
        self,
        payload: Result<Vec<u8>>,
        work: &impl HookWork,
        fallback: &RefCell<Reply>,
    ) -> Reply {
        let parsed = payload.and_then(|bytes| payload::parse(self.name(), &bytes));
        let sender = parsed.as_ref().map_or(self, |payload| self.sender(payload));
        let protocol = sender.protocol();
        fallback.replace(sender.failed(FAILED));
        work.begun(sender.failed(&late("so it is denied; try again")));
        if let Ok(payload) = &parsed
            && let Some(event) = AgentEvent::of(protocol.events, payload)
        {
            let name = event.name;
            if event.is_after_the_fact() {
                let say = |text: String| protocol.report(name, Some(&Told::of_agent(text)));
                fallback.replace(say(UNSEEN.to_owned()));
                work.begun(say(late("so look yourself: git status")));
                return match payload::is_repeated(payload) {
                    true => protocol.allowance(),
                    false => protocol.report(name, work.look(&event).as_ref()),
                };
            }
            // A prompt is no request: nothing is denied here.
            fallback.replace(protocol.allowance());
            work.begun(protocol.allowance());
            return protocol.report(name, work.tell(&event).map(Told::neutral).as_ref());
        }
        let session = parsed.as_ref().map_or("", Payload::session).to_owned();
        let id = parsed.as_ref().ok().and_then(Payload::call_id);
        let call = parsed.and_then(|payload| payload.call(protocol.before));
        let judged = match call {
            Ok(call) => {
                let judged = work.judge(&call, &session, &id.unwrap_or_default());
                judged.map_err(|failure| {
                    let reason = reason::of(&call.tool, call.changes_files(), &failure);
                    let times = work.times_told(&session, &reason);
                    reason::in_short(reason, times)
                })
            }
            Err(error) => Err(reason::of("the tool call", true, &error.into())),
        };
        let Err(reason) = judged else {
            return protocol.allowance();
        };
        let denial = protocol.denial(&reason);
        match sender == self {
            true => denial,
            // In case the sender is another, the code is one that every agent takes for a denial.
            false => Reply {
                code: protocol::DENIED,
                ..denial
            },
        }
    }
}

/// What guard does about a payload, besides reading and answering it.
pub(crate) trait HookWork {
    /// Decides about a call that reads or changes files, and prepares to see what any other does.
    fn judge(&self, call: &ToolCall, session: &str, id: &str) -> GateResult<()>;
    /// Says what a call did.
    fn look(&self, event: &AgentEvent) -> Option<Told>;
    /// Says what the model does not know about the scope.
    fn tell(&self, event: &AgentEvent) -> Option<String>;
    /// How often a session was told a reason, with now.
    fn times_told(&self, session: &str, reason: &str) -> usize;
    /// Takes the answer for the case that time runs out.
    fn begun(&self, late: Reply);
}

/// How long an answer may take. Agents go on when a hook takes too long, so guard answers before that.
pub(crate) const DEADLINE: Duration = Duration::from_secs(8);

/// The reason if guard has a fault.
const FAILED: &str = "guard failed while it checked the tool call, so the call is denied; a person should report what guard says on standard error";
/// The report if guard has a fault.
const UNSEEN: &str = "guard failed while it looked at what the tool did; look yourself: git status. A person should report what guard says on standard error";
/// The reason if time runs out.
pub(crate) fn late(so: &str) -> String {
    let seconds = DEADLINE.as_secs();
    format!("guard could not check the tool call within {seconds} seconds, {so}")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    struct Fault;

    impl HookWork for Fault {
        fn judge(&self, _: &ToolCall, _: &str, _: &str) -> GateResult<()> {
            panic!("a fault of guard")
        }
        fn look(&self, _: &AgentEvent) -> Option<Told> {
            panic!("a fault of guard")
        }
        fn tell(&self, _: &AgentEvent) -> Option<String> {
            panic!("a fault of guard")
        }
        fn times_told(&self, _: &str, _: &str) -> usize {
            1
        }
        fn begun(&self, _: Reply) {}
    }

    #[test]
    fn panic_is_a_denial_in_the_form_of_every_agent() {
        for agent in Agent::VARIANTS {
            let sample = agent.sample("/project", "/project/a.py").to_string();
            let reply = agent.answer(Ok(sample.into_bytes()), &Fault);
            let reason = reply.stderr.trim_end();
            assert!(
                reason.contains("so the call is denied"),
                "{agent:?}: {reason}"
            );
            assert_eq!(reply, agent.failed(reason));
            assert_eq!(reply.code, protocol::DENIED);
            let expected = agent.protocol().denied.map(|denied| denied("", reason));
            let answered = match reply.stdout.as_str() {
                "" => None,
                json => Some(serde_json::from_str(json).unwrap()),
            };
            assert_eq!(answered, expected, "{agent:?}");
        }
    }

    #[test]
    fn panic_after_the_fact_is_a_report_in_the_form_of_every_agent() {
        for agent in Agent::VARIANTS {
            let protocol = agent.protocol();
            use payload::EventKind::{AfterTool, EndOfTurn};
            for (event, kind, answer) in protocol.events {
                if !matches!(kind, AfterTool | EndOfTurn) {
                    continue;
                }
                let mut sample = agent.sample("/project", "/project/a.py");
                sample["cwd"] = "/project".into();
                let key = match sample.get("hookEventName") {
                    Some(_) => "hookEventName",
                    None => "hook_event_name",
                };
                sample[key] = (*event).into();
                let reply = agent.answer(Ok(sample.to_string().into_bytes()), &Fault);
                let told: Value = serde_json::from_str(&reply.stdout).unwrap();
                assert_eq!(told, answer(event, UNSEEN), "{agent:?} {event}");
                assert_eq!(reply.code, 0);
            }
        }
    }

    #[test]
    fn panic_denies_in_the_form_of_the_sender() {
        let sample = Agent::Cursor
            .sample("/project", "/project/a.py")
            .to_string();
        let reply = Agent::Claude.answer(Ok(sample.into_bytes()), &Fault);
        assert!(
            reply.stdout.contains("\"permission\":\"deny\""),
            "{reply:?}"
        );
    }
}
