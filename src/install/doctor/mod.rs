//! `guard doctor`: whether what is set up also works, and how to mend it.

mod framework;
mod hooks;
mod policy;
mod program;
mod proof;
mod sight;

use crate::error::Error;
use crate::git::Repository;

/// How a check came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// As it should be.
    Ok,
    /// Works, with a gap that a person should know.
    Warn,
    /// Does not work.
    Fail,
}

impl Status {
    /// The word used in every format.
    pub fn name(self) -> &'static str {
        match self {
            Status::Ok => "ok",
            Status::Warn => "warn",
            Status::Fail => "fail",
        }
    }
}

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// What was looked at.
    pub name: &'static str,
    /// How it came out.
    pub status: Status,
    /// One sentence; names in it are escaped.
    pub message: String,
    /// How to mend it, one step a line.
    pub help: Vec<String>,
}

impl Check {
    fn new(name: &'static str, status: Status, message: impl Into<String>) -> Check {
        Check {
            name,
            status,
            message: message.into(),
            help: Vec::new(),
        }
    }

    fn help(mut self, line: impl Into<String>) -> Check {
        self.help.push(line.into());
        self
    }

    /// What kept guard from looking.
    fn of_error(name: &'static str, status: Status, error: Error) -> Check {
        Check {
            help: error.help,
            ..Check::new(name, status, error.message)
        }
    }
}

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
    checks.extend(sight::check(repo));
    checks
}

/// A repository that cannot be opened: nothing else can be looked at.
pub fn unreadable(error: Error) -> Vec<Check> {
    vec![Check::of_error("repository", Status::Fail, error)]
}
