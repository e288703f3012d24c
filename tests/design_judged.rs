//! Designs judged by the built binary: what hides rows, and how large a design may be.

use crate::common::{DESIGN, Repo, SETTINGS};
use write_guard_testing::designs::HEADER;

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
fn guard_cannot_judge_by_a_design_that_is_too_large_or_hides_lines_or_all_its_rows() {
    let table = format!("## Files Changed\n\n{HEADER}| `a.py` | Add | x |\n");
    let words = |bytes: usize| format!("{table}\n## Words\n\n{}", "words\n\n".repeat(bytes / 7));
    for good in [&table, &words(900_000)] {
        judged(good).guard(&["lint"]).exits(0);
    }
    let row = table.replace("| x |\n", "| x |\r| `b.py` | Add | y |\n");
    let hidden = table.replace("\n\n", "\n\n<details>\n\n") + "\n</details>\n";
    for (text, said) in [
        (format!("{table}\n\0"), "NUL"),
        (row, "carriage return"),
        (hidden, "`<details>`"),
        (words(1_500_000), "bytes"),
    ] {
        judged(&text).guard(&["lint"]).exits(2).says(said);
    }
}
