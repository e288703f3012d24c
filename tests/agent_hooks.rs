//! `guard hook claude`: payloads as Claude Code sends them, against real repositories.

use std::fs;
use std::io::Write as _;
use std::process::Stdio;

use crate::agent_protocols::agents;
use crate::common::agents::{
    Answered, LOG, NOTEBOOK, STATE, absolute, call, claude, codex, edit, hook, read, repo, write,
};
use crate::common::system;
use crate::common::terminal::{decide, driver};
use crate::common::{GUARD, Output, Repo, assert_says, lines, raw, run_with_input, table};
use serde_json::{Value, json};

fn multi_edit(repo: &Repo, path: &str, edits: &Value) -> Output {
    let input = json!({"file_path": absolute(repo, path), "edits": edits});
    call(repo, "MultiEdit", &input)
}

#[test]
fn edits_are_rebuilt_or_denied_and_guard_changes_no_file() {
    let repo = repo();
    let files = || raw::digest_tree(&repo.path("src"));
    let before = files();
    write(&repo, "src/utils/lld.py", "new = 1\n").passes();
    write(&repo, LOG, "").passes();
    read(&repo, LOG).passes();
    read(&repo, "src/missing.py").passes();
    for (path, old, all, part) in [
        // Without old text, an edit begins a file.
        ("src/utils/lld.py", "", false, ""),
        (LOG, "import sys", false, ""),
        (LOG, "level = 1", true, ""),
        (LOG, "import  sys", false, "not in the file"),
        (LOG, "level = 1", false, "occurs 2 times: lines 3, 4"),
        (LOG, "no such text", true, "not in the file"),
        (LOG, "", false, "guard"),
        ("src/utils/lld.py", "x", false, "guard"),
    ] {
        edit(&repo, path, old, "y", all).answers(part);
    }
    let several = json!([
        {"old_string": "import sys", "new_string": "import os"},
        {"old_string": "import os", "new_string": "import re"},
        {"old_string": "level = 1", "new_string": "level = 2", "replace_all": true},
    ]);
    multi_edit(&repo, LOG, &several).passes();
    let twice = json!([several[0], several[0]]);
    multi_edit(&repo, LOG, &twice).answers("edit 2 of 2: ");
    multi_edit(&repo, LOG, &json!([])).denies();
    assert_eq!(files(), before);
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
    repo.write(LOG, "one\r\ntwo\r\nthree\r\n");
    edit(&repo, LOG, "one\ntwo\n", "1\n2\n", false).passes();
    edit(&repo, LOG, "one\r\ntwo\r\n", "1\r\n2\r\n", false).passes();
    edit(&repo, LOG, "one\nthree\n", "1\n", false).denies();
}

#[test]
fn file_outside_the_design_is_denied_with_the_closest_path() {
    let repo = repo();
    let reason = write(&repo, "src/core/lld.py", "new = 1\n").denies();
    let parts = [
        "guard refused Write: src/core/lld.py is not in the design [out-of-scope]",
        "Closest path in the design: src/utils/lld.py (docs/lld/active/LLD-188.md:",
        "| `src/core/lld.py` | Add |",
        "Ask the user before you add the row.",
    ];
    assert_says(&reason, &parts);
    assert!(reason.len() <= 620, "{}: {reason}", reason.len());
    let reason = edit(&repo, "src/other.py", "x = 1", "x = 2", false).denies();
    let part = "guard refused Edit: src/other.py is not in the design";
    assert_says(&reason, &[part]);
    assert!(!repo.path("src/core").exists());
    let last = repo.records().pop().unwrap();
    assert_eq!(last["event"], "refused");
    assert_eq!(last["rule"], "out-of-scope");
    assert_says(&write(&repo, ".env", "TOKEN=2\n").denies(), &[".env"]);
}

