//! The events that announce no tool call: after a tool ran, at the end of a turn, and where the model's context takes up
//! text.

use std::path::PathBuf;

use serde_json::Value;

use super::payload::Payload;

/// The event at the end of a session, which some agents begin with a small letter.
pub(super) const SESSION_END: &str = "SessionEnd";

/// What an event means for guard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EventKind {
    /// A tool ran.
    AfterTool,
    /// A turn or the session ends.
    EndOfTurn,
    /// The context holds nothing yet, or nothing any more.
    NewContext,
    /// The context takes up a prompt.
    Prompt,
}

/// An event of an agent.
#[derive(Debug)]
pub(crate) struct AgentEvent {
    /// The agent's name of the event.
    pub(super) name: &'static str,
    pub(super) kind: EventKind,
    /// The directory in which the agent works: an absolute path.
    pub(crate) directory: PathBuf,
    /// The agent's session, so that each hears of a finding once.
    pub(crate) session: String,
    /// The tool call that ended; `None` for several at once.
    pub(super) call: Option<String>,
    /// Whether the command goes on in the background.
    pub(super) goes_on: bool,
}

impl AgentEvent {
    /// The event of a payload; `None` if it is none of these.
    pub(super) fn of(
        events: &[(&'static str, EventKind)],
        payload: &Payload,
    ) -> Option<AgentEvent> {
        let name = payload.event()?;
        let (name, kind) = *events.iter().find(|(event, _)| *event == name)?;
        let input = payload.input();
        Some(AgentEvent {
            name,
            kind,
            directory: payload.place()?,
            session: payload.session().to_owned(),
            call: payload.call_id(),
            goes_on: input.is_some_and(|input| input["run_in_background"] == true),
        })
    }

    /// Whether it comes after the agent did something.
    pub(super) fn is_after_the_fact(&self) -> bool {
        matches!(self.kind, EventKind::AfterTool | EventKind::EndOfTurn)
    }

    /// Whether it is the end of a turn.
    pub(super) fn ends_turn(&self) -> bool {
        self.kind == EventKind::EndOfTurn
    }

    /// Whether it is the end of the session.
    pub(super) fn ends_session(&self) -> bool {
        self.name.eq_ignore_ascii_case(SESSION_END)
    }
}

/// Whether the agent goes on only because of a report, so that another would hold it for ever. Cursor counts its
/// rounds, and begins another one even after the person has stopped it.
pub(super) fn is_repeated(payload: &Payload) -> bool {
    if let Some(rounds) = payload.object.get("loop_count") {
        let status = payload.object.get("status").and_then(Value::as_str);
        return rounds != &Value::from(0) || status != Some("completed");
    }
    let mut keys = ["stop_hook_active", "stopHookActive"].into_iter();
    keys.any(|key| payload.object.get(key) == Some(&Value::Bool(true)))
}
