//! Reviewers see every row that a range adds to a design, whether or not the range brings code.

use crate::common::{DESIGN, Repo};
use serde_json::{Value, json};

const OTHER: &str = "docs/lld/active/LLD-199.md";
const WIDER: &[(&str, &str, &str)] = &[
    ("src/a.rs", "Modify", "the core"),
    ("src/b.rs", "Add", "more"),
    ("src/c.rs", "Add/Modify", "still more"),
];

/// `main` with a design; `188-work` has no commits yet.
fn repo() -> Repo {
    let repo = Repo::new();
    repo.stage("src/a.rs", "fn a() {}\n");
    repo.govern(&WIDER[..1]);
    repo
}

fn amended(report: &Value) -> Vec<&Value> {
    let findings = report["findings"].as_array().unwrap().iter();
    findings
        .filter(|finding| finding["rule"] == "scope-amended")
        .collect()
}

/// The designs to which `main..HEAD` adds rows.
fn amended_designs(repo: &Repo) -> Vec<String> {
    let report = lint(repo);
    let paths = amended(&report).into_iter();
    paths
        .map(|one| one["path"].as_str().unwrap().to_owned())
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
    let message = format!("the branch adds 2 rows to the design {DESIGN}");
    assert_eq!(finding["message"], message);
    assert_eq!(finding["details"]["added"], json!(["src/b.rs", "src/c.rs"]));
    let rows = json!([
        {"path": "src/b.rs", "granted": ["add"], "line": 8},
        {"path": "src/c.rs", "granted": ["add", "modify"], "line": 9},
    ]);
    assert_eq!(finding["details"]["rows"], rows);
    let told = repo.guard(&["lint", "--range", "main..HEAD"]).exits(0);
    told.says("newly allowed: src/b.rs (line 8), src/c.rs (line 9)");
}

/// A branch whose name contains no issue may bring any design.
#[test]
fn rows_added_to_designs_of_other_branches_are_listed() {
    let repo = repo();
    repo.git(&["switch", "--quiet", "--create", "plan", "main"]);
    repo.design(DESIGN, WIDER);
    repo.design(OTHER, &[("src/z.rs", "Delete", "unused")]);
    repo.commit("Plan");
    assert_eq!(amended_designs(&repo), [DESIGN, OTHER]);
    let told = repo.guard(&["lint", "--range", "main..HEAD"]);
    told.says("they allow nothing here");

    // Also together with code that the branch's own design grants.
    repo.git(&["switch", "--quiet", "188-work"]);
    repo.design(OTHER, &[("src/z.rs", "Delete", "unused")]);
    repo.commit("Plan more");
    repo.stage("src/a.rs", "fn changed() {}\n");
    repo.commit("Change the core");
    assert_eq!(amended_designs(&repo), [OTHER]);
}

/// Every push is checked from the merge base with main, so that the rows stay listed until they are merged.
#[test]
fn rows_of_an_earlier_push_of_the_branch_are_listed() {
    for hook in ["update", "pre-push"] {
        let repo = repo();
        repo.push_to_server();
        match hook {
            "update" => repo.install_server_hook(hook),
            _ => repo.install_hook(hook),
        }
        repo.design(DESIGN, WIDER);
        repo.commit("Amend the design");
        let push = || repo.try_git(&["push", "origin", "188-work"]).exits(0);
        push().says("the branch adds 2 rows to the design");
        repo.stage("src/b.rs", "fn b() {}\n");
        repo.commit("Use a row");
        push().says("the branch adds 2 rows to the design");
    }
}

/// A row that the front matter of its own design forbids allows nothing until the ban is lifted.
#[test]
fn forbidden_row_of_another_design_is_listed_once_it_is_allowed() {
    let repo = repo();
    repo.git(&["switch", "--quiet", "--create", "plan", "main"]);
    repo.design(
        OTHER,
        &[
            ("src/y.rs", "Add", "more"),
            ("src/z.rs", "Delete", "unused"),
        ],
    );
    let rows = repo.text(OTHER);
    let front = "---\nforbidden_paths: [src/z.rs]\n---\n";
    for (text, expected) in [(format!("{front}{rows}"), "src/y.rs"), (rows, "src/z.rs")] {
        repo.stage(OTHER, text);
        repo.commit("Plan");
        let report = lint(&repo);
        let added: Vec<&Value> = amended(&report)
            .into_iter()
            .map(|one| &one["details"]["added"])
            .collect();
        assert_eq!(added, [&json!([expected])], "{report}");
        repo.git(&["branch", "--quiet", "--force", "main"]);
    }
}
