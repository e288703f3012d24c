//! The hooks of all agents: each is answered in its own form. Patches in the format of Codex.

#![cfg(unix)]
#![allow(clippy::unwrap_used)]

use crate::agent_observe::copy_of;
use crate::common::agents::{Answered, LOG, assert_says, claude, codex, hook, repo};
use crate::common::{GUARD, Output, Repo, SETTINGS, lines, run_with_input};
use serde_json::{Value, json};
use std::path::Path;

#[track_caller]
fn patch(repo: &Repo, body: &str) -> Output {
    let patch = format!("*** Begin Patch\n{body}\n*** End Patch\n");
    hook(repo, "codex", codex(repo, &patch).to_string())
}

#[test]
fn patches_are_rebuilt() {
    let repo = repo();
    patch(&repo, "*** Add File: src/utils/lld.py\n+new = 1").passes();
    patch(
        &repo,
        "*** Update File: src/log.py\n@@ import sys\n \n-level = 1\n+level = 2",
    )
    .passes();
    patch(
        &repo,
        "*** Update File: src/log.py\n@@\n-level = 1\n-level = 1  \n+x\n*** End of File",
    )
    .passes();
    patch(
        &repo,
        "*** Update File: src/log.py\n@@\n-import sys\n+import os\n@@\n-level = 1\n+x",
    )
    .passes();
    patch(&repo, "*** Update File: src/log.py\n+appended = 1").passes();
    let both =
        "*** Update File: src/log.py\n@@\n-import sys\n+import os\n*** Add File: src/core/a.py\n+x";
    assert_says(
        &patch(&repo, both).denies(),
        &["guard refused apply_patch: src/core/a.py is not in the design"],
    );
    for (body, part) in [
        (
            "*** Delete File: src/log.py",
            "guard refused apply_patch: src/log.py",
        ),
        ("*** Delete File: src/other.py", "[out-of-scope]"),
        ("*** Add File: /etc/x\n+x", "[outside-workspace]"),
        (
            "*** Update File: src/log.py\n@@\n-no such line\n+x",
            "the lines of chunk 1 are not in the file",
        ),
        (
            "*** Update File: src/log.py\n@@ no such line\n-level = 1\n+x",
            "chunk 1",
        ),
        (
            "*** Update File: src/log.py\n@@\n-level = 1\n+x\n@@\n-import sys\n+x",
            "chunk 2",
        ),
        (
            "*** Update File: src/log.py\n@@\n*import sys\n+x",
            "unexpected line *import sys",
        ),
        (
            "*** Rename File: src/log.py",
            "unexpected line *** Rename File",
        ),
        (
            "*** Update File: src/missing.py\n@@\n-a\n+b",
            "[out-of-scope]",
        ),
        (
            "*** Update File: src/log.py\n@@\n-level = 1\n-level = 1\n+x\n@@\n-level = 1\n-level = 1\n+y\n*** End of File",
            "chunk 2",
        ),
        ("", "it names no file"),
    ] {
        assert_says(&patch(&repo, body).denies(), &[part]);
    }
    // The same file under two names, each time with less than half of its lines.
    let half = |lines: &str| -> String { lines.lines().map(|line| format!("-{line}\n")).collect() };
    let twice = format!(
        "*** Update File: src/state.py\n@@\n{}*** Update File: src/../src/state.py\n@@\n{}",
        half(&lines(1..=60)),
        half(&lines(61..=120)),
    );
    assert_says(
        &patch(&repo, &twice).denies(),
        &["changes src/state.py more than once"],
    );
    for broken in [
        "",
        "*** Begin Patch",
        "*** Begin Patch\n*** Delete File: a",
        "diff --git a/a b/a",
    ] {
        let payload = codex(&repo, broken).to_string();
        assert_says(
            &hook(&repo, "codex", payload).denies(),
            &["the patch cannot be read"],
        );
    }
}

