//! `guard hook claude`: payloads as Claude Code sends them, against real repositories.

#![cfg(unix)]
#![allow(clippy::unwrap_used)]

use std::fs;
use std::io::Write as _;
use std::process::Stdio;

use crate::common::agents::{
    Answered, LOG, NOTEBOOK, STATE, absolute, assert_says, call, check, claude, codex, edit, hook,
    read, repo, write,
};
use crate::common::raw;
use crate::common::terminal::{End, driver, guard_at_terminal};
use crate::common::{GUARD, Repo, lines, run_with_input};
use serde_json::{Value, json};

#[test]
fn allowed_calls_pass_without_a_word_and_guard_changes_no_file() {
    let repo = repo();
    let files = || raw::digest_tree(&repo.path("src"));
    let before = files();
    write(&repo, "src/utils/lld.py", "new = 1\n").passes();
    write(&repo, LOG, "").passes();
    edit(&repo, LOG, "import sys", "import os", false).passes();
    edit(&repo, LOG, "level = 1", "level = 2", true).passes();
    // Without old text, an edit begins a file.
    edit(&repo, "src/utils/lld.py", "", "new = 1\n", false).passes();
    let edits = json!([
        {"old_string": "import sys", "new_string": "import os"},
        {"old_string": "import os", "new_string": "import re"},
        {"old_string": "level = 1", "new_string": "level = 2", "replace_all": true},
    ]);
    call(
        &repo,
        "MultiEdit",
        &json!({"file_path": absolute(&repo, LOG), "edits": edits}),
    )
    .passes();
    read(&repo, LOG).passes();
    read(&repo, "src/missing.py").passes();
    assert_eq!(files(), before);
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
}

#[test]
fn file_outside_the_design_is_denied_with_the_closest_path() {
    let repo = repo();
    let reason = write(&repo, "src/core/lld.py", "new = 1\n").denies();
    assert_says(
        &reason,
        &[
            "guard refused Write: src/core/lld.py is not in the design [out-of-scope]",
            "Closest path in the design: src/utils/lld.py (docs/lld/active/LLD-188.md:",
            "| `src/core/lld.py` | Add |",
            "Ask the user before you add the row.",
        ],
    );
    let reason = edit(&repo, "src/other.py", "x = 1", "x = 2", false).denies();
    assert_says(
        &reason,
        &["guard refused Edit: src/other.py is not in the design"],
    );
    assert!(!repo.path("src/core").exists());
    let last = repo.records().pop().unwrap();
    assert_eq!(last["event"], "refused");
    assert_eq!(last["rule"], "out-of-scope");
}

#[test]
fn secrets_and_read_roots_count() {
    assert_says(
        &write(&repo(), ".env", "TOKEN=2\n").denies(),
        &["guard refused Write: .env"],
    );
    let repo = Repo::open_with("[workspace]\nsecrets = [\".env\"]\n");
    assert_says(&read(&repo, ".env").denies(), &["guard refused Read: .env"]);
    let repo = Repo::open_with("[workspace]\nread = [\"src\"]\nwrite = [\"src\"]\n");
    read(&repo, "src/a.py").passes();
    assert_says(
        &read(&repo, "/etc/passwd").denies(),
        &["guard refused Read: ", "[outside-workspace]"],
    );
    assert_says(
        &read(&repo, "docs/a.md").denies(),
        &["outside the read roots", "[outside-roots]"],
    );
    assert_says(
        &write(&repo, "docs/a.md", "x\n").denies(),
        &["outside the write roots"],
    );
}