#[test]
fn replacement_is_held_and_passes_after_approval_of_exactly_this_content() {
    let repo = repo();
    // Edits are judged by what they leave, also a small text that occurs everywhere.
    let two = json!([
        {"old_string": lines(1..=60), "new_string": ""},
        {"old_string": lines(61..=120), "new_string": ""},
    ]);
    let new = lines(1..=200).replace("line", "other");
    for (tool, answer) in [
        ("Edit", edit(&repo, STATE, "line number", "other", true)),
        ("MultiEdit", multi_edit(&repo, STATE, &two)),
        ("Write", write(&repo, STATE, &new)),
    ] {
        answer.answers(&format!("guard: {tool} waits for approval: src/state.py"));
    }
    let reason = write(&repo, STATE, &new).denies();
    // The same request is the same held change.
    assert_eq!(write(&repo, STATE, &new).denies(), reason);
    assert_eq!(repo.pending().len(), 3);
    let id = reason.split_once("guard approve ").unwrap().1;
    let id = id.split_whitespace().next().unwrap().to_owned();
    assert_says(&reason, &["[destructive-change]", "a person decides"]);
    // The id alone approves nothing: `guard approve` wants a terminal and a word of the change.
    assert!(!reason.contains("Type `"), "{reason}");
    assert_eq!(repo.read(STATE), lines(1..=200).as_bytes());
    let Some(driver) = driver(&repo) else { return };
    decide(driver, &["approve", &id], "line", "a new format").exits(0);
    assert_eq!(repo.read(STATE), new.as_bytes(), "approving writes it");
    repo.git(&["restore", STATE]);
    write(&repo, STATE, &new).passes();
    write(&repo, STATE, &format!("{new}more\n")).denies();
}

#[test]
fn cells_of_a_notebook_are_rebuilt() {
    let repo = repo();
    let cells = r#"
        {"cell_id": "intro", "new_source": "Other"} | passes
        {"cell_id": "intro", "new_source": "x", "cell_type": "code", "edit_mode": "insert"} | passes
        {"new_source": "x", "cell_type": "markdown", "edit_mode": "insert"} | passes
        {"cell_id": "cell-0", "new_source": "", "edit_mode": "delete"} | passes
        {"cell_id": "missing", "new_source": "x"} | denied
        {"cell_id": "cell-2", "new_source": "x"} | denied
        {"new_source": "x"} | denied
        {"cell_id": "intro", "new_source": "x", "edit_mode": "swap"} | denied
        {"cell_id": "load", "new_source": "", "edit_mode": "delete"} | held
        {"cell_id": "cell-1", "new_source": "x = 2"} | held"#;
    for [input, expected] in table(cells) {
        let mut input: Value = serde_json::from_str(input).unwrap();
        input["notebook_path"] = absolute(&repo, NOTEBOOK).into();
        let answer = call(&repo, "NotebookEdit", &input);
        match expected {
            "passes" => answer.passes(),
            "denied" => drop(answer.denies()),
            // The 200 lines of output go as well.
            _ => answer.answers("guard: NotebookEdit waits for approval: work.ipynb"),
        }
    }
}

#[test]
fn input_that_guard_does_not_understand_is_denied() {
    let repo = repo();
    let path = absolute(&repo, LOG);
    let input = json!({"file_path": path, "content": "x\n"});
    let fine = claude(&repo, "Write", &input);
    let changed = |place: &str, value: Value| {
        let mut payload = fine.clone();
        let (above, key) = place.rsplit_once('/').unwrap();
        payload.pointer_mut(above).unwrap()[key] = value;
        payload.to_string()
    };
    // Two programs may take different values of one key.
    let twice = format!("\"file_path\": {}, \"content\"", json!(path));
    let twice = fine.to_string().replacen("\"content\"", &twice, 1);
    let large = fine.to_string() + &" ".repeat(16 << 20);
    for (payload, part) in [
        (" \n".into(), "it is not valid JSON"),
        (format!("{fine}{fine}"), "it is not valid JSON"),
        (large, "standard input has more than 16777216 bytes"),
        (twice, "a key occurs twice"),
        ("[]".into(), "it is not a JSON object"),
        ("{}".into(), "PreToolUse only"),
        (changed("/hook_event_name", 1.into()), "PreToolUse only"),
        (changed("/cwd", ".".into()), "neither `cwd`"),
        (
            changed("/cwd", absolute(&repo, "gone").into()),
            "be entered",
        ),
        (changed("/tool_name", Value::Null), "it names no tool"),
        (changed("/tool_input", "x".into()), "not a JSON object"),
        (changed("/tool_input", json!({})), "guard does not know"),
        (changed("/tool_input/content", 1.into()), "invalid type"),
        (changed("/tool_input/append", 1.into()), "unknown field"),
        (changed("/tool_input/file_path", "".into()), "[unsafe-path]"),
        (changed("/tool_input/file_path", "a\0b".into()), "NUL"),
    ] {
        hook(&repo, "claude", payload).answers(part);
    }
    hook(&repo, "claude", b"{\"cwd\": \"\xff\"}").answers("it is not valid JSON");
    let bom = [b"\xef\xbb\xbf", fine.to_string().as_bytes()].concat();
    hook(&repo, "claude", bom).passes();
    // A message repeats what the payload says only with control characters spelled out.
    let odd = changed("/tool_input/\u{1b}]0;owned\u{7}", 1.into());
    let output = hook(&repo, "claude", odd);
    assert!(!output.text().contains(['\u{1b}', '\u{7}']), "{output:?}");
    assert!(!output.stdout.contains("\\u001b"), "{output:?}");
    assert_says(&output.denies(), &["has a shape that guard does not know"]);
}

