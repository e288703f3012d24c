//! `guard install` and `guard uninstall` for coding agents, and what `guard doctor` says about them.

use crate::common::system::{self, symlink};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common::pages::page;
use crate::common::{self, GUARD, Output, Repo, write_executable};
use serde_json::Value;
use write_guard::agents::Agent;
use write_guard_policy::rules::AGENT_FILES;

/// Each agent with the file that guard writes, and where that is from, by the table of the page.
fn documented(page: &str) -> Vec<[&str; 3]> {
    let row = |line| {
        let (agent, rest) = str::strip_prefix(line, "| `")?.split_once('`')?;
        let (_, rest) = rest.split_once("[`")?;
        let (file, rest) = rest.split_once("`](../hooks/agents/")?;
        Some([agent, file, rest.split_once(')')?.0])
    };
    page.lines().filter_map(row).collect()
}

const CLAUDE: &str = ".claude/settings.json";

fn repo() -> Repo {
    let repo = Repo::new();
    repo.govern(&[("granted.txt", "Add/Modify", "the work")]);
    repo
}

fn shipped(name: &str) -> String {
    let path = Path::new(common::SOURCE).join("hooks/agents").join(name);
    fs::read_to_string(path).unwrap()
}

/// guard, with the built binary on `PATH`.
fn with_path(repo: &Repo, line: &str) -> Output {
    common::run(repo.with_guard_on_path(GUARD).args(line.split(' ')))
}

/// The status and the message of a check of `guard doctor`.
fn doctor(repo: &Repo, guard: &mut Command, name: &str) -> Option<(String, String)> {
    fs::create_dir_all(repo.path("../temporary")).unwrap();
    system::set_temporary(guard, repo.path("../temporary"));
    let output = common::run(guard.args(["doctor", "--format", "json"]));
    let report: Value = serde_json::from_str(&output.stdout).unwrap();
    let checks = report["checks"].as_array().unwrap();
    let check = checks.iter().find(|check| check["check"] == name)?;
    let word = |key: &str| check[key].as_str().unwrap().to_owned();
    Some((word("status"), word("message")))
}

#[test]
fn the_hooks_of_every_agent_are_installed_proven_and_removed() {
    let page = page("docs/agents.md");
    let agents = documented(&page);
    let names: BTreeSet<&str> = agents.iter().map(|[name, ..]| *name).collect();
    let all = Agent::VARIANTS.iter().map(|agent| agent.name());
    assert_eq!(names, all.collect());
    let repo = repo();
    let run = |words: &str, agent: &str| with_path(&repo, &words.replace("AGENT", agent)).exits(0);
    for &[agent, file, name] in &agents {
        let protected = AGENT_FILES.contains(&(file, &shipped(name)));
        assert!(protected, "the rules do not know {file}");
        let seen = || doctor(&repo, &mut repo.with_guard_on_path(GUARD), agent);
        assert_eq!(seen(), None);
        run("install AGENT --dry-run", agent);
        assert!(!repo.path(file).exists(), "{agent}");
        run("install AGENT", agent).says("a call that must be denied was denied");
        assert_eq!(repo.text(file), shipped(name));
        run("install AGENT", agent).says("runs guard");
        let (status, message) = seen().unwrap();
        assert_eq!(status, "ok", "{agent}: {message}");
        assert!(message.starts_with("live: "), "{agent}: {message}");
    }
    for &[agent, file, name] in &agents {
        run("uninstall AGENT --dry-run", agent);
        assert_eq!(repo.text(file), shipped(name));
        run("uninstall AGENT", agent);
        assert!(!repo.path(file).exists(), "{agent}");
        run("uninstall AGENT", agent).says("no such file");
    }
}

#[test]
fn other_settings_stay() {
    let repo = repo();
    let mine = "{\n  \"model\": \"m\",\n  \"hooks\": {\n    \"PreToolUse\": [\n      \
                { \"matcher\": \"Bash\", \"hooks\": [{ \"type\": \"command\", \"command\": \"./lint\" }] }\n    ],\n    \
                \"Notification\": []\n  }\n}\n";
    repo.write(CLAUDE, mine);
    with_path(&repo, "install claude").exits(0);
    let new = repo.text(CLAUDE);
    for part in [
        "\"model\": \"m\"",
        "./lint",
        "\"Notification\": []",
        "guard hook claude",
    ] {
        assert!(new.contains(part), "{new}");
    }
    with_path(&repo, "uninstall claude").exits(0);
    assert_eq!(repo.text(CLAUDE), mine);
    // guard cannot keep comments.
    let commented = mine.replacen('{', "{\n  // ours", 1);
    repo.write(CLAUDE, &commented);
    with_path(&repo, "install claude")
        .exits(1)
        .says("comments")
        .says("\"command\": \"guard hook claude\"");
    assert_eq!(repo.text(CLAUDE), commented);
    // What somebody else changed meanwhile stays.
    repo.write(CLAUDE, "{\"a\":1}");
    with_path(&repo, "install claude").exits(0);
    let changed = repo.text(CLAUDE).replace("\"a\":1", "\"a\":2");
    repo.write(CLAUDE, changed);
    with_path(&repo, "uninstall claude").exits(0);
    assert_eq!(repo.text(CLAUDE), "{\"a\":2}");
}

