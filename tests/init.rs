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
fn settings_name_the_designs_that_are_there_or_the_usual_place() {
    let repo = Repo::new();
    repo.write("src/x", "");
    let mut guard = repo.command(GUARD);
    guard.current_dir(repo.path("src"));
    let told = common::run(guard.args(["init", "--dry-run"]))
        .exits(0)
        .stdout;
    assert!(
        told.contains("path = \"docs/lld/active/LLD-{issue}.md\""),
        "{told}"
    );
    repo.write("docs/design/LLD-5-tables.md", "# x\n");
    let mut guard = repo.command(GUARD);
    guard.current_dir(repo.path("src"));
    common::run(guard.arg("init")).exits(0);
    assert!(!repo.path("src/guard.toml").exists());
    let text = fs::read_to_string(repo.path("guard.toml")).unwrap();
    assert!(
        text.contains("path = \"docs/design/LLD-{issue}-*.md\""),
        "{text}"
    );
}

#[test]
fn in_a_repository_with_designs() {
    let repo = Repo::new();
    repo.design("docs/plans/LLD-188.md", &[("src/a.rs", "Add", "x")]);
    repo.commit("Start");
    repo.branch("feature/188-work");
    let text = adopted(&repo);
    for part in [
        "path = \"docs/plans/LLD-{issue}.md\"",
        "as in 188-enforce-paths",
        "base = \"main\"",
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
fn next_steps_are_listed_in_order() {
    let repo = Repo::new();
    repo.write(".pre-commit-config.yaml", "repos: []\n");
    let told = repo.guard(&["init"]).exits(0).stdout;
    let at = |part: &str| told.find(part).unwrap_or_else(|| panic!("{part}\n{told}"));
    assert!(at("1. git add guard.toml") < at("2. write the first design"));
    assert!(at("guard scope new") < at("3. guard install pre-commit"));
    assert!(at("3. ") < at("guard install git"));
    assert!(at("guard install git") < at("guard doctor"));
    assert!(told.contains("guard install pre-commit"));
}

/// Runs `guard init` and commits what it writes; returns the settings.
fn initialised(repo: &Repo) -> String {
    repo.guard(&["init"]).exits(0);
    repo.git(&["add", "."]);
    repo.guard(&["lint"]).exits(0);
    repo.commit("Set guard up");
    fs::read_to_string(repo.path("guard.toml")).unwrap()
}

/// The patterns that docs/designs.md shows for a framework, in the second cell of its row.
fn documented(framework: &str) -> Vec<String> {
    let text = fs::read_to_string(format!("{SOURCE}/docs/designs.md")).unwrap();
    let mut rows = text.lines().map(|line| line.split(" | "));
    let row = rows.find(|row| row.clone().next() == Some(&format!("| {framework}")));
    let spans = row.unwrap().nth(1).unwrap().split('`').skip(1).step_by(2);
    let patterns: Vec<_> = spans.skip(1).map(str::to_owned).collect();
    assert!(!patterns.is_empty(), "{framework}");
    patterns
}

#[test]
fn plans_of_each_framework_are_found_selected_and_documented() {
    const FRAMEWORKS: [(&str, &str, &str); 10] = [
        ("GSD", ".planning/phases/03-login/03-02-PLAN.md", "any"),
        ("yolo", ".yolo-planning/phases/03-login/01-PLAN.md", "any"),
        (
            "superpowers",
            "docs/superpowers/plans/2026-01-31-super.md",
            "feature/super",
        ),
        (
            "Compound engineering",
            "docs/plans/2026-01-31-001-feat-compound-plan.md",
            "feat/compound",
        ),
        ("ultrapower", ".omc/plans/ultra.md", "ultra"),
        (
            "OpenSpec",
            "openspec/changes/add-open/proposal.md",
            "add-open",
        ),
        ("spec-kit", "specs/004-kit/tasks.md", "feature/004-kit"),
        ("BMAD", "docs/stories/1.2.login.md", "any"),
        (
            "BMAD",
            "_bmad-output/implementation-artifacts/1-2-login.md",
            "any",
        ),
        ("Kiro", ".kiro/specs/kiro/tasks.md", "feature/7-kiro"),
    ];
    let repo = Repo::new();
    for (at, (_, plan, _)) in FRAMEWORKS.iter().enumerate() {
        repo.design(plan, &[(&format!("src/{at}.rs"), "Add", "x")]);
    }
    repo.commit("Start");
    let text = initialised(&repo);
    for (at, (framework, plan, branch)) in FRAMEWORKS.iter().enumerate() {
        for pattern in documented(framework) {
            assert!(
                text.contains(&format!("\"{pattern}\"")),
                "{pattern}\n{text}"
            );
        }
        repo.git(&["switch", "--quiet", "-C", branch, "main"]);
        repo.stage(format!("src/{at}.rs"), "fn new() {}\n");
        let output = repo.guard(&["lint"]);
        assert_eq!(output.code, 0, "{plan}: {}", output.text());
        repo.git(&["rm", "--quiet", "--force", &format!("src/{at}.rs")]);
    }
    repo.stage("src/other.rs", "fn other() {}\n");
    repo.guard(&["lint"]).exits(1).says("src/other.rs");
}

/// Only some documents of these frameworks name files.
#[test]
fn frameworks_with_several_documents_work_as_initialised() {
    let story = "# Login\n\n## User stories\n\nAs a user I log in with `mail` and password.\n";
    let task =
        "# Tasks\n\n- [ ] T001 [US1] Create the form in src/login.ts\n- [ ] T002 Run the tests\n";
    let impact = "# Login\n\n## Why\n\nUsers.\n\n## Impact\n\n- Affected specs: `login`\n- Affected code:\n  - `src/login.ts`\n";
    let structure = "# Plan\n\n## Structure\n\n```text\nsrc/\n└── login.ts\n```\n";
    let repo = Repo::new();
    repo.stage("src/index.ts", "export {}\n");
    for (path, text) in [
        ("specs/004-kit/spec.md", story),
        ("specs/004-kit/plan.md", structure),
        ("specs/004-kit/tasks.md", task),
        ("openspec/changes/open/proposal.md", impact),
        ("openspec/changes/open/design.md", "# Design\n\nA form.\n"),
        (
            "openspec/changes/open/tasks.md",
            "# Tasks\n\n- [ ] 1.1 Draw it\n",
        ),
        (".kiro/specs/kiro/requirements.md", story),
        (
            ".kiro/specs/kiro/design.md",
            "# Design\n\n## Overview\n\nA form.\n",
        ),
        (".kiro/specs/kiro/tasks.md", task),
    ] {
        repo.stage(path, text);
    }
    repo.commit("Plan");
    initialised(&repo);
    for hook in ["pre-commit", "prepare-commit-msg", "commit-msg"] {
        repo.install_hook(hook);
    }
    for branch in ["feature/004-kit", "feature/open", "kiro"] {
        repo.git(&["switch", "--quiet", "-C", branch, "main"]);
        repo.stage("src/login.ts", "form\n");
        let accepted = repo.try_git(&["commit", "-m", "Add the form"]);
        assert_eq!(accepted.code, 0, "{branch}: {}", accepted.stderr);
        repo.guard(&["scope", "check"]).exits(0);
        repo.stage("src/index.ts", "other\n");
        let refused = repo.try_git(&["commit", "-m", "Change more"]);
        assert_ne!(refused.code, 0, "{branch}");
        refused.says("src/index.ts is not in the design");
        repo.git(&["reset", "--quiet", "--hard"]);
    }
    repo.guard(&["scope", "check", "--all"]).exits(0);
}

/// A plan of a framework whose plans all apply may declare nothing, or not be readable.
#[test]
fn one_plan_among_all_does_not_stop_the_others() {
    let repo = Repo::new();
    let plan = ".planning/phases/03-login/03-02-PLAN.md";
    repo.design(plan, &[("src/new.rs", "Add", "x")]);
    repo.commit("Start");
    initialised(&repo);
    repo.stage(
        ".planning/phases/03-login/03-03-PLAN.md",
        "---\nfiles_modified: []\n---\n\n# Verify\n",
    );
    repo.stage(
        ".planning/phases/03-login/03-04-PLAN.md",
        "# Bad\n\n## Files Changed\n\n| File | Change Type |\n|-|-|\n| `../x` | Add |\n",
    );
    repo.commit("Plan more");
    repo.stage("src/new.rs", "new\n");
    let output = repo.guard(&["lint"]).exits(0);
    assert!(!output.text().contains("03-03"), "{}", output.text());
    output.says("03-04-PLAN.md cannot be used: guard scope check");
    // Nor do plans of which none can be used stop the work on a branch with a design of its own.
    repo.git(&[
        "rm",
        "--quiet",
        ".planning/phases/03-login/03-02-PLAN.md",
        "docs/lld/standing.md",
    ]);
    let settings = fs::read_to_string(repo.path("guard.toml")).unwrap();
    repo.stage(
        "guard.toml",
        settings.replace("[lld]\n", "[lld]\npath = \"docs/{slug}.md\"\n"),
    );
    repo.design("docs/main.md", &[("src/new.rs", "Add", "x")]);
    repo.git(&["reset", "--quiet", "--", "src"]);
    repo.commit("Plan otherwise");
    repo.git(&["add", "src"]);
    repo.guard(&["lint"]).exits(0);
}

#[test]
fn designs_and_plans_of_a_framework_are_both_found() {
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
        .says("only standing designs count");
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
fn nothing_is_written_through_a_link() {
    let repo = Repo::new();
    std::os::unix::fs::symlink("../elsewhere", repo.path("guard.toml")).unwrap();
    repo.guard(&["init"])
        .exits(2)
        .says("guard.toml already exists in ");
    assert!(!repo.path("../elsewhere").exists());
    fs::remove_file(repo.path("guard.toml")).unwrap();
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
