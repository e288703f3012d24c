//! Documents beyond the labelled ones of `fixtures/grammar`: what they grant and report, what a grant knows, encodings, and
//! the cells of the labelled hostile paths.
#![allow(clippy::unwrap_used, clippy::print_stderr)]

use gix::bstr::BStr;
use write_guard::design::{Design, parse};
use write_guard::finding::{Level, Rule};
use write_guard::scope::settings::Settings;
use write_guard::scope::{Actions, GrantKind, Role};

use crate::common::corpus;
use crate::design_support::{HEADER, actions, add, any, faults, paths, read, rows};

fn reasons(design: &Design) -> Vec<&'static str> {
    faults(design)
        .into_iter()
        .map(|(reason, _)| reason)
        .collect()
}

/// Checks the granted paths and the reasons of the faults of each document, of which `# Plan` is the title.
#[track_caller]
fn check(documents: &[(&str, &[&str], &[&str])]) {
    for (text, granted, reported) in documents {
        let design = read(&format!("# Plan\n\n{text}\n"));
        assert_eq!(paths(&design), *granted, "{text}: {:?}", design.faults);
        assert_eq!(reasons(&design), *reported, "{text}");
    }
}

#[test]
fn a_heading_names_one_file_and_says_nothing_more() {
    let none = &["no-section"][..];
    let bad = &["ambiguous-cell"][..];
    check(&[
        ("#### [MODIFY] [a.py](src/a.py)", &["src/a.py"], &[]),
        ("#### [MODIFY] src/a.py", &["src/a.py"], &[]),
        ("#### [MODIFY] [b.py](src/a.py)", &[], bad),
        ("#### [MODIFY] [a.py](src/a.py) maybe", &[], bad),
        ("#### [MODIFY] [a.py](src/a.py) [b.py](src/b.py)", &[], bad),
        ("#### [MODIFY] src/a.py src/b.py", &[], bad),
        ("#### [CHECK] src/a.py", &[], none),
        ("#### [ADD] src/a.py", &[], none),
        ("#### [MODIFY]", &[], none),
    ]);
}

#[test]
fn what_resembles_a_label_of_files_is_reported_as_unread() {
    for (label, is_reported) in [
        ("Some files that matter:", true),
        ("**Some files that matter**", true),
        ("__Some files that matter:__", true),
        ("Some files that matter", false),
        ("Some things that matter:", false),
        ("**Some things that matter**", false),
    ] {
        let expected: &[&str] = if is_reported { &["unknown-label"] } else { &[] };
        let list = format!("{label}\n\n- `src/a.py`\n\n## Files Changed\n\n- `src/b.py`");
        let code = list.replace("- `src/a.py`", "```\nsrc/a.py\n```");
        check(&[
            (&list, &["src/b.py"], expected),
            (&code, &["src/b.py"], expected),
        ]);
    }
}

#[test]
fn passages_have_edges() {
    let two = &["src/a.py", "src/b.py"][..];
    check(&[
        // Items on the line of a label stand between semicolons, and only behind the colon.
        ("**Files:** `src/a.py`; `src/b.py`", two, &[]),
        ("**Files (new):** `src/a.py` (x; y); `src/b.py`", two, &[]),
        ("**Files:** `src/a.py`;", &["src/a.py"], &[]),
        ("Files; changed: `src/a.py`; `src/b.py`", two, &[]),
        ("****", &[], &["no-section"]),
        // A tag lists files by line and by commas outside of brackets, which end with their line.
        (
            "<task>\n<files>src/a.py, src/b.py</files>\n</task>",
            two,
            &[],
        ),
        (
            "<task>\n<files>src/a.py (x, y); src/b.py</files>\n</task>",
            two,
            &[],
        ),
        (
            "<task>\n<files>src/x.py (x\n- src/a.py, src/b.py</files>\n</task>",
            two,
            &["ambiguous-cell"],
        ),
        // A label inside a paragraph announces nothing.
        (
            "Some words.\n**Files:** `src/a.py`",
            &[],
            &["no-section", "unread-passage"],
        ),
        // A group that excludes ends with its items.
        (
            "- **Do not modify:**\n  - **Files:** `src/x.py`\n- **Files:** `src/a.py`",
            &["src/a.py"],
            &[],
        ),
        // A table below a label that leads elsewhere lists no files.
        (
            "**Files:**\n\n| Path | Purpose |\n|---|---|\n| `src/a.py` | `src/b.py` |",
            &["src/a.py"],
            &[],
        ),
        (
            "**Files:**\n\n| Purpose | Path |\n|---|---|\n| `src/a.py` | `src/b.py` |",
            &[],
            &["no-section", "unread-passage"],
        ),
        // The end of a comment begins no element.
        (
            "<!--<s>-->\n\n## Files Changed\n\n- `src/a.py`",
            &["src/a.py"],
            &[],
        ),
        // A path that climbs may make the others relative, too.
        (
            "## Files Changed\n\n- Modify: `src/a.py`\n- Modify: `../b.py`",
            &[],
            &["relative-paths", "dotdot"],
        ),
        ("## Files Changed\n\n- Modify: `../b.py`", &[], &["dotdot"]),
    ]);
}

