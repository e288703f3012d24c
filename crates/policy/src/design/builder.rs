//! A parsed design, and how it is collected: rows become grants, mentions, denials or faults.

use std::collections::{BTreeSet, HashMap, HashSet};

use bstr::{BStr, BString, ByteSlice};

use super::propose::form::{self, Form, MissingRow, RowToAdd};
use super::row::{RowMeaning, WrittenRow};
use super::types::{RowAction, any};
use super::{Actions, DesignText, Grant, GrantForm, GrantKind, Problem, WrittenPath};
use super::{paths, placeholders, problem};
use crate::error::Error;
use crate::finding::{Anchor, Finding, Help, Rule};
use crate::path::{escaped, shell_word};
use crate::scope::{Denial, DenialSource};

/// The result so far.
pub(super) struct DesignBuilder<'a> {
    pub(super) source: &'a DesignText<'a>,
    pub(super) design: Design,
    /// Rows with a whole segment in braces: `src/{module}/a.rs`. They are placeholders if another row is one, too.
    slotted: Vec<Vec<Grant>>,
    /// The number of rows, those without a file included.
    rows: usize,
    placeholders: usize,
    bad_rows: usize,
    /// Whether the document grants nothing: it is ambiguous, or denies something that guard cannot read.
    pub(super) is_void: bool,
    /// Whether a section about files has a table that cannot be read.
    pub(super) has_broken_table: bool,
    /// Where the rows that are being read stand.
    pub(super) form: GrantForm,
}

impl<'a> DesignBuilder<'a> {
    pub(super) fn new(source: &'a DesignText<'a>) -> Self {
        DesignBuilder {
            source,
            design: Design::default(),
            slotted: Vec::new(),
            rows: 0,
            placeholders: 0,
            bad_rows: 0,
            is_void: false,
            has_broken_table: false,
            form: GrantForm::Table,
        }
    }

    /// Whether no row was read, whatever it said.
    pub(super) fn has_no_rows(&self) -> bool {
        self.rows == 0
    }

    /// Reports a fault. Two tables or columns that claim the same void the document.
    pub(super) fn fault(&mut self, mut problem: Problem) {
        if !self.source.text.is_empty() {
            problem.anchor = Some(self.source.anchor(problem.span.clone()).into());
        }
        self.is_void |= problem.rule == Rule::DesignAmbiguous;
        self.design.faults.push(problem);
    }

    /// Reports a denial that guard cannot apply, which must not be passed over: the design grants nothing.
    pub(super) fn refuse(&mut self, problem: Problem) {
        self.fault(problem);
        self.is_void = true;
    }

    /// Reports all problems of a row that cannot be read.
    pub(super) fn bad_row(&mut self, problems: Vec<Problem>) {
        self.rows += 1;
        if problems.iter().all(Problem::is_placeholder) {
            self.placeholders += 1;
        } else {
            self.bad_rows += 1;
        }
        for problem in problems {
            self.fault(problem);
        }
    }

    /// Counts a row that says that there is no file.
    pub(super) fn no_file(&mut self) {
        self.rows += 1;
        self.placeholders += 1;
    }

    /// Adds a row: all of its paths are granted, mentioned or denied, or it is bad.
    pub(super) fn row(&mut self, mut row: WrittenRow) {
        let meaning = match row.meaning() {
            Ok(meaning) => meaning,
            Err(problem) => return self.bad_row(vec![self.at_row(problem, &row)]),
        };
        match meaning {
            RowMeaning::Grants => match self.grants(&row) {
                Ok(grants) => {
                    self.rows += 1;
                    let mut paths = row.paths.iter();
                    if paths.any(|path| placeholders::has_slot_segment(&path.text)) {
                        self.slotted.push(grants);
                    } else {
                        self.design.grants.extend(grants);
                    }
                }
                Err(problems) => self.bad_row(problems),
            },
            RowMeaning::Mentions => {
                self.rows += 1;
                for written in row.paths {
                    self.mention(written, &row.change_type);
                }
            }
            RowMeaning::Forbids => {
                self.rows += 1;
                for written in &row.paths {
                    let denied = self.deny(written, DenialSource::Row, row.description.clone());
                    if let Err(problem) = denied {
                        self.refuse(problem.at(written.span.clone()));
                    }
                }
            }
        }
    }

    /// The problem at its own place, or else at the first path of the row.
    fn at_row(&self, problem: Problem, row: &WrittenRow) -> Problem {
        match row.paths.first() {
            Some(first) if problem.span.is_empty() => problem.at(first.span.clone()),
            _ => problem,
        }
    }

    fn mention(&mut self, written: WrittenPath, change_type: &str) {
        let read = paths::read(&written, self.source.path);
        self.design.mentions.push(Mention {
            anchor: self.source.anchor(written.span),
            path: read.map_or(written.text, |(path, _)| path).into(),
            change_type: change_type.to_owned(),
        });
    }

