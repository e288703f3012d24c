//! Edits of designs: new ones, tables that a plan or the pending changes propose, and more rows. This module reads and
//! decides; the caller writes.

// Reads plans in the work tree.
#![allow(clippy::disallowed_methods)]

use std::collections::BTreeSet;
use std::iter;
use std::path::Path;

use gix::bstr::{BStr, BString, ByteSlice};

use super::policy_loader::{Choice, is_other_text, locate};
use super::tree_view::{GitTreeView, in_repository};
use super::{Options, staged};
use write_guard_policy::change::{Change, Kind};
use write_guard_policy::design::propose::{self, Proposal};
use write_guard_policy::design::{self, Design, MissingRow};
use write_guard_policy::error::{Error, Result};
use write_guard_policy::finding::Help;
use write_guard_policy::path::{Platform, escaped, escaped_list, normalize_request, shell_word};
use write_guard_policy::policy;
use write_guard_policy::rules::FilesOfTree;
use write_guard_policy::scope::glob::is_glob;
use write_guard_policy::scope::settings::Settings;
use write_guard_policy::scope::{Actions, Scope};
use write_guard_repo::boundary::{self, Boundary, OpenedFile};
use write_guard_repo::{Index, Repository, show_file};

/// The largest document that guard reads.
const MAX_DOCUMENT: u64 = 1_000_000;

/// What a plan, relative to the current directory, proposes for the files of HEAD.
///
/// # Errors
/// The plan, or HEAD's tree, cannot be read.
pub fn propose_from_plan(repo: &Repository, plan: &Path) -> Result<Proposal> {
    let shown = show_file(plan);
    let text = std::fs::read_to_string(plan)
        .map_err(|error| Error::new(format!("{shown} cannot be read: {error}")))?;
    if text.len() as u64 > MAX_DOCUMENT {
        let message = format!("{shown} cannot be read: it is larger than 1 MB");
        return Err(Error::new(message));
    }
    let own = in_repository(repo, plan).unwrap_or_default();
    propose_for_head(repo, own.as_ref(), &text)
}

/// A plan that has no row which guard can read.
#[derive(Debug, Clone)]
pub struct UnreadPlan {
    /// Its path.
    pub path: BString,
    /// The first thing that is wrong with it.
    pub fault: Option<String>,
    /// What guard proposes.
    pub proposal: Proposal,
}

/// The plan at a path that an agent named, if HEAD's settings know it as a design and it grants nothing.
///
/// # Errors
/// The path, the settings, the file or HEAD's tree cannot be read.
pub fn plan_without_rows(
    repo: &Repository,
    options: &Options,
    named: &BStr,
) -> Result<Option<UnreadPlan>> {
    let root = boundary::bytes(repo.own_workdir()?);
    let path = normalize_request(&root, named, Platform::HOST)
        .map_err(|rejection| Error::new(rejection.message))?;
    let settings = locate(repo, options)?.settings;
    if !policy::is_design(&settings, path.as_ref()) {
        return Ok(None);
    }
    let mut documents = read_documents(repo, &settings, std::slice::from_ref(&path))?;
    let Some(design) = documents.pop() else {
        return Ok(None);
    };
    if design.is_usable() {
        return Ok(None);
    }
    let proposal = propose_for_head(repo, path.as_ref(), &design.text)?;
    Ok(Some(UnreadPlan {
        path,
        fault: design.faults.first().map(|fault| fault.message.clone()),
        proposal,
    }))
}

/// What a document proposes for the files of HEAD.
fn propose_for_head(repo: &Repository, path: &BStr, text: &str) -> Result<Proposal> {
    let tree = repo.tree_of(repo.head_commit()?)?;
    let head = GitTreeView::new(&tree, None);
    let proposal = propose::propose(path, text, &FilesOfTree::new(&head), &|_| false);
    head.failed.finish()?;
    Ok(proposal)
}

/// The rows for what is staged or, if nothing is, for what has changed in the work tree. Designs and guard's own
/// settings need none.
///
/// # Errors
/// The changes cannot be read.
pub fn rows_of_changes(repo: &Repository) -> Result<Vec<String>> {
    let settings = settings_to_come(repo)?;
    let (changes, _) = changes_now(repo)?;
    let mut rows = Vec::new();
    for change in &changes {
        let path = change.path.as_ref();
        let needs_none = policy::is_design(&settings, path)
            || policy::is_own_settings(&settings, path)
            || settings.always.contains(path);
        if !needs_none {
            rows.extend(propose::row("".into(), path, type_of_change(change), ""));
        }
    }
    Ok(rows)
}

