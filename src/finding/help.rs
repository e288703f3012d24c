//! The next steps of a finding or an error, line by line.

use std::fmt;
use std::ops::Deref;

use serde::{Serialize, Serializer};

/// One line of help.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Help {
    text: String,
    kind: HelpKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum HelpKind {
    Sentence,
    Command,
    Row,
}

impl Help {
    /// A command to paste, below the sentence before it.
    pub(crate) fn command(command: impl fmt::Display) -> Help {
        Help {
            text: format!("  {command}"),
            kind: HelpKind::Command,
        }
    }

    /// A table row, list item or heading to paste into a design.
    pub(crate) fn row(row: impl Into<String>) -> Help {
        Help {
            text: row.into(),
            kind: HelpKind::Row,
        }
    }

    /// Whether the line is for pasting, and must not be wrapped.
    pub fn is_to_paste(&self) -> bool {
        self.kind != HelpKind::Sentence
    }

    /// Whether the line is for pasting into a design.
    pub fn is_row(&self) -> bool {
        self.kind == HelpKind::Row
    }
}

impl<T: Into<String>> From<T> for Help {
    fn from(sentence: T) -> Help {
        Help {
            text: sentence.into(),
            kind: HelpKind::Sentence,
        }
    }
}

impl Deref for Help {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

impl Serialize for Help {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self)
    }
}
