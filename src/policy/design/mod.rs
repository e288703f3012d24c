//! Parses design documents into grants, mentions and faults.
//!
//! There is only this parser. It never fails: each problem becomes a fault with its line, and all are reported
//! together.
//!
//! ```text
//! bytes -> source (lines) -> collect (one pass over CommonMark events) -> blocks
//!       -> outline (headings) -> scope_reader: a table with types, or else all passages -> design_builder
//! ```

mod blocks;
mod braces;
mod cell;
mod code;
mod collect;
mod columns;
mod design_builder;
mod entry;
mod file_heading;
mod files_tag;
mod form;
mod front_matter;
mod heading;
mod html;
mod item;
mod kind;
mod label;
mod link;
mod negation;
mod options;
mod outline;
mod parsed;
mod passages;
mod placeholder;
mod problem;
mod role;
mod scope_reader;
mod source;
mod table;
mod task;
mod tree;
mod type_cell;
mod unread;
mod words;
mod written_path;

use gix::bstr::BStr;

use crate::error::Error;
use crate::finding::Finding;
use crate::path::escaped;

use problem::{LocatedProblem, Problem};

pub(in crate::policy) use form::code_span;
pub use form::{Form, MissingRow, RowToAdd, usual_row};
pub use options::DesignOptions;
pub use parsed::{Design, DesignFault, Mention};

impl Design {
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
}

/// The largest document that is read, in bytes.
const MAX_SIZE: usize = 1_000_000;

/// Parses a design. `path` is its path in the repository, which rows cannot grant.
pub fn parse(path: &BStr, bytes: &[u8], options: &DesignOptions) -> Design {
    let (text, fault) = match bytes.len() > MAX_SIZE {
        true => (String::new(), Some(too_large(bytes.len()))),
        false => source::decode(bytes),
    };
    let source = source::DesignText::new(path, &text);
    let mut draft = design_builder::DesignBuilder::new(&source, options);
    match fault {
        Some(fault) => draft.fault(fault),
        None => scope_reader::read(&source, options, &mut draft),
    }
    draft.finish()
}

fn too_large(size: usize) -> LocatedProblem {
    let message = format!("the document has {size} bytes, more than {MAX_SIZE}");
    Problem::bad_row(
        "too-large",
        message,
        "split the design, or grant directories instead of files",
    )
    .at(0..0)
}

impl Design {
    /// The row that would grant what is wanted, in the form of this design's table or list.
    pub fn row(&self, wanted: &MissingRow<'_>) -> RowToAdd {
        form::row(&self.forms, wanted)
    }

    /// The faults as findings, in document order.
    pub fn findings(&self) -> Vec<Finding> {
        let finding = |fault: &DesignFault| Finding {
            design: fault.anchor.clone(),
            help: fault.help.clone(),
            ..Finding::new(fault.rule, self.path.clone(), fault.message.clone())
                .detail("reason", fault.reason)
        };
        self.faults.iter().map(finding).collect()
    }
}
