//! The hooks of all agents: each is answered in its own form. Patches in the format of Codex.

use std::fs;

use crate::agent_observe::copy_of;
pub use crate::common::agents::payload;
use crate::common::agents::{Answered, LOG, claude, codex, hook, repo};
use crate::common::{GUARD, Output, Repo, SETTINGS, assert_says, lines, run, run_with_input};
use serde_json::{Value, json};
use write_guard::agents::Agent;

#[track_caller]
fn patch(repo: &Repo, body: &str) -> Output {
    let patch = format!("*** Begin Patch\n{body}\n*** End Patch\n");
    hook(repo, "codex", codex(repo, &patch).to_string())
}

/// The lines, as a patch removes them.
fn removed(lines: &str) -> String {
    lines.lines().map(|line| format!("-{line}\n")).collect()
}

#[test]
fn patches_are_rebuilt() {
    let repo = repo();
    for body in [
        "*** Add File: src/utils/lld.py\n+new = 1",
        "*** Update File: src/log.py\n@@ import sys\n-level = 1\n+level = 2",
        "*** Update File: src/log.py\n@@\n-level = 1\n-level = 1\n+x\n*** End of File",
        "*** Update File: src/log.py\n@@\n-import sys\n+import os\n@@\n-level = 1\n+x",
        "*** Update File: src/log.py\n+appended = 1",
    ] {
        patch(&repo, body).passes();
    }
    for case in [
        "*** Update File: src/log.py\n@@\n-import sys\n+import os\n*** Add File: src/core/a.py\n+x => src/core/a.py is not in the design",
        "*** Delete File: src/log.py => guard refused apply_patch: src/log.py",
        "*** Delete File: src/other.py => [out-of-scope]",
        "*** Add File: /etc/x\n+x => [outside-workspace]",
        "*** Update File: src/log.py\n@@\n-no such line\n+x => the lines of chunk 1 are not in the file",
        "*** Update File: src/log.py\n@@\n-level = 1  \n+x => chunk 1",
        "*** Update File: src/log.py\n@@ no such line\n-level = 1\n+x => chunk 1",
        "*** Update File: src/log.py\n@@\n-level = 1\n+x\n@@\n-import sys\n+x => chunk 2",
        "*** Update File: src/log.py\n@@\n*import sys\n+x => unexpected line *import sys",
        "*** Rename File: src/log.py => unexpected line *** Rename File",
        "*** Update File: src/missing.py\n@@\n-a\n+b => [out-of-scope]",
        "*** Update File: src/log.py\n@@\n-level = 1\n-level = 1\n+x\n@@\n-level = 1\n-level = 1\n+y\n*** End of File => chunk 2",
        " => it names no file",
    ] {
        let (body, part) = case.split_once(" => ").unwrap();
        patch(&repo, body).answers(part);
    }
    // The same file under two names, each time with less than half of its lines.
    let twice = format!(
        "*** Update File: src/state.py\n@@\n{}*** Update File: src/../src/state.py\n@@\n{}",
        removed(&lines(1..=60)),
        removed(&lines(61..=120)),
    );
    patch(&repo, &twice).answers("changes src/state.py more than once");
    for broken in ["", "*** Begin Patch\n*** Delete File: a", "diff --git a/a"] {
        let answer = hook(&repo, "codex", codex(&repo, broken).to_string());
        answer.answers("cannot be read: ");
    }
}

#[test]
fn moves_are_judged_at_both_ends() {
    let repo = Repo::new();
    repo.stage("a.py", lines(1..=200));
    repo.stage("small.py", "x = 1\ny = 2\n");
    repo.stage("there.py", "x\n");
    repo.govern(&[
        ("a.py -> b.py", "Rename", "a better name"),
        ("small.py", "Delete", "goes to new.py"),
        ("new.py", "Add", "from small.py"),
    ]);
    let mv = |from: &str, to: &str, body: &str| {
        let body = format!("*** Update File: {from}\n*** Move to: {to}\n{body}");
        patch(&repo, &body)
    };
    let gone = format!("@@\n{}", removed(&lines(1..=150)));
    for (from, to, body, part) in [
        ("a.py", "b.py", "", ""),
        ("a.py", "b.py", "@@\n-line number 3\n+x", ""),
        ("small.py", "new.py", "@@\n-x = 1\n+x = 2", ""),
        ("a.py", "c.py", "", "guard refused apply_patch: "),
        ("there.py", "new.py", "", "there.py"),
        ("a.py", "../b.py", "", "[outside-workspace]"),
        ("small.py", "there.py", "", "already exists"),
        ("a.py", "b.py", gone.as_str(), "write and delete in two"),
    ] {
        mv(from, to, body).answers(part);
    }
    patch(&repo, "*** Delete File: small.py").passes();
}

