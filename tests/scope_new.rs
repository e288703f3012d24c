//! `guard scope new`: writes a design for the branch, and the ways that start with it.

use std::fs;

use crate::common::system;
use crate::common::{DESIGN, Repo, SETTINGS, findings};

fn repo(settings: &str) -> Repo {
    let repo = Repo::new();
    repo.stage("guard.toml", settings);
    repo.stage("src/a.rs", "a\n");
    repo.commit("Begin");
    repo
}

#[test]
fn hot_fix_on_main_is_designed_chosen_and_committed() {
    let repo = repo(SETTINGS);
    repo.install_hook("pre-commit");
    repo.write("src/a.rs", "fixed\n");
    repo.write("src/b.rs", "new\n");
    let design = "docs/lld/active/LLD-hotfix.md";
    let told = repo
        .guard(&["scope", "new", "hotfix", "--from-changes"])
        .exits(0);
    let commit = format!("git commit -m \"Add the design\" -- {design}");
    let told = told.says(&commit).says(&format!("guard use {design}"));
    assert!(!told.text().contains("guard scope add"), "{told:?}");
    assert_eq!(repo.git(&["diff", "--cached", "--name-only"]), design);
    repo.git(&["commit", "--quiet", "-m", "Add the design", "--", design]);
    repo.guard(&["use", design]).exits(0);
    repo.git(&["commit", "--quiet", "--all", "-m", "Fix it"]);
    // Nothing else.
    repo.stage("src/c.rs", "new\n");
    let report = repo.json(&["lint"]);
    assert_eq!(findings(&report), [("out-of-scope", "src/c.rs")]);
}

#[test]
fn branch_name_fills_the_path_and_selects_the_design() {
    let repo = repo(SETTINGS);
    repo.branch("188-work");
    let told = repo.guard(&["scope", "new"]).exits(0).text();
    assert!(!told.contains("guard use"), "{told}");
    // The table needs rows before the commit.
    let next = format!("\n  guard scope add PATH --design {DESIGN}\n  git commit ");
    assert!(told.contains(&next), "{told}");
    assert!(repo.text(DESIGN).starts_with("# LLD-188\n"));
    // Of changes, what is staged counts alone.
    repo.git(&["rm", "--quiet", "--force", DESIGN]);
    repo.stage("src/a.rs", "changed\n");
    repo.write("src/b.rs", "new\n");
    repo.guard(&["scope", "new", "--from-changes"]).exits(0);
    assert!(
        repo.text(DESIGN)
            .ends_with("|---|---|---|\n| `src/a.rs` | Modify | … |\n")
    );
}

#[test]
fn rows_go_into_the_empty_table_of_a_new_design() {
    use crate::common::terminal::{End, driver, guard_at_terminal};
    let repo = repo(SETTINGS);
    repo.branch("188-work");
    repo.guard(&["scope", "new"]).exits(0);
    let Some(driver) = driver(&repo) else {
        return;
    };
    guard_at_terminal(driver, &["scope", "add", "src/a.rs"], &[], End::Wait)
        .exits(0)
        .says("| `src/a.rs` | Modify | … |");
    assert_eq!(repo.text(DESIGN).matches("Change Type").count(), 1);
    repo.git(&["commit", "--quiet", "-m", "Add the design", "--", DESIGN]);
    repo.stage("src/a.rs", "changed\n");
    repo.guard(&["lint"]).exits(0);
}

#[test]
fn name_is_asked_for_where_the_branch_has_none_and_agents_are_refused() {
    for (path, name, place) in [
        ("docs/LLD-{issue}.md", "hotfix", "docs/LLD-hotfix.md"),
        ("docs/LLD-{issue}.md", "7-fix", "docs/LLD-7.md"),
        ("specs/{branch}/{a,b}.md", "004-x", "specs/004-x/a.md"),
        (
            "specs/{branch}/{a,files}.md",
            "004-x",
            "specs/004-x/files.md",
        ),
        ("plans/{slug}.md", "chore", "plans/chore.md"),
        ("plans/*.md", "chore", "plans/chore.md"),
    ] {
        let repo = repo(&format!("[lld]\npath = \"{path}\"\n"));
        if !path.contains("{branch}") && !path.contains("{slug}") {
            repo.tells("scope new", 2, "guard scope new hotfix");
        }
        let told = repo.guard(&["scope", "new", name]).exits(0).says(place);
        told.says(&format!("guard scope add PATH --design {place}\n"));
        assert!(repo.path(place).is_file(), "{place}");
        repo.tells(&format!("scope new {name}"), 2, "already exists");
    }
    let repo = repo(SETTINGS);
    for name in ["../x", "a\nb", "*", "/x", ""] {
        repo.guard(&["scope", "new", name]).exits(2);
    }
    for name in ["CLAUDECODE", "CI"] {
        let refused = repo.guard_with(&[(name, "true")], &["scope", "new", "x"]);
        refused.exits(2).says(name);
    }
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
}

#[test]
fn first_use_starts_with_settings_that_are_not_committed() {
    let repo = Repo::new();
    repo.stage("src/a.rs", "a\n");
    repo.commit("Begin");
    let first = ["scope", "new", "first", "--from-changes"];
    repo.guard(&first).exits(2).says("guard init");
    repo.write("guard.toml", SETTINGS);
    repo.write("src/a.rs", "changed\n");
    repo.guard(&first).exits(0);
    let design = "docs/lld/active/LLD-first.md";
    repo.git(&["add", "guard.toml"]);
    repo.commit("Set guard up");
    repo.guard(&["use", design]).exits(0);
    repo.git(&["add", "--all"]);
    repo.guard(&["lint"]).exits(0);
}

#[test]
fn existing_document_is_never_overwritten() {
    let repo = repo(SETTINGS);
    repo.branch("188-work");
    // In the work tree, in HEAD and the index alone, and below a link.
    repo.write(DESIGN, "mine\n");
    repo.tells("scope new", 2, "already exists");
    assert_eq!(repo.text(DESIGN), "mine\n");
    repo.git(&["add", DESIGN]);
    repo.commit("Mine");
    fs::remove_file(repo.path(DESIGN)).unwrap();
    repo.guard(&["scope", "new"]).exits(2).says("not staged");
    assert!(!repo.path(DESIGN).exists());
    let other = self::repo(SETTINGS);
    other.branch("188-work");
    fs::create_dir_all(other.path("docs/lld")).unwrap();
    fs::create_dir(other.path("../outside")).unwrap();
    system::symlink(other.path("../outside"), other.path("docs/lld/active")).unwrap();
    other.guard(&["scope", "new"]).exits(2);
    assert_eq!(fs::read_dir(other.path("../outside")).unwrap().count(), 0);
}