#[test]
fn uninstall_leaves_every_byte_of_other_settings() {
    let repo = repo();
    for mine in [
        "{}",
        "{\n\t\"model\": \"m\",\n\t\"hooks\": {}\n}",
        "{\r\n  \"model\": \"m\"\r\n}\r\n",
        "{\"hooks\":{\"Stop\":[{\"hooks\":[{\"command\":\"./lint\"}]}],\"PreToolUse\":[]},\"a\":[1,2]}\n",
    ] {
        repo.write(CLAUDE, mine);
        with_path(&repo, "install claude").exits(0);
        assert!(repo.text(CLAUDE).contains("guard hook claude"));
        with_path(&repo, "uninstall claude").exits(0);
        assert_eq!(repo.text(CLAUDE), mine);
    }
}

/// Claude Code and Gemini CLI read the hooks of a project only where they are started at its root.
#[test]
fn doctor_says_where_an_agent_does_not_read_its_hooks() {
    let repo = repo();
    repo.write("src/a.txt", "");
    for (agent, status, said) in [
        (
            "claude",
            "warn",
            "an agent that is started in this directory does not read",
        ),
        (
            "gemini",
            "warn",
            "an agent that is started in this directory does not read",
        ),
        ("codex", "ok", "live: "),
        ("copilot", "ok", "live: "),
    ] {
        with_path(&repo, &format!("install {agent}")).exits(0);
        let at_root = doctor(&repo, &mut repo.with_guard_on_path(GUARD), agent);
        assert_eq!(at_root.unwrap().0, "ok", "{agent}");
        let mut below = repo.with_guard_on_path(GUARD);
        let seen = doctor(&repo, below.current_dir(repo.path("src")), agent).unwrap();
        assert_eq!(seen.0, status, "{agent}: {}", seen.1);
        assert!(seen.1.contains(said), "{agent}: {}", seen.1);
    }
    // guard cannot see whether a person trusts the hooks.
    let told = with_path(&repo, "doctor");
    told.says("run /hooks in Codex and trust the hook");
}

#[test]
fn a_hook_that_denies_nothing_is_taken_back() {
    let repo = repo();
    // The directory of guard is not on PATH.
    repo.tells("install claude", 1, "a call that must be denied was not");
    assert!(!repo.path(CLAUDE).exists());
    let mine = "{\"model\": \"m\"}";
    repo.write(CLAUDE, mine);
    let (status, message) = doctor(&repo, &mut repo.command(GUARD), "claude").unwrap();
    assert_eq!(status, "warn");
    assert!(message.starts_with("absent: "), "{message}");
    repo.tells("install claude", 1, "so the file is as it was");
    assert_eq!(repo.text(CLAUDE), mine);
    // Another program of that name answers.
    repo.write("../fake/guard", "");
    write_executable(
        &repo.path("../fake/guard"),
        "#!/bin/sh\ncat >/dev/null\nexit 0\n",
    );
    let path = system::path_beginning_with(repo.path("../fake"));
    common::run(
        repo.command(GUARD)
            .env("PATH", path)
            .args(["install", "claude"]),
    )
    .exits(1)
    .says("a call that must be denied was not");
    assert_eq!(repo.text(CLAUDE), mine);
    with_path(&repo, "install claude").exits(0);
    let (status, message) = doctor(&repo, &mut repo.command(GUARD), "claude").unwrap();
    assert_eq!(status, "fail");
    let fires_not = "registered, but not firing: ";
    assert!(message.starts_with(fires_not), "{message}");
}

#[test]
fn settings_that_guard_cannot_keep_are_left_alone() {
    let repo = repo();
    let broken = "{\"hooks\": []}";
    repo.write(CLAUDE, broken);
    with_path(&repo, "install claude")
        .exits(1)
        .says("guard leaves it alone")
        .says("\"command\": \"guard hook claude\"");
    assert_eq!(repo.text(CLAUDE), broken);
    repo.write(".opencode/plugins/guard.js", "export const Mine = 1;\n");
    with_path(&repo, "install opencode")
        .exits(1)
        .says("exists, and does not run guard");
    with_path(&repo, "uninstall opencode").exits(0);
    let mine = repo.text(".opencode/plugins/guard.js");
    assert_eq!(mine, "export const Mine = 1;\n");
    // A link may lead out of the repository.
    fs::create_dir(repo.path("../elsewhere")).unwrap();
    symlink("../elsewhere", repo.path(".codex")).unwrap();
    with_path(&repo, "install codex").exits(1).says("link");
    assert_eq!(fs::read_dir(repo.path("../elsewhere")).unwrap().count(), 0);
}

#[test]
fn all_means_git_and_the_agents_with_files_here() {
    let repo = repo();
    repo.write("CLAUDE.md", "");
    repo.write(".gemini/settings.json", "{}");
    with_path(&repo, "install all")
        .exits(0)
        .says("pre-commit")
        .says("claude")
        .says("gemini");
    assert!(repo.path(CLAUDE).exists());
    assert!(!repo.path(".codex").exists());
    with_path(&repo, "uninstall all").exits(0);
    assert!(!repo.path(CLAUDE).exists());
    assert!(!repo.path(".git/hooks/pre-commit").exists());
    with_path(&repo, "install claude --with reference-transaction").exits(2);
    with_path(&repo, "install emacs").exits(2);
    with_path(&repo, "install").exits(2);
}
