//! Calls the hooks of coding agents, with payloads as the agents send them.

use serde_json::{Value, json};

use super::{Output, Repo, lines, table};

pub const LOG: &str = "src/log.py";
pub const STATE: &str = "src/state.py";
pub const NOTEBOOK: &str = "work.ipynb";

/// A repository with a small and a large file, both in the design.
pub fn repo() -> Repo {
    let repo = Repo::new();
    repo.stage(LOG, "import sys\n\nlevel = 1\nlevel = 1\n");
    repo.stage(STATE, lines(1..=200));
    repo.stage(NOTEBOOK, notebook());
    repo.stage("src/other.py", "x = 1\n");
    repo.stage(".env", "TOKEN=1\n");
    repo.govern(&[
        (LOG, "Modify", "logging"),
        (STATE, "Modify", "the state"),
        (NOTEBOOK, "Modify", "the evaluation"),
        ("src/utils/lld.py", "Add", "designs"),
    ]);
    repo
}

pub fn notebook() -> String {
    let cells = json!([
        {"cell_type": "markdown", "id": "intro", "metadata": {}, "source": ["# Title\n"]},
        {"cell_type": "code", "id": "load", "metadata": {}, "source": ["x = 1"], "execution_count": 3,
         "outputs": [{"output_type": "stream", "name": "stdout", "text": lines(1..=200).lines().collect::<Vec<_>>()}]},
    ]);
    let book = json!({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5});
    serde_json::to_string_pretty(&book).unwrap()
}

pub fn absolute(repo: &Repo, path: &str) -> String {
    repo.path(path).to_str().unwrap().to_owned()
}

/// What each agent sends before a tool runs: the keys of the tool and of its input, and the rest.
const PAYLOADS: &str = r#"
    claude | tool_name | tool_input | {"session_id": "5f2c", "prompt_id": "p1", "transcript_path": "/home/u/.claude/t.jsonl", "cwd": "ROOT", "permission_mode": "acceptEdits", "hook_event_name": "PreToolUse", "tool_use_id": "toolu_01"}
    codex | tool_name | tool_input | {"session_id": "0a", "turn_id": "1", "transcript_path": null, "cwd": "ROOT", "model": "m", "hook_event_name": "PreToolUse", "permission_mode": "default", "tool_use_id": "c1"}
    copilot | toolName | toolArgs | {"sessionId": "s", "timestamp": 1, "cwd": "ROOT"}
    cursor | tool_name | tool_input | {"conversation_id": "s", "generation_id": "g", "model": "m", "hook_event_name": "preToolUse", "cursor_version": "3.1.17", "workspace_roots": ["ROOT"], "user_email": null, "transcript_path": null, "tool_use_id": "t", "cwd": ""}
    gemini | tool_name | tool_input | {"session_id": "s", "transcript_path": "", "cwd": "ROOT", "hook_event_name": "BeforeTool", "timestamp": "2026-01-01T00:00:00Z"}
    opencode | tool | args | {"cwd": "ROOT", "session": "s", "call": "c"}
    vscode | tool_name | tool_input | {"timestamp": "2026-01-01T00:00:00Z", "cwd": "ROOT", "sessionId": "s", "hookEventName": "PreToolUse", "tool_use_id": "t"}"#;

/// A payload of an agent with this tool and input.
pub fn payload(repo: &Repo, agent: &str, tool: &str, input: &Value) -> Value {
    let row = table::<4>(PAYLOADS).find(|[name, ..]| *name == agent);
    let [_, tool_key, input_key, rest] = row.unwrap();
    let rest = rest.replace("\"ROOT\"", &json!(repo.root).to_string());
    let mut payload: Value = serde_json::from_str(&rest).unwrap();
    payload[tool_key] = tool.into();
    payload[input_key] = input.clone();
    payload
}

/// What Claude Code sends before a tool runs.
pub fn claude(repo: &Repo, tool: &str, input: &Value) -> Value {
    payload(repo, "claude", tool, input)
}

/// What Codex sends before `apply_patch`.
pub fn codex(repo: &Repo, patch: &str) -> Value {
    payload(repo, "codex", "apply_patch", &json!({"command": patch}))
}

pub fn hook(repo: &Repo, agent: &str, payload: impl AsRef<[u8]>) -> Output {
    repo.guard_reads(&["hook", agent], payload)
}

/// The answer to a tool call of Claude Code.
pub fn call(repo: &Repo, tool: &str, input: &Value) -> Output {
    hook(repo, "claude", claude(repo, tool, input).to_string())
}

pub fn write(repo: &Repo, path: &str, content: &str) -> Output {
    let input = json!({"file_path": absolute(repo, path), "content": content});
    call(repo, "Write", &input)
}

pub fn edit(repo: &Repo, path: &str, old: &str, new: &str, all: bool) -> Output {
    let path = absolute(repo, path);
    let input =
        json!({"file_path": path, "old_string": old, "new_string": new, "replace_all": all});
    call(repo, "Edit", &input)
}

pub fn read(repo: &Repo, path: &str) -> Output {
    let input = json!({"file_path": absolute(repo, path), "limit": 5});
    call(repo, "Read", &input)
}

pub trait Answered {
    fn passes(self);
    fn denies(self) -> String;
    fn answers(self, part: &str);
}

impl Answered for Output {
    /// Claude Code goes on as its own settings say.
    #[track_caller]
    fn passes(self) {
        assert_eq!((self.code, self.text().as_str()), (0, ""), "{self:?}");
    }

    /// Claude Code refuses the call and tells the model the reason, which is returned.
    #[track_caller]
    fn denies(self) -> String {
        assert_eq!(self.code, 2, "{self:?}");
        let answer: Value = serde_json::from_str(&self.stdout).unwrap();
        let reason = &answer["hookSpecificOutput"]["permissionDecisionReason"];
        let reason = reason.as_str().unwrap().to_owned();
        let expected = json!({"hookSpecificOutput": {
            "hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": reason,
        }});
        assert_eq!(answer, expected);
        assert_eq!(self.stderr, format!("{reason}\n"));
        assert!(reason.len() < 1000, "{reason}");
        reason
    }

    /// Claude Code refuses the call for a reason with this part; if it is empty, it goes on.
    #[track_caller]
    fn answers(self, part: &str) {
        match part {
            "" => self.passes(),
            part => super::assert_says(&self.denies(), &[part]),
        }
    }
}