#[test]
fn an_item_or_task_may_have_brackets_and_a_code_block_knows_its_lines() {
    let design = read("## Files Changed\n\n- Modify: src/a.py (x (y) z) - why\n");
    assert_eq!(design.grants[0].path, "src/a.py");
    assert_eq!(design.grants[0].description, "why");
    let tasks = "# Tasks\n\n- [ ] T001 Create a model (in src/b.py)\n";
    let design = parse(
        "specs/1/tasks.md".into(),
        tasks.as_bytes(),
        &Settings::default(),
    );
    assert_eq!(paths(&design), ["src/b.py"]);
    let design = read("## Files Changed\n\n```\nsrc/a.py\n../b.py\n```\n");
    assert!(faults(&design).contains(&("dotdot", 5)));
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
        let mixed = column("Change", &["Delete", cell, "Modify"]);
        assert_eq!(actions(&mixed), [any(); 3], "{cell}");
        assert_eq!(mixed.grants[1].change_type, "", "{cell}");
    }
    for (cell, granted) in [
        ("**Removed**", Some(Actions::DELETE)),
        ("delete (no longer needed)", Some(Actions::DELETE)),
        ("Modify (the parser)", Some(Actions::MODIFY)),
        ("Add and modify", Some(any())),
        ("No changes", None),
        ("Existing", None),
    ] {
        let found = actions(&column("Change", &[cell]));
        assert_eq!(found.first(), granted.as_ref(), "{cell}");
    }
}

#[test]
fn a_negated_type_grants_nothing() {
    let cells = "Modify? No|Changes: none|Changes: None.|Modify: no changes|Modify (not yet)|Modify - not needed|\
        Update: n/a|Do not modify|DO NOT MODIFY|Don’t change|Modify (do not)|Never modify|No changes|Change nothing|\
        Modify no files|Not modified|Modify?|Delete (not yet)|None";
    for cell in cells.split('|').chain(["Modify (really?)"]) {
        let typed = rows(&format!(
            "| `a.py` | {cell} | x |\n| `b.py` | Modify | x |\n"
        ));
        assert_eq!(paths(&typed), ["b.py"], "{cell}");
    }
    for cell in cells.split('|') {
        for other in ["Modify the parser", "Modify"] {
            let untyped = column("Change", &[cell, other]);
            assert_eq!(paths(&untyped), ["src/1.py"], "{cell}");
        }
    }
}

#[test]
fn negated_description_revokes_a_row_without_type() {
    for (header, cell, is_mention) in [
        ("Modify?", "No", true),
        ("Changes", "none", true),
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
        let found = (design.grants.len(), design.mentions.len());
        let expected = if is_mention { (1, 1) } else { (2, 0) };
        assert_eq!(found, expected, "{header}: {cell}");
    }
}

#[test]
fn a_grant_knows_its_type_description_role_and_place() {
    let design = rows(
        "| `src/a.py` | Add | New module |\n| `config/a.toml` | Modify | Key |\n| `tests/é.py` | Add (Directory) | |\n\
         | `c` -> `d` | **Moved** | |\n| [_src/l.py_](src/l.py) | Modify | |\n",
    );
    let grants = design.grants.iter();
    let roles: Vec<Role> = grants.clone().map(|grant| grant.role).collect();
    let other = Role::Implementation;
    assert_eq!(
        roles,
        [other, Role::Config, Role::Test, other, other, other]
    );
    let first = &design.grants[0];
    assert_eq!(
        (&*first.change_type, &*first.description),
        ("Add", "New module")
    );
    assert_eq!(design.grants[2].kind, GrantKind::Directory);
    assert_eq!(design.grants[3].renamed.as_ref().unwrap(), "d");
    assert_eq!(design.grants[4].renamed.as_ref().unwrap(), "c");
    assert_eq!(design.grants[5].path, "src/l.py");
    assert_eq!(
        actions(&design)[..5],
        [add(), Actions::MODIFY, add(), Actions::DELETE, any()]
    );
    let anchor = &design.grants[2].anchor;
    assert_eq!((anchor.line, anchor.column), (9, 3));
    assert_eq!(&design.text[anchor.span.clone()], "`tests/é.py`");
    let list = read("## Files to Create\n\n- `c.py` — text with `code.py`\n");
    assert_eq!(list.grants[0].description, "text with `code.py`");
}

