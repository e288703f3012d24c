//! Reviewers see every row that a range adds to a design, whether or not the range brings code.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use crate::common::{self, DESIGN, GUARD, Repo};
use serde_json::{Value, json};

const OTHER: &str = "docs/lld/active/LLD-199.md";
const ROWS: &[(&str, &str, &str)] = &[("src/a.rs", "Modify", "the core")];
const WIDER: &[(&str, &str, &str)] = &[
    ("src/a.rs", "Modify", "the core"),
    ("src/b.rs", "Add", "more"),
    ("src/c.rs", "Add/Modify", "still more"),
];

/// `main` with a design; `188-work` has no commits yet.
fn repo() -> Repo {
    let repo = Repo::new();
    repo.stage("src/a.rs", "fn a() {}\n");
    repo.govern(ROWS);
    repo
}

fn amended(report: &Value) -> Vec<&Value> {
    let findings = report["findings"].as_array().unwrap();
    findings
        .iter()
        .filter(|finding| finding["rule"] == "scope-amended")
        .collect()
}

fn lint(repo: &Repo) -> Value {
    let report = repo.json(&["lint", "--range", "main..HEAD"]);
    assert_eq!(report["verdict"], "accepted");
    report
}

#[test]
fn rows_of_a_range_without_code_are_listed() {
    let repo = repo();
    repo.design(DESIGN, WIDER);
    repo.commit("Amend the design");
    let report = lint(&repo);
    let [finding] = amended(&report)[..] else {
        panic!("{report}");
    };
    assert_eq!(finding["level"], "warning");
    assert_eq!(finding["path"], DESIGN);
    assert_eq!(
        finding["message"],
        format!("the branch adds 2 rows to the design {DESIGN}")
    );
    assert_eq!(finding["details"]["added"], json!(["src/b.rs", "src/c.rs"]));
    assert_eq!(
        finding["details"]["rows"],
        json!([
            {"path": "src/b.rs", "granted": ["add"], "line": 8},
            {"path": "src/c.rs", "granted": ["add", "modify"], "line": 9},
        ])
    );
    repo.guard(&["lint", "--range", "main..HEAD"])
        .exits(0)
        .says("newly allowed: src/b.rs (line 8), src/c.rs (line 9)");
}

/// A branch whose name contains no issue may bring any design.
#[test]
fn rows_added_to_designs_of_other_branches_are_listed() {
    let repo = repo();
    repo.git(&["switch", "--quiet", "--create", "plan", "main"]);
    repo.design(DESIGN, WIDER);
    repo.design(OTHER, &[("src/z.rs", "Delete", "unused")]);
    repo.commit("Plan");
    let report = lint(&repo);
    let paths: Vec<&Value> = amended(&report).iter().map(|one| &one["path"]).collect();
    assert_eq!(paths, [DESIGN, OTHER]);
    repo.guard(&["lint", "--range", "main..HEAD"])
        .exits(0)
        .says("they allow nothing here");

    // Also together with code that the branch's own design grants.
    repo.git(&["switch", "--quiet", "188-work"]);
    repo.design(OTHER, &[("src/z.rs", "Delete", "unused")]);
    repo.commit("Plan more");
    repo.stage("src/a.rs", "fn changed() {}\n");
    repo.commit("Change the core");
    let report = lint(&repo);
    let paths: Vec<&Value> = amended(&report).iter().map(|one| &one["path"]).collect();
    assert_eq!(paths, [OTHER]);
}

/// Every push is checked from the merge base with main, so that the rows stay listed until they are merged.
#[test]
fn rows_of_an_earlier_push_of_the_branch_are_listed() {
    for hook in ["update", "pre-push"] {
        let repo = repo();
        repo.git(&["update-ref", "refs/remotes/origin/main", "main"]);
        repo.git(&[
            "symbolic-ref",
            "refs/remotes/origin/HEAD",
            "refs/remotes/origin/main",
        ]);
        repo.git(&["symbolic-ref", "HEAD", "refs/heads/main"]);
        let work = |message: &str, path: &str, text: Option<&str>| {
            repo.git(&["symbolic-ref", "HEAD", "refs/heads/188-work"]);
            match text {
                Some(text) => repo.stage(path, text),
                None => repo.design(path, WIDER),
            }
            let id = repo.commit(message);
            repo.git(&["symbolic-ref", "HEAD", "refs/heads/main"]);
            id
        };
        let zero = "0".repeat(40);
        let first = work("Amend the design", DESIGN, None);
        let second = work("Use a row", "src/b.rs", Some("fn b() {}\n"));
        for (old, new) in [(&zero, &first), (&first, &second)] {
            let mut guard = repo.command(GUARD);
            let output = if hook == "update" {
                guard.args(["hook", "update", "refs/heads/188-work", old, new]);
                common::run(&mut guard)
            } else {
                guard.args(["hook", "pre-push", "origin"]);
                let line = format!("refs/heads/188-work {new} refs/heads/188-work {old}\n");
                common::run_with_input(&mut guard, line.as_bytes())
            };
            output.exits(0).says("the branch adds 2 rows to the design");
        }
    }
}
