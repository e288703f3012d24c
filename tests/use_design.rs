//! `guard use`: the design of a branch, stored in git's configuration.

#![allow(clippy::unwrap_used)]

use crate::common::{self, DESIGN, GUARD, Repo};

const OTHER: &str = "docs/other/plan.md";

/// A governed repository with a second design that the settings do not choose.
fn repo() -> Repo {
    let repo = Repo::new();
    repo.design(OTHER, &[("src/other.rs", "Add", "the other work")]);
    repo.govern(&[("src/lib.rs", "Add", "the work")]);
    repo
}

fn configured(repo: &Repo, branch: &str) -> String {
    repo.try_git(&[
        "config",
        "--local",
        "--get",
        &format!("branch.{branch}.guardDesign"),
    ])
    .stdout
    .trim_end()
    .to_owned()
}

#[test]
fn the_chosen_design_judges_this_branch_and_no_other() {
    let repo = repo();
    repo.stage("src/other.rs", "fn other() {}\n");
    repo.guard(&["lint"]).exits(1).says("out-of-scope");

    repo.guard(&["use", OTHER])
        .exits(0)
        .says("branch 188-work is judged by docs/other/plan.md (1 path granted)");

    repo.guard(&["lint"]).exits(0);
    let report = repo.json(&["lint"]);
    assert_eq!(report["designs"][0]["path"], OTHER);
    assert_eq!(report["designs"][0]["selected_by"], "guard use");
    repo.branch("188-again");
    repo.guard(&["lint"]).exits(1).says("out-of-scope");
}

#[test]
fn without_a_file_the_choice_is_printed() {
    let repo = repo();
    repo.guard(&["use"])
        .exits(0)
        .says("branch 188-work has no choice: guard.toml selects the design");
    repo.guard(&["use", OTHER]).exits(0);
    let output = repo.guard(&["use"]).exits(0);
    assert_eq!(
        output.stdout,
        "branch 188-work is judged by docs/other/plan.md\n"
    );
    let json = repo.json(&["use"]);
    assert_eq!(json["version"], 1);
    assert_eq!(json["branch"], "188-work");
    assert_eq!(json["design"], OTHER);
}

#[test]
fn clear_removes_the_choice() {
    let repo = repo();
    let before = std::fs::read(repo.path(".git/config")).unwrap();
    repo.guard(&["use", OTHER]).exits(0);
    assert_eq!(configured(&repo, "188-work"), OTHER);
    repo.guard(&["use", "--clear"])
        .exits(0)
        .says("guard.toml selects");
    assert_eq!(std::fs::read(repo.path(".git/config")).unwrap(), before);
    repo.guard(&["use", "--clear"]).exits(0);
    assert!(repo.json(&["use"])["design"].is_null());
}

#[test]
fn git_reads_back_the_stored_choice() {
    let repo = repo();
    let name = "docs/a plan; with #odd 'name'.md";
    repo.design(name, &[("src/lib.rs", "Add", "x")]);
    repo.commit("Add an oddly named design");
    for branch in ["feature/a.b", "it's", "a#b;c"] {
        repo.branch(branch);
        repo.git(&[
            "config",
            "--local",
            &format!("branch.{branch}.remote"),
            "origin",
        ]);
        repo.guard(&["use", name]).exits(0);
        assert_eq!(configured(&repo, branch), name, "{branch}");
        let remote = format!("branch.{branch}.remote");
        assert_eq!(repo.git(&["config", "--local", "--get", &remote]), "origin");
    }
}

#[test]
fn the_path_is_relative_to_the_current_directory() {
    let repo = repo();
    repo.write("src/x", "");
    let mut guard = repo.command(GUARD);
    guard.current_dir(repo.path("src"));
    common::run(guard.args(["use", "../docs/other/plan.md"])).exits(0);
    assert_eq!(configured(&repo, "188-work"), OTHER);
}

