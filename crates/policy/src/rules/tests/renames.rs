//! Rename rows: what they permit, and renames without one.

use super::*;

#[test]
fn a_rename_row_permits_both_ends_if_the_content_goes_on() {
    let row = ["`src/a.rs` -> `src/b.rs` | Rename | x"];
    let old = "a\nb\nc\nd\n";
    let little = "a\nb\nc\nx\n";
    let half = "a\nb\nx\ny\n";
    commit("", &row)
        .rename("src/a.rs", "src/b.rs", old, old)
        .says(&[]);
    commit("", &row)
        .rename("src/a.rs", "src/b.rs", old, little)
        .says(&[]);
    let gone = commit("", &row).rename("src/a.rs", "src/b.rs", old, half);
    gone.says(&["error action-not-granted src/a.rs: src/a.rs is deleted, but its new path src/b.rs does not keep its content"]);
    gone.helps(&[
        "keep its content there: a renamed file must lose less than 50 %",
        "or, to delete it, add this row to docs/lld/LLD-1.md and commit the design first:",
        "| `src/a.rs` | Delete | … |",
        "to add it: guard scope add --missing",
    ]);
    let details =
        serde_json::json!({"action": "delete", "granted": ["delete"], "new_end": "src/b.rs"});
    assert_eq!(gone.details(), details);
    let anchor = gone.findings()[0].design.clone().unwrap();
    assert_eq!(
        (anchor.line, &*anchor.label),
        (7, "lets it be renamed to src/b.rs")
    );
    let off = "[rules]\ndestructive-change = \"off\"\n";
    let empty = commit(off, &row).rename("src/a.rs", "src/b.rs", "a\nb\n", "\0\u{1}binary");
    let said = said(&empty.findings()[0]);
    assert!(
        said.ends_with("its new path src/b.rs does not keep its content"),
        "{said}"
    );
}

#[test]
fn a_rename_row_does_not_permit_a_deletion() {
    let delete = |stage| {
        let work = work(stage, "", &["`src/a.rs` -> `src/b.rs` | Rename | x"]);
        work.delete("src/a.rs", "a\n")
    };
    let expected = "error action-not-granted src/a.rs: src/a.rs is deleted, but its new path src/b.rs is not part of the change";
    let why = "a row that lets it be renamed does not let it be deleted, which takes a Delete row";
    for (stage, how) in [
        (
            Stage::Commit,
            "to rename it: git restore --source=HEAD --staged --worktree -- src/a.rs && git mv src/a.rs src/b.rs",
        ),
        (Stage::Range, "bring it back, and move it to src/b.rs"),
        (Stage::Request, "to rename it: guard move src/a.rs src/b.rs"),
    ] {
        delete(stage).says(&[expected]);
        delete(stage).helps(&[why, how]);
    }
    // Nor modifying the old path; and a Delete row beside it permits the deletion.
    let work = commit("", &["`src/a.rs` -> `src/b.rs` | Rename | x"]);
    let work = work.modify("src/a.rs", "a\n", "a\nb\n");
    work.says(&["error action-not-granted src/a.rs: src/a.rs is modified; the design only lets it be renamed to src/b.rs"]);
    assert_eq!(
        work.findings()[0].design.as_ref().unwrap().label,
        "lets it be renamed to src/b.rs"
    );
    assert!(
        work.findings()[0].help[0].starts_with("add this row"),
        "a Rename row stays as it is"
    );
    let both = commit(
        "",
        &[
            "`src/a.rs` -> `src/b.rs` | Rename | x",
            "`src/a.rs` | Delete | x",
        ],
    );
    both.delete("src/a.rs", "a\n").says(&[]);
}

#[test]
fn a_rename_row_for_a_directory_moves_each_file_to_its_place() {
    let row = ["`old/` -> `new/` | Rename | x"];
    commit("", &row)
        .rename("old/a.rs", "new/a.rs", "a\n", "a\n")
        .says(&[]);
    let elsewhere = commit("", &row).rename("old/a.rs", "new/b.rs", "a\n", "a\n");
    let first = said(&elsewhere.findings()[0]);
    assert!(
        first.ends_with("its new path new/a.rs is not part of the change"),
        "{first}"
    );
}

#[test]
fn a_large_loss_of_a_rename_is_reported_at_the_new_path_only() {
    let row = ["`src/a.rs` -> `src/b.rs` | Rename | x"];
    let rename = |settings: &str| {
        let old = lines("a", 200);
        let new = lines("b", 50);
        commit(settings, &row).rename("src/a.rs", "src/b.rs", &old, &new)
    };
    rename("")
        .says(&["error destructive-change src/b.rs: src/b.rs loses 200 of 200 lines (100 %)"]);
    // Where that rule does not refuse, the old path is refused.
    for level in ["warning", "off"] {
        let work = rename(&format!("[rules]\ndestructive-change = \"{level}\"\n"));
        assert_eq!(work.findings()[0].rule, Rule::ActionNotGranted, "{level}");
    }
    // A small loss is not refused at the new path, so it is at the old one.
    let small = commit("", &row).rename("src/a.rs", "src/b.rs", "a\nb\n", "c\nd\n");
    assert_eq!(small.findings()[0].rule, Rule::ActionNotGranted);
    // Another rename than that of the row.
    let work = commit(
        "",
        &[
            "`src/a.rs` -> `src/c.rs` | Rename | x",
            "`src/b.rs` | Add | x",
        ],
    );
    let work = work.rename("src/a.rs", "src/b.rs", &lines("a", 200), &lines("b", 50));
    assert_eq!(work.findings()[0].rule, Rule::ActionNotGranted);
    assert_eq!(work.findings()[1].rule, Rule::DestructiveChange);
}

#[test]
fn a_rename_without_rows_needs_one_row_for_both_ends() {
    let work = commit("", &["`zz.rs` | Modify | x"]).rename("src/a.rs", "src/b.rs", "a\n", "a\n");
    work.says(&[
        "error out-of-scope src/a.rs: src/a.rs (renamed to src/b.rs) is not in the design",
        "error out-of-scope src/b.rs: src/b.rs (renamed from src/a.rs) is not in the design",
    ]);
    work.helps(&[
        "add this row to docs/lld/LLD-1.md and commit the design first:",
        "| `src/a.rs` -> `src/b.rs` | Rename | … |",
        "to add it: guard scope add --missing",
    ]);
    assert_eq!(work.findings()[1].help, work.findings()[0].help);
    // If only one end is refused, its own row is enough.
    let rename = |row: &str| commit("", &[row]).rename("src/a.rs", "src/b.rs", "a\n", "a\n");
    let work = rename("`src/b.rs` | Add | x");
    work.says(&[
        "error out-of-scope src/a.rs: src/a.rs (renamed to src/b.rs) is not in the design",
    ]);
    assert_eq!(&*work.findings()[0].help[1], "| `src/a.rs` | Delete | … |");
    let work = rename("`src/a.rs` | Delete | x");
    assert_eq!(&*work.findings()[0].help[1], "| `src/b.rs` | Add | … |");
}