#[test]
fn replacement_is_held_and_passes_after_approval_of_exactly_this_content() {
    let repo = repo();
    let new = lines(1..=200).replace("line", "other");
    let reason = write(&repo, STATE, &new).denies();
    let held = repo.json(&["pending"])["held"].clone();
    let id = held[0]["id"].as_str().unwrap().to_owned();
    assert_says(
        &reason,
        &[
            "guard: Write waits for approval: src/state.py",
            "[destructive-change]",
            &format!("guard approve {id}"),
        ],
    );
    // The same request is the same held change.
    assert_eq!(write(&repo, STATE, &new).denies(), reason);
    assert_eq!(repo.json(&["pending"])["held"].as_array().unwrap().len(), 1);
    assert_eq!(repo.read(STATE), lines(1..=200).as_bytes());
    let Some(driver) = driver(&repo) else {
        return;
    };
    let answers = [("Type `", "line\n"), ("Reason: ", "a new format\n")];
    guard_at_terminal(driver, &["approve", &id], &answers, End::Wait).exits(0);
    assert_eq!(repo.read(STATE), new.as_bytes(), "approving writes it");
    write(&repo, STATE, &new).passes();
    repo.git(&["restore", STATE]);
    write(&repo, STATE, &new).passes();
    assert_says(
        &write(&repo, STATE, &format!("{new}more\n")).denies(),
        &["guard: Write waits for approval"],
    );
}

#[test]
fn edits_are_judged_by_what_they_leave() {
    let repo = repo();
    let old: String = lines(1..=150);
    let reason = edit(&repo, STATE, &old, "gone\n", false).denies();
    assert_says(&reason, &["guard: Edit waits for approval: src/state.py"]);
    // A small text that occurs everywhere.
    let reason = edit(&repo, STATE, "line number", "other", true).denies();
    assert_says(&reason, &["guard: Edit waits for approval: src/state.py"]);
    let edits = json!([
        {"old_string": lines(1..=60), "new_string": ""},
        {"old_string": lines(61..=120), "new_string": ""},
    ]);
    let input = json!({"file_path": absolute(&repo, STATE), "edits": edits});
    let reason = call(&repo, "MultiEdit", &input).denies();
    assert_says(
        &reason,
        &["guard: MultiEdit waits for approval: src/state.py"],
    );
}

#[test]
fn edit_that_guard_cannot_rebuild_is_denied() {
    let repo = repo();
    let reason = edit(&repo, LOG, "import  sys", "x", false).denies();
    assert_says(&reason, &["the search text is not in the file"]);
    let reason = edit(&repo, LOG, "level = 1", "x", false).denies();
    assert_says(&reason, &["the search text occurs 2 times: lines 3, 4"]);
    edit(&repo, LOG, "no such text", "x", true).denies();
    edit(&repo, LOG, "", "x", false).denies();
    edit(&repo, "src/utils/lld.py", "x", "y", false).denies();
    let edits = json!([
        {"old_string": "import sys", "new_string": "import os"},
        {"old_string": "import sys", "new_string": "import re"},
    ]);
    let input = json!({"file_path": absolute(&repo, LOG), "edits": edits});
    assert_says(
        &call(&repo, "MultiEdit", &input).denies(),
        &["edit 2 of 2: "],
    );
    let input = json!({"file_path": absolute(&repo, LOG), "edits": []});
    call(&repo, "MultiEdit", &input).denies();
}

#[test]
fn edit_of_a_file_with_crlf_is_rebuilt() {
    let repo = repo();
    repo.write(LOG, "one\r\ntwo\r\nthree\r\n");
    edit(&repo, LOG, "one\ntwo\n", "1\n2\n", false).passes();
    edit(&repo, LOG, "one\r\ntwo\r\n", "1\r\n2\r\n", false).passes();
    edit(&repo, LOG, "two", "2\n2", false).passes();
    edit(&repo, LOG, "one\nthree\n", "1\n", false).denies();
}

