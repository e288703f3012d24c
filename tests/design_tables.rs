//! Typed tables beyond the labelled documents of `fixtures/grammar`: the words of cells, what a grant knows, encodings,
//! and the cells of the labelled hostile paths.
#![allow(clippy::unwrap_used, clippy::print_stderr)]

use gix::bstr::BStr;
use write_guard::design::{Design, parse};
use write_guard::finding::{Level, Rule};
use write_guard::scope::settings::Settings;
use write_guard::scope::{Actions, GrantKind, Role};

use crate::common::corpus;
use crate::design_support::{HEADER, actions, add, faults, paths, read, rows};

fn any() -> Actions {
    Actions::ADD | Actions::MODIFY
}

/// What a table `File | HEADER` with these cells grants.
fn column(header: &str, cells: &[&str]) -> Design {
    let rows = cells.iter().enumerate();
    let rows: String = rows
        .map(|(n, cell)| format!("| `src/{n}.py` | {cell} |\n"))
        .collect();
    read(&format!(
        "## Files Changed\n\n| File | {header} |\n|---|---|\n{rows}"
    ))
}

#[test]
fn a_sentence_in_a_change_column_grants_add_and_modify() {
    let cells = "Remove unused imports|Delete the debug flag|Rename the helper|Move the parser into its own function|\
        Add a retry|Update the parser|Deleted: the old flag|Remove - unused imports|Delete (old) imports|\
        Remove (unused imports|New flag|Edit/refactor";
    for cell in cells.split('|') {
        let design = column("Change", &[cell]);
        assert_eq!(actions(&design), [any()], "{cell}: {:?}", design.faults);
        assert_eq!(design.grants[0].change_type, "", "{cell}");
        let mixed = column("Change", &["Delete", cell, "Modify"]);
        assert_eq!(actions(&mixed), [any(); 3], "{cell}");
    }
    for (cell, granted) in [
        ("**Removed**", Some(Actions::DELETE)),
        ("delete (no longer needed)", Some(Actions::DELETE)),
        ("Modify (the parser)", Some(Actions::MODIFY)),
        ("Add and modify", Some(any())),
        ("No changes", None),
        ("Existing", None),
    ] {
        assert_eq!(
            actions(&column("Change", &[cell])).first(),
            granted.as_ref(),
            "{cell}"
        );
    }
}

#[test]
fn a_negated_type_grants_nothing() {
    let cells = "Modify? No|Changes: none|Changes: None.|Modify: no changes|Modify (not yet)|Modify - not needed|\
        Update: n/a|Do not modify|DO NOT MODIFY|Don’t change|Modify (do not)|Never modify|No changes|Change nothing|\
        Modify no files|Not modified|Modify?|Delete (not yet)|None";
    for cell in cells.split('|') {
        let typed = rows(&format!(
            "| `a.py` | {cell} | x |\n| `b.py` | Modify | x |\n"
        ));
        assert_eq!(paths(&typed), ["b.py"], "{cell}");
        for other in ["Modify the parser", "Modify"] {
            assert_eq!(
                paths(&column("Change", &[cell, other])),
                ["src/1.py"],
                "{cell}"
            );
        }
    }
}

#[test]
fn a_question_in_a_type_grants_nothing() {
    let typed = rows("| `a.py` | Modify (really?) | x |\n| `b.py` | Modify | x |\n");
    assert_eq!(paths(&typed), ["b.py"]);
}

#[test]
fn negated_description_revokes_a_row_without_type() {
    for (header, cell, is_mention) in [
        ("Modify?", "No", true),
        ("Changes", "none", true),
        ("Changes", "No changes", true),
        ("Changed", "no", true),
        ("Description", "No changes", true),
        ("Notes", "Do not modify", true),
        (
            "Description",
            "No changes — confirm that all 14 tests pass",
            true,
        ),
        ("Description", "unchanged", true),
        ("Description", "No changes to the API; adds a cache", true),
        ("Description", "Do not modify the input in place", true),
        ("Notes", "none", false),
        ("Description", "Add an optional cache; the API stays", false),
        ("Description", "Handle a page not found", false),
        ("Risk", "no", false),
    ] {
        let design = column(header, &[cell, "yes"]);
        assert_eq!(
            design.grants.len(),
            2 - usize::from(is_mention),
            "{header}: {cell}"
        );
        assert_eq!(
            design.mentions.len(),
            usize::from(is_mention),
            "{header}: {cell}"
        );
    }
}

