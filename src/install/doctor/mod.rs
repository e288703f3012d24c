//! `guard doctor`: checks that the set-up works, and says how to repair it.

mod check;
mod framework;
mod hooks;
mod policy;
mod program;
mod proof;
mod visibility;

use crate::error::Error;
use crate::git::Repository;

pub use check::{Check, Status};

/// Looks at everything; writes nothing but a temporary directory, which is gone again at the end.
pub fn examine(repo: &Repository) -> Vec<Check> {
    let mut checks = vec![Check::new("repository", Status::Ok, "readable")];
    checks.extend(policy::check(repo));
    let program = program::check();
    match super::git_hooks::survey(repo) {
        Err(error) => checks.push(Check::of_error("hooks", Status::Fail, error)),
        Ok(survey) => {
            checks.extend(hooks::check(repo, &survey));
            checks.push(program);
            checks.extend(proof::check(&survey));
        }
    }
    checks.extend(visibility::check(repo));
    checks
}

/// A repository that cannot be opened: nothing else can be looked at.
pub fn unreadable(error: Error) -> Vec<Check> {
    vec![Check::of_error("repository", Status::Fail, error)]
}