#[test]
fn cells_of_a_notebook_are_rebuilt() {
    let repo = repo();
    let cell = |input: Value| {
        let mut input = input;
        input["notebook_path"] = absolute(&repo, NOTEBOOK).into();
        call(&repo, "NotebookEdit", &input)
    };
    cell(json!({"cell_id": "intro", "new_source": "# Other\n"})).passes();
    cell(
        json!({"cell_id": "intro", "new_source": "x", "cell_type": "code", "edit_mode": "insert"}),
    )
    .passes();
    cell(json!({"new_source": "x", "cell_type": "markdown", "edit_mode": "insert"})).passes();
    cell(json!({"cell_id": "cell-0", "new_source": "", "edit_mode": "delete"})).passes();
    for bad in [
        json!({"cell_id": "missing", "new_source": "x"}),
        json!({"cell_id": "cell-2", "new_source": "x"}),
        json!({"new_source": "x"}),
        json!({"cell_id": "intro", "new_source": "x", "edit_mode": "swap"}),
    ] {
        cell(bad).denies();
    }
    // The 200 lines of output go as well.
    for lossy in [
        json!({"cell_id": "load", "new_source": "", "edit_mode": "delete"}),
        json!({"cell_id": "cell-1", "new_source": "x = 2"}),
    ] {
        assert_says(
            &cell(lossy).denies(),
            &["guard: NotebookEdit waits for approval: work.ipynb"],
        );
    }
    let reason = call(
        &repo,
        "NotebookEdit",
        &json!({
            "notebook_path": absolute(&repo, "src/utils/lld.py"), "cell_id": "a", "new_source": "x",
        }),
    );
    assert_says(
        &reason.denies(),
        &["guard cannot rebuild the notebook: there is no such file"],
    );
}

#[test]
fn input_that_guard_does_not_understand_is_denied() {
    let repo = repo();
    let path = absolute(&repo, LOG);
    let fine = claude(
        &repo,
        "Write",
        &json!({"file_path": path, "content": "x\n"}),
    );
    hook(&repo, "claude", fine.to_string()).passes();
    let changed = |change: &dyn Fn(&mut Value)| {
        let mut payload = fine.clone();
        change(&mut payload);
        payload.to_string()
    };
    let cases: Vec<(String, &str)> = vec![
        (String::new(), "standard input is empty"),
        (" \n".into(), "standard input is empty"),
        ("{".into(), "it is not valid JSON"),
        ("write it".into(), "it is not valid JSON"),
        (format!("{fine}{fine}"), "it is not valid JSON"),
        ("[]".into(), "it is not a JSON object"),
        ("null".into(), "it is not a JSON object"),
        ("{}".into(), "missing field"),
        (
            changed(&|all| all["hook_event_name"] = "Notification".into()),
            "PreToolUse only",
        ),
        (
            changed(&|all| all["hook_event_name"] = 1.into()),
            "invalid type",
        ),
        (
            changed(&|all| all["cwd"] = ".".into()),
            "`cwd` is not an absolute path",
        ),
        (
            changed(&|all| all["cwd"] = "/no/such/place".into()),
            "cannot be entered",
        ),
        (
            changed(&|all| all["tool_name"] = Value::Null),
            "invalid type",
        ),
        (
            changed(&|all| all["tool_input"] = "x".into()),
            "the input of the tool is not a JSON object",
        ),
        (
            changed(&|all| all["tool_input"] = json!({})),
            "the tool Write has a shape that guard does not know",
        ),
        (
            changed(&|all| all["tool_input"]["content"] = json!(["x"])),
            "does not know: invalid type",
        ),
        (
            changed(&|all| all["tool_input"]["append"] = true.into()),
            "unknown field `append`",
        ),
        (
            changed(&|all| all["tool_input"]["file_path"] = "".into()),
            "[unsafe-path]",
        ),
        (
            changed(&|all| all["tool_input"]["file_path"] = "src/a\u{0}b".into()),
            "NUL",
        ),
    ];
    for (payload, part) in cases {
        let reason = hook(&repo, "claude", payload).denies();
        assert_says(&reason, &[part]);
    }
    let bytes = hook(&repo, "claude", b"{\"cwd\": \"\xff\"}");
    assert_says(&bytes.denies(), &["it is not valid JSON"]);
    let bom = [b"\xef\xbb\xbf", fine.to_string().as_bytes()].concat();
    hook(&repo, "claude", bom).passes();
}

