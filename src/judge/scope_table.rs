//! The table of a document: what a plan or the pending changes propose for it, and the document with more rows. This
//! module reads and decides; the caller writes.

// Reads plans and designs in the work tree.
#![allow(clippy::disallowed_methods)]

use std::path::Path;

use gix::bstr::{BStr, BString, ByteSlice};

use super::policy_loader::locate;
use super::{Options, merge_commits, named_files, staged};
use crate::change::{Change, Kind};
use crate::error::{Error, Result};
use crate::git::{Index, Parents, Repository, show_file};
use crate::path::{escaped, shell_word};
use crate::policy::design::{self, Design, DesignOptions};
use crate::policy::design_selection;
use crate::policy::path_placeholders::{PathNames, is_path, literal_paths};
use crate::policy::propose::{self, Existing, InsertedRow, ProposedRow, WithRows};
use crate::policy::settings::Settings;

/// The largest document that guard reads.
const MAX_DOCUMENT: u64 = 1 << 20;

/// Adds rows to a design, which the last argument reads.
type Write = fn(&Design, &[ProposedRow], &dyn Fn(&str) -> Design) -> Result<WithRows>;

/// Rows for a table, and the paths that no row can name.
#[derive(Debug, Clone, Default)]
pub struct Proposal {
    /// The rows.
    pub rows: Vec<ProposedRow>,
    /// Those that a table cannot hold.
    pub left_out: Vec<ProposedRow>,
}

/// A document with more rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DesignEdit {
    /// Its path in the repository.
    pub path: BString,
    /// What the work tree holds; `None` if the document is new.
    pub before: Option<Vec<u8>>,
    /// The text with the rows.
    pub after: Vec<u8>,
    /// The rows, in document order.
    pub rows: Vec<InsertedRow>,
    /// Paths that need no new row.
    pub granted: Vec<BString>,
}

/// The rows for the files that a plan names, relative to the current directory.
///
/// # Errors
/// The plan cannot be read.
pub fn rows_of_plan(repo: &Repository, plan: &Path) -> Result<Proposal> {
    let failed = |why: String| Error::new(format!("{} cannot be read: {why}", show_file(plan)));
    let metadata = plan.metadata().map_err(|error| failed(error.to_string()))?;
    if !metadata.is_file() {
        return Err(failed("it is not a regular file".to_owned()));
    }
    if metadata.len() > MAX_DOCUMENT {
        return Err(failed("it is larger than 1 MB".to_owned())
            .help("import the part that lists the files"));
    }
    let bytes = std::fs::read(plan).map_err(|error| failed(error.to_string()))?;
    let text = String::from_utf8(bytes).map_err(|_| failed("it is not UTF-8".to_owned()))?;
    let index = Index::open(repo)?;
    let (tree, head) = (index.tree()?, repo.tree_of(repo.head_commit()?)?);
    let exists = |path: &BStr| {
        let on_disk = repo
            .work_tree_file(path)
            .ok()
            .and_then(|file| file.symlink_metadata().ok());
        let is_there = |found: Result<Option<_>>| found.is_ok_and(|found| found.is_some());
        match on_disk {
            Some(found) if found.is_dir() => Existing::Directory,
            Some(_) => Existing::File,
            None if is_there(tree.get(path)) || is_there(head.get(path)) => Existing::File,
            None if head.is_dir(path).unwrap_or(false) => Existing::Directory,
            None => Existing::Nothing,
        }
    };
    let rows = propose::rows_of_document(text.trim_start_matches('\u{feff}'), &exists);
    let own = named_files::in_repository(repo, plan).unwrap_or_default();
    let (rows, left_out) = propose::readable(own.as_ref(), rows);
    Ok(Proposal { rows, left_out })
}

/// The rows for what is staged or, if nothing is, for what has changed in the work tree. Designs and guard's own
/// settings need none.
///
/// # Errors
/// The changes cannot be read.
pub fn rows_of_changes(repo: &Repository) -> Result<Proposal> {
    let settings = settings_to_come(repo)?;
    let needs_row = |path: &BStr| {
        !design_selection::is_design(&settings, path)
            && !design_selection::is_own_settings(&settings, path)
            && !settings.always.contains(path)
    };
    let (changes, _) = changes_now(repo)?;
    let changes = changes
        .iter()
        .filter(|change| needs_row(change.path.as_ref()));
    let rows =
        changes.map(|change| ProposedRow::new(change.path.clone(), type_of_change(change), ""));
    let (rows, left_out) = propose::readable("".into(), rows.collect());
    Ok(Proposal { rows, left_out })
}

