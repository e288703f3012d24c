//! What `guard scope import` proposes for the documents of `fixtures/plans`.
//!
//! `NAME.proposes` lists what a reviewer of `NAME.md` would grant: `write PATH` or `delete PATH`. Its first line says where
//! the document lies.

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
        let rows = proposed(at, &text);
        for line in expected.lines() {
            let (word, path) = line.split_once(' ').unwrap();
            let row = rows.iter().find(|row| {
                row.ends_with(&format!(" {path}")) || row.ends_with(&format!(" {path}/"))
            });
            let is_certain = row.is_some_and(|row| {
                !row.starts_with('?') && row.starts_with("Delete") == (word == "delete")
            });
            all += 1;
            found += usize::from(row.is_some());
            certain += usize::from(is_certain);
            if row.is_none() {
                missed.push_str(&format!("{at}: {line}\n"));
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

/// Type and path of each row that guard proposes for a document, after a `?` if it is doubtful.
fn proposed(at: &str, text: &str) -> Vec<String> {
    let rows = rows_of_document(at.into(), text, &|_| None);
    let row = |row: &String| {
        let cells: Vec<&str> = row.split(" | ").collect();
        let (mark, cells) = match *cells {
            ["?", ref cells @ ..] => ("? ", cells),
            ref cells => ("", cells),
        };
        format!(
            "{mark}{} {}",
            cells[1],
            cells[0].trim_matches(['|', ' ', '`'])
        )
    };
    rows.iter().map(row).collect()
}

#[track_caller]
fn check(documents: &[(&str, &[&str])]) {
    for (text, expected) in documents {
        assert_eq!(proposed("docs/lld/LLD-1.md", text), *expected, "{text}");
    }
}

#[test]
fn every_form_of_naming_files_is_read() {
    let two = &["Add src/a.ts", "Add src/b.ts"][..];
    check(&[
        (
            "---\nfiles_modified:\n  - src/a.ts # new\n  - \"src/b.ts\"\n---\n",
            two,
        ),
        ("<task>\n<files>src/a.ts, src/b.ts</files>\n</task>\n", two),
        ("**Files:** `src/a.ts`; `src/b.ts` (new)\n", two),
        ("- Affected code: `src/a.ts`, `src/b.ts`\n", two),
        (
            "**Files to create:**\n\n```\nsrc/a.ts\nsrc/b.ts (new)\n```\n",
            two,
        ),
        (
            "## Files to Modify\n\n1. `src/a.rs` - why\n",
            &["Modify src/a.rs"],
        ),
        (
            "# Tasks\n\n- [ ] T012 [P] Create the model in src/models/task.py\n",
            &["Add src/models/task.py"],
        ),
        (
            "- [ ] Add page app/[id]/(auth)/page.tsx\n",
            &["? Add app/[id]/(auth)/page.tsx"],
        ),
        ("#### [MODIFY] [a.rs](src/a.rs)\n", &["Modify src/a.rs"]),
        (
            "| Action | File |\n|-|-|\n| NEW | `src/a.rs` |\n| Deleted | `src/b.rs` |\n",
            &["? Add src/a.rs", "? Delete src/b.rs"],
        ),
        ("**Deleted Files:**\n- `src/a.rs`\n", &["Delete src/a.rs"]),
        ("Change src/a.rs here.", &["? Modify src/a.rs"]),
        ("Delete src/a.rs here.", &["? Delete src/a.rs"]),
        (
            "Modify src/a.rs and src/c.rs.",
            &["? Modify src/a.rs", "? Modify src/c.rs"],
        ),
        (
            "Modify src/a.rs(src/c.rs) here.",
            &["? Modify src/a.rs", "? Modify src/c.rs"],
        ),
        (
            "```\nsrc/a.rs  # x\n  src/c.rs\n```\n",
            &["? Add src/a.rs", "? Add src/c.rs"],
        ),
        (
            "```\nsrc/\n├── a.rs  # NEW\n├── sub/\n│   └── b.rs  # change\n└── c.rs\n```\n",
            &["Add src/a.rs", "? Modify src/sub/b.rs", "? Add src/c.rs"],
        ),
    ]);
}

#[test]
fn doubt_and_denial_in_any_language_get_a_question_mark() {
    for line in [
        "- Avoid touching `src/a.rs`",
        "- `src/a.rs` stays untouched",
        "- Keep: `src/a.rs`",
        "- probably `src/a.rs`",
        "- `src/a.rs` or equivalent (if it exists)",
        "- Nicht ändern `src/a.rs`",
        "- 不要修改 `src/a.rs`",
        "- 変更しない：src/a.rsを参照",
        "The loader calls `src/a.rs`.",
    ] {
        let rows = proposed("d.md", &format!("**Files:**\n\n{line}\n"));
        assert_eq!(rows.len(), 1, "{line}: {rows:?}");
        assert!(
            rows[0].starts_with("? ") && rows[0].ends_with(" src/a.rs"),
            "{line}: {rows:?}"
        );
    }
    check(&[
        (
            "## Rollback\n\n**Files:**\n- Modify: `src/a.rs`\n",
            &["? Modify src/a.rs"],
        ),
        // What the grammar grants is certain, wherever else the path is named.
        (
            "The API of `src/a.rs` is old.\n\n**Files:**\n- Modify: `src/a.rs`\n",
            &["Modify src/a.rs"],
        ),
    ]);
}

#[test]
fn quotes_samples_and_words_that_are_no_paths_propose_nothing() {
    check(&[
        ("> **Files:**\n> - Create: `src/a.rs`\n", &[]),
        ("```js\n// src/a.js\nimport x from './b.js'\n```\n", &[]),
        (
            "````markdown\n**Files:**\n- Create: `src/a.rs`\n````\n",
            &[],
        ),
        ("<!-- <files>src/a.rs</files> -->\n", &[]),
        ("Look <!-- Change src/b.rs. --> here.\n", &[]),
        (
            "Use and/or read/write, v1.2, https://a.b/c.rs and `GET /api/x`.\n",
            &[],
        ),
        ("- ~~Create `src/a.rs`~~\n", &[]),
        (
            "- Create `../other/a.rs`, `~/.cache/a.json`, `C:\\a.rs` and `src/<name>.rs`\n",
            &[],
        ),
    ]);
}
