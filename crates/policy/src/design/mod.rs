//! Parses design documents into grants, mentions and faults.
//!
//! There is only this parser. It never fails: each problem becomes a fault with its line, and all are reported
//! together.
//!
//! ```text
//! bytes -> source (lines) -> markdown (one pass over CommonMark events): blocks with runs of inline text
//!       -> outline (what headings say about blocks) -> document: tables, lists and front matter
//!       -> row (type, paths, remarks) -> builder: grants, mentions, denials and faults
//! ```

mod builder;
mod document;
mod exclusion;
mod front_matter;
mod headings;
mod html;
mod link;
mod list;
mod markdown;
mod outline;
mod paths;
mod placeholders;
mod problem;
pub mod propose;
mod remarks;
mod row;
mod scan;
mod source;
mod table;
mod types;
mod words;

use bstr::BStr;

use crate::scope::settings::Settings;
use crate::scope::{Actions, Grant, GrantForm, GrantKind};
use builder::DesignBuilder;
use markdown::{Block, BlockKind, InlineText, ListNode, ListNodeKind};
use markdown::{Table, TableRow};
use outline::Outline;
use paths::WrittenPath;
use source::{DesignText, PIECE, PieceKind};

pub use builder::{Design, Mention};
pub use problem::Problem;
pub use propose::form::{Form, MissingRow, RowToAdd};

/// The largest document that is read, in bytes.
const MAX_SIZE: usize = 1_000_000;

/// Parses a design. `path` is its path in the repository, which rows cannot grant.
pub fn parse(path: &BStr, bytes: &[u8], options: &Settings) -> Design {
    let (text, problem) = if bytes.len() > MAX_SIZE {
        let problem = problem::too_large(bytes.len(), MAX_SIZE);
        (String::new(), Some(problem))
    } else {
        source::decode(bytes)
    };
    let source = DesignText::new(path, &text, options);
    let mut draft = DesignBuilder::new(&source);
    match problem {
        Some(problem) => draft.fault(problem),
        None => document::read(&mut draft),
    }
    draft.finish()
}
