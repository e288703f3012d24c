//! Adds rows to the design of a branch: `guard scope add`. This module reads and decides; the caller writes.

// Reads the design in the work tree.
#![allow(clippy::disallowed_methods)]

use std::path::PathBuf;

use gix::bstr::{BString, ByteSlice};

use super::applicable_designs::own_designs;
use super::policy_loader::load_to_show;
use super::{Options, staged};
use crate::boundary;
use crate::change::Kind;
use crate::error::{Error, Result};
use crate::finding::Rule;
use crate::git::{Index, Repository};
use crate::path::{escaped, normalize_request, shell_word};
use crate::policy::design::{self, Design, DesignOptions};
use crate::policy::row_insertion::{self, InsertedRow, NewRow};
use crate::policy::scope::Scope;
use crate::policy::{GrantKind, Policy};
use crate::system;

/// What to add.
#[derive(Debug, Clone, Default)]
pub struct RowsToAdd {
    /// Requests, relative to the root; a slash at the end makes a directory.
    pub paths: Vec<BString>,
    /// Add the paths of all staged changes that no row grants.
    pub missing: bool,
    /// The type of the rows; by default, Add for a new file and Modify for an existing one.
    pub change_type: Option<String>,
    /// What the rows say about the change.
    pub description: Option<String>,
    /// The design to extend, relative to the current directory; by default, that of the branch.
    pub design: Option<PathBuf>,
}

/// A design with more rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExtendedDesign {
    /// Its path in the repository.
    pub path: BString,
    /// The text that the work tree holds.
    pub before: Vec<u8>,
    /// The text with the rows.
    pub after: Vec<u8>,
    /// The rows, in the order in which they were added.
    pub rows: Vec<InsertedRow>,
    /// Paths that need no new row.
    pub granted: Vec<BString>,
}

/// Adds the rows in memory. The result grants exactly the paths that were asked for in addition.
///
/// # Errors
/// No single design applies, it has unstaged changes, or a row cannot be added.
pub fn extend_design(
    repo: &Repository,
    wanted: &RowsToAdd,
    options: &Options,
) -> Result<ExtendedDesign> {
    let options = match &wanted.design {
        Some(file) => Options {
            designs: vec![file.clone()],
            designs_from: "--design",
            ..options.clone()
        },
        None => options.clone(),
    };
    let policy = load_to_show(repo, &options)?;
    let path = the_design(&policy)?;
    let index = Index::open(repo)?;
    let tree = index.tree()?;
    let head = repo.tree_of(repo.head_commit()?)?;
    let before = unchanged_since_staged(repo, &path, tree.read(path.as_ref())?)?;
    let text = before.to_str().map_err(|_| {
        Error::new(format!("the design {} is not UTF-8", escaped(&path))).help("save it as UTF-8")
    })?;
    let design_options = DesignOptions::from_settings(&policy.settings);
    let parse = |text: &str| -> Result<Design> {
        Ok(design::parse(
            path.as_ref(),
            text.as_bytes(),
            &design_options,
        ))
    };
    let row = |path: BString, kind, usual: &str| NewRow {
        path,
        kind,
        change_type: wanted.change_type.as_deref().unwrap_or(usual).to_owned(),
        description: wanted.description.clone(),
    };
    let mut rows: Vec<NewRow> = Vec::new();
    for request in &wanted.paths {
        let (path, kind, now) = named(repo, request)?;
        let usual = match kind {
            GrantKind::File => usual_type(head.get(path.as_ref())?.is_some(), now),
            _ => "Add/Modify",
        };
        rows.push(row(path, kind, usual));
    }
    if wanted.missing {
        let verdict = staged::staged(repo, &options)?;
        let refused = verdict
            .findings
            .iter()
            .filter(|finding| matches!(finding.rule, Rule::OutOfScope | Rule::ActionNotGranted))
            .filter_map(|finding| finding.path.clone());
        for path in refused {
            let now = tree.get(path.as_ref())?.map(|state| state.kind);
            let is_old = head.get(path.as_ref())?.is_some();
            // There is nothing to say about a path that is on neither side.
            let now = now.or((!is_old).then_some(Kind::File));
            rows.push(row(path, GrantKind::File, usual_type(is_old, now)));
        }
    }
    let mut design = parse(text)?;
    let mut scope = Scope::new(design.grants.clone());
    let mut extended = ExtendedDesign {
        path: path.clone(),
        before: before.clone(),
        after: before.clone(),
        rows: Vec::new(),
        granted: Vec::new(),
    };
    for row in rows {
        let needed = row_insertion::actions_of(&row.change_type);
        if needed.is_some_and(|needed| {
            row.kind == GrantKind::File && scope.actions(row.path.as_ref()).contains(needed)
        }) {
            extended.granted.push(row.path);
            continue;
        }
        let (text, extended_design, inserted) = row_insertion::insert(&design, &row, parse)?;
        // An earlier row that is now further down moves with the text.
        for earlier in &mut extended.rows {
            earlier.line += usize::from(earlier.line >= inserted.line);
        }
        extended.rows.push(inserted);
        extended.after = text.into_bytes();
        design = extended_design;
        scope = Scope::new(design.grants.clone());
    }
    Ok(extended)
}

