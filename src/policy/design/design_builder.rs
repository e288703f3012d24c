//! Collects what a document says: rows become grants, mentions or faults.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use gix::bstr::{BString, ByteSlice};

use super::entry::{self, GrantPath};
use super::form::{Form, Shape};
use super::heading::Claim;
use super::item::DesignItem;
use super::kind::{RowAction, add};
use super::negation;
use super::options::DesignOptions;
use super::parsed::{Design, DesignFault, Mention};
use super::problem::{LocatedProblem, Problem, escaped};
use super::role::Roles;
use super::source::DesignText;
use super::written_path::WrittenPath;
use crate::finding::{Anchor, Help, Rule};
use crate::policy::scope::Scope;
use crate::policy::{Actions, Grant, GrantForm, GrantKind};

/// One row of a table, or a list item.
pub(super) struct Row {
    pub(super) paths: Vec<WrittenPath>,
    pub(super) kind: RowAction,
    /// Whether the type says that the paths are directories.
    pub(super) directory: bool,
    pub(super) change_type: String,
    pub(super) description: String,
}

impl Row {
    /// A row with one path and without a description.
    pub(super) fn of(path: WrittenPath, kind: RowAction, change_type: &str) -> Row {
        Row {
            paths: vec![path],
            kind,
            directory: false,
            change_type: change_type.to_owned(),
            description: String::new(),
        }
    }
}

/// The result so far.
pub(super) struct DesignBuilder<'a> {
    source: &'a DesignText<'a>,
    roles: Roles<'a>,
    design: Design,
    rows: usize,
    placeholders: usize,
    bad_rows: usize,
    /// The number of rows that name a path with `..`.
    climbing: usize,
    is_void: bool,
    /// For each grant, the number of its table or list.
    origins: Vec<usize>,
}

impl<'a> DesignBuilder<'a> {
    pub(super) fn new(source: &'a DesignText<'a>, options: &'a DesignOptions) -> Self {
        DesignBuilder {
            source,
            roles: Roles::new(&options.test_patterns),
            design: Design {
                path: source.path().into(),
                text: source.text().to_owned(),
                ..Design::default()
            },
            rows: 0,
            placeholders: 0,
            bad_rows: 0,
            climbing: 0,
            is_void: false,
            origins: Vec::new(),
        }
    }

    /// Reports a fault.
    pub(super) fn fault(&mut self, LocatedProblem { problem, span }: LocatedProblem) {
        let anchor = (!self.source.text().is_empty()).then(|| self.source.anchor(span, ""));
        let Problem {
            rule,
            reason,
            message,
            help,
        } = problem;
        // What follows the sentence is an example to paste.
        let mut lines = help.lines();
        self.design.faults.push(DesignFault {
            rule,
            message,
            help: lines
                .next()
                .map(Help::from)
                .into_iter()
                .chain(lines.map(Help::row))
                .collect(),
            anchor,
            reason,
        });
    }

    /// Records that a table with types is the scope.
    pub(super) fn set_typed(&mut self) {
        self.design.is_typed = true;
    }

    /// Whether the document is ambiguous.
    pub(super) fn is_void(&self) -> bool {
        self.is_void
    }

    /// Whether any row or list item was read.
    pub(super) fn has_rows(&self) -> bool {
        self.rows > 0
    }

    /// Whether the rows that are being read belong to a table.
    fn is_table(&self) -> bool {
        let form = self.design.forms.last();
        form.is_none_or(|form| form.form == GrantForm::Table)
    }

    /// Reads a passage. If one of its paths contains `..`, the others may also start elsewhere, and none is granted.
    pub(super) fn passage(&mut self, span: Range<usize>, read: impl FnOnce(&mut Self)) {
        let (grants, climbing) = (self.design.grants.len(), self.climbing);
        read(self);
        if self.climbing == climbing || self.design.grants.len() == grants {
            return;
        }
        self.design.grants.truncate(grants);
        self.origins.truncate(grants);
        let message = "a path of this passage contains `..`, so its other paths may start elsewhere than at the root; none of them is granted";
        let help = "write every path from the repository root";
        self.bad_rows += 1;
        self.fault(Problem::new(Rule::DesignOutside, "relative-paths", message, help).at(span));
    }

