//! `guard lint --range`, `--commit` and `--each-commit` over real histories.

use std::fmt::Write as _;

use crate::common::{DESIGN, Repo, SETTINGS, findings};

/// `main` with a design for two new files; then the branch `188-work`.
fn governed() -> Repo {
    let repo = Repo::new();
    repo.govern(&[("src/a.rs", "Add", "x"), ("src/new.rs", "Add", "x")]);
    repo
}

fn commit_file(repo: &Repo, path: &str) {
    repo.stage(path, "fn f() {}\n");
    repo.commit(&format!("Change {path}"));
}

const RANGE: [&str; 3] = ["lint", "--range", "main..HEAD"];

#[test]
fn report_of_a_range_names_its_ends_and_net_changes() {
    let repo = governed();
    commit_file(&repo, "src/new.rs");
    repo.stage("src/new.rs", "fn newer() {}\n");
    repo.commit("Again");
    let report = repo.json(&RANGE);
    assert_eq!(report["verdict"], "accepted");
    assert_eq!(report["changes"].as_array().map(Vec::len), Some(1));
    assert_eq!(report["changes"][0]["action"], "add");
    let source = &report["source"];
    assert_eq!(source["kind"], "range");
    assert_eq!(source["base"], repo.git(&["rev-parse", "main"]));
    assert_eq!(source["head"], repo.git(&["rev-parse", "HEAD"]));
    assert_eq!(source["branch"], "188-work");
}

/// The merge base's version of the design still applies, and its rows are not new.
#[test]
fn rows_of_a_design_that_the_range_deletes_are_not_new() {
    let repo = governed();
    repo.git(&["rm", "--quiet", DESIGN]);
    commit_file(&repo, "src/new.rs");
    let report = repo.json(&RANGE);
    assert_eq!(findings(&report), [("destructive-change", DESIGN)]);
}

/// A trailer only selects among designs.
#[test]
fn trailers_choose_the_designs_of_a_range() {
    let repo = Repo::new();
    repo.stage("guard.toml", SETTINGS);
    let designs = ["7", "8", "188"].map(|issue| DESIGN.replace("188", issue));
    for (at, design) in designs.iter().enumerate() {
        repo.design(design, &[(&format!("src/{at}.rs"), "Add", "x")]);
    }
    repo.commit("Designs");
    repo.branch("188-work");
    for (at, design) in designs[..2].iter().enumerate() {
        repo.stage(format!("src/{at}.rs"), "fn f() {}\n");
        repo.commit(&format!("Add\n\nWhy.\n\nGuard-Design: {design}"));
    }
    let report = repo.json(&RANGE);
    assert_eq!(report["verdict"], "accepted", "several designs are a union");
    assert_eq!(report["designs"].as_array().unwrap().len(), 3);

    // They join the design of the branch name.
    commit_file(&repo, "src/2.rs");
    assert_eq!(repo.json(&RANGE)["verdict"], "accepted");

    repo.stage("src/rogue.rs", "fn rogue() {}\n");
    repo.commit("Add rogue\n\nGuard-Design: docs/free.md");
    let gone = "docs/free.md, which commit ";
    repo.guard(&RANGE).exits(1).says("src/rogue.rs").says(gone);
    repo.stage("docs/free.md", "# Free\n");
    repo.commit("A document");
    let no_design = "does not match `[lld] path` or `standing` in guard.toml";
    repo.guard(&RANGE).exits(2).says(no_design);
}

#[test]
fn unrelated_histories_are_refused() {
    let repo = governed();
    repo.git(&["switch", "--quiet", "--orphan", "island"]);
    commit_file(&repo, "x");
    repo.tells("lint --range main..island", 2, "no commit in common");
}

#[test]
fn nothing_to_judge_needs_no_design() {
    let repo = governed();
    repo.git(&["switch", "--quiet", "--create", "no-issue", "main"]);
    repo.guard(&RANGE).exits(0);
    repo.design("docs/lld/active/LLD-9.md", &[("src/x.rs", "Add", "x")]);
    repo.commit("Only a design");
    repo.guard(&RANGE).exits(0);
    // The only design that a branch adds is its own; several are none.
    commit_file(&repo, "src/x.rs");
    repo.guard(&RANGE).exits(0);
    repo.design("docs/lld/active/LLD-10.md", &[("src/y.rs", "Add", "x")]);
    repo.commit("Another design");
    repo.guard(&RANGE)
        .exits(2)
        .says("more than one design applies");
}

/// Many commits on several threads, all refused: every finding once, in the order of the commits.
#[test]
fn commits_are_reported_in_history_order() {
    const COMMITS: usize = 300;
    let repo = governed();
    let mut stream = String::new();
    for n in 0..COMMITS {
        // Files whose name order differs from the commit order; each is deleted in the next commit.
        let name = |n: usize| format!("src/rogue{}.rs", (n * 7919) % COMMITS);
        let head = format!("commit refs/heads/188-work\ncommitter A <a@b> {n} +0000\ndata 1\nx");
        let change = match n {
            0 => "from refs/heads/188-work^0".to_owned(),
            _ => format!("D {}", name(n - 1)),
        };
        writeln!(
            stream,
            "{head}\n{change}\nM 644 inline {}\ndata 2\nx\n",
            name(n)
        )
        .unwrap();
    }
    repo.git_with_input(&["fast-import", "--quiet", "--force"], stream.as_bytes());
    let report = repo.json(&["lint", "--range", "main..188-work", "--each-commit"]);
    let findings = report["findings"].as_array().unwrap().iter();
    let told = findings.map(|finding| finding["details"]["commit"].as_str().unwrap());
    let expected = repo.git(&["rev-list", "--reverse", "main..188-work"]);
    assert_eq!(told.collect::<Vec<_>>().join("\n"), expected);
    repo.tells("lint --each-commit", 2, "needs several commits");
}
