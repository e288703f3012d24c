//! `out-of-scope` and `action-not-granted`: which rows permit which changes, and what guard advises.

use std::cell::Cell;

use super::*;
use crate::finding::{Help, WantedRow};

const NOT_IN_DESIGN: &str = "error out-of-scope src/x.rs: src/x.rs is not in the design";

/// Each type of row with each action at its path.
#[test]
fn a_row_permits_the_actions_of_its_type() {
    let text = || file("a\nb\nc\nd\n");
    let link = || Some((Kind::Symlink, b"a.rs".to_vec()));
    let module = || Some((Kind::Submodule, b"1".to_vec()));
    for (word, permitted) in [
        ("Add", "add"),
        ("Modify", "modify"),
        ("Add/Modify", "add modify"),
        ("Delete", "delete"),
        ("Symlink", "link link-again"),
        ("Submodule", "module"),
        ("Exists", ""),
    ] {
        let row = format!("`src/x.rs` | {word} | x");
        let rows = [&*row, "`a.rs` | Modify | x"];
        let cases = [
            ("add", None, text()),
            ("modify", text(), file("a\nb\nc\ne\n")),
            ("delete", text(), None),
            ("link", None, link()),
            (
                "link-again",
                link(),
                Some((Kind::Symlink, b"b.rs".to_vec())),
            ),
            ("module", None, module()),
        ];
        for (action, old, new) in cases {
            let work = commit("", &rows)
                .began_with(&[("src/x.rs", Some("older"))])
                .step("src/x.rs", old, new);
            let findings = work.findings();
            let is_accepted = permitted.split(' ').any(|one| one == action);
            assert_eq!(
                findings.is_empty(),
                is_accepted,
                "{word} {action} {findings:?}"
            );
        }
    }
}

#[test]
fn what_a_row_does_not_permit_is_named_with_what_it_permits() {
    let text = "a\nb\n";
    for (word, old, new, expected, granted) in [
        (
            "Modify",
            file(text),
            None,
            "deleted; the design only lets it be modified",
            "modify",
        ),
        (
            "Modify",
            None,
            file(text),
            "added; the design only lets it be modified",
            "modify",
        ),
        (
            "Delete",
            file(text),
            file("a\nb\nc\n"),
            "modified; the design only lets it be deleted",
            "delete",
        ),
        (
            "Add/Modify",
            file(text),
            None,
            "deleted; the design only lets it be added or modified",
            "add modify",
        ),
        (
            "Symlink",
            None,
            file(text),
            "added; the design only lets it be made a symbolic link",
            "symlink",
        ),
        (
            "Submodule",
            None,
            file(text),
            "added; the design only lets it be made a submodule",
            "submodule",
        ),
        (
            "Add",
            None,
            Some((Kind::Symlink, b"y".to_vec())),
            "made a symbolic link; the design only lets it be added",
            "add",
        ),
    ] {
        let action = match (&old, &new) {
            (None, _) => "add",
            (_, None) => "delete",
            _ => "modify",
        };
        let row = format!("`src/x.rs` | {word} | x");
        let work = commit("", &[&row]).step("src/x.rs", old, new);
        work.says(&[&format!(
            "error action-not-granted src/x.rs: src/x.rs is {expected}"
        )]);
        let granted: Vec<_> = granted.split(' ').collect();
        let details = serde_json::json!({"action": action, "granted": granted});
        assert_eq!(work.details(), details, "{word}");
        let finding = &work.findings()[0];
        let lets = expected.split("only ").nth(1).unwrap();
        assert_eq!(finding.design.as_ref().unwrap().label, lets);
        let at = finding.design.as_ref().unwrap();
        assert_eq!((at.path.as_bstr(), at.line), (DESIGN.into(), 7));
    }
}

