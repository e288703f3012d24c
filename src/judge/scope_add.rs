//! Adds rows to the design of a branch: `guard scope add`. This module reads and decides; the caller writes.

use std::collections::HashSet;
use std::path::PathBuf;

use gix::bstr::BString;

use super::policy_loader::locate;
use super::scope_table::{DesignEdit, changes_now, type_of_change, usual_type};
use super::{Options, named_files, staged};
use crate::boundary;
use crate::change::Kind;
use crate::error::{Error, Result};
use crate::finding::Rule;
use crate::git::Repository;
use crate::path::{escaped, normalize_request};
use crate::policy::ChosenBy;
use crate::policy::glob::is_glob;
use crate::policy::propose::{self, WantedRow};
use crate::policy::scope::Scope;
use crate::system;

/// What to add.
#[derive(Debug, Clone, Default)]
pub struct RowsToAdd {
    /// Requests, relative to the root; a slash at the end makes a directory.
    pub paths: Vec<BString>,
    /// Add the paths of all staged changes that no row grants; of all changes, if nothing is staged.
    pub missing: bool,
    /// The type of the rows; by default, Add for a new file and Modify for an existing one.
    pub change_type: Option<String>,
    /// What the rows say about the change.
    pub description: Option<String>,
    /// The design to extend, relative to the current directory; by default, that of the branch.
    pub design: Option<PathBuf>,
}

/// Adds the rows in memory, and names the paths that need none. The result grants exactly the paths that were asked for
/// in addition.
///
/// # Errors
/// No single design applies, it has unstaged changes, or a row cannot be added.
pub fn extend_design(
    repo: &Repository,
    wanted: &RowsToAdd,
    options: &Options,
) -> Result<(DesignEdit, Vec<BString>)> {
    let options = match &wanted.design {
        Some(file) => Options {
            designs: vec![file.clone()],
            designs_from: "--design",
            ..options.clone()
        },
        None => options.clone(),
    };
    let path = match &wanted.design {
        Some(file) => named_files::in_repository(repo, file)?,
        None => the_design(repo, &options)?,
    };
    let located = locate(repo, None, &options)?;
    let mut document = DesignEdit::open(repo, path, located.settings)?;
    if document.before.is_none() {
        let shown = escaped(&document.design.path).to_string();
        return Err(Error::new(format!("there is no design at {shown}"))
            .help("write one: guard scope new NAME"));
    }
    let scope = Scope::new(document.design.grants.clone());
    let (mut rows, mut granted) = (Vec::new(), Vec::new());
    for (path, usual) in requested(repo, wanted, &options)? {
        let word = wanted.change_type.as_deref().unwrap_or(usual);
        let needed = propose::actions_of(word);
        let has = scope.actions(path.as_ref());
        if !path.ends_with(b"/") && needed.is_some_and(|needed| has.contains(needed)) {
            granted.push(path);
            continue;
        }
        rows.push(WantedRow {
            path,
            change_type: word.to_owned(),
            description: wanted.description.clone().unwrap_or_default(),
        });
    }
    let own = document.design.path.as_ref();
    let is_bad = |row: &&WantedRow| row.text(own).is_none() || is_glob(row.path.as_ref());
    if let Some(row) = rows.iter().find(is_bad) {
        let shown = escaped(&row.path);
        return Err(Error::new(format!("a row cannot name exactly {shown}")));
    }
    if !rows.is_empty() {
        let parse = |text: &str| document.parse(text);
        document.after = propose::insert(&document.design, &rows, &parse)?;
    }
    Ok((document, granted))
}

/// The paths to add, each with its usual type.
fn requested(
    repo: &Repository,
    wanted: &RowsToAdd,
    options: &Options,
) -> Result<Vec<(BString, &'static str)>> {
    let mut paths = Vec::new();
    let head = repo.tree_of(repo.head_commit()?)?;
    for request in &wanted.paths {
        let (path, now) = named(repo, request)?;
        let usual = match path.ends_with(b"/") {
            true => "Add/Modify",
            false => usual_type(head.get(path.as_ref())?.is_some(), now),
        };
        paths.push((path, usual));
    }
    if wanted.missing {
        let (changes, are_staged) = changes_now(repo)?;
        let verdict = match are_staged {
            true => staged::staged(repo, options)?,
            false => staged::everything(Repository::open(".".as_ref())?, options)?,
        };
        let findings = verdict.findings.iter();
        let findings = findings
            .filter(|finding| matches!(finding.rule, Rule::OutOfScope | Rule::ActionNotGranted));
        let refused: HashSet<&BString> = findings
            .filter_map(|finding| finding.path.as_ref())
            .collect();
        let changes = changes
            .iter()
            .filter(|change| refused.contains(&change.path));
        paths.extend(changes.map(|change| (change.path.clone(), type_of_change(change))));
    }
    Ok(paths)
}

/// The only design that applies to the branch, usable or not.
fn the_design(repo: &Repository, options: &Options) -> Result<BString> {
    let own = locate(repo, None, options)?.own?;
    let own = own
        .into_iter()
        .filter(|choice| choice.by != ChosenBy::Standing);
    let mut own: Vec<BString> = own.map(|choice| choice.path).collect();
    if own.len() > 1 {
        let all: Vec<String> = own.iter().map(|path| escaped(path).to_string()).collect();
        return Err(
            Error::new(format!("several designs apply: {}", all.join(", ")))
                .help("say which one to extend: guard scope add PATH --design FILE"),
        );
    }
    own.pop().ok_or_else(|| {
        Error::new("no design of this branch applies")
            .help("write one: guard scope new NAME")
            .help("or choose one: guard use FILE")
            .help("or name the one to extend, such as a standing design: guard scope add PATH --design FILE")
    })
}

/// The path that a person named, with a slash at the end of a directory, and what it is on disk.
fn named(repo: &Repository, request: &BString) -> Result<(BString, Option<Kind>)> {
    let root = repo.workdir()?;
    let mut path = normalize_request(&boundary::bytes(root), request, system::PLATFORM)
        .map_err(|rejection| Error::new(rejection.message))?;
    if request.ends_with(b"/") {
        path.push(b'/');
        return Ok((path, None));
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
    Ok((path, kind))
}
