//! Collects what a document says: rows become grants, mentions or faults.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use gix::bstr::{BString, ByteSlice};

use super::paths::{self, GrantPath, WrittenPath};
use super::{
    Actions, Design, DesignFault, DesignItem, DesignText, Form, Grant, GrantForm, GrantKind, Row,
};
use super::{Mention, Problem, RowAction, Shape, add, any, escaped, types};
use crate::finding::{Anchor, Help, Rule};
use crate::scope::{Scope, role};

/// The result so far.
pub(super) struct DesignBuilder<'a> {
    pub(super) source: &'a DesignText<'a>,
    pub(super) design: Design,
    /// The number of rows and list items.
    pub(super) rows: usize,
    placeholders: usize,
    bad_rows: usize,
    /// The number of rows that name a path with `..`.
    climbing: usize,
    /// Whether the document is ambiguous and grants nothing.
    pub(super) is_void: bool,
}

impl<'a> DesignBuilder<'a> {
    pub(super) fn new(source: &'a DesignText<'a>) -> Self {
        DesignBuilder {
            source,
            design: Design::default(),
            rows: 0,
            placeholders: 0,
            bad_rows: 0,
            climbing: 0,
            is_void: false,
        }
    }

    /// Reports a fault.
    pub(super) fn fault(&mut self, problem: Problem) {
        let anchor = || self.source.anchor(problem.span);
        // What follows the sentence is an example to paste.
        let mut lines = problem.help.lines();
        let sentence = lines.next().map(Help::from).into_iter();
        let example = |line| match Help::from(line) {
            command if command.has_command() => command,
            _ => Help::row(line),
        };
        self.design.faults.push(DesignFault {
            rule: problem.rule,
            message: problem.message,
            help: sentence.chain(lines.map(example)).collect(),
            anchor: (!self.source.text.is_empty()).then(anchor),
            reason: problem.reason,
        });
    }

    /// Records how the rows of a table or list are written; `span` is its start.
    pub(super) fn form(
        &mut self,
        shape: Shape,
        form: GrantForm,
        untyped: Actions,
        span: Range<usize>,
    ) {
        self.design.forms.push(Form {
            shape,
            form,
            untyped,
            anchor: self.source.anchor(span),
        });
    }

    /// How the rows that are being read are written.
    fn current_form(&self) -> GrantForm {
        let form = self.design.forms.last();
        form.map_or(GrantForm::Table, |form| form.form)
    }

    /// Begins a passage; what its end needs to know.
    pub(super) fn passage(&self, span: Range<usize>) -> (usize, usize, Range<usize>) {
        (self.design.grants.len(), self.climbing, span)
    }

    /// Ends a passage. If one of its paths contains `..`, the others may also start elsewhere, and none is granted.
    pub(super) fn end(&mut self, (grants, climbing, span): (usize, usize, Range<usize>)) {
        if self.climbing == climbing || self.design.grants.len() == grants {
            return;
        }
        self.design.grants.truncate(grants);
        self.bad_rows += 1;
        let message = "a path of this passage contains `..`, so its other paths may start elsewhere than at the root; guard allows none of them";
        let help = "write every path from the repository root";
        self.fault(Problem::new(Rule::DesignOutside, "relative-paths", message, help).at(span));
    }

    /// What another reading grants and this one does not even mention.
    pub(super) fn beyond(&self, other: DesignBuilder<'_>) -> Vec<Grant> {
        let mut beyond = other.finish().grants;
        if beyond.is_empty() {
            return beyond;
        }
        let scope = Scope::new(self.design.grants.clone());
        let mentions = self.design.mentions.iter().map(|mention| &mention.path);
        let grants = self.design.grants.iter().map(|grant| &grant.path);
        let named: BTreeSet<&BString> = mentions.chain(grants).collect();
        beyond.retain(|grant| {
            !named.contains(&grant.path) && scope.lookup(grant.path.as_ref()).is_empty()
        });
        beyond
    }

    /// Reports all problems of a row that cannot be parsed. Outside of tables, they are passages that guard does not
    /// read, and "none" is a statement.
    pub(super) fn bad_row(&mut self, mut problems: Vec<Problem>) {
        self.rows += 1;
        let climbs = problems.iter().any(|problem| problem.reason == "dotdot");
        self.climbing += usize::from(climbs);
        let mut rules = problems.iter().map(|problem| problem.rule);
        match rules.all(|rule| rule == Rule::DesignPlaceholder) {
            true => self.placeholders += 1,
            false => self.bad_rows += 1,
        }
        if self.current_form() != GrantForm::Table {
            problems.retain(|problem| problem.reason != "self-grant");
            problems
                .iter_mut()
                .for_each(|problem| problem.rule = Rule::DesignUnread);
        }
        problems.into_iter().for_each(|problem| self.fault(problem));
    }

    /// The problems of the paths in a row that is bad for another reason.
    pub(super) fn path_problems(&self, paths: &[WrittenPath]) -> Vec<Problem> {
        let problem = |path: &WrittenPath| {
            let read = paths::read(&path.text, false, self.source.path);
            read.err().map(|problem| problem.at(path.span.clone()))
        };
        paths.iter().filter_map(problem).collect()
    }

    /// Adds the row of a line that begins at `at`.
    pub(super) fn line(&mut self, form: GrantForm, untyped: Actions, at: usize, row: Row) {
        self.form(Shape::Line, form, untyped, self.source.line_span(at));
        self.row(row);
    }