/// The answer of guard to a call that it denies with `reason`: standard output and exit code.
fn denial(agent: &str, reason: &str) -> (Value, i32) {
    let said = json!({"permissionDecision": "deny", "permissionDecisionReason": reason});
    match agent {
        "claude" | "codex" | "vscode" => {
            let event = json!({"hookEventName": "PreToolUse"}).to_string();
            (json!({"hookSpecificOutput": with(said, &event)}), 2)
        }
        "copilot" => (said, 0),
        "cursor" => {
            let said =
                json!({"permission": "deny", "user_message": reason, "agent_message": reason});
            (said, 2)
        }
        "gemini" => (json!({"decision": "deny", "reason": reason}), 2),
        _ => (Value::Null, 2),
    }
}

/// The names of all agents.
pub fn agents() -> impl ExactSizeIterator<Item = &'static str> {
    Agent::VARIANTS.iter().map(|agent| agent.name())
}

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
    let stdout = serde_json::from_str(&output.stdout).unwrap_or_default();
    let expected = denial(agent, reason);
    assert_eq!((stdout, output.code), expected, "{agent}: {output:?}");
    assert_says(reason, &[part]);
}

/// Each tool that changes a file, with an input that is allowed.
const TOOLS: &str = r#"claude Write {"file_path": "src/log.py", "content": "x\n"}
claude Edit {"file_path": "src/log.py", "old_string": "sys", "new_string": "os"}
codex apply_patch {"command": "PATCH"}
copilot create {"path": "src/log.py", "file_text": "x\n"}
copilot edit {"path": "src/log.py", "old_str": "sys", "new_str": "os"}
copilot apply_patch {"input": "PATCH"}
cursor Write {"file_path": "src/log.py", "content": "x\n"}
cursor Write {"path": "src/log.py", "contents": "x\n"}
cursor StrReplace {"path": "src/log.py", "old_string": "sys", "new_string": "os"}
cursor ApplyPatch {"patch": "PATCH"}
gemini write_file {"file_path": "src/log.py", "content": "x\n"}
gemini replace {"file_path": "src/log.py", "instruction": "i", "old_string": "sys", "new_string": "os"}
gemini replace {"file_path": "src/log.py", "old_string": "level", "new_string": "l", "allow_multiple": true}
opencode write {"filePath": "src/log.py", "content": "x\n"}
opencode edit {"filePath": "src/log.py", "oldString": "level", "newString": "l", "replaceAll": true}
opencode multiedit {"filePath": "src/log.py", "edits": [{"oldString": "sys", "newString": "os"}]}
opencode apply_patch {"patchText": "PATCH"}
vscode create_file {"filePath": "src/log.py", "content": "x\n"}
vscode replace_string_in_file {"filePath": "src/log.py", "oldString": "sys", "newString": "os"}
vscode multi_replace_string_in_file {"explanation": "e", "replacements": [{"filePath": "src/log.py", "oldString": "sys", "newString": "os"}]}
vscode apply_patch {"input": "PATCH", "explanation": "e"}"#;

fn tools(agent: &str) -> Vec<(&'static str, Value)> {
    let patch =
        r"*** Begin Patch\n*** Update File: src/log.py\n@@\n-import sys\n+import os\n*** End Patch";
    let calls = TOOLS
        .lines()
        .filter_map(|line| line.strip_prefix(agent)?.strip_prefix(' '));
    let calls = calls.map(|call| {
        let (tool, input) = call.split_once(' ').unwrap();
        (
            tool,
            serde_json::from_str(&input.replace("PATCH", patch)).unwrap(),
        )
    });
    calls.collect()
}

