//! Which plan a branch name or the pointer file of a framework selects.

#![allow(clippy::unwrap_used)]

use crate::common::{self, GUARD, Repo};

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

/// The designs that judge the staged changes, each with the reason.
fn judged_by(repo: &Repo) -> Vec<(String, String)> {
    let report = repo.json(&["lint"]);
    let designs = report["designs"]
        .as_array()
        .unwrap_or_else(|| panic!("{report}"));
    designs
        .iter()
        .map(|design| {
            let text = |key: &str| design[key].as_str().unwrap().to_owned();
            (text("path"), text("selected_by"))
        })
        .collect()
}

#[track_caller]
fn is_judged_by(repo: &Repo, plan: &str, reason: &str) {
    assert_eq!(judged_by(repo), [(plan.to_owned(), reason.to_owned())]);
}

#[test]
fn documents_of_the_directory_named_like_the_branch_are_one_design() {
    for branch in ["004-login", "feature/004-login", "ada/feature/004-login"] {
        let repo = repo(
            SPECS,
            &[
                ("specs/004-login/plan.md", "src/a.rs"),
                ("specs/004-login/tasks.md", "src/b.rs"),
                ("specs/005-logout/tasks.md", "src/c.rs"),
            ],
        );
        repo.branch(branch);
        repo.stage("src/a.rs", "a\n");
        repo.stage("src/b.rs", "b\n");
        repo.guard(&["lint"]).exits(0);
        let reason = format!("branch name {branch}");
        assert_eq!(
            judged_by(&repo),
            ["plan", "tasks"].map(|name| (format!("specs/004-login/{name}.md"), reason.clone())),
        );
        repo.stage("src/c.rs", "c\n");
        repo.guard(&["lint"]).exits(1).says("src/c.rs");
        repo.commit("New");
        repo.guard(&["lint", "--range", "main..HEAD"])
            .exits(1)
            .says("src/c.rs");
    }
}

