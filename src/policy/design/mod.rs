//! Parses design documents into grants, mentions and faults.
//!
//! There is only this parser. It never fails: each problem becomes a fault with its line, and all are reported
//! together.
//!
//! ```text
//! bytes -> source (lines) -> blocks (one pass over CommonMark events)
//!       -> sections (which tables and lists are the scope) -> table, list, … -> draft
//! ```

mod absent;
mod bare_path;
mod blocks;
mod braces;
mod cell;
mod change_type;
mod claim;
mod collect;
mod columns;
mod declarations;
mod declared;
mod decoding;
mod design_builder;
mod doubt;
mod draft;
mod entries;
mod entry;
mod exclusion;
mod file_headings;
mod files_tag;
mod form;
mod front_matter;
mod heading;
mod html;
mod inline;
mod item;
mod japanese;
mod kind;
mod known;
mod label;
mod languages;
mod lead;
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
mod task_objects;
mod tasks;
mod tree;
mod unread;
mod written_path;

use std::collections::BTreeSet;

use gix::bstr::BStr;

use crate::error::Error;
use crate::finding::Finding;
use crate::path::escaped;
use crate::policy::{Grant, GrantKind};

pub(in crate::policy) use form::code_span;
pub use form::{Form, MissingRow, RowToAdd, usual_row};
pub use known::KnownDesigns;
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

/// Parses a design. `path` is its path in the repository, which rows cannot grant.
pub fn parse(path: &BStr, bytes: &[u8], options: &DesignOptions) -> Design {
    let (text, fault) = decoding::decode(bytes);
    let source = source::DesignText::new(path, &text, &options.files);
    let mut draft = design_builder::DesignBuilder::new(&source, options);
    match fault {
        Some(fault) => draft.fault(fault),
        None => sections::read(&source, options, &mut draft),
    }
    draft.finish()
}

/// Parses a design in a repository. `is_file` is asked only about names in code that could also mean something else.
///
/// # Errors
/// `is_file` failed.
pub fn parse_among<E>(
    path: &BStr,
    bytes: &[u8],
    options: &DesignOptions,
    is_file: impl FnMut(&BStr) -> Result<bool, E>,
) -> Result<Design, E> {
    parse_among_with(options, |options| parse(path, bytes, options), is_file)
}

/// The same with a given parser.
///
/// # Errors
/// `is_file` failed.
pub fn parse_among_with<E>(
    options: &DesignOptions,
    parse: impl Fn(&DesignOptions) -> Design,
    mut is_file: impl FnMut(&BStr) -> Result<bool, E>,
) -> Result<Design, E> {
    let design = parse(options);
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
    Ok(parse(&options))
}

impl Design {
    /// The row that would grant what is wanted, in the form of this design's table or list.
    pub fn row(&self, wanted: &MissingRow<'_>) -> RowToAdd {
        form::row(&self.forms, wanted)
    }

    /// The grants of the doubtful names if they were files: a request may be about to create one.
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
