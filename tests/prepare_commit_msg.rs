//! `guard hook prepare-commit-msg` and `commit-msg`: which commits they judge and what they write.

use crate::common::signing::{self, FILE};
use crate::common::{self, DESIGN, Output, Repo, SETTINGS};

const TRAILER: &str = "Guard-Design: docs/lld/active/LLD-188.md";

/// A governed repository with the hooks of the message.
fn repo() -> Repo {
    let repo = Repo::new();
    repo.govern(&[("granted.txt", "Add/Modify", "the work")]);
    for hook in ["prepare-commit-msg", "commit-msg"] {
        repo.install_hook(hook);
    }
    repo
}

fn with_editor(repo: &Repo, script: &str, arguments: &[&str]) -> Output {
    repo.write("../editor", format!("#!/bin/sh\n{script}\n"));
    let editor = format!("sh '{}'", repo.path("../editor").display());
    common::run(
        repo.command("git")
            .env("GIT_EDITOR", editor)
            .args(arguments),
    )
}

fn message(repo: &Repo) -> String {
    repo.git(&["log", "-1", "--format=%B"])
        .trim_end()
        .to_owned()
}

#[test]
fn commit_message_names_the_design() {
    let repo = repo();
    repo.install_hook("pre-commit");
    // Of two hooks, the first refuses, so the second has nothing to say.
    repo.stage("stray.txt", "stray\n");
    let output = repo.try_git(&["commit", "-m", "Sneak"]).exits(1);
    assert_eq!(output.text().matches("error[out-of-scope]").count(), 1);
    repo.git(&["mv", "-f", "stray.txt", "granted.txt"]);
    repo.try_git(&["commit", "-m", "Add it"]).exits(0);
    assert_eq!(message(&repo), format!("Add it\n\n{TRAILER}"));
}

#[test]
fn commits_of_designs_get_no_trailer() {
    let repo = repo();
    repo.design(DESIGN, &[("granted.txt", "Add/Modify", "more of the work")]);
    repo.try_git(&["commit", "-m", "Amend the design"]).exits(0);
    assert_eq!(message(&repo), "Amend the design");
    repo.branch("199-no-design");
    repo.design("docs/lld/active/LLD-199.md", &[("x", "Add", "y")]);
    repo.try_git(&["commit", "-m", "Add a design"]).exits(0);
    assert_eq!(message(&repo), "Add a design");
}

#[test]
fn every_selected_design_is_named_but_no_standing_one() {
    let repo = repo();
    let standing = "standing = [\"docs/release.md\"]\n";
    repo.stage("guard.toml", format!("{SETTINGS}{standing}"));
    repo.design("docs/release.md", &[("CHANGELOG.md", "Add", "notes")]);
    repo.design("docs/lld/active/LLD-7.md", &[("other.txt", "Add", "x")]);
    repo.commit("Add a standing design");
    repo.stage("granted.txt", "one\n");
    repo.stage("other.txt", "one\n");
    repo.guard(&["use", DESIGN, "docs/lld/active/LLD-7.md"])
        .exits(0);
    repo.git(&["commit", "-m", "Two"]);
    let trailers = format!("{TRAILER}\n{}", TRAILER.replace("188", "7"));
    assert_eq!(message(&repo), format!("Two\n\n{trailers}"));
}

#[test]
fn existing_trailers_stay_and_the_same_one_is_added_once() {
    let repo = repo();
    repo.stage("granted.txt", "one\n");
    let text = "Add it\n\nWhy: because.\nNot a trailer.\n\nRefs: #1\nReviewed-by: B <b@x>";
    repo.try_git(&["commit", "-s", "-m", text]).exits(0);
    let signed = format!("{text}\nSigned-off-by: A U Thor <author@example.com>\n{TRAILER}");
    assert_eq!(message(&repo), signed);
    repo.stage("granted.txt", "two\n");
    repo.try_git(&["commit", "--amend", "--no-edit"]).exits(0);
    assert_eq!(message(&repo), signed);
}

#[test]
fn amended_commit_is_judged_by_what_the_amendment_adds() {
    let repo = repo();
    repo.stage("granted.txt", "one\n");
    repo.try_git(&["commit", "-m", "Add it"]).exits(0);
    let before = repo.git(&["rev-parse", "HEAD"]);
    repo.stage("stray.txt", "stray\n");
    let amend = ["commit", "--amend", "--no-edit", "--no-verify"];
    repo.try_git(&amend).exits(1).says("stray.txt");
    assert_eq!(repo.git(&["rev-parse", "HEAD"]), before);
    repo.git(&["reset", "--quiet", "--hard"]);
    // Only the message changes: nothing to check, even without a design.
    repo.git(&["switch", "--quiet", "--create", "no-issue"]);
    repo.try_git(&["commit", "--amend", "-m", "Other words"])
        .exits(0);
    assert_eq!(message(&repo), "Other words");
}

/// Commits with hooks, a day after the commits of the fixture.
fn commit_later(repo: &Repo, options: &[&str]) -> Output {
    let mut git = repo.command("git");
    git.env("GIT_AUTHOR_DATE", "2026-01-02T00:00:00Z");
    common::run(git.arg("commit").args(options))
}