#[test]
fn a_grant_knows_its_type_description_role_and_place() {
    let design = rows(
        "| `src/a.py` | Add | New module |\n| `config/a.toml` | Modify | Key |\n| `tests/é.py` | Add (Directory) | |\n| `c` -> `d` | **Moved** | |\n",
    );
    let grants = design.grants.iter();
    let roles: Vec<Role> = grants.clone().map(|grant| grant.role).collect();
    let other = Role::Implementation;
    assert_eq!(roles, [other, Role::Config, Role::Test, other, other]);
    let first = &design.grants[0];
    assert_eq!(
        (&*first.change_type, &*first.description),
        ("Add", "New module")
    );
    assert_eq!(design.grants[2].kind, GrantKind::Directory);
    assert_eq!(design.grants[3].renamed.as_ref().unwrap(), "d");
    assert_eq!(design.grants[4].renamed.as_ref().unwrap(), "c");
    assert_eq!(
        actions(&design),
        [add(), Actions::MODIFY, add(), Actions::DELETE, any()]
    );
    let anchor = &design.grants[2].anchor;
    assert_eq!((anchor.line, anchor.column), (9, 3));
    assert_eq!(&design.text[anchor.span.clone()], "`tests/é.py`");
    let list = read("## Files to Create\n\n- `c.py` — text with `code.py`\n");
    assert_eq!(list.grants[0].description, "text with `code.py`");
}

#[test]
fn settings_name_headings() {
    let options = Settings {
        headings: vec!["Implementation Paths".into()],
        ..Settings::default()
    };
    let text = format!(
        "## 4. Implementation Paths\n\n{HEADER}| `a_check.py` | Add | x |\n| `tests/b.py` | Add | x |\n"
    );
    let design = parse(BStr::new("d.md"), text.as_bytes(), &options);
    let roles: Vec<Role> = design.grants.iter().map(|grant| grant.role).collect();
    assert_eq!(roles, [Role::Implementation, Role::Test]);
}

#[test]
fn each_fault_has_its_rule_and_says_what_is_meant() {
    let two =
        "| `a.py` | Add | x |\n\n## Files Changed\n\n| File | Type |\n|-|-|\n| `b.py` | Add |\n";
    for (row, rule, level, said) in [
        (
            "| `../a` | Add | x |\n",
            Rule::DesignOutside,
            Level::Error,
            "`..`",
        ),
        (
            "| `**/*` | Add | x |\n",
            Rule::DesignTooWide,
            Level::Error,
            "whole workspace",
        ),
        (
            "| `{x}` | Add | x |\n",
            Rule::DesignPlaceholder,
            Level::Error,
            "placeholder",
        ),
        (
            "| `a` | Foo | x |\n",
            Rule::DesignBadRow,
            Level::Error,
            "`Foo`",
        ),
        (
            "| src/*/x/*.py | Add | x |\n",
            Rule::DesignBadRow,
            Level::Error,
            "src/*/x/*.py",
        ),
        (
            "| `a` | Add | x |\n| `a` | Add | x |\n",
            Rule::DesignDuplicate,
            Level::Warning,
            "line 7",
        ),
        (two, Rule::DesignAmbiguous, Level::Error, "line 5"),
    ] {
        let design = rows(row);
        let fault = design
            .faults
            .iter()
            .find(|fault| fault.rule == rule)
            .unwrap();
        assert_eq!(fault.rule.default_level(), level, "{row}");
        assert!(fault.message.contains(said), "{row}: {}", fault.message);
        assert!(!fault.help.is_empty(), "{row}");
    }
}

#[test]
fn an_empty_document_has_one_fault() {
    assert_eq!(faults(&read("")), [("no-section", 0)]);
    assert_eq!(faults(&read("\n\n")), [("no-section", 2)]);
}

#[test]
fn encodings_and_line_endings() {
    let text = format!("### 2.1 Files Changed\n\n{HEADER}| `ä/é.py` | Add | x |\n");
    let design = read(&format!("\u{feff}{}", text.replace('\n', "\r\n")));
    assert_eq!(paths(&design), ["ä/é.py"]);
    let anchor = &design.grants[0].anchor;
    assert_eq!((anchor.line, anchor.column), (5, 3));
    assert_eq!(&design.text[anchor.span.clone()], "`ä/é.py`");
    assert!(design.text.starts_with('\u{feff}'));
    for (hidden, line) in [
        (text.replace('\n', "\r\r\n"), 1),
        (text.replace('\n', "\r"), 1),
        (format!("{text}\0"), 6),
        (format!("{text}\r"), 6),
        (text.replace("x |\n", "x |\r| `b.py` | Add | x |\n"), 5),
    ] {
        let design = read(&hidden);
        assert_eq!(faults(&design), [("hidden-bytes", line)], "{hidden:?}");
        assert!(!design.is_usable(), "{hidden:?}");
    }
    let latin = [text.as_bytes(), b"\ncaf\xe9\n"].concat();
    let latin = parse(BStr::new("d.md"), &latin, &Settings::default());
    assert_eq!(faults(&latin), [("non-utf8", 7)]);
    assert_eq!(latin.faults[0].anchor.as_ref().unwrap().column, 4);
    assert!(!latin.is_usable());
}

