//! A parsed design: its grants, the paths that it only mentions, and its faults.

use gix::bstr::BString;

use super::problem::Problem;
use super::propose::form::{self, Form, MissingRow, RowToAdd};
use crate::error::Error;
use crate::finding::{Anchor, Finding, Help};
use crate::path::escaped;
use crate::scope::Grant;

/// A parsed design document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Design {
    /// The path of the document in the repository.
    pub path: BString,
    /// The text with its BOM, for excerpts. In a document that is not UTF-8, invalid bytes are replaced.
    pub text: String,
    /// The grants in document order.
    pub grants: Vec<Grant>,
    /// Paths that are named but not granted.
    pub mentions: Vec<Mention>,
    /// The faults in document order.
    pub faults: Vec<Problem>,
    /// Its tables and lists, and how their rows are written.
    pub forms: Vec<Form>,
    pub(super) is_typed: bool,
}

impl Design {
    /// Whether a table with a type column is the scope: it is then also the scope of the other documents of its
    /// directory.
    pub fn is_typed(&self) -> bool {
        self.is_typed
    }

    /// Whether the design can judge anything. An ambiguous or undecodable document grants nothing; a bad row loses
    /// only itself.
    pub fn is_usable(&self) -> bool {
        !self.grants.is_empty()
    }

    /// The design, if anything can be judged by it.
    ///
    /// # Errors
    /// It cannot be used; the error holds its faults.
    pub fn usable(self) -> Result<Design, Error> {
        if self.is_usable() {
            return Ok(self);
        }
        let mut error = Error::new(format!("the design {} cannot be used", escaped(&self.path)));
        error.problems = self.findings();
        error.texts.insert(self.path, self.text);
        Err(error)
    }

    /// The row that would grant what is wanted, in the form of this design's table or list.
    pub fn row(&self, wanted: &MissingRow<'_>) -> RowToAdd {
        form::row(&self.forms, wanted)
    }

    /// The faults as findings, in document order.
    pub fn findings(&self) -> Vec<Finding> {
        let finding = |fault: &Problem| {
            let mut help = fault.help.lines();
            let example = |line| match Help::from(line) {
                command if command.has_command() => command,
                _ => Help::row(line),
            };
            let sentence = help.next().map(Help::from).into_iter();
            Finding {
                design: fault.anchor.as_deref().cloned(),
                help: sentence.chain(help.map(example)).collect(),
                ..Finding::new(fault.rule, self.path.clone(), fault.message.clone())
                    .detail("reason", fault.reason)
            }
        };
        self.faults.iter().map(finding).collect()
    }
}

/// A path in a row such as `Exists` or `Verify`: named, not granted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    /// The path as written, normalised like a grant's.
    pub path: BString,
    /// The type as written.
    pub change_type: String,
    /// The path's place in the document.
    pub anchor: Anchor,
}