#[test]
fn tools_that_change_no_files_pass_and_unknown_ones_that_may_are_denied() {
    let repo = repo();
    let path = absolute(&repo, LOG);
    for (tool, input) in [
        (
            "Bash",
            json!({"command": "cargo test", "description": "Run"}),
        ),
        ("Grep", json!({"pattern": "x", "path": path})),
        ("TodoWrite", json!({"todos": [{"content": "write it"}]})),
        (
            "mcp__tracker__create_issue",
            json!({"title": "x", "body": "y"}),
        ),
    ] {
        call(&repo, tool, &input).passes();
    }
    for (tool, input) in [
        ("save_file", json!({"filePath": path, "content": "x"})),
        (
            "mcp__files__write_file",
            json!({"path": path, "content": "x"}),
        ),
        (
            "mcp__files__move_file",
            json!({"source": path, "destination": "b"}),
        ),
        (
            "change_files",
            json!({"input": "*** Begin Patch\n*** Delete File: a\n*** End Patch"}),
        ),
        ("delete_file", json!({"path": path})),
    ] {
        let reason = call(&repo, tool, &input).denies();
        assert_says(&reason, &["guard does not know the tool", tool]);
    }
}

#[test]
fn too_much_input_is_denied() {
    let repo = repo();
    let mut payload = claude(
        &repo,
        "Write",
        &json!({"file_path": absolute(&repo, LOG), "content": "x"}),
    )
    .to_string();
    payload.push_str(&" ".repeat(16 << 20));
    let reason = hook(&repo, "claude", payload).denies();
    assert_says(&reason, &["standard input has more than 16777216 bytes"]);
}

#[test]
fn input_without_end_is_denied_in_the_form_of_every_agent() {
    let repo = repo();
    let agents = [
        ("claude", "\"deny\""),
        ("codex", "\"deny\""),
        ("copilot", "\"deny\""),
        ("cursor", "\"deny\""),
        ("gemini", "\"deny\""),
        ("opencode", ""),
        ("vscode", "\"deny\""),
    ];
    // All wait at once.
    let waiting = agents.map(|(agent, denial)| {
        let mut child = repo
            .command(GUARD)
            .args(["hook", agent])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(b"{").unwrap();
        (agent, denial, child, stdin)
    });
    for (agent, denial, child, stdin) in waiting {
        let output = child.wait_with_output().unwrap();
        drop(stdin);
        assert_eq!(output.status.code(), Some(2), "{agent}");
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(text.contains("so it is denied"), "{agent}: {text}");
        let answer = String::from_utf8(output.stdout).unwrap();
        assert_eq!(answer.is_empty(), denial.is_empty(), "{agent}: {answer}");
        assert!(answer.contains(denial), "{agent}: {answer}");
    }
}

#[test]
fn without_a_policy_every_write_is_denied() {
    let nothing = Repo::nothing();
    let reason = write(&nothing, "a.py", "x\n").denies();
    assert_says(&reason, &["guard could not check Write: "]);
    read(&nothing, "a.py").denies();
    let bare = Repo::new();
    bare.stage("a.py", "x\n");
    bare.commit("Begin");
    assert_says(&write(&bare, "a.py", "y\n").denies(), &["guard init"]);
    let repo = repo();
    repo.git(&["switch", "--quiet", "main"]);
    assert_says(
        &write(&repo, LOG, "y\n").denies(),
        &["guard could not check Write: "],
    );
    repo.stage("guard.toml", "[lld]\npaht = \"x\"\n");
    repo.commit("Break the settings");
    assert_says(&write(&repo, LOG, "y\n").denies(), &["paht"]);
    fs::remove_dir_all(repo.path(".git/refs")).unwrap();
    write(&repo, LOG, "y\n").denies();
}