#[test]
fn tools_that_change_no_files_pass_and_unknown_ones_that_may_are_denied() {
    let repo = repo();
    let path = json!(absolute(&repo, LOG)).to_string();
    for [tool, input, answer] in table(
        r#"Bash | {"command": "cargo test"} | passes
        Grep | {"pattern": "x", "path": "LOG"} | passes
        TodoWrite | {"todos": ["write it"]} | passes
        mcp__a__create_issue | {"title": "x"} | passes
        save | {"filePath": "LOG", "content": "x"} | denied
        mcp__a__write | {"path": "LOG", "text": ""} | denied
        mcp__a__move_file | {"source": "LOG"} | denied
        change_files | {"input": "*** Begin Patch\n*** Delete File: a\n*** End Patch", "in": "b"} | denied
        delete_file | {"path": "LOG"} | denied"#,
    ) {
        let input = serde_json::from_str(&input.replace("\"LOG\"", &path)).unwrap();
        match answer {
            "passes" => call(&repo, tool, &input).passes(),
            _ => call(&repo, tool, &input).answers(&format!("guard does not know the tool {tool}")),
        }
    }
}

#[test]
fn input_without_end_is_denied_in_the_form_of_every_agent() {
    let repo = repo();
    let (reader, mut writer) = std::io::pipe().unwrap();
    writer.write_all(b"{").unwrap();
    // All wait at once.
    let waiting = agents().map(|agent| {
        let mut guard = repo.command(GUARD);
        guard.args(["hook", agent]);
        guard.stdin(reader.try_clone().unwrap());
        guard.stdout(Stdio::piped()).stderr(Stdio::piped());
        (agent, guard.spawn().unwrap())
    });
    let waiting: Vec<_> = waiting.collect();
    for (agent, child) in waiting {
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{agent}");
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(text.contains("so it is denied"), "{agent}: {text}");
        let answer = String::from_utf8(output.stdout).unwrap();
        let is_json = answer.contains("\"deny\"");
        assert_eq!(is_json, agent != "opencode", "{agent}: {answer}");
    }
}

#[test]
fn without_a_policy_every_write_is_denied() {
    let nothing = Repo::nothing();
    write(&nothing, "a.py", "x\n").answers("guard could not check Write: ");
    read(&nothing, "a.py").denies();
    let bare = Repo::new();
    bare.stage("a.py", "x\n");
    bare.commit("Begin");
    write(&bare, "a.py", "y\n").answers("guard init");
    bare.stage("guard.toml", "[lld]\npaht = \"x\"\n");
    bare.commit("Break the settings");
    write(&bare, "a.py", "y\n").answers("paht");
}

#[test]
fn agent_cannot_choose_another_judge_by_changing_its_directory() {
    let repo = repo();
    let own = repo.path("../own");
    fs::create_dir(&own).unwrap();
    let own = system::real(own).to_str().unwrap().to_owned();
    repo.git(&["init", "--quiet", "--template=", &own]);
    fs::write(format!("{own}/guard.toml"), "[lld]\nmissing = \"skip\"\n").unwrap();
    repo.git(&["-C", &own, "add", "guard.toml"]);
    repo.git(&["-C", &own, "commit", "--quiet", "-m", "Allow all"]);
    // A linked work tree is part of the project.
    let tree = format!("{own}/../tree");
    repo.git(&["worktree", "add", "--quiet", "-b", "188-more", &tree]);
    let tree = system::real(tree).to_str().unwrap().to_owned();
    for (cwd, path, part) in [
        (&own, format!("{own}/a.py"), "[outside-workspace]"),
        (&own, absolute(&repo, "src/other.py"), "[out-of-scope]"),
        (&own, absolute(&repo, LOG), ""),
        (&own, LOG.to_owned(), "use the absolute path"),
        (&absolute(&repo, "src"), "log.py".to_owned(), ""),
        (&tree, format!("{tree}/{LOG}"), ""),
        (&tree, format!("{tree}/src/other.py"), "[out-of-scope]"),
    ] {
        let input = json!({"file_path": path, "content": "x\n"});
        let mut payload = claude(&repo, "Write", &input);
        payload["cwd"] = cwd.as_str().into();
        let mut guard = repo.command(GUARD);
        guard.args(["hook", "claude"]);
        guard.env("CLAUDE_PROJECT_DIR", &repo.root);
        let answer = run_with_input(&mut guard, payload.to_string().as_bytes());
        answer.answers(part);
    }
}

