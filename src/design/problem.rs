//! Why part of a design was not accepted.

use std::ops::Range;

use crate::finding::Rule;

/// One problem, and its place in the document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Problem {
    pub(super) rule: Rule,
    /// A stable word for machines.
    pub(super) reason: &'static str,
    pub(super) message: String,
    pub(super) help: String,
    pub(super) span: Range<usize>,
}

impl Problem {
    pub(super) fn new(rule: Rule, reason: &'static str, message: &str, help: &str) -> Problem {
        let (message, help, span) = (message.to_owned(), help.to_owned(), 0..0);
        Problem {
            rule,
            reason,
            message,
            help,
            span,
        }
    }

    pub(super) fn bad_row(reason: &'static str, message: &str, help: &str) -> Problem {
        Problem::new(Rule::DesignBadRow, reason, message, help)
    }

    pub(super) fn placeholder(reason: &'static str, message: &str, help: &str) -> Problem {
        Problem::new(Rule::DesignPlaceholder, reason, message, help)
    }

    pub(super) fn unread(reason: &'static str, message: &str, help: &str) -> Problem {
        Problem::new(Rule::DesignUnread, reason, message, help)
    }

    pub(super) fn no_table(reason: &'static str, message: &str, help: &str) -> Problem {
        Problem::new(Rule::DesignNoTable, reason, message, help)
    }

    pub(super) fn at(self, span: Range<usize>) -> Problem {
        Problem { span, ..self }
    }
}

/// Text for a message, with invisible characters as code points.
pub(super) fn escaped(text: &str) -> String {
    crate::path::escaped(text).to_string()
}

/// A cell that could mean more than one thing.
pub(super) fn ambiguous(message: &str) -> Problem {
    let help = "write each path in backticks, separated by commas: `src/a.rs`, `src/b.rs`";
    Problem::bad_row("ambiguous-cell", message, help)
}

/// A cell with tags.
pub(super) fn html(tag: &str) -> Problem {
    let message = format!("the cell contains HTML: {}", escaped(tag));
    Problem::bad_row(
        "html",
        &message,
        "write the path in backticks, without tags",
    )
}

pub(super) fn struck_out(what: &str, help: &str) -> Problem {
    Problem::placeholder("struck-out", &format!("the {what} is struck out"), help)
}

/// What to write where a text is not a type.
pub(super) const TYPE_HELP: &str =
    "write one of Add, Modify, Add/Modify, Delete, Rename, Symlink, Submodule, Exists";

pub(super) fn unknown_type(text: &str) -> Problem {
    let message = format!("`{}` is not a change type", escaped(text));
    Problem::bad_row("unknown-type", &message, TYPE_HELP)
}
