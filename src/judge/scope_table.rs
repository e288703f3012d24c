//! The table of a document: what a plan or the pending changes propose for it, and the document with more rows. This
//! module reads and decides; the caller writes.

// Reads plans in the work tree.
#![allow(clippy::disallowed_methods)]

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use gix::bstr::{BStr, BString, ByteSlice};

use super::policy_loader::locate;
use super::{Options, named_files, staged};
use crate::boundary::{Boundary, OpenedFile};
use crate::change::{Change, Kind};
use crate::error::{Error, Result};
use crate::git::{Index, Repository, show_file};
use crate::path::{escaped, shell_word};
use crate::policy::design::{self, Design, DesignOptions};
use crate::policy::design_selection;
use crate::policy::path_placeholders::{PathNames, is_path, literal_paths};
use crate::policy::propose;
use crate::policy::settings::Settings;

/// The largest document that guard reads.
const MAX_DOCUMENT: u64 = 1_000_000;

/// The rows for the files that a plan names, relative to the current directory.
///
/// # Errors
/// The plan cannot be read.
pub fn rows_of_plan(repo: &Repository, plan: &Path) -> Result<Vec<String>> {
    let mut text = String::new();
    let read = File::open(plan).and_then(|file| {
        match file.take(MAX_DOCUMENT + 1).read_to_string(&mut text)? as u64 {
            0..=MAX_DOCUMENT => Ok(()),
            _ => Err(io::Error::other("it is larger than 1 MB")),
        }
    });
    read.map_err(|error| Error::new(format!("{} cannot be read: {error}", show_file(plan))))?;
    let is_directory = |path: &str| {
        let file = repo.work_tree_file(path.into()).ok()?;
        Some(file.symlink_metadata().ok()?.is_dir())
    };
    let own = named_files::in_repository(repo, plan).unwrap_or_default();
    Ok(propose::rows_of_document(
        own.as_ref(),
        &text,
        &is_directory,
    ))
}

/// The rows for what is staged or, if nothing is, for what has changed in the work tree. Designs and guard's own
/// settings need none.
///
/// # Errors
/// The changes cannot be read.
pub fn rows_of_changes(repo: &Repository) -> Result<Vec<String>> {
    let settings = settings_to_come(repo)?;
    let needs_row = |path: &BStr| {
        !design_selection::is_design(&settings, path)
            && !design_selection::is_own_settings(&settings, path)
            && !settings.always.contains(path)
    };
    let (mut changes, _) = changes_now(repo)?;
    changes.retain(|change| needs_row(change.path.as_ref()));
    let row =
        |change: &Change| propose::row("".into(), change.path.as_ref(), type_of_change(change), "");
    Ok(changes.iter().filter_map(row).collect())
}

/// What is staged, or what `git add --all` would stage if nothing is; and whether it is staged.
pub(super) fn changes_now(repo: &Repository) -> Result<(Vec<Change>, bool)> {
    let staged = staged::staged_now(repo, false)?;
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
    let document = DesignEdit::open(repo, path, settings_to_come(repo)?)?;
    let has_table = document.design.is_typed() && document.design.is_usable();
    document.with_table(rows, has_table)
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
    let document = DesignEdit::open(repo, path.into(), settings)?;
    let exists = document.before.is_some();
    document.with_table(rows, exists)
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

/// A document in the work tree, and its text with more rows.
#[derive(Debug)]
pub struct DesignEdit {
    /// What the document is now; perhaps an unusable design.
    pub design: Design,
    /// The file; `None` if there is none.
    pub before: Option<OpenedFile>,
    /// The text with the rows.
    pub after: String,
    options: DesignOptions,
}

impl DesignEdit {
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
        Ok(DesignEdit {
            design: design::parse(path.as_ref(), text.as_bytes(), &options),
            before,
            after: text,
            options,
        })
    }

    /// Another text as this document.
    pub(super) fn parse(&self, text: &str) -> Design {
        design::parse(self.design.path.as_ref(), text.as_bytes(), &self.options)
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