/// What is staged, or what `git add --all` would stage if nothing is; and whether it is staged.
fn changes_now(repo: &Repository) -> Result<(Vec<Change>, bool)> {
    let staged = staged::staged_now(repo, false)?;
    if staged.is_empty() {
        Ok((staged::uncommitted(Repository::open(".".as_ref())?)?, false))
    } else {
        Ok((staged, true))
    }
}

fn type_of_change(change: &Change) -> &'static str {
    usual_type(change.old.is_some(), change.new.map(|state| state.kind))
}

/// The type of the row for a file that HEAD has or not, and that is now of this kind, if it is there.
fn usual_type(is_old: bool, now: Option<Kind>) -> &'static str {
    match now {
        Some(Kind::Symlink) => "Symlink",
        Some(Kind::Submodule) => "Submodule",
        None if is_old => "Delete",
        Some(_) if is_old => "Modify",
        _ => "Add",
    }
}

/// HEAD's settings or, if it has none, those about to be committed.
fn settings_to_come(repo: &Repository) -> Result<Settings> {
    Ok(locate(repo, &Options::default())?.settings)
}

/// Whether a design is selected on this branch without `guard use`, or will be once it is committed beside the other
/// documents of its directory.
///
/// # Errors
/// The settings cannot be read.
pub fn is_selected(repo: &Repository, path: &BStr) -> Result<bool> {
    let located = locate(repo, &Options::default())?;
    let design = policy::design_of(&located.settings, path);
    let mut choices = located.standing;
    choices.extend(located.own.unwrap_or_default());
    let mut selected = choices
        .iter()
        .map(|choice| policy::design_of(&located.settings, choice.path.as_ref()));
    Ok(selected.any(|one| one == design))
}

/// Writes rows of the usual table into the document at `file`, relative to the current directory. A new document starts
/// with a title.
///
/// # Errors
/// The document has unstaged changes or a table with types already, or cannot hold the rows.
pub fn with_table(repo: &Repository, file: &Path, rows: &[String]) -> Result<DesignEdit> {
    let path = in_repository(repo, file)?;
    let document = DesignEdit::open(repo, path, settings_to_come(repo)?)?;
    let has_table = document.design.is_typed() && document.design.is_usable();
    document.with_table(rows, has_table)
}

/// The design that `guard scope new` writes.
///
/// # Errors
/// `[lld] path` is missing, nothing fills its placeholders, or the document exists.
pub fn new_design(
    repo: &Repository,
    name: Option<&str>,
    date: &str,
    rows: &[String],
) -> Result<DesignEdit> {
    let settings = settings_to_come(repo)?;
    let branch = repo.branch()?.map(|branch| branch.name.to_string());
    let path = policy::place_of_new_design(&settings, branch.as_deref(), name, date);
    let path = path.ok_or_else(|| {
        let patterns = settings.lld_path.join("`, `");
        let error = Error::new(format!("guard cannot fill in `[lld] path`: `{patterns}`"));
        if settings.lld_path.is_empty() {
            return error.help("set `[lld] path` in guard.toml, which `guard init` writes");
        }
        let usual = policy::name_of_new_design(branch.as_deref());
        let command = format!("guard scope new {usual}");
        error.help(Help::run("name the design in one word", command))
    })?;
    let document = DesignEdit::open(repo, path.into(), settings)?;
    let exists = document.before.is_some();
    document.with_table(rows, exists)
}

/// A document in the work tree, and its text with more rows.
#[derive(Debug)]
pub struct DesignEdit {
    /// What the document is now; perhaps an unusable design.
    pub design: Design,
    /// The file; `None` if there is none.
    pub before: Option<OpenedFile>,
    /// The text with the rows.
    pub after: String,
    settings: Settings,
}

