//! The test scenarios of requirement 000 (no silent loss of a file) on staged content, through the binary.

use crate::common::system;
use crate::common::{self, Repo, findings, lines};
use serde_json::{Value, json};

/// A repository whose HEAD holds `src/state.py` with this content and whose design permits changing it and adding
/// `src/new.py`.
fn with_state(content: impl AsRef<[u8]>) -> Repo {
    let repo = Repo::new();
    repo.stage("src/state.py", content);
    repo.commit("Begin");
    repo.govern(&[
        ("src/state.py", "Modify", "the state"),
        ("src/new.py", "Add", "new"),
    ]);
    repo
}

/// `kept` of the old lines, then as many new ones as make `total`.
fn rewritten(kept: usize, total: usize) -> String {
    lines(1..=kept) + &lines(100_001..=100_000 + total - kept)
}

/// The report on a new version of `src/state.py`, and what guard measured: class, lines before and after, lost share.
fn step(old: impl AsRef<[u8]>, new: impl AsRef<[u8]>) -> (Value, Value) {
    let repo = with_state(old);
    repo.stage("src/state.py", new);
    let report = repo.json(&["lint"]);
    assert_eq!(report["changes"].as_array().map(Vec::len), Some(1));
    let change = &report["changes"][0];
    let keys = ["class", "original_lines", "new_lines", "lost_share"];
    let measured = keys.map(|key| change[key].clone());
    (measured.to_vec().into(), report)
}

/// Asserts what guard measures where `kept` of the old lines stay, and that it refuses a replacement and nothing else.
#[track_caller]
fn loses(old: usize, kept: usize, new: usize, expected: Value) {
    let (measured, report) = step(lines(1..=old), rewritten(kept, new));
    assert_eq!(measured, expected);
    let is_replaced = measured[0] == "REPLACE";
    assert_eq!(findings(&report), DESTROYED[..usize::from(is_replaced)]);
}

const DESTROYED: [(&str, &str); 1] = [("destructive-change", "src/state.py")];

#[test]
fn scenario_010_a_new_file() {
    let repo = with_state("x\n");
    repo.stage("src/new.py", lines(1..=300));
    let report = repo.json(&["lint"]);
    assert_eq!(report["changes"][0]["class"], "NEW");
    assert_eq!(report["changes"][0]["new_lines"], 300);
    assert_eq!(report["verdict"], "accepted");
}

#[test]
fn scenario_020_to_040_and_100_the_lost_share_decides() {
    loses(50, 0, 50, json!(["MODIFY", 50, 50, 1.0]));
    loses(270, 216, 270, json!(["MODIFY", 270, 270, 0.2]));
    loses(270, 54, 270, json!(["REPLACE", 270, 270, 0.8]));
    loses(0, 0, 300, json!(["MODIFY", 0, 300, 0.0]));
}

#[test]
fn boundary_one_hundred_lines_are_not_more_than_one_hundred() {
    loses(100, 0, 100, json!(["MODIFY", 100, 100, 1.0]));
    loses(101, 0, 101, json!(["REPLACE", 101, 101, 1.0]));
}

#[test]
fn boundary_exactly_half_is_a_replacement() {
    loses(200, 100, 200, json!(["REPLACE", 200, 200, 0.5]));
    loses(200, 101, 200, json!(["MODIFY", 200, 200, 0.495]));
}

#[test]
fn scenario_050_a_commit_cannot_approve_itself() {
    let repo = with_state(lines(1..=270));
    repo.install_hook("pre-commit");
    let head = repo.git(&["rev-parse", "HEAD"]);
    repo.stage("src/state.py", rewritten(54, 270));
    // Words of consent in variables, on standard input and in the message change nothing.
    let mut commit = repo.command("git");
    commit
        .args(["commit", "-m", "Replace it\n\nGuard-Approved: src/state.py"])
        .env("GUARD_APPROVE", "1")
        .env("GUARD_YES", "1")
        .env("GUARD_FORCE", "1");
    common::run_with_input(&mut commit, b"yes\nreplace\n")
        .exits(1)
        .says("destructive-change");
    assert_eq!(repo.git(&["rev-parse", "HEAD"]), head);
    for flag in ["--auto", "--yes", "--force", "--approve"] {
        assert_eq!(repo.guard(&["lint", flag]).exits(2).stdout, "");
    }
}

#[test]
fn scenario_110_a_binary_file() {
    let binary: Vec<u8> = (0..=255).cycle().take(50_000).collect();
    let (_, report) = step(lines(1..=20), &binary);
    assert_eq!(findings(&report), DESTROYED);
    assert_eq!(report["findings"][0]["details"]["becomes"], "binary");

    // A binary file may change: it has no lines.
    let changed: Vec<u8> = binary.iter().rev().copied().collect();
    let (measured, report) = step(&binary, changed);
    assert_eq!(measured, json!(["MODIFY", null, null, null]));
    assert_eq!(report["verdict"], "accepted");
}

#[test]
fn scenario_140_path_traversal() {
    let repo = with_state("x\n");
    let blob = repo.blob(b"x\n");
    repo.stage_raw(&[
        (0o100644, blob, b"../outside.py"),
        (0o100644, blob, b"/etc/hosts"),
    ]);
    let report = repo.json(&["lint"]);
    let checked = repo.json(&["check", "../outside.py", "/etc/hosts"]);
    for (at, path) in ["../outside.py", "/etc/hosts"].into_iter().enumerate() {
        let unsafe_path = ("unsafe-path", path);
        assert!(findings(&report).contains(&unsafe_path), "{report:#}");
        assert_eq!(checked["results"][at]["allowed"], false);
        assert_eq!(checked["results"][at]["rule"], "outside-workspace");
    }
}

#[test]
fn scenario_150_a_link_to_outside_the_workspace() {
    let repo = Repo::new();
    repo.govern(&[("src/link.py", "Symlink", "a link")]);
    repo.write("../file.py", "untouched\n");
    repo.write("src/link.py", "");
    for target in ["/tmp/file.py", "../../file.py"] {
        let link = repo.path("src/link.py");
        std::fs::remove_file(&link).unwrap();
        system::symlink(target, &link).unwrap();
        repo.git(&["add", "src/link.py"]);
        let report = repo.json(&["lint"]);
        let expected = [("outside-workspace", "src/link.py")];
        assert_eq!(findings(&report), expected, "{target}");
        let details = &report["findings"][0]["details"];
        assert_eq!(details["reason"], "symlink-escapes");
        // Writing through it is refused as well.
        let answer = &repo.json(&["check", "src/link.py"])["results"][0];
        assert_eq!(answer["allowed"], false, "{target}");
        assert_eq!(answer["rule"], "outside-workspace", "{target}");
    }
    assert_eq!(repo.text("../file.py"), "untouched\n");
}

#[test]
fn scenario_170_a_long_preview_is_cut_off() {
    let repo = with_state(lines(1..=200));
    repo.stage("src/state.py", rewritten(0, 200));
    let output = repo.guard(&["lint"]).exits(1).says("[truncated]");
    assert!(output.stdout.lines().count() <= 50, "{}", output.stdout);
}

#[test]
fn change_and_loss_are_shown() {
    let repo = with_state(lines(1..=120));
    repo.stage(
        "src/state.py",
        "the new start\n".to_owned() + &lines(1..=40),
    );
    let output = repo
        .guard(&["lint"])
        .exits(1)
        .says("src/state.py loses 80 of 120 lines (66 %)")
        .says("-line number 41\n")
        .says("+the new start");
    // The lost content is printed once.
    assert_eq!(output.stdout.matches("line number 41\n").count(), 1);
}
