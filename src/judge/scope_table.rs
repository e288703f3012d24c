//! The table of a document: what a plan or the pending changes propose for it, and the document with more rows. This
//! module reads and decides; the caller writes.

// Reads plans and designs in the work tree.
#![allow(clippy::disallowed_methods)]

use std::path::Path;

use gix::bstr::{BStr, BString, ByteSlice};

use super::policy_loader::{CHOICE_KEY, locate};
use super::{Options, named_files, staged};
use crate::change::{Change, Kind};
use crate::error::{Error, Result};
use crate::git::{Index, Parents, Repository, show_file};
use crate::path::{escaped, shell_word};
use crate::policy::design::{self, Design, DesignOptions};
use crate::policy::design_selection;
use crate::policy::path_placeholders::{self, PathNames};
use crate::policy::propose::{self, Existing, InsertedRow, ProposedRow, WithRows};
use crate::policy::settings::Settings;

/// The largest document that guard reads.
const MAX_DOCUMENT: u64 = 1 << 20;

/// Reads a text as the design.
type Parse<'a> = &'a dyn Fn(&str) -> Result<Design>;

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

/// Writes the rows into the typed table of the document at `file`, relative to the current directory, or into a new
/// table. A new document starts with a title.
///
/// # Errors
/// The document has unstaged changes, or cannot hold the rows.
pub fn with_table(repo: &Repository, file: &Path, rows: &[ProposedRow]) -> Result<DesignEdit> {
    let document = TableDocument::open(repo, named_files::in_repository(repo, file)?)?;
    document.with_table(rows)
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
        return Err(Error::new(
            "no guard.toml sets `[lld] path`, so guard does not know where designs are",
        )
        .help("set guard up first: guard init"));
    }
    let branch = repo
        .branch()?
        .and_then(|branch| Some(branch.name.to_str().ok()?.to_owned()));
    let path = place(&settings, branch.as_deref(), name)?;
    let document = TableDocument::open_with(repo, BString::from(path), settings)?;
    let is_known = document.tracked
        || repo
            .tree_of(repo.head_commit()?)?
            .get(document.path.as_ref())?
            .is_some();
    if is_known || document.before.is_some() {
        let (shown, word) = (escaped(&document.path), shell_word(&document.path));
        return Err(Error::new(format!("{shown} exists already"))
            .help(format!(
                "add rows to it: guard scope add PATH --design {word}"
            ))
            .help("or write another one: guard scope new NAME"));
    }
    document.with_table(rows)
}

/// The path for a new design. A name takes the place of the branch's where the branch names no issue.
fn place(settings: &Settings, branch: Option<&str>, name: Option<&str>) -> Result<String> {
    if let Some(name) = name.filter(|name| !path_placeholders::is_path(name)) {
        return Err(
            Error::new(format!("{} cannot be part of a path", escaped(name)))
                .help("name the design in one word: guard scope new hotfix"),
        );
    }
    let issue = |text: &str| {
        design_selection::issues_of(settings, text.into())
            .into_iter()
            .next()
    };
    let names = PathNames {
        issue: name
            .and_then(issue)
            .or(branch.and_then(issue))
            .or(name.map(str::to_owned)),
        branch: name.or(branch).map(str::to_owned),
        ..PathNames::default()
    };
    let filled = design_selection::filled(settings, &names)
        .into_iter()
        .flat_map(|entry| entry.tries);
    // A star in the file name is a name too.
    let named = filled.map(|path| match (path.rsplit_once('/'), name) {
        (directory, Some(name))
            if path.matches('*').count() == 1
                && directory.is_none_or(|(above, _)| !above.contains('*')) =>
        {
            path.replace('*', name)
        }
        _ => path,
    });
    let mut paths =
        named.filter_map(|path| path_placeholders::literal_paths(&path).into_iter().next());
    paths.next().ok_or_else(|| {
        let patterns = settings.lld_path.join("`, `");
        let error = Error::new(format!(
            "nothing fills `[lld] path = {patterns}`: name the design"
        ));
        match name {
            None => error.help("such as: guard scope new hotfix"),
            Some(_) => error
                .help("write the document at its place, and add the rows: guard scope import FILE"),
        }
    })
}

/// Whether the branch selects the design without a choice.
///
/// # Errors
/// The settings cannot be read.
pub fn is_selected(repo: &Repository, path: &BStr) -> Result<bool> {
    let Some(branch) = repo.branch()? else {
        return Ok(false);
    };
    let settings = settings_to_come(repo)?;
    let chosen = repo.branch_values(branch.name.as_ref(), CHOICE_KEY);
    let names = PathNames {
        issue: design_selection::issues_of(&settings, branch.name.as_ref()).pop(),
        branch: branch.name.to_str().ok().map(str::to_owned),
        ..PathNames::default()
    };
    let mut tries = design_selection::filled(&settings, &names)
        .into_iter()
        .flat_map(|entry| entry.tries);
    Ok(match chosen.is_empty() {
        true => {
            design_selection::is_standing(&settings, path)
                || tries.any(|one| design_selection::matches(&one, path))
        }
        false => chosen.iter().any(|one| one == path),
    })
}

