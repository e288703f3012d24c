//! Design documents: Markdown -> grants, mentions and faults.
//!
//! The one parser of designs. It never fails: whatever is wrong with a
//! document becomes a fault with its line, and all faults are told at once.
//!
//! ```text
//! bytes -> source (lines) -> blocks (one pass over CommonMark events)
//!       -> sections (which tables and lists are the scope) -> table, list, … -> draft
//! ```

mod absent;
mod blocks;
mod braces;
mod bullets;
mod cell;
mod collect;
mod columns;
mod draft;
mod entry;
mod exclusion;
mod file_headings;
mod form;
mod front_matter;
mod heading;
mod html;
mod inline;
mod kind;
mod lines;
mod link;
mod map;
mod name;
mod negation;
mod options;
mod parsed;
mod placeholder;
mod problem;
mod raw;
mod role;
mod section;
mod sections;
mod source;
mod table;
mod tag;
mod unread;
mod whole;
mod word;
mod written;

use std::collections::BTreeSet;

use gix::bstr::{BStr, BString};

use crate::error::Error;
use crate::finding::Finding;
use crate::path::show;
use crate::policy::{Grant, GrantKind};

pub use form::{Form, MissingRow, RowToAdd, usual_row};
pub use options::DesignOptions;
pub use parsed::{DesignFault, Mention};
pub use role::role_of;

/// A design document as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Design {
    /// Repository-relative path of the document.
    pub path: BString,
    /// The text with its BOM, for excerpts. Where the document is not UTF-8,
    /// bad bytes are replaced from the place of the fault on.
    pub text: String,
    /// What is granted, in the order of the document.
    pub grants: Vec<Grant>,
    /// What is named without being granted.
    pub mentions: Vec<Mention>,
    /// What is wrong, in the order of the document.
    pub faults: Vec<DesignFault>,
    /// Its tables and lists, and how a row of each is written.
    pub forms: Vec<Form>,
    /// Code that would mean just a file if one of this name were there: `TODO`, `a.rs:12`.
    pub doubtful: Vec<BString>,
}

impl Design {
    /// Whether anything can be judged by this design. A document that is
    /// ambiguous or cannot be decoded grants nothing; a bad row takes only itself away.
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
        let mut error = Error::new(format!("the design {} cannot be used", show(&self.path)));
        error.problems = self.findings();
        error.texts.insert(self.path, self.text);
        Err(error)
    }
}

/// Reads a design. `path` is its repository-relative path: no row grants it.
pub fn parse(path: &BStr, bytes: &[u8], options: &DesignOptions) -> Design {
    let decoded = whole::decode(bytes);
    let source = source::DesignText::new(path, &decoded.text).among(&options.files);
    let mut draft = draft::Draft::new(&source, options);
    match decoded.fault {
        Some(fault) => draft.fault(fault),
        None => sections::read(&source, options, &mut draft),
    }
    let forms = draft.take_forms();
    let doubtful = draft.take_doubtful();
    let (grants, mentions, faults) = draft.finish();
    Design {
        path: path.into(),
        text: decoded.text,
        grants,
        mentions,
        faults,
        forms,
        doubtful,
    }
}

/// Reads a design among files. `is_file` is asked about the names alone that matter: those in code that would mean
/// something else, or nothing.
///
/// # Errors
/// Those of `is_file`.
pub fn parse_among<E>(
    path: &BStr,
    bytes: &[u8],
    options: &DesignOptions,
    mut is_file: impl FnMut(&BStr) -> Result<bool, E>,
) -> Result<Design, E> {
    let design = parse(path, bytes, options);
    let mut files = BTreeSet::new();
    for name in &design.doubtful {
        if is_file(name.as_ref())? {
            files.insert(name.clone());
        }
    }
    if files.is_empty() {
        return Ok(design);
    }
    let options = DesignOptions {
        files,
        ..options.clone()
    };
    Ok(parse(path, bytes, &options))
}

impl Design {
    /// The row that would permit what is wanted, in the form of this design's own table or list.
    pub fn row(&self, wanted: &MissingRow<'_>) -> RowToAdd {
        form::row(&self.forms, wanted)
    }

    /// What the doubtful names would grant if they were files: a request may be about to make one of them.
    pub fn grants_of_doubtful(&self, options: &DesignOptions) -> Vec<Grant> {
        if self.doubtful.is_empty() {
            return Vec::new();
        }
        let options = DesignOptions {
            files: self.doubtful.iter().cloned().collect(),
            ..options.clone()
        };
        let mut grants = parse(self.path.as_ref(), self.text.as_bytes(), &options).grants;
        grants.retain(|grant| grant.kind == GrantKind::File && options.files.contains(&grant.path));
        grants
    }

    /// The faults as findings, in the order of the document.
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
