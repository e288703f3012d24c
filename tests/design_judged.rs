//! Designs judged by the built binary: what several documents of one directory grant together, what hides rows, and how
//! large a design may be.
#![allow(clippy::unwrap_used)]

use crate::common::{DESIGN, Repo, SETTINGS};
use crate::design_support::HEADER;

/// The exit code of a commit judged by a design of about this size.
fn judged_by_a_design_of(bytes: usize) -> i32 {
    let repo = Repo::new();
    repo.stage("guard.toml", SETTINGS);
    let table = "## Files Changed\n\n| File | Change Type |\n|---|---|\n| `src/a.rs` | Add |\n";
    let prose = "Some words about the work.\n\n".repeat(bytes / 28);
    repo.stage(DESIGN, format!("# Design\n\n{table}\n## Words\n\n{prose}"));
    repo.commit("Say what may change");
    repo.branch("188-work");
    repo.stage("src/a.rs", "a\n");
    repo.guard(&["lint"]).code
}

#[test]
fn a_design_over_a_megabyte_cannot_judge() {
    assert_eq!(judged_by_a_design_of(900_000), 0);
    assert_eq!(judged_by_a_design_of(1_500_000), 2);
}

/// A repository in which `text` is the committed design and `a.py` is staged.
fn judged(text: &str) -> Repo {
    let repo = Repo::new();
    repo.stage("guard.toml", SETTINGS);
    repo.stage(DESIGN, text);
    repo.commit("Begin");
    repo.branch("188-work");
    repo.stage("a.py", "a = 1\n");
    repo
}

#[test]
fn guard_cannot_judge_by_a_design_that_hides_lines_or_all_its_rows() {
    let table = format!("## Files Changed\n\n{HEADER}| `a.py` | Add | x |\n");
    judged(&table).guard(&["lint"]).exits(0);
    let row = table.replace("| x |\n", "| x |\r| `b.py` | Add | y |\n");
    let hidden = table.replace("\n\n", "\n\n<details>\n\n") + "\n</details>\n";
    for (text, said) in [
        (format!("{table}\n\0"), "NUL"),
        (row, "carriage return"),
        (hidden, "`<details>`"),
    ] {
        judged(&text).guard(&["lint"]).exits(2).says(said);
    }
}

#[test]
fn unread_passages_are_reported() {
    let repo = judged(&format!(
        "## Files Changed\n\n{HEADER}| `b.py` | Add | x |\n\n<details>\n\n### Files Changed\n\n{HEADER}| `a.py` | Add | x |\n\n</details>\n"
    ));
    repo.guard(&["lint"]).exits(1).says("out-of-scope");
    let check = repo.guard(&["scope", "check"]).exits(0);
    check.says("warning[design-unread]").says("`<details>`");
}

/// Judges an edit and a deletion of `src/a.py` under a design with this text.
fn edit_and_deletion(text: &str) -> (i32, i32) {
    let repo = Repo::new();
    repo.stage("guard.toml", SETTINGS);
    repo.stage(DESIGN, format!("# Design\n\n## Files Changed\n\n{text}"));
    repo.stage("src/a.py", "import os\nprint(1)\n");
    repo.commit("Start");
    repo.branch("188-work");
    repo.stage("src/a.py", "print(1)\n");
    let edit = repo.guard(&["lint"]).code;
    repo.git(&["rm", "-q", "--cached", "src/a.py"]);
    (edit, repo.guard(&["lint"]).code)
}

#[test]
fn the_edit_that_prose_describes_is_accepted_and_the_deletion_refused() {
    for (text, expected) in [
        (
            "| File | Change |\n|-|-|\n| src/a.py | Remove unused imports |\n",
            (0, 1),
        ),
        ("- Modify: `src/a.py` (remove unused imports)\n", (0, 1)),
        ("| File | Change |\n|-|-|\n| src/a.py | Delete |\n", (1, 0)),
        (
            "| File | Modify? |\n|-|-|\n| src/a.py | No |\n| b | Yes |\n",
            (1, 1),
        ),
        ("- Do not modify: `src/a.py`\n- `b.py`\n", (1, 1)),
    ] {
        assert_eq!(edit_and_deletion(text), expected, "{text}");
    }
}