#[test]
fn an_add_row_permits_changing_what_the_work_has_added() {
    let work = || commit("", &["`src/x.rs` | Add | x"]).modify("src/x.rs", "a\n", "a\nb\n");
    work().says(&[]);
    work().began_with(&[("src/x.rs", None)]).says(&[]);
    let older = work().began_with(&[("src/x.rs", Some("a\n"))]);
    older.says(&[
        "error action-not-granted src/x.rs: src/x.rs is modified; the design only lets it be added",
    ]);
    older.helps(&[
        "the file existed before this work: choose another name, or change the row's type to Modify and commit the design first",
        "to add it: guard scope add --missing",
    ]);
    // Only modifying depends on the merge base.
    let other = commit("", &["`src/x.rs` | Delete | x"]).modify("src/x.rs", "a\n", "a\nb\n");
    assert_eq!(other.findings().len(), 1);
}

#[test]
fn a_change_back_to_the_state_of_the_merge_base_needs_no_row() {
    let work = commit("", &["`a.rs` | Modify | x"]);
    let work = work.began_with(&[("src/x.rs", Some("a\nb\n")), ("src/y.rs", None)]);
    work.modify("src/x.rs", "a\n", "a\nb\n")
        .delete("src/y.rs", "y\n")
        .says(&[]);
    let work = commit("", &["`a.rs` | Modify | x"]).began_with(&[("src/x.rs", Some("a\n"))]);
    work.modify("src/x.rs", "a\n", "a\nb\n")
        .says(&[NOT_IN_DESIGN]);
}

#[test]
fn help_for_an_action_that_is_not_granted_names_the_type_of_the_row() {
    let commit_it = "to add it: guard scope add --missing";
    let add = |path: &str| commit("", &[&format!("`src/x.rs` | {path} | x")]);
    let to = |word: &str| format!("change the row's type to {word} and commit the design first");
    add("Modify")
        .add("src/x.rs", "a\n")
        .helps(&[&to("Add/Modify"), commit_it]);
    add("Delete")
        .add("src/x.rs", "a\n")
        .helps(&[&to("Add"), commit_it]);
    add("Modify")
        .delete("src/x.rs", "a\n")
        .helps(&[&to("Delete"), commit_it]);
    add("Symlink")
        .modify("src/x.rs", "a\n", "a\nb\n")
        .helps(&[&to("Modify"), commit_it]);
    // If the branch itself may have added the file, the merge base tells.
    let own = "if this branch added the file, set `[lld] base = \"main\"` in guard.toml so that guard can tell";
    let work = add("Add").delete("src/x.rs", "a\n");
    work.helps(&[own, &to("Delete"), commit_it]);
    let work = add("Add")
        .delete("src/x.rs", "a\n")
        .began_with(&[("src/x.rs", Some("a\n"))]);
    work.helps(&[&to("Delete"), commit_it]);
    let work = add("Add").step("src/x.rs", None, Some((Kind::Symlink, b"y".to_vec())));
    work.helps(&[&to("Symlink"), commit_it]);
}

#[test]
fn a_row_for_a_directory_or_without_a_type_stays_as_it_is() {
    let row = [
        "add this row to docs/lld/LLD-1.md and commit the design first:",
        "| `src/x.rs` | Delete | … |",
        "to add it: guard scope add --missing",
    ];
    commit("", &["`src/` | Modify | x"])
        .delete("src/x.rs", "a\n")
        .helps(&row);
    commit("", &["`src/*.rs` | Modify | x"])
        .delete("src/x.rs", "a\n")
        .helps(&row);
    let untyped = with_designs(Stage::Commit, "", |settings| {
        let text = "# D\n\n## Files Changed\n\n| File | What |\n|---|---|\n| `src/x.rs` | y |\n";
        vec![governing(DESIGN, text, settings)]
    });
    let work = untyped.delete("src/x.rs", "a\n");
    work.says(&["error action-not-granted src/x.rs: src/x.rs is deleted; the design only lets it be added or modified"]);
    let work = work.began_with(&[("src/x.rs", Some("a\n"))]);
    work.helps(&[
        "add this row to docs/lld/LLD-1.md and commit the design first:",
        "**Files:**",
        "- Delete: `src/x.rs`",
        "to add it: guard scope add --missing",
    ]);
}

