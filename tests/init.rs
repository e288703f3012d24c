//! `guard init`: the first `guard.toml`.

use std::fs;

use crate::common::{Repo, SOURCE};

/// The file that `guard init` wrote; asserts that `guard lint` and the hook accept the commit that adds it.
#[track_caller]
fn adopted(repo: &Repo) -> String {
    repo.install_hook("pre-commit");
    repo.install_hook("prepare-commit-msg");
    repo.guard(&["init"]).exits(0).says("wrote guard.toml");
    repo.git(&["add", "guard.toml"]);
    repo.guard(&["lint"]).exits(0);
    repo.try_git(&["commit", "-m", "Set guard up"]).exits(0);
    repo.text("guard.toml")
}

#[test]
fn settings_name_the_designs_the_plans_and_the_default_branch_that_are_there() {
    let origin = Repo::init(&["--initial-branch=next"]);
    origin.design("docs/design/LLD-188-x.md", &[("src/a.rs", "Add", "x")]);
    let plan = ".kiro/specs/login/tasks.md";
    origin.design(plan, &[("src/login.rs", "Add", "x")]);
    origin.commit("Start");
    let repo = Repo::new();
    repo.git(&["remote", "add", "origin", origin.root.to_str().unwrap()]);
    repo.git(&["fetch", "--quiet", "origin"]);
    repo.git(&["remote", "set-head", "origin", "next"]);
    repo.git(&["switch", "--quiet", "--create", "188-work", "origin/next"]);
    repo.write("docs/lld/standing.md", "# mine\n");
    let before = repo.digest_tree();
    let printed = repo.guard(&["init", "--dry-run"]).exits(0).stdout;
    assert_eq!(repo.digest_tree(), before);
    let text = adopted(&repo);
    assert_eq!(text, printed);
    for part in ["\"docs/design/LLD-{issue}-*.md\"", "base = \"next\""] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    assert_eq!(repo.read("docs/lld/standing.md"), b"# mine\n");
    // From the next commit on, the existing designs and plans apply.
    repo.stage("src/b.rs", "fn b() {}\n");
    repo.guard(&["lint"]).exits(1).says("LLD-188-x.md");
    repo.git(&["mv", "src/b.rs", "src/a.rs"]);
    repo.guard(&["lint"]).exits(0);
    repo.commit("Work");
    repo.branch("login");
    repo.stage("src/login.rs", "x\n");
    repo.guard(&["lint"]).exits(0);
}

/// Without designs, guard names the usual place and the next steps in order, also when called in a directory.
#[test]
fn first_settings_name_the_usual_place_and_the_next_steps() {
    let repo = Repo::new();
    repo.write("src/x", "");
    repo.write(".pre-commit-config.yaml", "repos: []\n");
    let json = repo.json(&["init", "--dry-run"]);
    assert_eq!(json["written"], false);
    let told = repo.guard(&["-C", "src", "init"]).exits(0).stdout;
    let text = repo.text("guard.toml");
    assert_eq!(json["content"], text);
    let path = "path = \"docs/lld/active/LLD-{issue}.md\"";
    assert!(text.contains(path), "{text}");
    let at = |part: &str| told.find(part).unwrap_or_else(|| panic!("{part}\n{told}"));
    assert!(at("1. git add guard.toml") < at("2. write the first design"));
    assert!(at("guard scope new") < at("3. guard install pre-commit"));
    assert!(at("or: guard install git") < at("4. guard doctor"));
}

#[test]
fn nothing_is_overwritten() {
    for place in ["work tree", "index", "HEAD"] {
        let repo = Repo::new();
        repo.stage("guard.toml", "# mine\n");
        match place {
            "work tree" => drop(repo.git(&["rm", "--quiet", "--cached", "guard.toml"])),
            "index" => fs::remove_file(repo.path("guard.toml")).unwrap(),
            _ => {
                repo.commit("Settings");
                repo.git(&["rm", "--quiet", "guard.toml"]);
            }
        }
        let before = repo.digest_tree();
        repo.tells("init", 2, place)
            .says("guard.toml already exists in ");
        assert_eq!(repo.digest_tree(), before, "{place}");
    }
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
    // The framework, a plan, and a branch that selects it.
    const FRAMEWORKS: &str = "
        GSD | .planning/phases/03-login/03-02-PLAN.md | any
        yolo | .yolo-planning/phases/03-login/01-PLAN.md | any
        superpowers | docs/superpowers/plans/2026-01-31-super.md | feature/super
        Compound engineering | docs/plans/2026-01-31-001-feat-compound-plan.md | feat/compound
        ultrapower | .omc/plans/ultra.md | ultra
        OpenSpec | openspec/changes/add-open/proposal.md | add-open
        spec-kit | specs/004-kit/tasks.md | feature/004-kit
        BMAD | docs/stories/1.2.login.md | any
        BMAD | _bmad-output/implementation-artifacts/1-2-login.md | any
        Kiro | .kiro/specs/kiro/tasks.md | feature/7-kiro";
    let frameworks = FRAMEWORKS
        .trim()
        .lines()
        .map(|line| line.trim().split(" | "));
    let frameworks: Vec<Vec<&str>> = frameworks.map(Iterator::collect).collect();
    let repo = Repo::new();
    for (at, framework) in frameworks.iter().enumerate() {
        repo.design(framework[1], &[(&format!("src/{at}.rs"), "Add", "x")]);
    }
    repo.commit("Start");
    let text = adopted(&repo);
    for (at, framework) in frameworks.iter().enumerate() {
        for pattern in documented(framework[0]) {
            assert!(text.contains(&format!("\"{pattern}\"")), "{pattern}");
        }
        repo.git(&["switch", "--quiet", "-C", framework[2], "main"]);
        repo.stage(format!("src/{at}.rs"), "fn new() {}\n");
        let output = repo.guard(&["lint"]);
        assert_eq!(output.code, 0, "{framework:?}: {}", output.text());
        repo.git(&["rm", "--quiet", "--force", &format!("src/{at}.rs")]);
    }
    repo.stage("src/other.rs", "fn other() {}\n");
    repo.guard(&["lint"]).exits(1).says("src/other.rs");
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
    repo.stage("package.json", "{\"version\": \"1.0.1\"}\n");
    repo.stage("package-lock.json", "{\"x\": 1}\n");
    repo.tells("lint", 0, "only standing designs count");
    repo.stage("src/a.js", "b\n");
    repo.tells("lint", 1, "src/a.js is not in the design")
        .says("guard use FILE");
}

#[cfg(unix)]
#[test]
fn nothing_is_written_through_a_link() {
    let repo = Repo::new();
    std::os::unix::fs::symlink("../elsewhere", repo.path("guard.toml")).unwrap();
    repo.tells("init", 2, "guard.toml already exists in ");
    assert!(!repo.path("../elsewhere").exists());
    fs::remove_file(repo.path("guard.toml")).unwrap();
    fs::create_dir(repo.path("../elsewhere")).unwrap();
    std::os::unix::fs::symlink("../elsewhere", repo.path("docs")).unwrap();
    let told = repo.guard(&["init"]).exits(0).stdout;
    assert!(!told.contains("wrote docs"), "{told}");
    assert_eq!(fs::read_dir(repo.path("../elsewhere")).unwrap().count(), 0);
}
