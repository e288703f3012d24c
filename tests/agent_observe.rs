//! What commands of agents do is observed: each writing command of a long list is reported and taken back to the
//! byte, and everyday commands are neither denied nor reported.

#![cfg(unix)]
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use crate::common::agents::{Answered, assert_says, claude, hook, write};
use crate::common::{
    GUARD, Output, Repo, SOURCE, lines, run, run_with_input, skip, write_executable,
};

/// What the design of the template lets a command write.
const ALLOWED: &[&str] = &[
    "src/log.py",
    "src/state.py",
    "src/utils/lld.py",
    "docs/notes.md",
];

/// A repository with a remote, other branches, a hook, and changes of a user that no commit has.
fn template() -> Repo {
    let repo = Repo::nothing_in_memory().initialized(&[]);
    repo.write(".git/info/exclude", "*.private\n");
    repo.stage("src/log.py", "import sys\n\nlevel = 1\nlevel = 1\n");
    repo.stage("src/state.py", lines(1..=200));
    repo.stage("src/other.py", "x = 1\n");
    repo.stage("src/big.py", lines(1..=300));
    repo.stage("lib/util.py", "a = 1\nx = 2\n");
    repo.stage("data/table.csv", "a,1\nb,2\nc,3\n");
    repo.stage("README.md", "# Title\n\nA line.\n");
    repo.stage("scripts/run.sh", "echo run\n");
    repo.stage(
        "Makefile",
        "all:\n\t@mkdir -p target && echo x > target/out\n",
    );
    repo.stage(
        ".gitignore",
        "target/\nnode_modules/\n__pycache__/\n*.tmp\n",
    );
    std::os::unix::fs::symlink("src/log.py", repo.path("link.py")).unwrap();
    repo.git(&["add", "link.py"]);
    repo.git(&["update-index", "--chmod=+x", "scripts/run.sh"]);
    repo.git(&["config", "user.name", "A"]);
    repo.git(&["config", "user.email", "a@example.com"]);
    repo.commit("Begin");
    repo.git(&["branch", "merged"]);
    repo.git(&["switch", "--quiet", "--create", "side"]);
    repo.stage("src/other.py", "evil = 1\n");
    repo.stage("side.py", "evil = 2\n");
    repo.commit("Work on the side");
    repo.git(&["switch", "--quiet", "main"]);
    repo.govern(&[
        ("src/log.py", "Modify", "logging"),
        ("src/state.py", "Modify", "the state"),
        ("src/utils/lld.py", "Add", "designs"),
        ("docs/notes.md", "Add", "notes"),
    ]);
    repo.git(&["tag", "v1"]);
    repo.stage("src/log.py", "import sys\n\nlevel = 1\nlevel = 2\n");
    repo.commit("Change the log");
    // Others went on, in the branch, in theirs and in main.
    repo.git(&["init", "--quiet", "--bare", "../origin.git"]);
    repo.git(&["remote", "add", "origin", "../origin.git"]);
    repo.git(&[
        "push",
        "--quiet",
        "origin",
        "main",
        "188-work",
        "main:theirs",
    ]);
    repo.git(&["switch", "--quiet", "--detach"]);
    repo.stage("src/theirs.py", "theirs = 1\n");
    repo.commit("Work of others");
    repo.git(&["push", "--quiet", "origin", "HEAD:188-work"]);
    repo.git(&["switch", "--quiet", "main"]);
    repo.stage("src/main.py", "main = 1\n");
    repo.commit("Work in main");
    repo.git(&["push", "--quiet", "origin", "main"]);
    repo.git(&["switch", "--quiet", "188-work"]);
    repo.git(&["update-ref", "refs/remotes/origin/188-work", "HEAD"]);
    repo.git(&["branch", "--quiet", "--set-upstream-to=origin/188-work"]);
    fs::create_dir_all(repo.path(".git/hooks")).unwrap();
    write_executable(&repo.path(".git/hooks/pre-commit"), "#!/bin/sh\nexit 0\n");
    fs::set_permissions(
        repo.path("scripts/run.sh"),
        PermissionsExt::from_mode(0o755),
    )
    .unwrap();
    repo.write("README.md", "# Title\n\nA line of the user.\n");
    repo.write("notes.txt", "notes of the user\n");
    repo
}