/// What is staged, or what `git add --all` would stage if nothing is; and whether it is staged.
pub(super) fn changes_now(repo: &Repository) -> Result<(Vec<Change>, bool)> {
    let parents = Parents::of_next_commit(repo, false)?;
    let staged = merge_commits::of_next_commit(repo, &parents, &Index::open(repo)?)?.changes;
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
    let own = located.own.unwrap_or_default().into_iter();
    Ok(own
        .chain(located.standing)
        .any(|choice| choice.path == path))
}

/// Writes the rows into the typed table of the document at `file`, relative to the current directory, or into a new
/// table at its end. A new document starts with a title.
///
/// # Errors
/// The document has unstaged changes, or cannot hold the rows.
pub fn with_table(repo: &Repository, file: &Path, rows: &[ProposedRow]) -> Result<DesignEdit> {
    let path = named_files::in_repository(repo, file)?;
    TableDocument::open(repo, path, settings_to_come(repo)?)?.with_table(rows)
}

/// The design that `guard scope new` writes.
///
/// # Errors
/// `[lld] path` is missing, nothing fills its placeholders, or the document exists.
pub fn new_design(
    repo: &Repository,
    name: Option<&str>,
    rows: &[ProposedRow],
) -> Result<DesignEdit> {
    let settings = settings_to_come(repo)?;
    if settings.lld_path.is_empty() {
        return Err(
            Error::new("no guard.toml sets `[lld] path`, which says where designs are")
                .help("set guard up first: guard init"),
        );
    }
    let branch = repo.branch()?.map(|branch| branch.name.to_string());
    let path = BString::from(place(&settings, branch.as_deref(), name)?);
    let head = repo.tree_of(repo.head_commit()?)?;
    let is_known = head.get(path.as_ref())?.is_some()
        || Index::open(repo)?.tree()?.get(path.as_ref())?.is_some();
    if is_known
        || repo
            .work_tree_file(path.as_ref())?
            .symlink_metadata()
            .is_ok()
    {
        return Err(Error::new(format!("{} already exists", escaped(&path)))
            .help(format!(
                "add rows to it: guard scope add PATH --design {}",
                shell_word(&path)
            ))
            .help("or write another one: guard scope new NAME"));
    }
    TableDocument::open(repo, path, settings)?.with_table(rows)
}

/// The path for a new design. A name takes the place of the branch name, except for an issue that only the latter has.
fn place(settings: &Settings, branch: Option<&str>, name: Option<&str>) -> Result<String> {
    if let Some(name) = name.filter(|name| !is_path(name)) {
        return Err(
            Error::new(format!("{} cannot be part of a path", escaped(name)))
                .help("name the design in one word: guard scope new hotfix"),
        );
    }
    let issue = |text: &str| design_selection::issues_of(settings, text.into()).pop();
    let issues = [
        name.and_then(issue),
        branch.and_then(issue),
        name.map(str::to_owned),
    ];
    let names = PathNames {
        issue: issues.into_iter().flatten().next(),
        branch: name.or(branch).map(str::to_owned),
    };
    let filled = design_selection::filled(settings, &names)
        .into_iter()
        .flat_map(|entry| entry.tries);
    // The last star is a name too.
    let named = filled.map(|path| match (path.rsplit_once('*'), name) {
        (Some((start, end)), Some(name)) if !end.contains('/') => format!("{start}{name}{end}"),
        _ => path,
    });
    let mut paths = named.flat_map(|path| literal_paths(&path));
    paths.next().ok_or_else(|| {
        let patterns = settings.lld_path.join("`, `");
        Error::new(format!("guard cannot fill in `[lld] path`: `{patterns}`")).help(match name {
            None => "name the design: guard scope new hotfix",
            Some(_) => "write the document at its place, then add its rows: guard scope add PATH --design FILE",
        })
    })
}

