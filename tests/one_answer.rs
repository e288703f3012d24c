//! One answer at three moments: what the hooks of a branch accept, its push and its request accept, and what they refuse
//! is refused there, too; but for the differences that docs/ci.md lists with their reasons.
//!
//! `GUARD_BRANCHES=N` makes more branches. `tests/one_answer_managers.rs` lets the real hook managers call guard.

use std::fs;

use crate::common::SOURCE;
use crate::common::branch_answers::{DIFFERENCES, differences};
use crate::common::branches::Hooks;

const HOOKS: &[Hooks] = &[
    Hooks::All,
    Hooks::WithoutTrailers,
    Hooks::CommitAlone,
    Hooks::Framework,
];

#[test]
fn hooks_push_and_request_give_one_answer_about_random_branches() {
    let found = differences(HOOKS);
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn the_differences_are_on_the_list_in_the_documentation() {
    let page = fs::read_to_string(format!("{SOURCE}/docs/ci.md")).unwrap();
    let page = page.split_whitespace().collect::<Vec<_>>().join(" ");
    for (difference, words) in DIFFERENCES {
        assert!(page.contains(words), "{difference:?}: {words}");
    }
}