#[test]
fn agent_cannot_choose_another_judge_by_changing_its_directory() {
    let repo = repo();
    let own = repo.path("../own");
    fs::create_dir(&own).unwrap();
    repo.git(&["init", "--quiet", "--template=", own.to_str().unwrap()]);
    fs::write(own.join("guard.toml"), "[lld]\nmissing = \"skip\"\n").unwrap();
    let own_git = |words: &[&str]| {
        repo.git(&[&["-C", own.to_str().unwrap()], words].concat());
    };
    own_git(&["add", "guard.toml"]);
    own_git(&["commit", "--quiet", "-m", "Allow all"]);
    let call = |cwd: &str, path: &str| {
        let mut payload = claude(
            &repo,
            "Write",
            &json!({"file_path": path, "content": "x\n"}),
        );
        payload["cwd"] = cwd.into();
        let mut guard = repo.command(GUARD);
        guard
            .args(["hook", "claude"])
            .env("CLAUDE_PROJECT_DIR", &repo.root);
        run_with_input(&mut guard, payload.to_string().as_bytes())
    };
    let own = own.canonicalize().unwrap().to_str().unwrap().to_owned();
    assert_says(
        &call(&own, &format!("{own}/a.py")).denies(),
        &["[outside-workspace]"],
    );
    assert_says(
        &call(&own, &absolute(&repo, "src/other.py")).denies(),
        &["[out-of-scope]"],
    );
    call(&own, &absolute(&repo, LOG)).passes();
    assert_says(&call(&own, LOG).denies(), &["use the absolute path"]);
    call(&absolute(&repo, "src"), "log.py").passes();
    // A linked work tree is part of the project.
    let tree = repo.path("../tree");
    repo.git(&[
        "worktree",
        "add",
        "--quiet",
        "-b",
        "188-more",
        tree.to_str().unwrap(),
    ]);
    let tree = tree.canonicalize().unwrap().to_str().unwrap().to_owned();
    call(&tree, &format!("{tree}/{LOG}")).passes();
    assert_says(
        &call(&tree, &format!("{tree}/src/other.py")).denies(),
        &["[out-of-scope]"],
    );
}

#[test]
fn edits_and_check_give_one_verdict() {
    let repo = repo();
    let old = lines(1..=200);
    let (mut passed, mut held) = (0, 0);
    for last in (90..=110).step_by(4).chain([100]) {
        let removed = lines(1..=last);
        let new = format!("new\n{}", old.strip_prefix(&removed).unwrap());
        let removed_lines: String = removed.lines().map(|line| format!("-{line}\n")).collect();
        let patch = format!(
            "*** Begin Patch\n*** Update File: {STATE}\n@@\n{removed_lines}+new\n*** End Patch"
        );
        let is_allowed = check(&repo, STATE, &new);
        let answers = [
            edit(&repo, STATE, &removed, "new\n", false),
            hook(&repo, "codex", codex(&repo, &patch).to_string()),
        ];
        for answer in answers {
            assert_eq!(answer.code == 0, is_allowed, "{last}: {answer:?}");
            match is_allowed {
                true => passed += 1,
                false => held += 1,
            }
        }
    }
    assert!(passed > 3 && held > 3, "{passed} {held}");
}

#[test]
fn third_identical_refusal_is_shorter() {
    let repo = repo();
    let first = write(&repo, "src/core/lld.py", "new = 1\n").denies();
    assert!(first.len() <= 620, "{}: {first}", first.len());
    assert_eq!(write(&repo, "src/core/lld.py", "new = 1\n").denies(), first);
    let third = write(&repo, "src/core/lld.py", "new = 1\n").denies();
    assert!(third.len() < first.len() / 2, "{third}");
    assert_says(
        &third,
        &[
            "guard refused Write: src/core/lld.py is not in the design [out-of-scope]",
            "same refusal as before",
        ],
    );
    // Another refusal, and another session, read all of it.
    write(&repo, "src/core/other.py", "new = 1\n").denies();
    assert_eq!(write(&repo, "src/core/lld.py", "new = 1\n").denies(), first);
}