#[test]
fn a_path_without_row_is_refused_with_the_row_to_add() {
    let rows = ["`src/utils/lld.rs` | Add | x", "`a.rs` | Modify | x"];
    let work = commit("", &rows).add("src/core/lld.rs", "a\n");
    work.says(&["error out-of-scope src/core/lld.rs: src/core/lld.rs is not in the design"]);
    work.helps(&[
        "write src/utils/lld.rs instead, or add this row to docs/lld/LLD-1.md and commit the design first:",
        "| `src/core/lld.rs` | Add | … |",
        "to add it: guard scope add --missing",
    ]);
    let finding = &work.findings()[0];
    assert_eq!(finding.closest.as_ref().unwrap(), "src/utils/lld.rs");
    assert_eq!(
        finding.design.as_ref().unwrap().label,
        "closest path in the design"
    );
    assert_eq!(work.details(), serde_json::json!({"action": "add"}));

    // An existing file is the intended one.
    let work = commit("", &rows).modify("src/core/lld.rs", "a\n", "a\nb\n");
    assert!(work.findings()[0].help[0].starts_with("add this row"));
    // Nothing is close: guard points at the table.
    let work = commit("", &rows).delete("x/y/z.py", "a\n");
    let finding = &work.findings()[0];
    assert_eq!(finding.closest, None);
    assert_eq!(
        finding.design.as_ref().unwrap().label,
        "the row belongs here"
    );
    assert_eq!(&*finding.help[1], "| `x/y/z.py` | Delete | … |");
}

#[test]
fn help_depends_on_the_stage() {
    let add = |stage| work(stage, "", &["`a.rs` | Modify | x"]).add("src/x.rs", "a\n");
    let row = "| `src/x.rs` | Add | … |";
    let to_table = "add this row to docs/lld/LLD-1.md and";
    add(Stage::Request).helps(&[
        &format!("{to_table} commit the design first:"),
        row,
        "a person can add it: guard scope add src/x.rs --type Add",
    ]);
    for stage in [Stage::Range, Stage::Step] {
        let in_range = [
            &*format!("{to_table} add a commit with the design:"),
            row,
            "to add it: guard scope add src/x.rs --type Add",
        ];
        add(stage).helps(&in_range);
        let modified = work(stage, "", &["`a.rs` | Modify | x"]).modify("src/x.rs", "a\n", "b\n");
        assert_eq!(
            &*modified.findings()[0].help[2],
            "to add it: guard scope add src/x.rs --type Modify"
        );
        let deleted = work(stage, "", &["`a.rs` | Modify | x"]).delete("src/x.rs", "a\n");
        assert_eq!(
            &*deleted.findings()[0].help[2],
            "to add it: guard scope add src/x.rs --type Delete"
        );
    }
    add(Stage::Commit).with(|policy| policy.operation = Some("merge")).helps(&[
        "add this row to docs/lld/LLD-1.md and commit the design first: leave the merge, commit, and start it again:",
        row,
        "to leave the merge: git merge --abort",
    ]);
}

#[test]
fn the_row_to_add_is_there_for_programs() {
    let rows = ["`src/x.rs` | Modify | x"];
    for (work, path, from, word) in [
        (
            commit("", &rows).add("lib/x.rs", "a\n"),
            "lib/x.rs",
            None,
            "Add",
        ),
        (
            commit("", &rows).modify("lib/x.rs", "a\n", "b\n"),
            "lib/x.rs",
            None,
            "Modify",
        ),
        (
            commit("", &rows).delete("lib/x.rs", "a\n"),
            "lib/x.rs",
            None,
            "Delete",
        ),
        (
            commit("", &rows).rename("lib/x.rs", "lib/y.rs", "a\n", "a\n"),
            "lib/y.rs",
            Some("lib/x.rs"),
            "Rename",
        ),
    ] {
        let expected = WantedRow {
            design: DESIGN.into(),
            path: path.into(),
            from: from.map(BString::from),
            word,
        };
        assert_eq!(work.findings()[0].row.as_deref(), Some(&expected));
    }
}