#[test]
fn an_amended_message_keeps_the_approvals_of_the_same_step_and_no_others() {
    const KEY: &str = "Guard-Approved: ";
    let Some(repo) = signing::listed() else {
        return;
    };
    let approved = signing::new();
    let one = signing::approval(&repo, &signing::old(), &approved);
    let one = signing::signed(&repo, "person", one);
    signing::land(&repo, &approved, &[&one]);
    repo.install_commit_hooks();
    let amend = |text: &str| commit_later(&repo, &["--amend", "-m", text]).exits(0);
    for text in ["Better words", "With another design"] {
        amend(text);
        let expected = format!("\n{KEY}{}", one.to_trailer_value());
        assert!(message(&repo).starts_with(text));
        assert!(message(&repo).ends_with(&expected), "{}", message(&repo));
        signing::range(&repo, &[]).exits(0);
        repo.design("docs/lld/active/LLD-199.md", &[("x", "Add", "y")]);
    }
    // A commit of its own makes another step.
    repo.design("docs/lld/active/LLD-200.md", &[("x", "Add", "y")]);
    commit_later(&repo, &["-m", "Next"]).exits(0);
    assert_eq!(message(&repo), "Next");
    repo.git(&["reset", "--quiet", "--hard", "HEAD~"]);
    repo.stage(FILE, signing::edited(&approved, 0));
    let told = amend("Other content");
    told.says("the approval of src/state.py in the amended commit no longer counts");
    assert_eq!(message(&repo), format!("Other content\n\n{TRAILER}"));
}

#[test]
fn an_aborted_message_stays_aborted() {
    let repo = repo();
    repo.stage("granted.txt", "one\n");
    let before = repo.git(&["rev-parse", "HEAD"]);
    for arguments in [&["commit"][..], &["commit", "--verbose"]] {
        let aborted = with_editor(&repo, "true", arguments);
        aborted.exits(1).says("empty commit message");
    }
    repo.write("../template", "# Say why\nWhy:\n");
    let template = repo.path("../template");
    repo.git(&["config", "commit.template", template.to_str().unwrap()]);
    with_editor(&repo, "true", &["commit"])
        .exits(1)
        .says("did not edit the message");
    assert_eq!(repo.git(&["rev-parse", "HEAD"]), before);
}

#[test]
fn a_message_written_in_an_editor_gets_the_trailer() {
    for (arguments, comment) in [
        (&["commit"][..], "#"),
        (&["commit"], ";"),
        (&["commit", "--verbose"], "auto"),
    ] {
        let repo = repo();
        repo.git(&["config", "core.commentChar", comment]);
        repo.stage("granted.txt", "one\n");
        let script =
            r#"{ printf 'Add it\n\nIn an editor.\n'; cat "$1"; } >"$1.new"; mv "$1.new" "$1""#;
        with_editor(&repo, script, arguments).exits(0);
        let expected = format!("Add it\n\nIn an editor.\n\n{TRAILER}");
        assert_eq!(message(&repo), expected, "{arguments:?} {comment}");
    }
}

#[test]
fn trailers_are_placed_as_git_places_them() {
    let repo = repo();
    repo.stage("granted.txt", "one\n");
    for text in [
        "Title\n",
        "Title\n\nBody\n",
        "Title\n\nBody: with colon\nand a line\n",
        "Title\n\nText\nmore\nSigned-off-by: A <a@b>\nmore\n",
        "Title\n\none\ntwo\nthree\nfour\nSigned-off-by: A <a@b>\n",
        "Title\n\nKey: value\n  continued\nOther: x\n",
        "Title\n\n  indented\nKey: value\n",
        "Title\n\nKey: value\n\n# a comment\n# another\n",
        "# first\nTitle\n\nKey: value\n# c\n",
        "Title\n\n# ------------------------ >8 ------------------------\ndiff --git a b\nKey: v\n",
        "Title\n\nBody\n\nConflicts:\n\ta\n\tb\n",
        "Title\n\n(cherry picked from commit 0123)\n",
        "Title\n\nhttp://example.com\n",
        "Title\n\n---\nKey: value\n",
        "Title\r\n\r\nKey: value\r\n",
        "Title\n\nGuard-Design: other.md\n",
        "Title\n\nguard-design: docs/lld/active/LLD-188.md\n",
    ] {
        repo.write("../message", text);
        let add = "interpret-trailers --no-divider --if-exists addIfDifferent --trailer";
        let add: Vec<&str> = add.split(' ').chain([TRAILER]).collect();
        let by_git = repo.git_with_input(&add, text.as_bytes());
        repo.tells("hook prepare-commit-msg ../message message", 0, "");
        // Git also rewrites the trailers that it finds, even a URL; guard leaves them as they are.
        let spaced = |text: &str| text.replace(": ", ":").replace("\r\n", "\n");
        let by_guard = spaced(&repo.text("../message"));
        assert_eq!(by_guard.trim_end_matches('\n'), spaced(&by_git), "{text:?}");
    }
}

/// As `auto`, git takes another character only for a message that begins a line with `#`.
#[test]
fn comments_are_known_by_the_prefix_that_git_is_set_to() {
    let repo = repo();
    repo.stage("granted.txt", "one\n");
    for (key, value, comment) in [
        ("core.commentChar", "auto", "#"),
        ("core.commentChar", ";", ";"),
        ("core.commentString", "//", "//"),
        ("core.commentString", "auto", "#"),
    ] {
        repo.git(&["config", key, value]);
        let text = format!("Title\n\nKey: value\n\n{comment} a comment\n");
        repo.write("../message", text);
        repo.tells("hook prepare-commit-msg ../message message", 0, "");
        let expected = format!("Title\n\nKey: value\n{TRAILER}\n\n{comment} a comment\n");
        assert_eq!(repo.text("../message"), expected, "{key} {value}");
        // Nothing but comments is an empty message, by which the user aborts.
        let text = format!("\n{comment} Say why.\n");
        repo.write("../message", &text);
        repo.tells("hook prepare-commit-msg ../message message", 0, "");
        assert_eq!(repo.text("../message"), text, "{key} {value}");
    }
}
