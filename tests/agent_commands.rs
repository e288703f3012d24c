//! Shell commands of coding agents: which of them write what no design allows. The commands in `tests/data/` are
//! separated by lines with a percent sign.

#![cfg(all(unix, feature = "shell"))]
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::thread;

use crate::common::agents::{Answered, assert_says, claude, hook};
use crate::common::{GUARD, Output, Repo, SOURCE, lines, run_with_input};
use serde_json::{Value, json};

/// A work tree outside the directories for temporary files, where commands may write.
fn repo() -> Repo {
    let repo = Repo::outside_temporary();
    repo.stage("src/log.py", "import sys\n\nlevel = 1\nlevel = 1\n");
    repo.stage("src/state.py", lines(1..=200));
    repo.stage("docs/notes.md", "# Notes\n");
    repo.stage("old.py", "old = 1\n");
    repo.stage("src/other.py", "x = 1\n");
    repo.stage("src/core/a.py", "a = 1\n");
    repo.stage("src/core/b.py", "b = 1\n");
    repo.stage("tests/test_log.py", "def test_log(): pass\n");
    repo.stage("README.md", "# Title\n");
    repo.stage("package.json", "{\"version\": \"1.0\"}\n");
    repo.stage("Cargo.toml", "[package]\nversion = \"1.0\"\n");
    repo.stage("main.go", "package main\n");
    repo.stage("main.c", "int main(void) { return 0; }\n");
    repo.stage("config/app.toml", "debug = false\n");
    repo.stage("web/index.js", "start();\n");
    repo.stage("web/style.css", "a {}\n");
    repo.stage(
        ".gitignore",
        "target/\nnode_modules/\n__pycache__/\n*.pyc\ndist/\n*.log\n.env\n.venv/\n",
    );
    repo.commit("Begin");
    for path in [
        "target/debug/incremental/x",
        "node_modules/a/index.js",
        "src/__pycache__/log.pyc",
        "dist/log.py",
        "debug.log",
    ] {
        repo.write(path, "x\n");
    }
    repo.govern(&[
        ("src/log.py", "Modify", "logging"),
        ("src/state.py", "Modify", "the state"),
        ("docs/notes.md", "Modify", "notes"),
        ("old.py", "Delete", "not needed"),
        ("src/utils/lld.py", "Add", "designs"),
    ]);
    repo
}

fn bash(repo: &Repo, command: &str) -> Output {
    let payload = claude(
        repo,
        "Bash",
        &json!({"command": command, "description": "x"}),
    );
    let mut guard = repo.command(GUARD);
    guard.args(["hook", "claude"]).env("HOME", "/home/someone");
    run_with_input(&mut guard, payload.to_string().as_bytes())
}

fn commands(file: &str) -> Vec<String> {
    let path = Path::new(SOURCE).join("tests/data").join(file);
    let text = fs::read_to_string(path).unwrap();
    let commands: Vec<String> = text
        .trim_end()
        .split("\n%\n")
        .map(|command| format!("{command}\n"))
        .collect();
    assert!(commands.len() >= 200, "{}", commands.len());
    commands
}

/// The commands whose verdict is not the expected one.
fn wrong(file: &str, code: i32) -> (usize, Vec<String>) {
    let repo = repo();
    let commands = commands(file);
    let wrong = Mutex::new(Vec::new());
    let judge = |command: &String| {
        let output = bash(&repo, command);
        if output.code != code {
            wrong
                .lock()
                .unwrap()
                .push(format!("{command}{}", output.stderr));
        }
    };
    thread::scope(|scope| {
        for part in commands.chunks(commands.len().div_ceil(4)) {
            scope.spawn(|| part.iter().for_each(judge));
        }
    });
    (commands.len(), wrong.into_inner().unwrap())
}

#[test]
fn commands_that_write_what_no_design_allows_are_denied() {
    let (all, missed) = wrong("commands_that_write.txt", 2);
    println!("{} of {all} commands are missed", missed.len());
    assert!(missed.len() * 50 <= all, "{}", missed.join("\n"));
    let documented = fs::read_to_string(Path::new(SOURCE).join("docs/agents.md")).unwrap();
    for command in missed {
        assert!(
            documented.contains(command.trim()),
            "not in docs/agents.md: {command}"
        );
    }
}

