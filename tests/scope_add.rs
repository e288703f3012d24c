//! `guard scope add`: a person adds rows to the design, in a real pseudo-terminal.

use std::fs;

use crate::common::system::{self, HAS_MODES};
use crate::common::terminal::{End, Session, driver, guard_at_terminal};
use crate::common::{DESIGN, Repo, SETTINGS};

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

const STAGED: [&str; 3] = ["diff", "--cached", "--name-only"];

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

#[test]
fn row_goes_to_the_end_of_the_table_and_only_the_design_is_staged() {
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
    let rows = "| x           |\n| `src/b.rs` | Modify | … |\n| `src/c.rs` | Add | … |\n";
    let expected = TEXT.replace("| x           |\n", rows);
    assert_eq!(repo.text(DESIGN), expected);
    assert_eq!(repo.git(&STAGED), format!("{DESIGN}\nother.txt"));
    repo.git(&["reset", "--quiet", "--", "other.txt"]);
    repo.guard(&["lint"]).exits(0);
    repo.git(&["commit", "--quiet", "-m", "Extend the design", "--", DESIGN]);
    repo.git(&["add", "src"]);
    repo.guard(&["lint"]).exits(0);
}

#[test]
fn missing_adds_all_that_lint_refuses() {
    for is_staged in [true, false] {
        let repo = repo();
        repo.write("src/a.rs", "changed\n");
        fs::remove_file(repo.path("src/b.rs")).unwrap();
        system::symlink("a.rs", repo.path("src/link.rs")).unwrap();
        repo.write("lib/new.rs", "new\n");
        if is_staged {
            repo.git(&["add", "--all"]);
        }
        let Some(session) = add(&repo, &["--missing", "--description", "a | b"]) else {
            return;
        };
        session
            .exits(0)
            .says("| `lib/new.rs` | Add | a b |")
            .says("| `src/b.rs` | Delete | a b |")
            .says("| `src/link.rs` | Symlink | a b |");
        repo.git(&["commit", "--quiet", "-m", "Extend the design", "--", DESIGN]);
        let again = add(&repo, &["--missing"]).unwrap();
        again.exits(0).says("nothing to add");
        repo.git(&["add", "--all"]);
        repo.guard(&["lint"]).exits(0);
    }
}

#[test]
fn granted_hostile_and_doubtful_paths_change_nothing() {
    let repo = repo();
    fs::create_dir_all(repo.path("lib")).unwrap();
    let cases: [(&[&str], &str); 10] = [
        (&["--", "a` | Delete | x |\n| `src/b.rs"], ""),
        (&["--", "../outside"], "outside"),
        (&["--", "src/*.rs"], "cannot name exactly"),
        (&["--", "guard.toml"], ""),
        (&["--", DESIGN], ""),
        (&["--", "lib"], "is a directory"),
        (&["--", ""], ""),
        (&["src/b.rs", "--description", "x |\n| `y` |"], "one line"),
        (&["src/b.rs", "--type", "Add | x | `y"], "is not a type"),
        // All or none.
        (&["src/b.rs", "src/*.rs"], "cannot name exactly"),
    ];
    for (arguments, said) in cases {
        let Some(session) = add(&repo, arguments) else {
            return;
        };
        session.exits(2).says(said);
        assert_eq!(repo.text(DESIGN), TEXT, "{arguments:?}");
        assert_eq!(repo.git(&STAGED), "", "{arguments:?}");
    }
    let there = add(&repo, &["src/a.rs"]).unwrap();
    there.exits(0).says("nothing to add");
    // Odd but honest names are one path each.
    let odd = ["a|b.rs", "a` | Delete | x | `b.rs", "`x`", "x y.rs"];
    add(&repo, &[&["--"], &odd[..]].concat()).unwrap().exits(0);
    // HEAD's design is in force until the new one is committed.
    repo.git(&["commit", "--quiet", "-m", "Extend", "--", DESIGN]);
    let shown = repo.json(&["scope", "show"]);
    let grants = shown["grants"].as_array().unwrap();
    assert_eq!(grants.len(), 2 + odd.len(), "{grants:?}");
    for path in odd {
        assert!(grants.iter().any(|grant| grant["path"] == path), "{path}");
    }
}