pub fn copy_of(template: &Repo) -> Repo {
    let repo = Repo::nothing_in_memory();
    let base = template.path("..");
    run(Command::new("cp")
        .arg("-a")
        .arg(base.join("."))
        .arg(repo.path("..")))
    .exits(0);
    repo
}

fn bash(repo: &Repo, event: &str, command: &str) -> Output {
    let mut payload = claude(repo, "Bash", &json!({"command": command}));
    payload["hook_event_name"] = event.into();
    hook(repo, "claude", payload.to_string())
}

/// Runs a command between the hooks. The answer is the report.
fn observed(repo: &Repo, command: &str) -> Option<String> {
    let before = bash(repo, "PreToolUse", command);
    assert_eq!(
        (before.code, before.text().as_str()),
        (0, ""),
        "{command}: {before:?}"
    );
    shell(repo, command);
    reported(&bash(repo, "PostToolUse", command))
}

fn shell(repo: &Repo, command: &str) {
    let mut shell = repo.with_guard_on_path("bash");
    shell.arg("-c").arg(command);
    let temporary = repo.path("../temporary");
    fs::create_dir_all(&temporary).unwrap();
    run(shell.env("TMPDIR", temporary));
}

fn reported(after: &Output) -> Option<String> {
    assert_eq!(after.code, 0, "{after:?}");
    if after.stdout.is_empty() {
        return None;
    }
    let answer: Value = serde_json::from_str(&after.stdout).unwrap();
    assert_eq!(answer["decision"], "block", "{answer}");
    Some(answer["reason"].as_str().unwrap().to_owned())
}

/// Everything that a command may change: files that are not ignored, with their mode, and what git knows.
fn state(repo: &Repo) -> BTreeMap<String, String> {
    let mut state = BTreeMap::new();
    let mut open = vec![repo.root.clone()];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(&directory).unwrap() {
            let path = entry.unwrap().path();
            let name = path
                .strip_prefix(&repo.root)
                .unwrap()
                .to_str()
                .unwrap()
                .to_owned();
            let end = name.rsplit('/').next().unwrap();
            let is_ignored = ["target", "node_modules", "__pycache__", ".git"].contains(&end)
                || end.ends_with(".tmp");
            let about = path.symlink_metadata().unwrap();
            if is_ignored {
                continue;
            } else if about.is_dir() {
                open.push(path);
            } else if about.is_symlink() {
                state.insert(name, format!("-> {:?}", fs::read_link(&path).unwrap()));
            } else {
                let is_executable = about.permissions().mode() & 0o100 != 0;
                let content = fs::read(&path).unwrap();
                state.insert(name, format!("{is_executable} {content:?}"));
            }
        }
    }
    for file in ["config", "info/exclude", "info/attributes", "HEAD"] {
        let content = fs::read_to_string(repo.path(".git").join(file));
        state.insert(format!(".git/{file}"), format!("{:?}", content.ok()));
    }
    let global = fs::read_to_string(repo.home().join(".gitconfig")).ok();
    state.insert("../home/.gitconfig".to_owned(), format!("{global:?}"));
    for entry in fs::read_dir(repo.path(".git/hooks")).into_iter().flatten() {
        let path = entry.unwrap().path();
        let name = format!(".git/hooks/{}", path.file_name().unwrap().to_str().unwrap());
        let mode = fs::metadata(&path).map_or(0, |about| about.permissions().mode() & 0o100);
        state.insert(name, format!("{mode} {:?}", fs::read(&path)));
    }
    let refs = repo.git(&["for-each-ref", "--format=%(refname) %(objectname)"]);
    for line in refs.lines() {
        let (name, id) = line.split_once(' ').unwrap();
        if !name.starts_with("refs/guard/") && !name.starts_with("refs/remotes/") {
            state.insert(name.to_owned(), id.to_owned());
        }
    }
    state.insert(
        "the index".to_owned(),
        repo.try_git(&["ls-files", "--stage"]).stdout,
    );
    state
}