#[test]
fn every_cell_of_the_corpus_gets_the_decided_verdict() {
    let corpus = corpus::entries();
    let mut wrong = Vec::new();
    let cells = corpus.iter().filter(|entry| entry["context"] == "lld-cell");
    assert!(cells.clone().count() >= 63, "the corpus has lost cells");
    for entry in cells {
        let text = corpus::design_with(&corpus::input(entry));
        let path = BStr::new("docs/lld/LLD-188.md");
        let design = parse(path, &text, &Settings::default());
        let reasons: Vec<&str> = design.faults.iter().map(|fault| fault.reason).collect();
        let expected = corpus::text(entry, "expected");
        let grants = design.grants.iter();
        let grants = grants.map(|grant| (grant.kind.name().to_owned(), grant.path.to_string()));
        let is_right = match expected.starts_with("reject:") {
            true => !design.is_usable() && !reasons.is_empty(),
            false => reasons.is_empty() && grants.eq(corpus::parsed_as(entry)),
        };
        if !is_right {
            wrong.push(format!("{}: {:?} {reasons:?}", entry["id"], design.grants));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_design_may_have_a_million_bytes() {
    let table = format!("## Files Changed\n\n{HEADER}| `a.py` | Add | x |\n\n");
    for (size, expected) in [
        (1_000_000, None),
        (
            1_000_001,
            Some("the document has 1000001 bytes, more than 1000000"),
        ),
    ] {
        let text = format!("{table}{}\n", "x".repeat(size - table.len() - 1));
        let design = read(&text);
        assert_eq!(design.is_usable(), expected.is_none());
        assert_eq!(design.faults.first().map(|fault| &*fault.message), expected);
    }
}

#[test]
fn a_passage_with_a_path_that_climbs_grants_nothing_and_says_so_once() {
    let design = read("## Files Changed\n\n- Modify: `src/a.py`\n- Modify: `../b.py`\n");
    assert!(!design.is_usable());
    let reasons: Vec<&str> = faults(&design)
        .into_iter()
        .map(|(reason, _)| reason)
        .collect();
    assert_eq!(reasons, ["relative-paths", "dotdot"]);
}

#[test]
fn tables_of_the_same_role_are_ambiguous_and_those_of_different_ones_are_joined() {
    for (one, other, is_usable) in [
        ("Files to Create", "Files to Create", false),
        ("Files to Create", "Files to Modify", true),
        ("Files to Create", "Files Changed", false),
        ("Files Changed", "Files to Modify", false),
    ] {
        let design = read(&format!(
            "## {one}\n\n{HEADER}| `a.py` | Add | x |\n\n## {other}\n\n{HEADER}| `b.py` | Add | x |\n"
        ));
        assert_eq!(design.is_usable(), is_usable, "{one} {other}");
        let mut faults = design.faults.iter();
        let is_ambiguous = faults.any(|fault| fault.rule == Rule::DesignAmbiguous);
        assert_eq!(is_ambiguous, !is_usable, "{one} {other}");
    }
}

#[test]
fn only_a_table_with_types_is_typed_and_only_grants_make_a_design_usable() {
    let typed = rows("| `src/a.py` | Add | x |\n");
    assert!(typed.is_typed());
    assert_eq!(typed.clone().usable().unwrap(), typed);
    let list = read("## Files Changed\n\n- `src/a.py`\n");
    assert!(!list.is_typed() && list.usable().is_ok());
    let error = read("# Plan\n").usable().unwrap_err();
    assert_eq!(error.message, "the design docs/lld/LLD-1.md cannot be used");
}

#[test]
fn a_path_that_climbs_is_the_only_fault_where_nothing_is_granted() {
    let design = read("## Files Changed\n\n- Modify: `../b.py`\n");
    assert_eq!(faults(&design), [("dotdot", 3)]);
}

#[test]
fn the_help_of_a_fault_has_rows_to_paste_and_a_sentence_with_a_command() {
    let bad = rows("| `../a.py` | Add | x |\n").findings();
    assert_eq!(bad[0].design_line(), Some(("docs/lld/LLD-1.md".into(), 7)));
    let findings = read("# Plan\n").findings();
    let help = &findings[0].help;
    let rows = help.iter().filter(|line| line.is_row()).count();
    assert_eq!((help.len(), rows), (5, 3));
    assert_eq!(
        &**help.last().unwrap(),
        "to propose a table from this document: guard scope import docs/lld/LLD-1.md"
    );
    assert!(!help.last().unwrap().is_to_paste());
}

#[test]
fn what_a_typed_table_covers_or_mentions_is_not_beyond_it() {
    for (path, is_beyond) in [
        ("src/a.py", false),
        ("src/seen.py", false),
        ("docs/a.md", false),
        ("src/b.py", true),
    ] {
        let design = read(&format!(
            "## Files Changed\n\n{HEADER}| `src/a.py` | Add | x |\n| `src/seen.py` | Exists | x |\n\
             | `docs/` | Modify | x |\n\n**Files:**\n\n- `{path}`\n"
        ));
        let expected: &[&str] = if is_beyond { &["beyond-table"] } else { &[] };
        let reasons: Vec<_> = faults(&design)
            .into_iter()
            .map(|(reason, _)| reason)
            .collect();
        assert_eq!(reasons, expected, "{path}");
    }
}

#[test]
fn an_emphasised_link_in_a_cell_is_a_path() {
    let design = rows("| [_src/a.py_](src/a.py) | Modify | x |\n");
    assert_eq!(paths(&design), ["src/a.py"]);
}