#[test]
fn no_refusal_tells_the_agent_what_approves_it() {
    let repo = repo();
    let reason = write(&repo, STATE, "gone\n").denies();
    // The id alone approves nothing: `guard approve` wants a terminal and a word of the change.
    assert_says(&reason, &["a person decides: guard approve"]);
    assert!(!reason.contains("Type `"), "{reason}");
    assert!(reason.len() <= 620, "{}: {reason}", reason.len());
}

/// The snapshots, newest first.
fn snapshots(repo: &Repo) -> Vec<Value> {
    let report = repo.json(&["snapshot", "list"]);
    report["snapshots"].as_array().unwrap().clone()
}

#[track_caller]
fn restore(repo: &Repo, snapshot: &Value) {
    let id = snapshot["id"].as_str().unwrap();
    repo.guard(&["snapshot", "restore", id]).exits(0);
}

#[test]
fn existing_file_has_a_snapshot_and_a_record_before_an_agent_changes_it() {
    let repo = repo();
    let old = String::from_utf8(repo.read(STATE)).unwrap();
    let new = lines(41..=200);
    write(&repo, STATE, &new).passes();
    assert_eq!(repo.read(STATE), old.as_bytes());
    let [taken] = snapshots(&repo).try_into().unwrap();
    assert_eq!(taken["title"], "Backup before file mod: state.py");
    assert_eq!(taken["files"], json!([STATE]));
    let record = repo.records().pop().unwrap();
    for (key, value) in [
        ("event", json!("passed")),
        ("operation", json!("write")),
        ("path", json!(STATE)),
        ("tool", json!("Write")),
        ("old", repo.blob(old.as_bytes()).to_string().into()),
        ("new", repo.blob(new.as_bytes()).to_string().into()),
        ("backup", taken["id"].clone()),
    ] {
        assert_eq!(record[key], value, "{key}");
    }
    repo.guard(&["audit", "verify"]).exits(0);
    // The agent writes it.
    repo.write(STATE, &new);
    restore(&repo, &taken);
    assert_eq!(repo.read(STATE), old.as_bytes());
}

#[test]
fn what_loses_nothing_has_no_snapshot() {
    let repo = repo();
    repo.write("src/utils/lld.py", "");
    let old = String::from_utf8(repo.read(STATE)).unwrap();
    write(&repo, STATE, &old).passes();
    write(&repo, "src/utils/lld.py", "new = 1\n").passes();
    fs::remove_file(repo.path("src/utils/lld.py")).unwrap();
    write(&repo, "src/utils/lld.py", "new = 1\n").passes();
    read(&repo, STATE).passes();
    call(
        &repo,
        "Bash",
        &json!({"command": "cat src/state.py > /dev/null"}),
    )
    .passes();
    write(&repo, STATE, "gone\n").denies();
    let records = repo.records();
    assert!(
        records.iter().all(|record| record["event"] == "refused"),
        "{records:?}"
    );
    assert!(snapshots(&repo).is_empty());
}

