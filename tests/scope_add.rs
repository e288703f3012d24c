//! `guard scope add`: a person adds rows to the design, in a real pseudo-terminal.

#![cfg(unix)]
#![allow(clippy::unwrap_used)]

use std::fs;

use crate::common::terminal::{End, Session, driver, guard_at_terminal};
use crate::common::{DESIGN, GUARD, Repo, SETTINGS, run};

/// A design with an aligned table in words of its own.
const TEXT: &str = "# A feature

## Files Changed

| File         | Change Type | Description |
|--------------|-------------|-------------|
| `src/a.rs`   | Update      | a           |
| `docs/x.md`  | New         | x           |

## Notes

None.
";

fn repo() -> Repo {
    let repo = Repo::new();
    repo.stage("guard.toml", SETTINGS);
    repo.stage(DESIGN, TEXT);
    repo.stage("src/a.rs", "a\n");
    repo.stage("src/b.rs", "b\n");
    repo.commit("Begin");
    repo.branch("188-work");
    repo
}

/// Runs `guard scope add` as a person would; `None` (a counted skip) without Python.
fn add(repo: &Repo, arguments: &[&str]) -> Option<Session> {
    let driver = driver(repo)?;
    let arguments = [&["scope", "add"], arguments].concat();
    Some(guard_at_terminal(driver, &arguments, &[], End::Wait))
}

fn design(repo: &Repo) -> String {
    fs::read_to_string(repo.path(DESIGN)).unwrap()
}

fn staged(repo: &Repo) -> String {
    repo.git(&["diff", "--cached", "--name-only"])
}

/// Asserts that the design changed nowhere.
#[track_caller]
fn is_untouched(repo: &Repo) {
    assert_eq!(design(repo), TEXT);
    assert_eq!(repo.git(&["show", &format!(":{DESIGN}")]), TEXT.trim_end());
}

#[test]
fn row_goes_below_those_of_its_directory_and_only_the_design_is_staged() {
    let repo = repo();
    repo.write("src/b.rs", "changed\n");
    repo.write("src/c.rs", "new\n");
    repo.stage("other.txt", "staged before\n");
    let Some(session) = add(&repo, &["src/b.rs", "src/c.rs"]) else {
        return;
    };
    session
        .exits(0)
        .says("| `src/b.rs` | Modify | … |")
        .says(&format!("git commit -m \"Extend the design\" -- {DESIGN}"));
    let expected = TEXT.replace(
        "| a           |\n",
        "| a           |\n| `src/b.rs` | Modify | … |\n| `src/c.rs` | Add | … |\n",
    );
    assert_eq!(design(&repo), expected);
    assert_eq!(
        repo.git(&["show", &format!(":{DESIGN}")]),
        expected.trim_end()
    );
    assert_eq!(staged(&repo), format!("{DESIGN}\nother.txt"));
    repo.git(&["reset", "--quiet", "--", "other.txt"]);
    repo.guard(&["lint"]).exits(0);
    repo.git(&["commit", "--quiet", "-m", "Extend the design", "--", DESIGN]);
    repo.git(&["add", "src"]);
    repo.guard(&["lint"]).exits(0);
}

#[test]
fn missing_adds_all_that_lint_refuses() {
    let repo = repo();
    repo.stage("src/a.rs", "changed\n");
    repo.stage("src/b.rs", "changed\n");
    repo.stage("lib/new.rs", "new\n");
    let Some(session) = add(&repo, &["--missing", "--description", "a | b"]) else {
        return;
    };
    session
        .exits(0)
        .says("| `lib/new.rs` | Add | a b |")
        .says("| `src/b.rs` | Modify | a b |");
    assert!(!design(&repo).contains("src/a.rs` |"));
    repo.git(&["commit", "--quiet", "-m", "Extend the design", "--", DESIGN]);
    repo.guard(&["lint"]).exits(0);
    let again = add(&repo, &["--missing"]).unwrap();
    again.exits(0).says("nothing to add");
    assert_eq!(staged(&repo), "lib/new.rs\nsrc/a.rs\nsrc/b.rs");
}

#[test]
fn missing_takes_the_work_tree_if_nothing_is_staged() {
    let repo = repo();
    repo.write("src/a.rs", "changed\n");
    repo.write("src/b.rs", "changed\n");
    repo.write("lib/new.rs", "new\n");
    let Some(session) = add(&repo, &["--missing"]) else {
        return;
    };
    session
        .exits(0)
        .says("| `lib/new.rs` | Add | … |")
        .says("| `src/b.rs` | Modify | … |");
    assert_eq!(staged(&repo), DESIGN);
    repo.git(&["commit", "--quiet", "-m", "Extend", "--", DESIGN]);
    repo.git(&["add", "--all"]);
    repo.guard(&["lint"]).exits(0);
}

