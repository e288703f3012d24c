//! `guard use`: the design of a branch, stored in git's configuration.

use crate::common::{DESIGN, Repo};

const OTHER: &str = "docs/lld/active/LLD-7.md";

/// A governed repository with a second design that the settings do not choose.
fn repo() -> Repo {
    let repo = Repo::new();
    repo.design(OTHER, &[("src/other.rs", "Add", "the other work")]);
    repo.govern(&[("src/lib.rs", "Add", "the work")]);
    repo
}

fn configured(repo: &Repo, branch: &str) -> String {
    let key = format!("branch.{branch}.guardDesign");
    let output = repo.try_git(&["config", "--local", "--get-all", &key]);
    output.stdout.trim_end().to_owned()
}

#[test]
fn the_chosen_design_judges_this_branch_and_no_other_until_it_is_cleared() {
    let repo = repo();
    let config = repo.text(".git/config");
    repo.stage("src/other.rs", "fn other() {}\n");
    repo.guard(&["lint"]).exits(1).says("out-of-scope");
    repo.guard(&["use", OTHER])
        .exits(0)
        .says("branch 188-work is checked against docs/lld/active/LLD-7.md");
    repo.guard(&["lint"]).exits(0);
    let report = repo.json(&["lint"]);
    assert_eq!(report["designs"][0]["path"], OTHER);
    assert_eq!(report["designs"][0]["selected_by"], "guard use");
    repo.branch("188-again");
    repo.guard(&["lint"]).exits(1).says("out-of-scope");
    repo.git(&["switch", "--quiet", "188-work"]);
    repo.tells("use --clear", 0, "guard.toml selects");
    assert_eq!(repo.text(".git/config"), config);
    repo.guard(&["use", "--clear"]).exits(0);
    assert!(repo.json(&["use"])["design"].is_null());
}

#[test]
fn choice_beside_a_locked_configuration_fails_with_the_lock_to_remove() {
    let repo = repo();
    repo.write(".git/config.lock", "");
    repo.guard(&["use", OTHER])
        .exits(2)
        .says("config cannot be changed: ")
        .says("if no git command is running, remove ")
        .says("config.lock");
    assert_eq!(configured(&repo, "188-work"), "");
}

#[test]
fn unusable_choice_is_refused_and_not_stored() {
    let repo = repo();
    repo.write("docs/lld/active/LLD-0.md", "# No table\n");
    repo.write("../outside.md", "| File | Change Type |\n");
    repo.write("src/x", "");
    let config = repo.text(".git/config");
    for (file, message) in [
        ("docs/lld/active/LLD-1.md", "there is no design at docs/"),
        ("docs/lld/active/LLD-0.md", "design-no-table"),
        ("src", "no committed document below src/ matches"),
        ("../outside.md", "cannot be the design"),
        (".git/config", "cannot be the design"),
    ] {
        repo.guard(&["use", file]).exits(2).says(message);
    }
    assert_eq!(repo.text(".git/config"), config);
}

#[test]
fn a_detached_head_has_no_branch_to_choose_for() {
    let repo = repo();
    repo.git(&["checkout", "--quiet", "--detach"]);
    for line in [&format!("use {OTHER}"), "use", "use --clear"] {
        repo.tells(line, 2, "HEAD is detached").says("git switch");
    }
}

#[test]
fn several_designs_form_one_scope() {
    let repo = repo();
    repo.stage("src/other.rs", "fn other() {}\n");
    repo.stage("src/lib.rs", "fn lib() {}\n");
    repo.guard(&["use", OTHER, DESIGN, OTHER]).exits(0).says(
        "branch 188-work is checked against docs/lld/active/LLD-7.md, docs/lld/active/LLD-188.md",
    );
    repo.guard(&["lint"]).exits(0);
    let both = format!("{OTHER}\n{DESIGN}");
    assert_eq!(configured(&repo, "188-work"), both);
    repo.guard(&["settings"]).exits(0).says(OTHER).says(DESIGN);
    // One unusable design, and nothing is stored.
    repo.write("docs/lld/active/LLD-0.md", "# No table\n");
    let unusable = ["use", DESIGN, "docs/lld/active/LLD-0.md"];
    repo.guard(&unusable).exits(2);
    assert_eq!(configured(&repo, "188-work"), both);
    assert_eq!(repo.json(&["use"])["designs"].as_array().unwrap().len(), 2);
    repo.guard(&["use", OTHER]).exits(0);
    assert_eq!(configured(&repo, "188-work"), OTHER);
    repo.guard(&["lint"]).exits(1).says("src/lib.rs");
    repo.guard(&["use", "--clear"]).exits(0);
    assert_eq!(configured(&repo, "188-work"), "");
}

