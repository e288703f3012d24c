//! `guard init`: the first `guard.toml`.

use std::fs;

use crate::common::system;
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
fn the_program_that_runs_the_hooks_gets_guards_hook() {
    for (file, step) in [
        (".husky/pre-commit", "guard install husky"),
        ("lefthook.yml", "guard install lefthook"),
        ("src/x", "guard install git"),
    ] {
        let repo = Repo::new();
        repo.write(file, "npm test\n");
        let told = repo.guard(&["init"]).exits(0).stdout;
        assert!(told.contains(step), "{file}: {told}");
    }
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
        Agent OS | agent-os/specs/2026-01-31-agent/tasks.md | agent
        spec-kit | specs/004-kit/tasks.md | feature/004-kit
        BMAD | docs/stories/1.2.login.md | any
        BMAD | _bmad-output/implementation-artifacts/1-2-login.md | any
        BMAD | _bmad-output/implementation-artifacts/spec-login.md | any
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

/// A framework that has just been set up, as files or empty directories, and the pattern of its plans.
#[test]
fn framework_fresh_from_its_own_init_is_recognised() {
    for (mark, pattern) in [
        (
            "openspec/changes/archive/",
            "openspec/changes/{slug}/{proposal,design,tasks,files}.md",
        ),
        (
            "openspec/specs/",
            "openspec/changes/{slug}/{proposal,design,tasks,files}.md",
        ),
        (
            ".specify/memory/constitution.md",
            "specs/{branch}/{spec,plan,tasks,files}.md",
        ),
        (".planning/PROJECT.md", ".planning/phases/*/*PLAN.md"),
        (
            ".kiro/",
            ".kiro/specs/{slug}/{requirements,design,tasks,files}.md",
        ),
    ] {
        let repo = Repo::new();
        match mark.strip_suffix('/') {
            Some(directory) => fs::create_dir_all(repo.path(directory)).unwrap(),
            None => repo.write(mark, "x\n"),
        }
        let told = repo.guard(&["init"]).exits(0).says("no plan yet");
        let text = repo.text("guard.toml");
        assert!(text.contains(&format!("\"{pattern}\"")), "{mark} {text}");
        let line =
            "End every plan with a section Files Changed: a table File | Change Type | Description";
        // GSD names the files of a plan already.
        assert_eq!(
            told.text().contains(line),
            !mark.contains("planning"),
            "{mark}"
        );
    }
}

#[test]
fn directory_that_git_ignores_shows_no_framework() {
    let repo = Repo::new();
    repo.stage(".gitignore", ".planning/\n");
    repo.write(".planning/PROJECT.md", "x\n");
    repo.guard(&["init"]).exits(0).says("no designs yet");
    assert!(!repo.text("guard.toml").contains(".planning"));
}

/// What the agents of GSD commit with their work: the summary, the state and the roadmap.
#[test]
fn bookkeeping_of_gsd_passes_and_a_plan_with_a_summary_is_done() {
    let repo = Repo::new();
    let phase = ".planning/phases/03-login";
    repo.stage(".planning/STATE.md", "plan 1\n");
    repo.stage(".planning/ROADMAP.md", "- [ ] 03-01\n");
    repo.stage("src/login.rs", "fn login() {}\n");
    let front = "---\nphase: 03-login\nplan: 01\nfiles_modified:\n  - src/login.rs\n---\n";
    repo.stage(format!("{phase}/03-01-PLAN.md"), front);
    repo.commit("Plan the login");
    adopted(&repo);
    repo.branch("login");
    repo.stage("src/login.rs", "fn login() { check() }\n");
    repo.stage(format!("{phase}/03-01-SUMMARY.md"), "Done.\n");
    repo.stage(".planning/STATE.md", "plan 2\n");
    repo.stage(".planning/ROADMAP.md", "- [x] 03-01\n");
    repo.try_git(&["commit", "-m", "docs(03-01): complete the login"])
        .exits(0);
    // Another plan is not written along with code.
    repo.git(&["switch", "--quiet", "main"]);
    repo.git(&["merge", "--quiet", "login"]);
    repo.branch("logout");
    repo.stage("src/login.rs", "fn login() { check_twice() }\n");
    repo.tells("lint", 2, "03-01-PLAN.md is done");
    repo.git(&["reset", "--quiet", "--hard"]);
    repo.design(
        &format!("{phase}/03-02-PLAN.md"),
        &[("src/logout.rs", "Add", "x")],
    );
    repo.try_git(&["commit", "-m", "Plan the logout"]).exits(0);
    repo.stage("src/logout.rs", "fn logout() {}\n");
    repo.guard(&["lint"]).exits(0);
}

/// The commits of a change of OpenSpec: the proposal with its specs, the work, and the archive.
#[test]
fn change_of_openspec_passes_from_proposal_to_archive() {
    let repo = Repo::new();
    repo.stage("openspec/config.yaml", "schema: spec-driven\n");
    repo.commit("Start");
    adopted(&repo);
    repo.branch("add-login");
    let change = "openspec/changes/add-login";
    repo.design(
        &format!("{change}/tasks.md"),
        &[("src/login.rs", "Add", "x")],
    );
    repo.stage(
        format!("{change}/proposal.md"),
        "# Why\n\nUsers ask for it.\n",
    );
    repo.stage(
        format!("{change}/specs/login/spec.md"),
        "## ADDED Requirements\n",
    );
    repo.try_git(&["commit", "-m", "Propose the login"])
        .exits(0);
    repo.stage("src/login.rs", "fn login() {}\n");
    repo.try_git(&["commit", "-m", "Add the login"]).exits(0);
    repo.stage("src/other.rs", "fn other() {}\n");
    repo.guard(&["lint"]).exits(1).says("src/other.rs");
    repo.git(&["rm", "--quiet", "--force", "src/other.rs"]);
    repo.write("openspec/changes/archive/.keep", "");
    repo.git(&[
        "mv",
        change,
        "openspec/changes/archive/2026-01-31-add-login",
    ]);
    repo.stage("openspec/specs/login/spec.md", "## Requirements\n");
    repo.try_git(&["commit", "-m", "Archive the change"])
        .exits(0);
    // The request finds the plan in the archive.
    let pretend = ["lint", "--ci", "--pretend", "github:main..HEAD"];
    let archived = "openspec/changes/archive/2026-01-31-add-login/tasks.md";
    repo.guard(&pretend).exits(0).says(archived);
    // So does a correction.
    repo.stage("src/login.rs", "fn login_again() {}\n");
    repo.guard(&["lint"]).exits(0).says(archived);
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
    repo.tells("lint", 0, "only docs/lld/standing.md counts");
    repo.stage("src/a.js", "b\n");
    repo.tells("lint", 1, "src/a.js is not in the design")
        .says("to write a design: guard scope new hotfix --from-changes");
}

#[test]
fn nothing_is_written_through_a_link() {
    let repo = Repo::new();
    system::symlink("../elsewhere", repo.path("guard.toml")).unwrap();
    repo.tells("init", 2, "guard.toml already exists in ");
    assert!(!repo.path("../elsewhere").exists());
    fs::remove_file(repo.path("guard.toml")).unwrap();
    fs::create_dir(repo.path("../elsewhere")).unwrap();
    system::symlink("../elsewhere", repo.path("docs")).unwrap();
    let told = repo.guard(&["init"]).exits(0).stdout;
    assert!(!told.contains("wrote docs"), "{told}");
    assert_eq!(fs::read_dir(repo.path("../elsewhere")).unwrap().count(), 0);
}
