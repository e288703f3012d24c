//! A parsed design, and how it is collected: rows become grants, mentions or faults.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use gix::bstr::BString;

use super::propose::form::{self, Form, MissingRow, RowToAdd};
use super::{Actions, DesignText, Grant, GrantForm, GrantKind, Problem, RowAction};
use super::{WrittenPath, add, any, paths, problem, types};
use crate::error::Error;
use crate::finding::{Anchor, Finding, Help, Rule};
use crate::path::escaped;
use crate::scope::{Denial, role};

/// One row of a table, or a list item. Without paths, it says the type of the items below it, or nothing.
pub(super) struct Row {
    pub(super) paths: Vec<WrittenPath>,
    pub(super) kind: RowAction,
    /// The type as written.
    pub(super) change_type: String,
    pub(super) description: String,
}

impl Row {
    /// A row without a description.
    pub(super) fn of(paths: Vec<WrittenPath>, kind: RowAction, change_type: &str) -> Row {
        Row {
            paths,
            kind,
            change_type: change_type.to_owned(),
            description: String::new(),
        }
    }
}

/// The result so far.
pub(super) struct DesignBuilder<'a> {
    pub(super) source: &'a DesignText<'a>,
    pub(super) design: Design,
    /// The number of rows and list items.
    pub(super) rows: usize,
    placeholders: usize,
    bad_rows: usize,
    /// Whether the document is ambiguous and grants nothing.
    pub(super) is_void: bool,
    /// The form of the passage that is being read.
    pub(super) form: GrantForm,
}

impl<'a> DesignBuilder<'a> {
    pub(super) fn new(source: &'a DesignText<'a>) -> Self {
        DesignBuilder {
            source,
            design: Design::default(),
            rows: 0,
            placeholders: 0,
            bad_rows: 0,
            is_void: false,
            form: GrantForm::Table,
        }
    }

    /// Reports a fault. Two tables or columns that claim the same void the document.
    pub(super) fn fault(&mut self, mut problem: Problem) {
        if !self.source.text.is_empty() {
            problem.anchor = Some(self.source.anchor(problem.span.clone()).into());
        }
        self.is_void |= problem.rule == Rule::DesignAmbiguous;
        self.design.faults.push(problem);
    }

    /// Reads a passage that begins at `span`. If one of its paths contains `..`, the others may also start elsewhere,
    /// and none is granted.
    pub(super) fn passage(&mut self, span: Range<usize>, read: impl FnOnce(&mut Self)) {
        let (grants, faults) = (self.design.grants.len(), self.design.faults.len());
        read(self);
        let mut faults = self.design.faults[faults..].iter();
        if self.design.grants.len() > grants && faults.any(|fault| fault.reason == "dotdot") {
            self.design.grants.truncate(grants);
            self.bad_rows += 1;
            self.fault(problem::relative_paths().at(span));
        }
    }

    /// Reports all problems of a row that cannot be parsed. Outside of tables, they are passages that guard does not
    /// read, and "none" is a statement.
    pub(super) fn bad_row(&mut self, mut problems: Vec<Problem>) {
        self.rows += 1;
        match problems
            .iter()
            .all(|problem| problem.rule == Rule::DesignPlaceholder)
        {
            true => self.placeholders += 1,
            false => self.bad_rows += 1,
        }
        if self.form != GrantForm::Table {
            problems.retain(|problem| problem.reason != "self-grant");
            for problem in &mut problems {
                problem.rule = Rule::DesignUnread;
            }
        }
        problems.into_iter().for_each(|problem| self.fault(problem));
    }

    /// Adds what an item says.
    pub(super) fn item(&mut self, read: Result<Row, Problem>) {
        match read {
            Ok(row) => self.row(row),
            Err(problem) => self.bad_row(vec![problem]),
        }
    }

    /// Grants all paths of a row or none. Paths followed by "(no changes)" are only mentioned.
    pub(super) fn row(&mut self, mut row: Row) {
        let is_mention = row.kind == RowAction::Mention;
        let is_denied = |path: &WrittenPath| is_mention || path.denied;
        // Both paths of a Rename row belong together.
        let is_whole = row.kind == RowAction::Rename && row.paths.iter().any(is_denied);
        let denied = row.paths.extract_if(.., |path| is_whole || is_denied(path));
        let denied: Vec<WrittenPath> = denied.collect();
        self.rows += usize::from(!denied.is_empty());
        for written in denied {
            let read = paths::read(&written.text, false, self.source.path);
            self.design.mentions.push(Mention {
                anchor: self.source.anchor(written.span),
                path: read.map_or(written.text, |(path, _)| path).into(),
                change_type: row.change_type.clone(),
            });
        }
        if row.paths.is_empty() {
            return;
        }
        match self.grants(&row) {
            Ok(grants) => {
                self.rows += 1;
                self.design.grants.extend(grants);
            }
            Err(problems) => self.bad_row(problems),
        }
    }