#[test]
fn type_follows_from_what_has_become_of_the_file() {
    let repo = repo();
    repo.git(&["rm", "--quiet", "src/b.rs"]);
    std::os::unix::fs::symlink("a.rs", repo.path("src/link.rs")).unwrap();
    repo.git(&["add", "src/link.rs"]);
    let Some(session) = add(&repo, &["src/b.rs", "src/link.rs", "src/later.rs"]) else {
        return;
    };
    session
        .exits(0)
        .says("| `src/b.rs` | Delete |")
        .says("| `src/link.rs` | Symlink |")
        .says("| `src/later.rs` | Add |");
    // `--missing` finds the same.
    repo.git(&["restore", "--staged", "--worktree", "--", DESIGN]);
    add(&repo, &["--missing"])
        .unwrap()
        .exits(0)
        .says("| `src/b.rs` | Delete |")
        .says("| `src/link.rs` | Symlink |");
    repo.git(&["commit", "--quiet", "-m", "Extend", "--", DESIGN]);
    repo.guard(&["lint"]).exits(0);
}

#[test]
fn granted_path_is_told_and_a_row_of_another_type_is_not_doubled() {
    let repo = repo();
    let Some(session) = add(&repo, &["src/a.rs"]) else {
        return;
    };
    session
        .exits(0)
        .says("has a row for src/a.rs already")
        .says("nothing to add");
    add(&repo, &["src/a.rs", "--type", "Delete"])
        .unwrap()
        .exits(2)
        .says("line 7 names it already, as Update");
    is_untouched(&repo);
}

#[test]
fn hostile_and_doubtful_paths_are_refused() {
    let repo = repo();
    fs::create_dir_all(repo.path("lib")).unwrap();
    for (path, why) in [
        ("a` | Delete | x |\n| `src/b.rs", ""),
        ("x\ny", ""),
        ("../outside", "outside"),
        ("/etc/passwd", "outside"),
        ("src/*.rs", "cannot name exactly"),
        ("guard.toml", ""),
        (DESIGN, ""),
        ("lib", "is a directory"),
        ("", ""),
    ] {
        let Some(session) = add(&repo, &["--", path]) else {
            return;
        };
        assert_eq!(session.code, 2, "{path}: {}", session.shown);
        assert!(session.shown.contains(why), "{path}: {}", session.shown);
        is_untouched(&repo);
    }
    add(&repo, &["src/b.rs", "--description", "x |\n| `y` | Add |"])
        .unwrap()
        .exits(2);
    add(&repo, &["src/b.rs", "--type", "Add | x | `y"])
        .unwrap()
        .exits(2);
    // All or none.
    add(&repo, &["src/b.rs", "src/*.rs"]).unwrap().exits(2);
    is_untouched(&repo);
    // Odd but honest names are one path each.
    for path in ["a|b.rs", "a` | Delete | x | `b.rs", "`x`", "x y.rs"] {
        add(&repo, &["--", path]).unwrap().exits(0);
        // HEAD's design is in force until the new one is committed.
        let before = repo.json(&["scope", "show"])["grants"]
            .as_array()
            .unwrap()
            .len();
        repo.git(&["commit", "--quiet", "-m", "Extend", "--", DESIGN]);
        let granted = repo.json(&["scope", "show"]);
        let grants = granted["grants"].as_array().unwrap();
        assert_eq!(grants.len(), before + 1, "{path}");
        assert!(grants.iter().any(|grant| grant["path"] == path), "{path}");
    }
}

#[test]
fn agents_ci_and_pipes_are_refused() {
    let repo = repo();
    run(repo.command(GUARD).args(["scope", "add", "src/b.rs"]))
        .exits(2)
        .says("only a person at a terminal");
    for (name, value) in [("CLAUDECODE", "1"), ("CI", "true"), ("CODEX_CI", "1")] {
        let Some(mut driver) = driver(&repo) else {
            return;
        };
        driver.env(name, value);
        let arguments = ["scope", "add", "src/b.rs"];
        guard_at_terminal(driver, &arguments, &[], End::Wait)
            .exits(2)
            .says(name);
    }
    is_untouched(&repo);
    assert_eq!(staged(&repo), "");
}