#[test]
fn every_agent_is_answered_in_its_own_form() {
    let repo = repo();
    let ask = |agent: &str, tool: &str, input: &Value| {
        hook(&repo, agent, payload(&repo, agent, tool, input).to_string())
    };
    for agent in agents() {
        for (tool, input) in tools(agent) {
            assert_allowed(agent, &ask(agent, tool, &input));
            for (path, part) in [
                ("src/other.py", "[out-of-scope]"),
                ("/etc/hostname", "[outside-workspace]"),
            ] {
                let text = input.to_string().replace(LOG, path);
                let input = serde_json::from_str(&text).unwrap();
                assert_denied(agent, &ask(agent, tool, &input), part);
            }
            let mut more = input.clone();
            more["mode"] = "append".into();
            assert_denied(agent, &ask(agent, tool, &more), "does not know");
        }
        assert_allowed(agent, &ask(agent, "run", &json!({"command": "make"})));
        let foreign = json!({"file": LOG, "content": "x"});
        let part = "guard does not know the tool store";
        assert_denied(agent, &ask(agent, "store", &foreign), part);
        for broken in ["", "{\"a\": 1}"] {
            assert_denied(agent, &hook(&repo, agent, broken), "is unusable");
        }
    }
    for tool in ["insert_edit_into_file", "create_new_jupyter_notebook"] {
        let answer = ask("vscode", tool, &json!({"query": "x"}));
        assert_denied("vscode", &answer, "does not know the tool");
    }
    // Reads count where the settings name secrets.
    let secrets = format!("{SETTINGS}[workspace]\nsecrets = [\".env\"]\n");
    repo.stage("guard.toml", secrets);
    repo.commit("Name a secret");
    for (agent, tool, key) in [
        ("claude", "Read", "file_path"),
        ("copilot", "view", "path"),
        ("gemini", "read_file", "file_path"),
        ("opencode", "read", "filePath"),
    ] {
        assert_allowed(agent, &ask(agent, tool, &json!({key: LOG})));
        assert_denied(agent, &ask(agent, tool, &json!({key: ".env"})), ".env");
    }
}

#[test]
fn copilot_may_send_its_arguments_as_text_and_claudes_payload() {
    let repo = repo();
    let text = json!({"path": LOG, "file_text": "x\n"}).to_string();
    let as_text = payload(&repo, "copilot", "create", &text.into());
    let input = json!({"file_path": LOG, "content": "x\n"});
    for sent in [as_text, claude(&repo, "Write", &input)] {
        let sent = sent.to_string();
        assert_allowed("copilot", &hook(&repo, "copilot", &sent));
        let refused = hook(&repo, "copilot", sent.replace(LOG, "src/other.py"));
        assert_denied("copilot", &refused, "[out-of-scope]");
    }
    let broken = payload(&repo, "copilot", "create", &"{".into()).to_string();
    let answer = hook(&repo, "copilot", broken);
    assert_denied("copilot", &answer, "not a JSON object");
}

