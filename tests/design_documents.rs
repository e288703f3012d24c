//! Whole documents: headings, sections, odd rows, encodings and settings.
#![allow(clippy::unwrap_used)]

use gix::bstr::BStr;
use write_guard::finding::{Level, Rule};
use write_guard::policy::design::{DesignOptions, parse};
use write_guard::policy::patterns::Patterns;
use write_guard::policy::{Actions, GrantKind, Role};

use crate::design_support::{HEADER, actions, add, faults, paths, read, rows};

#[test]
fn rows_that_only_name_a_path() {
    let design = rows(
        "| `src/a/` | Existing Directory | |\n| `b.py` | Exists | |\n| `c.py` | Verify | No changes |\n| `d.py` | Unchanged | |\n| `e.py` | No change | |\n| `f.py` | Modify | |\n",
    );
    assert_eq!(paths(&design), ["f.py"]);
    let named: Vec<String> = design
        .mentions
        .iter()
        .map(|mention| mention.path.to_string())
        .collect();
    assert_eq!(named, ["src/a", "b.py", "c.py", "d.py", "e.py"]);
    assert_eq!(design.mentions[1].change_type, "Exists");
    assert!(design.faults.is_empty());

    let only = rows("| `b.py` | Exists | |\n");
    assert!(!only.is_usable());
    assert_eq!(faults(&only), [("nothing-granted", 7)]);
}

#[test]
fn unknown_types_are_bad_rows() {
    let design = rows(
        "| `a.py` | Frobnicate | x |\n| `b.py` | Add / Modify / Delete | x |\n| `c.py` | Not changed | x |\n",
    );
    assert_eq!(
        faults(&design),
        [
            ("unknown-type", 7),
            ("unknown-type", 8),
            ("unknown-type", 9)
        ]
    );
    assert_eq!(design.faults[0].anchor.as_ref().unwrap().column, 12);
    assert!(design.faults[0].help[0].contains("Modify"));
}

#[test]
fn row_reports_all_its_faults() {
    assert_eq!(
        faults(&rows(
            "| `../a.py`, `src\\b.py` | Add | x |\n| a b | Foo | x |\n"
        )),
        [
            ("dotdot", 7),
            ("backslash", 7),
            ("ambiguous-cell", 8),
            ("unknown-type", 8)
        ]
    );
}

#[test]
fn arrows_need_a_rename_row_and_a_rename_row_an_arrow() {
    let design = rows(
        "| `a.py` -> `b.py` | Modify | x |\n| `c.py` | Rename | x |\n| `d.py`, `e.py` | Rename | x |\n| `f.py` -> `lib/` | Move | x |\n",
    );
    assert_eq!(
        faults(&design),
        [
            ("arrow-without-rename", 7),
            ("rename-ends", 8),
            ("rename-ends", 9),
            ("rename-ends", 10)
        ]
    );
    assert!(!design.is_usable());
}

#[test]
fn nothing_but_placeholders() {
    let design = rows(
        "| `path/to/file.py` | Add / Modify / Delete | x |\n| `{name}.py` | Add | x |\n| N/A | - | - |\n| ~~`old.py`~~ | Delete | x |\n| `c.py` | ~~Add~~ | x |\n| *To be populated* | TBD | x |\n",
    );
    assert!(!design.is_usable());
    assert!(
        design
            .faults
            .iter()
            .all(|fault| fault.rule == Rule::DesignPlaceholder),
        "{:?}",
        faults(&design)
    );
    assert_eq!(design.faults.len(), 7);
    assert!(
        design
            .faults
            .iter()
            .any(|fault| fault.reason == "only-placeholders")
    );

    let mixed = rows("| `docs/XXXX-a.md` | Add | x |\n| `b.py` | Add | x |\n");
    assert_eq!(paths(&mixed), ["b.py"]);
    assert_eq!(faults(&mixed), [("placeholder", 7)]);
}

#[test]
fn an_empty_table() {
    let design = rows("");
    assert_eq!(faults(&design), [("empty-table", 5)]);
    assert!(!design.is_usable());
}

#[test]
fn a_table_without_its_separator_is_reported() {
    let design = read("## Files Changed\n\n| File | Change Type |\n| `a.py` | Add |\n");
    assert!(
        faults(&design).contains(&("broken-table", 3)),
        "{:?}",
        faults(&design)
    );
    assert!(!design.is_usable());
}

#[test]
fn a_truncated_last_row() {
    let design = rows("| `a.py` | Add | x |\n| `agentos/workflows/...");
    assert_eq!(paths(&design), ["a.py"]);
    assert_eq!(faults(&design), [("truncated-row", 8)]);
}

