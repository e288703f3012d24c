//! Decisions about destructive changes, in a real pseudo-terminal.

use std::fs;

use crate::common::commits::error_findings;
use crate::common::log::{log_lines, set_log};
use crate::common::signing::{edited, new, old};
use crate::common::system::{self, HAS_MODES};
use crate::common::terminal::{End, Session, decide, driver, guard_at_terminal};
use crate::common::{self, Output, Repo};
use serde_json::Value;

const FILE: &str = "src/state.py";
const WORD: &str = "Type `";

/// Every line of [`old`] begins with this word, so it is the word that approves losing them.
const LOST: &str = "line";

fn repo() -> Repo {
    let repo = Repo::new();
    repo.stage(FILE, old());
    repo.govern(&[(FILE, "Modify", "the state"), ("src/other.py", "Add", "x")]);
    repo
}

fn write(repo: &Repo, content: &str) -> Output {
    repo.write("content", content);
    repo.guard(&["write", FILE, "--content-file", "content"])
}

/// Holds the replacement and returns its id.
fn hold(repo: &Repo) -> String {
    let held = write(repo, &new()).exits(1).says("nothing was written");
    held.says("waits for approval as");
    repo.held_id()
}

#[track_caller]
fn assert_left(repo: &Repo, content: &str, pending: usize) {
    assert_eq!(repo.read(FILE), content.as_bytes());
    assert_eq!(repo.pending().len(), pending);
}

/// The log records of decisions.
fn decisions(repo: &Repo) -> Vec<Value> {
    let mut records = repo.records();
    let events = ["approved", "rejected", "consumed"];
    records.retain(|record| events.contains(&record["event"].as_str().unwrap()));
    records
}

fn events(repo: &Repo) -> Vec<String> {
    let name = |record: &Value| record["event"].as_str().unwrap().to_owned();
    decisions(repo).iter().map(name).collect()
}

/// Approves with the word for losing [`old`]; `None` without a terminal.
fn approve(repo: &Repo, what: &str) -> Option<Session> {
    let session = decide(driver(repo)?, &["approve", what], LOST, "a new format");
    Some(session.exits(0))
}

fn commit(repo: &Repo) -> Output {
    repo.try_git(&["commit", "--quiet", "-m", "Change"])
}

#[test]
fn scenario_050_without_a_terminal_or_with_auto_a_replacement_is_held() {
    let repo = repo();
    let id = hold(&repo);
    write(&repo, &new()).says(&id);
    let mut store = fs::read_dir(repo.path(".git/guard/held")).unwrap();
    let mode = system::mode(store.next().unwrap().unwrap().path());
    assert!(!HAS_MODES || mode & 0o777 == 0o600, "{mode:o}");
    let Some(driver) = driver(&repo) else { return };
    let write = ["write", FILE, "--content-file", "content", "--auto"];
    let held = guard_at_terminal(driver, &write, &[], End::Wait).exits(1);
    held.says("waits for approval as");
    // The same change is held once.
    assert_left(&repo, &old(), 1);
}

#[test]
fn scenario_060_an_approved_replacement_is_written() {
    let repo = repo();
    let id = hold(&repo);
    let Some(session) = approve(&repo, &id) else {
        return;
    };
    assert_left(&repo, &new(), 0);
    // guard showed the loss and marked where it cut it (requirement 000, section 2.4).
    let shown = session.says("-line number 1\n").says("[truncated]").shown;
    let preview = shown.split("The change:").nth(1).unwrap();
    let (preview, rest) = preview.split_once("What else would be lost:").unwrap();
    let quoted = preview.lines().filter(|line| line.starts_with("  | "));
    assert!(quoted.count() <= 50, "{shown}");
    // Below it stands what the preview leaves out, and no line twice.
    assert!(rest.contains("  | line number 45\n"), "{shown}");
    for number in 1..=200 {
        let line = format!("line number {number}\n");
        assert!(shown.matches(&line).count() <= 1, "{line}{shown}");
    }
    let title = &repo.snapshots()[0]["title"];
    assert_eq!(title, "Backup before file mod: state.py");
    assert_eq!(decisions(&repo)[0]["strategy"], "replace");
}

