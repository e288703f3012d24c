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
mod cell;
mod code;
mod file_heading;
mod front_matter;
mod headings;
mod html;
mod item;
mod markdown;
mod outline;
mod parsed;
mod passages;
mod paths;
mod problem;
pub mod propose;
mod run;
mod scope;
mod source;
mod table;
mod task;
mod tree;
mod types;
mod words;

use gix::bstr::BStr;

use crate::scope::{Actions, Grant, GrantForm, GrantKind};
use builder::DesignBuilder;
use item::{DesignItem, Row};
use markdown::{Block, CodeBlock, Heading, InlineText, ListNode, ListNodeKind, Table, TableRow};
use outline::Outline;
use paths::WrittenPath;
use problem::{Problem, ambiguous, escaped};
use run::{PIECE, PieceKind, Run};
use source::DesignText;
use types::{RowAction, add, any};
use words::is_in;

use parsed::Shape;
pub use parsed::{Design, DesignFault, DesignOptions, Form, Mention};
pub use propose::form::{MissingRow, RowToAdd, usual_row};

/// The largest document that is read, in bytes.
const MAX_SIZE: usize = 1_000_000;

/// Parses a design. `path` is its path in the repository, which rows cannot grant.
pub fn parse(path: &BStr, bytes: &[u8], options: &DesignOptions) -> Design {
    let (text, problem) = match bytes.len() {
        size if size > MAX_SIZE => {
            let message = format!("the document has {size} bytes, more than {MAX_SIZE}");
            let help = "split the design, or allow directories instead of files";
            let problem = Problem::bad_row("too-large", &message, help);
            (String::new(), Some(problem))
        }
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
