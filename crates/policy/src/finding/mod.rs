//! A finding: one violated rule at one path, with the next step.
//!
//! The model is independent of output formats; `report` prints it. A finding has a place in a document, so the lines of
//! documents are here, too.

pub mod json;
mod rule;

use std::cell::Cell;
use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::ops::{Deref, Range};
use std::sync::Arc;

use bstr::BString;
use gix_hash::ObjectId;
use serde::Serialize;

pub use rule::{Level, Rule};

/// A place in a design document or in `guard.toml`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Anchor {
    /// The path of the document in the repository.
    #[serde(serialize_with = "json::path")]
    pub path: BString,
    /// The byte range in the document, including a BOM.
    #[serde(skip)]
    pub span: Range<usize>,
    /// The 1-based line of the start of `span`.
    pub line: usize,
    /// The 1-based column of the start of `span`, in Unicode scalar values.
    pub column: usize,
    /// The text below the marked text in the human report; may be empty.
    #[serde(skip)]
    pub label: String,
}

/// Facts of a rule for programs, by stable keys.
pub type Details = BTreeMap<&'static str, serde_json::Value>;

impl Anchor {
    /// The same place, with another label.
    pub(crate) fn labelled(&self, label: impl Into<String>) -> Anchor {
        Anchor {
            label: label.into(),
            ..self.clone()
        }
    }
}

/// One violated rule at one path. Serialized, it is the finding of every JSON report.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Finding {
    /// The rule.
    pub rule: Rule,
    /// The level after applying the settings.
    pub level: Level,
    /// The judged path; `None` for a finding about a whole document.
    #[serde(serialize_with = "json::optional_path")]
    pub path: Option<BString>,
    /// One sentence without a final full stop. Names in it are escaped.
    pub message: String,
    /// The closest path that would have been allowed.
    #[serde(serialize_with = "json::optional_path")]
    pub closest: Option<BString>,
    /// The place in the design.
    pub design: Option<Anchor>,
    /// The text of the document that `design` points into, if the report's documents have another version of it.
    #[serde(skip)]
    pub text: Option<Arc<str>>,
    /// The next steps; for programs, the commands among them stand apart, too.
    #[serde(flatten, serialize_with = "json::help_and_commands")]
    pub help: Vec<Help>,
    /// Facts for programs.
    pub details: Details,
    /// If guard judges commits separately: the position of the commit in the range, oldest first.
    #[serde(skip)]
    pub commit: Option<usize>,
    /// The row whose lack this is, which `guard scope add --missing` writes as the help shows it.
    #[serde(skip)]
    pub row: Option<Box<WantedRow>>,
    /// An approval of the path that has no signature, where one is needed: its id, and the commit that states it.
    #[serde(skip)]
    pub unsigned: Option<(String, ObjectId)>,
}

/// A row that would permit a change.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct WantedRow {
    /// The design to add it to.
    pub design: BString,
    /// The path that it names.
    pub path: BString,
    /// The old path of a Rename row.
    pub from: Option<BString>,
    /// The type, such as `Modify`.
    pub word: &'static str,
}

/// The paths with an error.
pub fn refused_paths(findings: &[Finding]) -> HashSet<&BString> {
    let errors = findings.iter().filter(|one| one.level == Level::Error);
    errors.filter_map(|finding| finding.path.as_ref()).collect()
}

impl Finding {
    /// A finding with the rule's default level and no optional parts.
    pub fn new(rule: Rule, path: impl Into<BString>, message: impl Into<String>) -> Self {
        Finding {
            rule,
            level: rule.default_level(),
            path: Some(path.into()),
            message: message.into(),
            closest: None,
            design: None,
            text: None,
            help: Vec::new(),
            details: Details::default(),
            commit: None,
            row: None,
            unsigned: None,
        }
    }

    /// Adds one line of help.
    #[must_use]
    pub fn help(mut self, line: impl Into<Help>) -> Self {
        self.help.push(line.into());
        self
    }

    /// Adds one line of help before the others.
    pub fn help_first(&mut self, line: impl Into<Help>) {
        self.help.insert(0, line.into());
    }

    /// The help, with one command: the page of the rule where no other one helps.
    pub fn steps(&self) -> Vec<Help> {
        let mut steps = self.help.clone();
        if self.level == Level::Error && steps.iter().all(|step| step.to_run().is_none()) {
            let page = format!("guard explain {}", self.rule.id());
            steps.push(Help::run("to learn more", page));
        }
        steps
    }

    /// Sets the place in a document.
    #[must_use]
    pub fn at(mut self, anchor: Anchor) -> Self {
        self.design = Some(anchor);
        self
    }

