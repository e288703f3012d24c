//! Tables of files: the acceptance cases of requirement 002 and of its first users.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use write_guard::finding::Rule;
use write_guard::policy::{Actions, GrantKind, Role};

use crate::design_support::{HEADER, actions, add, faults, paths, read, rows};

const VALID: &str = "| `src/a.py` | Add | New module |\n| `config/a.toml` | Modify | Key |\n| `tests/test_a.py` | Add | Unit tests |\n";

#[test]
fn scenario_002_010_and_az_01_extract_from_a_valid_design() {
    let design = rows(VALID);
    assert_eq!(
        paths(&design),
        ["src/a.py", "config/a.toml", "tests/test_a.py"]
    );
    let roles: Vec<Role> = design.grants.iter().map(|grant| grant.role).collect();
    assert_eq!(roles, [Role::Implementation, Role::Config, Role::Test]);
    assert!(design.faults.is_empty());
}

#[test]
fn scenario_002_020_and_az_02_no_table() {
    let design = read("# Design\n\n### 2.1 Files Changed\n\nNo files changed.\n");
    assert!(!design.is_usable());
    assert_eq!(faults(&design), [("empty-section", 3)]);
    assert_eq!(design.faults[0].rule, Rule::DesignNoTable);
}

#[test]
fn scenario_002_025_and_az_03_malformed_table_reports_the_broken_row() {
    let text = "### 2.1 Files Changed\n\n| File | Change Type | Description\n|---|---|---|\n| `broken/path.py` | Add\nsome prose\n| `good/path.py` | Add | Fine |\n";
    let design = read(text);
    assert_eq!(paths(&design), ["good/path.py"]);
    assert_eq!(faults(&design), [("truncated-row", 5), ("not-a-row", 6)]);
    assert!(design.is_usable());
}

#[test]
fn az_04_and_06_empty_document() {
    let design = read("");
    assert!(!design.is_usable());
    assert_eq!(faults(&design), [("no-section", 0)]);
    let blank = read("\n\n");
    assert_eq!(faults(&blank).len(), 1);
}

#[test]
fn az_05_type_and_description_in_order() {
    let design = rows(VALID);
    let first = &design.grants[0];
    assert_eq!(
        (first.change_type.as_str(), first.description.as_str()),
        ("Add", "New module")
    );
    assert_eq!(actions(&design), [add(), Actions::MODIFY, add()]);
}

#[test]
fn az_07_header_and_separator_are_no_rows() {
    assert_eq!(paths(&rows("| `a.py` | Add | x |\n")), ["a.py"]);
}

#[test]
fn az_10_dot_slash() {
    assert_eq!(
        paths(&rows("| `./foo/bar.py` | Add | x |\n")),
        ["foo/bar.py"]
    );
}

#[test]
fn az_11_and_12_traversal_grants_nothing() {
    let design = rows(
        "| `../../../etc/passwd` | Modify | x |\n| `foo/../../../etc/passwd` | Modify | x |\n",
    );
    assert!(!design.is_usable());
    assert_eq!(faults(&design), [("dotdot", 7), ("dotdot", 8)]);
    assert!(
        design
            .faults
            .iter()
            .all(|fault| fault.rule == Rule::DesignOutside)
    );
}

#[test]
fn az_13_dots_in_a_name() {
    assert_eq!(
        paths(&rows("| `src/config.default.py` | Modify | x |\n")),
        ["src/config.default.py"]
    );
}

#[test]
fn az_33_a_table_only_inside_a_fence() {
    let design = read(&format!(
        "# D\n\n```markdown\n### 2.1 Files Changed\n\n{HEADER}| `a.py` | Add | x |\n```\n"
    ));
    assert!(!design.is_usable());
    assert_eq!(faults(&design), [("no-section", 1)]);
}

#[test]
fn az_34_and_b3_a_decoy_in_a_fence_or_comment_does_not_count() {
    let decoy = format!("### 2.1 Files Changed\n\n{HEADER}| `decoy.py` | Add | x |\n");
    let real = format!("### 2.1 Files Changed\n\n{HEADER}| `real.py` | Add | x |\n");
    for wrapped in [
        format!("```\n{decoy}```"),
        format!("<!--\n{decoy}-->"),
        decoy.lines().map(|line| format!("> {line}\n")).collect(),
        format!(
            "- x\n\n{}",
            decoy
                .lines()
                .map(|line| format!("  {line}\n"))
                .collect::<String>()
        ),
    ] {
        let design = read(&format!("# D\n\n{wrapped}\n\n{real}"));
        assert_eq!(paths(&design), ["real.py"], "{wrapped}");
        assert!(design.faults.is_empty(), "{wrapped}");
    }
}

#[test]
fn az_35_order_column_first() {
    let design = read(
        "## 2. Files to Implement\n\n| Order | File | Change Type | Description |\n|---|---|---|---|\n| 1 | `src/a.py` | Add | x |\n| 2 | `src/b.py` | Modify | y |\n",
    );
    assert_eq!(paths(&design), ["src/a.py", "src/b.py"]);
    assert_eq!(actions(&design), [add(), Actions::MODIFY]);
    assert_eq!(design.grants[1].description, "y");
}

