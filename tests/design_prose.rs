//! Prose in a type cell is not a type. It grants the edit that it describes, but never a deletion.
#![allow(clippy::unwrap_used)]

use crate::common::{DESIGN, Repo};
use crate::design_support::{actions, faults, paths, read, rows};
use write_guard::policy::Actions;

fn any() -> Actions {
    Actions::ADD | Actions::MODIFY
}

/// What a table `File | Change` with these cells grants, in order.
fn change_column(cells: &[&str]) -> write_guard::policy::design::Design {
    let rows: String = cells
        .iter()
        .enumerate()
        .map(|(number, cell)| format!("| `src/{number}.py` | {cell} |\n"))
        .collect();
    read(&format!(
        "## Files Changed\n\n| File | Change |\n|---|---|\n{rows}"
    ))
}

fn bullets(items: &str) -> write_guard::policy::design::Design {
    read(&format!("## Files Changed\n\n{items}"))
}

#[test]
fn a_sentence_in_a_change_column_grants_add_and_modify() {
    for cell in [
        "Remove unused imports",
        "Delete the debug flag",
        "Rename the helper",
        "Move the parser into its own function",
        "Add a retry",
        "Update the parser",
        "Deleted: the old flag",
        "Remove - unused imports",
        "Delete (old) imports",
        "Remove (unused imports",
        "New flag",
        "Edit/refactor",
    ] {
        let design = change_column(&[cell]);
        assert_eq!(actions(&design), [any()], "{cell}: {:?}", design.faults);
        assert_eq!(design.grants[0].change_type, "", "{cell}");
        let mixed = change_column(&["Delete", cell, "Modify"]);
        assert_eq!(actions(&mixed), [any(); 3], "{cell}");
    }
}

#[test]
fn bare_words_in_a_change_column_are_types() {
    let design = change_column(&[
        "Delete",
        "**Removed**",
        "delete (no longer needed)",
        "Modify",
        "Modify (the parser)",
        "No changes",
        "Existing",
    ]);
    assert_eq!(
        actions(&design),
        [
            Actions::DELETE,
            Actions::DELETE,
            Actions::DELETE,
            Actions::MODIFY,
            Actions::MODIFY
        ]
    );
    assert_eq!(design.mentions.len(), 2);
    assert_eq!(
        actions(&change_column(&["Add/Modify", "Add and modify"])),
        [any(); 2]
    );
}

#[test]
fn delete_and_rename_in_a_type_column_are_bare_words() {
    let design = rows(
        "| `a` | Remove unused imports | |\n| `b` | Delete the flag | |\n| `c` -> `d` | Rename the helper | |\n| `e` | Delete - later | |\n| `f` | Delete? | |\n",
    );
    assert!(paths(&design).is_empty(), "{:?}", design.grants);
    assert_eq!(
        faults(&design),
        [7, 8, 9, 10, 11].map(|line| ("unknown-type", line))
    );
    let bare = rows(
        "| `a` | Delete | |\n| `b` | Delete (unused (since 2)) | |\n| `c` -> `d` | Renamed (clearer) | |\n| `e/` | Delete (directory) | |\n| `f` | ❌ Delete. | |\n",
    );
    assert_eq!(paths(&bare), ["a", "b", "c", "d", "e", "f"]);
    assert!(bare.faults.is_empty(), "{:?}", bare.faults);
}

#[test]
fn text_after_add_or_modify_in_a_type_column_is_ignored() {
    let design = rows(
        "| `a` | Add keyring dependency | |\n| `b` | Modify - no API change | |\n| `c` | Add no-op handler | |\n| `d` | Update None checks | |\n| `e` | Modify (no longer a stub) | |\n",
    );
    assert!(design.faults.is_empty(), "{:?}", design.faults);
    assert_eq!(paths(&design).len(), 5);
}

#[test]
fn path_cell_with_words_does_not_grant_deletion() {
    let design = rows("| `debug` flag in `src/a.py` | Delete | |\n| `b.py` | Delete | |\n");
    assert_eq!(paths(&design), ["b.py"]);
    assert_eq!(faults(&design), [("ambiguous-cell", 7)]);
}

#[test]
fn a_negated_type_grants_nothing() {
    for cell in [
        "Modify? No",
        "Changes: none",
        "Changes: None.",
        "Modify: no changes",
        "Modify (not yet)",
        "Modify - not needed",
        "Update: n/a",
        "Do not modify",
        "DO NOT MODIFY",
        "Don’t change",
        "Modify (do not)",
        "Never modify",
        "No changes",
        "Change nothing",
        "Modify no files",
        "Not modified",
        "Modify?",
        "Delete (not yet)",
        "None",
    ] {
        let typed = rows(&format!(
            "| `a.py` | {cell} | x |\n| `b.py` | Modify | x |\n"
        ));
        assert_eq!(paths(&typed), ["b.py"], "{cell}");
        let change = change_column(&[cell, "Modify the parser"]);
        assert_eq!(paths(&change), ["src/1.py"], "{cell}");
        let bare = change_column(&[cell, "Modify"]);
        assert_eq!(paths(&bare), ["src/1.py"], "{cell}");
    }
}