#[test]
fn each_fault_has_its_rule_and_says_what_is_meant() {
    use Level::{Error, Warning};
    let two =
        "| `a.py` | Add | x |\n\n## Files Changed\n\n| File | Type |\n|-|-|\n| `b.py` | Add |\n";
    let twice = "| `a` | Add | x |\n| `a` | Add | x |\n";
    for (row, rule, level, said) in [
        ("| `../a` | Add | x |\n", Rule::DesignOutside, Error, "`..`"),
        (
            "| `**/*` | Add | x |\n",
            Rule::DesignTooWide,
            Error,
            "whole workspace",
        ),
        (
            "| `{x}` | Add | x |\n",
            Rule::DesignPlaceholder,
            Error,
            "placeholder",
        ),
        ("| `a` | Foo | x |\n", Rule::DesignBadRow, Error, "`Foo`"),
        (
            "| src/*/x/*.py | Add | x |\n",
            Rule::DesignBadRow,
            Error,
            "src/*/x/*.py",
        ),
        (twice, Rule::DesignDuplicate, Warning, "line 7"),
        (two, Rule::DesignAmbiguous, Error, "line 5"),
    ] {
        let design = rows(row);
        let mut faults = design.faults.iter();
        let fault = faults.find(|fault| fault.rule == rule).unwrap();
        assert_eq!(fault.rule.default_level(), level, "{row}");
        assert!(fault.message.contains(said), "{row}: {}", fault.message);
        assert!(!fault.help.is_empty(), "{row}");
    }
    assert_eq!(faults(&read("")), [("no-section", 0)]);
    assert_eq!(faults(&read("\n\n")), [("no-section", 2)]);
    let help = &read("# Plan\n").findings()[0].help;
    let rows = help.iter().filter(|line| line.is_row()).count();
    assert_eq!((help.len(), rows), (5, 3));
    assert_eq!(
        &**help.last().unwrap(),
        "to propose a table from this document: guard scope import docs/lld/LLD-1.md"
    );
}

#[test]
fn encodings_line_endings_and_size() {
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
    for (size, expected) in [(1_000_000, &[][..]), (1_000_001, &["too-large"])] {
        let design = read(&format!("{text}\n{}\n", "x".repeat(size - text.len() - 2)));
        assert_eq!(reasons(&design), expected);
        assert_eq!(design.is_usable(), expected.is_empty());
    }
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
        let expected = corpus::text(entry, "expected");
        let grants = design.grants.iter();
        let grants = grants.map(|grant| (grant.kind.name().to_owned(), grant.path.to_string()));
        let is_right = match expected.starts_with("reject:") {
            true => !design.is_usable() && !design.faults.is_empty(),
            false => design.faults.is_empty() && grants.eq(corpus::parsed_as(entry)),
        };
        if !is_right {
            wrong.push(format!(
                "{}: {:?} {:?}",
                entry["id"],
                design.grants,
                reasons(&design)
            ));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn tables_with_types_are_joined_ambiguous_or_the_whole_scope() {
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
        assert_eq!(
            reasons(&design).contains(&"two-tables"),
            !is_usable,
            "{one} {other}"
        );
    }
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
        assert!(design.is_typed());
        assert_eq!(reasons(&design), expected, "{path}");
    }
    let list = read("## Files Changed\n\n- `src/a.py`\n");
    assert!(!list.is_typed() && list.usable().is_ok());
    let error = read("# Plan\n").usable().unwrap_err();
    assert_eq!(error.message, "the design docs/lld/LLD-1.md cannot be used");
}

const TABLE: &str =
    "| File | Change Type | Description |\n|---|---|---|\n| `hidden.py` | Delete | x |\n";

