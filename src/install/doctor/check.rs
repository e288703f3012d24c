//! The result of a check of the set-up.

use crate::error::Error;
use crate::finding::Help;

named! {
    /// The result of a check.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Status {
        /// It works.
        Ok = "ok",
        /// It works, but has a gap.
        Warn = "warn",
        /// It does not work.
        Fail = "fail",
    }
}

/// One check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// What it checks.
    pub name: &'static str,
    /// The result.
    pub status: Status,
    /// One sentence, with escaped names.
    pub message: String,
    /// How to repair it, one step per line.
    pub help: Vec<Help>,
}

impl Check {
    pub(super) fn new(name: &'static str, status: Status, message: impl Into<String>) -> Check {
        Check {
            name,
            status,
            message: message.into(),
            help: Vec::new(),
        }
    }

    pub(super) fn ok(name: &'static str, message: impl Into<String>) -> Check {
        Check::new(name, Status::Ok, message)
    }

    pub(super) fn warn(name: &'static str, message: impl Into<String>) -> Check {
        Check::new(name, Status::Warn, message)
    }

    pub(super) fn fail(name: &'static str, message: impl Into<String>) -> Check {
        Check::new(name, Status::Fail, message)
    }

    pub(super) fn help(mut self, line: impl Into<Help>) -> Check {
        self.help.push(line.into());
        self
    }

    /// A check that failed with an error.
    pub(super) fn of_error(name: &'static str, status: Status, error: Error) -> Check {
        Check {
            help: error.help,
            ..Check::new(name, status, error.message)
        }
    }
}
