//! Collects what a document says: rows become grants, mentions or faults.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use gix::bstr::{BStr, BString, ByteSlice};

use super::change_type::add;
use super::doubt;
use super::entry::{self, GrantPath};
use super::form::{Form, Shape};
use super::kind::RowAction;
use super::name;
use super::negation;
use super::options::DesignOptions;
use super::parsed::{Design, DesignFault, Mention};
use super::problem::{LocatedProblem, Problem, escaped};
use super::role::Roles;
use super::source::DesignText;
use super::written_path::WrittenPath;
use crate::finding::{Help, Rule};
use crate::policy::scope::Scope;
use crate::policy::{Actions, Grant, GrantForm, GrantKind};
use crate::threads;

/// One row of a table, or a list item.
pub(super) struct Row {
    pub(super) paths: Vec<WrittenPath>,
    /// Whether there are words next to the paths.
    pub(super) prose: bool,
    pub(super) kind: RowAction,
    /// Whether the type says that the paths are directories.
    pub(super) directory: bool,
    pub(super) change_type: String,
    pub(super) description: String,
}

/// The result so far.
pub(super) struct DesignBuilder<'a> {
    source: &'a DesignText<'a>,
    options: &'a DesignOptions,
    roles: Roles<'a>,
    design: Design,
    doubtful: BTreeSet<BString>,
    rows: usize,
    placeholders: usize,
    bad_rows: usize,
    /// The number of rows that name a path with `..`.
    climbing: usize,
    is_void: bool,
    /// For each grant, the number of its table or list.
    origins: Vec<usize>,
    /// The latest text that was read as a path, and the path: each is needed twice.
    latest: Option<(String, GrantPath)>,
}

impl<'a> DesignBuilder<'a> {
    pub(super) fn new(source: &'a DesignText<'a>, options: &'a DesignOptions) -> Self {
        DesignBuilder {
            source,
            options,
            roles: Roles::new(&options.test_patterns),
            design: Design {
                path: source.path().into(),
                text: source.text().to_owned(),
                ..Design::default()
            },
            doubtful: BTreeSet::new(),
            rows: 0,
            placeholders: 0,
            bad_rows: 0,
            climbing: 0,
            is_void: false,
            origins: Vec::new(),
            latest: None,
        }
    }

    /// Reads each row of a table or list; a long one on several threads, each into a draft of its own.
    pub(super) fn each<T: Sync>(
        &mut self,
        rows: &[T],
        read: impl Fn(&T, &mut DesignBuilder<'a>) + Sync,
    ) {
        if rows.len() < LONG {
            return rows.iter().for_each(|row| read(row, self));
        }
        let empty = &*self;
        let parts = threads::in_parts(rows, |rows| {
            let mut part = empty.part();
            rows.iter().for_each(|row| read(row, &mut part));
            part
        });
        parts.into_iter().for_each(|part| self.append(part));
    }

    /// A draft for the next rows of the same table or list.
    fn part(&self) -> DesignBuilder<'a> {
        let forms = self.design.forms.last().cloned();
        DesignBuilder {
            roles: Roles::new(&self.options.test_patterns),
            design: Design {
                forms: forms.into_iter().collect(),
                ..Design::default()
            },
            doubtful: BTreeSet::new(),
            origins: Vec::new(),
            latest: None,
            is_void: false,
            rows: 0,
            placeholders: 0,
            bad_rows: 0,
            climbing: 0,
            ..*self
        }
    }