impl DesignEdit {
    /// Opens a document that is as staged, untracked or new: the rows must not carry other edits along.
    fn open(repo: &Repository, path: BString, settings: Settings) -> Result<Self> {
        let shown = escaped(&path).to_string();
        let before = Boundary::open(repo.own_workdir()?)
            .and_then(|root| root.read(path.as_ref(), MAX_DOCUMENT))
            .map_err(|error| cannot_read(&path, &error))?;
        let text = match &before {
            Some(file) => {
                let text = file.content.to_str();
                text.map_err(|error| cannot_read(&path, &error))?.to_owned()
            }
            None => new_text(&path),
        };
        let staged = Index::open(repo)?.tree()?.read(path.as_ref())?;
        let is_other = staged
            .is_some_and(|staged| before.is_none() || is_other_text(&staged, text.as_bytes()));
        if is_other {
            let word = shell_word(&path);
            return Err(Error::new(format!(
                "the design {shown} has changes that are not staged"
            ))
            .help(Help::run(
                "stage them first",
                format_args!("git add -- {word}"),
            ))
            .help(Help::run(
                "or discard them",
                format_args!("git restore -- {word}"),
            )));
        }
        Ok(DesignEdit {
            design: design::parse(path.as_ref(), text.as_bytes(), &settings),
            before,
            after: text,
            settings,
        })
    }

    /// Another text as this document.
    fn parse(&self, text: &str) -> Design {
        design::parse(self.design.path.as_ref(), text.as_bytes(), &self.settings)
    }

    fn with_table(mut self, rows: &[String], is_taken: bool) -> Result<DesignEdit> {
        let path = &self.design.path;
        if is_taken {
            let advice = format!("guard scope add PATH --design {}", shell_word(path));
            return Err(
                Error::new(format!("the design {} already exists", escaped(path)))
                    .help(format!("add rows to it: {advice}")),
            );
        }
        self.after = propose::add_table(&self.design, rows, &|text| self.parse(text))?;
        Ok(self)
    }
}

/// A new design: a title and an empty table.
fn new_text(path: &BString) -> String {
    let name = path.rsplit(|&byte| byte == b'/').next().unwrap_or_default();
    let title = propose::plain(&name.strip_suffix(b".md").unwrap_or(name).to_str_lossy());
    let table = propose::section(&[]);
    format!("# {title}\n\nWhat changes, and why.\n\n{table}")
}

/// The rows to add to a design.
#[derive(Debug, Clone, Copy, Default)]
pub struct RowsToAdd<'a> {
    /// The paths, as requests relative to the root; a slash at the end makes a directory.
    pub paths: &'a [BString],
    /// Whether to add the paths of all staged changes that no row grants, or of all changes if nothing is staged.
    pub missing: bool,
    /// The type of the rows; by default, what has become of each file.
    pub change_type: Option<&'a str>,
    /// What the rows say about the change.
    pub description: &'a str,
    /// The document to extend; by default, that of the branch.
    pub design: Option<&'a Path>,
}

/// Adds rows in memory, and names the paths that need none. The result grants exactly the paths that were asked for in
/// addition.
///
/// # Errors
/// No single design applies, it has unstaged changes, or a row cannot be added.
pub fn extend_design(
    repo: &Repository,
    wanted: &RowsToAdd<'_>,
) -> Result<(DesignEdit, Vec<BString>)> {
    let (mut document, siblings, options) = open_to_extend(repo, wanted.design)?;
    let own: &BStr = document.design.path.as_ref();
    let documents: Vec<&Design> = iter::once(&document.design).chain(&siblings).collect();
    let scope = policy::scope_of_design(&documents);
    let mut requested = requested(repo, wanted)?;
    if wanted.missing {
        requested.extend(missing_rows(repo, &options)?);
    }
    let mut rows = Vec::new();
    let mut granted = Vec::new();
    for one in &requested {
        let Some(row) = missing_row(&scope, one, wanted.change_type)? else {
            granted.push(one.path.clone());
            continue;
        };
        let is_alone = one.from.is_none();
        if is_glob(row.path)
            || is_alone && propose::row(own, row.path, row.word, wanted.description).is_none()
        {
            let shown = escaped(&one.path);
            return Err(Error::new(format!("a row cannot name exactly {shown}")));
        }
        rows.push(row);
    }
    if !rows.is_empty() {
        document.after = propose::insert(&document.design, &rows, wanted.description, &|text| {
            document.parse(text)
        })?;
    }
    Ok((document, granted))
}

