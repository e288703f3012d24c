//! `guard lint` warns of the faults of each design that a change touches, in the version that the change makes.

use crate::common::{Repo, findings};
use serde_json::Value;

const OWN: &str = "docs/lld/active/LLD-9.md";
const OTHER: &str = "docs/lld/active/LLD-8.md";
const SETTINGS: &str = "[lld]\npath = \"docs/lld/active/LLD-{issue}.md\"\nbase = \"main\"\n";
const TABLE: &str =
    "# Plan\n\n## Files Changed\n\n| File | Change Type |\n|---|---|\n| `src/a.py` | Modify |\n";

/// The branch `9-more` with its design; `main` has that of issue 8.
fn repo() -> Repo {
    let repo = Repo::new();
    repo.stage("guard.toml", SETTINGS);
    repo.stage(OTHER, TABLE);
    repo.stage(OWN, TABLE);
    repo.stage("src/a.py", "a = 1\n");
    repo.commit("Base");
    repo.branch("9-more");
    repo
}

fn with_row(row: &str) -> String {
    format!("{TABLE}| {row} |\n")
}

/// The warnings about designs of an accepted judgement, as `RULE PATH:LINE`.
#[track_caller]
fn faults(repo: &Repo, arguments: &[&str]) -> Vec<String> {
    let report = repo.json(&[&["lint"], arguments].concat());
    assert_eq!(report["verdict"], "accepted", "{report}");
    let findings = report["findings"].as_array().unwrap().iter();
    let of_designs = findings.filter(|one| one["rule"].as_str().unwrap().starts_with("design-"));
    let line = |one: &Value| {
        assert_eq!(one["level"], "warning", "{one}");
        let (rule, path) = (one["rule"].as_str().unwrap(), one["path"].as_str().unwrap());
        format!("{rule} {path}:{}", one["design"]["line"])
    };
    of_designs.map(line).collect()
}

#[test]
fn commit_of_a_broken_design_is_warned_of_with_its_line() {
    // Emptying the governing design needs a person's approval besides.
    let paths = [(OWN, 1), (OTHER, 0), ("docs/lld/active/LLD-10.md", 0)];
    for (path, code) in paths {
        let repo = repo();
        repo.stage(path, TABLE.replace("|---|---|", "|---|"));
        repo.tells("lint", code, &format!("{path}:5"));
        // The line is that of the new version.
        repo.stage(path, with_row("`src/b.py` | Frobnicate"));
        let fault = [format!("design-bad-row {path}:8")];
        assert_eq!(faults(&repo, &[]), fault);
        repo.tells("lint", 0, "8 | | `src/b.py` | Frobnicate |");
    }
}

#[test]
fn range_is_warned_of_the_designs_at_its_end() {
    let repo = repo();
    repo.stage(OWN, with_row("`src/b.py` | Frobnicate"));
    repo.stage(OTHER, with_row("`src/b.py` | Frobnicate"));
    repo.commit("Break both");
    let both = [OWN, OTHER].map(|path| format!("design-bad-row {path}:8"));
    let mut found = faults(&repo, &["main..HEAD"]);
    found.sort();
    let mut both = both.to_vec();
    both.sort();
    assert_eq!(found, both);
    repo.stage(OTHER, with_row("`src/b.py` | Add"));
    repo.commit("Repair one");
    assert_eq!(
        faults(&repo, &["main..HEAD"]),
        [format!("design-bad-row {OWN}:8")]
    );
}

#[test]
fn repaired_design_is_not_warned_of_any_more() {
    let repo = repo();
    repo.stage(OWN, with_row("`src/b.py` | Frobnicate"));
    repo.commit("Break it");
    repo.stage("src/a.py", "a = 2\n");
    let fault = [format!("design-bad-row {OWN}:8")];
    assert_eq!(faults(&repo, &[]), fault);
    repo.git(&["reset", "--quiet", "--", "src/a.py"]);
    repo.stage(OWN, with_row("`src/b.py` | Add"));
    assert_eq!(faults(&repo, &[]), [""; 0]);
    // A second fault is told beside the first, each once.
    repo.stage(
        OWN,
        with_row("`src/b.py` | Frobnicate |\n| `src/c.py` | Frobnicate"),
    );
    let both = [8, 9].map(|line| format!("design-bad-row {OWN}:{line}"));
    assert_eq!(faults(&repo, &[]), both);
}

#[test]
fn moved_design_and_one_that_only_loses_its_file_are_not_warned_of() {
    let repo = repo();
    repo.stage("docs/lld/active/LLD-7.md", "# No table\n");
    repo.commit("Add a plan without a table");
    let to = "docs/lld/active/old/LLD-7.md";
    repo.stage(
        "guard.toml",
        SETTINGS.replace(
            "\"docs/lld/active/LLD-{issue}.md\"",
            "[\"docs/lld/active/LLD-{issue}.md\", \"docs/lld/active/old/*.md\"]",
        ),
    );
    repo.commit("More places");
    std::fs::create_dir(repo.path("docs/lld/active/old")).unwrap();
    repo.git(&["mv", "docs/lld/active/LLD-7.md", to]);
    assert_eq!(faults(&repo, &[]), [""; 0]);
    repo.stage(to, "# No table, and other words\n");
    assert_eq!(faults(&repo, &[]).len(), 1);
    repo.git(&["rm", "--quiet", "--force", to]);
    assert_eq!(faults(&repo, &[]), [""; 0]);
}

#[test]
fn prose_beside_the_plan_of_a_directory_is_no_fault() {
    let repo = Repo::new();
    repo.stage(
        "guard.toml",
        "[lld]\npath = \"specs/{branch}/{spec,plan}.md\"\nbase = \"main\"\n",
    );
    repo.commit("Base");
    repo.branch("9-more");
    repo.stage("specs/9-more/spec.md", "# What and why\n");
    repo.stage("specs/9-more/plan.md", TABLE);
    assert_eq!(faults(&repo, &[]), [""; 0]);
    repo.stage("specs/9-more/plan.md", with_row("`src/b.py` | Frobnicate"));
    let fault = ["design-bad-row specs/9-more/plan.md:8"];
    assert_eq!(faults(&repo, &[]), fault);
}

#[test]
fn documents_that_are_no_designs_have_no_faults() {
    let repo = repo();
    repo.stage("docs/notes.md", "## Files Changed\n\nnothing yet\n");
    let report = repo.json(&["lint"]);
    assert_eq!(findings(&report), [("out-of-scope", "docs/notes.md")]);
}