#[test]
fn held_changes_are_listed_shown_and_rejected_by_approve() {
    let repo = repo();
    repo.guard(&["approve"])
        .exits(0)
        .says("no change waits for approval");
    let id = hold(&repo);
    let listed = repo.guard(&["approve"]).exits(0);
    listed.says(&format!("{id}  write  src/state.py loses"));
    let full = repo.guard(&["approve", &id, "--show"]).exits(0).text();
    for n in 1..=200 {
        assert!(full.contains(&format!("  | -line number {n}\n")), "{full}");
        assert!(full.contains(&format!("  | +other number {n}\n")), "{full}");
    }
    let reason = repo.guard(&["approve", &id, "--reason", "x"]).exits(2);
    reason.says("--reason belongs to --reject");
    for without_id in ["--reject", "--show"] {
        let usage = repo.guard(&["approve", without_id]).exits(2);
        usage.says("the following required arguments were not provided");
    }
    let Some(driver) = driver(&repo) else { return };
    let reject = ["approve", &id, "--reject", "--reason", "too much"];
    guard_at_terminal(driver, &reject, &[], End::Wait).exits(0);
    repo.guard(&["approve", &id, "--show"]).exits(1);
    assert_left(&repo, &old(), 0);
}

#[test]
fn scenario_070_a_rejected_replacement_is_not_written() {
    let repo = repo();
    let id = hold(&repo);
    let Some(driver) = driver(&repo) else { return };
    decide(driver, &["approve", &id], "reject", "extend it instead").exits(1);
    assert_left(&repo, &old(), 0);
    assert_eq!(events(&repo), ["rejected"]);
}

/// Where there is nothing to combine with, or the caller has chosen, a person is asked for yes or no.
#[test]
fn other_strategies_are_offered_only_to_replace_a_file_that_exists() {
    for (on_disk, strategy, is_offered) in [
        (Some(old()), "replace", true),
        (None, "replace", false),
        (Some("x\n".to_owned()), "append", false),
    ] {
        let repo = repo();
        match on_disk {
            Some(content) => repo.write(FILE, content),
            None => fs::remove_file(repo.path(FILE)).unwrap(),
        }
        repo.put(FILE, new(), &["--strategy", strategy])
            .fails("held");
        let id = repo.held_id();
        let Some(driver) = driver(&repo) else { return };
        let session = decide(driver, &["approve", &id], "reject", "no").exits(1);
        let offered = session.shown.contains("`insert LINE`");
        assert_eq!(offered, is_offered, "{}", session.shown);
    }
}

#[test]
fn scenario_160_every_decision_is_logged() {
    let repo = repo();
    let id = hold(&repo);
    let Some(_) = approve(&repo, &id) else { return };
    repo.write(FILE, old());
    write(&repo, "gone\n").exits(1);
    let id = repo.held_id();
    let reject = ["approve", &id, "--reject", "--reason", "too much"];
    guard_at_terminal(driver(&repo).unwrap(), &reject, &[], End::Wait).exits(0);
    let records = decisions(&repo);
    let blob = |text: &str| repo.blob(text.as_bytes()).to_string();
    assert_eq!(events(&repo), ["approved", "rejected"]);
    for (record, (reason, new)) in records
        .iter()
        .zip([("a new format", new()), ("too much", "gone\n".into())])
    {
        assert_eq!(record["path"], FILE);
        assert_eq!(record["who"], "A U Thor <author@example.com>");
        assert_eq!(record["how"], "terminal");
        assert_eq!(record["reason"], reason);
        assert_eq!(record["old"], blob(&old()));
        assert_eq!(record["new"], blob(&new));
        assert!(record["time"].as_str().unwrap().starts_with("20"));
    }
    repo.guard(&["audit", "verify"]).exits(0);
}

#[test]
fn write_at_a_terminal_asks_immediately() {
    let repo = repo();
    repo.write("content", new());
    let write = ["write", FILE, "--content-file", "content"];
    for (word, reason, code, said) in [
        ("reject", "no", 1, "rejected the change: no"),
        ("yes", "", 1, "not approved"),
        (LOST, "yes", 0, ""),
    ] {
        assert_left(&repo, &old(), 0);
        let Some(driver) = driver(&repo) else { return };
        decide(driver, &write, word, reason).exits(code).says(said);
    }
    assert_left(&repo, &new(), 0);
    assert_eq!(events(&repo), ["rejected", "approved"]);
}

