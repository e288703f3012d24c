//! `design-modify-missing` and `design-add-exists`: the rows of a design and the files that exist.

use super::*;
use crate::design::propose::KnownFiles;
use crate::scope::Scope;

/// Each finding with its line and help.
fn rows(
    rows: &[&str],
    now: &Tree,
    head: &Tree,
    base: Option<&Tree>,
    agreed: &[&str],
) -> Vec<String> {
    let settings = Settings::default();
    let design = parsed(DESIGN, &document(rows), &settings);
    let agreed = Scope::new(parsed(DESIGN, &document(agreed), &settings).grants);
    let mut there: Vec<&dyn ResultTree> = vec![now, head];
    there.extend(base.map(|base| base as &dyn ResultTree));
    let context = DesignContext {
        there: &there,
        merge_base: base.map(|base| base as &dyn ResultTree),
        head,
        agreed: &agreed,
    };
    let findings = check_design_rows(&design, &context);
    let one = |finding: &Finding| {
        let help: Vec<&str> = finding.help.iter().map(|help| &**help).collect();
        let line = finding.design.as_ref().unwrap().line;
        format!("{line} {} / {}", said(finding), help.join(" / "))
    };
    findings.iter().map(one).collect()
}

/// The same in one tree that is HEAD, the work tree and the merge base.
fn in_tree(row: &str, tree: &[&str]) -> Vec<String> {
    let tree = Tree::of(tree);
    rows(&[row], &tree, &tree, Some(&tree), &[])
}

fn missing(path: &str, message: &str, help: &str) -> Vec<String> {
    vec![format!(
        "7 error design-modify-missing {path}: {message} / {help}"
    )]
}

#[test]
fn rows_that_modify_or_delete_need_a_file() {
    let correct = "correct the path, or change the type to Add if the work creates it";
    let remove = "correct the path, or remove the row";
    let message = |verb: &str| format!("the file to {verb} does not exist: src/x.rs");
    for (word, verb, help) in [("Modify", "modify", correct), ("Delete", "delete", remove)] {
        let row = format!("`src/x.rs` | {word} | x");
        assert_eq!(
            in_tree(&row, &["a"]),
            missing("src/x.rs", &message(verb), help)
        );
        assert_eq!(in_tree(&row, &["src/x.rs"]), [""; 0]);
    }
    let renamed = in_tree("`src/x.rs` -> `src/y.rs` | Rename | x", &["a"]);
    assert_eq!(renamed, missing("src/x.rs", &message("rename"), remove));
    for word in ["Add", "Add/Modify", "Symlink", "Submodule", "Exists"] {
        assert_eq!(
            in_tree(&format!("`src/x.rs` | {word} | x"), &["a"]),
            [""; 0],
            "{word}"
        );
    }
}

#[test]
fn a_row_for_a_directory_needs_a_directory() {
    let correct = "correct the path, or change the type to Add if the work creates it";
    assert_eq!(in_tree("`src/` | Modify | x", &["src/x.rs"]), [""; 0]);
    assert_eq!(
        in_tree("`lib/` | Modify | x", &["src/x.rs"]),
        missing(
            "lib",
            "the directory to modify does not exist: lib",
            correct
        )
    );
    assert_eq!(
        in_tree("`src` | Modify | x", &["src/x.rs"]),
        missing("src", "the file to modify does not exist: src", correct)
    );
    assert_eq!(
        in_tree("`src/` | Modify | x", &["src"]),
        missing(
            "src",
            "the directory to modify does not exist: src",
            correct
        )
    );
}