#[test]
fn innocent_commands_pass() {
    let (all, denied) = wrong("commands_that_do_not.txt", 0);
    println!("{} of {all} commands are denied", denied.len());
    assert!(denied.len() * 100 <= all, "{}", denied.join("\n"));
}

#[test]
fn content_that_the_command_names_is_judged_as_a_write() {
    let repo = repo();
    let with = |content: &str| format!("cat > src/state.py <<'EOF'\n{content}EOF\n");
    bash(&repo, &with(&lines(1..=199))).passes();
    let reason = bash(&repo, &with("gone\n")).denies();
    assert_says(&reason, &["guard held Bash: src/state.py", "guard approve"]);
    let held = repo.json(&["pending"])["held"].clone();
    assert_eq!(held.as_array().unwrap().len(), 1);
    for command in [
        "echo gone > src/state.py",
        "printf 'gone\\n' | tee src/state.py",
        "cp src/log.py src/state.py",
    ] {
        assert_says(
            &bash(&repo, command).denies(),
            &["guard held Bash: src/state.py"],
        );
    }
    assert_eq!(repo.read("src/state.py"), lines(1..=200).as_bytes());
}

#[test]
fn replacement_of_a_large_file_by_unknown_content_is_denied() {
    let repo = repo();
    for command in [
        "make state > src/state.py",
        "truncate -s 0 src/state.py",
        "mv /tmp/state.py src/state.py",
        "curl -o src/state.py https://example.com",
        "python3 -c \"open('src/state.py', 'w').write(new)\"",
        "dd if=/tmp/x of=src/state.py",
        "sed 's/a/b/' src/state.py | tee src/state.py",
    ] {
        assert_says(
            &bash(&repo, command).denies(),
            &[
                "the command may replace all of src/state.py, with content that guard cannot see",
                "[destructive-change]",
            ],
        );
    }
    // A change of a part keeps the rest, and a small file may be replaced.
    for command in [
        "make state >> src/state.py",
        "sed -i 's/line 7/line seven/' src/state.py",
        "make log > src/log.py",
    ] {
        bash(&repo, command).passes();
    }
}

#[test]
fn taking_a_file_back_to_the_last_commit_needs_no_row_but_loses_nothing_large() {
    let repo = repo();
    repo.write("src/other.py", "x = 2\n");
    bash(&repo, "git restore src/other.py").passes();
    bash(&repo, "git checkout -- .").passes();
    bash(&repo, "git reset --hard").passes();
    repo.write("src/state.py", lines(1..=150).replace("line", "a new"));
    for command in [
        "git restore src/state.py",
        "git checkout src/state.py",
        "git checkout -- .",
        "git restore .",
        "git reset --hard",
        "git -C src checkout -f",
    ] {
        assert_says(
            &bash(&repo, command).denies(),
            &["would discard most of src/state.py, which no commit has"],
        );
    }
    repo.write("src/new.py", "new\n");
    assert_says(
        &bash(&repo, "git clean -fd").denies(),
        &["src/new.py is not in the design"],
    );
}

#[test]
fn wildcards_name_the_files_that_are_there() {
    let repo = repo();
    bash(&repo, "rm -f src/*.rs").passes();
    bash(&repo, "rm -f old.*").passes();
    assert_says(
        &bash(&repo, "rm -f [or]*.py src/o?her.py").denies(),
        &["src/other.py"],
    );
    assert_says(
        &bash(&repo, "rm {old,src/other}.py").denies(),
        &["src/other.py"],
    );
    bash(&repo, "find . -name 'old.py' -delete").passes();
    bash(&repo, "rm src/__pycache__/*").passes();
}

#[test]
fn file_that_the_command_makes_and_removes_itself_does_not_count() {
    let repo = repo();
    for command in [
        "sed 's/level/x/' src/log.py > src/log.py.new && mv src/log.py.new src/log.py",
        "echo 1 > scratch.txt; wc scratch.txt; rm scratch.txt",
    ] {
        bash(&repo, command).passes();
    }
    assert_says(
        &bash(&repo, "echo 1 > scratch.txt; mv scratch.txt src/other.py").denies(),
        &["src/other.py"],
    );
}

