//! What commands of agents do is observed: each writing command of a long list is reported and taken back to the
//! byte, and everyday commands are neither denied nor reported.

use std::collections::BTreeMap;
use std::fs;

use serde_json::{Value, json};

use write_guard::files::Log;
use write_guard_policy::approve::TRAILER;
use write_guard_policy::sha256::sha256;

use crate::common::agents::{Answered, absolute, claude, hook};
use crate::common::system;
use crate::common::{
    GUARD, Output, Repo, assert_each, assert_says, lines, raw, run, run_with_input, signing, skip,
    write_executable,
};

/// What the design of the template lets a command write.
const ALLOWED: &str = "src/log.py src/state.py src/utils/lld.py docs/notes.md";

/// Whether the design of the template lets a command write this file.
pub fn is_allowed(name: &str) -> bool {
    ALLOWED.split(' ').any(|allowed| allowed == name)
}

/// A repository with a remote, other branches, a hook, and changes of a user that no commit has.
pub fn template() -> Repo {
    let repo = Repo::nothing_in_memory().initialized(&[]);
    repo.write(".git/info/exclude", "*.private\n");
    let make = "all:\n\t@mkdir -p target && echo x > target/out\n";
    let ignored = "target/\nnode_modules/\n__pycache__/\n*.tmp\n";
    for (path, content) in [
        ("src/log.py", "import sys\n\nlevel = 1\nlevel = 1\n"),
        ("src/state.py", &lines(1..=200)),
        ("src/other.py", "x = 1\n"),
        ("src/big.py", &lines(1..=300)),
        ("lib/util.py", "a = 1\nx = 2\n"),
        ("data/table.csv", "a,1\nb,2\nc,3\n"),
        ("README.md", "# Title\n\nA line.\n"),
        ("scripts/run.sh", "echo run\n"),
        ("Makefile", make),
        (".gitignore", ignored),
    ] {
        repo.write(path, content);
    }
    system::symlink("src/log.py", repo.path("link.py")).unwrap();
    repo.git(&["add", "--all"]);
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
    let branches = ["main", "188-work", "main:theirs"];
    repo.git(&[&["push", "--quiet", "origin"][..], &branches].concat());
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
    repo.install_hook_script("pre-commit", "#!/bin/sh\nexit 0\n");
    write_executable(&repo.path("scripts/run.sh"), "echo run\n");
    repo.write("README.md", "# Title\n\nA line of the user.\n");
    repo.write("notes.txt", "notes of the user\n");
    repo
}

pub fn copy_of(template: &Repo) -> Repo {
    let repo = Repo::nothing_in_memory();
    let mut copy = repo.command("cp");
    copy.arg("-a").arg(template.path("../."));
    run(copy.arg(repo.path(".."))).exits(0);
    repo
}

/// What Claude Code sends for a command at this event.
fn payload(repo: &Repo, event: &str, command: &str) -> Value {
    let mut payload = claude(repo, "Bash", &json!({"command": command}));
    payload["hook_event_name"] = event.into();
    payload
}

fn bash(repo: &Repo, event: &str, command: &str) -> Output {
    hook(repo, "claude", payload(repo, event, command).to_string())
}

/// Runs a command between the hooks. The answer is the report.
fn observed(repo: &Repo, command: &str) -> Option<String> {
    bash(repo, "PreToolUse", command).passes();
    shell(repo, command);
    reported(&bash(repo, "PostToolUse", command))
}

fn shell(repo: &Repo, command: &str) {
    let mut shell = repo.with_guard_on_path("bash");
    shell.arg("-c").arg(command);
    let temporary = repo.path("../temporary");
    fs::create_dir_all(&temporary).unwrap();
    run(system::set_temporary(&mut shell, temporary));
}

fn reported(after: &Output) -> Option<String> {
    assert_eq!(after.code, 0, "{after:?}");
    if after.stdout.is_empty() {
        return None;
    }
    let answer: Value = serde_json::from_str(&after.stdout).unwrap();
    // After a tool beside its output; at the end of a turn, what holds the agent.
    let text = if answer["hookSpecificOutput"]["hookEventName"] == "PostToolUse" {
        &answer["hookSpecificOutput"]["additionalContext"]
    } else {
        assert_eq!(answer["decision"], "block", "{answer}");
        &answer["reason"]
    };
    Some(text.as_str().unwrap().to_owned())
}