#[test]
fn agent_that_runs_the_hook_of_another_is_answered_in_its_own_form_and_denied_by_the_exit_code() {
    let repo = repo();
    for sender in ["codex", "copilot", "cursor", "gemini", "vscode"] {
        for named in agents().filter(|named| *named != sender) {
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

#[test]
#[cfg_attr(
    not(target_os = "linux"),
    ignore = "needs /dev/full, which only Linux has"
)]
fn denial_that_cannot_be_printed_is_a_denial() {
    let repo = repo();
    // What is refused, without standard output and without standard error.
    for (agent, unanswered, untold) in [("claude", 2, 0), ("copilot", 2, 0), ("opencode", 2, 2)] {
        let (tool, input) = tools(agent).remove(0);
        let sent = payload(&repo, agent, tool, &input).to_string();
        let sent = sent.replace(LOG, "src/other.py");
        for (to, code) in [(">", unanswered), ("2>", untold)] {
            let mut guard = repo.command("sh");
            let script = format!("exec \"$0\" hook {agent} {to}/dev/full");
            let output = run_with_input(guard.args(["-c", &script, GUARD]), sent.as_bytes());
            assert_eq!(output.code, code, "{agent} {to}: {output:?}");
            let told = output.text().contains("[out-of-scope]");
            assert_eq!(told, (agent, to) != ("opencode", "2>"), "{agent} {to}");
        }
    }
}

#[test]
fn workspace_of_cursor_is_its_only_root() {
    let repo = repo();
    let mut sent = payload(&repo, "cursor", "Delete", &json!({"path": LOG}));
    let ask = |sent: &Value| hook(&repo, "cursor", sent.to_string());
    assert_denied("cursor", &ask(&sent), "src/log.py");
    sent["tool_name"] = "Write".into();
    sent["tool_input"] = json!({"file_path": LOG, "content": "x\n"});
    assert_allowed("cursor", &ask(&sent));
    for roots in [json!([]), json!(["/elsewhere", repo.root])] {
        sent["workspace_roots"] = roots;
        assert_denied("cursor", &ask(&sent), "neither `cwd`");
    }
}

/// What each agent sends after its shell tool, beside what it sends before, and where a report stands in the answer. At
/// the end of a turn, a call that has not ended may have been denied, so what changed is a note.
const EVENTS: &str = r#"claude Bash {"hook_event_name": "PostToolUse"} /hookSpecificOutput/additionalContext
claude Bash {"hook_event_name": "PostToolUseFailure"} /hookSpecificOutput/additionalContext
claude Bash {"hook_event_name": "SubagentStop"} /hookSpecificOutput/additionalContext
claude Bash {"hook_event_name": "Stop"} /hookSpecificOutput/additionalContext
codex Bash {"hook_event_name": "PostToolUse"} /hookSpecificOutput/additionalContext
codex Bash {"hook_event_name": "Stop"} /systemMessage
copilot bash {"toolResult": {}} /additionalContext
copilot bash {"stopReason": "end_turn"} /additionalContext
cursor Shell {"hook_event_name": "postToolUse"} /additional_context
cursor Shell {"hook_event_name": "stop", "status": "completed", "loop_count": 0} /additional_context
gemini run_shell_command {"hook_event_name": "AfterTool"} /hookSpecificOutput/additionalContext
gemini run_shell_command {"hook_event_name": "AfterAgent"} /hookSpecificOutput/additionalContext
opencode bash {"hook_event_name": "tool.execute.after"} /report
opencode bash {"hook_event_name": "session.idle"} /report
vscode run_in_terminal {"hookEventName": "PostToolUse"} /hookSpecificOutput/additionalContext
vscode run_in_terminal {"hookEventName": "Stop"} /hookSpecificOutput/additionalContext"#;

/// The agent, what it sends before its shell tool and after it, and the place of the report.
fn events(repo: &Repo) -> impl Iterator<Item = (&'static str, Value, Value, &'static str)> {
    EVENTS.lines().map(|line| {
        let (agent, rest) = line.split_once(' ').unwrap();
        let (tool, rest) = rest.split_once(' ').unwrap();
        let (more, place) = rest.rsplit_once(' ').unwrap();
        let before = payload(repo, agent, tool, &json!({"command": "make"}));
        (agent, before.clone(), with(before, more), place)
    })
}

fn with(mut payload: Value, more: &str) -> Value {
    let more: serde_json::Map<_, _> = serde_json::from_str(more).unwrap();
    payload.as_object_mut().unwrap().extend(more);
    payload
}

#[test]
fn commands_are_observed_and_reported_in_the_form_of_every_agent() {
    let template = repo();
    for at in 0..EVENTS.lines().count() {
        let repo = copy_of(&template);
        let (agent, before, after, place) = events(&repo).nth(at).unwrap();
        assert_allowed(agent, &hook(&repo, agent, before.to_string()));
        repo.write("src/new.py", "x\n");
        // Cursor goes on after a report, and begins another round after a person has stopped it.
        if after["loop_count"] == 0 {
            for more in [r#"{"status": "aborted"}"#, r#"{"loop_count": 1}"#] {
                let repeated = with(after.clone(), more).to_string();
                assert_allowed(agent, &hook(&repo, agent, repeated));
            }
        }
        let answer = hook(&repo, agent, after.to_string());
        let told: Value = serde_json::from_str(&answer.exits(0).stdout).unwrap();
        let told = told.pointer(place).and_then(Value::as_str);
        assert_says(told.unwrap(), &["src/new.py is not in the design"]);
    }
}

/// Codex applies such a patch itself, and sends no event after it.
#[test]
fn patch_in_a_command_without_an_event_after_it_is_told_by_the_next_event() {
    let template = repo();
    let ends = [
        r#"{"hook_event_name": "PostToolUse"}"#,
        r#"{"hook_event_name": "Stop"}"#,
    ];
    for (end, has_another_call) in ends.into_iter().zip([true, false]) {
        let repo = copy_of(&template);
        let patch = "*** Begin Patch\n*** Add File: src/new.py\n+x\n*** End Patch\n";
        let command = format!("apply_patch <<'EOF'\n{patch}EOF\n");
        let call = payload(&repo, "codex", "Bash", &json!({"command": command}));
        assert_allowed("codex", &hook(&repo, "codex", call.to_string()));
        repo.write("src/new.py", "x\n");
        let mut last = call;
        if has_another_call {
            last = payload(&repo, "codex", "Bash", &json!({"command": "ls"}));
            last["tool_use_id"] = "c2".into();
            assert_allowed("codex", &hook(&repo, "codex", last.to_string()));
        }
        let answer = hook(&repo, "codex", with(last, end).to_string());
        let told: Value = serde_json::from_str(&answer.exits(0).stdout).unwrap();
        let place = ["/systemMessage", "/hookSpecificOutput/additionalContext"]
            [usize::from(has_another_call)];
        let told = told.pointer(place).and_then(Value::as_str);
        assert_says(told.unwrap(), &["src/new.py is not in the design"]);
    }
}

#[test]
fn checkpoints_go_at_the_end_of_a_session() {
    let template = repo();
    for (agent, end) in [
        ("claude", r#"{"hook_event_name": "SessionEnd"}"#),
        ("copilot", r#"{"reason": "complete"}"#),
        ("cursor", r#"{"hook_event_name": "sessionEnd"}"#),
        ("gemini", r#"{"hook_event_name": "SessionEnd"}"#),
        ("opencode", r#"{"hook_event_name": "session.deleted"}"#),
    ] {
        let repo = copy_of(&template);
        let (_, before, ..) = events(&repo).find(|(name, ..)| *name == agent).unwrap();
        assert_allowed(agent, &hook(&repo, agent, before.to_string()));
        let held = || repo.git(&["for-each-ref", "refs/guard/checkpoints"]);
        assert_ne!(held(), "", "{agent}");
        let mut stores = fs::read_dir(repo.home().join(".cache/guard")).unwrap();
        let objects = stores.next().unwrap().unwrap().path().join("objects");
        assert!(objects.exists(), "{agent}");
        let end = with(before, end).to_string();
        assert_allowed(agent, &hook(&repo, agent, end));
        assert!(!objects.exists(), "{agent}");
        assert_eq!(held(), "", "{agent}");
    }
}

#[test]
fn every_failure_is_a_denial_in_the_terms_of_every_agent() {
    let template = repo();
    // Neither the snapshot nor the record can be written.
    for (command, part) in [
        ("rm -r .git", "not in a git repository"),
        ("echo 'ref: ' >.git/HEAD", "guard"),
        ("mkdir -p .git/refs; touch .git/refs/guard", "the snapshot"),
        ("mkdir -p .git/guard/log.jsonl", "the audit log"),
    ] {
        let repo = copy_of(&template);
        run(repo.command("sh").args(["-c", command])).exits(0);
        for agent in agents() {
            let (tool, input) = tools(agent).remove(0);
            let sent = payload(&repo, agent, tool, &input).to_string();
            assert_denied(agent, &hook(&repo, agent, sent), part);
        }
    }
}