#[test]
fn moves_are_judged_at_both_ends() {
    let repo = Repo::new();
    repo.stage("a.py", lines(1..=200));
    repo.stage("small.py", "x = 1\ny = 2\n");
    repo.stage("there.py", "x\n");
    repo.commit("Begin");
    repo.govern(&[
        ("a.py -> b.py", "Rename", "a better name"),
        ("small.py", "Delete", "moved"),
        ("new.py", "Add", "moved"),
    ]);
    let mv = |from: &str, to: &str, body: &str| {
        patch(
            &repo,
            &format!("*** Update File: {from}\n*** Move to: {to}\n{body}"),
        )
    };
    mv("a.py", "b.py", "").passes();
    mv("a.py", "b.py", "@@\n-line number 3\n+x").passes();
    mv("small.py", "new.py", "@@\n-x = 1\n+x = 2").passes();
    assert_says(
        &mv("a.py", "c.py", "").denies(),
        &["guard refused apply_patch: "],
    );
    mv("there.py", "new.py", "").denies();
    mv("a.py", "../b.py", "").denies();
    assert_says(
        &mv("small.py", "there.py", "").denies(),
        &["already exists"],
    );
    let gone: String = lines(1..=150)
        .lines()
        .map(|line| format!("-{line}\n"))
        .collect();
    let reason = mv("a.py", "b.py", &format!("@@\n{gone}")).denies();
    assert_says(
        &reason,
        &["[destructive-change]", "write and delete in two steps"],
    );
    patch(&repo, "*** Delete File: small.py").passes();
}

/// A payload of an agent with this tool and input.
pub fn payload(repo: &Repo, agent: &str, tool: &str, input: &Value) -> Value {
    let root = &repo.root;
    match agent {
        "claude" => claude(repo, tool, input),
        "cursor" => json!({
            "conversation_id": "s", "generation_id": "g", "model": "m", "hook_event_name": "preToolUse",
            "cursor_version": "3.1.17", "workspace_roots": [root], "user_email": null, "transcript_path": null,
            "tool_name": tool, "tool_input": input, "tool_use_id": "t", "cwd": "",
        }),
        "codex" => {
            let mut payload = codex(repo, "");
            payload["tool_name"] = tool.into();
            payload["tool_input"] = input.clone();
            payload
        }
        "copilot" => {
            json!({"sessionId": "s", "timestamp": 1, "cwd": root, "toolName": tool, "toolArgs": input})
        }
        "gemini" => json!({
            "session_id": "s", "transcript_path": "", "cwd": root, "hook_event_name": "BeforeTool",
            "timestamp": "2026-01-01T00:00:00Z", "tool_name": tool, "tool_input": input,
        }),
        "opencode" => {
            json!({"tool": tool, "args": input, "cwd": root, "session": "s", "call": "c"})
        }
        "vscode" => json!({
            "timestamp": "2026-01-01T00:00:00Z", "cwd": root, "sessionId": "s", "hookEventName": "PreToolUse",
            "tool_name": tool, "tool_input": input, "tool_use_id": "t",
        }),
        other => panic!("{other}"),
    }
}

/// The answer of guard to a call that it denies with `reason`: standard output and exit code.
fn denial(agent: &str, reason: &str) -> (Value, i32) {
    match agent {
        "claude" | "codex" | "vscode" => (
            json!({"hookSpecificOutput": {
                "hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": reason,
            }}),
            2,
        ),
        "copilot" => (
            json!({"permissionDecision": "deny", "permissionDecisionReason": reason}),
            0,
        ),
        "cursor" => (
            json!({"permission": "deny", "user_message": reason, "agent_message": reason}),
            2,
        ),
        "gemini" => (json!({"decision": "deny", "reason": reason}), 2),
        _ => (Value::Null, 2),
    }
}

pub const AGENTS: [&str; 7] = [
    "claude", "codex", "copilot", "cursor", "gemini", "opencode", "vscode",
];

#[track_caller]
fn assert_allowed(agent: &str, output: &Output) {
    let stdout = match agent {
        "copilot" | "cursor" => "{}\n",
        _ => "",
    };
    let all = (output.code, output.stdout.as_str(), output.stderr.as_str());
    assert_eq!(all, (0, stdout, ""), "{agent}");
}

#[track_caller]
fn assert_denied(agent: &str, output: &Output, part: &str) {
    let reason = output.stderr.trim_end();
    let stdout = match output.stdout.as_str() {
        "" => Value::Null,
        json => serde_json::from_str(json).unwrap(),
    };
    assert_eq!(
        (stdout, output.code),
        denial(agent, reason),
        "{agent}: {output:?}"
    );
    assert!(
        reason.contains(part),
        "{agent}: {part:?} is missing: {reason}"
    );
}

