//! One answer at three moments, as in `tests/one_answer.rs`, with hooks that the real managers run.

use crate::common::Repo;
use crate::common::branch_answers::differences;
use crate::common::branches::Hooks;
use crate::common::frameworks::{frameworks, lefthook, npm_package};

#[test]
fn hooks_of_managers_push_and_request_give_one_answer() {
    let mut found = Vec::new();
    if frameworks().next().is_some() {
        found.extend(differences(&[Hooks::PreCommit]));
    }
    if npm_package(&Repo::new(), "husky").is_some() {
        found.extend(differences(&[Hooks::Husky]));
    }
    if lefthook().is_some() {
        found.extend(differences(&[Hooks::Lefthook]));
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}