#[test]
fn row_is_named_by_what_the_change_leaves() {
    for (old, new, word) in [
        (None, file("a"), "Add"),
        (file("a"), file("b"), "Modify"),
        (file("a"), None, "Delete"),
        (None, Some((Kind::Symlink, b"a.rs".to_vec())), "Symlink"),
        (
            file("a"),
            Some((Kind::Symlink, b"a.rs".to_vec())),
            "Symlink",
        ),
    ] {
        let work = commit("", &["`a.rs` | Modify | x"]).step("src/x.rs", old, new);
        let row = format!("| `src/x.rs` | {word} | … |");
        assert_eq!(*work.findings()[0].help[1], row);
    }
}

#[test]
fn where_only_standing_designs_apply_guard_advises_a_new_one() {
    let standing = with_designs(Stage::Commit, "", |settings| {
        let mut design = governing(
            "docs/release.md",
            &document(&["`a.rs` | Modify | x"]),
            settings,
        );
        design.chosen_by = crate::policy::ChosenBy::Standing;
        vec![design]
    });
    let ways = vec![Help::run("to write a design", "guard scope new")];
    let work = standing.with(|policy| policy.ways_to_a_design = ways);
    let work = work.add("src/x.rs", "a\n");
    work.helps(&[
        "this branch has no design of its own",
        "to write a design: guard scope new",
    ]);
}

#[test]
fn the_row_goes_to_the_design_that_the_finding_points_to() {
    let work = with_designs(Stage::Commit, "", |settings| {
        vec![
            governing(
                "docs/lld/LLD-1.md",
                &document(&["`a.rs` | Modify | x"]),
                settings,
            ),
            governing(
                "docs/lld/LLD-2.md",
                &document(&["`src/one/lld.rs` | Add | x"]),
                settings,
            ),
        ]
    });
    let work = work.add("src/two/lld.rs", "a\n");
    let help = &work.findings()[0].help[0];
    assert!(
        help.contains("add this row to docs/lld/LLD-2.md and"),
        "{}",
        &**help
    );
}

#[test]
fn what_needs_no_row() {
    let always = "[scope]\nalways = [\"CHANGELOG.md\"]\n";
    let work = commit(always, &["`a.rs` | Modify | x"]);
    let work = work
        .modify("CHANGELOG.md", "a\n", "a\nb\n")
        .add("docs/lld/LLD-2.md", "# x\n");
    work.says(&[]);
    commit("", &["`a.rs` | Modify | x"])
        .add("guard.toml", "")
        .says(&[]);
    commit("", &["`a.rs` | Modify | x"])
        .add(".guard/allowed_signers", "")
        .says(&[]);
    // Without any scope, only the other rules apply.
    let none = commit("", &["`a.rs` | Modify | x"]).add("src/x.rs", "a\n");
    none.with(|policy| policy.scope = None).says(&[]);
}

#[test]
fn a_link_in_place_of_a_design_is_no_design() {
    let link = || Some((Kind::Symlink, b"a.rs".to_vec()));
    for path in [".guard/x", DESIGN, "docs/lld/LLD-2.md"] {
        let work = commit("", &["`a.rs` | Modify | x"]).step(path, None, link());
        work.says(&[&format!(
            "error out-of-scope {path}: {path} is not in the design"
        )]);
        work.helps(&[
            "this path is exempt from the scope table only as a regular file: make it one",
        ]);
    }
    // `destructive-change` refuses a governing design that becomes a link.
    let work = commit("", &["`a.rs` | Modify | x"]).step(DESIGN, file("# Design\n"), link());
    work.says(&["error destructive-change docs/lld/LLD-1.md: the governing design docs/lld/LLD-1.md becomes something other than a file"]);
}