#[test]
fn one_snapshot_holds_all_files_of_a_call() {
    let repo = Repo::new();
    repo.stage("a.py", lines(1..=20));
    repo.stage("b.py", "x = 1\ny = 2\n");
    repo.stage("c.py", "z = 1\n");
    repo.commit("Begin");
    repo.govern(&[
        ("a.py", "Modify", "x"),
        ("b.py", "Delete", "moved"),
        ("new.py", "Add", "moved"),
        ("c.py", "Delete", "old"),
    ]);
    let patch = "*** Begin Patch\n*** Update File: a.py\n@@\n-line number 3\n+x\n\
                 *** Update File: b.py\n*** Move to: new.py\n@@\n-x = 1\n+x = 2\n\
                 *** Delete File: c.py\n*** End Patch\n";
    hook(&repo, "codex", codex(&repo, patch).to_string()).passes();
    let [taken] = snapshots(&repo).try_into().unwrap();
    assert_eq!(taken["files"], json!(["a.py", "b.py", "c.py"]));
    assert_eq!(taken["absent"], json!(["new.py"]));
    let records = repo.records();
    assert_eq!(records.len(), 3);
    assert!(records.iter().all(|record| record["event"] == "passed"));
    // The agent does it.
    repo.write("a.py", lines(1..=20).replace("line number 3\n", "x\n"));
    repo.write("new.py", "x = 2\ny = 2\n");
    for gone in ["b.py", "c.py"] {
        fs::remove_file(repo.path(gone)).unwrap();
    }
    restore(&repo, &taken);
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
}

#[test]
fn without_a_snapshot_or_a_record_an_agent_may_not_change_a_file() {
    type Break = fn(&Repo);
    let breaks: [Break; 2] = [
        |repo| repo.write(".git/refs/guard", ""),
        |repo| fs::create_dir_all(repo.path(".git/guard/log.jsonl")).unwrap(),
    ];
    for break_it in breaks {
        let repo = repo();
        break_it(&repo);
        let reason = write(&repo, LOG, "x = 1\n").denies();
        assert_says(
            &reason,
            &["guard could not check Write: ", "Nothing was written."],
        );
        write(&repo, "src/utils/lld.py", "new = 1\n").passes();
    }
}

/// A message repeats what the payload says only with control characters spelled out, and of two values for one key an
/// agent might take the other.
#[test]
fn odd_keys_are_escaped_and_keys_that_occur_twice_are_denied() {
    let repo = repo();
    let path = absolute(&repo, LOG);
    let input = json!({"file_path": path, "content": "x\n", "\u{1b}]0;owned\u{7}": 1});
    let output = call(&repo, "Write", &input);
    assert!(!output.text().contains(['\u{1b}', '\u{7}']), "{output:?}");
    assert!(!output.stdout.contains("\\u001b"), "{output:?}");
    assert_says(&output.denies(), &["has a shape that guard does not know"]);

    let input = json!({"file_path": path, "content": "x\n"});
    let payload = claude(&repo, "Write", &input).to_string();
    let outside = absolute(&repo, "src/../../outside.py");
    let twice = payload.replace(
        "\"content\"",
        &format!("\"file_path\": {}, \"content\"", json!(outside)),
    );
    assert_ne!(twice, payload);
    let reason = hook(&repo, "claude", twice).denies();
    assert_says(&reason, &["a key occurs twice"]);
}

/// In HEAD, the settings in which guard is registered belong to the people who review them.
#[test]
fn settings_that_call_guard_are_closed_to_requests_once_they_are_committed() {
    let repo = Repo::new();
    let settings = ".claude/settings.json";
    let local = ".claude/settings.local.json";
    repo.govern(&[(settings, "Add/Modify", ""), (local, "Add/Modify", "")]);
    let is_open = |path: &str| {
        let report = repo.json(&["check", path]);
        report["results"][0]["allowed"] == true
    };
    repo.stage(settings, "{}\n");
    repo.commit("Settings without guard");
    assert!(is_open(settings) && is_open(local));
    repo.stage(settings, include_str!("../hooks/agents/claude.json"));
    assert!(is_open(settings), "not committed yet");
    repo.guard(&["lint"]).exits(0);
    repo.commit("Let the agent call guard");
    assert!(!is_open(settings) && !is_open(local));
    write(&repo, local, "{\"disableAllHooks\": true}\n").denies();
    repo.put(settings, "{}\n", &[]).fails("refused");
}