    fn grants(&self, row: &Row) -> Result<Vec<Grant>, Vec<Problem>> {
        let is_rename = row.kind == RowAction::Rename;
        // The old and the new path alternate.
        let (arrows, problem): (&[bool], _) = match is_rename {
            true => (&[false, true], problem::rename_ends()),
            false => (&[false], problem::arrow()),
        };
        let fits = |ends: &[WrittenPath]| ends.iter().map(|path| &path.arrow).eq(arrows);
        let mut groups = row.paths.chunks(arrows.len());
        if let Some([first, ..]) = groups.find(|ends| !fits(ends)) {
            return Err(vec![problem.at(first.span.clone())]);
        }
        let read = self.read_paths(&row.paths, row.kind)?;
        let is_frozen = || types::forbids_changes(&row.description);
        let mut grants = Vec::with_capacity(read.len());
        for (index, ((path, kind), written)) in read.iter().zip(&row.paths).enumerate() {
            let other = read.get(index ^ 1).filter(|_| is_rename);
            if other.is_some_and(|(_, end)| end != kind || *end == GrantKind::Glob) {
                return Err(vec![problem::rename_ends().at(written.span.clone())]);
            }
            let actions = match row.kind {
                RowAction::Grant(actions) if actions == add() && is_frozen() => Actions::ADD,
                RowAction::Grant(actions) => actions,
                RowAction::Rename if index % 2 == 0 => Actions::DELETE,
                RowAction::Rename => any(),
                RowAction::Mention => Actions::NONE,
            };
            grants.push(Grant {
                role: role(path),
                path: path.as_str().into(),
                kind: *kind,
                actions,
                change_type: row.change_type.clone(),
                renamed: other.map(|(end, _)| end.as_str().into()),
                form: self.form,
                description: row.description.clone(),
                anchor: self.source.anchor(written.span.clone()),
            });
        }
        Ok(grants)
    }

    /// The paths of a row, or what is wrong with any of them. A link or submodule is never a directory.
    pub(super) fn read_paths(
        &self,
        paths: &[WrittenPath],
        kind: RowAction,
    ) -> Result<Vec<(String, GrantKind)>, Vec<Problem>> {
        let single = [Actions::SUBMODULE, Actions::SYMLINK].map(RowAction::Grant);
        let is_single = single.contains(&kind);
        let (mut read, mut bad) = (Vec::new(), Vec::new());
        for written in paths {
            let text = written.text.trim_end_matches(|c| is_single && c == '/');
            match paths::read(text, written.directory && !is_single, self.source.path) {
                Ok(path) => read.push(path),
                Err(problem) => bad.push(problem.at(written.span.clone())),
            }
        }
        if bad.is_empty() { Ok(read) } else { Err(bad) }
    }

    /// Reports what only the whole document shows, and returns the result.
    pub(super) fn finish(mut self) -> Design {
        self.report_duplicates();
        self.report_nothing_granted();
        if self.is_void {
            self.design.grants.clear();
            self.design.mentions.clear();
        }
        self.design.path = self.source.path.into();
        self.design.text = self.source.text.to_owned();
        let start = |anchor: &Anchor| anchor.span.start;
        (self.design.faults).sort_by_key(|fault| fault.anchor.as_deref().map(start));
        (self.design.grants).sort_by_key(|grant| grant.anchor.span.start);
        self.design
    }

    /// Tasks of one plan often change the same file; the rows of a table do not.
    fn report_duplicates(&mut self) {
        let (mut first, mut repeated) = (HashMap::new(), Vec::new());
        let forms = self.design.forms.iter();
        let tables: BTreeSet<usize> = forms.map(|form| form.anchor.span.start).collect();
        let grants = self.design.grants.iter();
        for grant in grants.filter(|grant| grant.form == GrantForm::Table) {
            let table = tables.range(..grant.anchor.span.start).next_back();
            let key = (table, &grant.path, grant.kind);
            if let Some(line) = first.insert(key, grant.anchor.line) {
                repeated.push(problem::duplicate(&grant.path, line).at(grant.anchor.span.clone()));
            }
        }
        repeated.into_iter().for_each(|problem| self.fault(problem));
    }

    fn report_nothing_granted(&mut self) {
        if self.rows == 0 || !self.design.grants.is_empty() {
            return;
        }
        let problem = match self.placeholders == self.rows {
            true => problem::only_placeholders(),
            false if self.bad_rows == 0 => problem::nothing_granted(),
            false => return,
        };
        let faults = self.design.faults.iter();
        let faults = faults.filter_map(|fault| fault.anchor.as_deref());
        let mentions = self.design.mentions.iter().map(|mention| &mention.anchor);
        let first = faults.chain(mentions).map(|anchor| anchor.span.start).min();
        self.fault(problem.at(self.source.line_span(first.unwrap_or(0))));
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
    /// Paths that the front matter forbids, or whose row says DO NOT MODIFY, in document order.
    pub denials: Vec<Denial>,
    /// The faults in document order.
    pub faults: Vec<Problem>,
    /// Its tables, and how their rows are written.
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

    /// The row that would grant what is wanted, in the form of this design's table.
    pub fn row(&self, wanted: &MissingRow<'_>) -> RowToAdd {
        form::row_to_add(&self.forms, wanted)
    }

    /// The faults as findings, in document order.
    pub fn findings(&self) -> Vec<Finding> {
        let finding = |fault: &Problem| {
            let mut help = fault.help.lines();
            let example = |line: &str| match Help::from(line) {
                command if command.has_command() => command,
                _ => Help::Row(line.to_owned()),
            };
            let sentence = help.next().map(Help::from).into_iter();
            Finding {
                design: fault.anchor.as_deref().cloned(),
                help: sentence.chain(help.map(example)).collect(),
                ..Finding::new(fault.rule, self.path.clone(), fault.message.clone())
                    .detail("reason", fault.reason)
            }
        };
        self.faults.iter().map(finding).collect()
    }
}

/// A path in a row such as `Exists` or `Verify`: named, not granted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    /// The path as written, normalised like a grant's.
    pub path: BString,
    /// The type as written.
    pub change_type: String,
    /// The path's place in the document.
    pub anchor: Anchor,
}