#[test]
fn a_path_that_no_row_can_name_may_be_deleted_but_not_added() {
    let work = || commit("", &["`a.rs` | Modify | x"]);
    work().delete("src/a\u{202e}b.rs", "a\n").says(&[]);
    let added = work().add("src/a\u{202e}b.rs", "a\n");
    let findings = added.findings();
    assert_eq!(findings[0].rule, Rule::UnsafePath);
    assert_eq!(findings[1].rule, Rule::OutOfScope);
    assert_eq!(
        &*findings[1].help[0],
        "rename it: a design cannot name this path"
    );
}

#[test]
fn rows_that_the_commit_itself_adds_need_the_design_first() {
    let proposed = |stage| {
        with_designs(stage, "", |settings| {
            let mut design = governing(DESIGN, &document(&["`a.rs` | Modify | x"]), settings);
            let rows = document(&["`a.rs` | Modify | x", "`src/x.rs` | Add | x"]);
            design.proposed = Some(parsed(DESIGN, &rows, settings));
            vec![design]
        })
    };
    // `scope-amended` says so once for the commit.
    let work = proposed(Stage::Commit).add("src/x.rs", "a\n");
    work.says(&["error scope-amended docs/lld/LLD-1.md: the design docs/lld/LLD-1.md gains a new row together with code"]);
    let work = proposed(Stage::Range).add("src/x.rs", "a\n");
    let findings = work.findings();
    let mut rules = findings.iter().map(|finding| finding.rule);
    assert!(rules.any(|rule| rule == Rule::OutOfScope));
    // A proposed row is close, too, but does not allow another path.
    let work = proposed(Stage::Range).add("lib/x.rs", "a\n");
    let finding = &work.findings()[0];
    assert_eq!(finding.closest.as_ref().unwrap(), "src/x.rs");
}

#[test]
fn an_existing_file_is_not_suggested_for_a_new_one() {
    let rows = [
        "`src/one/lld.rs` | Modify | x",
        "`src/two/lld.rs` | Modify | x",
    ];
    for (there, expected) in [
        ("src/one/lld.rs", "src/two/lld.rs"),
        ("src/two/lld.rs", "src/one/lld.rs"),
    ] {
        let work = commit("", &rows).beside(there, Kind::File, "a\n");
        let work = work.add("lib/lld.rs", "a\n");
        assert_eq!(work.findings()[0].closest.as_ref().unwrap(), expected);
    }
}

#[test]
fn a_lock_file_follows_the_manifest_below_it() {
    for (row, path, is_accepted) in [
        ("`Cargo.toml` | Modify", "Cargo.lock", true),
        ("`Cargo.toml` | Add", "Cargo.lock", true),
        ("`Cargo.toml` | Delete", "Cargo.lock", false),
        ("`one/Cargo.toml` | Modify", "Cargo.lock", true),
        ("`one/Cargo.toml` | Modify", "one/Cargo.lock", true),
        ("`one/Cargo.toml` | Modify", "two/Cargo.lock", false),
        ("`Cargo.toml` | Modify", "one/Cargo.lock", false),
        ("`package.json` | Modify", "Cargo.lock", false),
        ("`package.json` | Modify", "yarn.lock", true),
        ("`Cargo.toml/` | Modify", "Cargo.lock", false),
        ("`**/Cargo.toml` | Modify", "Cargo.lock", false),
        ("`Cargo.toml` | Modify", "other.lock", false),
        ("`src/new.py` | Add", "Cargo.lock", false),
    ] {
        let rows = [&*format!("{row} | x"), "`zz.rs` | Modify | x"];
        let changed = commit("", &rows).modify(path, "a\n", "b\n");
        assert_eq!(changed.findings().is_empty(), is_accepted, "{row} {path}");
        assert!(
            !commit("", &rows).delete(path, "a\n").findings().is_empty(),
            "{row} {path}"
        );
        let link = Some((Kind::Symlink, b"x".to_vec()));
        assert!(
            !commit("", &rows)
                .step(path, None, link)
                .findings()
                .is_empty(),
            "{row} {path}"
        );
    }
}