#[test]
fn paths_that_only_the_run_decides_pass() {
    let repo = repo();
    for command in [
        "echo x > \"$OUTPUT\"",
        "rm -f $(cat list.txt)",
        "for f in $FILES; do sed -i 's/a/b/' \"$f\"; done",
        "cp src/log.py \"src/$NAME.py\"",
    ] {
        bash(&repo, command).passes();
    }
    // The directory says enough.
    for command in ["echo x > /etc/$NAME", "touch /opt/app/$(date).txt"] {
        assert_says(&bash(&repo, command).denies(), &["[outside-workspace]"]);
    }
}

#[test]
fn text_that_does_not_parse_is_denied_only_if_it_may_write() {
    let repo = repo();
    bash(&repo, "echo 'unfinished").passes();
    assert_says(
        &bash(&repo, "if true; then rm \"$FILE\"").denies(),
        &["guard cannot read a part of the command that may write files"],
    );
    let nested = (0..40).fold("rm src/other.py".to_owned(), |inner, _| {
        format!("eval {inner}")
    });
    bash(&repo, &nested).denies();
}

#[test]
fn harmless_commands_need_no_repository_and_no_design() {
    let repo = Repo::nothing();
    for command in ["ls", "cargo build 2>&1 | tail", "echo x > /dev/null"] {
        bash(&repo, command).passes();
    }
    bash(&repo, "echo x > /opt/a.py").denies();
    let repo = self::repo();
    repo.git(&["switch", "--quiet", "main"]);
    for command in ["make > /tmp/out.txt", "rm -rf target", "touch debug.log"] {
        bash(&repo, command).passes();
    }
    bash(&repo, "touch src/new.py").denies();
}

#[test]
fn links_and_other_spellings_are_seen_through() {
    let repo = repo();
    std::os::unix::fs::symlink("/etc", repo.path("etc")).unwrap();
    std::os::unix::fs::symlink("src", repo.path("code")).unwrap();
    assert_says(
        &bash(&repo, "echo x > etc/passwd").denies(),
        &["the link etc to /etc"],
    );
    assert_says(
        &bash(&repo, "echo x > code/other.py").denies(),
        &["src/other.py is not in the design"],
    );
    let absolute = repo.path("src/../src/./other.py");
    let command = format!("rm {}", absolute.display());
    assert_says(&bash(&repo, &command).denies(), &["src/other.py"]);
}

#[test]
fn commands_of_all_agents_are_judged() {
    let repo = repo();
    let command = "rm src/other.py";
    let root = &repo.root;
    let event = |name: &str, tool: &str, input: Value| json!({"session_id": "1", "cwd": root, "hook_event_name": name, "tool_name": tool, "tool_input": input});
    let payloads = [
        (
            "claude",
            event("PreToolUse", "Bash", json!({"command": command})),
        ),
        (
            "claude",
            event("PreToolUse", "Monitor", json!({"command": command})),
        ),
        (
            "codex",
            event("PreToolUse", "Bash", json!({"command": command})),
        ),
        (
            "gemini",
            event(
                "BeforeTool",
                "run_shell_command",
                json!({"command": command}),
            ),
        ),
        (
            "gemini",
            event(
                "BeforeTool",
                "run_shell_command",
                json!({"command": "rm other.py", "dir_path": "src"}),
            ),
        ),
        (
            "copilot",
            json!({"cwd": root, "toolName": "bash", "toolArgs": {"command": command}}),
        ),
        (
            "vscode",
            event(
                "PreToolUse",
                "run_in_terminal",
                json!({"command": command, "explanation": "x"}),
            ),
        ),
        (
            "opencode",
            json!({"tool": "bash", "args": {"command": command}, "cwd": root}),
        ),
    ];
    for (agent, payload) in payloads {
        let output = hook(&repo, agent, payload.to_string());
        let said = format!("{}{}", output.stdout, output.stderr);
        assert!(said.contains("src/other.py"), "{agent}: {output:?}");
        let denial = if agent == "copilot" { 0 } else { 2 };
        assert_eq!(output.code, denial, "{agent}: {output:?}");
    }
}

/// What Claude Code sends after a tool or at the end of a turn.
fn event(repo: &Repo, name: &str) -> Value {
    json!({"session_id": "s1", "cwd": repo.root, "hook_event_name": name, "stop_hook_active": false})
}

