//! The events after a tool ran, and at the end of a turn.

use std::path::PathBuf;

use serde_json::Value;

use super::payload::Payload;

/// The event at the end of a session, which some agents begin with a small letter.
pub(super) const SESSION_END: &str = "SessionEnd";

/// An event after the fact.
#[derive(Debug)]
pub(crate) struct Finished {
    /// The agent's name of the event.
    pub(super) event: String,
    /// The directory in which the agent works: an absolute path.
    pub(crate) directory: PathBuf,
    /// The agent's session, so that each hears of a finding once.
    pub(crate) session: String,
    /// The tool call that ended; `None` for several at once.
    pub(super) call: Option<String>,
    /// Whether the command goes on in the background.
    pub(super) goes_on: bool,
    /// Whether it is the end of a turn.
    pub(super) ends_turn: bool,
    /// Whether it is the end of the session.
    pub(super) ends_session: bool,
}

impl Finished {
    /// The event of a payload; `None` if it is none of these, each with whether it is the end of a turn.
    pub(super) fn of(events: &[(&str, bool)], payload: &Payload) -> Option<Finished> {
        let event = payload.event()?;
        let (event, ends_turn) = *events.iter().find(|(name, _)| *name == event)?;
        Some(Finished {
            event: event.to_owned(),
            directory: payload.place()?,
            session: payload.session().to_owned(),
            call: payload.call_id(),
            goes_on: payload
                .input()
                .is_some_and(|input| input["run_in_background"] == true),
            ends_turn,
            ends_session: event.eq_ignore_ascii_case(SESSION_END),
        })
    }

    /// Whether the agent goes on only because of a report, so that another would hold it for ever. Cursor counts its
    /// rounds, and begins another one even after the person has stopped it.
    pub(super) fn is_repeated(payload: &Payload) -> bool {
        if let Some(rounds) = payload.object.get("loop_count") {
            let status = payload.object.get("status").and_then(Value::as_str);
            return rounds != &Value::from(0) || status != Some("completed");
        }
        ["stop_hook_active", "stopHookActive"]
            .iter()
            .any(|key| payload.object.get(*key) == Some(&Value::Bool(true)))
    }
}