/// Opens the document to extend. Returns it with the other documents of its design, and with the options to judge
/// changes by.
fn open_to_extend(
    repo: &Repository,
    design: Option<&Path>,
) -> Result<(DesignEdit, Vec<Design>, Options)> {
    let mut options = Options::default();
    let located = locate(repo, &options)?;
    let settings = located.settings;
    let chosen = located.own.as_deref().unwrap_or_default().iter();
    let chosen: Vec<BString> = chosen.map(|choice| choice.path.clone()).collect();
    let path = match design {
        Some(file) => {
            let path = in_repository(repo, file)?;
            let mut known = located.standing.iter().map(|choice| &choice.path);
            // What the designs of the branch allow counts, too.
            if !chosen.contains(&path) && !known.any(|standing| *standing == path) {
                options.designs = vec![file.to_owned()];
                options.designs_from = "--design";
            }
            path
        }
        None => the_design(repo, &settings, located.own?)?,
    };
    let key = policy::design_of(&settings, path.as_ref());
    let mut siblings = chosen;
    siblings.retain(|other| *other != path && policy::design_of(&settings, other.as_ref()) == key);
    let siblings = read_documents(repo, &settings, &siblings)?;
    let document = DesignEdit::open(repo, path, settings)?;
    if document.before.is_none() {
        let shown = escaped(&document.design.path).to_string();
        return Err(Error::new(format!("there is no design at {shown}"))
            .help("write one: guard scope new NAME"));
    }
    Ok((document, siblings, options))
}

/// A row to add, before its type is known to be one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct RequestedRow {
    path: BString,
    from: Option<BString>,
    /// The type unless the caller names another.
    usual: &'static str,
}

/// The type of a row with two paths.
const RENAME: &str = "Rename";

/// The row that is needed; `None` if the scope grants it already.
fn missing_row<'a>(
    scope: &Scope,
    wanted: &'a RequestedRow,
    named: Option<&'a str>,
) -> Result<Option<MissingRow<'a>>> {
    let path: &BStr = wanted.path.as_ref();
    let from = wanted.from.as_ref().map(|from| from.as_bstr());
    let word = if from.is_some() {
        RENAME
    } else {
        named.unwrap_or(wanted.usual)
    };
    let actions = match from {
        Some(_) => Some(Actions::ADD),
        None => propose::actions_of(word),
    };
    let Some(actions) = actions else {
        let what = format!("`{}` is not a type for one path", escaped(word));
        return Err(Error::new(what)
            .help("write Add, Modify, Add/Modify, Delete, Symlink or Submodule")
            .help("a Rename row takes both: guard scope add OLD NEW --type Rename"));
    };
    let bare: &BStr = path.strip_suffix(b"/").unwrap_or(path).into();
    if let Some(denial) = scope.denial(bare) {
        let shown = escaped(path);
        let at = &denial.anchor;
        let place = format!("{}:{}", escaped(&at.path), at.line);
        let what = format!("the design forbids {shown} ({place}), so no row allows it");
        return Err(Error::new(what).help("take it off that list, or correct that row, first"));
    }
    if from.is_none() && !path.ends_with(b"/") && scope.actions(path).contains(actions) {
        return Ok(None);
    }
    Ok(Some(MissingRow {
        path,
        from,
        word,
        actions,
    }))
}

/// The rows for the paths that the caller names: one with both of a Rename, or one each with its usual type.
fn requested(repo: &Repository, wanted: &RowsToAdd<'_>) -> Result<BTreeSet<RequestedRow>> {
    let mut rows = BTreeSet::new();
    let is_rename = wanted
        .change_type
        .is_some_and(|word| word.eq_ignore_ascii_case(RENAME));
    if let (true, [from, to]) = (is_rename, wanted.paths) {
        let (from, _) = named(repo, from)?;
        let (path, _) = named(repo, to)?;
        rows.insert(RequestedRow {
            path,
            from: Some(from),
            usual: RENAME,
        });
        return Ok(rows);
    }
    let head = repo.tree_of(repo.head_commit()?)?;
    for request in wanted.paths {
        let (path, now) = named(repo, request)?;
        let usual = if path.ends_with(b"/") {
            "Add/Modify"
        } else {
            usual_type(head.get(path.as_ref())?.is_some(), now)
        };
        rows.insert(RequestedRow {
            path,
            from: None,
            usual,
        });
    }
    Ok(rows)
}