    /// Adds what an item says.
    pub(super) fn item(&mut self, read: Result<DesignItem, Problem>) {
        match read {
            Ok(DesignItem::Row(row)) => self.row(row),
            Ok(DesignItem::Type(_) | DesignItem::Nothing) => {}
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
                path: read.map_or(written.text, |read| read.path).into(),
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
        let actions = match row.kind {
            RowAction::Grant(actions) => actions,
            _ => Actions::NONE,
        };
        let is_rename = row.kind == RowAction::Rename;
        let mut pairs = row.paths.chunks(2);
        let is_pair = |pair: &[WrittenPath]| matches!(pair, [old, new] if !old.arrow && new.arrow);
        let bad = if is_rename && let Some(pair) = pairs.find(|pair| !is_pair(pair)) {
            let message = "a Rename row needs the old and the new path";
            let help = "write `old/path` -> `new/path` in the path cell";
            pair.first()
                .map(|path| ("rename-ends", path, message, help))
        } else {
            let message = "there is an arrow between two paths, but the type is not Rename";
            let help = "write Rename as the type, or one row per path";
            let path = row.paths.iter().find(|path| path.arrow && !is_rename);
            path.map(|path| ("arrow-without-rename", path, message, help))
        };
        if let Some((reason, path, message, help)) = bad {
            return Err(vec![
                Problem::bad_row(reason, message, help).at(path.span.clone()),
            ]);
        }
        let read = self.grant_paths(row, actions)?;
        let mut grants = Vec::with_capacity(read.len());
        for (index, (path, written)) in read.iter().zip(&row.paths).enumerate() {
            // The old and the new path alternate.
            let other = read.get(index ^ 1).filter(|_| is_rename);
            if other.is_some_and(|end| end.kind != path.kind || end.kind == GrantKind::Glob) {
                let message = "a Rename row must name two files or two directories";
                let problem = Problem::bad_row("rename-ends", message, "write both full paths");
                return Err(vec![problem.at(written.span.clone())]);
            }
            let actions = match is_rename {
                true if index % 2 == 0 => Actions::DELETE,
                true => any(),
                false if actions == add() && types::forbids_changes(&row.description) => {
                    Actions::ADD
                }
                false => actions,
            };
            grants.push(Grant {
                role: role(&path.path, &self.source.options.test_patterns),
                path: path.path.as_str().into(),
                kind: path.kind,
                actions,
                change_type: row.change_type.clone(),
                renamed: other.map(|end| end.path.as_str().into()),
                form: self.current_form(),
                description: row.description.clone(),
                anchor: self.source.anchor(written.span.clone()),
            });
        }
        Ok(grants)
    }

    /// The paths of a row, or what is wrong with any of them. A link or submodule is never a directory.
    fn grant_paths(&self, row: &Row, actions: Actions) -> Result<Vec<GrantPath>, Vec<Problem>> {
        let mut kinds = [Actions::SUBMODULE, Actions::SYMLINK].into_iter();
        let is_one_path = kinds.any(|kind| actions.contains(kind));
        let (mut read, mut problems) = (Vec::new(), Vec::new());
        for written in &row.paths {
            let text = match is_one_path {
                true => written.text.trim_end_matches('/'),
                false => &written.text,
            };
            let directory = written.directory && !is_one_path;
            match paths::read(text, directory, self.source.path) {
                Ok(path) => read.push(path),
                Err(problem) => problems.push(problem.at(written.span.clone())),
            }
        }
        if problems.is_empty() {
            Ok(read)
        } else {
            Err(problems)
        }
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
        let faults = &mut self.design.faults;
        faults.sort_by_key(|fault| fault.anchor.as_ref().map(start));
        self.design.grants.sort_by_key(|grant| start(&grant.anchor));
        self.design
    }

    /// Tasks of one plan often change the same file; the rows of a table do not.
    fn report_duplicates(&mut self) {
        let (mut first, mut found) = (HashMap::new(), Vec::new());
        let grants = self.design.grants.iter();
        let forms = self.design.forms.iter();
        let tables: BTreeSet<usize> = forms.map(|form| form.anchor.span.start).collect();
        for grant in grants.filter(|grant| grant.form == GrantForm::Table) {
            let table = tables.range(..grant.anchor.span.start).next_back();
            let known = first.insert((table, &grant.path, grant.kind), grant.anchor.line);
            if let Some(known) = known {
                let path = escaped(&grant.path.to_str_lossy());
                let message = format!("`{path}` is already listed on line {known}");
                let rule = Rule::DesignDuplicate;
                let problem = Problem::new(rule, "duplicate", &message, "keep one row");
                found.push(problem.at(grant.anchor.span.clone()));
            }
        }
        found.into_iter().for_each(|problem| self.fault(problem));
    }

    fn report_nothing_granted(&mut self) {
        if self.rows == 0 || !self.design.grants.is_empty() {
            return;
        }
        let faults = self.design.faults.iter();
        let faults = faults.filter_map(|fault| fault.anchor.as_ref());
        let mentions = self.design.mentions.iter().map(|mention| &mention.anchor);
        let first = faults.chain(mentions).map(|anchor| anchor.span.start).min();
        let span = self.source.line_span(first.unwrap_or(0));
        let help = "name at least one file with a type such as Add or Modify";
        if self.placeholders == self.rows {
            let message = "the design contains only placeholders and allows nothing";
            self.fault(Problem::placeholder("only-placeholders", message, help).at(span));
        } else if self.bad_rows == 0 {
            self.fault(
                Problem::no_table("nothing-granted", "no row allows anything", help).at(span),
            );
        }
    }
}
