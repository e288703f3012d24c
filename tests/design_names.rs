//! File names that could mean something else in a design, and the rows that guard prints for them.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;

use crate::common::{DESIGN, Repo};
use serde_json::Value;

/// Names, separated by `¦`, that a design could misread: placeholders, Markdown, globs, line numbers, arrows, other systems' paths.
const NAMES: &str = "TODO¦TBD¦None¦N/A¦-¦…¦...¦?¦XXXX-name.md¦path/to/file.py¦src/<T>.hpp¦{{name}}/a.py¦{only}¦\
    src/{a,b}.py¦a.py:12¦a.py:1-2¦a.py#L10¦a|b.py¦|¦a`b.py¦``¦`TODO`¦x y.py¦ leading¦two  blanks¦*¦**.py¦a*b.py¦\
    ~x¦~$report.doc¦old -> new.py¦old → new.py¦old => new.py¦don't.py¦it's \"q\" # c¦'quoted'¦\"quoted\"¦\
    # heading¦key: value¦file:x¦mailto:x¦to be done¦TODO: x¦(x)¦a.py (directory)¦a.py (no changes)¦\
    $(touch x).txt¦_x_.py¦__init__.py¦a,b.py¦a;b.py¦&amp;.txt¦<br>¦<!--¦[x](y).md¦[id].tsx¦no¦not.py¦none¦\
    Delete¦ä.py¦back\\slash.py¦back\\|slash.py";

/// Names that no row of a table can give.
const IN_TABLES: &str = " leading¦*¦**.py¦...¦<br>¦XXXX-name.md¦a*b.py¦a.py#L10¦a.py:1-2¦a.py:12¦back\\slash.py¦\
    back\\|slash.py¦file:x¦mailto:x¦old -> new.py¦old => new.py¦old → new.py¦path/to/file.py¦src/<T>.hpp¦\
    src/{a,b}.py¦{only}¦{{name}}/a.py¦~$report.doc¦~x¦…";

/// Names with blanks, which only the rows of a table can give.
const WITH_BLANKS: &str = "# heading¦$(touch x).txt¦TODO: x¦a.py (directory)¦a.py (no changes)¦it's \"q\" # c¦\
    key: value¦to be done¦two  blanks¦x y.py";

#[derive(Clone, Copy, Debug, PartialEq)]
enum Action {
    Add,
    Modify,
    Delete,
    Rename,
}

/// The text before and after pasted rows.
const FORMS: &[(&str, &str)] = &[
    (
        "typed table",
        "# Plan\n\n## Files Changed\n\n| # | File | Change Type | Why |\n|-|-|-|-|\n| 1 | `unrelated.rs` | Modify | x |\n",
    ),
    (
        "table",
        "# Plan\n\n## Files Changed\n\n| Why | File |\n|-|-|\n| x | `unrelated.rs` |\n",
    ),
    (
        "change column",
        "# Plan\n\n## Files Changed\n\n| File | Change |\n|-|-|\n| unrelated.rs | Modify |\n",
    ),
    ("list", "# Plan\n\n**Files:**\n\n- Modify: `unrelated.rs`\n"),
    (
        "headings",
        "# Plan\n\n#### [MODIFY] [unrelated.rs](unrelated.rs)\n\n",
    ),
    (
        "front matter",
        "---\nfiles_modified:\n  - unrelated.rs\n---\n\n# Plan\n\n",
    ),
];

/// A governed repository in which every name goes through the action; the change is staged.
fn changed(action: Action, design: &str) -> Repo {
    let repo = Repo::new();
    repo.govern(&[("x", "Add", "")]);
    repo.stage(DESIGN, design);
    let content = |name: &str| format!("the file called {name}\nand three\nmore lines\nof text\n");
    let old = |name: &str| match action {
        Action::Rename => format!("old/{name}.was"),
        _ => name.to_owned(),
    };
    repo.write("unrelated.rs", "x\n");
    if action != Action::Add {
        for name in NAMES.split('¦') {
            repo.write(old(name), content(name));
        }
    }
    repo.git(&["add", "--all"]);
    repo.commit("Start");
    for name in NAMES.split('¦') {
        match action {
            Action::Add => repo.write(name, content(name)),
            Action::Modify => repo.write(name, content(name) + "and one\n"),
            Action::Delete | Action::Rename => {
                std::fs::remove_file(repo.path(old(name))).unwrap();
                if action == Action::Rename {
                    repo.write(name, content(name));
                }
            }
        }
    }
    repo.git(&["add", "--all"]);
    repo
}

/// The paths of refused changes with the last line of their help.
fn advice(report: &Value) -> Vec<(String, String)> {
    let findings = report["findings"].as_array().unwrap().iter();
    let errors = findings.filter(|finding| finding["level"] == "error");
    let advice = errors.map(|finding| {
        let help = finding["help"].as_array().unwrap();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        // The command comes after the row.
        let mut steps = help.iter().rev().map(text);
        let row = steps.find(|step| !step.contains(": guard "));
        (text(&finding["path"]), row.unwrap())
    });
    advice.collect()
}

fn pasted_rows_are_accepted(form: usize, action: Action) {
    let (called, design) = FORMS[form];
    let repo = changed(action, design);
    let (unnamed, named): (Vec<_>, Vec<_>) = advice(&repo.json(&["lint"]))
        .into_iter()
        .partition(|(_, help)| help.ends_with("give the file another name"));
    let rows: BTreeSet<String> = named.into_iter().map(|(_, row)| row).collect();
    let unnamed: BTreeSet<String> = unnamed.into_iter().map(|(path, _)| path).collect();
    if action == Action::Add {
        let with_blanks = WITH_BLANKS.split('¦').filter(|_| form >= 3);
        let expected = IN_TABLES.split('¦').chain(with_blanks);
        let expected: BTreeSet<String> = expected.map(str::to_owned).collect();
        assert_eq!(unnamed, expected, "{called}");
    }
    assert!(rows.len() >= 20, "{called}, {action:?}: {rows:#?}");
    let pasted: String = rows.iter().map(|row| format!("{row}\n")).collect();
    let pasted = match form {
        ..4 => pasted,
        _ => pasted.replace('\n', "\n\n"),
    };
    repo.write(DESIGN, format!("{design}{pasted}"));
    repo.git(&["commit", "--quiet", "-m", "Amend", "--", DESIGN]);
    let report = repo.json(&["lint"]);
    let left: BTreeSet<String> = advice(&report).into_iter().map(|(path, _)| path).collect();
    assert_eq!(left, unnamed, "{called}, {action:?}");
    assert_eq!(
        repo.json(&["scope", "check"])["problems"],
        serde_json::json!([]),
        "{called}, {action:?}"
    );
}

#[test]
fn a_printed_row_is_accepted_in_a_table() {
    for action in [Action::Add, Action::Modify, Action::Delete, Action::Rename] {
        pasted_rows_are_accepted(0, action);
    }
    for action in [Action::Add, Action::Modify] {
        pasted_rows_are_accepted(1, action);
    }
    pasted_rows_are_accepted(2, Action::Add);
}

#[test]
fn a_printed_item_or_line_is_accepted_beside_other_forms() {
    for action in [Action::Add, Action::Modify, Action::Delete, Action::Rename] {
        pasted_rows_are_accepted(3, action);
    }
    pasted_rows_are_accepted(4, Action::Delete);
    pasted_rows_are_accepted(5, Action::Rename);
}
