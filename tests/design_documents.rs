//! Documents beyond the labelled ones of `fixtures/grammar`: what they grant and report, what a grant knows, encodings, and
//! the cells of the labelled hostile paths.

use gix::bstr::BStr;
use write_guard::design::{Design, parse};
use write_guard::finding::{Level, Rule};
use write_guard::scope::settings::Settings;
use write_guard::scope::{Actions, GrantKind, Role};

use crate::common::{corpus, table};
use crate::design_support::{HEADER, actions, add, any, faults, paths, read, rows};

fn reasons(design: &Design) -> Vec<&'static str> {
    faults(design)
        .into_iter()
        .map(|(reason, _)| reason)
        .collect()
}

/// Checks documents, one per line, of which `# Plan` is the title and `¦` ends a line: the granted paths and the reasons
/// of the faults, `-` for none.
#[track_caller]
fn check(documents: &str) {
    for [text, granted, reported] in table(documents) {
        let design = read(&format!("# Plan\n\n{}\n", text.replace('¦', "\n")));
        let words = |list: &str| -> Vec<String> {
            let words = list.split(' ').filter(|word| *word != "-");
            words.map(str::to_owned).collect()
        };
        let found = (paths(&design), reasons(&design));
        assert_eq!(found.0, words(granted), "{text}: {found:?}");
        assert_eq!(found.1, words(reported), "{text}");
    }
}

#[test]
fn a_heading_names_one_file_and_says_nothing_more() {
    check(
        "#### [MODIFY] [a.py](src/a.py) | src/a.py | -
         #### [MODIFY] src/a.py | src/a.py | -
         #### [MODIFY] [b.py](src/a.py) | - | ambiguous-cell
         #### [MODIFY] [a.py](src/a.py) maybe | - | ambiguous-cell
         #### [MODIFY] [a.py](src/a.py) [b.py](src/b.py) | - | ambiguous-cell
         #### [MODIFY] src/a.py src/b.py | - | ambiguous-cell
         #### [CHECK] src/a.py | - | no-section
         #### [ADD] src/a.py | - | no-section
         #### [MODIFY] | - | no-section",
    );
}

#[test]
fn what_resembles_a_label_of_files_is_reported_as_unread() {
    for (label, reported) in [
        ("Some files that matter:", "unknown-label"),
        ("**Some files that matter**", "unknown-label"),
        ("__Some files that matter:__", "unknown-label"),
        ("Some files that matter", "-"),
        ("Some things that matter:", "-"),
        ("**Some things that matter**", "-"),
    ] {
        for block in ["- `src/a.py`", "```¦src/a.py¦```"] {
            let text = format!("{label}¦¦{block}¦¦## Files Changed¦¦- `src/b.py`");
            check(&format!("{text} | src/b.py | {reported}"));
        }
    }
}