/// Everything that a command may change: files that are not ignored, with their mode, and what git knows.
pub fn state(repo: &Repo) -> BTreeMap<String, String> {
    let mut state = BTreeMap::new();
    for line in raw::digest_tree(&repo.root).lines() {
        let mut words = line.splitn(3, ' ');
        let [mode, digest, name] = std::array::from_fn(|_| words.next().unwrap());
        let name = name.trim_matches('"');
        let has = |names: &[&str]| name.split('/').any(|part| names.contains(&part));
        let is_ignored = name.ends_with(".tmp") || has(&["target", "node_modules", "__pycache__"]);
        let is_switch = name.strip_prefix(".git/").is_some_and(|name| {
            name.starts_with("hooks/")
                || ["config", "info/exclude", "info/attributes", "HEAD"].contains(&name)
        });
        if mode.starts_with("04") || is_ignored || has(&[".git"]) && !is_switch {
            continue;
        }
        let is_executable = u32::from_str_radix(mode, 8).unwrap() & 0o100;
        let facts = format!("{} {is_executable} {digest}", &mode[..3]);
        state.insert(name.to_owned(), facts);
    }
    let global = fs::read_to_string(repo.home().join(".gitconfig")).ok();
    state.insert("../home/.gitconfig".to_owned(), format!("{global:?}"));
    let refs = repo.git(&["for-each-ref", "--format=%(refname) %(objectname)"]);
    let refs = refs.lines().filter(|line| !line.starts_with("refs/guard/"));
    for line in refs.filter(|line| !line.starts_with("refs/remotes/")) {
        let (name, id) = line.split_once(' ').unwrap();
        state.insert(name.to_owned(), id.to_owned());
    }
    let index = repo.try_git(&["ls-files", "--stage"]).stdout;
    state.insert("the index".to_owned(), index);
    state
}

/// The commands of a list, with whether what they do can be taken back; without `GUARD_LONG` only some of them.
fn commands(text: &str, sample: usize) -> Vec<Command<'_>> {
    let mut is_restored = true;
    let mut all = Vec::new();
    for line in text.lines() {
        match line.strip_prefix("# ") {
            Some(title) => is_restored = !title.contains("not restored"),
            None => all.push((line, is_restored)),
        }
    }
    let step = match std::env::var_os("GUARD_LONG") {
        Some(_) => 1,
        None => all.len().div_ceil(sample),
    };
    all.into_iter().step_by(step).collect()
}

type Command<'a> = (&'a str, bool);