#[test]
fn whole_branch_name_wins_over_its_last_part() {
    let repo = repo(
        SPECS,
        &[
            ("specs/feature/004-login/spec.md", "src/a.rs"),
            ("specs/004-login/spec.md", "src/b.rs"),
        ],
    );
    repo.branch("feature/004-login");
    repo.stage("src/a.rs", "a\n");
    is_judged_by(
        &repo,
        "specs/feature/004-login/spec.md",
        "branch name feature/004-login",
    );
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
        is_judged_by(&repo, plans[0].0, &format!("branch name {branch}"));
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
fn several_directories_remain_ambiguous() {
    let settings = "[lld]\npath = \"specs/{issue}-*/{spec,plan}.md\"\n";
    let repo = repo(
        settings,
        &[
            ("specs/7-a/spec.md", "src/a.rs"),
            ("specs/7-a/plan.md", "src/a.rs"),
            ("specs/7-b/spec.md", "src/b.rs"),
        ],
    );
    repo.branch("7-work");
    repo.stage("src/a.rs", "a\n");
    repo.guard(&["lint"])
        .exits(2)
        .says("more than one design applies");
    repo.git(&["rm", "--quiet", "-r", "specs/7-b"]);
    repo.git(&["commit", "--quiet", "-m", "Only one", "--", "specs"]);
    repo.guard(&["lint"]).exits(0);
    assert_eq!(judged_by(&repo).len(), 2);
}

#[test]
fn characters_of_a_branch_name_are_no_pattern() {
    let settings = "[lld]\npath = \"docs/{branch}.md\"\n";
    let repo = repo(
        settings,
        &[("docs/a.md", "src/a.rs"), ("docs/b.md", "src/b.rs")],
    );
    repo.stage("src/a.rs", "a\n");
    for branch in ["{a,b}", "x/{a,b}", "{a,a}"] {
        repo.branch(branch);
        repo.guard(&["lint"])
            .exits(2)
            .says("cannot be part of a path");
    }
    repo.branch("x/a");
    repo.guard(&["lint"]).exits(0);
}

#[test]
fn branch_name_of_ci_cannot_leave_the_directory() {
    let settings = "[lld]\npath = \"docs/plans/{branch}.md\"\n";
    let repo = repo(
        settings,
        &[
            ("docs/wide.md", "src/a.rs"),
            ("docs/plans/a.md", "src/b.rs"),
        ],
    );
    let base = repo.git(&["rev-parse", "HEAD"]);
    repo.stage("src/a.rs", "a\n");
    repo.commit("New");
    repo.git(&["checkout", "--quiet", "--detach"]);
    for branch in ["../wide", "a/../../wide", "/docs/wide", "*", "**", "./a"] {
        let mut guard = repo.command(GUARD);
        guard.args(["lint", "--ci"]).env("GITHUB_ACTIONS", "true");
        guard
            .env("GITHUB_EVENT_NAME", "pull_request")
            .env("GITHUB_HEAD_REF", branch)
            .env("GITHUB_BASE_REF", "main");
        repo.git(&["update-ref", "refs/remotes/origin/main", &base]);
        let output = common::run(&mut guard);
        assert_eq!(output.code, 2, "{branch}: {}", output.text());
        assert!(!output.text().contains("wide.md"), "{}", output.text());
    }
}

const POINTED: &str =
    "[lld]\npath = \"specs/{pointer}/{spec,plan,tasks}.md\"\npointer = \".specify/feature.json\"\n";

/// spec-kit's pointer names the first of two features.
fn pointed() -> Repo {
    let repo = Repo::new();
    repo.stage("guard.toml", POINTED);
    repo.stage(
        ".specify/feature.json",
        "{\"feature_directory\": \"specs/004-login\"}\n",
    );
    repo.design("specs/004-login/plan.md", &[("src/a.rs", "Add", "new")]);
    repo.design("specs/005-logout/plan.md", &[("src/b.rs", "Add", "new")]);
    repo.commit("Say what may change");
    repo.branch("work");
    repo
}

#[test]
fn feature_of_spec_kit_is_read_from_its_pointer() {
    let repo = pointed();
    repo.stage("src/a.rs", "a\n");
    repo.guard(&["lint"]).exits(0);
    is_judged_by(&repo, "specs/004-login/plan.md", ".specify/feature.json");
    repo.commit("New");
    repo.guard(&["lint", "--range", "main..HEAD"]).exits(0);
    repo.guard(&["check", "src/b.rs"]).exits(1);
}

#[test]
fn pointer_that_changes_with_the_code_does_not_select_the_design() {
    let repo = pointed();
    repo.stage(
        ".specify/feature.json",
        "{\"feature_directory\": \"specs/005-logout\"}\n",
    );
    repo.stage("src/b.rs", "b\n");
    repo.guard(&["lint"])
        .exits(1)
        .says("src/b.rs is not in the design");
    is_judged_by(&repo, "specs/004-login/plan.md", ".specify/feature.json");
    // A pointer on disk alone decides nothing either.
    repo.git(&["reset", "--quiet", "--", ".specify"]);
    repo.guard(&["check", "src/b.rs"]).exits(1);
    // The pointer goes first, without a row and without code.
    repo.git(&["add", ".specify"]);
    repo.git(&["reset", "--quiet", "--", "src"]);
    repo.guard(&["lint"]).exits(0);
    repo.commit("Begin the next feature");
    repo.git(&["add", "src"]);
    repo.guard(&["lint"]).exits(0);
    is_judged_by(&repo, "specs/005-logout/plan.md", ".specify/feature.json");
}

#[test]
fn pointer_cannot_name_what_is_no_design_of_the_settings() {
    let repo = pointed();
    repo.design("docs/wide/plan.md", &[("src/b.rs", "Add", "new")]);
    repo.commit("Add another document");
    for value in [
        "../docs/wide",
        "specs/../docs/wide",
        "/docs/wide",
        "docs/wide",
        "specs/*",
        "specs/{004-login,005-logout}",
        "",
    ] {
        repo.stage(
            ".specify/feature.json",
            format!("{{\"feature_directory\": \"{value}\"}}\n"),
        );
        repo.commit("Point elsewhere");
        repo.stage("src/b.rs", "b\n");
        let output = repo.guard(&["lint"]).exits(2);
        assert!(
            output.text().contains("feature.json"),
            "{value}: {}",
            output.text()
        );
        repo.git(&["reset", "--quiet", "--", "src/b.rs"]);
    }
}

#[test]
fn branch_name_wins_over_a_stale_pointer() {
    let repo = pointed();
    repo.git(&["switch", "--quiet", "main"]);
    repo.stage(
        "guard.toml",
        POINTED
            .replace(
                "path = ",
                "path = [\"specs/{branch}/{spec,plan,tasks}.md\", ",
            )
            .replace(".md\"\npointer", ".md\"]\npointer"),
    );
    repo.commit("Select by branch first");
    repo.branch("feature/005-logout");
    repo.stage("src/b.rs", "b\n");
    repo.guard(&["lint"]).exits(0);
    is_judged_by(
        &repo,
        "specs/005-logout/plan.md",
        "branch name feature/005-logout",
    );
}

#[test]
fn story_in_progress_is_read_from_the_sprint_status() {
    let settings = "[lld]\npath = \"out/{pointer}.md\"\npointer = \"out/sprint-status.yaml\"\n";
    let repo = repo(
        settings,
        &[
            ("out/1-1-login.md", "src/a.rs"),
            ("out/1-2-out.md", "src/b.rs"),
        ],
    );
    let status = |first: &str, second: &str| {
        repo.stage(
            "out/sprint-status.yaml",
            format!(
                "development_status:\n  epic-1: in-progress\n  1-1-login: {first}\n  1-2-out: {second} # now\n"
            ),
        );
        repo.commit("Status");
        repo.stage("src/b.rs", "b\n");
    };
    status("done", "in-progress");
    repo.guard(&["lint"]).exits(0);
    is_judged_by(&repo, "out/1-2-out.md", "out/sprint-status.yaml");
    repo.git(&["reset", "--quiet"]);
    status("in-progress", "in-progress");
    repo.guard(&["lint"])
        .exits(2)
        .says("out/sprint-status.yaml names no single plan in progress")
        .says("guard use");
}

#[test]
fn plan_in_progress_is_read_from_the_state_of_gsd() {
    let settings = "[lld]\npath = \".planning/phases/*/{pointer}-PLAN.md\"\npointer = \".planning/STATE.md\"\n";
    let phase = ".planning/phases/03-login/";
    let plans = [
        format!("{phase}03-01-PLAN.md"),
        format!("{phase}03-02-PLAN.md"),
    ];
    let repo = repo(
        settings,
        &[(&plans[0], "src/a.rs"), (&plans[1], "src/b.rs")],
    );
    repo.branch("work");
    let state = |position: &str| {
        repo.git(&["reset", "--quiet"]);
        let text = format!("# State\n\n## Current Position\n\n{position}\n\n## Notes\n\nPlan: 1\n");
        repo.stage(".planning/STATE.md", text);
        repo.commit("State");
        repo.stage("src/b.rs", "b\n");
    };
    state("Phase: 3 of 5 (Login)\nPlan: 2 of 3 in current phase\nStatus: In progress");
    repo.guard(&["lint"]).exits(0);
    is_judged_by(&repo, &plans[1], ".planning/STATE.md");
    state("**Phase:** 03\n**Plan:** 02");
    repo.guard(&["lint"]).exits(0);
    for position in [
        "Phase: 3\nPlan: N/A",
        "Between milestones",
        "Phase: 3\nPlan: 2\nPlan: 1",
    ] {
        state(position);
        repo.guard(&["lint"]).exits(2).says(".planning/STATE.md");
    }
    // A plan with a summary is finished.
    state("Phase: 3\nPlan: 2");
    repo.git(&["reset", "--quiet"]);
    repo.stage(format!("{phase}03-02-SUMMARY.md"), "# Done\n");
    repo.commit("Finish");
    repo.stage("src/b.rs", "b\n");
    repo.guard(&["lint"]).exits(2);
}

#[test]
fn unknown_kind_of_pointer_is_refused() {
    let settings = "[lld]\npath = \"docs/{pointer}.md\"\npointer = \"docs/current.txt\"\n";
    let repo = repo(settings, &[("docs/a.md", "src/a.rs")]);
    repo.stage("src/a.rs", "a\n");
    repo.guard(&["lint"])
        .exits(2)
        .says("docs/current.txt")
        .says("feature.json");
}

#[test]
fn trailers_name_all_documents_of_a_design() {
    let repo = repo(
        SPECS,
        &[
            ("specs/004-login/plan.md", "src/a.rs"),
            ("specs/004-login/tasks.md", "src/b.rs"),
        ],
    );
    repo.branch("004-login");
    repo.install_hook("prepare-commit-msg");
    repo.stage("src/a.rs", "a\n");
    repo.stage("src/b.rs", "b\n");
    repo.git(&["commit", "--quiet", "-m", "New"]);
    let message = repo.git(&["log", "-1", "--format=%B"]);
    for name in ["plan", "tasks"] {
        let trailer = format!("Guard-Design: specs/004-login/{name}.md");
        assert!(message.contains(&trailer), "{message}");
    }
    // On a branch of another name, the trailers select both.
    repo.branch("elsewhere");
    repo.guard(&["lint", "--range", "main..HEAD"]).exits(0);
}

#[test]
fn range_is_judged_by_the_pointer_at_its_end() {
    let repo = pointed();
    repo.stage(
        ".specify/feature.json",
        "{\"feature_directory\": \"specs/005-logout\"}\n",
    );
    repo.commit("Begin the next feature");
    repo.stage("src/b.rs", "b\n");
    repo.commit("New");
    repo.guard(&["lint", "--range", "main..HEAD"]).exits(0);
    // With `authority = "base"`, neither rows nor pointers of the range count.
    repo.git(&["switch", "--quiet", "main"]);
    repo.stage("guard.toml", format!("{POINTED}authority = \"base\"\n"));
    repo.commit("Judge by the base");
    repo.git(&["switch", "--quiet", "work"]);
    repo.git(&["rebase", "--quiet", "main"]);
    repo.guard(&["lint", "--range", "main..HEAD"])
        .exits(1)
        .says("src/b.rs is not in the design");
}

#[cfg(unix)]
#[test]
fn link_in_place_of_the_pointer_needs_a_row() {
    let repo = pointed();
    std::fs::remove_file(repo.path(".specify/feature.json")).unwrap();
    std::os::unix::fs::symlink("../src/x.json", repo.path(".specify/feature.json")).unwrap();
    repo.git(&["add", ".specify"]);
    repo.guard(&["lint"]).exits(1).says(".specify/feature.json");
}