#[test]
fn two_tables_of_the_same_role_are_ambiguous_and_grant_nothing() {
    let table = format!("{HEADER}| `a.py` | Add | x |\n");
    let apart = read(&format!(
        "## 2. Files to Implement\n\n{table}\n## 5. Fixtures\n\n### 2.1 Files Changed\n\n{HEADER}| `b.py` | Foo | x |\n"
    ));
    assert!(!apart.is_usable());
    assert_eq!(faults(&apart), [("two-tables", 11), ("unknown-type", 13)]);
    assert!(
        apart.faults[0].message.contains("line 3"),
        "{}",
        apart.faults[0].message
    );

    let other = table.replace("a.py", "b.py");
    let together = read(&format!("## Files Changed\n\n{table}\nand\n\n{other}"));
    assert_eq!(faults(&together)[0], ("two-tables", 9));
    let with_role = read(&format!(
        "## Files Changed\n\n{table}\n## Files to Create\n\n{other}"
    ));
    assert!(!with_role.is_usable());
    let columns =
        read("## Files Changed\n\n| File | Path | Action |\n|---|---|---|\n| `a` | `b` | Add |\n");
    assert_eq!(faults(&columns)[0], ("two-columns", 3));
    assert!(!columns.is_usable());
}

#[test]
fn a_second_table_that_repeats_rows_is_not_ambiguous() {
    let first = format!("{HEADER}| `a.py` | Add | x |\n| `b.py` | Modify | y |\n");
    let second = format!("{HEADER}| `b.py` | Modify | again |\n");
    let design = read(&format!(
        "## Files Changed\n\n{first}\n## Files to Modify\n\n{second}"
    ));
    assert_eq!(paths(&design), ["a.py", "b.py"]);
    assert!(design.faults.is_empty(), "{:?}", design.faults);
    let wider = second.replace("Modify", "Delete");
    let design = read(&format!(
        "## Files Changed\n\n{first}\n## Files to Modify\n\n{wider}"
    ));
    assert_eq!(faults(&design), [("two-tables", 10)]);
}

#[test]
fn create_and_modify_are_one_union() {
    let design = read(
        "## Files to Create\n\n| File | Purpose |\n|---|---|\n| `a.py` | x |\n\n## Files to Modify\n\n- `b.py` - y\n",
    );
    assert_eq!(paths(&design), ["a.py", "b.py"]);
    assert_eq!(actions(&design), [add(), Actions::MODIFY]);
    let nested = read(
        "## Files Changed\n\n### Files to Create\n\n| File | Purpose |\n|---|---|\n| `a.py` | x |\n\n### Files to Modify\n\n| File | Change |\n|---|---|\n| `b.py` | the parser |\n",
    );
    assert_eq!(actions(&nested), [add(), Actions::MODIFY]);
    assert_eq!(nested.grants[1].description, "the parser");
}

#[test]
fn without_a_type_column_nothing_is_deleted() {
    let design = read(
        "### 2.1 Files Changed\n\n| File Path | Description |\n|---|---|\n| `a.py` | Delete it |\n",
    );
    assert_eq!(actions(&design), [Actions::ADD | Actions::MODIFY]);
    assert_eq!(design.grants[0].change_type, "");
}

#[test]
fn subheadings_join_if_their_columns_match() {
    let table = |path: &str| format!("{HEADER}| `{path}` | Add | x |\n");
    let design = read(&format!(
        "## Files Changed\n\n{}\n### Backend\n\n{}\n### Files NOT to Modify\n\n{}\n#### Old\n\n{}\n## Files to Read\n\n{}",
        table("a"),
        table("b"),
        table("c"),
        table("d"),
        table("e")
    ));
    assert_eq!(paths(&design), ["a", "b"]);
    assert!(design.faults.is_empty());
}

#[test]
fn a_section_ends_at_the_next_heading_of_its_level() {
    let design = read(&format!(
        "### 2.1 Files Changed\n\ntext\n\n### 2.2 Dependencies\n\n{HEADER}| `a.py` | Add | x |\n"
    ));
    assert_eq!(faults(&design), [("empty-section", 1)]);
}

#[test]
fn forbidden_files_are_never_granted() {
    for heading in [
        "Files NOT to Modify",
        "Files to Investigate",
        "[UNCHANGED] 2.1 Files Changed",
        "~~Files Changed~~",
    ] {
        let design = read(&format!(
            "# D\n\n### {heading}\n\n{HEADER}| `a.py` | Modify | x |\n"
        ));
        assert!(!design.is_usable(), "{heading}");
        assert_eq!(faults(&design).len(), 1, "{heading}");
        let nested = read(&format!(
            "## {heading}\n\n### Rows\n\n- `a.py`\n\n**Files:**\n\n- `b.py`\n"
        ));
        assert!(heading.starts_with('~') || !nested.is_usable(), "{heading}");
    }
}

