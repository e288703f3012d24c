//! What `guard scope import` proposes for the documents of `fixtures/plans`.
//!
//! `NAME.proposes` lists what a reviewer of `NAME.md` would grant: `write PATH` or `delete PATH`. Its first line says where
//! the document lies.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use write_guard::design::propose::rows_of_document;

use crate::common::SOURCE;

#[test]
fn fixtures_propose_what_their_reviewers_would_grant() {
    let directory = Path::new(SOURCE).join("fixtures/plans");
    let (mut all, mut found, mut certain) = (0, 0, 0);
    let mut missed = String::new();
    for entry in fs::read_dir(&directory).unwrap() {
        let file = entry.unwrap().path();
        if file
            .extension()
            .is_none_or(|extension| extension != "proposes")
        {
            continue;
        }
        let expected = fs::read_to_string(&file).unwrap();
        let (at, expected) = expected.split_once('\n').unwrap();
        let at = at.strip_prefix("at ").unwrap();
        let text = fs::read_to_string(file.with_extension("md")).unwrap();
        let table = rows_of_document(at.into(), &text, &|_| None);
        let mut rows: BTreeMap<String, (&str, bool)> = BTreeMap::new();
        for row in &table {
            let cells: Vec<&str> = row.trim_start_matches("? ").split(" | ").collect();
            let word = match cells[1] == "Delete" {
                true => "delete",
                false => "write",
            };
            let path = cells[0].trim_matches(['|', ' ', '`']).trim_end_matches('/');
            rows.insert(path.to_owned(), (word, !row.starts_with('?')));
        }
        for line in expected.lines() {
            let (word, path) = line.split_once(' ').unwrap();
            all += 1;
            match rows.get(path) {
                Some(row) => {
                    found += 1;
                    certain += usize::from(*row == (word, true));
                }
                None => missed.push_str(&format!("{at}: {line}\n")),
            }
        }
    }
    assert!(all > 100, "the fixtures are gone");
    assert!(found * 100 >= all * 95, "{found} of {all}:\n{missed}");
    assert!(
        certain * 100 >= all * 60,
        "only {certain} of {all} without a question mark"
    );
}

/// The proposed rows for a document, each without its description.
fn proposed(text: &str) -> Vec<String> {
    let rows = rows_of_document("docs/lld/LLD-1.md".into(), text, &|_| None);
    let cells = |row: &String| row.rsplit_once(" | ").map(|(cells, _)| cells.to_owned());
    rows.iter().filter_map(cells).collect()
}

#[test]
fn quotes_comments_code_and_struck_text_propose_nothing() {
    let modify = "? | `src/a.rs` | Modify";
    let add = "? | `src/a.rs` | Add";
    for (text, expected) in [
        ("Change src/a.rs here.", &[modify][..]),
        ("> Change src/a.rs here.", &[]),
        ("Change ~~src/b.rs~~ src/a.rs here.", &[modify]),
        (
            "<!-- Change src/b.rs here. -->\nChange src/a.rs here.",
            &[modify],
        ),
        (
            "<!--\nChange src/b.rs here.\n-->\nChange src/a.rs here.",
            &[modify],
        ),
        (
            "<!--\nChange src/b.rs here.\nChange src/d.rs here.\n-->\nChange src/a.rs here.",
            &[modify],
        ),
        ("Delete src/a.rs here.", &["? | `src/a.rs` | Delete"]),
        ("See src/a.rs.\n\nModify src/a.rs.", &[modify]),
        (
            "Modify src/a.rs and src/c.rs.",
            &[modify, "? | `src/c.rs` | Modify"],
        ),
        (
            "Modify src/a.rs(src/c.rs) here.",
            &[modify, "? | `src/c.rs` | Modify"],
        ),
        (
            "```\nsrc/a.rs  # x\n  src/c.rs\n```\n",
            &[add, "? | `src/c.rs` | Add"],
        ),
        ("```rust\nuse src/a.rs\n```\n", &[]),
        ("```\nsrc/a.rs\n```\n", &[add]),
        (
            "```text\nsrc/a.rs\n```\nChange src/c.rs here.",
            &[add, "? | `src/c.rs` | Modify"],
        ),
        ("~~~\nsrc/a.rs\n~~~\n", &[add]),
    ] {
        assert_eq!(proposed(text), expected, "{text}");
    }
}

#[test]
fn a_tree_proposes_its_entries_below_their_directories() {
    let tree = "```\nsrc/\n├── a.rs  # new\n├── sub/\n│   └── b.rs  # change\n└── c.rs\n```\n";
    let expected = [
        "| `src/a.rs` | Add",
        "? | `src/sub/b.rs` | Modify",
        "? | `src/c.rs` | Add",
    ];
    assert_eq!(proposed(tree), expected);
    let plain = "```\nsrc\n|-- a.rs\n`-- b.rs\n```\n";
    assert_eq!(
        proposed(plain),
        ["? | `src/a.rs` | Add", "? | `src/b.rs` | Add"]
    );
}

#[test]
fn a_rename_proposes_to_delete_the_file_that_exists_and_to_add_the_other() {
    let lookup = |path: &str| (path == "src/old.rs").then_some(false);
    let text = "Rename src/old.rs to src/new.rs.";
    let rows = rows_of_document("d.md".into(), text, &lookup);
    assert!(
        rows[0].starts_with("? | `src/old.rs` | Delete | "),
        "{rows:?}"
    );
    assert!(rows[1].starts_with("? | `src/new.rs` | Add | "), "{rows:?}");
    let rows = rows_of_document("d.md".into(), text, &|_| None);
    assert!(rows[0].starts_with("? | `src/old.rs` | Add | "), "{rows:?}");
}

#[test]
fn a_task_that_writes_one_file_is_certain() {
    let rows = proposed("# Tasks\n\n- [ ] T001 Create src/b.rs\n");
    assert_eq!(rows, ["| `src/b.rs` | Add"]);
}