#[test]
fn an_empty_init_file_follows_an_added_file_beside_it() {
    for (row, path, old, new, is_accepted) in [
        ("`pkg/new.py` | Add", "pkg/__init__.py", None, "", true),
        ("`new.py` | Add", "__init__.py", None, "", true),
        ("`pkg/new.py` | Add", "pkg/__init__.py", None, "x\n", false),
        (
            "`pkg/new.py` | Add",
            "pkg/__init__.py",
            Some("x\n"),
            "",
            false,
        ),
        ("`pkg/new.py` | Modify", "pkg/__init__.py", None, "", false),
        ("`pkg/sub/new.py` | Add", "pkg/__init__.py", None, "", false),
        ("`new.py` | Add", "pkg/__init__.py", None, "", false),
        ("`pkg/sub/` | Add", "pkg/__init__.py", None, "", false),
        ("`pkg/new.py` | Add", "pkg/init.py", None, "", false),
    ] {
        let rows = [&*format!("{row} | x"), "`zz.rs` | Modify | x"];
        let work = commit("", &rows).step(path, old.and_then(file), file(new));
        let findings = work.findings();
        assert_eq!(
            findings.is_empty(),
            is_accepted,
            "{row} {path} {findings:?}"
        );
    }
}

#[test]
fn gitmodules_follows_a_granted_submodule() {
    let modules = "[submodule \"lib\"]\n\tpath = lib\n\turl = https://example.com/lib\n";
    let add = |row: &str| commit("", &[row]).add(".gitmodules", modules);
    add("`lib` | Submodule | x").says(&[]);
    let findings = add("`lib` | Add | x").findings();
    assert_eq!(findings[0].rule, Rule::OutOfScope);
}

#[test]
fn only_a_change_without_row_depends_on_the_merge_base() {
    let needs = |row: &str, work: fn(Work) -> Work| {
        let work = work(commit("[scope]\nalways = [\"free.rs\"]\n", &[row]));
        let is_asked = Cell::new(false);
        work.judged(&work.measured(), |case| {
            check(&Case {
                merge_base: &|_| {
                    is_asked.set(true);
                    None
                },
                ..*case
            })
        });
        is_asked.get()
    };
    let modify: fn(Work) -> Work = |work| work.modify("src/x.rs", "a\n", "b\n");
    let delete: fn(Work) -> Work = |work| work.delete("src/x.rs", "a\n");
    assert!(!needs("`src/x.rs` | Modify | x", modify));
    assert!(needs("`src/x.rs` | Add | x", modify));
    assert!(needs("`src/y.rs` | Add | x", modify));
    assert!(!needs("`src/x.rs` | Delete | x", delete));
    assert!(needs("`src/x.rs` | Modify | x", delete));
    assert!(!needs("`src/y.rs` | Add | x", |work| work.add("free.rs", "a\n")));
    assert!(!needs("`src/y.rs` | Add | x", |work| work
        .with(|policy| policy.scope = None)
        .add("a", "")));
    let rename = "`src/x.rs` -> `src/z.rs` | Rename | x";
    assert!(!needs(rename, |work| work
        .rename("src/x.rs", "src/z.rs", "a\n", "a\n")));
    assert!(needs(rename, delete));
}

#[test]
fn findings_beyond_the_limit_count_by_their_own_rule() {
    for (row, rule) in [
        ("`src/x.rs` | Modify | x", Rule::ActionNotGranted),
        ("`src/y.rs` | Modify | x", Rule::OutOfScope),
    ] {
        let work = commit("", &[row]).delete("src/x.rs", "a\n");
        let more = work.judged(&work.measured(), |case| {
            let mut sink = Sink::new(&work.policy.settings, 0);
            (out_of_scope::RULE.check)(case, &mut sink);
            sink.finish()
        });
        assert_eq!(more[0].rule, rule);
    }
}