#[test]
fn design_with_unstaged_changes_is_left_alone() {
    let repo = repo();
    let other = TEXT.replace("None.", "Some.");
    repo.write(DESIGN, &other);
    let Some(session) = add(&repo, &["src/b.rs"]) else {
        return;
    };
    session
        .exits(2)
        .says("has changes that are not staged")
        .says("git add");
    assert_eq!(design(&repo), other);
    repo.git(&["add", DESIGN]);
    add(&repo, &["src/b.rs"]).unwrap().exits(0);
    // A second call goes on from there.
    add(&repo, &["src/c.rs"]).unwrap().exits(0);
    assert!(design(&repo).contains("`src/b.rs`") && design(&repo).contains("`src/c.rs`"));
}

#[test]
fn design_is_chosen_by_name_or_alone() {
    let repo = repo();
    repo.design(
        "docs/lld/active/LLD-7.md",
        &[("Cargo.toml", "Modify", "bumps")],
    );
    repo.commit("Add another");
    repo.guard(&["use", DESIGN, "docs/lld/active/LLD-7.md"])
        .exits(0);
    let Some(session) = add(&repo, &["src/b.rs"]) else {
        return;
    };
    session
        .exits(2)
        .says("several designs apply")
        .says("--design");
    add(&repo, &["src/b.rs", "--design", "docs/lld/active/LLD-7.md"])
        .unwrap()
        .exits(0);
    is_untouched(&repo);
    assert_eq!(staged(&repo), "docs/lld/active/LLD-7.md");
    repo.git(&["switch", "--quiet", "-c", "hot-fix"]);
    add(&repo, &["src/b.rs"])
        .unwrap()
        .exits(2)
        .says("choose one with `guard use`");
}

#[test]
fn design_without_a_table_gets_one_with_all_that_it_grants() {
    for text in [
        "**Files:**\n\n- Create: `src/x.rs`\n- Modify: `src/a.rs` (one call)\n",
        "---\nfiles_modified:\n  - src/a.rs\n  - src/x.rs\n---\n\n# A plan\n",
    ] {
        let repo = repo();
        repo.stage(DESIGN, text);
        repo.commit("Another form");
        let Some(session) = add(&repo, &["src/b.rs"]) else {
            return;
        };
        session.exits(0).says("| `src/b.rs` | Modify | … |");
        assert!(design(&repo).starts_with(text));
        repo.git(&["commit", "--quiet", "-m", "Extend", "--", DESIGN]);
        for path in ["src/a.rs", "src/b.rs", "src/x.rs"] {
            repo.stage(path, "changed\n");
        }
        repo.guard(&["lint"]).exits(0);
        repo.stage("src/other.rs", "new\n");
        repo.guard(&["lint"]).exits(1);
    }
}

#[test]
fn untyped_table_takes_no_deletion() {
    let repo = repo();
    let untyped = "## Files Changed\n\n| File | Why |\n|-|-|\n| `src/a.rs` | x |\n";
    repo.stage(DESIGN, untyped);
    repo.commit("Another form");
    let Some(session) = add(&repo, &["src/b.rs", "--type", "Delete"]) else {
        return;
    };
    session.exits(2).says("no Change Type column");
    assert_eq!(design(&repo), untyped);
    add(&repo, &["src/b.rs", "--description", "why"])
        .unwrap()
        .exits(0)
        .says("| `src/b.rs` | why |");
}

#[test]
fn filters_modes_and_links_of_the_design_are_respected() {
    use std::os::unix::fs::PermissionsExt;
    let repo = repo();
    repo.git(&["config", "core.autocrlf", "true"]);
    let crlf = TEXT.replace('\n', "\r\n");
    repo.write(DESIGN, &crlf);
    fs::set_permissions(repo.path(DESIGN), fs::Permissions::from_mode(0o640)).unwrap();
    let Some(session) = add(&repo, &["src/b.rs"]) else {
        return;
    };
    session.exits(0);
    let text = design(&repo);
    assert_eq!(text.matches('\n').count(), text.matches("\r\n").count());
    let mode = fs::metadata(repo.path(DESIGN))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o640);
    assert!(!repo.git(&["show", &format!(":{DESIGN}")]).contains('\r'));

    let repo = self::repo();
    fs::rename(repo.path(DESIGN), repo.path("../real.md")).unwrap();
    std::os::unix::fs::symlink(repo.path("../real.md"), repo.path(DESIGN)).unwrap();
    add(&repo, &["src/b.rs"])
        .unwrap()
        .exits(2)
        .says("symbolic link");
    assert_eq!(fs::read_to_string(repo.path("../real.md")).unwrap(), TEXT);
}
