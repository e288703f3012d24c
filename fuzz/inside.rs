//! What the fuzz targets in `fuzz/` cannot reach from outside. Only `cargo fuzz` compiles this module.

#![allow(missing_docs, clippy::expect_used)]

use std::cell::RefCell;
use std::sync::Mutex;

use serde_json::{Value, json};

use crate::agents::{Agent, AgentEvent, FileAction, HookWork, Reply, Told, patched};
use crate::files::{Failure, FailureKind, GateResult};

/// Refuses every call, and notes it.
#[derive(Default)]
struct Refusing(RefCell<Vec<AgentEvent>>);

impl HookWork for Refusing {
    fn judge(&self, call: &AgentEvent) -> GateResult<()> {
        self.0.borrow_mut().push(call.clone());
        Err(Failure::new(FailureKind::CannotJudge, "refused"))
    }

    fn tell(&self, _: &AgentEvent) -> Option<Told> {
        None
    }
}

fn answer(agent: &Agent, payload: &[u8], work: &Refusing) -> Reply {
    let fallback = Mutex::new(agent.failed());
    agent.answer(Ok(payload.to_vec()), work, &fallback)
}

/// A refused call is denied in the agent's form, what is read twice is the same, and every path of a call is known.
pub fn payload(bytes: &[u8]) {
    for agent in Agent::VARIANTS {
        let work = Refusing::default();
        let reply = answer(agent, bytes, &work);
        assert_eq!(reply, answer(agent, bytes, &work));
        let is_json = serde_json::from_str::<Value>(&reply.stdout).is_ok();
        assert!(reply.stdout.is_empty() || is_json, "{reply:?}");
        let calls = work.0.into_inner();
        assert!(calls.is_empty() || !reply.stderr.is_empty(), "{reply:?}");
        for call in &calls {
            assert_eq!(call, &calls[0]);
            assert!(call.directory.is_absolute(), "{call:?}");
            let names = |action: &FileAction| action.is_command() || action.paths().count() > 0;
            assert!(call.actions.iter().all(names), "{call:?}");
        }
    }
}

/// Each added line is in a result, and a patch without lines to add or remove changes nothing.
pub fn apply_patch(old: &[u8], patch: &str) {
    let payload = json!({"tool": "patch", "cwd": "/w", "args": {"patchText": patch}});
    let work = Refusing::default();
    answer(&Agent::Opencode, payload.to_string().as_bytes(), &work);
    let Some(call) = work.0.into_inner().pop() else {
        return;
    };
    let mut results = Vec::new();
    for action in &call.actions {
        let result = match action {
            FileAction::Write(_, content) => Ok(content.clone()),
            FileAction::Patch(_, _, chunks) => patched(Some(old), chunks),
            _ => continue,
        };
        let Ok(result) = result else { return };
        results.push(result);
    }
    let in_a_result = |line: &[u8]| {
        let mut lines = results
            .iter()
            .flat_map(|text| text.split(|&byte| byte == b'\n'));
        lines.any(|have| have == line)
    };
    for added in patch
        .trim()
        .lines()
        .filter_map(|line| line.strip_prefix('+'))
    {
        assert!(in_a_result(added.as_bytes()), "{added:?} is missing");
    }
}

/// Every line is decoded or answered, except responses and notifications; the answer has the id of the request.
pub fn message(line: &[u8]) {
    let Err(answer) = crate::mcp::decode(line) else {
        return;
    };
    // In a text that no reader needs, half a surrogate pair is no fault.
    let Ok(message) = serde_json::from_slice::<Value>(line) else {
        return;
    };
    let has = |key: &str| message.get(key).is_some_and(|value| !value.is_null());
    match answer {
        None => assert!(!has("id") || has("result") || has("error"), "{message}"),
        Some(answer) => {
            assert!(answer["error"]["message"].is_string(), "{answer}");
            assert!(
                answer["id"].is_null() || answer["id"] == message["id"],
                "{answer}"
            );
        }
    }
}
