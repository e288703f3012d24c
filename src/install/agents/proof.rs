//! A call that must be denied, sent through the command that the agent's settings name.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::path::escaped;

/// Sends the call.
///
/// # Errors
/// Why it was not denied.
pub(super) fn try_it(agent: &str, command: &str, root: &Path) -> Result<(), String> {
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
    if is_denied && (answer.contains("guard ") || said.contains("guard ")) {
        return Ok(());
    }
    let last = said.lines().last().unwrap_or("it said nothing");
    Err(format!(
        "`{shown}` ended with {}: {}",
        output.status,
        escaped(last)
    ))
}

/// A write outside the workspace, as the agent would announce it.
fn payload(agent: &str, root: &Path) -> Value {
    let outside = root.join("..").join("guard-must-deny-this");
    let (cwd, path) = (root.to_string_lossy(), outside.to_string_lossy());
    let common = |event: &str, tool: &str, input: Value| {
        json!({
            "session_id": "guard", "cwd": cwd, "hook_event_name": event, "tool_name": tool, "tool_use_id": "guard",
            "tool_input": input,
        })
    };
    match agent {
        "codex" => {
            let patch = format!("*** Begin Patch\n*** Add File: {path}\n+x\n*** End Patch\n");
            let mut payload = common("PreToolUse", "apply_patch", json!({"command": patch}));
            payload["turn_id"] = "guard".into();
            payload["model"] = "guard".into();
            payload
        }
        "copilot" => json!({
            "sessionId": "guard", "timestamp": 1, "cwd": cwd, "toolName": "create",
            "toolArgs": {"path": path, "file_text": "x\n"},
        }),
        "gemini" => common(
            "BeforeTool",
            "write_file",
            json!({"file_path": path, "content": "x\n"}),
        ),
        "opencode" => {
            json!({"tool": "write", "args": {"filePath": path, "content": "x\n"}, "cwd": cwd})
        }
        "vscode" => json!({
            "sessionId": "guard", "cwd": cwd, "hookEventName": "PreToolUse", "tool_name": "create_file",
            "tool_use_id": "guard", "tool_input": {"filePath": path, "content": "x\n"},
        }),
        "windsurf" => json!({
            "agent_action_name": "pre_write_code", "trajectory_id": "guard", "execution_id": "guard",
            "tool_info": {"file_path": path, "edits": [{"old_string": "", "new_string": "x\n"}]},
        }),
        _ => common(
            "PreToolUse",
            "Write",
            json!({"file_path": path, "content": "x\n"}),
        ),
    }
}
