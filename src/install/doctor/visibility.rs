//! Finds what hides changes from reviewers. It does not mislead guard.

use std::fs;

use gix::bstr::{BString, ByteSlice};

use super::check::{Check, Status};
use crate::error::Result;
use crate::git::{Index, Repository, show_file};
use crate::path::escaped;
use crate::rules::hiding_attributes;

/// How many names a message lists.
const LISTED: usize = 5;

type Look = fn(&Repository) -> Result<Check>;

pub(super) fn check(repo: &Repository) -> Vec<Check> {
    let looks: [(&'static str, Look); 3] = [
        ("index-flags", index_flags),
        ("replace-refs", replace_refs),
        ("attributes", attributes),
    ];
    let checks = looks.into_iter().map(|(name, look)| {
        look(repo).unwrap_or_else(|error| Check::of_error(name, Status::Fail, error))
    });
    checks.collect()
}

/// Entries whose files git does not compare, so that `git status` and `git diff` omit them.
fn index_flags(repo: &Repository) -> Result<Check> {
    let name = "index-flags";
    let is_sparse = repo
        .config("core.sparseCheckout")
        .is_some_and(|value| value.eq_ignore_ascii_case(b"true"));
    let mut flagged = Index::open(repo)?.flagged()?;
    flagged.retain(|entry| !(is_sparse && entry.flag == "skip-worktree"));
    let Some(first) = flagged.first() else {
        return Ok(Check::new(name, Status::Ok, "git compares every file"));
    };
    let paths: Vec<&BString> = flagged.iter().map(|entry| &entry.path).collect();
    let undo = match first.flag {
        "skip-worktree" => "--no-skip-worktree",
        _ => "--no-assume-unchanged",
    };
    let message = format!("git does not show changes of {}", list(&paths));
    let help = format!("git update-index {undo} -- {}", escaped(&first.path));
    Ok(Check::warn(name, message).help(help))
}

fn replace_refs(repo: &Repository) -> Result<Check> {
    let name = "replace-refs";
    let replaced = repo.replaced_objects()?;
    let Some(first) = replaced.first() else {
        return Ok(Check::new(name, Status::Ok, "none"));
    };
    let ids: Vec<&BString> = replaced.iter().collect();
    let shown = list(&ids);
    let message = format!("git shows replacements instead of the committed content of {shown}");
    Ok(Check::warn(name, message).help(format!("git replace -d {}", escaped(first))))
}

/// Reviewers never see attributes outside the history; they saw the committed ones when these were added.
fn attributes(repo: &Repository) -> Result<Check> {
    let name = "attributes";
    let own = [
        Some(repo.common_dir().join("info/attributes")),
        repo.config_path("core.attributesFile")?,
    ];
    for file in own.into_iter().flatten() {
        let content = fs::read(&file).unwrap_or_default();
        if let Some((line, _, why)) = hiding_attributes(&content).next() {
            let message = format!(
                "`{}` in {} {why}",
                escaped(line.as_bstr()),
                show_file(&file)
            );
            return Ok(Check::warn(name, message)
                .help("remove the line, or review with `git diff --text --no-textconv`"));
        }
    }
    let index = Index::open(repo)?;
    let mut hiding = Vec::new();
    let tree = index.tree()?;
    for (path, _) in index.files()? {
        if path == ".gitattributes" || path.ends_with(b"/.gitattributes") {
            let content = tree.read(path.as_ref())?.unwrap_or_default();
            if hiding_attributes(&content).next().is_some() {
                hiding.push(path);
            }
        }
    }
    let message = match hiding.iter().collect::<Vec<_>>().as_slice() {
        [] => "no attribute hides content".to_owned(),
        files => format!("only committed attributes hide content: {}", list(files)),
    };
    Ok(Check::ok(name, message))
}

fn list(names: &[&BString]) -> String {
    let mut shown: Vec<String> = names
        .iter()
        .take(LISTED)
        .map(|name| escaped(name.as_bstr()).to_string())
        .collect();
    if names.len() > LISTED {
        shown.push(format!("{} more", names.len() - LISTED));
    }
    shown.join(", ")
}