    /// What another reading grants and this one does not even mention.
    pub(super) fn beyond(&self, other: DesignBuilder<'_>) -> Vec<Grant> {
        let scope = Scope::new(self.design.grants.clone());
        let mentions = self.design.mentions.iter().map(|mention| &mention.path);
        let grants = self.design.grants.iter().map(|grant| &grant.path);
        let named: BTreeSet<&BString> = mentions.chain(grants).collect();
        let mut beyond = other.finish().grants;
        beyond.retain(|grant| {
            !named.contains(&grant.path) && scope.lookup(grant.path.as_ref()).is_empty()
        });
        beyond
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
            anchor: self.source.anchor(span, ""),
        });
    }

    /// Drops everything read so far.
    pub(super) fn void(&mut self) {
        self.is_void = true;
    }

    /// Reports all problems of a row that cannot be parsed. Outside of tables, they are passages that guard does not
    /// read, and "none" is a statement.
    pub(super) fn bad_row(&mut self, mut problems: Vec<LocatedProblem>) {
        self.rows += 1;
        self.climbing += usize::from(
            problems
                .iter()
                .any(|found| found.problem.reason == "dotdot"),
        );
        if problems
            .iter()
            .all(|found| found.problem.rule == Rule::DesignPlaceholder)
        {
            self.placeholders += 1;
        } else {
            self.bad_rows += 1;
        }
        if !self.is_table() {
            problems.retain(|found| found.problem.reason != "self-grant");
            for found in &mut problems {
                found.problem.rule = Rule::DesignUnread;
            }
        }
        problems.into_iter().for_each(|found| self.fault(found));
    }

    /// The problems of the paths in a row that is bad for another reason.
    pub(super) fn path_problems(&self, paths: &[WrittenPath]) -> Vec<LocatedProblem> {
        let judge = |path: &WrittenPath| {
            entry::read(&path.text, false, self.source.path())
                .err()
                .map(|e| e.at(path.span.clone()))
        };
        paths.iter().filter_map(judge).collect()
    }

    /// Adds what an item says. The claim is that of its label.
    pub(super) fn item(&mut self, read: Result<DesignItem, LocatedProblem>, claim: Claim) {
        match read {
            Ok(DesignItem::Paths(item)) => self.row(Row {
                paths: item.paths,
                kind: item.kind.unwrap_or(RowAction::Grant(claim.actions())),
                directory: false,
                change_type: item.change_type,
                description: item.description,
            }),
            Ok(DesignItem::Type(_) | DesignItem::Nothing) => {}
            Err(problem) => self.bad_row(vec![problem]),
        }
    }

    /// Grants all paths of a row or none. Paths followed by "(no changes)" are only mentioned.
    pub(super) fn row(&mut self, mut row: Row) {
        let is_mention = row.kind == RowAction::Mention;
        let is_denied = |path: &WrittenPath| is_mention || path.denied;
        let has_denied = row.paths.iter().any(is_denied);
        // Both paths of a Rename row belong together.
        if has_denied && (row.kind == RowAction::Rename || row.paths.iter().all(is_denied)) {
            return self.mention(&row.paths, &row.change_type);
        }
        let denied: Vec<WrittenPath> = row.paths.extract_if(.., |path| is_denied(path)).collect();
        if has_denied {
            self.mention(&denied, &row.change_type);
        }
        match self.grants(&row) {
            Ok(grants) => {
                self.rows += 1;
                let origin = self.design.forms.len();
                self.origins.extend(grants.iter().map(|_| origin));
                self.design.grants.extend(grants);
            }
            Err(problems) => self.bad_row(problems),
        }
    }

    fn mention(&mut self, paths: &[WrittenPath], change_type: &str) {
        self.rows += 1;
        for written in paths {
            let read = entry::read(&written.text, false, self.source.path());
            self.design.mentions.push(Mention {
                path: read
                    .map_or_else(|_| written.text.clone(), |entry| entry.path)
                    .into(),
                change_type: change_type.to_owned(),
                anchor: self.source.anchor(written.span.clone(), ""),
            });
        }
    }

    fn grants(&mut self, row: &Row) -> Result<Vec<Grant>, Vec<LocatedProblem>> {
        let RowAction::Grant(actions) = row.kind else {
            return self.renames(row);
        };
        if let Some(path) = row.paths.iter().find(|path| path.arrow) {
            let message = "there is an arrow between two paths, but the type is not Rename";
            let help = "write Rename as the type, or one row per path";
            return Err(bad(path, "arrow-without-rename", message, help));
        }
        let is_one_path =
            actions.contains(Actions::SUBMODULE) || actions.contains(Actions::SYMLINK);
        let entries = self.entries(row, is_one_path)?.into_iter();
        Ok(entries
            .map(|(entry, path)| self.grant(row, entry, path, actions, None))
            .collect())
    }

    fn renames(&mut self, row: &Row) -> Result<Vec<Grant>, Vec<LocatedProblem>> {
        let pairs: Vec<&[WrittenPath]> = row.paths.chunks(2).collect();
        let is_pair = |pair: &&[WrittenPath]| matches!(pair, [old, new] if !old.arrow && new.arrow);
        if let Some([path, ..]) = pairs.iter().find(|pair| !is_pair(pair)) {
            let message = "a Rename row needs the old and the new path";
            let help = "write `old/path` -> `new/path` in the path cell";
            return Err(bad(path, "rename-ends", message, help));
        }
        let entries = self.entries(row, false)?;
        let mut grants = Vec::with_capacity(entries.len());
        for pair in entries.chunks(2) {
            let [(old, from), (new, to)] = pair else {
                continue;
            };
            if old.kind != new.kind || old.kind == GrantKind::Glob {
                let message = "a Rename row must name two files or two directories";
                return Err(bad(from, "rename-ends", message, "write both full paths"));
            }
            let (gone, made) = (Actions::DELETE, Actions::ADD | Actions::MODIFY);
            grants.push(self.grant(row, old.clone(), from, gone, Some(&new.path)));
            grants.push(self.grant(row, new.clone(), to, made, Some(&old.path)));
        }
        Ok(grants)
    }

    fn entries<'r>(
        &self,
        row: &'r Row,
        is_one_path: bool,
    ) -> Result<Vec<(GrantPath, &'r WrittenPath)>, Vec<LocatedProblem>> {
        let mut problems = Vec::new();
        let read = |written: &'r WrittenPath| {
            let text = match is_one_path {
                true => written.text.trim_end_matches('/'),
                false => &written.text,
            };
            let directory = !is_one_path && (row.directory || written.directory);
            let read = entry::read(text, directory, self.source.path());
            let problem = |problem: Problem| problems.push(problem.at(written.span.clone()));
            read.map_err(problem).ok().map(|entry| (entry, written))
        };
        let entries = row.paths.iter().filter_map(read).collect();
        match problems.is_empty() {
            true => Ok(entries),
            false => Err(problems),
        }
    }

    fn grant(
        &mut self,
        row: &Row,
        entry: GrantPath,
        written: &WrittenPath,
        actions: Actions,
        renamed: Option<&String>,
    ) -> Grant {
        let is_frozen = actions == add() && negation::forbids_changes(&row.description);
        let form = self.design.forms.last();
        Grant {
            role: self.roles.of(&entry.path),
            path: entry.path.into(),
            kind: entry.kind,
            actions: if is_frozen { Actions::ADD } else { actions },
            change_type: row.change_type.clone(),
            renamed: renamed.map(|path| path.as_str().into()),
            form: form.map_or(GrantForm::Table, |form| form.form),
            description: row.description.clone(),
            anchor: self.source.anchor(written.span.clone(), ""),
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
        let start = |anchor: &Anchor| anchor.span.start;
        self.design.grants.sort_by_key(|grant| start(&grant.anchor));
        self.design
            .faults
            .sort_by_key(|fault| fault.anchor.as_ref().map(start));
        self.design
    }

    /// Tasks of one plan often change the same file; the rows of a table do not.
    fn report_duplicates(&mut self) {
        let mut first = HashMap::new();
        let mut found = Vec::new();
        let rows = self.design.grants.iter().zip(&self.origins);
        for (grant, origin) in rows.filter(|(grant, _)| grant.form == GrantForm::Table) {
            let known = first.insert((origin, &grant.path, grant.kind), grant.anchor.line);
            if let Some(known) = known {
                let path = escaped(&grant.path.to_str_lossy());
                let message = format!("`{path}` is already listed on line {known}");
                let problem =
                    Problem::new(Rule::DesignDuplicate, "duplicate", message, "keep one row");
                found.push(problem.at(grant.anchor.span.clone()));
            }
        }
        found.into_iter().for_each(|fault| self.fault(fault));
    }

    fn report_nothing_granted(&mut self) {
        if self.rows == 0 || !self.design.grants.is_empty() {
            return;
        }
        let faults = self
            .design
            .faults
            .iter()
            .filter_map(|fault| fault.anchor.as_ref());
        let mentions = self.design.mentions.iter().map(|mention| &mention.anchor);
        let first = faults.chain(mentions).map(|anchor| anchor.span.start).min();
        let span = self.source.line_span(first.unwrap_or(0));
        let help = "name at least one file with a type such as Add or Modify";
        if self.placeholders == self.rows {
            let message = "the design contains only placeholders and grants nothing";
            self.fault(Problem::placeholder("only-placeholders", message, help).at(span));
        } else if self.bad_rows == 0 {
            let message = "no row grants anything";
            let problem = Problem::new(Rule::DesignNoTable, "nothing-granted", message, help);
            self.fault(problem.at(span));
        }
    }
}

fn bad(path: &WrittenPath, reason: &'static str, message: &str, help: &str) -> Vec<LocatedProblem> {
    vec![Problem::bad_row(reason, message, help).at(path.span.clone())]
}
