//! The test scenarios of requirement 000 (no silent loss of a file) on staged content, through the binary.

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

/// The report on a new version of `src/state.py`.
fn step(old: impl AsRef<[u8]>, new: impl AsRef<[u8]>) -> Value {
    let repo = with_state(old);
    repo.stage("src/state.py", new);
    repo.json(&["lint"])
}

/// Class, lines before and after, and lost share of the only change.
fn measured(report: &Value) -> Value {
    assert_eq!(report["changes"].as_array().map(Vec::len), Some(1));
    let change = &report["changes"][0];
    json!([
        change["class"],
        change["original_lines"],
        change["new_lines"],
        change["lost_share"]
    ])
}

const DESTROYED: [(&str, &str); 1] = [("destructive-change", "src/state.py")];

#[test]
fn scenario_010_a_new_file() {
    let repo = with_state("x\n");
    repo.stage("src/new.py", lines(1..=300));
    let report = repo.json(&["lint"]);
    assert_eq!(measured(&report), json!(["NEW", null, 300, null]));
    assert_eq!(findings(&report), []);
    repo.guard(&["lint"]).exits(0);
}

#[test]
fn scenario_020_a_small_file_is_overwritten() {
    let report = step(lines(1..=50), rewritten(0, 50));
    assert_eq!(measured(&report), json!(["MODIFY", 50, 50, 1.0]));
    assert_eq!(report["verdict"], "accepted");
}

#[test]
fn scenario_030_a_fifth_of_a_large_file_changes() {
    let report = step(lines(1..=270), rewritten(216, 270));
    assert_eq!(measured(&report), json!(["MODIFY", 270, 270, 0.2]));
    assert_eq!(report["verdict"], "accepted");
}

#[test]
fn scenario_040_four_fifths_of_a_large_file_change() {
    let report = step(lines(1..=270), rewritten(54, 270));
    assert_eq!(measured(&report), json!(["REPLACE", 270, 270, 0.8]));
    assert_eq!(findings(&report), DESTROYED);
    assert_eq!(
        report["findings"][0]["message"],
        "src/state.py loses 216 of 270 lines (80 %)"
    );
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
fn scenario_100_an_empty_file_is_filled() {
    let report = step("", lines(1..=300));
    assert_eq!(measured(&report), json!(["MODIFY", 0, 300, 0.0]));
    assert_eq!(report["verdict"], "accepted");
}

#[test]
fn scenario_110_a_binary_file() {
    let binary: Vec<u8> = (0..=255).cycle().take(50_000).collect();
    let report = step(lines(1..=20), &binary);
    assert_eq!(findings(&report), DESTROYED);
    assert_eq!(report["findings"][0]["details"]["becomes"], "binary");

    // A binary file may change: it has no lines.
    let changed: Vec<u8> = binary.iter().rev().copied().collect();
    let report = step(&binary, changed);
    assert_eq!(measured(&report), json!(["MODIFY", null, null, null]));
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
    repo.guard(&["lint"]).exits(1);
    let report = repo.json(&["lint"]);
    for path in ["../outside.py", "/etc/hosts"] {
        assert!(
            findings(&report).contains(&("unsafe-path", path)),
            "{report:#}"
        );
    }
    let report = repo.json(&["check", "../outside.py", "/etc/hosts"]);
    for result in report["results"].as_array().into_iter().flatten() {
        assert_eq!(result["allowed"], false);
        assert_eq!(result["rule"], "outside-workspace");
    }
}

#[cfg(unix)]
#[test]
fn scenario_150_a_link_to_outside_the_workspace() {
    let repo = Repo::new();
    repo.govern(&[("src/link.py", "Symlink", "a link")]);
    std::fs::create_dir_all(repo.path("src")).ok();
    let outside = repo.path("../file.py");
    std::fs::write(&outside, "untouched\n").ok();
    for target in ["/tmp/file.py", "../../file.py"] {
        let link = repo.path("src/link.py");
        std::fs::remove_file(&link).ok();
        std::os::unix::fs::symlink(target, &link).ok();
        repo.git(&["add", "src/link.py"]);
        let report = repo.json(&["lint"]);
        assert_eq!(
            findings(&report),
            [("outside-workspace", "src/link.py")],
            "{target}"
        );
        assert_eq!(
            report["findings"][0]["details"]["reason"],
            "symlink-escapes"
        );
        // Writing through it is refused as well.
        let answer = &repo.json(&["check", "src/link.py"])["results"][0];
        assert_eq!(answer["allowed"], false, "{target}");
        assert_eq!(answer["rule"], "outside-workspace", "{target}");
    }
    assert_eq!(
        std::fs::read_to_string(outside).ok().as_deref(),
        Some("untouched\n")
    );
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

#[test]
fn boundary_one_hundred_lines_are_not_more_than_one_hundred() {
    let report = step(lines(1..=100), rewritten(0, 100));
    assert_eq!(measured(&report)[0], "MODIFY");
    assert_eq!(report["verdict"], "accepted");
    let report = step(lines(1..=101), rewritten(0, 101));
    assert_eq!(measured(&report)[0], "REPLACE");
    assert_eq!(findings(&report), DESTROYED);
}

#[test]
fn boundary_exactly_half_is_a_replacement() {
    let report = step(lines(1..=200), rewritten(100, 200));
    assert_eq!(measured(&report), json!(["REPLACE", 200, 200, 0.5]));
    assert_eq!(findings(&report), DESTROYED);
    let report = step(lines(1..=200), rewritten(101, 200));
    assert_eq!(measured(&report), json!(["MODIFY", 200, 200, 0.495]));
    assert_eq!(report["verdict"], "accepted");
}
