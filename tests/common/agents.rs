//! Calls the hooks of coding agents, with payloads as the agents send them.

use serde_json::{Value, json};

use super::{GUARD, Output, Repo, lines, run_with_input};

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
    repo.commit("Begin");
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

/// What Claude Code sends before a tool runs.
pub fn claude(repo: &Repo, tool: &str, input: &Value) -> Value {
    json!({
        "session_id": "5f2c", "prompt_id": "p1", "transcript_path": "/home/u/.claude/t.jsonl",
        "cwd": repo.root, "permission_mode": "acceptEdits", "hook_event_name": "PreToolUse",
        "tool_name": tool, "tool_use_id": "toolu_01", "tool_input": input,
    })
}

pub fn hook(repo: &Repo, agent: &str, payload: impl AsRef<[u8]>) -> Output {
    run_with_input(repo.command(GUARD).args(["hook", agent]), payload.as_ref())
}

/// The answer to a tool call of Claude Code.
pub fn call(repo: &Repo, tool: &str, input: &Value) -> Output {
    hook(repo, "claude", claude(repo, tool, input).to_string())
}

pub fn write(repo: &Repo, path: &str, content: &str) -> Output {
    let path = absolute(repo, path);
    call(
        repo,
        "Write",
        &json!({"file_path": path, "content": content}),
    )
}

pub fn edit(repo: &Repo, path: &str, old: &str, new: &str, all: bool) -> Output {
    let path = absolute(repo, path);
    let input =
        json!({"file_path": path, "old_string": old, "new_string": new, "replace_all": all});
    call(repo, "Edit", &input)
}

pub fn read(repo: &Repo, path: &str) -> Output {
    call(
        repo,
        "Read",
        &json!({"file_path": absolute(repo, path), "limit": 5}),
    )
}

pub trait Answered {
    fn passes(self);
    fn denies(self) -> String;
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
        let reason = answer["hookSpecificOutput"]["permissionDecisionReason"]
            .as_str()
            .unwrap()
            .to_owned();
        let expected = json!({"hookSpecificOutput": {
            "hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": reason,
        }});
        assert_eq!(answer, expected);
        assert_eq!(self.stderr, format!("{reason}\n"));
        assert!(reason.len() < 1000, "{reason}");
        reason
    }
}

#[track_caller]
pub fn assert_says(reason: &str, parts: &[&str]) {
    for part in parts {
        assert!(reason.contains(part), "{part:?} is missing: {reason}");
    }
}

/// What Codex sends before `apply_patch`.
pub fn codex(repo: &Repo, patch: &str) -> Value {
    json!({
        "session_id": "0a", "turn_id": "1", "transcript_path": null, "cwd": repo.root, "model": "m",
        "hook_event_name": "PreToolUse", "permission_mode": "default", "tool_use_id": "c1",
        "tool_name": "apply_patch", "tool_input": {"command": patch},
    })
}
