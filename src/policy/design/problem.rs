//! Why part of a design was not accepted.

use std::ops::Range;

use super::kind;
use crate::finding::Rule;

/// One problem, without its place in the document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Problem {
    pub(super) rule: Rule,
    /// A stable word for machines.
    pub(super) reason: &'static str,
    pub(super) message: String,
    pub(super) help: String,
}

impl Problem {
    pub(super) fn new(
        rule: Rule,
        reason: &'static str,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        Problem {
            rule,
            reason,
            message: message.into(),
            help: help.into(),
        }
    }

    pub(super) fn bad_row(
        reason: &'static str,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        Problem::new(Rule::DesignBadRow, reason, message, help)
    }

    pub(super) fn placeholder(
        reason: &'static str,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        Problem::new(Rule::DesignPlaceholder, reason, message, help)
    }

    pub(super) fn at(self, span: Range<usize>) -> LocatedProblem {
        LocatedProblem {
            problem: self,
            span,
        }
    }
}

/// A problem with its byte range in the document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LocatedProblem {
    pub(super) problem: Problem,
    pub(super) span: Range<usize>,
}

/// Text for a message, with invisible characters as code points.
pub(super) fn escaped(text: &str) -> String {
    crate::path::escaped(text).to_string()
}

/// A cell that could mean more than one thing.
pub(super) fn ambiguous(message: impl Into<String>) -> Problem {
    Problem::bad_row(
        "ambiguous-cell",
        message,
        "write each path in backticks, separated by commas: `src/a.rs`, `src/b.rs`",
    )
}

/// A cell with tags.
pub(super) fn html(tag: &str) -> Problem {
    Problem::bad_row(
        "html",
        format!("the cell contains HTML: {}", escaped(tag)),
        "write the path in backticks, without tags",
    )
}

pub(super) fn empty_cell() -> Problem {
    Problem::bad_row(
        "empty",
        "the path cell is empty",
        "write the path, or remove the row",
    )
}

pub(super) fn placeholder(text: &str) -> Problem {
    Problem::placeholder(
        "placeholder",
        format!("`{}` is a placeholder", escaped(text)),
        "write the real path, or remove the row",
    )
}

pub(super) fn url(text: &str) -> Problem {
    Problem::bad_row(
        "uri",
        format!("`{}` is a URL, not a path", escaped(text)),
        "write the path relative to the repository root",
    )
}

pub(super) fn link_mismatch(text: &str, target: &str) -> Problem {
    ambiguous(format!(
        "the link text is `{}`, but its target is `{}`",
        escaped(text),
        escaped(target)
    ))
}

pub(super) fn unknown_type(text: &str) -> Problem {
    let message = format!("`{}` is not a change type", escaped(text));
    Problem::bad_row("unknown-type", message, kind::HELP)
}
