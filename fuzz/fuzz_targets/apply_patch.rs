//! The patches of agents, a file and a patch with NUL in between. Each added line is in a result.
#![no_main]

use std::sync::Mutex;

use serde_json::json;
use write_guard::agents::{Agent, FileAction, Received, patched};

/// What the files of the patch would hold; nothing if a chunk does not fit.
fn results(old: &[u8], patch: &str) -> Option<Vec<Vec<u8>>> {
    let payload = json!({"tool": "patch", "cwd": "/w", "args": {"patchText": patch}});
    let fallback = Mutex::new(Agent::Opencode.failed());
    let payload = payload.to_string().into_bytes();
    let call = Received::read(Agent::Opencode, Ok(payload), &fallback).event.ok()?;
    let mut results = Vec::new();
    for action in &call.actions {
        match action {
            FileAction::Write(_, content) => results.push(content.clone()),
            FileAction::Patch(_, _, chunks) => results.push(patched(Some(old), chunks).ok()?),
            _ => {}
        }
    }
    (!call.actions.is_empty()).then_some(results)
}

fn check(old: &[u8], patch: &str) {
    let Some(results) = results(old, patch) else {
        return;
    };
    for line in patch.trim().lines() {
        let Some(added) = line.strip_prefix('+') else {
            continue;
        };
        let mut lines = results.iter().flat_map(|text| text.split(|&byte| byte == b'\n'));
        assert!(lines.any(|have| have == added.as_bytes()), "{added:?} is missing");
    }
}

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    if let Some(at) = data.iter().position(|&byte| byte == 0)
        && let Ok(patch) = std::str::from_utf8(&data[at + 1..])
    {
        check(&data[..at], patch);
    }
});