    /// Adds a fact for programs.
    #[must_use]
    pub fn detail(mut self, key: &'static str, value: impl Into<serde_json::Value>) -> Self {
        self.details.insert(key, value.into());
        self
    }
}

/// One line of help.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Help {
    /// A next step.
    Sentence(String),
    /// A command, which works as it is.
    Command(CommandLine),
    /// A table row, list item or heading to paste into a design.
    Row(String),
}

/// A command as messages show it: alone on its line, or behind what it does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct CommandLine {
    text: String,
    #[serde(skip)]
    start: usize,
}

impl CommandLine {
    /// The command alone.
    pub fn command(&self) -> &str {
        self.text.get(self.start..).unwrap_or_default()
    }
}

/// What stands in front of a command that has its own line.
const INDENT: &str = "  ";

impl Help {
    /// A command to paste, below the sentence before it.
    pub fn command(command: impl fmt::Display) -> Help {
        Help::line_with(INDENT, &command)
    }

    /// A command behind what it does: `to add it: guard scope add --missing`.
    pub fn run(what_it_does: impl fmt::Display, command: impl fmt::Display) -> Help {
        Help::line_with(&format!("{what_it_does}: "), &command)
    }

    fn line_with(before: &str, command: &dyn fmt::Display) -> Help {
        Help::Command(CommandLine {
            text: format!("{before}{command}"),
            start: before.len(),
        })
    }

    /// The command of the line.
    pub fn to_run(&self) -> Option<&str> {
        match self {
            Help::Command(line) => Some(line.command()),
            Help::Sentence(_) | Help::Row(_) => None,
        }
    }

    /// Whether the line is for pasting, and must not be wrapped.
    pub fn is_to_paste(&self) -> bool {
        match self {
            Help::Command(line) => line.text.starts_with(INDENT),
            Help::Row(_) => true,
            Help::Sentence(_) => false,
        }
    }

    /// Whether the line is for pasting into a design.
    pub fn is_row(&self) -> bool {
        matches!(self, Help::Row(_))
    }
}

impl<T: Into<String>> From<T> for Help {
    fn from(sentence: T) -> Help {
        Help::Sentence(sentence.into())
    }
}

impl Deref for Help {
    type Target = str;

    fn deref(&self) -> &str {
        match self {
            Help::Sentence(text) | Help::Row(text) => text,
            Help::Command(line) => &line.text,
        }
    }
}

/// A text and where its lines start.
pub(crate) struct TextLines<'a> {
    pub text: &'a str,
    /// The byte offsets of line starts; the first one is after a BOM.
    starts: Vec<usize>,
    /// The start of the last line that a column was asked for, an offset in it, and the characters before that.
    column: Cell<(usize, usize, usize)>,
}

/// UTF-8's byte order mark.
const BOM: &str = "\u{feff}";

impl<'a> TextLines<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        let first = if text.starts_with(BOM) { BOM.len() } else { 0 };
        let others = text.match_indices('\n').map(|(at, _)| at + 1);
        TextLines {
            text,
            starts: std::iter::once(first).chain(others).collect(),
            column: Cell::default(),
        }
    }

    /// The 1-based line at a byte offset.
    pub(crate) fn line(&self, offset: usize) -> usize {
        let line = self.starts.partition_point(|&start| start <= offset);
        line.max(1)
    }

    /// The byte range of a 1-based line, with its ending. A BOM is not part of it.
    pub(crate) fn range(&self, line: usize) -> Range<usize> {
        let start = self.starts.get(line - 1).copied().unwrap_or(0);
        let end = self.starts.get(line).copied().unwrap_or(self.text.len());
        start..end
    }

    /// The 1-based line and column at a byte offset, the column in characters. A line may hold many paths, mostly in
    /// order, so the last column asked for is remembered.
    pub(crate) fn position(&self, offset: usize) -> (usize, usize) {
        let line = self.line(offset);
        let start = self.range(line).start;
        let (from, known) = match self.column.get() {
            (of, from, known) if of == start && (start..=offset).contains(&from) => (from, known),
            _ => (start, 0),
        };
        let text = self.text.get(from..offset).unwrap_or("");
        let found = known + text.chars().count();
        self.column.set((start, offset, found));
        (line, found + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters_and_skip_the_bom() {
        let lines = TextLines::new("\u{feff}äb\r\nc");
        assert_eq!(lines.position(5), (1, 2));
        assert_eq!(lines.position(3), (1, 1));
        assert_eq!(lines.position(8), (2, 1));
        assert_eq!(lines.range(1), 3..8);
    }
}