#[test]
fn a_row_for_a_glob_needs_a_match() {
    let found = in_tree("`src/*.rs` | Modify | x", &["lib/x.rs"]);
    let help = "correct the path, or change the type to Add if the work creates it";
    assert_eq!(
        found,
        missing("src/*.rs", "no file to modify matches `src/*.rs`", help)
    );
    let tree = ["src/x.rs", "src/y.py"];
    assert_eq!(in_tree("`src/*.rs` | Modify | x", &tree), [""; 0]);
    assert_eq!(in_tree("`src/*.rs` | Add | x", &["a"]), [""; 0]);
    // Each glob has its own matches, in any of the trees.
    let design = parsed(
        DESIGN,
        &document(&[
            "`a` | Modify | x",
            "`*.rs` | Modify | x",
            "`*.py` | Modify | x",
        ]),
        &Settings::default(),
    );
    let one = Tree::of(&["x.rs", "a"]);
    let other = Tree::of(&["b"]);
    assert_eq!(
        matched(&design.grants, &[&one, &other]),
        [false, true, false]
    );
    assert_eq!(
        matched(&design.grants, &[&other, &one]),
        [false, true, false]
    );
    assert_eq!(matched(&design.grants[..1], &[&one]), [false]);
}

#[test]
fn a_file_in_any_tree_is_there_and_one_that_the_document_adds_will_be() {
    let empty = Tree::of(&["a"]);
    let full = Tree::of(&["src/x.rs"]);
    let modify = ["`src/x.rs` | Modify | x"];
    assert_eq!(rows(&modify, &empty, &full, None, &[]), [""; 0]);
    assert_eq!(rows(&modify, &full, &empty, None, &[]), [""; 0]);
    assert_eq!(rows(&modify, &empty, &empty, Some(&full), &[]), [""; 0]);
    assert_eq!(rows(&modify, &empty, &empty, None, &[]).len(), 1);
    let both = ["`src/x.rs` | Add | x", "`src/x.rs` | Modify | x"];
    assert_eq!(rows(&both, &empty, &empty, None, &[]), [""; 0]);
    // A row that adds a directory makes no file, and no row makes a file to delete.
    let directory = ["`src/x.rs/` | Add | x", "`src/x.rs` | Modify | x"];
    assert_eq!(rows(&directory, &empty, &empty, None, &[]).len(), 1);
    let deleted = ["`src/x.rs` | Add | x", "`src/x.rs` | Delete | x"];
    assert_eq!(rows(&deleted, &empty, &empty, None, &[]).len(), 1);
    let other = ["`src/y.rs` | Delete | x", "`src/x.rs` | Modify | x"];
    assert_eq!(rows(&other, &empty, &empty, None, &[]).len(), 2);
}

#[test]
fn a_file_to_add_may_not_be_older_than_the_work() {
    let add = ["`src/x.rs` | Add | x"];
    let without = Tree::of(&["a"]);
    let with = Tree::of(&["src/x.rs"]);
    let help = "change the type to Modify if you mean this file, or choose another name";
    let older = format!(
        "7 error design-add-exists src/x.rs: the file to add exists already: src/x.rs / {help}"
    );
    assert_eq!(
        rows(&add, &with, &with, Some(&with), &[]),
        std::slice::from_ref(&older)
    );
    assert_eq!(rows(&add, &with, &with, Some(&with), &add), [older]);
    assert_eq!(rows(&add, &with, &with, Some(&without), &[]), [""; 0]);
    assert_eq!(rows(&add, &with, &without, None, &[]), [""; 0]);
    // Without a merge base, the work may have added the file since HEAD agreed to it.
    let in_head =
        format!("design-add-exists src/x.rs: the file to add exists already: src/x.rs / {help}");
    assert_eq!(
        rows(&add, &with, &with, None, &[]),
        [format!("7 error {in_head}")]
    );
    assert_eq!(
        rows(&add, &with, &with, None, &add),
        [format!(
            "7 warning {in_head} / set `[lld] base` to the target branch so that guard can tell older files from new ones"
        )]
    );
    for row in [
        "`src/x.rs` | Add/Modify | x",
        "`src/x.rs` | Modify | x",
        "`src/` | Add | x",
        "`src/*.rs` | Add | x",
    ] {
        assert_eq!(
            rows(&[row], &with, &with, Some(&with), &[]),
            [""; 0],
            "{row}"
        );
    }
    // A row that says DO NOT MODIFY may be about a test that was there before.
    let frozen = ["`src/x.rs` | Add | DO NOT MODIFY"];
    assert_eq!(rows(&frozen, &with, &with, Some(&with), &[]), [""; 0]);
    let below = ["`src` | Add | x"];
    let directory = "7 error design-add-exists src: src is a directory, not a file to add / write `src/` for everything below it";
    assert_eq!(rows(&below, &with, &with, None, &below), [directory]);
    assert_eq!(rows(&below, &with, &with, Some(&with), &[]), [directory]);
}

