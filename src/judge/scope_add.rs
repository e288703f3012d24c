//! Adds rows to the design of a branch: `guard scope add`. This module reads and decides; the caller writes.

// Reads the design in the work tree.
#![allow(clippy::disallowed_methods)]

use std::path::PathBuf;

use gix::bstr::{BStr, BString, ByteSlice};

use super::applicable_designs::own_designs;
use super::policy_loader::load_to_show;
use super::{Options, staged};
use crate::change::Action;
use crate::error::{Error, Result};
use crate::finding::{Finding, Rule};
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
        let is_file = |name: &BStr| -> Result<bool> {
            Ok(tree.get(name)?.is_some() || head.get(name)?.is_some())
        };
        design::parse_among(path.as_ref(), text.as_bytes(), &design_options, is_file)
    };
    let mut rows: Vec<NewRow> = Vec::new();
    for request in &wanted.paths {
        rows.push(named(repo, request, wanted, |path| {
            Ok(head.get(path)?.is_some())
        })?);
    }
    if wanted.missing {
        let verdict = staged::staged(repo, &options)?;
        for finding in &verdict.findings {
            rows.extend(missing(finding, wanted)?);
        }
    }
    let mut design = parse(text)?;
    let mut extended = ExtendedDesign {
        path: path.clone(),
        after: before.clone(),
        before: before.clone(),
        rows: Vec::new(),
        granted: Vec::new(),
    };
    for row in rows {
        let needed = row_insertion::actions_of(&row.change_type);
        let scope = Scope::new(design.grants.clone());
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
            .help("choose one: guard use FILE")
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
    let relative =
        gix::path::from_bstr(path.as_bstr()).map_err(|error| unreadable(error.to_string()))?;
    let file = repo.workdir()?.join(relative);
    let metadata = file
        .symlink_metadata()
        .map_err(|error| unreadable(error.to_string()))?;
    if !metadata.is_file() {
        return Err(unreadable("it is not a regular file".to_owned()));
    }
    let on_disk = std::fs::read(&file).map_err(|error| unreadable(error.to_string()))?;
    // git may convert line endings in the work tree.
    if on_disk.replace("\r\n", "\n") != staged.replace("\r\n", "\n") {
        return Err(Error::new(format!(
            "the design {} has changes that are not staged",
            escaped(path)
        ))
        .help(format!("stage them first: git add -- {word}"))
        .help(format!("or discard them: git restore -- {word}")));
    }
    Ok(on_disk)
}

/// The row for a path that a person named.
fn named(
    repo: &Repository,
    request: &BString,
    wanted: &RowsToAdd,
    is_in_head: impl FnOnce(&BStr) -> Result<bool>,
) -> Result<NewRow> {
    let root = crate::boundary::bytes(repo.workdir()?);
    let path = normalize_request(&root, request, system::PLATFORM)
        .map_err(|rejection| Error::new(rejection.message))?;
    let kind = match request.ends_with(b"/") {
        true => GrantKind::Directory,
        false => GrantKind::File,
    };
    let relative = gix::path::from_bstr(path.as_bstr());
    let is_directory = relative.is_ok_and(|relative| {
        repo.workdir()
            .is_ok_and(|root| root.join(relative).is_dir())
    });
    if kind == GrantKind::File && is_directory {
        return Err(
            Error::new(format!("{} is a directory", escaped(&path))).help(format!(
                "to let everything below it change, write {}/",
                escaped(&path)
            )),
        );
    }
    let change_type = match (&wanted.change_type, kind) {
        (Some(change_type), _) => change_type.clone(),
        (None, GrantKind::File) if is_in_head(path.as_ref())? => "Modify".to_owned(),
        (None, GrantKind::File) => "Add".to_owned(),
        (None, _) => "Add/Modify".to_owned(),
    };
    Ok(NewRow {
        path,
        kind,
        change_type,
        description: wanted.description.clone(),
    })
}

/// The row for a staged change that no row grants.
fn missing(finding: &Finding, wanted: &RowsToAdd) -> Result<Option<NewRow>> {
    let is_scope = matches!(finding.rule, Rule::OutOfScope | Rule::ActionNotGranted);
    let (Some(path), true) = (&finding.path, is_scope) else {
        return Ok(None);
    };
    let action = finding
        .details
        .get("action")
        .and_then(|action| action.as_str());
    let word = match action {
        _ if wanted.change_type.is_some() => wanted.change_type.as_deref().unwrap_or_default(),
        Some(action) if action == Action::Add.name() => "Add",
        Some(action) if action == Action::Modify.name() => "Modify",
        Some(action) if action == Action::Delete.name() => "Delete",
        _ => {
            return Err(Error::new(format!(
                "{} changes its type, such as from a file to a link",
                escaped(path)
            ))
            .help("add its row by hand: guard lint prints it"));
        }
    };
    Ok(Some(NewRow {
        path: path.clone(),
        kind: GrantKind::File,
        change_type: word.to_owned(),
        description: wanted.description.clone(),
    }))
}

/// Whether two texts are one design: git may have converted what was staged.
pub fn is_same_design(one: &[u8], other: &[u8]) -> bool {
    one.replace("\r\n", "\n") == other.replace("\r\n", "\n")
}