/// Each tool that changes a file, with an input that is allowed.
fn tools(agent: &str) -> Vec<(&'static str, Value)> {
    let patch = |path: &str| {
        format!(
            "*** Begin Patch\n*** Update File: {path}\n@@\n-import sys\n+import os\n*** End Patch"
        )
    };
    match agent {
        "claude" => vec![
            ("Write", json!({"file_path": LOG, "content": "x\n"})),
            (
                "Edit",
                json!({"file_path": LOG, "old_string": "sys", "new_string": "os"}),
            ),
        ],
        "codex" => vec![("apply_patch", json!({"command": patch(LOG)}))],
        "cursor" => vec![
            ("Write", json!({"file_path": LOG, "content": "x\n"})),
            ("Write", json!({"path": LOG, "contents": "x\n"})),
            (
                "StrReplace",
                json!({"path": LOG, "old_string": "sys", "new_string": "os"}),
            ),
            (
                "Edit",
                json!({"file_path": LOG, "old_string": "level", "new_string": "l", "replace_all": true}),
            ),
            ("ApplyPatch", json!({"patch": patch(LOG)})),
        ],
        "copilot" => vec![
            ("create", json!({"path": LOG, "file_text": "x\n"})),
            (
                "edit",
                json!({"path": LOG, "old_str": "sys", "new_str": "os"}),
            ),
            ("apply_patch", json!({"input": patch(LOG)})),
        ],
        "gemini" => vec![
            ("write_file", json!({"file_path": LOG, "content": "x\n"})),
            (
                "replace",
                json!({"file_path": LOG, "instruction": "i", "old_string": "sys", "new_string": "os"}),
            ),
            (
                "replace",
                json!({"file_path": LOG, "old_string": "level", "new_string": "l", "allow_multiple": true}),
            ),
        ],
        "opencode" => vec![
            ("write", json!({"filePath": LOG, "content": "x\n"})),
            (
                "edit",
                json!({"filePath": LOG, "oldString": "level", "newString": "l", "replaceAll": true}),
            ),
            (
                "multiedit",
                json!({"filePath": LOG, "edits": [{"oldString": "sys", "newString": "os"}]}),
            ),
            ("patch", json!({"patchText": patch(LOG)})),
            ("apply_patch", json!({"patchText": patch(LOG)})),
        ],
        "vscode" => vec![
            ("create_file", json!({"filePath": LOG, "content": "x\n"})),
            (
                "replace_string_in_file",
                json!({"filePath": LOG, "oldString": "sys", "newString": "os"}),
            ),
            (
                "multi_replace_string_in_file",
                json!({"explanation": "e", "replacements": [
                    {"filePath": LOG, "oldString": "sys", "newString": "os", "explanation": "e"},
                    {"filePath": LOG, "oldString": "os", "newString": "re"},
                ]}),
            ),
            (
                "apply_patch",
                json!({"input": patch(LOG), "explanation": "e"}),
            ),
        ],
        other => panic!("{other}"),
    }
}