#[test]
fn quoted_paths_below_a_table_are_not_read() {
    let design = rows(
        "| `a.py` | Add | x |\n\n> **New directory:** `tests/tools/` — Change Type: `Add (Directory)`\n",
    );
    assert_eq!(paths(&design), ["a.py"]);
}

#[test]
fn words_next_to_a_code_span() {
    let design = rows(
        "| All files importing `workflows.testing` | Modify | x |\n| `src/*.py` except `src/secret.py` | Modify | x |\n| the `Foo` class of `src/foo.py` | Modify | x |\n| `src/a.py` sauf `src/b.py` | Modify | x |\n| `docs/08*.md` (various) | Modify | x |\n",
    );
    assert_eq!(paths(&design), ["docs/08*.md"]);
    assert_eq!(
        faults(&design),
        [7, 8, 9, 10].map(|line| ("ambiguous-cell", line))
    );
}

#[test]
fn bare_cells_keep_their_underscores() {
    let design = rows(
        "| src/__init__.py | Add | x |\n| a/_b_/c.py | Add | x |\n| tests/test_*_x_.py | Modify | x |\n",
    );
    assert_eq!(
        paths(&design),
        ["src/__init__.py", "a/_b_/c.py", "tests/test_*_x_.py"]
    );
    assert_eq!(design.grants[2].kind, GrantKind::Glob);
}

#[test]
fn too_wide() {
    let design = rows("| `**/*` | Modify | x |\n| `./` | Modify | x |\n");
    assert!(
        design
            .faults
            .iter()
            .all(|fault| fault.rule == Rule::DesignTooWide)
    );
    assert_eq!(faults(&design).len(), 2);
}

#[test]
fn the_same_path_twice_is_a_warning() {
    let design = rows("| `a.py` | Modify | x |\n| `./a.py` | Modify | y |\n");
    assert_eq!(faults(&design), [("duplicate", 8)]);
    assert_eq!(design.faults[0].rule.default_level(), Level::Warning);
    assert!(design.faults[0].message.contains("line 7"));
    assert!(design.is_usable());
}

#[test]
fn the_design_and_the_rules_are_never_granted() {
    let design = rows(
        "| `docs/lld/LLD-1.md` | Modify | x |\n| `guard.toml` | Modify | x |\n| `.guard/x` | Add | x |\n",
    );
    assert_eq!(
        faults(&design),
        [
            ("self-grant", 7),
            ("protected-file", 8),
            ("protected-file", 9)
        ]
    );
}

#[test]
fn encodings_and_line_endings() {
    let text = format!("### 2.1 Files Changed\n\n{HEADER}| `ä/é.py` | Add | x |\n");
    let crlf = format!("\u{feff}{}", text.replace('\n', "\r\n"));
    let design = read(&crlf);
    assert_eq!(paths(&design), ["ä/é.py"]);
    let anchor = &design.grants[0].anchor;
    assert_eq!((anchor.line, anchor.column), (5, 3));
    assert_eq!(&design.text[anchor.span.clone()], "`ä/é.py`");
    assert!(design.text.starts_with('\u{feff}'));

    let broken = read(&text.replace('\n', "\r\r\n"));
    assert_eq!(faults(&broken), [("hidden-bytes", 1)]);
    assert!(!broken.is_usable());

    let mut latin = text.into_bytes();
    latin.extend_from_slice(b"\ncaf\xe9\n");
    let latin = parse(BStr::new("d.md"), &latin, &DesignOptions::default());
    assert_eq!(faults(&latin), [("non-utf8", 7)]);
    assert_eq!(latin.faults[0].anchor.as_ref().unwrap().column, 4);
    assert!(!latin.is_usable());
}

#[test]
fn settings_name_headings_and_tests() {
    let options = DesignOptions {
        headings: vec!["Implementation Paths".into()],
        test_patterns: Patterns::new(vec!["*_check.py".into()]).unwrap(),
        ..DesignOptions::default()
    };
    let text = format!(
        "## 4. Implementation Paths\n\n{HEADER}| `a_check.py` | Add | x |\n| `tests/b.py` | Add | x |\n"
    );
    let design = parse(BStr::new("d.md"), text.as_bytes(), &options);
    let roles: Vec<Role> = design.grants.iter().map(|grant| grant.role).collect();
    assert_eq!(roles, [Role::Test, Role::Implementation]);
}

#[test]
fn front_matter_does_not_hide_the_table() {
    let design = read(&format!(
        "---\nid: 1\nallowed_paths: [no.py]\n---\n## Files Changed\n\n{HEADER}| `a.py` | Add | x |\n"
    ));
    assert_eq!(paths(&design), ["a.py"]);
    assert_eq!(design.grants[0].anchor.line, 9);
}