#[test]
fn negated_description_revokes_a_row_without_type() {
    for (header, cell) in [
        ("Modify?", "No"),
        ("Changes", "none"),
        ("Changes", "No changes"),
        ("Changed", "no"),
        ("Description", "No changes"),
        ("Notes", "Do not modify"),
        ("Description", "No changes — confirm that all 14 tests pass"),
        ("Description", "unchanged"),
        ("Description", "No changes to the API; adds a cache"),
        ("Description", "Do not modify the input in place"),
    ] {
        let design = read(&format!(
            "## Files Changed\n\n| File | {header} |\n|-|-|\n| `a.py` | {cell} |\n| `b.py` | yes |\n"
        ));
        assert_eq!(paths(&design), ["b.py"], "{header}: {cell}");
        assert_eq!(design.mentions[0].path, "a.py");
    }
    for (header, cell) in [
        ("Notes", "none"),
        ("Description", "Add an optional cache; the API stays"),
        ("Description", "Handle a page not found"),
        ("Risk", "no"),
    ] {
        let design = read(&format!(
            "## Files Changed\n\n| File | {header} |\n|-|-|\n| `a.py` | {cell} |\n"
        ));
        assert_eq!(paths(&design), ["a.py"], "{header}: {cell}");
    }
}

#[test]
fn negated_remark_revokes_its_path() {
    let table = read(
        "## Files Changed\n\n| File | Why |\n|-|-|\n| `a.py` (no changes), `b.py` (new) | x |\n| c.py (do not modify) | x |\n",
    );
    assert_eq!(paths(&table), ["b.py"]);
    let list = bullets(
        "- `a.py` (do not modify)\n- `b.py`: no changes\n- `c.py` — Modify? No\n- Modify: `d.py` (no changes)\n- Modify `e.py`? No\n- `g.py` - unchanged\n- `z.py`\n",
    );
    assert_eq!(paths(&list), ["z.py"]);
}

#[test]
fn negated_label_grants_nothing() {
    let list = bullets(
        "- Do not modify: `a.py`\n- No changes: `b.py`\n- Modify? No: `c.py`\n- Do not modify `d.py`\n- No changes to `e.py`\n- Changes: none\n- Changes: none in `f.py`\n- Won't change `g.py`\n- Keep: `h.py`\n- Read `i.py` first\n- Never modify `j.py`\n- `z.py`\n",
    );
    assert_eq!(paths(&list), ["z.py"], "{:?}", list.grants);
}

#[test]
fn prose_below_files_to_delete_is_refused() {
    let design = read(
        "## Files to Delete\n\n- `a.py`\n- Delete `b.py`\n- Remove the debug flag from `c.py`\n",
    );
    assert_eq!(paths(&design), ["a.py", "b.py"]);
    assert_eq!(actions(&design), [Actions::DELETE; 2]);
    assert_eq!(faults(&design), [("ambiguous-cell", 5)]);
}

#[test]
fn heading_with_prose_does_not_grant_deletion() {
    let design = read("#### [DELETE] `a.py`\n\n#### [DELETE] the flag in `src/b.py`\n");
    assert_eq!(paths(&design), ["a.py"]);
}

/// Judges one edit and one deletion of `src/a.py` under a design with this text.
fn edit_and_deletion(design: &str) -> (i32, i32) {
    let repo = Repo::new();
    repo.govern(&[("x", "Add", "")]);
    repo.stage(DESIGN, design);
    repo.stage("src/a.py", "import os\nprint(1)\n");
    repo.commit("Start");
    repo.stage("src/a.py", "print(1)\n");
    let edit = repo.guard(&["lint"]).code;
    repo.git(&["rm", "-q", "--cached", "src/a.py"]);
    (edit, repo.guard(&["lint"]).code)
}

#[test]
fn the_edit_that_prose_describes_is_accepted_and_the_deletion_refused() {
    for text in [
        "| File | Change |\n|-|-|\n| src/a.py | Remove unused imports |\n",
        "| File | Change |\n|-|-|\n| `src/a.py` | Delete the import of os |\n",
        "- Modify: `src/a.py` (remove unused imports)\n",
    ] {
        let design = format!("# Design\n\n## Files Changed\n\n{text}");
        assert_eq!(edit_and_deletion(&design), (0, 1), "{text}");
    }
    let deleted =
        "# Design\n\n## Files Changed\n\n| File | Change |\n|-|-|\n| src/a.py | Delete |\n";
    assert_eq!(edit_and_deletion(deleted), (1, 0));
    for text in [
        "| File | Change |\n|-|-|\n| src/a.py | Changes: none |\n| b | Modify |\n",
        "| File | Modify? |\n|-|-|\n| src/a.py | No |\n| b | Yes |\n",
        "- Do not modify: `src/a.py`\n- `b.py`\n",
    ] {
        let design = format!("# Design\n\n## Files Changed\n\n{text}");
        assert_eq!(edit_and_deletion(&design), (1, 1), "{text}");
    }
}