#[test]
fn every_agent_is_answered_in_its_own_form() {
    let repo = repo();
    let ask = |agent: &str, tool: &str, input: &Value| {
        hook(&repo, agent, payload(&repo, agent, tool, input).to_string())
    };
    for agent in AGENTS {
        for (tool, input) in tools(agent) {
            assert_allowed(agent, &ask(agent, tool, &input));
            let elsewhere = |path: &str| {
                let text = input.to_string().replace(LOG, path);
                ask(agent, tool, &serde_json::from_str(&text).unwrap())
            };
            assert_denied(
                agent,
                &elsewhere("src/other.py"),
                "src/other.py is not in the design [out-of-scope]",
            );
            assert_denied(agent, &elsewhere("/etc/hostname"), "[outside-workspace]");
            let mut more = input.clone();
            more["mode"] = "append".into();
            assert_denied(agent, &ask(agent, tool, &more), "does not know");
            assert_denied(agent, &ask(agent, tool, &json!({"path": 1})), "");
        }
        assert_allowed(agent, &ask(agent, "run", &json!({"command": "make"})));
        let foreign = json!({"file": LOG, "content": "x"});
        assert_denied(
            agent,
            &ask(agent, "store", &foreign),
            "guard does not know the tool store",
        );
        for broken in ["", "{", "[]", "{\"a\": 1}"] {
            assert_denied(agent, &hook(&repo, agent, broken), "is unusable");
        }
    }
    // Reads count where the settings name secrets.
    repo.stage(
        "guard.toml",
        format!("{SETTINGS}[workspace]\nsecrets = [\".env\"]\n"),
    );
    repo.commit("Name a secret");
    for (agent, tool, key) in [
        ("claude", "Read", "file_path"),
        ("copilot", "view", "path"),
        ("cursor", "Read", "file_path"),
        ("gemini", "read_file", "file_path"),
        ("opencode", "read", "filePath"),
        ("vscode", "read_file", "filePath"),
    ] {
        assert_allowed(agent, &ask(agent, tool, &json!({key: LOG})));
        assert_denied(agent, &ask(agent, tool, &json!({key: ".env"})), ".env");
    }
}

#[test]
fn tools_whose_result_cannot_be_known_are_denied() {
    let repo = repo();
    for tool in [
        "insert_edit_into_file",
        "edit_notebook_file",
        "editFiles",
        "create_new_jupyter_notebook",
    ] {
        let input = json!({"filePath": LOG, "code": "x"});
        let answer = hook(
            &repo,
            "vscode",
            payload(&repo, "vscode", tool, &input).to_string(),
        );
        assert_denied("vscode", &answer, "cannot know what the tool");
    }
}

#[test]
fn copilot_may_send_its_arguments_as_text_and_claudes_payload() {
    let repo = repo();
    let ask = |path: &str| {
        let arguments = json!({"path": path, "file_text": "x\n"}).to_string();
        let sent = payload(&repo, "copilot", "create", &arguments.into());
        hook(&repo, "copilot", sent.to_string())
    };
    assert_allowed("copilot", &ask(LOG));
    assert_denied("copilot", &ask("src/other.py"), "[out-of-scope]");
    let broken = payload(&repo, "copilot", "create", &"{".into()).to_string();
    assert_denied(
        "copilot",
        &hook(&repo, "copilot", broken),
        "not a JSON object",
    );
    let ask = |path: &str| {
        let input = json!({"file_path": path, "content": "x\n"});
        hook(&repo, "copilot", claude(&repo, "Write", &input).to_string())
    };
    assert_allowed("copilot", &ask(LOG));
    assert_denied("copilot", &ask("src/other.py"), "[out-of-scope]");
    let ask = |path: &str| {
        let input = json!({"file_path": path, "content": "x\n"});
        hook(&repo, "vscode", claude(&repo, "Write", &input).to_string())
    };
    assert_allowed("vscode", &ask(LOG));
    assert_denied("vscode", &ask("src/other.py"), "[out-of-scope]");
}