/// Runs `check` on a copy of the template for each command, in two threads, and collects what is wrong.
fn with_each(all: &[Command<'_>], check: impl Fn(&Repo, &str, bool) -> Option<String> + Sync) {
    let template = template();
    assert_each(all, |(command, is_restored)| {
        let why = check(&copy_of(&template), command, *is_restored)?;
        Some(format!("{command}\n    {why}"))
    });
}

#[test]
fn what_a_command_writes_outside_the_design_is_reported_and_taken_back() {
    let all = commands(include_str!("data/commands.txt"), 30);
    with_each(&all, |repo, command, is_restored| {
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
        let is_missing = |name: &&String| {
            let of_git = [".git/", "refs/", "the index"];
            let is_of_git = of_git.iter().any(|part| name.contains(part));
            let is_allowed = is_allowed(name) && after.contains_key(*name);
            // A path that is as in HEAD is no change to report.
            let head = repo.try_git(&["show", &format!("HEAD:{name}")]);
            let is_as_in_head = head.code == 0
                && fs::read(repo.path(name)).is_ok_and(|there| there == head.stdout.as_bytes());
            let is_told = report.contains(name.trim_start_matches("../home/"));
            before.get(*name) != after.get(*name)
                && !(is_of_git || is_allowed || is_told || is_as_in_head)
        };
        let is_listed = !report.contains(" more\n") && !report.contains("could not check");
        if let Some(name) = before.keys().chain(after.keys()).find(is_missing)
            && is_listed
            && is_restored
        {
            return Some(format!("{name} is missing: {report}"));
        }
        if !report.contains("guard snapshot restore") {
            return Some(format!("names no restore: {report}"));
        }
        let taken = restore(repo, change_in(&report));
        if taken.code != 0 {
            return Some(format!("is not taken back: {}", taken.text()));
        }
        let restored = state(repo);
        let names = before.keys().chain(restored.keys());
        let wrong: Vec<&String> = names
            .filter(|name| before.get(*name) != restored.get(*name))
            .collect();
        (is_restored && !wrong.is_empty())
            .then(|| format!("is not taken back: {wrong:?}\n{report}"))
    });
}

#[test]
fn everyday_commands_are_neither_denied_nor_reported() {
    let all = commands(include_str!("data/everyday_commands.txt"), 40);
    with_each(&all, |repo, command, _| {
        let before = bash(repo, "PreToolUse", command);
        if (before.code, before.text().as_str()) != (0, "") {
            return Some(format!("is denied: {}", before.text()));
        }
        shell(repo, command);
        reported(&bash(repo, "PostToolUse", command))
    });
}

/// What a person does beside a session is never ordered away: between two calls nobody is blamed, and during one the text
/// leaves open who did it.
#[test]
fn work_of_a_person_beside_a_session_is_never_ordered_away() {
    let all = commands(include_str!("data/persons_work.txt"), 20);
    with_each(&all, |repo, command, _| {
        assert_eq!(observed(repo, "true"), None);
        // A call that the person rejects, and no end of it.
        bash(repo, "PreToolUse", "rm -rf build").passes();
        shell(repo, command);
        bash(repo, "PreToolUse", "ls").exits(0);
        let between = bash(repo, "PostToolUse", "ls").exits(0).stdout;
        let is_blamed = ["\"decision\"", "snapshot restore", "the command changed"];
        let is_blamed = is_blamed.iter().any(|part| between.contains(part));
        if is_blamed {
            return Some(format!("is blamed on the next call: {between}"));
        }
        let end = bash(repo, "Stop", "-").exits(0).stdout;
        (end.contains("\"decision\"")).then(|| format!("holds the agent up: {end}"))
    });
    with_each(&all, |repo, command, _| {
        assert_eq!(observed(repo, "true"), None);
        bash(repo, "PreToolUse", "make").passes();
        shell(repo, command);
        let during = bash(repo, "PostToolUse", "make").exits(0).stdout;
        let is_order =
            during.contains("snapshot restore") && !during.contains("If your command did this");
        is_order.then(|| format!("is ordered away: {during}"))
    });
}

#[test]
fn commit_outside_the_design_is_reported_whatever_its_path_says() {
    let repo = copy_of(&template());
    let commit = "echo x > 'src/approved locally.py'; git add src; git commit --quiet -m x";
    let report = observed(&repo, commit).unwrap();
    assert_says(&report, &["commit ", "src/approved locally.py"]);
}

#[test]
fn commit_with_an_unsigned_approval_is_reported_unless_the_log_has_the_approval() {
    let template = template();
    for (logged, is_reported) in [
        (None, true),
        (Some("src/log.py"), true),
        (Some("src/state.py"), false),
    ] {
        let repo = copy_of(&template);
        let approval = signing::approval(&repo, &signing::old(), &signing::new());
        let trailer = format!("{TRAILER}: {}", approval.to_trailer_value());
        repo.write("../message", format!("Rewrite the state\n\n{trailer}\n"));
        repo.write("../state.py", signing::new());
        if let Some(path) = logged {
            let mut facts = approval.to_json();
            facts.insert("path".into(), path.into());
            Log::new(&repo.path(".git"))
                .append("approved", facts)
                .unwrap();
        }
        let rewrite = "cp ../state.py src/state.py; git commit --quiet -F ../message src/state.py";
        assert_eq!(
            observed(&repo, rewrite).is_some(),
            is_reported,
            "{logged:?}"
        );
    }

    let repo = copy_of(&template);
    repo.write("../state.py", signing::new());
    let rewrite = "cp ../state.py src/state.py; git commit --quiet -m x src/state.py";
    assert_says(
        &observed(&repo, rewrite).unwrap(),
        &["commit ", "src/state.py"],
    );
}

/// The name of the change in a report.
fn change_in(report: &str) -> &str {
    let (_, rest) = report.split_once("guard snapshot restore ").unwrap();
    rest.lines().next().unwrap()
}

/// Runs the restore with what the report names: a change, and perhaps paths.
fn restore(repo: &Repo, named: &str) -> Output {
    let command = format!("guard snapshot restore {named}");
    let mut shell = repo.with_guard_on_path("sh");
    run(shell.arg("-c").arg(command))
}

fn stop(repo: &Repo) -> Option<String> {
    reported(&bash(repo, "Stop", "-"))
}

#[test]
fn files_behind_a_new_link_are_gone() {
    let repo = copy_of(&template());
    let before = state(&repo);
    let report = observed(&repo, "mv lib ../lib-away && ln -s ../lib-away lib").unwrap();
    assert_says(
        &report,
        &["lib/util.py", "../lib-away leaves the workspace"],
    );
    restore(&repo, change_in(&report)).exits(0);
    assert_eq!(state(&repo), before);
}

#[test]
fn agent_takes_its_change_back_without_another_report() {
    let repo = copy_of(&template());
    let before = state(&repo);
    let report = observed(&repo, "rm -rf lib notes.txt; git config core.hooksPath x").unwrap();
    assert_says(&report, &["lib/util.py", "notes.txt"]);
    assert_says(&report, &["core.hookspath", "[policy-changed]"]);
    let name = change_in(&report).to_owned();
    let taken = observed(&repo, &format!("guard snapshot restore {name}"));
    assert_eq!(taken, None);
    assert_eq!(state(&repo), before);
    assert_eq!(stop(&repo), None, "nothing is left to tell");
    let again = restore(&repo, &name).exits(0);
    again.says("nothing is left to take back");
    // What was refused is kept.
    let report = observed(&repo, "echo evil > src/evil.py").unwrap();
    restore(&repo, change_in(&report)).exits(0);
    let kept = repo.json(&["snapshot", "list"]).to_string();
    assert_says(&kept, &["notes.txt", "src/evil.py"]);
}

/// A setting is told by its key, any other file as a whole.
#[test]
fn switches_that_a_command_changes_are_told_by_what_they_are() {
    for (command, part) in [
        (
            "git config core.hooksPath x",
            "core.hookspath in .git/config",
        ),
        (
            "echo exit 0 > .git/hooks/pre-commit",
            ".git/hooks/pre-commit",
        ),
        ("echo '*.py' >> .git/info/exclude", ".git/info/exclude"),
    ] {
        let report = observed(&copy_of(&template()), command).unwrap();
        assert_says(&report, &[&format!("{part} was changed, which decides")]);
        let whole = format!(" in {part}");
        assert!(!report.contains(&whole), "{command}: {report}");
    }
}

#[test]
fn calls_are_listed_with_some_of_their_files_and_shown_with_all() {
    let repo = copy_of(&template());
    let mut names = Vec::new();
    for (folder, count) in [("five", 5), ("six", 6)] {
        let files: String = (1..=count)
            .map(|number| format!("; echo x > {folder}/{number}.py"))
            .collect();
        let report = observed(&repo, &format!("mkdir {folder}{files}")).unwrap();
        let name = change_in(&report).split(' ').next().unwrap().to_owned();
        names.push((name, folder, count));
    }
    let listed = repo.guard(&["snapshot", "list"]).exits(0).stdout;
    for (name, folder, count) in names {
        let line = listed.lines().find(|line| line.starts_with(&name)).unwrap();
        let end = match count {
            5 => "five/4.py five/5.py",
            _ => "six/4.py six/5.py …",
        };
        assert!(line.ends_with(end), "{line}");
        let shown = repo.guard(&["snapshot", "show", &name]).exits(0).stdout;
        let files: Vec<&str> = shown.lines().skip(1).map(str::trim).collect();
        let expected = (1..=count).map(|number| format!("{folder}/{number}.py"));
        assert_eq!(files, expected.collect::<Vec<_>>(), "{shown}");
        let json = repo.json(&["snapshot", "show", &name]);
        assert_eq!(
            (&json["id"], &json["files"][0]),
            (&name.into(), &files[0].into())
        );
    }
    repo.tells("snapshot show cp-0", 2, "guard knows no change cp-0")
        .says("guard snapshot list");
}

#[test]
fn file_that_changed_since_is_judged_as_the_change_that_it_is() {
    let repo = copy_of(&template());
    let report = observed(&repo, "echo x > src/other.py; echo y > src/new.py").unwrap();
    repo.write("src/other.py", "of the user\n");
    let restored = restore(&repo, change_in(&report));
    restored.exits(1).says("src/other.py");
    assert_eq!(repo.read("src/other.py"), b"of the user\n");
    // It is as the command left it.
    assert!(!repo.path("src/new.py").exists());
    // Only some files, by name.
    let report = observed(&repo, "echo x > a.py; echo y > b.py").unwrap();
    let name = change_in(&report).split(' ').next().unwrap();
    repo.guard(&["snapshot", "restore", name, "a.py"]).exits(0);
    assert!(!repo.path("a.py").exists() && repo.path("b.py").exists());
}

/// The lines that a commit took away are in the commits before it.
#[test]
fn a_commit_that_only_removes_lines_is_not_lost() {
    let template = template();
    for (content, is_lost) in [(lines(1..=290), false), (lines(1..=310), true)] {
        let repo = copy_of(&template);
        repo.stage("src/big.py", content);
        repo.commit("Change a large file");
        let report = observed(&repo, "git reset --quiet --keep HEAD~1");
        assert_eq!(report.is_some(), is_lost, "{report:?}");
    }
}

/// The first of the two commits is no tip of a ref, neither before nor after.
#[test]
fn files_return_with_the_commit_that_a_reset_threw_away() {
    let repo = copy_of(&template());
    for count in [30, 60] {
        repo.stage("src/other.py", lines(1..=count));
        repo.commit("Work");
    }
    let before = state(&repo);
    let report = observed(&repo, "git reset --quiet --keep HEAD~1").unwrap();
    assert_eq!(repo.text("src/other.py"), lines(1..=30));
    restore(&repo, change_in(&report)).exits(0);
    assert_eq!(state(&repo), before);
}

#[test]
fn head_and_files_return_where_the_rules_could_not_be_asked() {
    let repo = copy_of(&template());
    // So that git can switch.
    repo.git(&["checkout", "--quiet", "README.md"]);
    let before = state(&repo);
    let command = "git switch --quiet main; echo x > src/new.py; git add src/new.py";
    let report = observed(&repo, command).unwrap();
    assert_says(
        &report,
        &["guard could not check what it changed", "src/new.py"],
    );
    restore(&repo, change_in(&report)).exits(0);
    assert_eq!(repo.git(&["symbolic-ref", "--short", "HEAD"]), "188-work");
    assert_eq!(state(&repo), before);
}

/// A ref that the report is not about stays, as does one that moved since.
#[test]
fn only_refs_that_were_refused_and_are_as_they_were_left_return() {
    let template = template();
    let command = "git branch -q kept side; git switch -qc 188-evil; echo x > src/evil.py; \
                   git add src/evil.py; git commit -qnm x; git switch -q 188-work";
    for is_moved_since in [false, true] {
        let repo = copy_of(&template);
        let before = state(&repo);
        let side = before.get("refs/heads/side").cloned();
        let report = observed(&repo, command).unwrap();
        if is_moved_since {
            repo.git(&["branch", "--quiet", "--force", "188-evil", "side"]);
        }
        restore(&repo, change_in(&report)).exits(0);
        let mut after = state(&repo);
        assert_eq!(after.remove("refs/heads/kept"), side);
        let evil = after.remove("refs/heads/188-evil");
        assert_eq!(evil, side.filter(|_| is_moved_since));
        assert_eq!(after, before);
    }
}

/// HEAD returns with its branch unless a person has switched since.
#[test]
fn head_returns_only_from_where_the_command_left_it() {
    let template = template();
    let commit = "echo x > src/evil.py; git add src/evil.py; git commit --quiet --no-verify -m x";
    let switch = format!("git switch --quiet --create 188-evil; {commit}");
    for (command, since, expected) in [
        (commit, None, "188-work"),
        (&switch, None, "188-work"),
        (commit, Some("merged"), "merged"),
        (&switch, Some("merged"), "merged"),
    ] {
        let repo = copy_of(&template);
        // So that git can switch.
        repo.git(&["checkout", "--quiet", "README.md"]);
        let work = repo.git(&["rev-parse", "188-work"]);
        let report = observed(&repo, command).unwrap();
        if let Some(branch) = since {
            repo.git(&["switch", "--quiet", branch]);
        }
        restore(&repo, change_in(&report)).exits(0);
        let head = repo.git(&["symbolic-ref", "--short", "HEAD"]);
        assert_eq!(head, expected, "{command} {since:?}");
        assert_eq!(repo.git(&["rev-parse", "188-work"]), work, "{command}");
    }
}

/// The index returns whole if it is as the command left it, and else only in what the command staged.
#[test]
fn what_a_person_staged_since_the_command_stays_staged() {
    let template = template();
    let commit = "echo 'level = 4' >> src/log.py; echo x > src/evil.py; \
                  git add src/log.py src/evil.py; git commit --quiet --no-verify -m x src/evil.py";
    for is_changed_since in [false, true] {
        let repo = copy_of(&template);
        let before = state(&repo);
        let report = observed(&repo, commit).unwrap();
        if is_changed_since {
            repo.git(&["add", "notes.txt"]);
        }
        restore(&repo, change_in(&report)).exits(0);
        let staged = repo.git(&["diff", "--cached", "--name-status"]);
        let now = state(&repo);
        assert!(!now.contains_key("src/evil.py"), "{now:?}");
        if is_changed_since {
            assert!(staged.contains("A\tnotes.txt"), "{staged}");
            assert!(!staged.contains("src/evil.py"), "{staged}");
        } else {
            assert_eq!(now["the index"], before["the index"]);
        }
        // The design allows this file.
        assert!(repo.text("src/log.py").ends_with("level = 4\n"));
    }
}

#[test]
fn same_finding_is_told_once_after_the_tool_and_once_at_the_end_of_the_turn() {
    let repo = copy_of(&template());
    let report = observed(&repo, "echo x > src/new.py").unwrap();
    assert_says(&report, &["src/new.py is not in the design [out-of-scope]"]);
    assert_says(&report, &["use a temporary or ignored path"]);
    // There is no row to propose for a scratch file.
    assert!(!report.contains("| Add |"), "{report}");
    assert_eq!(observed(&repo, "true"), None);
    assert_says(&stop(&repo).unwrap(), &["src/new.py", change_in(&report)]);
    assert_eq!(stop(&repo), None);
    // Who does it again hears it again.
    restore(&repo, change_in(&report)).exits(0);
    let again = observed(&repo, "echo x > src/new.py").unwrap();
    assert_says(&again, &["src/new.py"]);
    assert!(stop(&repo).is_some());
}

/// What is wrong in the index alone is not in the work tree.
#[test]
fn each_place_of_a_finding_is_looked_at_again_at_the_end_of_the_turn() {
    let template = template();
    let stage = "git update-index --add --cacheinfo 100644,$(git rev-parse HEAD:README.md),";
    for (command, path) in [
        ("echo x > src/new.py".to_owned(), "src/new.py"),
        (format!("{stage}src/staged.py"), "src/staged.py"),
        ("git config core.hooksPath x".to_owned(), "core.hookspath"),
    ] {
        let repo = copy_of(&template);
        let report = observed(&repo, &command).unwrap();
        assert_says(&report, &[path]);
        assert_says(&stop(&repo).unwrap(), &[path, change_in(&report)]);
        // Nothing is left of it.
        let repo = copy_of(&template);
        let report = observed(&repo, &command).unwrap();
        restore(&repo, change_in(&report)).exits(0);
        assert_eq!(stop(&repo), None, "{command}");
    }
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
    let note = answer["hookSpecificOutput"]["additionalContext"].to_string();
    let parts = ["Between two tools", "src/other.py", "Leave it alone"];
    assert_says(&note, &parts);
    assert!(!note.contains("- src/log.py"), "{note}");
    assert_eq!(observed(&repo, "true"), None);
    assert_eq!(stop(&repo), None, "it holds no agent up");
}

#[test]
fn parallel_commands_share_a_report_and_one_in_the_background_is_looked_at_later() {
    let repo = copy_of(&template());
    let call = |event: &str, id: &str| {
        let input = json!({"command": id, "run_in_background": id == "3"});
        let mut payload = claude(&repo, "Bash", &input);
        payload["hook_event_name"] = event.into();
        payload["tool_use_id"] = id.into();
        reported(&hook(&repo, "claude", payload.to_string()))
    };
    assert_eq!(["1", "2"].map(|id| call("PreToolUse", id)), [None, None]);
    repo.write("src/a.py", "a\n");
    repo.write("src/b.py", "b\n");
    let report = call("PostToolUse", "1").unwrap();
    assert_says(&report, &["src/a.py", "src/b.py"]);
    assert_eq!(call("PostToolUse", "2"), None);
    // So that nothing of it is left to tell at the end of the turn.
    for path in ["src/a.py", "src/b.py"] {
        fs::remove_file(repo.path(path)).unwrap();
    }
    let events = ["PreToolUse", "PostToolUse"];
    assert_eq!(events.map(|event| call(event, "3")), [None, None]);
    repo.write("src/c.py", "c\n");
    let report = stop(&repo).unwrap();
    assert_says(&report, &["src/c.py", "changed what it may not"]);
}

const NOTES: &str = "docs/notes.md";

fn write_by_command(repo: &Repo, content: &str) {
    repo.write("../content", content);
    observed(repo, &format!("cp ../content {NOTES}"));
}

fn write_by_tool(repo: &Repo, content: &str) {
    let input = json!({"file_path": absolute(repo, NOTES), "content": content});
    hook(repo, "claude", claude(repo, "Write", &input).to_string()).exits(0);
    repo.write(NOTES, content);
}

/// Work that continues another's stays theirs; a replacement, or what continues the agent's own work, is the agent's.
#[test]
fn loss_is_told_of_what_the_agent_only_continued() {
    let template = template();
    let kept = lines(1..=30) + "more\n";
    let others = lines(901..=930);
    let of_user = lines(1..=30);
    type Write = fn(&Repo, &str);
    for (name, write) in [
        ("command", write_by_command as Write),
        ("tool", write_by_tool),
    ] {
        for (is_of_user, content, is_told) in [
            (true, &kept, true),
            (true, &others, false),
            (false, &kept, false),
            (false, &others, false),
        ] {
            let repo = copy_of(&template);
            if is_of_user {
                repo.write(NOTES, &of_user);
                assert_eq!(observed(&repo, "true"), None);
            } else {
                write(&repo, &of_user);
            }
            write(&repo, content);
            let report = observed(&repo, &format!("rm {NOTES}"));
            let context = format!("{name} {is_of_user} {content}: {report:?}");
            assert_eq!(report.is_some(), is_told, "{context}");
        }
    }
}

/// The user interrupted it, and what changes then is theirs.
#[test]
fn command_that_has_not_ended_when_a_prompt_begins_is_not_looked_at() {
    let template = template();
    for has_prompt in [false, true] {
        let repo = copy_of(&template);
        bash(&repo, "PreToolUse", "make").passes();
        if has_prompt {
            bash(&repo, "UserPromptSubmit", "-").exits(0);
        }
        repo.write("src/new.py", "of the user\n");
        let report = reported(&bash(&repo, "PostToolUse", "make"));
        assert_eq!(report.is_none(), has_prompt, "{report:?}");
    }
}

#[test]
fn content_that_only_the_work_tree_had_outlives_the_session() {
    let repo = copy_of(&template());
    observed(&repo, "rm README.md notes.txt").unwrap();
    bash(&repo, "SessionEnd", "-").exits(0);
    let taken = &repo.snapshots()[0];
    assert_eq!(taken["files"], json!(["README.md", "notes.txt"]));
    let id = taken["id"].as_str().unwrap();
    let kept = repo.guard(&["snapshot", "show", id, "notes.txt"]);
    assert_eq!(kept.exits(0).stdout, "notes of the user\n");
}

#[test]
fn what_keeps_guard_from_looking_is_reported_and_denies_the_next_command() {
    let template = template();
    let gone = "the .git directory of the repository is gone";
    for (command, part, is_denied) in [
        ("rm -rf .gi?", gone, false),
        ("mv .git ../away", gone, false),
        ("echo x > .git/HEAD", "guard could not look", true),
        ("echo x > .git/index", "guard could not", true),
        ("echo '[core' > .git/config", "section header", true),
        ("echo x > ~/.cache/guard/*/index", "not record", true),
        ("tee ~/.cache/guard/*/sessions/* <<< {", "the notes", true),
        ("rm -rf ~/.cache", "the checkpoints of this", false),
        ("rm -rf ~/.cache; touch ~/.cache", "checkpoints", true),
    ] {
        let repo = copy_of(&template);
        assert_says(&observed(&repo, command).unwrap(), &[part]);
        let next = bash(&repo, "PreToolUse", "ls");
        assert_eq!(next.code, if is_denied { 2 } else { 0 }, "{command}");
    }
}

#[test]
fn nothing_is_judged_where_there_is_no_repository() {
    let repo = Repo::nothing();
    assert_eq!(observed(&repo, "echo x > a"), None);
    // The home directory as a repository is too much to copy.
    let home = Repo::nothing_in_memory();
    let mut payload = claude(&home, "Bash", &json!({"command": "ls"}));
    payload["cwd"] = system::real(home.home()).to_str().unwrap().into();
    run(home.command("git").args(["init", "-q", "../home"])).exits(0);
    let reason = hook(&home, "claude", payload.to_string()).denies();
    assert_says(&reason, &["is in the work tree"]);
}

#[test]
fn commands_that_name_what_switches_the_hooks_are_denied() {
    let repo = copy_of(&template());
    for command in [
        "guard  uninstall all",
        "cd /tmp && guard -C . uninstall; guard\tuninstall codex",
        "echo '{\"disableAllHooks\": true}' > x.json",
        "rm -f ~/.claude/settings.local.json",
        "sed -i d .codex/hooks.json",
        "rm -rf .claude",
        "mkdir -p ~/.claude && echo x > ~/.claude/memory.md",
        "git rm -r --quiet .gemini",
    ] {
        let reason = bash(&repo, "PreToolUse", command).denies();
        assert_says(&reason, &["decides whether guard sees"]);
    }
    // In other words, it is reported.
    for command in [
        "d=.clau; mkdir -p ${d}de; echo '{\"hooks\": 1}' > ${d}de/settings.json",
        "d=~/.cod; mkdir -p ${d}ex; echo '{\"hooks\": 1}' > ${d}ex/hook\"s.json\"",
    ] {
        assert_says(&observed(&repo, command).unwrap(), &["[policy-changed]"]);
    }
}

#[test]
fn without_git_a_command_is_denied_before_and_reported_after() {
    let repo = copy_of(&template());
    let without = |event: &str| {
        let payload = payload(&repo, event, "ls");
        let mut guard = repo.command(GUARD);
        guard.args(["hook", "claude"]).env("PATH", repo.path("src"));
        run_with_input(&mut guard, payload.to_string().as_bytes())
    };
    assert_says(&without("PreToolUse").denies(), &["git cannot be started"]);
    bash(&repo, "PreToolUse", "ls").passes();
    repo.write("src/other.py", "x = 2\n");
    let report = reported(&without("PostToolUse")).unwrap();
    assert_says(&report, &["guard could not look", "git cannot be started"]);
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
    let parts = ["large.bin is not in the design", "src/large.bin"];
    assert_says(&report, &parts);
    let restored = restore(&repo, change_in(&report));
    restored.exits(0).says("no copy of large.bin");
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
    let switch = "git switch -q other; sleep 0.1; git status";
    assert_eq!(observed(&repo, switch), None);
    assert_eq!(repo.read("a.txt"), b"c\r\nd\r\n");
    assert!(observed(&repo, "printf 'x\\r\\n' > a.txt").is_some());
}

/// What a pointer of Git LFS stands for is in its store; other content in its place is not.
#[test]
fn content_of_a_large_file_is_lost_unless_the_committed_pointer_stands_for_it() {
    let stored = lines(1..=50);
    let digest = sha256(stored.as_bytes());
    let repo = Repo::new();
    let pointer = format!(
        "version https://git-lfs.github.com/spec/v1\noid sha256:{digest}\nsize {}\n",
        stored.len()
    );
    repo.stage("data/big.bin", pointer);
    repo.commit("Begin");
    repo.govern(&[("x.py", "Add", "")]);
    for (content, is_lost) in [(stored, false), (lines(51..=100), true)] {
        repo.write("data/big.bin", content);
        let report = observed(&repo, "git checkout --quiet -- data").unwrap_or_default();
        let is_told = report.contains("guard snapshot restore");
        assert_eq!(is_told, is_lost, "{report}");
    }
}

#[test]
fn other_hash_and_a_path_with_special_characters() {
    let mut repo = Repo::init(&["--object-format=sha256"]);
    repo.stage("a.py", "x = 1\n");
    repo.stage("b.py", "x = 2\n");
    repo.govern(&[("x.py", "Add", "")]);
    let name = if cfg!(windows) { "a 'b %c" } else { "a:b \"c" };
    let inside = repo.root.with_file_name(name);
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
    let report = observed(&repo, "echo x > target/kept.py").unwrap();
    assert_says(&report, &["target/kept.py"]);
    assert_eq!(observed(&repo, "echo x > target/other.py"), None);
    // A file that becomes visible was not made.
    repo.write("secret.private", "x\n");
    let report = observed(&repo, "echo > .gitignore").unwrap();
    assert_says(&report, &[".gitignore"]);
    assert!(!report.contains("target/other.py") && !report.contains("secret.private"));
    restore(&repo, change_in(&report)).exits(0);
    assert!(repo.path("target/other.py").exists());
    // What a command ignored, the next one may make.
    let report = observed(&repo, "mkdir logs && echo '*.log' > logs/.gitignore").unwrap();
    assert!(report.contains("logs/.gitignore"), "{report}");
    assert_eq!(observed(&repo, "echo x > logs/a.log"), None);
}