/// What only the disk has is lost, too, so the person saw more than the commit loses.
#[test]
fn an_approved_write_is_not_asked_about_again_at_its_commit() {
    let more = old() + &old().replace("line", "more");
    for disk in [old(), more, edited(&old(), 1)] {
        let repo = repo();
        repo.install_commit_hooks();
        repo.write(FILE, &disk);
        repo.write("content", new());
        let write = ["write", FILE, "--content-file", "content"];
        let Some(driver) = driver(&repo) else { return };
        decide(driver, &write, LOST, "a new format")
            .exits(0)
            .says("this approval is unsigned, so it counts only in this clone");
        repo.git(&["add", FILE]);
        commit(&repo).exits(0);
    }
    // The disk's content had lost HEAD's already, which nobody was asked about.
    let repo = repo();
    repo.install_commit_hooks();
    repo.write(FILE, old().replace("line", "third"));
    repo.write("content", new());
    let write = ["write", FILE, "--content-file", "content"];
    let Some(driver) = driver(&repo) else { return };
    decide(driver, &write, "third", "a new format").exits(0);
    repo.git(&["add", FILE]);
    commit(&repo).exits(1).says("destructive-change");
}

#[test]
fn wrong_word_missing_reason_interrupt_or_closed_window_change_nothing() {
    let repo = repo();
    let id = hold(&repo);
    let before = repo.digest_tree();
    let unfinished = [(WORD, "line\n"), ("Reason: ", "why")];
    type Ending<'a> = (&'a [(&'a str, &'a str)], End, &'a [i32]);
    let endings: [Ending<'_>; 5] = [
        (&[(WORD, "lines\n")], End::Wait, &[1]),
        (&[(WORD, "\n")], End::Wait, &[1]),
        (&[(WORD, "line\n"), ("Reason: ", "\n")], End::Wait, &[1]),
        // Ctrl-C and closing the terminal end guard while it waits.
        (&unfinished, End::Interrupt, &[-2]),
        (&unfinished, End::Close, &[-1, 1]),
    ];
    for (answers, end, codes) in endings {
        let Some(driver) = driver(&repo) else { return };
        let session = guard_at_terminal(driver, &["approve", &id], answers, end);
        assert!(codes.contains(&session.code), "{end:?} {session:?}");
        assert_eq!(repo.digest_tree(), before, "{answers:?} {end:?}");
    }
    assert_left(&repo, &old(), 1);
}

#[test]
fn agents_and_ci_are_refused_even_at_a_terminal() {
    let repo = repo();
    let id = hold(&repo);
    let before = repo.digest_tree();
    for arguments in [
        &["approve", &id][..],
        &["approve", "--staged"],
        &["approve", &id, "--reject"],
    ] {
        let refused = repo.guard_reads(arguments, format!("{LOST}\nbecause\n"));
        refused
            .exits(2)
            .says("only a person at a terminal can decide this");
    }
    for name in ["CLAUDECODE", "CI"] {
        let Some(mut driver) = driver(&repo) else {
            return;
        };
        driver.env(name, "true");
        let refused = decide(driver, &["approve", &id], LOST, "because");
        refused.exits(2).says(name);
    }
    assert_eq!(repo.digest_tree(), before);
    // The same if the agent cleans its environment but is still a parent process.
    if cfg!(target_os = "linux") {
        let agent = repo.path("../claude");
        common::write_executable(&agent, "#!/bin/sh\n\"$@\"\n");
        let Some(driver) = driver(&repo) else { return };
        let mut parent = repo.command(agent);
        parent.arg(driver.get_program()).args(driver.get_args());
        let refused = decide(parent, &["approve", &id], LOST, "because");
        refused.exits(2).says("is an agent: claude");
    }
}

#[test]
fn held_change_is_not_written_if_it_or_the_file_changed() {
    let repo = repo();
    let id = hold(&repo);
    let held = repo.path(".git/guard/held").join(&id);
    let text = fs::read_to_string(&held).unwrap();
    let smuggled = text.replace("other number 7\n", "smuggled\n");
    let changed = old() + "one more line\n";
    for (held_text, file) in [(&smuggled, &old()), (&text, &changed)] {
        fs::write(&held, held_text).unwrap();
        repo.write(FILE, file);
        let Some(driver) = driver(&repo) else { return };
        let refused = decide(driver, &["approve", &id], LOST, "because");
        refused.exits(1).says("has changed since");
        assert_left(&repo, file, 1);
    }
}