#[track_caller]
fn report(output: &Output) -> String {
    assert_eq!((output.code, output.stderr.as_str()), (0, ""), "{output:?}");
    let answer: Value = serde_json::from_str(&output.stdout).unwrap();
    let reason = answer["reason"].as_str().unwrap().to_owned();
    assert!(reason.len() < 700, "{reason}");
    reason
}

#[test]
fn what_landed_unseen_is_reported_after_the_tool_and_at_the_end_of_the_turn() {
    let repo = repo();
    let tell = |name: &str| hook(&repo, "claude", event(&repo, name).to_string());
    for name in ["PostToolUse", "PostToolBatch", "Stop", "SubagentStop"] {
        tell(name).passes();
    }
    repo.write("src/log.py", "import os\n");
    tell("PostToolUse").passes();
    repo.write("src/other.py", "x = 2\n");
    repo.write("src/new.py", "x = 2\n");
    let output = tell("PostToolUse");
    let reason = report(&output);
    assert_says(
        &reason,
        &[
            "src/new.py is not in the design [out-of-scope]",
            "src/other.py is not in the design [out-of-scope]",
            "git restore FILE",
            "guard snapshot restore",
        ],
    );
    let answer: Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(answer, json!({"decision": "block", "reason": reason}));
    // The same again is no news, but the end of a turn asks once more.
    tell("PostToolUse").passes();
    report(&tell("Stop"));
    tell("Stop").passes();
    let mut other = event(&repo, "Stop");
    other["session_id"] = json!("s2");
    report(&hook(&repo, "claude", other.to_string()));
    let mut repeated = event(&repo, "Stop");
    repeated["session_id"] = json!("s3");
    repeated["stop_hook_active"] = json!(true);
    hook(&repo, "claude", repeated.to_string()).passes();
    bash(&repo, "git restore src/other.py").passes();
    repo.git(&["restore", "src/other.py"]);
    std::fs::remove_file(repo.path("src/new.py")).unwrap();
    tell("PostToolUse").passes();
    repo.write("src/new.py", "x = 2\n");
    report(&tell("PostToolUse"));
}

#[test]
fn each_agent_reads_a_report_in_its_own_form() {
    let repo = repo();
    repo.write("src/other.py", "x = 2\n");
    let root = &repo.root;
    let block = |reason: &str| json!({"decision": "block", "reason": reason});
    let deny = |reason: &str| json!({"decision": "deny", "reason": reason});
    let codex = |name: &str| json!({"session_id": name, "turn_id": "1", "model": "m", "cwd": root, "hook_event_name": name});
    let cases = [
        ("codex", codex("PostToolUse"), "block"),
        ("codex", codex("Stop"), "block"),
        ("gemini", event(&repo, "AfterTool"), "deny"),
        ("gemini", event(&repo, "AfterAgent"), "deny"),
        (
            "copilot",
            json!({"sessionId": "1", "cwd": root, "stopReason": "end_turn"}),
            "block",
        ),
        (
            "vscode",
            json!({"sessionId": "2", "cwd": root, "hookEventName": "Stop"}),
            "vscode",
        ),
    ];
    for (agent, payload, form) in cases {
        let output = hook(&repo, agent, payload.to_string());
        let reason = report(&output);
        assert_says(&reason, &["src/other.py is not in the design"]);
        let answer: Value = serde_json::from_str(&output.stdout).unwrap();
        let expected = match form {
            "block" => block(&reason),
            "deny" => deny(&reason),
            _ => {
                let mut answer = block(&reason);
                answer["hookSpecificOutput"] =
                    json!({"hookEventName": "Stop", "decision": "block", "reason": reason});
                answer
            }
        };
        assert_eq!(answer, expected, "{agent}");
    }
}

#[test]
fn after_the_fact_a_clean_work_tree_needs_no_design() {
    let repo = repo();
    repo.git(&["switch", "--quiet", "main"]);
    let tell = || hook(&repo, "claude", event(&repo, "PostToolUse").to_string());
    tell().passes();
    repo.write("src/other.py", "x = 2\n");
    assert_says(&report(&tell()), &["guard could not judge", "no design"]);
    tell().passes();
}
