//! Why a piece of a design was not accepted.

use std::ops::Range;

use crate::finding::Rule;

/// One reason, still without its place in the document.
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

/// Text for a message: what a reader could not see is written as its code point.
pub(super) fn show(text: &str) -> String {
    crate::path::show(text).to_string()
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
        format!("the cell holds HTML: {}", show(tag)),
        "write the path in backticks, without tags",
    )
}