/// The only design that applies to the branch.
fn the_design(policy: &Policy) -> Result<BString> {
    let mut own = own_designs(policy);
    if own.len() > 1 {
        let all: Vec<String> = own.iter().map(|path| escaped(path).to_string()).collect();
        return Err(
            Error::new(format!("several designs apply: {}", all.join(", ")))
                .help("say which one to extend: guard scope add PATH --design FILE"),
        );
    }
    own.pop().ok_or_else(|| {
        Error::new("no design of this branch applies")
            .help("write one (guard scope new), or choose one (guard use FILE)")
            .help("or name the one to extend, such as a standing design: guard scope add PATH --design FILE")
    })
}

/// The design in the work tree, if it is as staged: rows must not carry other edits along.
fn unchanged_since_staged(
    repo: &Repository,
    path: &BString,
    staged: Option<Vec<u8>>,
) -> Result<Vec<u8>> {
    let word = shell_word(path);
    let Some(staged) = staged else {
        return Err(
            Error::new(format!("the design {} is not in the index", escaped(path)))
                .help(format!("stage it first: git add -- {word}")),
        );
    };
    let unreadable = |why: String| {
        Error::new(format!(
            "the design {} cannot be read: {why}",
            escaped(path)
        ))
    };
    let file = repo.work_tree_file(path.as_ref())?;
    let metadata = file
        .symlink_metadata()
        .map_err(|error| unreadable(error.to_string()))?;
    if !metadata.is_file() {
        return Err(unreadable("it is not a regular file".to_owned()));
    }
    let on_disk = std::fs::read(&file).map_err(|error| unreadable(error.to_string()))?;
    if !is_same_design(&on_disk, &staged) {
        return Err(Error::new(format!(
            "the design {} has changes that are not staged",
            escaped(path)
        ))
        .help(format!("stage them first: git add -- {word}"))
        .help(format!("or discard them: git restore -- {word}")));
    }
    Ok(on_disk)
}

/// The path that a person named, whether it is a directory, and what it is on disk.
fn named(repo: &Repository, request: &BString) -> Result<(BString, GrantKind, Option<Kind>)> {
    let root = repo.workdir()?;
    let path = normalize_request(&boundary::bytes(root), request, system::PLATFORM)
        .map_err(|rejection| Error::new(rejection.message))?;
    if request.ends_with(b"/") {
        return Ok((path, GrantKind::Directory, None));
    }
    let file = repo.work_tree_file(path.as_ref()).ok();
    let on_disk = file.and_then(|file| file.symlink_metadata().ok());
    if on_disk.as_ref().is_some_and(|metadata| metadata.is_dir()) {
        let shown = escaped(&path).to_string();
        return Err(Error::new(format!("{shown} is a directory"))
            .help(format!("to let everything below it change, write {shown}/")));
    }
    let kind = on_disk.map(|metadata| match metadata.is_symlink() {
        true => Kind::Symlink,
        false => Kind::File,
    });
    Ok((path, GrantKind::File, kind))
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

/// Whether two texts are one design: git may convert the line endings of what is staged.
pub fn is_same_design(one: &[u8], other: &[u8]) -> bool {
    one.replace("\r\n", "\n") == other.replace("\r\n", "\n")
}
