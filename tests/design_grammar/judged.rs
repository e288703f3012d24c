//! What several documents of one directory grant together, and how large a design may be, judged by the built binary.
#![allow(clippy::unwrap_used)]

use crate::common::{DESIGN, Repo, SETTINGS};

const SPECS: &str = "[lld]\npath = \"specs/{branch}/{spec,plan,tasks}.md\"\n";
const SPEC: &str = "# Specification\n\nUsers can log in.\n";
const TASKS: &str = "# Tasks\n\n- [ ] T001 Create src/b.rs\n";

/// A branch whose directory of designs holds a specification, these tasks and this plan.
fn specified(plan: &str) -> Repo {
    let repo = Repo::new();
    repo.stage("guard.toml", SPECS);
    repo.stage("specs/004-login/spec.md", SPEC);
    repo.stage("specs/004-login/tasks.md", TASKS);
    repo.stage("specs/004-login/plan.md", plan);
    repo.commit("Say what may change");
    repo.branch("004-login");
    repo
}

#[test]
fn a_typed_table_is_the_scope_of_all_documents_of_its_directory() {
    let repo = specified(
        "# Plan\n\n## Files Changed\n\n| File | Change Type |\n|---|---|\n| `src/a.rs` | Add |\n",
    );
    repo.stage("src/a.rs", "a\n");
    repo.guard(&["lint"]).exits(0);
    repo.stage("src/b.rs", "b\n");
    repo.guard(&["lint"]).exits(1).says("src/b.rs");
}

#[test]
fn without_a_typed_table_the_documents_of_a_directory_are_one_union() {
    let repo = specified("# Plan\n\n**Files:** `src/a.rs`\n");
    repo.stage("src/a.rs", "a\n");
    repo.stage("src/b.rs", "b\n");
    repo.guard(&["lint"]).exits(0);
    repo.stage("src/c.rs", "c\n");
    repo.guard(&["lint"]).exits(1).says("src/c.rs");
}

/// The exit code of a commit judged by a design of about this size.
fn judged_by_a_design_of(bytes: usize) -> i32 {
    let repo = Repo::new();
    repo.stage("guard.toml", SETTINGS);
    let table = "## Files Changed\n\n| File | Change Type |\n|---|---|\n| `src/a.rs` | Add |\n";
    let prose = "Some words about the work.\n\n".repeat(bytes / 28);
    repo.stage(DESIGN, format!("# Design\n\n{table}\n## Words\n\n{prose}"));
    repo.commit("Say what may change");
    repo.branch("188-work");
    repo.stage("src/a.rs", "a\n");
    repo.guard(&["lint"]).code
}

#[test]
fn a_design_over_a_megabyte_cannot_judge() {
    assert_eq!(judged_by_a_design_of(900_000), 0);
    assert_eq!(judged_by_a_design_of(1_500_000), 2);
}