#[test]
fn a_row_that_names_the_path_alone_gets_another_type() {
    let repo = repo();
    let Some(session) = add(&repo, &["src/a.rs", "--type", "Delete"]) else {
        return;
    };
    session.exits(0);
    let text = repo.text(DESIGN);
    assert_eq!(text.lines().count(), TEXT.lines().count(), "{text}");
    let row = text.lines().find(|line| line.contains("src/a.rs"));
    assert!(row.unwrap().contains("| Delete"), "{text}");
}

#[test]
fn a_rename_row_has_both_ends() {
    let repo = repo();
    let Some(session) = add(&repo, &["src/a.rs", "src/z.rs", "--type", "Rename"]) else {
        return;
    };
    session.exits(0);
    let text = repo.text(DESIGN);
    assert!(text.contains("`src/a.rs` -> `src/z.rs`"), "{text}");
}

#[test]
fn agents_ci_and_pipes_are_refused() {
    let repo = repo();
    // A script can write the row itself.
    repo.tells("scope add src/b.rs", 2, "only a person at a terminal")
        .says(&format!("write into {DESIGN}"))
        .says("| `src/b.rs` | Modify | … |");
    for (name, value) in [("CLAUDECODE", "1"), ("CI", "true")] {
        let Some(mut driver) = driver(&repo) else {
            return;
        };
        driver.env(name, value);
        let arguments = ["scope", "add", "src/b.rs"];
        guard_at_terminal(driver, &arguments, &[], End::Wait)
            .exits(2)
            .says(name);
    }
    assert_eq!(repo.text(DESIGN), TEXT);
    assert_eq!(repo.git(&STAGED), "");
}

#[test]
fn design_with_unstaged_changes_is_left_alone() {
    let repo = repo();
    let other = TEXT.replace("None.", "Some.");
    repo.write(DESIGN, &other);
    let Some(session) = add(&repo, &["src/b.rs"]) else {
        return;
    };
    session.exits(2).says("has changes that are not staged");
    assert_eq!(repo.text(DESIGN), other);
    repo.git(&["add", DESIGN]);
    // A second call goes on from the first.
    for path in ["src/b.rs", "src/c.rs"] {
        add(&repo, &[path]).unwrap().exits(0);
    }
    let text = repo.text(DESIGN);
    assert!(text.contains("`src/b.rs`") && text.contains("`src/c.rs`"));
}

#[test]
fn design_is_chosen_by_name_or_alone() {
    let repo = repo();
    let other = "docs/lld/active/LLD-7.md";
    repo.design(other, &[("Cargo.toml", "Modify", "bumps")]);
    repo.commit("Add another");
    repo.guard(&["use", DESIGN, other]).exits(0);
    let Some(session) = add(&repo, &["src/b.rs"]) else {
        return;
    };
    session.exits(2).says("several designs apply");
    let named = add(&repo, &["src/b.rs", "--design", other]);
    named.unwrap().exits(0);
    assert_eq!(repo.text(DESIGN), TEXT);
    assert_eq!(repo.git(&STAGED), other);
    repo.git(&["switch", "--quiet", "-c", "hot-fix"]);
    let none = add(&repo, &["src/b.rs"]).unwrap();
    none.exits(2)
        .says("to write a design: guard scope new hot-fix");
}

/// A design of several documents, and a changed file that none of them lists.
fn documents(documents: &[(&str, &str)]) -> Repo {
    let repo = Repo::new();
    let path = "path = \"specs/{branch}/{proposal,spec,tasks}.md\"\nbase = \"main\"\n";
    repo.stage("guard.toml", format!("[lld]\n{path}"));
    for (name, text) in documents {
        repo.stage(format!("specs/one/{name}.md"), text);
    }
    for path in ["src/a.rs", "src/b.rs", "src/c.rs"] {
        repo.stage(path, "a\n");
    }
    repo.commit("Begin");
    repo.branch("one");
    repo.stage("src/c.rs", "a\nb\n");
    repo
}