/// A document in the work tree that is to hold rows.
pub(super) struct TableDocument {
    path: BString,
    /// `None` if there is no such file.
    before: Option<Vec<u8>>,
    /// Whether the index has it.
    tracked: bool,
    text: String,
    settings: Settings,
}

impl TableDocument {
    pub(super) fn open(repo: &Repository, path: BString) -> Result<TableDocument> {
        TableDocument::open_with(repo, path, settings_to_come(repo)?)
    }

    fn open_with(repo: &Repository, path: BString, settings: Settings) -> Result<TableDocument> {
        let index = Index::open(repo)?;
        let staged = index.tree()?.read(path.as_ref())?;
        let before = in_work_tree(repo, path.as_ref())?;
        let word = shell_word(&path);
        let is_staged = match (&before, &staged) {
            (Some(now), Some(staged)) => is_same_design(now, staged),
            (None, Some(_)) => false,
            (_, None) => true,
        };
        // The rows must not carry other edits along.
        if !is_staged {
            return Err(Error::new(format!(
                "the design {} has changes that are not staged",
                escaped(&path)
            ))
            .help(format!("stage them first: git add -- {word}"))
            .help(format!("or discard them: git restore -- {word}")));
        }
        let text = match &before {
            Some(bytes) => bytes.to_str().map(str::to_owned),
            None => Ok(String::new()),
        };
        let text = text.map_err(|_| {
            Error::new(format!("the design {} is not UTF-8", escaped(&path)))
                .help("save it as UTF-8")
        })?;
        Ok(TableDocument {
            tracked: staged.is_some(),
            before,
            text,
            path,
            settings,
        })
    }

    /// The document as a design; perhaps an unusable one.
    pub(super) fn design(&self) -> Result<Design> {
        if self.before.is_none() {
            return Err(
                Error::new(format!("there is no design at {}", escaped(&self.path)))
                    .help("write one: guard scope new NAME"),
            );
        }
        Ok(self.parse(&self.text))
    }

    fn parse(&self, text: &str) -> Design {
        let options = DesignOptions::from_settings(&self.settings);
        design::parse(self.path.as_ref(), text.as_bytes(), &options)
    }

    pub(super) fn unchanged(&self) -> DesignEdit {
        DesignEdit {
            path: self.path.clone(),
            before: self.before.clone(),
            after: self.text.clone().into_bytes(),
            rows: Vec::new(),
            granted: Vec::new(),
        }
    }

    /// The edit with what `write` makes of it.
    pub(super) fn with_rows(
        &self,
        edit: DesignEdit,
        write: impl FnOnce(Parse<'_>) -> Result<WithRows>,
    ) -> Result<DesignEdit> {
        let (text, rows) = write(&|text| Ok(self.parse(text)))?;
        Ok(DesignEdit {
            after: text.into_bytes(),
            rows,
            ..edit
        })
    }

    fn with_table(&self, rows: &[ProposedRow]) -> Result<DesignEdit> {
        let mut edit = self.unchanged();
        if self.before.is_none() {
            let name = self
                .path
                .rsplit(|&byte| byte == b'/')
                .next()
                .unwrap_or_default();
            let title = propose::plain(&name.strip_suffix(b".md").unwrap_or(name).to_str_lossy());
            let design = self.parse(&format!("# {title}\n\nWhat changes, and why.\n"));
            if rows.is_empty() {
                edit.after = [design.text.as_str(), "\n", &propose::section(rows)]
                    .concat()
                    .into_bytes();
                return Ok(edit);
            }
            return self.with_rows(edit, |parse| propose::create(&design, rows, parse));
        }
        let design = self.parse(&self.text);
        if !propose::has_typed_table(&design) {
            return self.with_rows(edit, |parse| propose::create(&design, rows, parse));
        }
        let path =
            |row: &ProposedRow| BString::from(row.path.strip_suffix(b"/").unwrap_or(&row.path));
        let is_known =
            |row: &&ProposedRow| design.grants.iter().any(|grant| grant.path == path(row));
        let (known, new): (Vec<_>, Vec<_>) = rows.iter().partition(is_known);
        edit.granted = known.into_iter().map(path).collect();
        let new: Vec<ProposedRow> = new.into_iter().cloned().collect();
        match new.is_empty() {
            true => Ok(edit),
            false => self.with_rows(edit, |parse| propose::insert(&design, &new, parse)),
        }
    }
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