    /// Takes a path out of the scope.
    ///
    /// # Errors
    /// The text is not a plain relative path inside the workspace.
    pub(super) fn deny(
        &mut self,
        written: &WrittenPath,
        source: DenialSource,
        description: String,
    ) -> Result<(), Problem> {
        let (path, kind) = paths::read(written, self.source.path)?;
        self.design.denials.push(Denial {
            path: path.into(),
            kind,
            source,
            description,
            anchor: self.source.anchor(written.span.clone()),
        });
        Ok(())
    }

    fn grants(&self, row: &WrittenRow) -> Result<Vec<Grant>, Vec<Problem>> {
        let read = self.read_paths(&row.paths, row.action)?;
        let ends = match row.action {
            RowAction::Rename => rename_ends(row, &read).map_err(|problem| vec![problem])?,
            _ => {
                if let Some(path) = row.paths.iter().find(|path| path.arrow) {
                    return Err(vec![problem::arrow().at(path.span.clone())]);
                }
                Vec::new()
            }
        };
        let mut grants = Vec::with_capacity(read.len());
        for (index, ((path, kind), written)) in read.iter().zip(&row.paths).enumerate() {
            let (actions, other) = match row.action {
                RowAction::Grant(actions) => (actions, None),
                RowAction::Rename if index % 2 == 0 => (Actions::DELETE, ends.get(index)),
                RowAction::Rename => (any(), ends.get(index)),
                RowAction::Mention => (Actions::NONE, None),
            };
            grants.push(Grant {
                path: path.as_str().into(),
                kind: *kind,
                actions,
                change_type: row.change_type.clone(),
                renamed: other.cloned(),
                form: self.form,
                description: row.description.clone(),
                anchor: self.source.anchor(written.span.clone()),
            });
        }
        Ok(grants)
    }

    /// The paths of a row, or what is wrong with any of them. A link or submodule is never a directory.
    fn read_paths(
        &self,
        paths: &[WrittenPath],
        action: RowAction,
    ) -> Result<Vec<(String, GrantKind)>, Vec<Problem>> {
        let is_single = action == RowAction::Grant(Actions::SUBMODULE)
            || action == RowAction::Grant(Actions::SYMLINK);
        let mut read = Vec::new();
        let mut bad = Vec::new();
        for written in paths {
            let mut written = written.clone();
            if is_single {
                written
                    .text
                    .truncate(written.text.trim_end_matches('/').len());
                written.directory = false;
            }
            match paths::read(&written, self.source.path) {
                Ok(path) => read.push(path),
                Err(problem) => bad.push(problem.at(written.span)),
            }
        }
        if bad.is_empty() { Ok(read) } else { Err(bad) }
    }

    /// Reports what only the whole document shows, and returns the result.
    pub(super) fn finish(mut self) -> Design {
        self.settle_slotted_rows();
        self.report_duplicates();
        self.report_nothing_granted();
        let has_table = self.design.forms.iter().any(Form::is_table);
        self.design.declares = self.is_void || self.has_broken_table || has_table;
        if self.is_void {
            self.design.grants.clear();
            self.design.mentions.clear();
        }
        self.design.path = self.source.path.into();
        self.design.text = self.source.text.to_owned();
        let Design {
            faults,
            grants,
            denials,
            ..
        } = &mut self.design;
        faults.sort_by_key(|fault| fault.anchor.as_deref().map(|anchor| anchor.span.start));
        grants.sort_by_key(|grant| grant.anchor.span.start);
        denials.sort_by_key(|denial| denial.anchor.span.start);
        self.design
    }

    /// One row with a name in braces may name a file of a template; where others hold the place of a name, it does, too.
    fn settle_slotted_rows(&mut self) {
        let slotted = std::mem::take(&mut self.slotted);
        let has_placeholders = slotted.len() > 1
            || self
                .design
                .faults
                .iter()
                .any(|fault| fault.reason == problem::PLACEHOLDER);
        for grants in slotted {
            if !has_placeholders {
                self.design.grants.extend(grants);
                continue;
            }
            self.placeholders += 1;
            if let Some(first) = grants.first() {
                let problem = problem::placeholder(&first.path);
                self.fault(problem.at(first.anchor.span.clone()));
            }
        }
    }

    /// Tasks of one plan often change the same file; the rows of a table do not.
    fn report_duplicates(&mut self) {
        let mut tables = BTreeSet::new();
        for form in &self.design.forms {
            tables.insert(form.anchor.span.start);
        }
        let mut first = HashMap::new();
        let mut repeated = Vec::new();
        for grant in &self.design.grants {
            if grant.form != GrantForm::Table {
                continue;
            }
            let table = tables.range(..grant.anchor.span.start).next_back();
            let key = (table, &grant.path, grant.kind);
            if let Some(line) = first.insert(key, grant.anchor.line) {
                repeated.push(problem::duplicate(&grant.path, line).at(grant.anchor.span.clone()));
            }
        }
        for problem in repeated {
            self.fault(problem);
        }
    }

