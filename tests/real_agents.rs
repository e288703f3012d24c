//! The real programs of agents, each with a scripted model on the loopback address. They come from npm into
//! `target/agents`, 100 to 300 MB each, and reach nothing but the model. `.ci/long` runs them.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::common::real_agents::{
    Background, CLAUDE, CODEX, COPILOT, GEMINI, OPENCODE, PROMPT, RealAgent, TASK, from_npm, model,
};
use crate::common::system;
use crate::common::{GUARD, Repo, lines, run, write_executable};

const AGENTS: [RealAgent; 5] = [CLAUDE, CODEX, OPENCODE, GEMINI, COPILOT];

fn repo() -> Repo {
    let repo = Repo::new();
    repo.stage("src/old.py", "x = 0\n");
    repo.stage("src/large.py", lines(1..=200));
    repo.govern(&[
        ("src/granted.py", "Add", "the work"),
        ("src/large.py", "Modify", "the rest"),
    ]);
    repo
}

/// A repository with the hooks of an agent, and the agent; `None` where it cannot be installed.
fn with_hooks(agent: &RealAgent) -> Option<(Repo, PathBuf)> {
    let program = agent.installed()?;
    let repo = repo();
    install(&repo, agent);
    Some((repo, program))
}

fn install(repo: &Repo, agent: &RealAgent) {
    if !agent.before.is_empty() {
        repo.write(agent.settings, agent.before);
    }
    run(repo.with_guard_on_path(GUARD).args(["install", agent.name])).exits(0);
    repo.git(&["add", "."]);
    repo.commit("Install the hooks");
}

fn is_refused_and_told(agent: &RealAgent) {
    let Some((repo, program)) = with_hooks(agent) else {
        return;
    };
    let shell = |path: &str| format!("echo 'x = 1' > {path}");
    let mut calls = vec![
        agent.writes(&repo, "src/stray.py"),
        agent.writes(&repo, "src/granted.py"),
        (agent.shell)(&format!(
            "printf '%s tests passed' 17; {}",
            shell("src/shell.py")
        )),
        // Codex runs a login shell, which may not have the test's PATH.
        (agent.shell)(&format!("{GUARD} snapshot restore cp-CHANGE")),
        (agent.shell)(&format!("{}; false", shell("src/failed.py"))),
    ];
    calls.extend(agent.subagent.map(|start| start(TASK)));
    if let Some(start) = agent.background {
        calls.push(start(&format!("sleep 0.5; {}", shell("src/background.py"))));
        calls.push((agent.shell)("sleep 1.5"));
    }
    let help = [agent.writes(&repo, "src/helper.py")];
    let scripts = json!({PROMPT: calls, TASK: help});
    let requests = agent.drive(&repo, &program, &scripts).requests;

    let is = |is_met: bool, what: &str| assert!(is_met, "{}: {what}: {requests}", agent.name);
    is(!repo.path("src/stray.py").exists(), "the write is refused");
    is(repo.path("src/granted.py").exists(), "the other is not");
    let refused = "src/stray.py is not in the design [out-of-scope]";
    is(requests.contains(refused), "the model reads why");
    is(
        requests.contains("17 tests passed"),
        "the report is beside the output",
    );
    is(!repo.path("src/shell.py").exists(), "it is taken back");
    let mut told = vec!["src/shell.py", "src/failed.py"];
    told.extend(agent.background.map(|_| "src/background.py"));
    for path in told {
        is(is_reported(&requests, path), path);
    }
    if agent.subagent.is_some() {
        is(!repo.path("src/helper.py").exists(), "the subagent");
        let refused = "src/helper.py is not in the design";
        is(requests.contains(refused), "is told");
    }
    is(
        requests.contains("You may change only these files"),
        "the scope is told",
    );
    let mut guard = repo.with_guard_on_path(GUARD);
    run(guard.args(["uninstall", agent.name])).exits(0);
    let left = fs::read_to_string(repo.path(agent.settings)).unwrap_or_default();
    assert_eq!(left, agent.before, "{}", agent.name);

    // Nothing but guard's hook refuses the write above.
    let again = json!({PROMPT: [agent.writes(&repo, "src/stray.py")]});
    let requests = agent.drive(&repo, &program, &again).requests;
    let is_written = repo.path("src/stray.py").exists();
    assert!(is_written, "{}: {requests}", agent.name);
}