#[test]
fn existing_files_have_one_snapshot_and_a_record_each_before_an_agent_changes_them() {
    let repo = Repo::new();
    let old = lines(1..=20);
    let new = old.replace("line number 3\n", "x\n");
    repo.stage("a.py", &old);
    repo.stage("b.py", "x = 1\ny = 2\n");
    repo.stage("c.py", "z = 1\n");
    repo.govern(&[
        ("a.py", "Modify", "x"),
        ("b.py", "Delete", "goes to new.py"),
        ("new.py", "Add", "from b.py"),
        ("c.py", "Delete", "old"),
    ]);
    // What loses nothing has none, nor has what is denied.
    write(&repo, "a.py", &old).passes();
    write(&repo, "new.py", "new = 1\n").passes();
    read(&repo, "a.py").passes();
    write(&repo, "other.py", "x\n").denies();
    assert!(repo.snapshots().is_empty());
    let before = repo.records().len();
    let patch = "*** Begin Patch\n*** Update File: a.py\n@@\n-line number 3\n+x\n\
                 *** Update File: b.py\n*** Move to: new.py\n@@\n-x = 1\n+x = 2\n\
                 *** Delete File: c.py\n*** End Patch\n";
    hook(&repo, "codex", codex(&repo, patch).to_string()).passes();
    assert_eq!(repo.read("a.py"), old.as_bytes());
    let [taken] = repo.snapshots().try_into().unwrap();
    assert_eq!(taken["files"], json!(["a.py", "b.py", "c.py"]));
    assert_eq!(taken["absent"], json!(["new.py"]));
    let records = repo.records().split_off(before);
    assert_eq!(records.len(), 3);
    assert!(records.iter().all(|record| record["event"] == "passed"));
    let record = records
        .iter()
        .find(|record| record["path"] == "a.py")
        .unwrap();
    assert_eq!(record["tool"], "apply_patch");
    assert_eq!(record["old"], repo.blob(old.as_bytes()).to_string());
    assert_eq!(record["new"], repo.blob(new.as_bytes()).to_string());
    assert_eq!(record["backup"], taken["id"]);
    repo.guard(&["audit", "verify"]).exits(0);
    // The agent does it.
    repo.write("a.py", new);
    repo.write("new.py", "x = 2\ny = 2\n");
    for gone in ["b.py", "c.py"] {
        fs::remove_file(repo.path(gone)).unwrap();
    }
    let id = taken["id"].as_str().unwrap();
    repo.guard(&["snapshot", "restore", id]).exits(0);
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
}

/// In HEAD, the settings in which guard is registered belong to the people who review them.
#[test]
fn settings_that_call_guard_are_closed_to_requests_once_they_are_committed() {
    let repo = Repo::new();
    let settings = ".claude/settings.json";
    let local = ".claude/settings.local.json";
    repo.govern(&[(settings, "Add/Modify", ""), (local, "Add/Modify", "")]);
    let is_open = |path: &str| repo.guard(&["check", path]).code == 0;
    repo.stage(settings, "{}\n");
    repo.commit("Settings without guard");
    assert!(is_open(settings) && is_open(local));
    repo.stage(settings, include_str!("../hooks/agents/claude.json"));
    assert!(is_open(settings), "not committed yet");
    repo.guard(&["lint"]).exits(0);
    repo.commit("Let the agent call guard");
    assert!(!is_open(settings) && !is_open(local));
    write(&repo, local, "{\"disableAllHooks\": true}\n").denies();
}
