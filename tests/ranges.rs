//! `guard lint --range`, `--commit` and `--each-commit` over real histories.

use std::fmt::Write as _;

use crate::common::{DESIGN, Repo};
use serde_json::Value;

const ROWS: &[(&str, &str, &str)] = &[
    ("src/a.rs", "Modify", "the core"),
    ("src/new.rs", "Add", "path enforcement"),
    ("src/old.rs", "Delete", "unused"),
];

/// `main` with files, settings and a design; then the branch `188-work`.
fn governed() -> Repo {
    let repo = Repo::new();
    repo.stage("src/a.rs", lines(1..=200));
    repo.stage("src/old.rs", "fn old() {}\n");
    repo.stage("src/other.rs", lines(1..=200));
    repo.govern(ROWS);
    repo
}

fn lines(range: std::ops::RangeInclusive<u32>) -> String {
    range.fold(String::new(), |mut text, n| {
        writeln!(text, "line {n} of the file").unwrap();
        text
    })
}

/// `rule path` of every error.
fn errors(report: &Value) -> Vec<String> {
    at_level(report, "error")
}

fn at_level(report: &Value, level: &str) -> Vec<String> {
    let findings = report["findings"].as_array().unwrap().iter();
    findings
        .filter(|finding| finding["level"] == level)
        .map(|finding| {
            let text = |key: &str| finding[key].as_str().unwrap_or("-").to_owned();
            format!("{} {}", text("rule"), text("path"))
        })
        .collect()
}

/// `action path` of every change.
fn changes(report: &Value) -> Vec<String> {
    let changes = report["changes"].as_array().unwrap().iter();
    let text = |change: &Value, key: &str| change[key].as_str().unwrap().to_owned();
    changes
        .map(|change| format!("{} {}", text(change, "action"), text(change, "path")))
        .collect()
}

fn commit_file(repo: &Repo, path: &str, text: &str) -> String {
    repo.stage(path, text);
    repo.commit(&format!("Change {path}"))
}

#[test]
fn a_range_inside_its_design_is_accepted() {
    let repo = governed();
    commit_file(&repo, "src/new.rs", "fn new() {}\n");
    commit_file(&repo, "src/new.rs", "fn newer() {}\n");
    let report = repo.json(&["lint", "--range", "main..HEAD"]);
    assert_eq!(report["verdict"], "accepted");
    assert_eq!(changes(&report), ["add src/new.rs"]);
    assert_eq!(report["source"]["kind"], "range");
    assert_eq!(
        report["source"]["base"],
        repo.git(&["rev-parse", "main"]).as_str()
    );
    assert_eq!(
        report["source"]["head"],
        repo.git(&["rev-parse", "HEAD"]).as_str()
    );
    assert_eq!(report["source"]["branch"], "188-work");
}

/// The merge base's version of the design still applies, and its rows are not new.
#[test]
fn rows_of_a_design_that_the_range_deletes_are_not_new() {
    let repo = governed();
    repo.git(&["rm", "--quiet", DESIGN]);
    commit_file(&repo, "src/new.rs", "fn new() {}\n");
    let report = repo.json(&["lint", "--range", "main..HEAD"]);
    assert_eq!(errors(&report), [format!("destructive-change {DESIGN}")]);
    assert_eq!(at_level(&report, "warning"), [""; 0]);
}

/// Row 15: a trailer only selects among designs.
#[test]
fn trailers_choose_the_designs_of_a_range() {
    let repo = governed();
    repo.design("docs/lld/active/LLD-7.md", &[("src/seven.rs", "Add", "x")]);
    repo.design("docs/lld/active/LLD-8.md", &[("src/eight.rs", "Add", "x")]);
    repo.stage(
        "docs/free.md",
        "### Files Changed\n\n| File | Change Type |\n|--|--|\n| `src/rogue.rs` | Add |\n",
    );
    repo.commit("More designs");
    repo.git(&["branch", "--force", "main"]);
    for (name, issue) in [("seven", 7), ("eight", 8)] {
        repo.stage(format!("src/{name}.rs"), "fn f() {}\n");
        repo.commit(&format!(
            "Add {name}\n\nWhy.\n\nGuard-Design: docs/lld/active/LLD-{issue}.md"
        ));
    }
    let report = repo.json(&["lint", "--range", "main..HEAD"]);
    assert_eq!(report["verdict"], "accepted", "several designs are a union");
    assert_eq!(report["designs"].as_array().unwrap().len(), 2);

    // The design of the branch name no longer counts.
    commit_file(&repo, "src/new.rs", "fn new() {}\n");
    let report = repo.json(&["lint", "--range", "main..HEAD"]);
    assert_eq!(errors(&report), ["out-of-scope src/new.rs"]);

    repo.stage("src/rogue.rs", "fn rogue() {}\n");
    repo.commit("Add rogue\n\nGuard-Design: docs/free.md");
    let output = repo.guard(&["lint", "--range", "main..HEAD"]).exits(2);
    output.says("does not match `[lld] path` or `standing` in guard.toml");
}

#[test]
fn unrelated_histories_are_refused() {
    let repo = governed();
    repo.git(&["switch", "--quiet", "--orphan", "island"]);
    commit_file(&repo, "x", "x\n");
    repo.tells("lint --range main..island", 2, "no commit in common");
}

#[test]
fn nothing_to_judge_needs_no_design() {
    let repo = governed();
    repo.git(&["switch", "--quiet", "--create", "no-issue", "main"]);
    repo.guard(&["lint", "--range", "main..HEAD"]).exits(0);
    repo.design("docs/lld/active/LLD-9.md", &[("src/x.rs", "Add", "x")]);
    repo.commit("Only a design");
    repo.guard(&["lint", "--range", "main..HEAD"]).exits(0);
    commit_file(&repo, "src/x.rs", "fn x() {}\n");
    repo.guard(&["lint", "--range", "main..HEAD"])
        .exits(2)
        .says("no-issue contains no issue number");
}

const COMMITS: usize = 300;

/// The branch `188-work` with many commits, all of them refused.
fn many_refused() -> Repo {
    let repo = governed();
    let mut stream = String::new();
    for n in 0..COMMITS {
        // Files whose name order differs from the commit order; each is deleted in the next commit.
        let name = |n: usize| format!("src/rogue{}.rs", (n * 7919) % COMMITS);
        write!(
            stream,
            "commit refs/heads/188-work\ncommitter A <a@example.com> {n} +0000\ndata 1\nx\n"
        )
        .unwrap();
        if n == 0 {
            stream.push_str("from refs/heads/188-work^0\n");
        } else {
            writeln!(stream, "D {}", name(n - 1)).unwrap();
        }
        write!(stream, "M 644 inline {}\ndata 2\nx\n\n", name(n)).unwrap();
    }
    repo.git_with_input(&["fast-import", "--quiet", "--force"], stream.as_bytes());
    repo
}

/// Many commits on several threads: every finding once, in the order of the commits.
#[test]
fn commits_are_reported_in_history_order() {
    let repo = many_refused();
    let report = repo.json(&["lint", "--range", "main..188-work", "--each-commit"]);
    let findings = report["findings"].as_array().unwrap();
    let told: Vec<_> = findings
        .iter()
        .map(|finding| finding["details"]["commit"].as_str().unwrap())
        .collect();
    let expected = repo.git(&["rev-list", "--reverse", "main..188-work"]);
    assert_eq!(told, expected.lines().collect::<Vec<_>>());
    repo.tells("lint --each-commit", 2, "needs several commits");
}