#[test]
fn a_table_inside_raw_html_is_not_granted() {
    let real = format!("## Files Changed\n\n{HEADER}| `real.py` | Add | x |\n");
    for (open, close) in [
        ("<details>\n<summary>Old</summary>", "</details>"),
        ("<template>", "</template>"),
        ("<div\n  hidden>", "</div>"),
        ("<unknown>", "</unknown>"),
        ("<table><tr><td>", "</td></tr></table>"),
        ("<del>", "</del>"),
        ("<details><img alt='</details>'>", "</details>"),
        ("<details><!-- </details> -->", "</details>"),
    ] {
        let other = format!("{open}\n\n## Files Changed\n\n{TABLE}\n{close}");
        for text in [
            format!("# D\n\n{other}\n\n{real}"),
            format!("# D\n\n{real}\n{other}\n"),
        ] {
            let design = read(&text);
            assert_eq!(paths(&design), ["real.py"], "{open}");
            assert_eq!(faults(&design)[0].0, "raw-html", "{open}");
        }
        let alone = read(&format!("## Files Changed\n\n{open}\n\n{TABLE}\n{close}\n"));
        assert!(!alone.is_usable() && faults(&alone).len() > 1, "{open}");
    }
}

#[test]
fn unclosed_element_hides_the_rest_of_the_document() {
    const HIDING: &str = "<details>¦<div title=\"¦text <s>struck¦- a\n- b <s>\n¦<template></div>\n\n</template>¦\
        - a\n\n  <ul><li>\n¦| a |\n|---|\n<span hidden>\n¦> <template>\n¦text <details>\n\n</details>\n¦\
        <details>\n<?x </details> ?>\n</details>\n¦- <details>\n\n  x\n¦> <div hidden>\n¦<ul><li>a<li>b</ul>¦\
        text </ul>\n¦<b hidden>\n¦text <b style=\"display: none\">\n";
    const HARMLESS: &str = "<a name=\"x\"></a>¦<p align=\"center\">¦<br>¦<img src=\"x\">¦\
        Write `docs/` <name> and Vec<T>¦a <b>bold word¦<ul><li>a</li><li>b</li></ul>¦- <details>x</details>\n¦\
        <style>h2 { color: red }</style>¦<!-- a -->¦<details>\n<summary>x</summary>\n\ntext\n</details>";
    for (list, is_hidden) in [(HIDING, true), (HARMLESS, false)] {
        for open in list.split('¦') {
            let design = read(&format!("{open}\n\n## Files Changed\n\n{TABLE}"));
            assert_eq!(design.is_usable(), !is_hidden, "{open}");
            assert_eq!(design.faults.is_empty(), !is_hidden, "{open}");
        }
    }
}

const NEGATIONS: &str = "Out of scope|Out-of-Scope|7. Out of scope|Explicitly out of scope|Deferred|Deferred to later|\
    Future work|Future Phases|Won't be touched|Won’t be touched|What we won't touch|Phase 2 (out of scope)|\
    Phase 2 — deferred|Not in this change|Non-goals|Nongoals|Not in scope|Not part of this work|Excluded|Exclusions|\
    Will not change|Do not touch|Postponed|Later|Follow-ups|Rejected alternatives|Untouched|Off limits";

#[test]
fn nothing_below_a_heading_that_negates_is_granted() {
    for heading in NEGATIONS.split('|') {
        for text in [
            format!("## {heading}\n\n### Files Changed\n\n{TABLE}"),
            format!("## {heading}\n\n#### More\n\n### Files Changed\n\n- `a.py`\n"),
            format!("## Files Changed\n\n### {heading}\n\n{TABLE}"),
            format!("## Files Changed\n\n### {heading}\n\n- `a.py`\n"),
            format!("## {heading}\n\n**Files:**\n\n- `a.py`\n"),
            format!("## {heading}\n\n#### [DELETE] [a.py](a.py)\n"),
            format!("## Files Changed\n\n**{heading}:**\n\n{TABLE}"),
            format!("## Files Changed\n\n__{heading}__:\n\n- `a.py`\n"),
        ] {
            let design = read(&text);
            assert!(!design.is_usable(), "{text}");
            let faults = design.faults.iter();
            let excluded: Vec<_> = faults.filter(|fault| fault.reason == "excluded").collect();
            assert_eq!(excluded.len(), 1, "{text}");
            assert!(
                excluded[0]
                    .message
                    .contains(heading.trim_start_matches("7. "))
            );
        }
        // It excludes only itself.
        let design = read(&format!(
            "## Files Changed\n\n{HEADER}| `a.py` | Add | x |\n\n### {heading}\n\n{TABLE}\n### Tests\n\n{HEADER}| `b.py` | Add | x |\n"
        ));
        assert_eq!(paths(&design), ["a.py", "b.py"], "{heading}");
        assert_eq!(faults(&design), [("excluded", 9)], "{heading}");
        assert_eq!(design.faults[0].rule.default_level(), Level::Warning);
    }
}
