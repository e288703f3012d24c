//! What is written is read back as exactly what was asked for, whatever the paths contain.
#![allow(clippy::unwrap_used)]

use bstr::BString;

use super::*;
use crate::design::MissingRow;
use fastrand::Rng;

fn parse(text: &str) -> Design {
    design::parse("d.md".into(), text.as_bytes(), &Settings::default())
}

fn wanted<'a>(path: &'a str, word: &'a str) -> MissingRow<'a> {
    MissingRow {
        path: path.into(),
        from: None,
        word,
        actions: actions_of(word).unwrap_or_default(),
    }
}

/// A path of ordinary and hostile parts.
fn path(dice: &mut Rng) -> BString {
    const PARTS: &[&str] = &[
        "a",
        "b.rs",
        "src",
        "/",
        "/",
        "|",
        "`",
        "``",
        "` | Delete | x | `y",
        "\\",
        "\n",
        "\r",
        "*",
        "{a,b}",
        "[id]",
        "(x)",
        " ",
        "<b>",
        "<!--",
        "&amp;",
        "é",
        "\u{202e}",
        "\u{7}",
        ":12",
        "#L3",
        "~~",
        "$x",
        "->",
        "TODO",
        "N/A",
        "..",
        "guard.toml",
        "d.md",
        "_",
        "…",
        ",",
        "'",
    ];
    let mut path = String::from(if dice.usize(..4) == 0 { "" } else { "src/" });
    for _ in 0..=dice.usize(..4) {
        path.push_str(PARTS[dice.usize(..PARTS.len())]);
    }
    path.into()
}

const DOCUMENTS: &[&str] = &[
    "",
    "# A plan\r\n\r\nText.\r\n",
    "# A plan\n\n**Files:**\n- Create: `old.rs`\n\n### Out of scope\n\nText",
    "# New\n\n## Files Changed\n\n| File | Change Type | Description |\n|---|---|---|\n",
    "## Files Changed\n\n| # | Action | File | Why |\n|-|-|-|-|\n| 1 | Add | `old.rs` | x |\n\nText.\n",
];

#[test]
fn written_rows_are_read_back_as_exactly_these_grants() {
    let mut dice = Rng::with_seed(7);
    let mut written = 0;
    let mut left_out = 0;
    for round in 0..400 {
        let description = path(&mut dice).to_string();
        let mut rows: Vec<(String, &str)> = Vec::new();
        for _ in 0..=dice.usize(..5) {
            let word = ["Add", "Modify", "Delete", "Add/Modify", "Symlink"][dice.usize(..5)];
            let path = path(&mut dice).to_string();
            let bare = path.trim_end_matches('/');
            let is_known = rows
                .iter()
                .any(|(known, _)| known.trim_end_matches('/') == bare);
            match row("d.md".into(), path.as_str().into(), word, &description) {
                Some(_) if !is_known => rows.push((path, word)),
                _ => left_out += 1,
            }
        }
        let document = parse(DOCUMENTS[round % DOCUMENTS.len()]);
        let wanted: Vec<_> = rows.iter().map(|(path, word)| wanted(path, word)).collect();
        // Two rows of one path contradict each other; such a table is not written.
        let Ok(text) = insert(&document, &wanted, &description, &parse) else {
            continue;
        };
        written += rows.len();
        let design = parse(&text);
        for (path, word) in &rows {
            let mut grants = design.grants.iter();
            let grant = grants
                .find(|grant| grant.path == path.trim_end_matches('/'))
                .unwrap();
            assert_eq!(Some(grant.actions), actions_of(word), "{text}");
        }
        assert_eq!(
            design.grants.len(),
            document.grants.len() + rows.len(),
            "{text}"
        );
    }
    assert!(
        written > 200 && left_out > 200,
        "{written} written, {left_out} left out"
    );
}

#[test]
fn row_with_a_question_mark_grants_nothing() {
    for word in ["Add", "Modify", "Delete", "Add/Modify"] {
        let rows = [format!("? | `a.rs` | {word} | x |")];
        assert_eq!(parse(&section(&rows)).grants, []);
    }
}

#[test]
fn document_that_would_grant_anything_else_is_not_changed() {
    let row = row("d.md".into(), "a.rs".into(), "Add", "").unwrap();
    // The end of an open fence, comment or other section is no place for a table.
    for text in [
        "```\nopen\n",
        "<!-- open\n",
        "# A\n\n# Out of scope\n\n<pre>\n",
    ] {
        assert!(
            add_table(&parse(text), std::slice::from_ref(&row), &parse).is_err(),
            "{text}"
        );
    }
    // A section of the same level that is out of scope ends before it.
    let text = add_table(&parse("## Out of scope\n\nText.\n"), &[row], &parse).unwrap();
    assert!(text.ends_with("| `a.rs` | Add | … |\n"));
    for word in ["Rename", "Exists", "Frobnicate", "", "Add | x", "Add\n"] {
        assert_eq!(actions_of(word), None, "{word}");
    }
}

