//! Which designs a branch name selects, and which documents of a directory count.

use crate::common::{DESIGN, Repo, SETTINGS};
use serde_json::json;

const SPECS: &str = "[lld]\npath = \"specs/{branch}/{spec,plan,tasks}.md\"\n";

/// `main` with these settings and plans; each plan grants adding one file.
fn repo(settings: &str, plans: &[(&str, &str)]) -> Repo {
    let repo = Repo::new();
    repo.stage("guard.toml", settings);
    for (plan, granted) in plans {
        repo.design(plan, &[(granted, "Add", "new")]);
    }
    repo.commit("Say what may change");
    repo
}

/// Asserts which designs judge the staged changes, and why.
#[track_caller]
fn is_judged_by(repo: &Repo, plans: &[&str], reason: &str) {
    let report = repo.json(&["lint"]);
    let designs = report["designs"].as_array();
    let designs = designs.unwrap_or_else(|| panic!("{report}")).iter();
    let designs: Vec<_> = designs
        .map(|one| (&one["path"], &one["selected_by"]))
        .collect();
    assert_eq!(
        json!(designs),
        json!(plans.iter().map(|plan| (plan, reason)).collect::<Vec<_>>())
    );
}

#[test]
fn documents_of_the_directory_named_like_the_branch_are_one_design() {
    for branch in ["004-login", "feature/004-login", "ada/feature/004-login"] {
        let plans = [
            ("specs/004-login/plan.md", "src/a.rs"),
            ("specs/004-login/tasks.md", "src/b.rs"),
            ("specs/005-logout/tasks.md", "src/c.rs"),
        ];
        let repo = repo(SPECS, &plans);
        repo.branch(branch);
        repo.stage("src/a.rs", "a\n");
        repo.stage("src/b.rs", "b\n");
        repo.guard(&["lint"]).exits(0);
        let reason = format!("branch name {branch}");
        is_judged_by(&repo, &[plans[0].0, plans[1].0], &reason);
        repo.stage("src/c.rs", "c\n");
        repo.commit("New");
        repo.tells("lint --range main..HEAD", 1, "src/c.rs");
    }
}

#[test]
fn slug_is_the_branch_name_without_prefix_and_number() {
    let plans = [
        ("docs/plans/2026-01-31-001-feat-login-plan.md", "src/a.rs"),
        ("docs/plans/2026-02-01-002-fix-logout-plan.md", "src/b.rs"),
    ];
    let settings = "[lld]\npath = \"docs/plans/*-{slug}-plan.md\"\n";
    for branch in ["feat/login", "login", "ada/7-login", "feat/PROJ-12-login"] {
        let repo = repo(settings, &plans);
        repo.branch(branch);
        repo.stage("src/a.rs", "a\n");
        is_judged_by(&repo, &[plans[0].0], &format!("branch name {branch}"));
    }
    let repo = repo(settings, &plans);
    repo.branch("feat/other");
    repo.stage("src/a.rs", "a\n");
    repo.guard(&["lint"])
        .exits(2)
        .says("no design for branch feat/other: docs/plans/*-other-plan.md is not in HEAD")
        .says("guard use");
}

#[test]
fn branch_name_of_ci_cannot_leave_the_directory() {
    let settings = "[lld]\npath = \"docs/plans/{branch}.md\"\n";
    let plans = [
        ("docs/wide.md", "src/a.rs"),
        ("docs/plans/a.md", "src/b.rs"),
    ];
    let repo = repo(settings, &plans);
    let base = repo.git(&["rev-parse", "HEAD"]);
    repo.stage("src/a.rs", "a\n");
    repo.commit("New");
    repo.git(&["checkout", "--quiet", "--detach"]);
    for branch in ["../wide", "a/../../wide", "/docs/wide", "*", "**", "./a"] {
        let variables = [
            ("GITHUB_ACTIONS", "true"),
            ("GITHUB_EVENT_NAME", "pull_request"),
            ("GITHUB_HEAD_REF", branch),
            ("GITHUB_BASE_REF", "main"),
        ];
        repo.git(&["update-ref", "refs/remotes/origin/main", &base]);
        let output = repo.guard_with(&variables, &["lint", "--ci"]).exits(2);
        assert!(!output.text().contains("wide.md"), "{}", output.text());
    }
}