#[test]
fn passages_have_edges() {
    // Items on the line of a label stand between semicolons, and only behind the colon.
    check(
        "**Files:** `src/a.py`; `src/b.py` | src/a.py src/b.py | -
         **Files (new):** `src/a.py` (x; y); `src/b.py` | src/a.py src/b.py | -
         **Files:** `src/a.py`; | src/a.py | -
         Files; changed: `src/a.py`; `src/b.py` | src/a.py src/b.py | -
         **** | - | no-section",
    );
    // A tag lists files by line and by commas outside of brackets, which end with their line.
    check(
        "<task>¦<files>src/a.py, src/b.py</files>¦</task> | src/a.py src/b.py | -
         <task>¦<files>src/a.py (x, y); src/b.py</files>¦</task> | src/a.py src/b.py | -
         <task>¦<files>src/x.py (x¦- src/a.py, src/b.py</files>¦</task> | src/a.py src/b.py | ambiguous-cell",
    );
    // A label inside a paragraph announces nothing; a group that excludes ends with its items; the end of a comment
    // begins no element; a path that climbs may make the others relative, too.
    check(
        "Some words.¦**Files:** `src/a.py` | - | no-section unread-passage
         - **Do not modify:**¦  - **Files:** `src/x.py`¦- **Files:** `src/a.py` | src/a.py | -
         <!--<s>-->¦¦## Files Changed¦¦- `src/a.py` | src/a.py | -
         ## Files Changed¦¦- Modify: `src/a.py`¦- Modify: `../b.py` | - | relative-paths dotdot
         ## Files Changed¦¦- Modify: `../b.py` | - | dotdot",
    );
    // A table below a label that leads elsewhere lists no files.
    for (header, granted) in [
        ("Path | Purpose", &["src/a.py"][..]),
        ("Purpose | Path", &[]),
    ] {
        let table = format!("**Files:**\n\n| {header} |\n|---|---|\n| `src/a.py` | `src/b.py` |\n");
        assert_eq!(paths(&read(&table)), granted);
    }
}

/// What a table `File | HEADER` with these cells grants.
fn column(header: &str, cells: &[&str]) -> Design {
    let rows = cells.iter().enumerate();
    let rows: String = rows
        .map(|(n, cell)| format!("| `src/{n}.py` | {cell} |\n"))
        .collect();
    let header = format!("| File | {header} |\n|---|---|\n");
    read(&format!("## Files Changed\n\n{header}{rows}"))
}

#[test]
fn a_type_column_of_sentences_or_denials_grants_no_deletion() {
    let sentences = "Remove unused imports|Deleted: the old flag|Delete (old) imports";
    for cell in sentences.split('|') {
        let mixed = column("Change", &["Delete", cell, "Modify"]);
        assert_eq!(actions(&mixed), [any(); 3], "{cell}");
        assert_eq!(mixed.grants[1].change_type, "", "{cell}");
    }
    let denials = "Modify? No|Changes: None.|Modify (not yet)|Modify - not needed|Update: n/a|Do not modify|\
        DO NOT MODIFY|Don’t change|Never modify|Change nothing|Modify no files|Not modified|Modify?|None";
    for cell in denials.split('|') {
        let typed = rows(&format!("|`a.py`|{cell}|x|\n|`b.py`|Modify|x|\n"));
        assert_eq!(paths(&typed), ["b.py"], "{cell}");
        let untyped = column("Change", &[cell, "Modify the parser"]);
        assert_eq!(paths(&untyped), ["src/1.py"], "{cell}");
    }
}

#[test]
fn negated_description_revokes_a_row_without_type() {
    for [header, cell, is_mention] in table(
        "Modify? | No | mention
         Changes | none | mention
         Description | No changes — confirm that all 14 tests pass | mention
         Description | unchanged | mention
         Description | No changes to the API; adds a cache | mention
         Notes | Do not modify the input in place | mention
         Notes | none | grant
         Description | Add an optional cache; the API stays | grant
         Description | Handle a page not found | grant
         Risk | no | grant",
    ) {
        let design = column(header, &[cell, "yes"]);
        let is_found = design.mentions.len() == 1 && design.grants.len() == 1;
        assert_eq!(is_found, is_mention == "mention", "{header}: {cell}");
    }
}

#[test]
fn a_grant_knows_its_type_description_role_and_place() {
    let design = rows(
        "| `src/a.py` | Add | New module |\n| `config/a.toml` | Modify | Key |\n| `tests/é.py` | Add (Directory) | |\n\
         | `c` -> `d` | **Moved** | |\n| [_src/l.py_](src/l.py) | Modify | |\n",
    );
    let [first, config, test, old, new, link] = &design.grants[..] else {
        panic!("{:?}", design.grants);
    };
    assert_eq!(first.change_type, "Add");
    assert_eq!(first.description, "New module");
    assert_eq!(first.role, Role::Implementation);
    assert_eq!((config.role, test.role), (Role::Config, Role::Test));
    assert_eq!(test.kind, GrantKind::Directory);
    assert_eq!(old.renamed.as_ref().unwrap(), "d");
    assert_eq!(new.renamed.as_ref().unwrap(), "c");
    assert_eq!(link.path, "src/l.py");
    let expected = [add(), Actions::MODIFY, add(), Actions::DELETE, any()];
    assert_eq!(actions(&design)[..5], expected);
    assert_eq!((test.anchor.line, test.anchor.column), (9, 3));
    assert_eq!(&design.text[test.anchor.span.clone()], "`tests/é.py`");
    // Remarks may have code and brackets, and a code block knows its lines.
    let list =
        read("## Files to Create\n\n- `c.py` — text with `code.py`\n- d.py (x (y) z) - why\n");
    let told: Vec<_> = list
        .grants
        .iter()
        .map(|grant| &*grant.description)
        .collect();
    assert_eq!(told, ["text with `code.py`", "why"]);
    let block = read("## Files Changed\n\n```\nsrc/a.py\n../b.py\n```\n");
    assert!(faults(&block).contains(&("dotdot", 5)));
}

#[test]
fn each_fault_has_its_rule_and_says_what_is_meant() {
    let two =
        "| `a.py` | Add | x |\n\n## Files Changed\n\n| File | Type |\n|-|-|\n| `b.py` | Add |\n";
    let twice = "| `a` | Add | x |\n| `a` | Add | x |\n";
    let glob = "| src/*/x/*.py | Add | x |\n";
    for (row, rule, said) in [
        ("| `../a` | Add | x |\n", Rule::DesignOutside, "`..`"),
        ("|`**/*`|Add|x|\n", Rule::DesignTooWide, "whole workspace"),
        ("|`{x}`|Add|x|\n", Rule::DesignPlaceholder, "placeholder"),
        ("| `a` | Foo | x |\n", Rule::DesignBadRow, "`Foo`"),
        (glob, Rule::DesignBadRow, "src/*/x/*.py"),
        (twice, Rule::DesignDuplicate, "line 7"),
        (two, Rule::DesignAmbiguous, "line 5"),
    ] {
        let design = rows(row);
        let mut faults = design.faults.iter();
        let fault = faults.find(|fault| fault.rule == rule).unwrap();
        let is_warning = fault.rule.default_level() == Level::Warning;
        assert_eq!(is_warning, rule == Rule::DesignDuplicate, "{row}");
        assert!(fault.message.contains(said), "{row}: {}", fault.message);
        assert!(!fault.help.is_empty(), "{row}");
    }
    assert_eq!(faults(&read("")), [("no-section", 0)]);
    assert_eq!(faults(&read("\n\n")), [("no-section", 2)]);
    let help = &read("# Plan\n").findings()[0].help;
    let rows = help.iter().filter(|line| line.is_row()).count();
    assert_eq!((help.len(), rows), (5, 3));
    let import = "to propose a table from this document: guard scope import docs/lld/LLD-1.md";
    assert_eq!(&**help.last().unwrap(), import);
}

#[test]
fn encodings_line_endings_and_size() {
    let text = format!("### 2.1 Files Changed\n\n{HEADER}| `ä/é.py` | Add | x |\n");
    let design = read(&format!("\u{feff}{}", text.replace('\n', "\r\n")));
    let anchor = &design.grants[0].anchor;
    assert_eq!((anchor.line, anchor.column), (5, 3));
    assert_eq!(&design.text[anchor.span.clone()], "`ä/é.py`");
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
            let found = (&design.grants, reasons(&design));
            wrong.push(format!("{}: {found:?}", entry["id"]));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn tables_with_types_are_joined_or_the_whole_scope() {
    for (other, is_usable) in [("Files to Create", false), ("Files to Modify", true)] {
        let design = read(&format!(
            "## Files to Create\n\n{HEADER}| `a.py` | Add | x |\n\n## {other}\n\n{HEADER}| `b.py` | Add | x |\n"
        ));
        assert_eq!(design.is_usable(), is_usable, "{other}");
        let is_ambiguous = reasons(&design).contains(&"two-tables");
        assert_eq!(is_ambiguous, !is_usable, "{other}");
    }
    for (path, expected) in [
        ("src/a.py", &[][..]),
        ("src/seen.py", &[]),
        ("docs/a.md", &[]),
        ("src/b.py", &["beyond-table"]),
    ] {
        let design = read(&format!(
            "## Files Changed\n\n{HEADER}| `src/a.py` | Add | x |\n| `src/seen.py` | Exists | x |\n\
             | `docs/` | Modify | x |\n\n**Files:**\n\n- `{path}`\n"
        ));
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
            let message = &excluded[0].message;
            assert!(message.contains(heading.trim_start_matches("7. ")));
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
