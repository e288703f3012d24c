//! A parsed design: its grants, the paths that it only mentions, and its faults.

use gix::bstr::BString;

use crate::error::Error;
use crate::finding::{Anchor, Finding, Help, Rule};
use crate::path::escaped;
use crate::scope::patterns::Patterns;
use crate::scope::settings::{Settings, test_patterns};
use crate::scope::{Actions, Grant, GrantForm};

/// The settings for reading designs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DesignOptions {
    /// Headings, in addition to the built-in ones, that start a scope section, without numbering.
    pub headings: Vec<String>,
    /// The patterns of tests; a pattern without a slash is matched against the file name.
    pub test_patterns: Patterns,
    /// Whether tasks in any document grant the file that they write, not only those in `tasks.md`.
    pub tasks: bool,
}

impl Default for DesignOptions {
    fn default() -> Self {
        DesignOptions::from_settings(&Settings::default())
    }
}

impl DesignOptions {
    /// The options from the settings.
    pub fn from_settings(settings: &Settings) -> DesignOptions {
        DesignOptions {
            headings: settings.headings.clone(),
            test_patterns: test_patterns(),
            tasks: settings.tasks,
        }
    }
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
    pub faults: Vec<DesignFault>,
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

/// One table or list of a design, and how its rows are written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Form {
    pub(super) shape: Shape,
    pub(super) form: GrantForm,
    /// The actions that a row without a type grants.
    pub(super) untyped: Actions,
    /// The start of the table or list.
    pub(super) anchor: Anchor,
}

/// The ways to add files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Shape {
    /// A row of this table.
    Table(Vec<Cell>),
    /// An item of this list.
    List,
    /// A label with its item, which is a passage of its own wherever it stands.
    Line,
}

/// The content of a table column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cell {
    Path,
    Type,
    Text,
}

/// A path in a row such as `Exists` or `Verify`: named, not allowed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    /// The path as written, normalised like a grant's.
    pub path: BString,
    /// The type as written.
    pub change_type: String,
    /// The path's place in the document.
    pub anchor: Anchor,
}

/// A problem in a design.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DesignFault {
    /// One of the `design-…` rules.
    pub rule: Rule,
    /// One sentence without a full stop; names in it are escaped.
    pub message: String,
    /// What to write instead.
    pub help: Vec<Help>,
    /// The place; `None` only for a document without text.
    pub anchor: Option<Anchor>,
    /// A stable word for machines, such as `dotdot` or `truncated-row`.
    pub reason: &'static str,
}