    fn report_nothing_granted(&mut self) {
        if self.rows == 0 || !self.design.grants.is_empty() {
            return;
        }
        let problem = if self.placeholders == self.rows {
            problem::only_placeholders()
        } else if self.bad_rows == 0 {
            problem::nothing_granted()
        } else {
            return;
        };
        let faults = self.design.faults.iter();
        let faults = faults.filter_map(|fault| fault.anchor.as_deref());
        let mentions = self.design.mentions.iter().map(|mention| &mention.anchor);
        let denials = self.design.denials.iter().map(|denial| &denial.anchor);
        let places = faults.chain(mentions).chain(denials);
        let first = places.map(|anchor| anchor.span.start).min();
        self.fault(problem.at(self.source.line_span(first.unwrap_or(0))));
    }
}

/// For each path of a Rename row, the other end: the old and the new path alternate.
///
/// # Errors
/// An end is missing, or the two are not both files or both directories.
fn rename_ends(row: &WrittenRow, read: &[(String, GrantKind)]) -> Result<Vec<BString>, Problem> {
    let mut ends = Vec::new();
    for (pair, written) in read.chunks(2).zip(row.paths.chunks(2)) {
        let [(old, old_kind), (new, new_kind)] = pair else {
            return Err(problem::rename_ends().at(written[0].span.clone()));
        };
        let [first, second] = written else {
            return Err(problem::rename_ends().at(written[0].span.clone()));
        };
        let is_pair = !first.arrow && second.arrow;
        if !is_pair || old_kind != new_kind || *old_kind == GrantKind::Glob {
            return Err(problem::rename_ends().at(first.span.clone()));
        }
        ends.push(new.as_str().into());
        ends.push(old.as_str().into());
    }
    Ok(ends)
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
    /// Its tables and lists, and how their rows are written.
    pub forms: Vec<Form>,
    pub(super) is_typed: bool,
    pub(super) declares: bool,
}

impl Design {
    /// Whether a table with a type column is the scope: it is then also the scope of the other documents of its
    /// directory.
    pub fn is_typed(&self) -> bool {
        self.is_typed
    }

    /// Whether the document names no files to change, as most specifications do: it has no table of files, and what it
    /// says is neither ambiguous nor a denial that guard cannot read.
    pub fn declares_nothing(&self) -> bool {
        !self.declares
    }

    /// The paths that the design names: those of its grants, mentions and denials.
    pub fn named_paths(&self) -> HashSet<&BStr> {
        let mut named = HashSet::new();
        named.extend(self.grants.iter().map(|grant| grant.path.as_bstr()));
        named.extend(self.mentions.iter().map(|mention| mention.path.as_bstr()));
        named.extend(self.denials.iter().map(|denial| denial.path.as_bstr()));
        named
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
        let mut reasons = self.faults.iter().map(|fault| fault.reason);
        if !reasons.any(|reason| problem::NO_IMPORT.contains(&reason)) {
            let command = format!("guard scope import {}", shell_word(&self.path));
            error = error.help(Help::run("to propose a table from its text", command));
        }
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
        self.faults
            .iter()
            .map(|fault| Finding {
                level: fault.level,
                design: fault.anchor.as_deref().cloned(),
                help: fault.help.clone(),
                ..Finding::new(fault.rule, self.path.clone(), fault.message.clone())
                    .detail("reason", fault.reason)
            })
            .collect()
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

#[cfg(test)]
mod tests {
    use crate::design::parse;
    use crate::scope::settings::Settings;

    const TYPED: &str = "| File | Type |\n|---|---|\n| `typed.rs` | Add |\n";
    const UNTYPED: &str = "| File |\n|---|\n| `untyped.rs` |\n";

    /// Then a check of all documents passes over it.
    #[test]
    fn a_document_declares_nothing_without_a_table_of_files_even_a_broken_one() {
        let nothing = |text: &str| {
            parse("d.md".into(), text.as_bytes(), &Settings::default()).declares_nothing()
        };
        let heading = "## Files Changed\n\n";
        for text in ["# A\n\nText.\n", heading, "## Files Changed\n\n- `a.rs`\n"] {
            assert!(nothing(text), "{text}");
        }
        for rows in [
            TYPED,
            UNTYPED,
            // It has no line of dashes, or no column of files.
            "| File | Type |\n| `a.rs` | Add |\n",
            "| Area | Type |\n|---|---|\n| parser | Add |\n",
        ] {
            let text = format!("{heading}{rows}");
            assert!(!nothing(&text), "{text}");
        }
        // Ambiguous, and a denial that is not read.
        assert!(!nothing(&format!("{heading}{TYPED}\n{heading}{UNTYPED}")));
        assert!(!nothing("---\ndeny: src/*\n---\n# A\n"));
    }
}