#[test]
fn az_36_and_37_directories() {
    let design = rows(
        "| `src/a` | Add (Directory) | x |\n| `src/utils/` | Modify | x |\n| `src/b` (directory) | Add | x |\n| `src/c.py` | Add | x |\n",
    );
    let kinds: Vec<GrantKind> = design.grants.iter().map(|grant| grant.kind).collect();
    assert_eq!(paths(&design), ["src/a", "src/utils", "src/b", "src/c.py"]);
    assert_eq!(
        kinds,
        [
            GrantKind::Directory,
            GrantKind::Directory,
            GrantKind::Directory,
            GrantKind::File
        ]
    );
}

#[test]
fn az_38_normal_rows() {
    assert_eq!(
        rows("| `a.py` | Modify | x |\n| `b.py` | Add | y |\n")
            .grants
            .len(),
        2
    );
}

#[test]
fn az_b2_absolute_and_home_paths() {
    let design = rows(
        "| `/etc/cron.d/x` | Add | x |\n| `~/x` | Add | x |\n| `C:/x.md` | Modify | x |\n| `src/a.py` | Add | x |\n",
    );
    assert_eq!(
        faults(&design),
        [("absolute", 7), ("tilde", 8), ("absolute", 9)]
    );
    assert_eq!(paths(&design), ["src/a.py"]);
}

#[test]
fn az_b4_a_number_is_no_heading() {
    let design = read(&format!(
        "### 2.1.1 Path Check\n\n{HEADER}| `x.py` | Add | x |\n\n### 2.1 Files Changed\n\n{HEADER}| `a.py` | Add | x |\n"
    ));
    assert_eq!(paths(&design), ["a.py"]);
}

#[test]
fn az_b5_an_empty_cell_shifts_nothing() {
    let design = rows("| a.py |  | desc |\n|  | Add | b.py |\n| `c.py` | Add | x |\n");
    assert_eq!(paths(&design), ["c.py"]);
    assert_eq!(faults(&design), [("unknown-type", 7), ("empty", 8)]);
}

#[test]
fn az_b6_pipes() {
    let design = rows("| `a\\|b.py` | Add | x |\n| `c.py` | Add | `int | None` |\n");
    assert_eq!(paths(&design), ["a|b.py", "c.py"]);
    assert!(design.faults.is_empty());
    let bare = read("## Files Changed\n\nFile | Change Type\n--- | ---\n`a.py` | Add\n");
    assert_eq!(paths(&bare), ["a.py"]);
    let behind = read(
        "## Files Changed\n\n| Description | File | Change Type |\n|---|---|---|\n| `x | src/evil.py` | `src/a.py` | Add |\n",
    );
    assert_eq!(faults(&behind), [("extra-cells", 5)]);
    assert!(!behind.is_usable());
}

#[test]
fn az_b7_several_paths_in_a_cell() {
    let design = rows(
        "| **a.py** | Add | x |\n| [b.py](b.py) | Add | x |\n| `c.py` (new) | Add | x |\n| `d.py`, `e.py` or `f.py` | Add | x |\n| `g.py`<br>`h.py` | Add | x |\n| `go.mod` / `go.sum` | Add | x |\n| `i.py` (or `no/` later) | Add | x |\n| j.py | Add | x |\n",
    );
    assert_eq!(
        paths(&design),
        [
            "a.py", "b.py", "c.py", "d.py", "e.py", "f.py", "g.py", "h.py", "go.mod", "go.sum",
            "i.py", "j.py"
        ]
    );
    assert!(design.faults.is_empty(), "{:?}", design.faults);
    let bare =
        rows("| a.py<br/>b.py | Add | x |\n| c.py (new) | Add | x |\n| d -> e | Rename | x |\n");
    assert_eq!(
        faults(&bare),
        [7, 8, 9].map(|line| ("ambiguous-cell", line))
    );
}

#[test]
fn az_b8_other_tables_of_the_section() {
    let design = read(&format!(
        "### 2.1 Files Changed\n\n{HEADER}| `a.py` | Add | x |\n\n| Name | Value |\n|---|---|\n| TIMEOUT | 5 |\n\n#### 2.1.1 Path Validation\n\n| Path | Exists? | Notes |\n|---|---|---|\n| `docs` | yes | x |\n"
    ));
    assert_eq!(paths(&design), ["a.py"]);
    assert!(design.faults.is_empty());
}

#[test]
fn az_b9_each_type_grants_its_own_actions() {
    let design = rows(
        "| `a` | Delete | |\n| `b` | Add/Modify | |\n| `l` | Symlink | |\n| `vendor/m/` | Submodule | |\n| `c` -> `d` | Rename | |\n| `e → f` | **Moved** | |\n",
    );
    assert_eq!(
        paths(&design),
        ["a", "b", "l", "vendor/m", "c", "d", "e", "f"]
    );
    let both = Actions::ADD | Actions::MODIFY;
    assert_eq!(
        actions(&design),
        [
            Actions::DELETE,
            both,
            Actions::SYMLINK,
            Actions::SUBMODULE,
            Actions::DELETE,
            both,
            Actions::DELETE,
            both
        ]
    );
    assert_eq!(design.grants[3].kind, GrantKind::File);
    assert_eq!(design.grants[4].renamed.as_ref().unwrap(), "d");
    assert_eq!(design.grants[5].renamed.as_ref().unwrap(), "c");
}

#[test]
fn az_b10_a_file_row_stays_a_file() {
    let design = rows("| `src/a.py` | Modify | x |\n");
    assert_eq!(design.grants[0].kind, GrantKind::File);
}