/// Whether guard told the model about the path, in a refusal or in a report.
fn is_reported(requests: &str, path: &str) -> bool {
    let mut texts = requests.split("guard ").skip(1);
    texts.any(|text| text.split('"').next().unwrap_or_default().contains(path))
}

#[test]
fn every_agent_is_refused_and_told() {
    for agent in AGENTS {
        is_refused_and_told(&agent);
    }
}

#[test]
fn a_lost_file_reaches_the_model_and_the_person() {
    for agent in AGENTS {
        let Some((repo, program)) = with_hooks(&agent) else {
            return;
        };
        // A person's, in no commit.
        repo.write("notes.txt", lines(1..=40));
        let calls = json!([(agent.shell)("rm notes.txt")]);
        let driven = agent.drive(&repo, &program, &calls);
        let lost = "notes.txt (40 lines)";
        assert!(
            driven.requests.contains(lost),
            "{}: {}",
            agent.name,
            driven.requests
        );
        let is_shown = driven.shown.contains(lost);
        assert_eq!(
            is_shown, agent.shows_losses,
            "{}: {}",
            agent.name, driven.shown
        );
    }
}

/// guard on the `PATH` of the agent, as a script; none where it is empty.
fn replace_guard(repo: &Repo, script: &str) -> PathBuf {
    let directory = repo.path("../broken");
    let _ = fs::remove_dir_all(&directory);
    fs::create_dir(&directory).unwrap();
    if !script.is_empty() {
        write_executable(&directory.join("guard"), &format!("#!/bin/sh\n{script}\n"));
    }
    directory
}

#[test]
fn a_write_is_denied_where_guard_is_missing_or_broken() {
    for agent in AGENTS {
        let Some((repo, program)) = with_hooks(&agent) else {
            return;
        };
        for (path, script, is_denied) in [
            ("src/missing.py", "", true),
            ("src/killed.py", "kill -9 $$", true),
            ("src/failed.py", "exit 1", true),
            (
                "src/hanging.py",
                "exec sleep 60",
                agent.denies_without_answer,
            ),
        ] {
            let broken = replace_guard(&repo, script);
            let calls = json!([agent.writes(&repo, path)]);
            let driven = agent.drive_with(&repo, &program, &calls, |command| {
                command.env("PATH", system::path_beginning_with(&broken));
            });
            let is_there = repo.path(path).exists();
            assert_eq!(
                is_there, !is_denied,
                "{} {path}: {}",
                agent.name, driven.requests
            );
        }
    }
}

#[test]
fn the_directory_of_the_hooks_cannot_be_removed() {
    for agent in AGENTS {
        let Some((repo, program)) = with_hooks(&agent) else {
            return;
        };
        let directory = Path::new(agent.settings)
            .parent()
            .unwrap()
            .to_str()
            .unwrap();
        let calls = json!([
            (agent.shell)(&format!("rm -rf {directory}")),
            agent.writes(&repo, "src/stray.py"),
        ]);
        let requests = agent.drive(&repo, &program, &calls).requests;
        assert!(repo.path(agent.settings).exists(), "{}", agent.name);
        let why = format!("the command names `{directory}`");
        assert!(requests.contains(&why), "{}: {requests}", agent.name);
        assert!(!repo.path("src/stray.py").exists(), "{}", agent.name);
    }
}

