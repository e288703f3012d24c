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

use gix::bstr::BStr;

use crate::named::is_in;
use crate::scope::settings::Settings;
use crate::scope::{Actions, Grant, GrantForm, GrantKind};
use builder::{DesignBuilder, Row};
use markdown::{Block, BlockKind, CodeBlock, InlineText, ListNode, ListNodeKind};
use markdown::{Table, TableRow};
use outline::{BlockPlace, Outline};
use paths::WrittenPath;
use source::{DesignText, PIECE, PieceKind, Run};
use types::{RowAction, add, any};

pub use builder::{Design, Mention};
pub use problem::Problem;
pub use propose::form::{Form, MissingRow, RowToAdd};

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
