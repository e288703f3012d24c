//! Answers a payload in the form of the agent that sent it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::action::FileAction;
use super::payload::{self, AgentEvent};
use super::protocol::{EventKind, Reply};
use super::work::AgentWork;
use super::{Agent, reason};
use crate::files::Failure;
use crate::judge::Options;
use crate::observe::Told;
use write_guard_policy::error::Result;

/// The report if guard fails or needs too long after a tool.
const UNSEEN: &str = "guard failed or took too long to look at what the tool did; look yourself: git status. Show a person what guard says on standard error";

/// The answer to a payload that `agent` is said to have sent. A panic is answered as a lack of time, by what `fallback`
/// holds.
pub(crate) fn answer(
    agent: Agent,
    payload: Result<Vec<u8>>,
    options: &Options,
    fallback: &Mutex<Reply>,
) -> Reply {
    or_fallback(fallback, || {
        let received = Received::read(agent, payload, fallback);
        received.answer(&AgentWork { agent, options })
    })
}

/// What `work` answers; what `fallback` holds if it panics.
fn or_fallback(fallback: &Mutex<Reply>, work: impl FnOnce() -> Reply) -> Reply {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| locked(fallback).clone())
}

/// The content of a mutex, also after a panic, which leaves it whole: nothing can fail while it is locked.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A payload that was read.
pub struct Received {
    /// The agent whose hook was called.
    called: Agent,
    /// The agent that sent it.
    sender: Agent,
    /// What it announces, or why guard cannot tell.
    pub event: Result<AgentEvent>,
}

impl Received {
    /// Reads a payload. `fallback` then holds what the sender reads if guard fails from here on.
    pub fn read(called: Agent, bytes: Result<Vec<u8>>, fallback: &Mutex<Reply>) -> Received {
        let parsed = bytes.and_then(|bytes| payload::parse(&bytes));
        let sender = match &parsed {
            Ok(payload) => called.sender(payload),
            Err(_) => called,
        };
        // Reading the event may fail already.
        *locked(fallback) = sender.failed();
        let event = parsed.and_then(|payload| payload.event(sender.protocol()));
        if let Ok(event) = &event
            && event.kind != EventKind::BeforeTool
        {
            let unseen = Told {
                text: UNSEEN.to_owned(),
                ..Told::default()
            };
            // A prompt is no request: nothing is denied here.
            let unseen = Some(&unseen).filter(|_| !event.takes_context());
            *locked(fallback) = sender.protocol().report((event.name, event.kind), unseen);
        }
        Received {
            called,
            sender,
            event,
        }
    }

    fn answer(&self, work: &AgentWork<'_>) -> Reply {
        let protocol = self.sender.protocol();
        match &self.event {
            Ok(event) if event.kind == EventKind::BeforeTool => match work.judge(event) {
                Ok(()) => protocol.allowance(),
                Err(failure) => self.denial(&failure),
            },
            Ok(event) => {
                let told = if event.is_repeated {
                    None
                } else {
                    work.tell(event)
                };
                protocol.report((event.name, event.kind), told.as_ref())
            }
            Err(error) => self.denial(&error.clone().into()),
        }
    }

    /// The denial of a tool call, or of what guard cannot read.
    pub fn denial(&self, failure: &Failure) -> Reply {
        let reason = match &self.event {
            Ok(event) => {
                let only_reads = event.actions.iter().all(FileAction::is_read);
                let is_read = only_reads && !event.actions.is_empty();
                let undone = if is_read { "read" } else { "written" };
                reason::of(&event.tool, undone, failure)
            }
            Err(_) => reason::of("the tool call", "written", failure),
        };
        if self.sender == self.called {
            self.sender.protocol().denial(&reason)
        } else {
            // In case the sender is another.
            self.sender.refusal(&reason)
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::agents::FAILED;

    use crate::agents::protocol::{DENIED, EventKind};
    use serde_json::Value;

    // Absolute paths.
    const PROJECT: &str = if cfg!(windows) {
        "C:/project"
    } else {
        "/project"
    };
    const FILE: &str = if cfg!(windows) {
        "C:/project/a.py"
    } else {
        "/project/a.py"
    };

    /// The answer if guard fails while it judges this payload.
    fn with_a_fault(agent: Agent, payload: &Value) -> Reply {
        let fallback = Mutex::new(agent.failed());
        or_fallback(&fallback, || {
            Received::read(agent, Ok(payload.to_string().into_bytes()), &fallback);
            panic!("a fault of guard")
        })
    }

    #[test]
    fn panic_is_a_denial_in_the_form_of_every_agent() {
        for agent in Agent::VARIANTS {
            let reply = with_a_fault(*agent, &agent.sample(PROJECT, FILE));
            assert_eq!(reply, agent.refusal(FAILED));
            assert_eq!(reply.code, DENIED);
            let expected = agent.protocol().denied.map(|denied| denied("", FAILED));
            let answered = match reply.stdout.as_str() {
                "" => None,
                json => Some(serde_json::from_str(json).unwrap()),
            };
            assert_eq!(answered, expected, "{agent:?}");
        }
        let mut sample = Agent::Claude.sample(PROJECT, FILE);
        sample["cursor_version"] = "3".into();
        let reply = with_a_fault(Agent::Claude, &sample);
        assert_eq!(reply, Agent::Cursor.failed(), "in the form of the sender");
    }

    #[test]
    fn panic_after_the_fact_is_a_report_in_the_form_of_every_agent() {
        use EventKind::{AfterTool, EndOfTurn};
        for agent in Agent::VARIANTS {
            let protocol = agent.protocol();
            for (event, kind) in protocol.events {
                let expected = match kind {
                    AfterTool => protocol.told,
                    EndOfTurn => protocol.end_of_turn,
                    _ => continue,
                };
                let mut sample = agent.sample(PROJECT, FILE);
                sample["hook_event_name"] = (*event).into();
                let reply = with_a_fault(*agent, &sample);
                let told: Value = serde_json::from_str(&reply.stdout).unwrap();
                assert_eq!(told, expected(event, UNSEEN), "{agent:?} {event}");
                assert_eq!(reply.code, 0);
            }
        }
    }
}