/// Those that do not run the hooks there are named in docs/agents.md, and by `guard doctor`.
#[test]
fn hooks_run_or_not_where_an_agent_is_started_below_the_root() {
    for agent in AGENTS {
        let Some((repo, program)) = with_hooks(&agent) else {
            return;
        };
        // Gemini writes only below its own directory, with or without guard.
        let calls = json!([agent.writes(&repo, "src/stray.py")]);
        let driven = agent.drive_with(&repo, &program, &calls, |command| {
            command.current_dir(repo.path("src"));
        });
        // Codex names files relative to where it is.
        let is_written = ["src/stray.py", "src/src/stray.py"]
            .iter()
            .any(|path| repo.path(path).exists());
        assert_eq!(
            is_written, !agent.runs_hooks_below,
            "{}: {}",
            agent.name, driven.requests
        );
    }
}

/// Codex applies it itself, and calls no hook after it.
#[test]
fn a_patch_in_a_command_of_codex_is_told_by_the_next_event() {
    let Some((repo, program)) = with_hooks(&CODEX) else {
        return;
    };
    let patch = "*** Begin Patch\n*** Add File: src/stray.py\n+x = 1\n*** End Patch\n";
    let patch = (CODEX.shell)(&format!("apply_patch <<'END'\n{patch}END\n"));
    // At the end of the turn the person is told; Codex drops an answer that is not in its form.
    let driven = CODEX.drive(&repo, &program, &json!([patch]));
    assert!(
        driven.shown.contains("hook: Stop Completed"),
        "{}",
        driven.shown
    );
    fs::remove_file(repo.path("src/stray.py")).unwrap();
    let calls = json!([patch, (CODEX.shell)("true")]);
    let requests = CODEX.drive(&repo, &program, &calls).requests;
    assert!(repo.path("src/stray.py").exists());
    assert!(
        is_reported(&requests, "src/stray.py is not in the design"),
        "{requests}"
    );
}

#[test]
fn a_finding_begins_another_turn_of_opencode() {
    let Some((repo, program)) = with_hooks(&OPENCODE) else {
        return;
    };
    let calls = json!([
        (OPENCODE.shell)("echo 'x = 1' > src/stray.py"),
        null,
        (OPENCODE.shell)(&format!("{GUARD} snapshot restore cp-CHANGE")),
    ]);
    let model = model(&repo, &json!({PROMPT: calls}));
    let mut server = repo.with_guard_on_path(&program);
    (OPENCODE.prepare)(&repo, &mut server, &model.address());
    let mut serve = repo.with_guard_on_path(&program);
    for (name, value) in server.get_envs() {
        if let Some(value) = value {
            serve.env(name, value);
        }
    }
    serve.args(["serve", "--port", "0", "--hostname", "127.0.0.1"]);
    // Which lives on after the turn, as the terminal of a person does.
    let server = Background::start(&mut serve);
    let mut client = repo.with_guard_on_path("timeout");
    client.arg("600").arg(&program);
    run(client.args(["run", "--attach", &server.address(), PROMPT])).exits(0);
    let begun = Instant::now();
    while repo.path("src/stray.py").exists() && begun.elapsed() < Duration::from_secs(60) {
        thread::sleep(Duration::from_millis(200));
    }
    let requests = String::from_utf8_lossy(&repo.read("../requests")).into_owned();
    assert!(!repo.path("src/stray.py").exists(), "{requests}");
}

#[test]
fn a_work_tree_of_claude_has_the_design_of_its_branch() {
    let Some((repo, program)) = with_hooks(&CLAUDE) else {
        return;
    };
    let place = ".claude/worktrees/trial";
    let calls = json!([
        CLAUDE.writes(&repo, &format!("{place}/src/granted.py")),
        CLAUDE.writes(&repo, &format!("{place}/src/stray.py")),
        (CLAUDE.shell)("git add src; git commit --quiet --message work; echo x > src/shell.py"),
    ]);
    let driven = CLAUDE.drive_with(&repo, &program, &calls, |command| {
        command.args(["--worktree", "trial"]);
    });
    let has = |path: &str| repo.path(place).join(path).exists();
    assert!(
        has("src/granted.py") && !has("src/stray.py"),
        "{}",
        driven.requests
    );
    assert!(is_reported(
        &driven.requests,
        "src/shell.py is not in the design"
    ));
    assert!(!is_reported(&driven.requests, "src/granted.py is not"));
    repo.git(&["cat-file", "-e", "worktree-trial:src/granted.py"]);
}

