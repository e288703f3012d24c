//! `guard doctor`: checks that the set-up works, and says how to repair it.

mod agents;
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

/// Runs all checks. Writes only to a temporary directory, which it removes.
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
    checks.extend(agents::check(repo));
    checks.extend(visibility::check(repo));
    checks
}

/// The only check if guard cannot open the repository.
pub fn unreadable(error: Error) -> Vec<Check> {
    vec![Check::of_error("repository", Status::Fail, error)]
}