const TASKS: &str = "# Tasks\n\n**Files:**\n\n- Create: `src/b.rs`\n";

/// `specs/004-login` with a `plan.md` and a `tasks.md` that creates `src/b.rs`, on its branch.
fn feature(plan: &str) -> Repo {
    let repo = Repo::new();
    repo.stage("guard.toml", SPECS);
    repo.stage("specs/004-login/plan.md", plan);
    repo.stage("specs/004-login/tasks.md", TASKS);
    repo.commit("Say what may change");
    repo.branch("004-login");
    repo.stage("src/b.rs", "b\n");
    repo
}

#[test]
fn document_without_a_declaration_is_passed_over_beside_one_with() {
    let repo = feature("# Plan\n\nA form.\n");
    repo.guard(&["lint"]).exits(0);
    is_judged_by(
        &repo,
        &["specs/004-login/tasks.md"],
        "branch name 004-login",
    );
    repo.guard(&["check", "src/b.rs"]).exits(0);
    // Named alone, it is refused.
    let plan = "specs/004-login/plan.md";
    repo.tells(&format!("lint --lld {plan}"), 2, "plan.md cannot be used");
    repo.tells(&format!("scope check {plan}"), 1, "");
    // So are documents of which none declares anything.
    let base = repo.git(&["rev-parse", "HEAD"]);
    repo.commit("New");
    repo.stage("specs/004-login/tasks.md", "# Tasks\n\n- [ ] Do it\n");
    repo.commit("Plan less");
    repo.guard(&["lint", "--range", &format!("{base}..HEAD")])
        .exits(2)
        .says("cannot be used");
    repo.guard(&["scope", "check"]).exits(1);
}

#[test]
fn faulty_table_is_not_passed_over() {
    let repo = feature("## Files Changed\n\n| File | Change Type |\n|-|-|\n| `../a.rs` | Add |\n");
    repo.tells("lint", 2, "specs/004-login/plan.md cannot be used");
}

#[test]
fn typed_table_is_the_scope_of_all_documents_of_its_directory() {
    let repo = feature("# Plan\n");
    repo.design("specs/004-login/plan.md", &[("src/a.rs", "Add", "x")]);
    let other = "# Tasks\n\n**Files:**\n\n- Create: `src/c.rs`\n";
    repo.stage("specs/005-other/tasks.md", other);
    repo.git(&["commit", "--quiet", "-m", "Add a table", "--", "specs"]);
    repo.tells("lint", 1, "src/b.rs is not in the design");
    is_judged_by(&repo, &["specs/004-login/plan.md"], "branch name 004-login");
    repo.git(&["reset", "--quiet"]);
    repo.stage("src/a.rs", "a\n");
    repo.guard(&["lint"]).exits(0);
    repo.commit("New");
    repo.guard(&["lint", "--range", "HEAD~1..HEAD"]).exits(0);
    // Designs of other directories form a union, as always.
    let union = ["specs/004-login/plan.md", "specs/005-other/tasks.md"];
    repo.stage("src/c.rs", "c\n");
    repo.guard(&["lint", "--lld", union[0], "--lld", union[1]])
        .exits(0);
}

/// `main` with designs for some issues, each of which grants `src/new.rs`, which is staged.
fn with_issues(branch: &str, issues: &[&str]) -> Repo {
    let repo = Repo::new();
    repo.stage("guard.toml", SETTINGS);
    for issue in issues {
        repo.design(
            &DESIGN.replace("188", issue),
            &[("src/new.rs", "Add", "new")],
        );
    }
    repo.commit("Say what may change");
    repo.branch(branch);
    repo.stage("src/new.rs", "fn new() {}\n");
    repo
}

