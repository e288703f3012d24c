//! What agents send to `guard hook`. A refused call is denied in the agent's form, what is read twice is the same, and every
//! path of a call is known.
#![no_main]

use std::sync::Mutex;

use serde_json::Value;
use write_guard::agents::{Agent, FileAction, Received};
use write_guard::files::{Failure, FailureKind};

fn read(agent: Agent, payload: &[u8]) -> Received {
    let fallback = Mutex::new(agent.failed());
    Received::read(agent, Ok(payload.to_vec()), &fallback)
}

libfuzzer_sys::fuzz_target!(|payload: &[u8]| {
    let failure = Failure::new(FailureKind::CannotJudge, "refused");
    for &agent in Agent::VARIANTS {
        let received = read(agent, payload);
        let again = read(agent, payload);
        assert_eq!(received.event.as_ref().ok(), again.event.as_ref().ok());
        let denial = received.denial(&failure);
        assert_eq!(denial, again.denial(&failure));
        let is_json = serde_json::from_str::<Value>(&denial.stdout).is_ok();
        assert!(denial.stdout.is_empty() || is_json, "{denial:?}");
        assert!(!denial.stderr.is_empty(), "{denial:?}");
        let Ok(call) = received.event else {
            continue;
        };
        assert!(call.directory.is_absolute(), "{call:?}");
        let names = |action: &FileAction| action.is_command() || action.paths().count() > 0;
        assert!(call.actions.iter().all(names), "{call:?}");
    }
});