#[test]
fn held_change_whose_file_was_altered_or_renamed_waits_no_more() {
    let repo = repo();
    let id = hold(&repo);
    let held = repo.path(".git/guard/held").join(&id);
    let text = fs::read_to_string(&held).unwrap();
    let other_id: String = id.chars().rev().chain(['0']).take(id.len()).collect();
    assert_ne!(other_id, id);
    for (name, content) in [
        (&id, text.replacen(FILE, "src/core.py", 1)),
        (&id, text.replacen(&id, &other_id, 1)),
        (&id, "{}\n".to_owned()),
        (&other_id, text.clone()),
    ] {
        fs::remove_file(&held).ok();
        let file = held.with_file_name(name);
        fs::write(&file, content).unwrap();
        repo.guard(&["approve", name, "--show"]).exits(1);
        fs::remove_file(file).unwrap();
    }
    fs::write(&held, text).unwrap();
    repo.guard(&["approve", &id, "--show"]).exits(0);
}

/// A commit has the content as git stores it, not as the work tree has it.
#[test]
fn an_approval_counts_whatever_line_endings_the_work_tree_has() {
    let crlf = |text: String| text.replace('\n', "\r\n");
    for (autocrlf, attributes) in [("true", ""), ("false", "*.py text eol=crlf\n")] {
        let repo = repo();
        repo.write(".gitattributes", attributes);
        repo.git(&["add", ".gitattributes"]);
        repo.commit("Attributes");
        repo.git(&["config", "core.autocrlf", autocrlf]);
        repo.git(&["config", "core.safecrlf", "false"]);
        repo.write(FILE, crlf(old()));
        repo.install_commit_hooks();
        repo.write("content", crlf(new()));
        repo.guard(&["write", FILE, "--content-file", "content"])
            .exits(1);
        let Some(_) = approve(&repo, &repo.held_id()) else {
            return;
        };
        assert_eq!(repo.read(FILE), crlf(new()).as_bytes());
        repo.git(&["add", FILE]);
        commit(&repo).exits(0);
    }
}

#[test]
fn approval_lets_exactly_one_commit_of_this_change_pass() {
    let repo = repo();
    repo.install_commit_hooks();
    let id = hold(&repo);
    let Some(_) = approve(&repo, &id) else { return };
    let store = repo.path(".git/guard/approvals");
    let approvals = || fs::read_dir(&store).unwrap().count();
    repo.stage(FILE, new());
    let report = repo.json(&["lint"]);
    assert_eq!(report["changes"][0]["approved"], true);
    assert_eq!(report["findings"][0]["level"], "note");
    assert_eq!(approvals(), 1, "a check uses nothing up");
    commit(&repo).exits(0);
    assert_eq!(approvals(), 0);
    assert_eq!(events(&repo), ["approved", "consumed"]);

    let message = repo.git(&["log", "-1", "--format=%B"]);
    let (_, trailer) = message.split_once("\nGuard-Approved: ").unwrap();
    assert!(trailer.contains("\"reason\":\"a new format\""), "{trailer}");
    // A second commit of the same step is no longer covered; the trailer of the first does not count for it.
    // Not by itself, or the next commit would be its exact revert.
    repo.stage(FILE, old());
    repo.stage("notes.txt", "back\n");
    repo.commit("Put it back");
    repo.stage(FILE, new());
    commit(&repo).exits(1).says("destructive-change");
    let forged = format!("Forged\n\nGuard-Approved: {trailer}");
    let forged = repo.try_git(&["commit", "--quiet", "-m", &forged]);
    forged.exits(1).says("destructive-change");
}

/// A rebase moves a commit, and the log says that a person approved it; a copy needs an approval of its own.
#[test]
fn a_rebase_repeats_an_approved_commit_and_no_other() {
    let repo = repo();
    repo.install_commit_hooks();
    repo.stage(FILE, new());
    let Some(_) = approve(&repo, "--staged") else {
        return;
    };
    commit(&repo).exits(0);
    let approved = repo.git(&["rev-parse", "HEAD"]);
    let message = repo.git(&["log", "-1", "--format=%B"]);
    repo.git(&["switch", "--quiet", "main"]);
    repo.stage("elsewhere.txt", "x\n");
    repo.commit("Main moves");
    let rebase = |branch: &str| repo.try_git(&["rebase", "--quiet", "main", branch]);
    rebase("188-work").exits(0);
    assert_eq!(repo.git(&["log", "-1", "--format=%B"]), message);
    assert_ne!(repo.git(&["rev-parse", "HEAD"]), approved);
    assert_eq!(events(&repo), ["approved", "consumed"]);

    repo.git(&["switch", "--quiet", "--create", "188-copy", "main"]);
    let copied = repo.try_git(&["cherry-pick", &approved]);
    assert_ne!(copied.code, 0);
    copied.says("destructive-change");
    repo.git(&["reset", "--quiet", "--hard", "main~"]);
    // A trailer alone proves nothing.
    repo.stage(FILE, new());
    let (before, id) = message.split_once("\"id\":\"").unwrap();
    let other = if id.starts_with('0') { "1" } else { "0" };
    repo.commit(&format!("{before}\"id\":\"{other}{}", &id[1..]));
    let forged = rebase("188-copy");
    assert_ne!(forged.code, 0);
    forged.says("destructive-change");
}