/// A document in the work tree that is to hold rows.
pub(super) struct TableDocument {
    path: BString,
    /// `None` if there is no such file.
    before: Option<Vec<u8>>,
    options: DesignOptions,
    /// What the document is now; perhaps an unusable design.
    pub(super) design: Design,
}

impl TableDocument {
    /// Opens a document that is as staged, untracked or new: the rows must not carry other edits along.
    pub(super) fn open(
        repo: &Repository,
        path: BString,
        settings: Settings,
    ) -> Result<TableDocument> {
        let staged = Index::open(repo)?.tree()?.read(path.as_ref())?;
        let before = in_work_tree(repo, path.as_ref())?;
        let shown = escaped(&path);
        if staged.is_some_and(|staged| {
            !before
                .as_ref()
                .is_some_and(|now| is_same_design(now, &staged))
        }) {
            let word = shell_word(&path);
            return Err(Error::new(format!(
                "the design {shown} has changes that are not staged"
            ))
            .help(format!("stage them first: git add -- {word}"))
            .help(format!("or discard them: git restore -- {word}")));
        }
        let text = match &before {
            Some(bytes) => bytes.to_str().map(str::to_owned),
            None => Ok(new_text(&path)),
        };
        let text = text.map_err(|_| {
            Error::new(format!("the design {shown} is not UTF-8")).help("save it as UTF-8")
        })?;
        let options = DesignOptions::from_settings(&settings);
        Ok(TableDocument {
            design: design::parse(path.as_ref(), text.as_bytes(), &options),
            before,
            options,
            path,
        })
    }

    pub(super) fn is_new(&self) -> bool {
        self.before.is_none()
    }

    /// The document with more rows, if there are any; `granted` need none.
    pub(super) fn with_rows(
        &self,
        rows: &[ProposedRow],
        granted: Vec<BString>,
        write: Write,
    ) -> Result<DesignEdit> {
        let parse = |text: &str| design::parse(self.path.as_ref(), text.as_bytes(), &self.options);
        let (text, rows) = match rows {
            [] => (self.design.text.clone(), Vec::new()),
            rows => write(&self.design, rows, &parse)?,
        };
        Ok(DesignEdit {
            path: self.path.clone(),
            before: self.before.clone(),
            after: text.into_bytes(),
            rows,
            granted,
        })
    }

    fn with_table(&self, rows: &[ProposedRow]) -> Result<DesignEdit> {
        if !propose::has_typed_table(&self.design) {
            return self.with_rows(rows, Vec::new(), propose::create);
        }
        let is_known = |row: &ProposedRow| {
            self.design
                .grants
                .iter()
                .any(|grant| grant.path == row.bare_path())
        };
        let (known, new): (Vec<_>, Vec<_>) = rows.iter().cloned().partition(is_known);
        let granted = known.into_iter().map(|row| row.path).collect();
        self.with_rows(&new, granted, propose::insert)
    }
}

/// A new design: a title and an empty table.
fn new_text(path: &BString) -> String {
    let name = path.rsplit(|&byte| byte == b'/').next().unwrap_or_default();
    let title = propose::plain(&name.strip_suffix(b".md").unwrap_or(name).to_str_lossy());
    format!(
        "# {title}\n\nWhat changes, and why.\n\n{}",
        propose::section(&[])
    )
}

/// The content of a regular file; `None` if nothing is there.
fn in_work_tree(repo: &Repository, path: &BStr) -> Result<Option<Vec<u8>>> {
    let failed = |why: String| {
        Error::new(format!(
            "the design {} cannot be read: {why}",
            escaped(path)
        ))
    };
    let file = repo.work_tree_file(path)?;
    match file.symlink_metadata() {
        Err(_) => Ok(None),
        Ok(metadata) if !metadata.is_file() => Err(failed("it is not a regular file".to_owned())),
        Ok(_) => std::fs::read(&file)
            .map(Some)
            .map_err(|error| failed(error.to_string())),
    }
}

/// Whether two texts are one design: git may convert the line endings of what is staged.
pub fn is_same_design(one: &[u8], other: &[u8]) -> bool {
    one.replace("\r\n", "\n") == other.replace("\r\n", "\n")
}