#[test]
fn a_linked_work_tree_chooses_for_its_own_branch() {
    let repo = repo();
    repo.git(&["worktree", "add", "-q", "-b", "7-side", "../side"]);
    let mut guard = repo.command(GUARD);
    guard.current_dir(repo.path("../side"));
    common::run(guard.args(["use", OTHER])).exits(0);
    assert_eq!(configured(&repo, "7-side"), OTHER);
    assert_eq!(configured(&repo, "188-work"), "");
}

#[test]
fn unusable_choice_is_refused_and_not_stored() {
    let repo = repo();
    repo.write("docs/empty.md", "# No table\n");
    repo.write("../outside.md", "| File | Change Type |\n");
    let config = std::fs::read(repo.path(".git/config")).unwrap();
    for (file, message) in [
        ("docs/missing.md", "there is no design at docs/missing.md"),
        ("docs/empty.md", "design-no-table"),
        ("docs", "is a directory"),
        ("../outside.md", "cannot be the design"),
        (".git/config", "cannot be the design"),
    ] {
        repo.guard(&["use", file]).exits(2).says(message);
    }
    assert_eq!(std::fs::read(repo.path(".git/config")).unwrap(), config);
}

#[test]
fn a_detached_head_has_no_branch_to_choose_for() {
    let repo = repo();
    repo.git(&["checkout", "--quiet", "--detach"]);
    for arguments in [&["use", OTHER][..], &["use"], &["use", "--clear"]] {
        repo.guard(arguments)
            .exits(2)
            .says("HEAD is detached")
            .says("git switch");
    }
}

#[test]
fn an_uncommitted_design_can_be_chosen_but_judges_once_it_is_committed() {
    let repo = repo();
    let text = std::fs::read(repo.path(DESIGN)).unwrap();
    repo.write("docs/new.md", text);
    repo.guard(&["use", "docs/new.md"])
        .exits(0)
        .says("HEAD does not have it yet, so commit it first: git add docs/new.md");
    repo.stage("src/lib.rs", "fn work() {}\n");
    repo.guard(&["lint"]).exits(2).says("is not committed");
    repo.git(&["add", "docs/new.md"]);
    repo.git(&[
        "commit",
        "--quiet",
        "-m",
        "Add the design",
        "--",
        "docs/new.md",
    ]);
    repo.guard(&["lint"]).exits(0);
}

#[test]
fn locked_configuration_is_reported_and_respected() {
    let repo = repo();
    let config = std::fs::read(repo.path(".git/config")).unwrap();
    repo.write(".git/config.lock", "");
    repo.guard(&["use", OTHER])
        .exits(2)
        .says("cannot be locked")
        .says("config.lock");
    assert_eq!(std::fs::read(repo.path(".git/config")).unwrap(), config);
    assert!(repo.path(".git/config.lock").exists());
}

#[cfg(unix)]
#[test]
fn mode_and_link_of_the_configuration_are_kept() {
    use std::os::unix::fs::PermissionsExt;
    let repo = repo();
    let (config, real) = (repo.path(".git/config"), repo.path("../config"));
    std::fs::rename(&config, &real).unwrap();
    std::os::unix::fs::symlink(&real, &config).unwrap();
    std::fs::set_permissions(&real, std::fs::Permissions::from_mode(0o600)).unwrap();
    repo.guard(&["use", OTHER]).exits(0);
    assert!(config.is_symlink());
    let mode = std::fs::metadata(&real).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert_eq!(configured(&repo, "188-work"), OTHER);
}

