//! What a person's approval clears.

use super::*;

const ROWS: [&str; 1] = ["`src/` | Add/Modify | x"];

fn loss(settings: &str) -> Work {
    commit(settings, &ROWS).modify("src/x.rs", &lines("a", 200), &lines("b", 3))
}

#[test]
fn an_approval_turns_the_error_of_its_change_into_a_note() {
    let work = loss("").approve("src/x.rs");
    work.says(&["note destructive-change src/x.rs: src/x.rs loses 200 of 200 lines (100 %); approved by person@example.org: a new format"]);
    work.helps(&[]);
    let details = work.details();
    assert_eq!(details["approved_by"], "person@example.org");
    assert_eq!(details["reason_of_approval"], "a new format");
    assert_eq!(
        details["approval"]["id"],
        "00112233445566778899aabbccddeeff"
    );
    assert_eq!(details["lost"], 200);
}

#[test]
fn an_approval_counts_for_its_own_change_only() {
    let refused = "error destructive-change src/x.rs: src/x.rs loses 200 of 200 lines (100 %)";
    // Of another path, or of another content.
    let other = loss("").add("src/y.rs", "a\n").approve("src/y.rs");
    other.says(&[refused]);
    let mut changed = loss("").approve("src/x.rs");
    changed.approvals[0].new = Some("0".repeat(40));
    changed.says(&[refused]);
    loss("").says(&[refused]);
}

#[test]
fn what_is_no_error_or_cannot_be_approved_stays() {
    let warning = loss("[rules]\ndestructive-change = \"warning\"\n").approve("src/x.rs");
    warning.says(&["warning destructive-change src/x.rs: src/x.rs loses 200 of 200 lines (100 %)"]);
    let unsafe_path = commit("", &ROWS)
        .add("src/.GIT/x", "a\n")
        .approve("src/.GIT/x");
    assert_eq!(unsafe_path.findings()[0].level, Level::Error);
    let rules = [
        (Rule::OutOfScope, Level::Error, true),
        (Rule::OutOfScope, Level::Warning, false),
        (Rule::UnsafePath, Level::Error, false),
        (Rule::OutsideRoots, Level::Error, false),
    ];
    for (rule, level, expected) in rules {
        let mut finding = Finding::new(rule, "a", "x");
        finding.level = level;
        assert_eq!(can_be_cleared(&finding), expected, "{rule:?} {level:?}");
    }
}

#[test]
fn the_loss_of_a_rename_needs_the_consent_to_both_ends() {
    let rows = ["`src/a.rs` -> `src/b.rs` | Rename | x"];
    let rename =
        || commit("", &rows).rename("src/a.rs", "src/b.rs", &lines("a", 200), &lines("b", 3));
    let one = rename().approve("src/b.rs");
    one.says(&["error destructive-change src/b.rs: src/b.rs loses 200 of 200 lines (100 %)"]);
    assert_eq!(
        &*one.findings()[0].help[0],
        "the lost content was in src/a.rs, whose deletion needs approval, too; `--staged` approves both"
    );
    let both = rename().approve("src/b.rs").approve("src/a.rs");
    assert_eq!(both.findings()[0].level, Level::Note);
    // Other findings at the new path, and losses of a file that was there, need one.
    let not_granted = commit("", &["`zz` | Modify | x"]);
    let not_granted = not_granted
        .rename("src/a.rs", "src/b.rs", "a\n", "a\n")
        .approve("src/b.rs");
    let levels: Vec<Level> = not_granted
        .findings()
        .iter()
        .map(|finding| finding.level)
        .collect();
    assert_eq!(levels, [Level::Error, Level::Note]);
    let finding = Finding::new(Rule::DestructiveChange, "b", "x");
    let mut change = rename().changes[1].0.clone();
    assert_eq!(lost_at(&finding, &change), Some("src/a.rs".into()));
    change.old = change.new;
    assert_eq!(lost_at(&finding, &change), None);
}