    /// Adds what [`DesignBuilder::part`] has read.
    fn append(&mut self, part: DesignBuilder<'a>) {
        let DesignBuilder {
            source: _,
            options: _,
            roles: _,
            design,
            doubtful,
            rows,
            placeholders,
            bad_rows,
            climbing,
            is_void,
            origins,
            latest,
        } = part;
        let known = usize::from(!self.design.forms.is_empty());
        let before = self.design.forms.len() - known;
        self.origins
            .extend(origins.into_iter().map(|origin| before + origin));
        self.design
            .forms
            .extend(design.forms.into_iter().skip(known));
        self.design.grants.extend(design.grants);
        self.design.mentions.extend(design.mentions);
        self.design.faults.extend(design.faults);
        self.doubtful.extend(doubtful);
        self.rows += rows;
        self.placeholders += placeholders;
        self.bad_rows += bad_rows;
        self.climbing += climbing;
        self.is_void |= is_void;
        self.latest = latest;
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

    /// The number of grants, and of rows that name a path with `..`.
    pub(super) fn mark(&self) -> (usize, usize) {
        (self.design.grants.len(), self.climbing)
    }

    /// Drops the grants of a table if one of its rows names a path with `..`: the others may start elsewhere, too.
    pub(super) fn drop_if_relative(
        &mut self,
        (grants, climbing): (usize, usize),
        header: Range<usize>,
    ) {
        if self.climbing == climbing || self.design.grants.len() == grants {
            return;
        }
        self.design.grants.truncate(grants);
        self.origins.truncate(grants);
        let message = "a path of this table contains `..`, so its other paths may start elsewhere than at the root; none of them is granted";
        let help = "write every path from the repository root";
        self.bad_rows += 1;
        self.fault(Problem::new(Rule::DesignOutside, "relative-paths", message, help).at(header));
    }

    /// Drops the grants of names without a directory if another table or list names such a file in full: "`main.ts`"
    /// after "`src/main.ts`" means the same file, unless one lies at the root or is to be created.
    pub(super) fn drop_short_names(&mut self) {
        let mut full: HashMap<&BStr, (&BString, usize)> = HashMap::new();
        for (grant, origin) in self.design.grants.iter().zip(&self.origins) {
            if let Some((_, name)) = grant.path.rsplit_once_str("/")
                && grant.kind == GrantKind::File
            {
                full.entry(name.into()).or_insert((&grant.path, *origin));
            }
        }
        if full.is_empty() {
            return;
        }
        let mut keep = Vec::with_capacity(self.design.grants.len());
        let mut told: Vec<(BString, BString, Range<usize>)> = Vec::new();
        for (grant, origin) in self.design.grants.iter().zip(&self.origins) {
            let is_changed =
                grant.kind == GrantKind::File && grant.actions.contains(Actions::MODIFY);
            let other = full.get(grant.path.as_bstr()).filter(|(_, other)| {
                let name = grant.path.to_str_lossy();
                is_changed && other != origin && !doubt::is_root_name(&name)
            });
            if other.is_some() {
                self.doubtful.insert(grant.path.clone());
            }
            let other = other.filter(|_| !self.source.is_file(&grant.path.to_str_lossy()));
            keep.push(other.is_none());
            if let Some((other, _)) = other {
                told.push((
                    grant.path.clone(),
                    (*other).clone(),
                    grant.anchor.span.clone(),
                ));
            }
        }
        let mut kept = keep.iter();
        self.design.grants.retain(|_| kept.next() != Some(&false));
        let mut kept = keep.iter();
        self.origins.retain(|_| kept.next() != Some(&false));
        for (name, other, span) in told {
            let message = format!(
                "`{}` may lie at the root or be `{}`",
                escaped(&name.to_string()),
                escaped(&other.to_string())
            );
            let help = "write every path from the repository root";
            self.fault(Problem::new(Rule::DesignUnread, "relative-paths", message, help).at(span));
        }
    }

    /// Whether two tables or lists grant the same, or the second one less.
    pub(super) fn repeats(&self, other: &DesignBuilder<'_>) -> bool {
        let known: BTreeSet<(&BString, &'static str, Vec<&'static str>)> =
            self.design.grants.iter().map(key).collect();
        !other.design.grants.is_empty()
            && other
                .design
                .grants
                .iter()
                .all(|grant| known.contains(&key(grant)))
    }

    /// For each table or list of another reading, the paths that this one does not grant.
    pub(super) fn beyond(&self, other: &DesignBuilder<'_>) -> Vec<(usize, Vec<BString>)> {
        if other.design.grants.is_empty() {
            return Vec::new();
        }
        let scope = Scope::new(self.design.grants.clone());
        let mentioned: BTreeSet<&BString> = self
            .design
            .mentions
            .iter()
            .map(|mention| &mention.path)
            .collect();
        let mut found: Vec<(usize, Vec<BString>)> = Vec::new();
        for (grant, origin) in other.design.grants.iter().zip(&other.origins) {
            let known = !scope.lookup(grant.path.as_ref()).is_empty()
                || mentioned.contains(&grant.path)
                || self
                    .design
                    .grants
                    .iter()
                    .take(MANY)
                    .any(|own| own.path == grant.path);
            if known {
                continue;
            }
            match found.last_mut() {
                Some((last, paths)) if last == origin => paths.push(grant.path.clone()),
                _ => found.push((*origin, vec![grant.path.clone()])),
            }
        }
        let form = |origin: usize| other.design.forms.get(origin.saturating_sub(1));
        let start = |origin: usize| form(origin).map_or(0, |form| form.anchor.span.start);
        found
            .into_iter()
            .map(|(origin, paths)| (start(origin), paths))
            .collect()
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

    /// Reads one path of a row.
    fn read(&self, path: &WrittenPath, text: &str, directory: bool) -> Result<GrantPath, Problem> {
        if path.is_name && !directory {
            return name::read(text, self.source.path());
        }
        if let (Some((latest, entry)), false) = (&self.latest, directory)
            && latest == text
        {
            return Ok(entry.clone());
        }
        entry::read(text, directory, self.source.path())
    }

    /// Records the texts that could be file names.
    fn ask(&mut self, paths: &[WrittenPath], kind: RowAction) {
        let source = self.source;
        let design = source.path();
        for path in paths.iter().filter(|path| !path.is_name) {
            let Some(code) = &path.code else { continue };
            // A glob covers the file of its name, but cannot be the old path of a Rename row.
            let is_end = kind == RowAction::Rename && code.contains('*');
            let is_other = is_end || *code != path.text;
            let read = entry::read(code, false, design);
            if name::is_doubtful(code, &read, design)
                || is_other && name::read(code, design).is_ok()
            {
                self.doubtful.insert(BString::from(code.as_str()));
            }
            self.latest = read.ok().map(|entry| (code.clone(), entry));
        }
    }

    /// Records code that is a file only if one of this name exists.
    pub(super) fn ask_name(&mut self, code: &str) {
        if name::read(code, self.source.path()).is_ok() {
            self.doubtful.insert(BString::from(code));
        }
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
            problems.retain(|found| !matches!(found.problem.reason, "no-file" | "self-grant"));
            for found in &mut problems {
                found.problem.rule = Rule::DesignUnread;
            }
        }
        problems.into_iter().for_each(|found| self.fault(found));
    }

    /// The problems of the paths in a row that is bad for another reason.
    pub(super) fn path_problems(&self, paths: &[WrittenPath]) -> Vec<LocatedProblem> {
        let judge = |path: &WrittenPath| {
            self.read(path, &path.text, false)
                .err()
                .map(|e| e.at(path.span.clone()))
        };
        paths.iter().filter_map(judge).collect()
    }

    /// Grants all paths of a row or none. Paths followed by "(no changes)" are only mentioned.
    pub(super) fn row(&mut self, mut row: Row) {
        self.ask(&row.paths, row.kind);
        let is_mention = row.kind == RowAction::Mention;
        let is_denied = |path: &WrittenPath| is_mention || path.denied;
        // Both paths of a Rename row belong together.
        if row.kind == RowAction::Rename && row.paths.iter().any(is_denied)
            || row.paths.iter().all(is_denied)
        {
            return self.mention(&row.paths, &row.change_type);
        }
        if row.paths.iter().any(is_denied) {
            let (denied, paths): (Vec<_>, Vec<_>) = row.paths.into_iter().partition(is_denied);
            row.paths = paths;
            self.mention(&denied, &row.change_type);
        }
        let read = match row.kind {
            kind if kind.takes_away() && row.prose => Err(vec![part_of_a_file(&row)]),
            RowAction::Rename => self.renames(&row),
            RowAction::Grant(actions) => self.grants_of(&row, actions),
            RowAction::Mention => Ok(Vec::new()),
        };
        match read {
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
            let path = match self.read(written, &written.text, false) {
                Ok(entry) => BString::from(entry.path),
                Err(_) => BString::from(written.text.as_str()),
            };
            self.design.mentions.push(Mention {
                path,
                change_type: change_type.to_owned(),
                anchor: self.source.anchor(written.span.clone(), ""),
            });
        }
    }

    fn grants_of(
        &mut self,
        row: &Row,
        actions: Actions,
    ) -> Result<Vec<Grant>, Vec<LocatedProblem>> {
        if let Some(path) = row.paths.iter().find(|path| path.arrow) {
            let problem = Problem::bad_row(
                "arrow-without-rename",
                "there is an arrow between two paths, but the type is not Rename",
                "write Rename as the type, or one row per path",
            );
            return Err(vec![problem.at(path.span.clone())]);
        }
        let is_one_path =
            actions.contains(Actions::SUBMODULE) || actions.contains(Actions::SYMLINK);
        let entries = self.entries(row, is_one_path)?.into_iter();
        let grant = |(entry, path)| self.grant(row, entry, path, actions, None);
        Ok(entries.map(grant).collect())
    }

    fn renames(&mut self, row: &Row) -> Result<Vec<Grant>, Vec<LocatedProblem>> {
        let pairs: Vec<&[WrittenPath]> = row.paths.chunks(2).collect();
        let is_pair = |pair: &&[WrittenPath]| matches!(pair, [old, new] if !old.arrow && new.arrow);
        if !pairs.iter().all(is_pair) {
            let span = row.paths.first().map(|path| path.span.clone());
            let problem = Problem::bad_row(
                "rename-ends",
                "a Rename row needs the old and the new path",
                "write `old/path` -> `new/path` in the path cell",
            );
            return Err(vec![problem.at(span.unwrap_or_default())]);
        }
        let entries = self.entries(row, false)?;
        let mut grants = Vec::with_capacity(entries.len());
        for pair in entries.chunks(2) {
            let [(old, from), (new, to)] = pair else {
                continue;
            };
            if old.kind != new.kind || old.kind == GrantKind::Glob {
                let problem = Problem::bad_row(
                    "rename-ends",
                    "a Rename row must name two files or two directories",
                    "write both full paths",
                );
                return Err(vec![problem.at(from.span.clone())]);
            }
            let (gone, made) = (Actions::DELETE, Actions::ADD | Actions::MODIFY);
            grants.push(self.grant(row, old.clone(), from, gone, Some(new.path.clone())));
            grants.push(self.grant(row, new.clone(), to, made, Some(old.path.clone())));
        }
        Ok(grants)
    }

    fn entries<'r>(
        &self,
        row: &'r Row,
        is_one_path: bool,
    ) -> Result<Vec<(GrantPath, &'r WrittenPath)>, Vec<LocatedProblem>> {
        let mut entries = Vec::with_capacity(row.paths.len());
        let mut problems = Vec::new();
        for written in &row.paths {
            let text = if is_one_path {
                written.text.trim_end_matches('/')
            } else {
                &written.text
            };
            let directory = !is_one_path && (row.directory || written.directory);
            match self.read(written, text, directory) {
                Ok(entry) => entries.push((entry, written)),
                Err(problem) => problems.push(problem.at(written.span.clone())),
            }
        }
        if problems.is_empty() {
            Ok(entries)
        } else {
            Err(problems)
        }
    }

