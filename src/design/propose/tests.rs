//! What is written is read back as exactly what was asked for, whatever the paths contain.
#![allow(clippy::unwrap_used)]

use gix::bstr::BString;

use super::*;
use crate::random::Random;

fn parse(text: &str) -> Design {
    design::parse("d.md".into(), text.as_bytes(), &Settings::default())
}

fn wanted(path: &str, change_type: &str, description: &str) -> WantedRow {
    WantedRow {
        path: path.into(),
        change_type: change_type.to_owned(),
        description: description.to_owned(),
    }
}

/// A path of ordinary and hostile parts.
fn path(dice: &mut Random) -> BString {
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
    let mut path = String::from(if dice.one_in(4) { "" } else { "src/" });
    for _ in 0..=dice.below(4) {
        path.push_str(dice.of(PARTS));
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
    let mut dice = Random(7);
    let (mut written, mut left_out) = (0, 0);
    for round in 0..400 {
        let rows: Vec<WantedRow> = (0..=dice.below(5))
            .map(|_| {
                let word = dice.of(&["Add", "Modify", "Delete", "Add/Modify", "Symlink"]);
                let description = path(&mut dice).to_string();
                wanted(&path(&mut dice).to_string(), word, &description)
            })
            .collect();
        let (mut rows, others): (Vec<_>, Vec<_>) = rows
            .into_iter()
            .partition(|row| row.text("d.md".into()).is_some());
        let mut seen = std::collections::HashSet::new();
        rows.retain(|row| seen.insert(row.bare_path().to_owned()));
        left_out += others.len();
        let document = parse(DOCUMENTS[round % DOCUMENTS.len()]);
        let is_typed = document.is_typed() && !document.grants.is_empty();
        let texts = rows.iter().filter_map(|row| row.text("d.md".into()));
        let texts: Vec<String> = texts.collect();
        let result = match is_typed {
            true => insert(&document, &rows, &parse),
            false => add_table(&document, &texts, &parse),
        };
        // Two rows of one path contradict each other; such a table is not written.
        let Ok(text) = result else {
            continue;
        };
        written += rows.len();
        let lines: Vec<&str> = text.lines().collect();
        let design = parse(&text);
        let old = usize::from(is_typed);
        for (row, text) in rows.iter().zip(&texts) {
            let mut grants = design.grants.iter();
            let grant = grants.find(|grant| grant.path == row.bare_path()).unwrap();
            assert!(is_typed || lines[grant.anchor.line - 1] == text);
            assert_eq!(Some(grant.actions), actions_of(&row.change_type), "{text}");
        }
        assert_eq!(design.grants.len(), old + rows.len(), "{text}");
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
    let row = wanted("a.rs", "Add", "").text("d.md".into()).unwrap();
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
        let row = [wanted("b.rs", word, "")];
        assert!(
            insert(&parse(DOCUMENTS[4]), &row, &parse).is_err(),
            "{word}"
        );
    }
}

#[test]
fn row_follows_the_last_one_of_its_directory() {
    let table = "## Files Changed\n\n| File | Type |\n|-|-|\n| `src/a` | Add |\n| `docs/b` | Add |\n\nText.\n";
    let line = |path: &str| {
        let row = [wanted(path, "Add", "")];
        let text = insert(&parse(table), &row, &parse).unwrap();
        text.lines().position(|line| line.contains(path)).unwrap() + 1
    };
    assert_eq!((line("src/c"), line("docs/c"), line("x/c")), (6, 7, 7));
}

#[test]
fn a_plain_text_has_no_marks_and_single_blanks() {
    assert_eq!(plain("a | `b`  *c*\n\nd."), "a b c d.");
}

#[test]
fn a_list_becomes_a_table_with_the_same_types() {
    let list = parse(
        "# A\n\n## Files Changed\n\n- Create: `src/a.rs`\n- Delete: `src/b.rs`\n- `src/c.rs`\n",
    );
    let text = insert(&list, &[wanted("src/d.rs", "Modify", "")], &parse).unwrap();
    let rows: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("| `"))
        .collect();
    let expected = [
        "| `src/a.rs` | Add | … |",
        "| `src/b.rs` | Delete | … |",
        "| `src/c.rs` | Add/Modify | … |",
        "| `src/d.rs` | Modify | … |",
    ];
    assert_eq!(rows, expected);
}

#[test]
fn some_names_are_in_no_row() {
    let list = parse("## Files Changed\n\n- `src/a.rs`\n");
    let table =
        parse("## Files Changed\n\n| File | Change Type |\n|---|---|\n| `src/a.rs` | Add |\n");
    for (path, is_read) in [
        ("src/b.rs", true),
        ("src/*", false),
        (" b.rs", false),
        ("a -> b.rs", false),
    ] {
        for design in [&list, &table] {
            let row = design.row(&crate::design::MissingRow {
                path: path.into(),
                from: None,
                word: "Add",
                actions: crate::scope::Actions::ADD,
            });
            assert_eq!(row.is_read, is_read, "{path}");
        }
    }
}