/// The commands of a list, with whether what they do can be taken back; without `GUARD_LONG` only some of them.
fn commands(file: &str, sample: usize) -> Vec<(String, bool)> {
    let text = fs::read_to_string(Path::new(SOURCE).join("tests/data").join(file)).unwrap();
    let mut is_restored = true;
    let mut all = Vec::new();
    for line in text.lines() {
        match line.strip_prefix("# ") {
            Some(title) => is_restored = !title.contains("not restored"),
            None => all.push((line.to_owned(), is_restored)),
        }
    }
    if std::env::var_os("GUARD_LONG").is_some() {
        return all;
    }
    let step = all.len().div_ceil(sample);
    all.into_iter().step_by(step).collect()
}

/// Runs `check` on a copy of the template for each command, and collects what is wrong.
fn with_each(
    commands: &[(String, bool)],
    check: impl Fn(&Repo, &str, bool) -> Option<String> + Sync,
) {
    let (template, next) = (template(), AtomicUsize::new(0));
    let wrong = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some((command, is_restored)) =
                    commands.get(next.fetch_add(1, Ordering::Relaxed))
                {
                    let repo = copy_of(&template);
                    if let Some(why) = check(&repo, command, *is_restored) {
                        wrong.lock().unwrap().push(format!("{command}\n    {why}"));
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(
        wrong.is_empty(),
        "{} of {}:\n{}",
        wrong.len(),
        commands.len(),
        wrong.join("\n")
    );
}

#[test]
fn what_a_command_writes_outside_the_design_is_reported_and_taken_back() {
    with_each(
        &commands("commands.txt", 60),
        |repo, command, is_restored| {
            let before = state(repo);
            let report = observed(repo, command);
            let after = state(repo);
            if before == after {
                skip(&format!("it does nothing here: {command}"));
                return None;
            }
            let Some(report) = report else {
                return Some("is not reported".to_owned());
            };
            let names = before.keys().chain(after.keys());
            let changed: Vec<&String> = names
                .filter(|name| before.get(*name) != after.get(*name))
                .filter(|name| {
                    !name.starts_with(".git/")
                        && !name.contains("refs/")
                        && !name.contains("the index")
                })
                .filter(|name| !ALLOWED.contains(&name.as_str()) || !after.contains_key(*name))
                .collect();
            // A path that is as in HEAD is no change to report.
            let is_as_in_head = |name: &str| {
                let head = repo.try_git(&["show", &format!("HEAD:{name}")]);
                head.code == 0
                    && fs::read(repo.path(name)).is_ok_and(|there| there == head.stdout.as_bytes())
            };
            let changed: Vec<&String> = changed
                .into_iter()
                .filter(|name| !is_as_in_head(name))
                .collect();
            let is_listed = !report.contains(" more\n") && !report.contains("could not check");
            if is_listed && is_restored {
                let is_told =
                    |name: &&&String| !report.contains(name.trim_start_matches("../home/"));
                if let Some(name) = changed.iter().find(is_told) {
                    return Some(format!("{name} is missing: {report}"));
                }
            }
            let (_, rest) = report.split_once("guard snapshot restore ").unwrap();
            let name = rest.lines().next().unwrap();
            let taken = run(repo.command(GUARD).args(["snapshot", "restore", name]));
            if taken.code != 0 {
                return Some(format!("is not taken back: {}", taken.text()));
            }
            let restored = state(repo);
            if is_restored && restored != before {
                let names = before.keys().chain(restored.keys());
                let wrong = names.filter(|name| before.get(*name) != restored.get(*name));
                let wrong: Vec<String> = wrong
                    .map(|name| {
                        format!("{name}: {:?} is {:?}", before.get(name), restored.get(name))
                    })
                    .collect();
                return Some(format!("is not taken back whole: {wrong:?}\n{report}"));
            }
            None
        },
    );
}

#[test]
fn everyday_commands_are_neither_denied_nor_reported() {
    with_each(
        &commands("everyday_commands.txt", 40),
        |repo, command, _| {
            let before = bash(repo, "PreToolUse", command);
            if (before.code, before.text().as_str()) != (0, "") {
                return Some(format!("is denied: {}", before.text()));
            }
            shell(repo, command);
            reported(&bash(repo, "PostToolUse", command))
        },
    );
}

/// The name of the change in a report.
fn change_in(report: &str) -> &str {
    let (_, rest) = report.split_once("guard snapshot restore ").unwrap();
    rest.lines().next().unwrap()
}

fn restore(repo: &Repo, name: &str) -> Output {
    run(repo.command(GUARD).args(["snapshot", "restore", name]))
}

fn stop(repo: &Repo) -> Option<String> {
    reported(&bash(repo, "Stop", "-"))
}

#[test]
fn agent_takes_its_change_back_without_another_report() {
    let repo = copy_of(&template());
    let before = state(&repo);
    let report = observed(&repo, "rm -rf lib notes.txt; git config core.hooksPath x").unwrap();
    assert_says(
        &report,
        &[
            "lib/util.py",
            "notes.txt",
            "core.hookspath",
            "[policy-changed]",
        ],
    );
    let name = change_in(&report).to_owned();
    assert_eq!(
        observed(&repo, &format!("guard snapshot restore {name}")),
        None
    );
    assert_eq!(state(&repo), before);
    assert_eq!(stop(&repo), None, "nothing is left to tell");
    restore(&repo, &name)
        .exits(0)
        .says("nothing is left to take back");
    // What was refused is kept.
    let report = observed(&repo, "echo evil > src/evil.py").unwrap();
    restore(&repo, change_in(&report)).exits(0);
    assert_says(
        &repo.json(&["snapshot", "list"]).to_string(),
        &["notes.txt", "src/evil.py"],
    );
}

#[test]
fn file_that_changed_since_is_judged_as_the_change_that_it_is() {
    let repo = copy_of(&template());
    let report = observed(&repo, "echo x > src/other.py; echo y > src/new.py").unwrap();
    repo.write("src/other.py", "of the user\n");
    restore(&repo, change_in(&report))
        .exits(1)
        .says("src/other.py");
    assert_eq!(repo.read("src/other.py"), b"of the user\n");
    assert!(
        !repo.path("src/new.py").exists(),
        "this one is as the command left it"
    );
    // Only some files, by name.
    let report = observed(&repo, "echo x > a.py; echo y > b.py").unwrap();
    let name = change_in(&report);
    run(repo
        .command(GUARD)
        .args(["snapshot", "restore", name, "a.py"]))
    .exits(0);
    assert!(!repo.path("a.py").exists() && repo.path("b.py").exists());
}

#[test]
fn same_finding_is_told_once_after_the_tool_and_once_at_the_end_of_the_turn() {
    let repo = copy_of(&template());
    let report = observed(&repo, "echo x > src/new.py").unwrap();
    assert_says(
        &report,
        &[
            "src/new.py is not in the design [out-of-scope]",
            "use a temporary or ignored path",
        ],
    );
    assert!(
        !report.contains("| Add |"),
        "no row for a scratch file: {report}"
    );
    assert!(
        !report.contains("src/state.py"),
        "no module instead of a new file: {report}"
    );
    assert_eq!(observed(&repo, "true"), None);
    assert_says(&stop(&repo).unwrap(), &["src/new.py", change_in(&report)]);
    assert_eq!(stop(&repo), None);
    // Who does it again hears it again.
    restore(&repo, change_in(&report)).exits(0);
    let again = observed(&repo, "echo x > src/new.py").unwrap();
    assert_says(&again, &["src/new.py"]);
    assert!(stop(&repo).is_some());
}

#[test]
fn what_changes_between_two_tools_is_told_neutrally() {
    let repo = copy_of(&template());
    assert_eq!(observed(&repo, "true"), None);
    repo.write("src/other.py", "of the user\n");
    repo.write("src/log.py", "level = 5\n");
    bash(&repo, "PreToolUse", "true").exits(0);
    let answer: Value = serde_json::from_str(&bash(&repo, "PostToolUse", "true").stdout).unwrap();
    assert!(answer.get("decision").is_none(), "{answer}");
    let note = answer["hookSpecificOutput"]["additionalContext"]
        .as_str()
        .unwrap();
    assert_says(
        note,
        &["Between two tools", "src/other.py", "Leave it alone"],
    );
    assert!(!note.contains("- src/log.py"), "{note}");
    assert_eq!(observed(&repo, "true"), None);
    assert_eq!(stop(&repo), None, "it holds no agent up");
}

/// The hook of a call with an id of its own.
fn call(repo: &Repo, event: &str, id: &str, input: &Value) -> Output {
    let mut payload = claude(repo, "Bash", input);
    payload["hook_event_name"] = event.into();
    payload["tool_use_id"] = id.into();
    hook(repo, "claude", payload.to_string())
}

#[test]
fn parallel_commands_share_a_report_and_one_in_the_background_is_looked_at_later() {
    let repo = copy_of(&template());
    let (first, second) = (json!({"command": "a"}), json!({"command": "b"}));
    call(&repo, "PreToolUse", "1", &first).passes();
    call(&repo, "PreToolUse", "2", &second).passes();
    repo.write("src/a.py", "a\n");
    repo.write("src/b.py", "b\n");
    assert_says(
        &reported(&call(&repo, "PostToolUse", "1", &first)).unwrap(),
        &["src/a.py", "src/b.py"],
    );
    assert_eq!(reported(&call(&repo, "PostToolUse", "2", &second)), None);
    let background = json!({"command": "c", "run_in_background": true});
    call(&repo, "PreToolUse", "3", &background).passes();
    assert_eq!(
        reported(&call(&repo, "PostToolUse", "3", &background)),
        None
    );
    repo.write("src/c.py", "c\n");
    let report = stop(&repo).unwrap();
    assert_says(&report, &["src/c.py", "changed what it may not"]);
}

#[test]
fn content_that_only_the_work_tree_had_outlives_the_session() {
    let repo = copy_of(&template());
    observed(&repo, "rm README.md notes.txt").unwrap();
    bash(&repo, "SessionEnd", "-").exits(0);
    let stores = || fs::read_dir(repo.home().join(".cache/guard")).unwrap();
    let left = stores()
        .flatten()
        .any(|store| store.path().join("objects").exists());
    assert!(!left, "checkpoints are pruned at the end of the session");
    let list = repo.json(&["snapshot", "list"]);
    let id = list["snapshots"][0]["id"].as_str().unwrap();
    assert_eq!(
        list["snapshots"][0]["files"],
        json!(["README.md", "notes.txt"])
    );
    let kept = run(repo
        .command(GUARD)
        .args(["snapshot", "show", id, "notes.txt"]));
    assert_eq!(kept.exits(0).stdout, "notes of the user\n");
}

#[test]
fn lost_repository_is_reported() {
    let template = template();
    for (command, part) in [
        (
            "rm -rf .gi?",
            "the .git directory of the repository is gone",
        ),
        (
            "mv .git ../away",
            "the .git directory of the repository is gone",
        ),
        ("echo x > .git/HEAD", "guard could not look"),
        ("echo x > .git/index", "guard could not check"),
        (
            "echo x > src/other.py; rm -rf ~/.cache",
            "the checkpoints of this session are gone",
        ),
    ] {
        let repo = copy_of(&template);
        assert_says(&observed(&repo, command).unwrap(), &[part]);
    }
}

#[test]
fn nothing_is_judged_where_there_is_no_repository() {
    let repo = Repo::nothing();
    assert_eq!(observed(&repo, "echo x > a"), None);
    // The home directory as a repository is too much to copy.
    let home = Repo::nothing_in_memory();
    let mut payload = claude(&home, "Bash", &json!({"command": "ls"}));
    payload["cwd"] = home.home().canonicalize().unwrap().to_str().unwrap().into();
    run(home.command("git").args(["init", "-q", "../home"])).exits(0);
    let reason = hook(&home, "claude", payload.to_string()).denies();
    assert_says(&reason, &["the repository is the home directory"]);
}

#[test]
fn commands_that_name_what_switches_the_hooks_are_denied() {
    let repo = copy_of(&template());
    for command in [
        "guard uninstall claude",
        "guard  uninstall all",
        "cd /tmp && guard -C . uninstall; guard\tuninstall codex",
        "cat .claude/settings.json",
        "echo '{\"disableAllHooks\": true}' > x.json",
        "rm -f ~/.claude/settings.local.json",
        "sed -i d .codex/hooks.json",
        "mv .gemini/settings.json x",
    ] {
        assert_says(
            &bash(&repo, "PreToolUse", command).denies(),
            &["decides whether guard sees"],
        );
    }
    // In other words, it is reported.
    for command in [
        "d=.claude; mkdir -p $d; echo '{\"hooks\": 1}' > $d/settings.json",
        "mkdir -p ~/.codex; echo '{\"hooks\": 1}' > ~/.codex/hook\"s.json\"",
    ] {
        assert_says(&observed(&repo, command).unwrap(), &["[policy-changed]"]);
    }
}

#[test]
fn without_git_a_command_is_denied_before_and_reported_after() {
    let repo = copy_of(&template());
    let empty = repo.path("../empty");
    fs::create_dir_all(&empty).unwrap();
    let without = |event: &str| {
        let mut payload = claude(&repo, "Bash", &json!({"command": "ls"}));
        payload["hook_event_name"] = event.into();
        let mut guard = repo.command(GUARD);
        guard.args(["hook", "claude"]).env("PATH", &empty);
        run_with_input(&mut guard, payload.to_string().as_bytes())
    };
    assert_says(&without("PreToolUse").denies(), &["git cannot be started"]);
    bash(&repo, "PreToolUse", "ls").passes();
    assert_says(
        &reported(&without("PostToolUse")).unwrap(),
        &["guard could not look", "git cannot be started"],
    );
    // A cache directory that cannot be written.
    let repo = copy_of(&repo);
    fs::remove_dir_all(repo.home().join(".cache")).unwrap();
    fs::write(repo.home().join(".cache"), "").unwrap();
    assert_says(&bash(&repo, "PreToolUse", "ls").denies(), &["checkpoints"]);
}

#[test]
fn large_file_stalls_nothing_and_is_known_by_size_and_time() {
    let repo = copy_of(&template());
    let grow = |name: &str, size: u64| {
        let file = fs::File::options()
            .create(true)
            .append(true)
            .open(repo.path(name));
        file.unwrap().set_len(size).unwrap();
    };
    grow("large.bin", 5 << 30);
    let begin = std::time::Instant::now();
    assert_eq!(observed(&repo, "true"), None);
    assert!(begin.elapsed().as_secs() < 4, "{:?}", begin.elapsed());
    bash(&repo, "PreToolUse", "-").passes();
    grow("large.bin", (5 << 30) + 1);
    grow("src/large.bin", 20 << 20);
    let report = reported(&bash(&repo, "PostToolUse", "-")).unwrap();
    assert_says(
        &report,
        &["large.bin is not in the design", "src/large.bin"],
    );
    restore(&repo, change_in(&report))
        .exits(0)
        .says("no copy of large.bin");
}

#[test]
fn files_that_git_converts_are_not_reported_when_git_brings_them() {
    let repo = Repo::new();
    repo.stage(".gitattributes", "*.txt text eol=crlf\n");
    repo.stage("a.txt", "a\nb\n");
    repo.commit("Begin");
    repo.branch("other");
    repo.stage("a.txt", "c\nd\n");
    repo.commit("Other");
    repo.govern(&[("x.py", "Add", "")]);
    repo.git(&["switch", "--quiet", "main"]);
    run(repo.command("rm").arg("a.txt")).exits(0);
    repo.git(&["checkout", "--quiet", "--", "."]);
    assert_eq!(repo.read("a.txt"), b"a\r\nb\r\n");
    assert_eq!(
        observed(&repo, "git switch -q other; sleep 0.1; git status"),
        None
    );
    assert_eq!(repo.read("a.txt"), b"c\r\nd\r\n");
    assert!(observed(&repo, "printf 'x\\r\\n' > a.txt").is_some());
}

#[test]
fn other_hash_and_a_path_with_special_characters() {
    let mut repo = Repo::init(&["--object-format=sha256"]);
    repo.stage("a.py", "x = 1\n");
    repo.stage("b.py", "x = 2\n");
    repo.commit("Begin");
    repo.govern(&[("x.py", "Add", "")]);
    let inside = repo.root.with_file_name("a:b \"c");
    fs::rename(&repo.root, &inside).unwrap();
    repo.root = inside;
    let report = observed(&repo, "rm a.py; echo y > b.py; echo z > c.py").unwrap();
    restore(&repo, change_in(&report)).exits(0);
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
}

#[test]
fn files_of_git_that_its_rules_ignore_are_observed() {
    let repo = copy_of(&template());
    repo.stage("target/kept.py", "x = 1\n");
    repo.commit("Keep a file of the output");
    assert_says(
        &observed(&repo, "echo x > target/kept.py").unwrap(),
        &["target/kept.py"],
    );
    assert_eq!(observed(&repo, "echo x > target/other.py"), None);
    // A file that becomes visible was not made.
    repo.write("secret.private", "x\n");
    let report = observed(&repo, "echo > .gitignore").unwrap();
    assert!(
        report.contains(".gitignore") && !report.contains("target/other.py"),
        "{report}"
    );
    // What a command ignored, the next one may make.
    let report = observed(&repo, "mkdir logs && echo '*.log' > logs/.gitignore").unwrap();
    assert!(report.contains("logs/.gitignore"), "{report}");
    assert_eq!(observed(&repo, "echo x > logs/a.log"), None);
}

#[test]
fn own_file_since_head_may_go_again() {
    let repo = copy_of(&template());
    write(&repo, "src/utils/lld.py", "new = 1\n").passes();
    assert_eq!(observed(&repo, "true"), None);
    repo.write("src/utils/lld.py", lines(1..=300));
    assert_eq!(observed(&repo, "true"), None);
    assert_eq!(observed(&repo, "rm src/utils/lld.py"), None);
}

#[test]
fn no_text_of_a_command_needs_much_memory_or_time() {
    let repo = Repo::nothing_in_memory().initialized(&[]);
    for number in 0..5000 {
        repo.write(
            format!("src/d{}/f{number}.py", number / 100),
            format!("x = {number}\n"),
        );
    }
    repo.git(&["add", "--all"]);
    repo.commit("Begin");
    let doubled: String = (1..60)
        .map(|n| format!("v{n}=$v{}$v{};", n - 1, n - 1))
        .collect();
    let texts = [
        format!("v0=xxxxxxxx;{doubled}echo $v59 > src/other.py"),
        "{1..300}".repeat(300),
        "$((".repeat(20_000),
        "'".repeat(1_000_001),
        "\u{0}\u{ffff}".repeat(100_000),
        "x".repeat(4 << 20),
        "(".repeat(1 << 20),
        format!("cat <<A\n{}", "line\n".repeat(200_000)),
        "a ".repeat(2 << 20),
    ];
    for text in texts {
        for event in ["PreToolUse", "PostToolUse"] {
            let mut payload = claude(&repo, "Bash", &json!({"command": text}));
            payload["hook_event_name"] = event.into();
            // 100 MB of writable memory, in KiB, and 2 s of the processor, for guard and for each git that it starts.
            let limits = "ulimit -d 97656; ulimit -t 2; \"$@\"; exit $?";
            let mut limited = repo.command("sh");
            limited.args(["-c", limits, "sh", GUARD, "hook", "claude"]);
            run_with_input(&mut limited, payload.to_string().as_bytes()).passes();
        }
    }
}