/// The rows that the refusals of the changes show.
fn missing_rows(repo: &Repository, options: &Options) -> Result<Vec<RequestedRow>> {
    let (_, are_staged) = changes_now(repo)?;
    let verdict = if are_staged {
        staged::staged(repo, options)?
    } else {
        staged::everything(Repository::open(".".as_ref())?, options)?
    };
    let rows = verdict.findings.into_iter().filter_map(|one| one.row);
    let requested = rows.map(|row| RequestedRow {
        path: row.path,
        from: row.from,
        usual: row.word,
    });
    Ok(requested.collect())
}

fn cannot_read(path: &BString, error: &dyn std::fmt::Display) -> Error {
    let shown = escaped(path);
    Error::new(format!("the design {shown} cannot be read: {error}"))
}

/// The document to extend of the only design that applies to the branch, usable or not: the one that `guard lint` shows a
/// missing row for.
fn the_design(repo: &Repository, settings: &Settings, own: Vec<Choice>) -> Result<BString> {
    let own: Vec<BString> = own.into_iter().map(|choice| choice.path).collect();
    let mut designs: Vec<BString> = Vec::new();
    for path in &own {
        designs.push(policy::design_of(settings, path.as_ref()));
    }
    designs.dedup();
    if designs.len() > 1 {
        return Err(
            Error::new(format!("several designs apply: {}", escaped_list(&own)))
                .help("say which one to extend: guard scope add PATH --design FILE"),
        );
    }
    if own.len() > 1 {
        let documents = read_documents(repo, settings, &own)?;
        if let Some(document) = policy::document_for_rows(documents.iter()) {
            return Ok(document.path.clone());
        }
    }
    own.into_iter().next().ok_or_else(|| {
        Error::new("no design of this branch applies")
            .help("write one: guard scope new NAME")
            .help(
                "or name the one to extend, such as a standing design: \
                 guard scope add PATH --design FILE",
            )
    })
}

/// Documents of the work tree; those that it lacks are left out.
fn read_documents(
    repo: &Repository,
    settings: &Settings,
    paths: &[BString],
) -> Result<Vec<Design>> {
    let root = Boundary::open(repo.own_workdir()?);
    let root = root.map_err(|error| Error::new(error.to_string()))?;
    let mut documents = Vec::new();
    for path in paths {
        let file = root.read(path.as_ref(), MAX_DOCUMENT);
        if let Some(file) = file.map_err(|error| Error::new(error.to_string()))? {
            documents.push(design::parse(path.as_ref(), &file.content, settings));
        }
    }
    Ok(documents)
}

/// The path that a person named, with a slash at the end of a directory, and what it is on disk.
fn named(repo: &Repository, request: &BString) -> Result<(BString, Option<Kind>)> {
    let root = repo.workdir()?;
    let mut path = normalize_request(&boundary::bytes(root), request, Platform::HOST)
        .map_err(|rejection| Error::new(rejection.message))?;
    if request.ends_with(b"/") {
        path.push(b'/');
        return Ok((path, None));
    }
    let on_disk = repo.metadata_of(path.as_ref());
    if on_disk.as_ref().is_some_and(|metadata| metadata.is_dir()) {
        let shown = escaped(&path).to_string();
        return Err(Error::new(format!("{shown} is a directory"))
            .help(format!("to let everything below it change, write {shown}/")));
    }
    let kind = on_disk.map(|metadata| {
        if metadata.is_symlink() {
            Kind::Symlink
        } else {
            Kind::File
        }
    });
    Ok((path, kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn type_of_a_row_says_what_became_of_the_file() {
        for (now, new, old) in [
            (None, "Add", "Delete"),
            (Some(Kind::File), "Add", "Modify"),
            (Some(Kind::Executable), "Add", "Modify"),
            (Some(Kind::Symlink), "Symlink", "Symlink"),
            (Some(Kind::Submodule), "Submodule", "Submodule"),
        ] {
            assert_eq!(usual_type(false, now), new, "{now:?}");
            assert_eq!(usual_type(true, now), old, "{now:?}");
        }
    }
}