#[test]
fn standalone_number_selects_the_design_and_is_reported() {
    for branch in ["3-crash", "fix/PROJ-3-crash"] {
        let repo = with_issues(branch, &["3", "8", "188"]);
        repo.guard(&["lint"]).exits(0).says(
            "1 change within design docs/lld/active/LLD-3.md, from issue 3 in the branch name",
        );
        let plan = DESIGN.replace("188", "3");
        is_judged_by(&repo, &[&plan], "issue 3 in the branch name");
        repo.stage("src/stray.rs", "fn stray() {}\n");
        repo.guard(&["lint"])
            .exits(1)
            .says("(design docs/lld/active/LLD-3.md, from issue 3 in the branch name)");
    }
}

#[test]
fn branch_name_with_two_issues_selects_no_design() {
    let repo = with_issues("188-part-2", &["2", "188"]);
    repo.guard(&["lint"])
        .exits(2)
        .says("the branch name 188-part-2 contains several issues: 188, 2")
        .says("guard use FILE");
    repo.guard(&["use", DESIGN]).exits(0);
    repo.tells("lint", 0, "LLD-188.md, from guard use");
    repo.guard(&["use", "--clear"]);
    // In a range, a trailer selects the design.
    repo.commit(&format!("New\n\nGuard-Design: {DESIGN}"));
    repo.guard(&["lint", "--range", "main..HEAD"]).exits(0);

    // If `[lld] path` has no issue, numbers mean nothing.
    let repo = Repo::new();
    repo.stage("guard.toml", "[lld]\npath = \"docs/design.md\"\n");
    repo.design("docs/design.md", &[("src/new.rs", "Add", "new")]);
    repo.commit("Say what may change");
    repo.branch("188-part-2");
    repo.stage("src/new.rs", "fn new() {}\n");
    repo.guard(&["lint"]).exits(0).says("from guard.toml");
}

/// Where the name of the branch fits several plans, or has several issues, the plan that the branch brings decides.
#[test]
fn new_plan_of_a_branch_decides_among_several_of_its_name() {
    let settings = "[lld]\npath = \"docs/LLD-{issue}*.md\"\nbase = \"main\"\n";
    let old = [
        ("docs/LLD-7-a.md", "src/a.rs"),
        ("docs/LLD-7-b.md", "src/b.rs"),
    ];
    for (branch, new, code) in [
        ("7-more", "docs/LLD-7-c.md", 0),
        // It is the plan of another issue.
        ("7-more", "docs/LLD-9.md", 2),
        ("7-part-9", "docs/LLD-9.md", 0),
    ] {
        let repo = repo(settings, &old);
        repo.branch(branch);
        repo.design(new, &[("src/new.rs", "Add", "new")]);
        repo.commit("Plan it");
        repo.stage("src/new.rs", "new\n");
        let told = repo.guard(&["lint"]).exits(code);
        if code == 0 {
            is_judged_by(&repo, &[new], "the branch, which adds it");
        } else {
            told.says("more than one design applies")
                .says("docs/LLD-7-a.md");
        }
    }
}

#[test]
fn each_silent_document_is_named_where_none_of_its_directory_declares_anything() {
    let repo = Repo::new();
    repo.stage("guard.toml", SPECS);
    repo.stage("specs/004-login/plan.md", "# Plan\n\nA form.\n");
    repo.stage("specs/004-login/tasks.md", "# Tasks\n\n- [ ] Do it\n");
    repo.commit("Say nothing yet");
    repo.branch("004-login");
    let named = |arguments: &[&str]| {
        let report = repo.json(arguments);
        let problems = report["problems"].as_array().unwrap().iter();
        let paths = problems.map(|one| one["path"].as_str().unwrap().to_owned());
        paths.collect::<Vec<_>>()
    };
    let check = ["scope", "check"];
    let both = ["specs/004-login/plan.md", "specs/004-login/tasks.md"];
    assert_eq!(named(&check), both);
    // The others may come in later commits.
    repo.stage(both[0], "# Plan\n\nAnother form.\n");
    assert_eq!(named(&["scope", "check", "--staged"]), [""; 0]);
    repo.stage(both[1], TASKS);
    assert_eq!(named(&check), [""; 0]);
}
