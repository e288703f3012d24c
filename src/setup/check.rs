//! The result of a check of the set-up.

use serde::Serialize;

use crate::error::Error;
use crate::finding::Help;

/// The result of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// It works.
    Ok,
    /// It works, but has a gap.
    Warn,
    /// It does not work.
    Fail,
}

/// One check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Check {
    /// What it checks.
    #[serde(rename = "check")]
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

    pub(super) fn help(mut self, line: impl Into<Help>) -> Check {
        self.help.push(line.into());
        self
    }

    pub(super) fn helped(self, lines: impl IntoIterator<Item = impl Into<Help>>) -> Check {
        lines.into_iter().fold(self, Check::help)
    }

    pub(super) fn of_error(name: &'static str, status: Status, error: Error) -> Check {
        Check {
            help: error.help,
            ..Check::new(name, status, error.message)
        }
    }
}