#[test]
fn a_row_that_names_the_end_of_one_file_is_told_its_path() {
    let said = in_tree("`x.rs` | Add/Modify | x", &["src/x.rs"]);
    let message = "there is no x.rs, but src/x.rs ends with it";
    let help = "did you mean `src/x.rs`? guard reads every path from the root";
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(
        said[0].contains(message) && said[0].contains(help),
        "{said:?}"
    );
    for row in ["`x.rs` | Delete | x", "`x.rs` | Modify | x"] {
        let said = in_tree(row, &["src/x.rs"]);
        assert!(
            said.len() == 1 && said[0].ends_with("did you mean `src/x.rs`?"),
            "{said:?}"
        );
    }
    // The path is there, or names a directory.
    let itself = in_tree("`x.rs` | Modify | x", &["x.rs", "src/x.rs"]);
    assert_eq!(itself, [""; 0]);
    let directory = in_tree("`x/` | Modify | x", &["src/x"]);
    assert!(
        !directory.concat().contains("did you mean"),
        "{directory:?}"
    );
    let several = in_tree("`x.rs` | Add/Modify | x", &["src/x.rs", "lib/x.rs"]);
    assert!(!several.concat().contains("did you mean"), "{several:?}");
}

#[test]
fn a_row_that_means_another_file_is_shortened() {
    let there = Tree::of(&["src/x.rs", "src/y.rs", "y.rs", "lib/z.rs", "src/z.rs"]);
    let shortened = |row: &str| -> Vec<String> {
        let design = parsed(DESIGN, &document(&[row]), &Settings::default());
        let found = check_shortened_rows(&design.grants, &[&there]);
        let help = found.iter().filter_map(|finding| finding.help.last());
        help.map(|help| (**help).to_owned()).collect()
    };
    assert_eq!(
        shortened("`x.rs` | Delete | x"),
        ["did you mean `src/x.rs`?"]
    );
    assert_eq!(
        shortened("`x.rs` | Modify | x"),
        ["did you mean `src/x.rs`?"]
    );
    for row in [
        "`x.rs` | Add | x",
        "`x.rs` | Add/Modify | x",
        "`src/x.rs` | Modify | x",
        "`y.rs` | Modify | x",
        "`z.rs` | Modify | x",
        "`src/` | Modify | x",
        "`w.rs` | Modify | x",
    ] {
        assert_eq!(shortened(row), [""; 0], "{row}");
    }
    let design = parsed(
        DESIGN,
        &document(&["`x.rs` | Modify | x"]),
        &Settings::default(),
    );
    assert_eq!(check_shortened_rows(&design.grants, &[]), []);
}

#[test]
fn content_is_read_of_governing_designs_and_of_what_rules_look_into() {
    let policy = commit("", &["`src/x.rs` | Modify | x"]).policy;
    for (path, expected) in [(DESIGN, true), (".gitmodules", true), ("src/x.rs", false)] {
        let wants = wants_content_under(&policy, path.into());
        assert_eq!(wants, expected, "{path}");
    }
}

#[test]
fn a_path_of_a_tree_is_a_directory_or_a_file() {
    let tree = Tree::of(&["src/a.rs"]);
    let files = FilesOfTree::new(&tree);
    assert_eq!(files.is_directory("src"), Some(true));
    assert_eq!(files.is_directory("src/a.rs"), Some(false));
    assert_eq!(files.is_directory("lib"), None);
}