#[test]
fn a_plain_text_has_no_marks_and_single_blanks() {
    assert_eq!(plain("a | `b`  *c*\n\nd."), "a b c d.");
}

#[test]
fn a_list_gets_items_with_its_own_bullet() {
    let list = "# A\n\n**Files:**\n* Create: `src/a.rs`\n\n## Out of scope\n\nText.\n";
    let rows = [wanted("src/d.rs", "Modify"), wanted("src/e.rs", "Delete")];
    let text = insert(&parse(list), &rows, "", &parse).unwrap();
    let items = "* Create: `src/a.rs`\n* Modify: `src/d.rs`\n* Delete: `src/e.rs`\n";
    assert_eq!(text, list.replace("* Create: `src/a.rs`\n", items));
}

#[test]
fn front_matter_gets_a_section_with_a_list() {
    let plan = "---\nfiles_modified: [src/a.rs]\n---\n\n# A\n";
    let text = insert(&parse(plan), &[wanted("src/d.rs", "Delete")], "", &parse).unwrap();
    assert_eq!(
        text,
        format!("{plan}\n## Files Changed\n\n- Delete: `src/d.rs`\n")
    );
}

#[test]
fn a_row_that_its_table_cannot_say_stands_in_a_list() {
    let table = "## Files Changed\n\n| File | Why |\n|---|---|\n| `src/a.rs` | x |\n";
    let rows = [wanted("src/d.rs", "Modify"), wanted("src/e.rs", "Delete")];
    let text = insert(&parse(table), &rows, "", &parse).unwrap();
    let expected =
        format!("{table}| `src/d.rs` | … |\n\n## Files Changed\n\n- Delete: `src/e.rs`\n");
    assert_eq!(text, expected);
}

#[test]
fn the_row_that_names_a_path_alone_gets_the_other_type() {
    let head = "## Files Changed\n\n| File | Change Type | Description |\n|---|---|---|\n";
    let others =
        "| `src/b.rs` | Modify | x |\n| `src/c.rs` | Add | x |\n| `src/d.rs` | Add | x |\n";
    let table = format!("{head}| `src/a.rs` | Add | adds it |\n{others}");
    let text = insert(&parse(&table), &[wanted("src/a.rs", "Modify")], "", &parse).unwrap();
    assert_eq!(text, table.replace("| Add | adds", "| Modify | adds"));
    let list = "**Files:**\n- Create: `src/Create.rs`\n- Modify: `src/b.rs`\n";
    let rows = [wanted("src/Create.rs", "Delete")];
    let text = insert(&parse(list), &rows, "", &parse).unwrap();
    assert_eq!(text, list.replace("- Create:", "- Delete:"));
}

#[test]
fn a_row_without_a_type_gets_another_row_beside_it() {
    let list = "**Files:**\n- `src/a.rs`\n- Modify: `src/b.rs`\n";
    let text = insert(&parse(list), &[wanted("src/a.rs", "Delete")], "", &parse).unwrap();
    assert_eq!(text, format!("{list}- Delete: `src/a.rs`\n"));
}

#[test]
fn a_row_of_several_paths_or_of_a_rename_keeps_its_type() {
    let head = "## Files Changed\n\n| File | Change Type | Description |\n|---|---|---|\n";
    let list = "**Files:**\n";
    for (text, added) in [
        (
            format!("{head}| `src/a.rs`, `src/b.rs` | Add | x |\n"),
            "| `src/a.rs` | Modify | … |\n",
        ),
        (
            format!("{head}| `src/a.rs` -> `src/b.rs` | Rename | x |\n"),
            "| `src/a.rs` | Modify | … |\n",
        ),
        (
            format!("{list}- Add: `src/a.rs`, `src/b.rs`\n"),
            "- Modify: `src/a.rs`\n",
        ),
        (
            format!("{list}- Rename: `src/a.rs` ->\n  `src/b.rs`\n"),
            "- Modify: `src/a.rs`\n",
        ),
    ] {
        let after = insert(&parse(&text), &[wanted("src/a.rs", "Modify")], "", &parse);
        assert_eq!(
            after.map_err(|error| error.message),
            Ok(format!("{text}{added}"))
        );
    }
}