/// The approval covers the change from HEAD's content; other content on disk was never shown.
#[test]
fn approval_of_staged_content_does_not_cover_other_content_on_disk() {
    let repo = repo();
    repo.stage(FILE, new());
    let Some(_) = approve(&repo, "--staged") else {
        return;
    };
    repo.write("proposal", new());
    let check = || repo.guard(&["check", FILE, "--content-file", "proposal"]);
    check().exits(0);
    repo.write(FILE, old());
    check().exits(0);
    repo.write(FILE, old().replace("line", "third"));
    check().exits(1).says("destructive-change");
    write(&repo, &new()).exits(1).says("waits for approval as");
}

/// A replacement during a rename needs approval of both paths.
#[test]
fn all_staged_changes_are_approved_in_one_prompt() {
    let repo = repo();
    let row = ("src/state.py` -> `src/moved.py", "Rename", "the state");
    repo.design(common::DESIGN, &[row]);
    repo.commit("Amend the design");
    repo.install_commit_hooks();
    repo.git(&["mv", FILE, "src/moved.py"]);
    repo.stage("src/moved.py", new());
    repo.stage("src/stray.py", "stray\n");
    commit(&repo).exits(1);
    let Some(driver) = driver(&repo) else { return };
    let session = decide(driver, &["approve", "--staged"], LOST, "agreed")
        .exits(0)
        .says("destructive-change: src/moved.py loses 200 of 200 lines")
        .says("guard: src/state.py is removed by the rename")
        .says("out-of-scope: src/stray.py")
        .says("+stray");
    let note = session.shown.find("this approval is unsigned").unwrap();
    assert!(note < session.shown.find(WORD).unwrap());
    session.says("list your key in .guard/allowed_signers on the target branch");
    commit(&repo).exits(0);
    let message = repo.git(&["log", "-1", "--format=%B"]);
    assert_eq!(message.matches("Guard-Approved: ").count(), 3, "{message}");
    assert_eq!(events(&repo), [["approved"; 3], ["consumed"; 3]].concat());
}

#[test]
fn approval_never_clears_unsafe_path_or_outside_workspace() {
    let repo = repo();
    repo.stage("src/stray.py", "stray\n");
    system::symlink("../../outside", repo.path("src/link")).unwrap();
    repo.git(&["add", "src/link"]);
    let Some(driver) = driver(&repo) else { return };
    let refused = decide(driver, &["approve", "--staged"], "stray", "agreed").exits(1);
    refused.says("an approval cannot clear outside-workspace");
    let report = repo.json(&["lint"]);
    assert_eq!(error_findings(&report), [("outside-workspace", "src/link")]);
}

/// An approval is what the log has; the file in the store only names it.
#[test]
fn approval_counts_only_as_the_log_confirms_it() {
    let repo = repo();
    repo.stage(FILE, new());
    let Some(_) = approve(&repo, "--staged") else {
        return;
    };
    let mut store = fs::read_dir(repo.path(".git/guard/approvals")).unwrap();
    let file = store.next().unwrap().unwrap().path();
    let text = fs::read_to_string(&file).unwrap();
    let passes = || repo.guard(&["lint"]).exits(0);
    let refused = || repo.guard(&["lint"]).exits(1).says("destructive-change");
    passes();
    let records = log_lines(&repo);
    set_log(&repo, &records[..records.len() - 1]);
    refused();
    set_log(&repo, &records);
    passes();
    fs::write(&file, "0".repeat(32)).unwrap();
    refused();
    fs::write(&file, &text).unwrap();
    fs::remove_file(repo.path(".git/guard/log.jsonl")).unwrap();
    refused();
}