const LIST: &str = "# A\n\n## Files to modify\n\n- `src/a.rs`\n";
const TABLE: &str =
    "# B\n\n## Files Changed\n\n| File | Change Type |\n|---|---|\n| `src/b.rs` | Modify |\n";
const PROSE: &str = "# C\n\nWords only.\n";

#[test]
fn row_goes_into_the_document_that_the_refusal_names() {
    for (others, expected) in [
        ([("proposal", LIST), ("tasks", TABLE)], "tasks"),
        ([("proposal", TABLE), ("tasks", LIST)], "proposal"),
        ([("proposal", PROSE), ("tasks", LIST)], "tasks"),
        ([("spec", LIST), ("tasks", LIST)], "spec"),
    ] {
        let repo = documents(&others);
        let path = format!("specs/one/{expected}.md");
        let says = format!("add this row to {path} and commit the design first");
        repo.tells("lint", 1, &says);
        let Some(session) = add(&repo, &["--missing"]) else {
            return;
        };
        session.exits(0);
        assert_eq!(repo.git(&STAGED), format!("{path}\nsrc/c.rs"));
        repo.git(&[
            "commit",
            "--quiet",
            "--message",
            "Add the row",
            "--",
            "specs",
        ]);
        repo.guard(&["lint"]).exits(0);
        // A path is asked for by name, too, and what another document allows is allowed.
        add(&repo, &["src/d.rs"]).unwrap().exits(0);
        assert_eq!(repo.git(&STAGED), format!("{path}\nsrc/c.rs"));
    }
    let repo = documents(&[("proposal", LIST), ("tasks", LIST)]);
    let design = "specs/one/tasks.md";
    let session = add(&repo, &["src/a.rs", "--design", design]).unwrap();
    session.exits(0).says("nothing to add");
}

#[test]
fn documents_of_one_directory_are_one_design_for_every_verb() {
    let repo = documents(&[("proposal", LIST), ("spec", PROSE), ("tasks", TABLE)]);
    let paths = |arguments: &[&str]| {
        let json = repo.json(arguments);
        let grants = json["grants"].as_array().unwrap().iter();
        let paths = grants.map(|grant| grant["path"].as_str().unwrap().to_owned());
        paths.collect::<Vec<_>>()
    };
    // The table is the scope of all.
    for arguments in [&["scope", "show"], &["scope", "check"]] {
        assert_eq!(paths(arguments), ["src/b.rs"], "{arguments:?}");
    }
    for chosen in ["specs/one", "specs/one/"] {
        repo.guard(&["use", chosen]).exits(0);
        assert_eq!(paths(&["scope", "show"]), ["src/b.rs"], "{chosen}");
        let refusal = "add this row to specs/one/tasks.md";
        repo.tells("lint", 1, refusal);
    }
}

#[test]
fn refusal_under_several_designs_names_the_one_to_extend() {
    let repo = repo();
    let other = "docs/lld/active/LLD-7.md";
    repo.design(other, &[("Cargo.toml", "Add/Modify", "bumps")]);
    repo.commit("Add another");
    repo.guard(&["use", DESIGN, other]).exits(0);
    repo.stage("src/b.rs", "changed\n");
    let command = format!("guard scope add --missing --design {DESIGN}");
    repo.tells("lint", 1, &command);
    // What the other design allows needs no row in this one.
    repo.stage("Cargo.toml", "[package]\n");
    let Some(session) = add(&repo, &["--missing", "--design", DESIGN]) else {
        return;
    };
    session.exits(0);
    let text = repo.text(DESIGN);
    assert!(text.contains("`src/b.rs`") && !text.contains("Cargo.toml"));
}