    fn grant(
        &mut self,
        row: &Row,
        entry: GrantPath,
        written: &WrittenPath,
        actions: Actions,
        renamed: Option<String>,
    ) -> Grant {
        let is_frozen = actions == add() && negation::forbids_changes(&row.description);
        let actions = if is_frozen { Actions::ADD } else { actions };
        Grant {
            role: self.roles.of(&entry.path),
            path: entry.path.into(),
            kind: entry.kind,
            actions,
            change_type: row.change_type.clone(),
            renamed: renamed.map(BString::from),
            form: self
                .design
                .forms
                .last()
                .map_or(GrantForm::Table, |form| form.form),
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
        self.design
            .grants
            .sort_by_key(|grant| grant.anchor.span.start);
        self.design
            .faults
            .sort_by_key(|fault| fault.anchor.as_ref().map(|anchor| anchor.span.start));
        Design {
            doubtful: self.doubtful.into_iter().collect(),
            ..self.design
        }
    }

    fn report_duplicates(&mut self) {
        let mut first = HashMap::new();
        let mut found = Vec::new();
        for (grant, origin) in self.design.grants.iter().zip(&self.origins) {
            // Tasks of one plan often change the same file.
            if grant.form != GrantForm::Table {
                continue;
            }
            let key = (origin, &grant.path, grant.kind);
            if let Some(line) = first.get(&key) {
                let problem = Problem::new(
                    Rule::DesignDuplicate,
                    "duplicate",
                    format!(
                        "`{}` is already listed on line {line}",
                        escaped(&grant.path.to_str_lossy())
                    ),
                    "keep one row",
                );
                found.push(problem.at(grant.anchor.span.clone()));
            } else {
                first.insert(key, grant.anchor.line);
            }
        }
        found.into_iter().for_each(|fault| self.fault(fault));
    }

    fn report_nothing_granted(&mut self) {
        if self.rows == 0 || !self.design.grants.is_empty() {
            return;
        }
        let first = self
            .design
            .faults
            .iter()
            .filter_map(|fault| fault.anchor.as_ref())
            .chain(self.design.mentions.iter().map(|mention| &mention.anchor))
            .map(|anchor| anchor.span.clone())
            .min_by_key(|span| span.start);
        let span = self.source.line_span(first.unwrap_or(0..0).start);
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

/// The rows from which on several threads are faster than one.
const LONG: usize = 8_192;

/// The most grants to compare one by one.
const MANY: usize = 1_000;

fn key(grant: &Grant) -> (&BString, &'static str, Vec<&'static str>) {
    (
        &grant.path,
        grant.kind.name(),
        grant.actions.names().collect(),
    )
}

/// A row that deletes what may be only part of a file, such as "the flag in `src/a.rs`".
fn part_of_a_file(row: &Row) -> LocatedProblem {
    let span = row.paths.first().map(|path| path.span.clone());
    Problem::bad_row(
        "ambiguous-cell",
        "there are words next to the path: is the file deleted, or only part of it?",
        "to delete the file, write only its path; to edit it, use the type Modify",
    )
    .at(span.unwrap_or_default())
}
