//! Parses design documents into grants, mentions and faults.
//!
//! There is only this parser. It never fails: each problem becomes a fault with its line, and all are reported
//! together.
//!
//! ```text
//! bytes -> source (lines) -> markdown (one pass over CommonMark events): blocks with runs of inline text
//!       -> outline (headings) -> scope: a table with types, or else all passages -> builder
//! ```

mod builder;
mod code;
mod front_matter;
mod headings;
mod html;
mod item;
mod markdown;
mod outline;
mod passages;
mod paths;
mod problem;
pub mod propose;
mod scope;
mod source;
mod table;
mod types;
mod words;

use gix::bstr::{BStr, BString};

use crate::error::Error;
use crate::finding::{Anchor, Finding, Help};
use crate::path::escaped;
use crate::scope::settings::Settings;
use crate::scope::{Actions, Grant, GrantForm, GrantKind};
use builder::{DesignBuilder, Row};
use markdown::{Block, BlockKind, CodeBlock, InlineText, ListNode, ListNodeKind};
use markdown::{Table, TableRow};
use outline::{BlockPlace, Outline};
use paths::WrittenPath;
use source::{DesignText, PIECE, PieceKind, Run};
use types::{RowAction, add, any};
use words::is_in;

pub use problem::Problem;
use propose::form::{self, Shape};
pub use propose::form::{Form, MissingRow, RowToAdd, usual_row};

/// The largest document that is read, in bytes.
const MAX_SIZE: usize = 1_000_000;

/// Parses a design. `path` is its path in the repository, which rows cannot grant.
pub fn parse(path: &BStr, bytes: &[u8], options: &Settings) -> Design {
    let (text, problem) = match bytes.len() {
        size if size > MAX_SIZE => (String::new(), Some(problem::too_large(size, MAX_SIZE))),
        _ => source::decode(bytes),
    };
    let source = DesignText::new(path, &text, options);
    let mut draft = DesignBuilder::new(&source);
    match problem {
        Some(problem) => draft.fault(problem),
        None => scope::read(&mut draft),
    }
    draft.finish()
}

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
    is_typed: bool,
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