#[test]
fn agent_that_runs_the_hook_of_another_is_answered_in_its_own_form_and_denied_by_the_exit_code() {
    let repo = repo();
    for sender in ["codex", "copilot", "cursor", "gemini", "vscode"] {
        for named in AGENTS.iter().filter(|named| **named != sender) {
            let (tool, input) = tools(sender).remove(0);
            let sent = payload(&repo, sender, tool, &input).to_string();
            assert_allowed(sender, &hook(&repo, named, &sent));
            let answer = hook(&repo, named, sent.replace(LOG, "src/other.py"));
            assert_eq!(answer.code, 2, "{sender} as {named}: {answer:?}");
            let code = denial(sender, "").1;
            assert_denied(sender, &Output { code, ..answer }, "[out-of-scope]");
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn denial_that_cannot_be_printed_is_a_denial() {
    let repo = repo();
    for agent in AGENTS {
        let (tool, input) = tools(agent).remove(0);
        let sent = payload(&repo, agent, tool, &input).to_string();
        let sent = sent.replace(LOG, "src/other.py");
        let run = |to: &str| {
            let mut guard = repo.command("sh");
            let script = format!("exec \"$0\" hook {agent} {to}/dev/full");
            run_with_input(guard.args(["-c", &script, GUARD]), sent.as_bytes())
        };
        let (json, code) = denial(agent, "");
        let unanswered = run(">");
        // Without standard output, the reason is on standard error.
        let expected = if json.is_null() { code } else { 2 };
        assert_eq!(unanswered.code, expected, "{agent}: {unanswered:?}");
        assert!(
            unanswered.stderr.contains("[out-of-scope]"),
            "{agent}: {unanswered:?}"
        );
        let untold = run("2>");
        let expected = if json.is_null() { 2 } else { 0 };
        assert_eq!(untold.code, expected, "{agent}: {untold:?}");
        assert_eq!(
            untold.stdout.contains("[out-of-scope]"),
            !json.is_null(),
            "{agent}: {untold:?}"
        );
    }
}

#[test]
fn every_failure_is_a_denial_in_the_terms_of_every_agent() {
    type Break = fn(&Repo);
    let failures: [(Break, &str); 7] = [
        (
            |repo| drop(repo.git(&["switch", "--quiet", "main"])),
            "no design",
        ),
        (
            |repo| {
                repo.stage("guard.toml", "[lld\n");
                repo.commit("Break the settings");
            },
            "guard.toml",
        ),
        (
            |repo| std::fs::remove_dir_all(repo.path(".git")).unwrap(),
            "not in a git repository",
        ),
        (|repo| repo.write(".git/HEAD", "ref: \n"), "guard"),
        (
            |repo| {
                std::fs::remove_dir_all(repo.path(".git/objects")).unwrap();
                std::fs::create_dir(repo.path(".git/objects")).unwrap();
            },
            "guard could not check",
        ),
        // Neither the snapshot nor the record can be written.
        (|repo| repo.write(".git/refs/guard", ""), "the snapshot"),
        (
            |repo| std::fs::create_dir_all(repo.path(".git/guard/log.jsonl")).unwrap(),
            "the audit log",
        ),
    ];
    for (break_it, part) in failures {
        let repo = repo();
        break_it(&repo);
        for agent in AGENTS {
            let (tool, input) = tools(agent).remove(0);
            let sent = payload(&repo, agent, tool, &input).to_string();
            assert_denied(agent, &hook(&repo, agent, sent), part);
        }
    }
}

#[test]
fn events_of_cursor_are_judged() {
    let repo = repo();
    let ask = |event: &str, more: Value| {
        let mut sent = payload(&repo, "cursor", "", &json!({}));
        let object = sent.as_object_mut().unwrap();
        for key in ["tool_name", "tool_input", "tool_use_id"] {
            object.remove(key);
        }
        object["hook_event_name"] = event.into();
        object.extend(more.as_object().unwrap().clone());
        hook(&repo, "cursor", sent.to_string())
    };
    assert_denied(
        "cursor",
        &ask("afterFileEdit", json!({"file_path": LOG, "edits": []})),
        "is unusable",
    );
    let tool = |tool: &str, input: Value| {
        hook(
            &repo,
            "cursor",
            payload(&repo, "cursor", tool, &input).to_string(),
        )
    };
    assert_denied(
        "cursor",
        &tool("Delete", json!({"path": LOG})),
        "src/log.py",
    );
    for unknown in ["EditNotebook", "TabWrite"] {
        assert_denied(
            "cursor",
            &tool(unknown, json!({"path": LOG})),
            "cannot know what the tool",
        );
    }
    for input in [
        json!({"command": "rm .cursor/hooks.json", "cwd": "", "timeout": 30000}),
        json!({"command": "cat .cursor/hooks.json", "working_directory": "src"}),
    ] {
        assert_denied("cursor", &tool("Shell", input), ".cursor/hooks.json");
    }
    // With several roots, only an absolute path says which is meant.
    let mut sent = payload(
        &repo,
        "cursor",
        "Write",
        &json!({"file_path": LOG, "content": "x\n"}),
    );
    sent["workspace_roots"] = json!(["/elsewhere", repo.root]);
    assert_denied(
        "cursor",
        &hook(&repo, "cursor", sent.to_string()),
        "use the absolute path",
    );
    sent["tool_input"]["file_path"] = repo.path(LOG).to_str().unwrap().into();
    assert_allowed("cursor", &hook(&repo, "cursor", sent.to_string()));
    sent["workspace_roots"] = json!([]);
    assert_denied(
        "cursor",
        &hook(&repo, "cursor", sent.to_string()),
        "names no workspace",
    );
}

#[test]
fn cursor_hears_once_at_the_end_of_a_turn_what_landed() {
    let repo = repo();
    let stop = |count: u32, status: &str| {
        let sent = json!({
            "conversation_id": "s", "generation_id": "g", "hook_event_name": "stop", "cursor_version": "3.1.17",
            "workspace_roots": [repo.root], "status": status, "loop_count": count,
        });
        hook(&repo, "cursor", sent.to_string())
    };
    assert_allowed("cursor", &stop(0, "completed"));
    let shell = payload(
        &repo,
        "cursor",
        "Shell",
        &json!({"command": "make", "cwd": ""}),
    );
    assert_allowed("cursor", &hook(&repo, "cursor", shell.to_string()));
    repo.write("src/stray.py", "x = 1\n");
    assert_allowed("cursor", &stop(0, "aborted"));
    assert_allowed("cursor", &stop(1, "completed"));
    let told = stop(0, "completed");
    let answer: Value = serde_json::from_str(&told.stdout).unwrap();
    assert_says(
        answer["followup_message"].as_str().unwrap(),
        &["src/stray.py", "out-of-scope"],
    );
    assert_allowed("cursor", &stop(0, "completed"));
}

/// The payloads around the shell tool of an agent: before it, and each event afterwards with where a report stands in
/// the answer.
fn around_shell(repo: &Repo, agent: &str) -> (Value, Vec<(Value, &'static str)>) {
    let tool = match agent {
        "copilot" | "opencode" => "bash",
        "cursor" => "Shell",
        "gemini" => "run_shell_command",
        "vscode" => "run_in_terminal",
        _ => "Bash",
    };
    let before = payload(repo, agent, tool, &json!({"command": "make"}));
    let after = |more: Value| {
        let mut sent = before.clone();
        let object = sent.as_object_mut().unwrap();
        object.extend(more.as_object().unwrap().clone());
        sent
    };
    let event = |name: &str| after(json!({"hook_event_name": name}));
    let context = "/hookSpecificOutput/additionalContext";
    let events = match agent {
        "claude" => vec![
            (event("PostToolUse"), "/reason"),
            (event("PostToolUseFailure"), context),
            (event("SubagentStop"), "/reason"),
            (event("Stop"), "/reason"),
        ],
        "codex" => vec![
            (event("PostToolUse"), "/reason"),
            (event("Stop"), "/reason"),
        ],
        "copilot" => vec![
            (after(json!({"toolResult": {}})), "/additionalContext"),
            (
                json!({"sessionId": "s", "timestamp": 1, "cwd": repo.root, "stopReason": "end_turn"}),
                "/reason",
            ),
        ],
        "cursor" => vec![
            (event("postToolUse"), "/additional_context"),
            (
                after(json!({"hook_event_name": "stop", "status": "completed", "loop_count": 0})),
                "/followup_message",
            ),
        ],
        "gemini" => vec![
            (event("AfterTool"), "/reason"),
            (event("AfterAgent"), "/reason"),
        ],
        "opencode" => vec![(event("tool.execute.after"), "/report")],
        _ => vec![
            (after(json!({"hookEventName": "PostToolUse"})), "/reason"),
            (after(json!({"hookEventName": "Stop"})), "/reason"),
        ],
    };
    (before, events)
}

#[track_caller]
fn assert_reported(agent: &str, answer: &Output, place: &str, part: &str) {
    assert_eq!(answer.code, 0, "{agent}: {answer:?}");
    let told: Value = serde_json::from_str(&answer.stdout).unwrap();
    let told = told.pointer(place).and_then(Value::as_str);
    assert_says(
        told.unwrap_or_else(|| panic!("{agent}: {answer:?}")),
        &[part],
    );
}

#[test]
fn commands_are_observed_and_reported_in_the_form_of_every_agent() {
    let template = repo();
    for agent in AGENTS {
        for at in 0.. {
            let repo = copy_of(&template);
            let (before, mut events) = around_shell(&repo, agent);
            if at >= events.len() {
                break;
            }
            let (after, place) = events.swap_remove(at);
            assert_allowed(agent, &hook(&repo, agent, before.to_string()));
            repo.write("src/new.py", "x\n");
            let answer = hook(&repo, agent, after.to_string());
            assert_reported(agent, &answer, place, "src/new.py is not in the design");
        }
    }
}

#[test]
fn checkpoints_go_at_the_end_of_a_session() {
    let template = repo();
    for agent in ["claude", "copilot", "cursor", "gemini", "vscode"] {
        let repo = copy_of(&template);
        let (before, _) = around_shell(&repo, agent);
        assert_allowed(agent, &hook(&repo, agent, before.to_string()));
        let stores = repo.home().join(".cache/guard");
        let store = std::fs::read_dir(&stores).unwrap().next();
        let objects = store.unwrap().unwrap().path().join("objects");
        assert!(objects.exists(), "{agent}");
        let key = match agent {
            "vscode" => "hookEventName",
            _ => "hook_event_name",
        };
        let end = match agent {
            "copilot" => {
                json!({"sessionId": "s", "timestamp": 1, "cwd": repo.root, "reason": "complete"})
            }
            _ => {
                let mut end = before.clone();
                end[key] = if agent == "cursor" {
                    "sessionEnd"
                } else {
                    "SessionEnd"
                }
                .into();
                end
            }
        };
        assert_allowed(agent, &hook(&repo, agent, end.to_string()));
        assert!(!objects.exists(), "{agent}");
    }
}

/// What may fail inside: how, and a part of what guard says. The private repository of the checkpoints is `store`.
type Fault = (fn(repo: &Repo, store: &Path), &'static str);

const FAULTS: &[Fault] = &[
    (
        |_, store| std::fs::write(store.join("index"), "damaged").unwrap(),
        "could not record",
    ),
    (
        |_, store| {
            let notes = std::fs::read_dir(store.join("sessions")).unwrap();
            for note in notes {
                std::fs::write(note.unwrap().path(), "{").unwrap();
            }
        },
        "notes of the session",
    ),
    (
        |_, store| {
            let cache = store.parent().unwrap();
            std::fs::remove_dir_all(cache).unwrap();
            std::fs::write(cache, "").unwrap();
        },
        "checkpoints",
    ),
    (|repo, _| repo.write(".git/HEAD", "x"), "HEAD"),
    (
        |repo, _| repo.write(".git/config", "[core"),
        "section header",
    ),
];

/// Whatever fails is a denial before a command, and a report after it.
#[test]
fn every_fault_denies_a_command_before_it_and_is_reported_after_it_by_every_agent() {
    let template = repo();
    for agent in AGENTS {
        for (fail, part) in FAULTS {
            let begun = || {
                let repo = copy_of(&template);
                let (before, events) = around_shell(&repo, agent);
                assert_allowed(agent, &hook(&repo, agent, before.to_string()));
                (repo, before, events)
            };
            let break_in = |repo: &Repo| {
                let mut stores = std::fs::read_dir(repo.home().join(".cache/guard")).unwrap();
                fail(repo, &stores.next().unwrap().unwrap().path());
            };
            let (repo, before, events) = begun();
            hook(&repo, agent, events[0].0.to_string()).exits(0);
            break_in(&repo);
            assert_denied(agent, &hook(&repo, agent, before.to_string()), part);
            let (repo, _, events) = begun();
            break_in(&repo);
            for (after, place) in events {
                let answer = hook(&repo, agent, after.to_string());
                assert_reported(agent, &answer, place, part);
            }
        }
        let repo = copy_of(&template);
        let (before, after) = around_shell(&repo, agent);
        let without_git = |sent: &Value| {
            let mut guard = repo.command(GUARD);
            guard.args(["hook", agent]).env("PATH", repo.path("src"));
            run_with_input(&mut guard, sent.to_string().as_bytes())
        };
        let part = "git cannot be started";
        assert_denied(agent, &without_git(&before), part);
        assert_allowed(agent, &hook(&repo, agent, before.to_string()));
        for (after, place) in &after {
            assert_reported(agent, &without_git(after), place, part);
        }
    }
}