/// A standing design applies beside that of the branch, so it is no other work.
#[test]
fn rows_of_the_branch_need_none_in_a_standing_design() {
    let repo = Repo::new();
    let standing = "docs/always.md";
    let settings = format!("{SETTINGS}standing = \"{standing}\"\n");
    repo.stage("guard.toml", settings);
    repo.stage(DESIGN, TEXT);
    repo.design(standing, &[("src/s.rs", "Add", "x")]);
    for path in ["src/a.rs", "src/b.rs"] {
        repo.stage(path, "a\n");
    }
    repo.commit("Begin");
    repo.branch("188-work");
    for path in ["src/a.rs", "src/b.rs"] {
        repo.stage(path, "changed\n");
    }
    let Some(session) = add(&repo, &["--missing", "--design", standing]) else {
        return;
    };
    session.exits(0);
    let text = repo.text(standing);
    assert!(
        text.contains("`src/b.rs`") && !text.contains("src/a.rs"),
        "{text}"
    );
}

#[test]
fn forbidden_path_gets_no_row() {
    let repo = repo();
    let front = "---\nforbidden_paths: [src/b.rs]\n---\n";
    repo.stage(DESIGN, format!("{front}{TEXT}"));
    repo.commit("Forbid a path");
    let Some(session) = add(&repo, &["src/b.rs"]) else {
        return;
    };
    let place = format!("the design forbids src/b.rs ({DESIGN}:2)");
    session.exits(2).says(&place);
    assert_eq!(repo.git(&STAGED), "");
}

#[test]
fn deleted_design_gets_the_row_that_its_refusal_shows() {
    let repo = repo();
    let other = "docs/lld/active/LLD-7.md";
    let rows: String = (0..120).map(|at| format!("{at}. because\n")).collect();
    repo.stage(other, rows);
    repo.stage("src/a.rs", "b\n");
    repo.commit("Add another");
    repo.git(&["rm", "--quiet", other]);
    repo.tells("lint", 1, "to add it: guard scope add --missing");
    let Some(session) = add(&repo, &["--missing"]) else {
        return;
    };
    session
        .exits(0)
        .says(&format!("| `{other}` | Delete | … |"));
    repo.git(&[
        "commit",
        "--quiet",
        "--message",
        "Add the row",
        "--",
        DESIGN,
    ]);
    repo.guard(&["lint"]).exits(0);
}

#[test]
fn design_without_a_table_with_types_gets_a_row_in_its_form_and_keeps_what_it_grants() {
    for (text, row) in [
        (
            "**Files:**\n\n- Create: `src/x.rs`\n- Modify: `src/a.rs` (one call)\n",
            "- Modify: `src/b.rs`",
        ),
        (
            "---\nfiles_modified:\n  - src/a.rs\n  - src/x.rs\n---\n\n# A plan\n",
            "- Modify: `src/b.rs`",
        ),
        (
            "## Files Changed\n\n| File | Why |\n|-|-|\n| `src/a.rs` | x |\n| `src/x.rs` | x |\n",
            "| `src/b.rs` | … |",
        ),
    ] {
        let repo = repo();
        repo.stage(DESIGN, text);
        repo.commit("Another form");
        let Some(session) = add(&repo, &["src/b.rs"]) else {
            return;
        };
        session.exits(0).says(row);
        assert!(repo.text(DESIGN).starts_with(text));
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
fn filters_modes_and_links_of_the_design_are_respected() {
    let repo = repo();
    repo.git(&["config", "core.autocrlf", "true"]);
    let crlf = TEXT.replace('\n', "\r\n");
    repo.write(DESIGN, &crlf);
    system::set_mode(repo.path(DESIGN), 0o640);
    let Some(session) = add(&repo, &["src/b.rs"]) else {
        return;
    };
    session.exits(0);
    let text = repo.text(DESIGN);
    assert_eq!(text.matches('\n').count(), text.matches("\r\n").count());
    let mode = system::mode(repo.path(DESIGN));
    assert!(!HAS_MODES || mode & 0o777 == 0o640, "{mode:o}");
    assert!(!repo.git(&["show", &format!(":{DESIGN}")]).contains('\r'));

    let repo = self::repo();
    fs::rename(repo.path(DESIGN), repo.path("../real.md")).unwrap();
    system::symlink(repo.path("../real.md"), repo.path(DESIGN)).unwrap();
    let linked = add(&repo, &["src/b.rs"]).unwrap();
    linked.exits(2).says("symbolic link");
    assert_eq!(repo.text("../real.md"), TEXT);
}
