//! The next steps of a finding or an error, line by line.

use std::fmt;
use std::ops::Deref;

use serde::{Serialize, Serializer};

/// What begins a command at the end of a sentence.
pub(crate) const COMMANDS: [&str; 2] = [": git ", ": guard "];

/// One line of help.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Help(HelpLine);

#[derive(Debug, Clone, PartialEq, Eq)]
enum HelpLine {
    Sentence(String),
    Command(String),
    Row(String),
}

impl Help {
    /// A command to paste, below the sentence before it.
    pub(crate) fn command(command: impl fmt::Display) -> Help {
        Help(HelpLine::Command(format!("  {command}")))
    }

    /// A table row, list item or heading to paste into a design.
    pub(crate) fn row(row: impl Into<String>) -> Help {
        Help(HelpLine::Row(row.into()))
    }

    /// Whether the line is for pasting, and must not be wrapped.
    pub fn is_to_paste(&self) -> bool {
        !matches!(self.0, HelpLine::Sentence(_))
    }

    /// Whether the line is a command, or a sentence that ends in one.
    pub(crate) fn has_command(&self) -> bool {
        matches!(self.0, HelpLine::Command(_)) || COMMANDS.iter().any(|begin| self.contains(begin))
    }

    /// Whether the line is for pasting into a design.
    pub fn is_row(&self) -> bool {
        matches!(self.0, HelpLine::Row(_))
    }
}

impl<T: Into<String>> From<T> for Help {
    fn from(sentence: T) -> Help {
        Help(HelpLine::Sentence(sentence.into()))
    }
}

impl Deref for Help {
    type Target = str;

    fn deref(&self) -> &str {
        let (HelpLine::Sentence(text) | HelpLine::Command(text) | HelpLine::Row(text)) = &self.0;
        text
    }
}

impl Serialize for Help {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self)
    }
}
