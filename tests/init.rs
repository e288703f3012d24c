//! `guard init`: the first `guard.toml`.

#![allow(clippy::unwrap_used)]

use std::fs;

use crate::common::{self, GUARD, Repo, SOURCE};

/// The file that `guard init` wrote; asserts that `guard lint` and the hook accept the commit that adds it.
#[track_caller]
fn adopted(repo: &Repo) -> String {
    repo.install_hook("pre-commit");
    repo.install_hook("prepare-commit-msg");
    repo.guard(&["init"]).exits(0).says("wrote guard.toml");
    repo.git(&["add", "guard.toml"]);
    repo.guard(&["lint"]).exits(0);
    repo.try_git(&["commit", "-m", "Set guard up"]).exits(0);
    fs::read_to_string(repo.path("guard.toml")).unwrap()
}

#[test]
fn in_an_empty_repository() {
    let repo = Repo::new();
    let text = adopted(&repo);
    assert!(
        text.contains("path = \"docs/lld/active/LLD-{issue}.md\""),
        "{text}"
    );
    assert!(text.contains("base = \"main\""), "{text}");
}

#[test]
fn in_a_repository_with_designs_tests_and_ci() {
    let repo = Repo::new();
    repo.design("docs/plans/LLD-188.md", &[("src/a.rs", "Add", "x")]);
    repo.stage("pkg/tests/test_a.py", "x\n");
    repo.stage("Cargo.lock", "x\n");
    repo.stage(".github/workflows/ci.yml", "on: push\n");
    repo.commit("Start");
    repo.branch("feature/188-work");
    let text = adopted(&repo);
    for part in [
        "path = \"docs/plans/LLD-{issue}.md\"",
        "as in feature/188-work",
        "base = \"main\"",
        "pkg/tests/",
        "Cargo.lock",
        "/.github/workflows/",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    // From the next commit on, the existing design applies.
    repo.stage("src/b.rs", "fn b() {}\n");
    repo.guard(&["lint"]).exits(1).says("docs/plans/LLD-188.md");
    repo.git(&["mv", "src/b.rs", "src/a.rs"]);
    repo.guard(&["lint"]).exits(0);
}

#[test]
fn the_default_branch_is_that_of_origin() {
    let origin = Repo::init(&["--initial-branch=next"]);
    origin.stage("a", "a\n");
    origin.commit("Start");
    let repo = Repo::new();
    repo.git(&["remote", "add", "origin", origin.root.to_str().unwrap()]);
    repo.git(&["fetch", "--quiet", "origin"]);
    repo.git(&["remote", "set-head", "origin", "next"]);
    repo.git(&["switch", "--quiet", "--create", "7-x", "origin/next"]);
    assert!(adopted(&repo).contains("base = \"next\""));
    repo.design("docs/lld/active/LLD-7.md", &[("b", "Add", "x")]);
    repo.commit("Add the design");
    repo.stage("b", "b\n");
    repo.guard(&["lint"]).exits(0);
}

#[test]
fn uncommitted_designs_are_found_too() {
    let repo = Repo::new();
    repo.write("docs/design/LLD-5-tables.md", "# x\n");
    assert!(adopted(&repo).contains("path = \"docs/design/LLD-{issue}-*.md\""));
}

#[test]
fn nothing_is_overwritten() {
    for place in ["work tree", "index", "HEAD"] {
        let repo = Repo::new();
        repo.stage("guard.toml", "# mine\n");
        match place {
            "work tree" => {
                repo.git(&["rm", "--quiet", "--cached", "guard.toml"]);
            }
            "index" => fs::remove_file(repo.path("guard.toml")).unwrap(),
            _ => {
                repo.commit("Settings");
                repo.git(&["rm", "--quiet", "guard.toml"]);
            }
        }
        let before = repo.digest_tree();
        repo.guard(&["init"])
            .exits(2)
            .says(place)
            .says("guard.toml already exists in ");
        assert_eq!(repo.digest_tree(), before, "{place}");
    }
}

#[cfg(unix)]
#[test]
fn a_link_is_not_followed() {
    let repo = Repo::new();
    std::os::unix::fs::symlink("../elsewhere", repo.path("guard.toml")).unwrap();
    repo.guard(&["init"])
        .exits(2)
        .says("guard.toml already exists in ");
    assert!(!repo.path("../elsewhere").exists());
}

#[test]
fn a_dry_run_prints_the_file_and_writes_nothing() {
    let repo = Repo::new();
    let before = repo.digest_tree();
    let printed = repo.guard(&["init", "--dry-run"]).exits(0).stdout;
    assert_eq!(repo.digest_tree(), before);
    let json = repo.json(&["init", "--dry-run"]);
    assert_eq!(json["content"], printed);
    assert_eq!(json["written"], false);
    repo.guard(&["init"]).exits(0);
    assert_eq!(
        fs::read_to_string(repo.path("guard.toml")).unwrap(),
        printed
    );
}

#[test]
fn init_in_a_subdirectory_writes_to_the_root() {
    let repo = Repo::new();
    repo.write("src/x", "");
    let mut guard = repo.command(GUARD);
    guard.current_dir(repo.path("src"));
    common::run(guard.arg("init")).exits(0);
    assert!(repo.path("guard.toml").exists());
    assert!(!repo.path("src/guard.toml").exists());
}

#[test]
fn next_steps_are_listed_in_order() {
    let repo = Repo::new();
    repo.write(".pre-commit-config.yaml", "repos: []\n");
    let told = repo.guard(&["init"]).exits(0).stdout;
    let at = |part: &str| told.find(part).unwrap_or_else(|| panic!("{part}\n{told}"));
    assert!(at("git add guard.toml") < at("write the first design"));
    assert!(at("write the first design") < at("guard install git"));
    assert!(at("guard install git") < at("guard doctor"));
    assert!(told.contains(".pre-commit-config.yaml"));
}

/// Runs `guard init` in a repository with this plan and commits its settings; a plan grants adding `src/new.rs`.
fn with_plan(plan: &str, others: &[(&str, &str)]) -> (Repo, String) {
    let repo = Repo::new();
    repo.design(plan, &[("src/new.rs", "Add", "x")]);
    for (path, text) in others {
        repo.stage(path, text);
    }
    repo.commit("Start");
    repo.guard(&["init"]).exits(0);
    repo.git(&["add", "."]);
    repo.guard(&["lint"]).exits(0);
    repo.commit("Set guard up");
    let text = fs::read_to_string(repo.path("guard.toml")).unwrap();
    (repo, text)
}

#[test]
fn plans_of_each_framework_are_found() {
    for (plan, others, branch, path) in [
        (
            ".planning/phases/03-login/03-02-PLAN.md",
            &[(
                ".planning/STATE.md",
                "## Current Position\n\nPhase: 3 of 4 (Login)\nPlan: 2 of 2\n",
            )][..],
            "any",
            ".planning/phases/*/{pointer}-PLAN.md",
        ),
        (
            ".yolo-planning/phases/03-login/01-PLAN.md",
            &[(".yolo-planning/STATE.md", "**Current Phase:** 3\n")],
            "any",
            ".yolo-planning/phases/{pointer}-*/*PLAN.md",
        ),
        (
            "docs/superpowers/plans/2026-01-31-login.md",
            &[],
            "feature/login",
            "docs/superpowers/plans/*-{slug}.md",
        ),
        (
            "docs/plans/2026-01-31-001-feat-login-plan.md",
            &[],
            "feat/login",
            "docs/plans/*-{slug}-plan.md",
        ),
        (".omc/plans/login.md", &[], "login", ".omc/plans/{slug}.md"),
        (
            "openspec/changes/add-login/proposal.md",
            &[],
            "add-login",
            "openspec/changes/{slug}/{proposal,design,tasks}.md",
        ),
        (
            "specs/004-login/tasks.md",
            &[],
            "feature/004-login",
            "specs/{branch}/{spec,plan,tasks}.md",
        ),
        (
            "specs/004-login/plan.md",
            &[(
                ".specify/feature.json",
                "{\"feature_directory\": \"specs/004-login\"}",
            )],
            "any",
            "specs/{pointer}/{spec,plan,tasks}.md",
        ),
        (
            "docs/stories/1.2.login.md",
            &[],
            "story/1.2.login",
            "docs/stories/{slug}{,.*,_*}.md",
        ),
        (
            "_bmad-output/implementation-artifacts/1-2-login.md",
            &[(
                "_bmad-output/implementation-artifacts/sprint-status.yaml",
                "development_status:\n  epic-1: in-progress\n  1-2-login: in-progress\n",
            )],
            "any",
            "_bmad-output/implementation-artifacts/{pointer}.md",
        ),
        (
            ".kiro/specs/login/tasks.md",
            &[],
            "feature/7-login",
            ".kiro/specs/{slug}/{requirements,design,tasks}.md",
        ),
    ] {
        let (repo, text) = with_plan(plan, others);
        assert!(text.contains(&format!("\"{path}\"")), "{path}\n{text}");
        repo.branch(branch);
        repo.stage("src/new.rs", "fn new() {}\n");
        let output = repo.guard(&["lint"]);
        assert_eq!(output.code, 0, "{plan}: {}", output.text());
        assert!(output.text().contains(plan), "{plan}: {}", output.text());
        repo.stage("src/other.rs", "fn other() {}\n");
        repo.guard(&["lint"]).exits(1).says("src/other.rs");
    }
}

#[test]
fn designs_and_plans_of_a_framework_are_both_found() {
    let (repo, text) = with_plan("docs/lld/LLD-7.md", &[]);
    assert!(
        text.contains("path = \"docs/lld/LLD-{issue}.md\""),
        "{text}"
    );
    drop(repo);
    let repo = Repo::new();
    repo.design("docs/lld/LLD-7.md", &[("src/new.rs", "Add", "x")]);
    repo.design(
        ".kiro/specs/login/tasks.md",
        &[("src/login.rs", "Add", "x")],
    );
    repo.commit("Start");
    adopted(&repo);
    for (branch, path) in [("7-work", "src/new.rs"), ("login", "src/login.rs")] {
        repo.branch(branch);
        repo.stage(path, "x\n");
        repo.guard(&["lint"]).exits(0);
        repo.commit("Work");
    }
}

#[test]
fn first_standing_design_lets_bumps_through_and_nothing_else() {
    let repo = Repo::new();
    repo.stage("package.json", "{\"version\": \"1.0.0\"}\n");
    repo.stage("package-lock.json", "{}\n");
    repo.stage("src/a.js", "a\n");
    repo.commit("Start");
    let told = repo.guard(&["init"]).exits(0).stdout;
    assert!(told.contains("wrote docs/lld/standing.md"), "{told}");
    let step = "git add guard.toml docs/lld/standing.md && git commit -m \"Set guard up\" -- guard.toml docs/lld/standing.md";
    assert!(told.contains(step), "{told}");
    repo.git(&["add", "guard.toml", "docs/lld/standing.md"]);
    repo.guard(&["lint"]).exits(0);
    repo.commit("Set guard up");
    repo.guard(&["scope", "check", "docs/lld/standing.md"])
        .exits(0);
    repo.stage("package.json", "{\"version\": \"1.0.1\"}\n");
    repo.stage("package-lock.json", "{\"x\": 1}\n");
    repo.guard(&["lint"])
        .exits(0)
        .says("only standing designs apply");
    repo.stage("src/a.js", "b\n");
    repo.guard(&["lint"])
        .exits(1)
        .says("src/a.js is not in the design")
        .says("guard use FILE");
}

#[test]
fn existing_standing_design_is_kept() {
    let repo = Repo::new();
    repo.write("docs/lld/standing.md", "# mine\n");
    let text = adopted(&repo);
    assert!(text.contains("# standing = "), "{text}");
    assert_eq!(
        fs::read_to_string(repo.path("docs/lld/standing.md")).unwrap(),
        "# mine\n"
    );
}

#[cfg(unix)]
#[test]
fn standing_design_is_not_written_through_a_link() {
    let repo = Repo::new();
    fs::create_dir(repo.path("../elsewhere")).unwrap();
    std::os::unix::fs::symlink("../elsewhere", repo.path("docs")).unwrap();
    let told = repo.guard(&["init"]).exits(0).stdout;
    assert!(!told.contains("wrote docs"), "{told}");
    assert!(
        fs::read_dir(repo.path("../elsewhere"))
            .unwrap()
            .next()
            .is_none()
    );
}

#[test]
fn documents_that_most_commits_touch_are_proposed_for_always() {
    let repo = Repo::new();
    for number in 0..13 {
        repo.stage("notes/STATE.md", format!("{number}\n"));
        repo.stage("src/a.rs", format!("{number}\n"));
        if number % 3 == 0 {
            repo.stage("README.md", format!("{number}\n"));
        }
        repo.commit("Work");
    }
    let text = adopted(&repo);
    assert!(
        text.contains(
            "# 12 of the last 12 commits touch notes/STATE.md.\n# always = [\"/notes/STATE.md\"]\n"
        ),
        "{text}"
    );
    // Only a comment: nothing is open before a person says so.
    repo.stage("notes/STATE.md", "x\n");
    assert_ne!(repo.guard(&["lint"]).code, 0);
}

/// The settings that docs/designs.md shows for a framework.
fn documented(framework: &str) -> Vec<String> {
    let text = fs::read_to_string(format!("{SOURCE}/docs/designs.md")).unwrap();
    let heading = format!("\n### {framework}\n\n```toml\n[lld]\n");
    let (_, behind) = text.split_once(&heading).unwrap();
    let (block, _) = behind.split_once("```").unwrap();
    block.lines().map(str::to_owned).collect()
}

#[test]
fn the_docs_show_the_settings_that_init_writes_for_each_framework() {
    for (framework, files) in [
        (
            "GSD",
            &[".planning/phases/03-x/03-01-PLAN.md", ".planning/STATE.md"][..],
        ),
        (
            "yolo",
            &[
                ".yolo-planning/phases/03-x/01-PLAN.md",
                ".yolo-planning/STATE.md",
            ],
        ),
        ("superpowers", &["docs/superpowers/plans/2026-01-31-x.md"]),
        (
            "Compound engineering",
            &["docs/plans/2026-01-31-001-feat-x-plan.md"],
        ),
        ("ultrapower", &[".omc/plans/x.md"]),
        ("OpenSpec", &["openspec/changes/x/tasks.md"]),
        ("spec-kit", &["specs/001-x/spec.md"]),
        (
            "BMAD",
            &[
                "docs/stories/1.2.story.md",
                "_bmad-output/implementation-artifacts/1-2-x.md",
            ],
        ),
        ("Kiro", &[".kiro/specs/x/tasks.md"]),
    ] {
        let repo = Repo::new();
        for file in files {
            repo.stage(file, "# A plan\n");
        }
        repo.commit("Plan");
        repo.guard(&["init"]).exits(0);
        let written = fs::read_to_string(repo.path("guard.toml")).unwrap();
        let lines: Vec<&str> = written.lines().collect();
        for line in documented(framework) {
            assert!(
                lines.contains(&line.as_str()),
                "{framework}: {line}\n{written}"
            );
        }
    }
}
