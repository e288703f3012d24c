//! A call that must be denied, sent through the command that the agent's settings name.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::agent::Agent;
use crate::path::escaped;

/// Sends the call.
///
/// # Errors
/// Why it was not denied.
pub(super) fn try_it(agent: Agent, command: &str, root: &Path) -> Result<(), String> {
    let mut program = if cfg!(windows) {
        let mut program = Command::new("cmd");
        program.args(["/C", command]);
        program
    } else {
        let mut program = Command::new("sh");
        program.args(["-c", command]);
        program
    };
    let shown = escaped(command);
    let cannot = |error: std::io::Error| format!("`{shown}` cannot be run: {error}");
    let mut child = program
        .current_dir(root)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(cannot)?;
    if let Some(mut input) = child.stdin.take() {
        // A program that does not read it is not guard, which the answer shows.
        let _ = input.write_all(payload(agent, root).to_string().as_bytes());
    }
    let output = child.wait_with_output().map_err(cannot)?;
    let answer = String::from_utf8_lossy(&output.stdout);
    let said = String::from_utf8_lossy(&output.stderr);
    let is_denied = output.status.code() == Some(2) || answer.contains("\"deny\"");
    // A payload that guard cannot read is denied as well, but proves nothing.
    if is_denied && (answer.contains(OUTSIDE) || said.contains(OUTSIDE)) {
        return Ok(());
    }
    let last = said.lines().last().unwrap_or("it said nothing");
    Err(format!(
        "`{shown}` ended with {}: {}",
        output.status,
        escaped(last)
    ))
}

/// A file outside the workspace.
const OUTSIDE: &str = "guard-must-deny-this";

/// A write of it, as the agent would announce it: from an absolute directory.
fn payload(agent: Agent, root: &Path) -> Value {
    let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
    let outside = root.join("..").join(OUTSIDE);
    agent.sample(&root.to_string_lossy(), &outside.to_string_lossy())
}