/// Plans in directories, all of which are standing, and a standing design of its own.
fn phases() -> Repo {
    let repo = Repo::new();
    repo.stage(
        "guard.toml",
        "[lld]\nstanding = [\"phases/*/*-PLAN.md\", \"docs/standing.md\"]\n",
    );
    for (plan, path) in [
        ("phases/01-in/01-PLAN.md", "src/a.rs"),
        ("phases/01-in/02-PLAN.md", "src/b.rs"),
        ("phases/02-out/01-PLAN.md", "src/c.rs"),
        ("docs/standing.md", "CHANGES"),
    ] {
        repo.design(plan, &[(path, "Add", "x")]);
    }
    repo.stage("phases/01-in/03-PLAN.md", "# Only words\n");
    repo.stage("phases/01-in/notes.md", "# Notes\n");
    repo.commit("Plan");
    repo
}

#[test]
fn directory_takes_every_readable_design_below_it() {
    let repo = phases();
    repo.guard(&["use", "phases/01-in"])
        .exits(0)
        .says("branch main is checked against phases/01-in/");
    assert_eq!(configured(&repo, "main"), "phases/01-in/");
    for path in ["src/a.rs", "src/b.rs", "CHANGES"] {
        repo.stage(path, "x\n");
    }
    repo.guard(&["lint"]).exits(0);
    repo.guard(&["check", "src/b.rs"]).exits(0);
    // A plan that a later commit adds counts as well.
    repo.stage("src/d.rs", "x\n");
    repo.guard(&["lint"]).exits(1).says("src/d.rs");
    repo.design("phases/01-in/04-PLAN.md", &[("src/d.rs", "Add", "x")]);
    repo.git(&["commit", "--quiet", "-m", "Plan", "--", "phases"]);
    repo.guard(&["lint"]).exits(0);
    // A directory that has no design any more is an error.
    repo.git(&["config", "branch.main.guardDesign", "src/"]);
    repo.guard(&["lint"]).exits(2).says("below src/");
}

#[test]
fn choice_among_standing_designs_leaves_out_the_others_of_the_pattern() {
    let repo = phases();
    repo.stage("src/c.rs", "x\n");
    repo.guard(&["lint"]).exits(0);
    repo.guard(&["use", "phases/01-in"]).exits(0);
    repo.guard(&["lint"]).exits(1).says("src/c.rs");
    repo.guard(&["check", "src/c.rs"]).exits(1);
    repo.stage("CHANGES", "x\n");
    repo.git(&["reset", "--quiet", "--", "src"]);
    repo.guard(&["lint"]).exits(0);
}

#[test]
fn hooks_and_requests_take_no_document_that_the_settings_do_not_know() {
    let repo = repo();
    let old = "docs/old/plan.md";
    repo.design(old, &[("src/wide.rs", "Add", "x")]);
    repo.commit("Keep an old plan");
    repo.stage("src/wide.rs", "x\n");
    let message = "docs/old/plan.md (chosen by";
    repo.guard(&["use", old]).exits(2).says(message);
    repo.tells(&format!("hook pre-commit --lld {old}"), 2, message);
    repo.tells(&format!("check src/wide.rs --lld {old}"), 2, message);
    repo.tells(&format!("lint --ci --lld {old}"), 2, "");
    let write = ["write", "src/wide.rs", "--content-file", old];
    repo.guard_with(&[("GUARD_LLD", old)], &write).exits(2);
    // Nor if an agent writes the choice itself.
    repo.git(&["config", "branch.188-work.guardDesign", old]);
    repo.guard(&["lint"]).exits(2).says(message);
    repo.guard(&["hook", "pre-commit"]).exits(2).says(message);
    // A person may look at any document.
    repo.guard(&["lint", "--lld", old]).exits(0);
    repo.tells(&format!("scope show --lld {old}"), 0, "src/wide.rs");
}

#[test]
fn agent_may_not_choose_but_may_look() {
    let repo = repo();
    let run = |variable, arguments: &[&str]| repo.guard_with(&[(variable, "1")], arguments);
    for arguments in [&["use", OTHER][..], &["use", "--clear"]] {
        run("CLAUDECODE", arguments)
            .exits(2)
            .says("only a person can choose the designs of a branch")
            .says("CLAUDECODE");
    }
    assert_eq!(configured(&repo, "188-work"), "");
    run("CLAUDECODE", &["use"]).exits(0);
    run("CI", &["use", OTHER]).exits(0);
}