#[test]
fn a_held_change_is_asked_through_claude_and_answered() {
    let Some((repo, program)) = with_hooks(&CLAUDE) else {
        return;
    };
    let servers = json!({"mcpServers": {"guard": {"command": "guard", "args": ["mcp"]}}});
    repo.write("../servers.json", servers.to_string());
    // In place of a person at the terminal, a hook of the person answers the form.
    let answer = |word: &str| {
        let content = json!({"decision": "replace", "word": word, "reason": "agreed"});
        let own = json!({"hookEventName": "Elicitation", "action": "accept", "content": content});
        json!({"hookSpecificOutput": own}).to_string()
    };
    let form = repo.path("../form");
    let replaced = lines(1..=200).replace("line number", "other text");
    let input = json!({"path": "src/large.py", "content": replaced});
    for (word, is_written) in [("wrong", false), ("line", true)] {
        let script = format!(
            "#!/bin/sh\ncat > '{}'\necho '{}'\n",
            form.display(),
            answer(word)
        );
        write_executable(&repo.path("../answer"), &script);
        let hook = json!([{"hooks": [{"type": "command", "command": repo.path("../answer")}]}]);
        let settings = json!({"hooks": {"Elicitation": hook}});
        repo.write(
            repo.home().join(".claude/settings.json"),
            settings.to_string(),
        );
        let calls = json!([["mcp__guard__write_file", input]]);
        let driven = CLAUDE.drive_with(&repo, &program, &calls, |command| {
            command
                .arg("--mcp-config")
                .arg(repo.path("../servers.json"));
        });
        let asked = fs::read_to_string(&form).unwrap();
        assert!(
            asked.contains("src/large.py loses 200 of 200 lines"),
            "{asked}"
        );
        assert_eq!(
            repo.text("src/large.py") == replaced,
            is_written,
            "{}",
            driven.requests
        );
    }
}

/// The newest that runs on Node 20. It converts what a person types by the schema of the tool.
const INSPECTOR: &str = "@modelcontextprotocol/inspector@0.15.0";

#[test]
fn the_inspector_lists_and_calls_the_tools_of_guard_mcp() {
    let Some(inspector) = from_npm("inspector", INSPECTOR, ".bin/mcp-inspector") else {
        return;
    };
    let repo = repo();
    let inspect = |words: &str| {
        let mut command = repo.command("timeout");
        command
            .arg("120")
            .arg(&inspector)
            .args(["--cli", GUARD, "mcp", "--method"]);
        let output = run(command.args(words.split(' '))).exits(0);
        serde_json::from_str::<Value>(&output.stdout).unwrap()
    };
    let listed = inspect("tools/list");
    assert_eq!(listed["tools"].as_array().unwrap().len(), 11, "{listed}");
    for (words, text) in [
        (
            "read_text_file --tool-arg path=src/large.py head=1",
            "line number 1\n",
        ),
        (
            "write_file --tool-arg path=src/granted.py content=x",
            "wrote src/granted.py",
        ),
        (
            "edit_file --tool-arg path=src/large.py edits=[] dryRun=true",
            "the list of edits is empty",
        ),
        (
            "write_file --tool-arg path=src/stray.py content=x",
            "src/stray.py is not in the design",
        ),
    ] {
        let result = inspect(&format!("tools/call --tool-name {words}"));
        assert!(
            result.to_string().contains(&text.replace('\n', "\\n")),
            "{words}: {result}"
        );
    }
}
