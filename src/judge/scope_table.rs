//! The table of a document: what a plan or the pending changes propose for it, and the document with more rows. This
//! module reads and decides; the caller writes.

// Reads plans in the work tree.
#![allow(clippy::disallowed_methods)]

use std::io;
use std::path::Path;

use gix::bstr::{BStr, BString, ByteSlice};

use super::policy_loader::locate;
use super::{Options, named_files, staged};
use crate::boundary::{Boundary, OpenedFile};
use crate::change::{Change, Kind};
use crate::error::{Error, Result};
use crate::git::{Index, Parents, Repository, show_file};
use crate::path::{escaped, shell_word};
use crate::policy::GrantKind;
use crate::policy::design::{self, Design, DesignOptions};
use crate::policy::design_selection;
use crate::policy::path_placeholders::{PathNames, is_path, literal_paths};
use crate::policy::propose::{self, ProposedRow};
use crate::policy::settings::Settings;

/// The largest document that guard reads.
const MAX_DOCUMENT: u64 = 1_000_000;

/// A document with more rows.
#[derive(Debug)]
pub struct DesignEdit {
    /// Its path in the repository.
    pub path: BString,
    /// What the work tree holds; `None` if the document is new.
    pub before: Option<OpenedFile>,
    /// The text with the rows.
    pub after: String,
    /// Paths that need no new row.
    pub granted: Vec<BString>,
}

/// The rows for the files that a plan names, relative to the current directory.
///
/// # Errors
/// The plan cannot be read, or names no path.
pub fn rows_of_plan(repo: &Repository, plan: &Path) -> Result<Vec<String>> {
    let shown = show_file(plan);
    let read = || {
        let metadata = plan.metadata()?;
        match metadata.len() {
            _ if !metadata.is_file() => Err(io::Error::other("it is not a regular file")),
            0..=MAX_DOCUMENT => std::fs::read_to_string(plan),
            _ => Err(io::Error::other("it is larger than 1 MB")),
        }
    };
    let text = read().map_err(|error| Error::new(format!("{shown} cannot be read: {error}")))?;
    let lookup = |path: &str| {
        let file = repo.work_tree_file(path.into()).ok()?;
        match file.symlink_metadata().ok()?.is_dir() {
            true => Some(GrantKind::Directory),
            false => Some(GrantKind::File),
        }
    };
    let own = named_files::in_repository(repo, plan).unwrap_or_default();
    let rows = propose::rows_of_document(&text, &lookup);
    readable(own.as_ref(), rows, &shown)
}

/// The rows for what is staged or, if nothing is, for what has changed in the work tree. Designs and guard's own
/// settings need none.
///
/// # Errors
/// The changes cannot be read, or need no row.
pub fn rows_of_changes(repo: &Repository) -> Result<Vec<String>> {
    let settings = settings_to_come(repo)?;
    let needs_row = |path: &BStr| {
        !design_selection::is_design(&settings, path)
            && !design_selection::is_own_settings(&settings, path)
            && !settings.always.contains(path)
    };
    let (mut changes, _) = changes_now(repo)?;
    changes.retain(|change| needs_row(change.path.as_ref()));
    let row = |change: &Change| ProposedRow::new(change.path.clone(), type_of_change(change), "");
    readable("".into(), changes.iter().map(row).collect(), "the change")
}

/// The rows that a table in `document` can hold, each read back as exactly what it names.
fn readable(document: &BStr, mut rows: Vec<ProposedRow>, source: &str) -> Result<Vec<String>> {
    rows.retain(|row| row.is_read_back(document));
    match rows.is_empty() {
        true => Err(
            Error::new(format!("guard found no path to propose in {source}"))
                .help("write a design by hand: guard scope new NAME"),
        ),
        false => Ok(rows.iter().map(ProposedRow::text).collect()),
    }
}

/// What is staged, or what `git add --all` would stage if nothing is; and whether it is staged.
pub(super) fn changes_now(repo: &Repository) -> Result<(Vec<Change>, bool)> {
    let staged = Parents::of_next_commit(repo, false)?.own_changes(repo, &Index::open(repo)?)?;
    match staged.is_empty() {
        true => Ok((staged::uncommitted(Repository::open(".".as_ref())?)?, false)),
        false => Ok((staged, true)),
    }
}

pub(super) fn type_of_change(change: &Change) -> &'static str {
    usual_type(change.old.is_some(), change.new.map(|state| state.kind))
}

/// The type of the row for a file that HEAD has or not, and that is now of this kind, if it is there.
pub(super) fn usual_type(is_old: bool, now: Option<Kind>) -> &'static str {
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
    Ok(locate(repo, None, &Options::default())?.settings)
}

/// Whether a design is selected on this branch without `guard use`.
///
/// # Errors
/// The settings cannot be read.
pub fn is_selected(repo: &Repository, path: &BStr) -> Result<bool> {
    let located = locate(repo, None, &Options::default())?;
    let own = located.own.unwrap_or_default();
    Ok(own
        .iter()
        .chain(&located.standing)
        .any(|choice| choice.path == path))
}

/// Writes rows of the usual table into the document at `file`, relative to the current directory. A new document starts
/// with a title.
///
/// # Errors
/// The document has unstaged changes or a table with types already, or cannot hold the rows.
pub fn with_table(repo: &Repository, file: &Path, rows: &[String]) -> Result<DesignEdit> {
    let path = named_files::in_repository(repo, file)?;
    let document = TableDocument::open(repo, path, settings_to_come(repo)?)?;
    if document.design.is_typed() && document.design.is_usable() {
        let why = format!(
            "{} has a Files Changed table already",
            escaped(&document.path)
        );
        return Err(Error::new(why).help(add_rows(document.path.as_ref())));
    }
    document.with_table(rows)
}