#[test]
fn several_designs_form_one_scope() {
    let repo = repo();
    repo.stage("src/other.rs", "fn other() {}\n");
    repo.stage("src/lib.rs", "fn lib() {}\n");
    repo.guard(&["use", OTHER, DESIGN, OTHER]).exits(0).says(
        "branch 188-work is judged by docs/other/plan.md, docs/lld/active/LLD-188.md (2 paths granted)",
    );
    repo.guard(&["lint"]).exits(0);
    assert_eq!(
        repo.git(&["config", "--get-all", "branch.188-work.guardDesign"]),
        format!("{OTHER}\n{DESIGN}")
    );
    assert_eq!(repo.json(&["use"])["designs"].as_array().unwrap().len(), 2);
    repo.guard(&["settings"]).exits(0).says(OTHER).says(DESIGN);
    // One unusable design, and nothing is stored.
    repo.write("docs/empty.md", "# No table\n");
    repo.guard(&["use", DESIGN, "docs/empty.md"]).exits(2);
    assert_eq!(repo.json(&["use"])["designs"].as_array().unwrap().len(), 2);
    repo.guard(&["use", OTHER]).exits(0);
    assert_eq!(configured(&repo, "188-work"), OTHER);
    repo.guard(&["lint"]).exits(1).says("src/lib.rs");
    repo.guard(&["use", "--clear"]).exits(0);
    assert_eq!(configured(&repo, "188-work"), "");
}

/// Plans that no branch name selects; the oldest one was changed last.
fn plans() -> Repo {
    let repo = Repo::new();
    repo.stage(
        "guard.toml",
        "[lld]\npath = [\"plans/*-{slug}.md\", \"specs/{branch}/{spec,tasks}.md\"]\n",
    );
    repo.commit("Begin");
    for (name, path) in [
        ("plans/2026-01-01-a.md", "src/a.rs"),
        ("plans/2026-01-02-b.md", "src/b.rs"),
        ("plans/archive/2026-01-03-c.md", "src/c.rs"),
        ("plans/2026-01-04-done.md", "src/d.rs"),
    ] {
        repo.design(name, &[(path, "Add", "x")]);
        repo.commit("Add a plan");
    }
    let done = std::fs::read_to_string(repo.path("plans/2026-01-04-done.md")).unwrap();
    repo.stage(
        "plans/2026-01-04-done.md",
        format!("---\nstatus: completed\n---\n{done}"),
    );
    repo.design("specs/1-x/spec.md", &[("src/x.rs", "Add", "x")]);
    repo.design("specs/1-x/tasks.md", &[("src/y.rs", "Add", "x")]);
    repo.commit("Add a feature");
    repo.design("plans/2026-01-01-a.md", &[("src/a.rs", "Add", "changed")]);
    repo.commit("Change the first plan");
    repo
}

#[test]
fn without_a_design_the_open_plans_are_listed_newest_first() {
    let repo = plans();
    let told = repo.guard(&["use"]).exits(0).stdout;
    let at = |part: &str| told.find(part).unwrap_or_else(|| panic!("{part}\n{told}"));
    assert!(
        at("1. guard use plans/2026-01-01-a.md")
            < at("2. guard use specs/1-x/spec.md specs/1-x/tasks.md")
    );
    assert!(at("specs/1-x/tasks.md") < at("3. guard use plans/2026-01-02-b.md"));
    assert!(
        !told.contains("2026-01-03") && !told.contains("2026-01-04"),
        "{told}"
    );
    let json = repo.json(&["use"]);
    assert_eq!(json["open"][1][1], "specs/1-x/tasks.md");
    assert!(json["design"].is_null());
    // The refusal of a commit leads here.
    repo.stage("src/b.rs", "b\n");
    repo.guard(&["lint"]).exits(2).says("guard use");
    repo.guard(&["use", "plans/2026-01-02-b.md"]).exits(0);
    repo.guard(&["lint"]).exits(0);
}

#[cfg(unix)]
#[test]
fn at_a_terminal_the_number_of_a_plan_chooses_it() {
    use crate::common::terminal::{End, driver, guard_at_terminal};
    for (typed, expected) in [
        ("2\n", "specs/1-x/spec.md"),
        ("\n", ""),
        ("9\n", ""),
        ("x\n", ""),
    ] {
        let repo = plans();
        let Some(driver) = driver(&repo) else { return };
        guard_at_terminal(driver, &["use"], &[("type its number", typed)], End::Wait).exits(0);
        let design = repo.json(&["use"])["design"].clone();
        assert_eq!(design.as_str().unwrap_or_default(), expected, "{typed:?}");
    }
}
