//! What a check of the set-up found.

use crate::error::Error;
use crate::finding::Help;

named! {
    /// How a check came out.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Status {
        /// As it should be.
        Ok = "ok",
        /// Works, with a gap that a person should know.
        Warn = "warn",
        /// Does not work.
        Fail = "fail",
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

    pub(super) fn help(mut self, line: impl Into<Help>) -> Check {
        self.help.push(line.into());
        self
    }

    /// What kept guard from looking.
    pub(super) fn of_error(name: &'static str, status: Status, error: Error) -> Check {
        Check {
            help: error.help,
            ..Check::new(name, status, error.message)
        }
    }
}