/// The design that `guard scope new` writes.
///
/// # Errors
/// `[lld] path` is missing, nothing fills its placeholders, or the document exists.
pub fn new_design(repo: &Repository, name: Option<&str>, rows: &[String]) -> Result<DesignEdit> {
    let settings = settings_to_come(repo)?;
    let branch = repo.branch()?.map(|branch| branch.name.to_string());
    let path = place(&settings, branch.as_deref(), name).ok_or_else(|| {
        let patterns = settings.lld_path.join("`, `");
        Error::new(format!("guard cannot fill in `[lld] path`: `{patterns}`")).help(match patterns
            .as_str()
        {
            "" => "set it in guard.toml: guard init",
            _ => "name the design in one word: guard scope new hotfix",
        })
    })?;
    let document = TableDocument::open(repo, path.into(), settings)?;
    let path = document.path.as_ref();
    if document.before.is_some() || repo.tree_of(repo.head_commit()?)?.get(path)?.is_some() {
        return Err(Error::new(format!("{} already exists", escaped(path)))
            .help(add_rows(path))
            .help("or write another one: guard scope new NAME"));
    }
    document.with_table(rows)
}

/// The path for a new design. A name takes the place of the branch name, except for an issue that only the latter has.
fn place(settings: &Settings, branch: Option<&str>, name: Option<&str>) -> Option<String> {
    if name.is_some_and(|name| !is_path(name)) {
        return None;
    }
    let issue = |text: &str| design_selection::issues_of(settings, text.into()).pop();
    let issue = name.and_then(issue).or(branch.and_then(issue));
    let names = PathNames {
        issue: issue.or(name.map(str::to_owned)),
        branch: name.or(branch).map(str::to_owned),
    };
    let filled = design_selection::filled(settings, &names).into_iter();
    let mut paths = filled.flat_map(|entry| entry.tries).flat_map(|path| {
        // The last star is a name too.
        literal_paths(&match (path.rsplit_once('*'), name) {
            (Some((start, end)), Some(name)) if !end.contains('/') => format!("{start}{name}{end}"),
            _ => path,
        })
    });
    paths.next()
}

fn add_rows(design: &BStr) -> String {
    let word = shell_word(design);
    format!("add rows to it: guard scope add PATH --design {word}")
}

/// A document in the work tree that is to hold rows.
pub(super) struct TableDocument {
    pub(super) path: BString,
    /// `None` if there is no such file.
    pub(super) before: Option<OpenedFile>,
    options: DesignOptions,
    /// What the document is now; perhaps an unusable design.
    pub(super) design: Design,
}

impl TableDocument {
    /// Opens a document that is as staged, untracked or new: the rows must not carry other edits along.
    pub(super) fn open(repo: &Repository, path: BString, settings: Settings) -> Result<Self> {
        let shown = escaped(&path).to_string();
        let failed = |why: String| Error::new(format!("the design {shown} cannot be read: {why}"));
        let before = Boundary::open(repo.own_workdir()?)
            .and_then(|root| root.read(path.as_ref(), MAX_DOCUMENT))
            .map_err(|error| failed(error.to_string()))?;
        let text = match &before {
            Some(file) => file
                .content
                .to_str()
                .map_err(|error| failed(error.to_string()))?
                .to_owned(),
            None => new_text(&path),
        };
        // git may convert the line endings of what is staged.
        let is_same =
            |staged: &[u8]| staged.replace("\r\n", "\n") == text.replace("\r\n", "\n").as_bytes();
        let staged = Index::open(repo)?.tree()?.read(path.as_ref())?;
        if staged.is_some_and(|staged| before.is_none() || !is_same(&staged)) {
            let word = shell_word(&path);
            return Err(Error::new(format!(
                "the design {shown} has changes that are not staged"
            ))
            .help(format!("stage them first: git add -- {word}"))
            .help(format!("or discard them: git restore -- {word}")));
        }
        let options = DesignOptions::from_settings(&settings);
        Ok(TableDocument {
            design: design::parse(path.as_ref(), text.as_bytes(), &options),
            before,
            options,
            path,
        })
    }

    /// The document with a new table.
    fn with_table(self, rows: &[String]) -> Result<DesignEdit> {
        let text = propose::add_table(&self.design, rows, &|text| self.parse(text))?;
        Ok(self.edit(text, Vec::new()))
    }

    /// Another text as this document.
    pub(super) fn parse(&self, text: &str) -> Design {
        design::parse(self.path.as_ref(), text.as_bytes(), &self.options)
    }

    /// The document with another text; `granted` need no row in it.
    pub(super) fn edit(self, after: String, granted: Vec<BString>) -> DesignEdit {
        DesignEdit {
            path: self.path,
            before: self.before,
            after,
            granted,
        }
    }
}

/// A new design: a title and an empty table.
fn new_text(path: &BString) -> String {
    let name = path.rsplit(|&byte| byte == b'/').next().unwrap_or_default();
    let title = propose::plain(&name.strip_suffix(b".md").unwrap_or(name).to_str_lossy());
    let table = propose::section(&[]);
    format!("# {title}\n\nWhat changes, and why.\n\n{table}")
}
