//! `design-modify-missing` and `design-add-exists`: whether the rows of a design fit the existing files.

use std::collections::HashSet;

use bstr::{BStr, BString, ByteSlice};

use super::{FilesOfTree, ResultTree};
use crate::change::Kind;
use crate::design::Design;
use crate::design::propose::KnownFiles;
use crate::finding::{Finding, Level, Rule};
use crate::path::{Node, escaped};
use crate::scope::glob::Glob;
use crate::scope::{Actions, Grant, GrantKind, Scope};

/// The files to compare the rows of a design with.
pub struct DesignContext<'a> {
    /// The trees in which a file counts as existing: the current one, HEAD, and the merge base. A row may still
    /// delete a file that the work has already deleted.
    pub there: &'a [&'a dyn ResultTree],
    /// The tree where the work began; `None` if unknown.
    pub merge_base: Option<&'a dyn ResultTree>,
    /// HEAD, used where the merge base is unknown.
    pub head: &'a dyn ResultTree,
    /// The grants of HEAD's version of the document. The work may since have added the files that these rows add.
    pub agreed: &'a Scope,
}

/// The rows that modify or delete what is not there, and those that add what was there before.
pub fn check_design_rows(design: &Design, context: &DesignContext<'_>) -> Vec<Finding> {
    let made = made(&design.grants);
    let base = context.merge_base.unwrap_or(context.head);
    let files = FilesOfTree::new(base);
    let matched = matched(&design.grants, context.there);
    let mut findings = Vec::new();
    for (grant, is_matched) in design.grants.iter().zip(matched) {
        let is_made = made.contains(&grant.path);
        let whole = whole_path(&files, grant);
        let found = missing(context.there, grant, is_made, is_matched)
            .map(|finding| match &whole {
                Some(whole) => finding.help(did_you_mean(whole)),
                None => finding,
            })
            .or_else(|| exists(context, grant))
            .or_else(|| shortened(grant, whole.as_ref()));
        findings.extend(found.map(|finding| finding.at(grant.anchor.clone())));
    }
    findings
}

/// The rows that only modify or delete a file which no tree has, and whose path is the end of exactly one path in the
/// first tree: each means that file, and allows nothing until it names it.
pub fn check_shortened_rows(grants: &[Grant], there: &[&dyn ResultTree]) -> Vec<Finding> {
    let Some(tree) = there.first() else {
        return Vec::new();
    };
    let made = made(grants);
    let files = FilesOfTree::new(*tree);
    let mut findings = Vec::new();
    for grant in grants.iter().filter(|grant| grant.kind == GrantKind::File) {
        if let Some(finding) = missing(there, grant, made.contains(&grant.path), false)
            && let Some(whole) = whole_path(&files, grant)
        {
            let finding = finding.help(did_you_mean(&whole));
            findings.push(finding.at(grant.anchor.clone()));
        }
    }
    findings
}

/// The files that rows add.
fn made(grants: &[Grant]) -> HashSet<&BString> {
    let mut made = HashSet::new();
    for grant in grants {
        if grant.kind == GrantKind::File && grant.actions.contains(Actions::ADD) {
            made.insert(&grant.path);
        }
    }
    made
}

fn did_you_mean(whole: &BString) -> String {
    format!("did you mean `{}`?", escaped(whole))
}

/// The only path of the base that ends with that of a row, if the base lacks the row's own.
fn whole_path(files: &FilesOfTree<'_>, grant: &Grant) -> Option<BString> {
    let path = grant.path.to_str().ok()?;
    if grant.kind != GrantKind::File || files.is_directory(path).is_some() {
        return None;
    }
    files.only_file_ending(path).map(BString::from)
}

/// A row that may modify a file, but names only the end of its path. A bare Add row means a new file.
fn shortened(grant: &Grant, whole: Option<&BString>) -> Option<Finding> {
    let whole = escaped(whole.filter(|_| grant.actions.contains(Actions::MODIFY))?);
    let shown = escaped(&grant.path);
    let message = format!("there is no {shown}, but {whole} ends with it");
    let path: &BStr = grant.path.as_ref();
    let mut finding = Finding::new(Rule::DesignModifyMissing, path, message).help(format!(
        "did you mean `{whole}`? guard reads every path from the root"
    ));
    // The row may mean a new file.
    finding.level = Level::Warning;
    Some(finding)
}

/// For each grant that is a glob, whether a tree holds a match.
pub fn matched(grants: &[Grant], trees: &[&dyn ResultTree]) -> Vec<bool> {
    let mut found = vec![false; grants.len()];
    let globs = grants.iter().enumerate();
    let globs: Vec<(usize, Glob)> = globs
        .filter(|(_, grant)| grant.kind == GrantKind::Glob)
        .filter_map(|(row, grant)| Some((row, Glob::new(grant.path.as_ref()).ok()?)))
        .collect();
    if globs.is_empty() {
        return found;
    }
    for tree in trees {
        tree.for_each(&mut |path: &BStr, _: Kind| {
            for (row, glob) in &globs {
                found[*row] |= glob.matches(path);
            }
        });
    }
    found
}

/// A row for what is not there. Another row of the document may make it, and a glob may be matched.
fn missing(
    there: &[&dyn ResultTree],
    grant: &Grant,
    is_made: bool,
    is_matched: bool,
) -> Option<Finding> {
    let verb = verb(grant)?;
    let path: &BStr = grant.path.as_ref();
    if verb == "modify" && is_made || is_matched {
        return None;
    }
    let wants_directory = grant.kind == GrantKind::Directory;
    let is_there = there.iter().any(|tree| match tree.entry(path) {
        Some(node) => (node == Node::Directory) == wants_directory,
        None => false,
    });
    if is_there && grant.kind != GrantKind::Glob {
        return None;
    }
    let shown = escaped(path);
    let what = if wants_directory { "directory" } else { "file" };
    let message = match grant.kind {
        GrantKind::Glob => format!("no file to {verb} matches `{shown}`"),
        _ => format!("the {what} to {verb} does not exist: {shown}"),
    };
    let help = match verb {
        "modify" => "correct the path, or change the type to Add if the work creates it",
        _ => "correct the path, or remove the row",
    };
    Some(Finding::new(Rule::DesignModifyMissing, path, message).help(help))
}

/// An Add row for one file that is there. A directory or a glob may hold files before more are added.
fn exists(context: &DesignContext<'_>, grant: &Grant) -> Option<Finding> {
    let is_add = grant.actions.contains(Actions::ADD | Actions::MODIFY_NEW);
    if !is_add || grant.kind != GrantKind::File {
        return None;
    }
    let path: &BStr = grant.path.as_ref();
    let node = context.merge_base.unwrap_or(context.head).entry(path)?;
    let shown = escaped(path);
    if node == Node::Directory {
        let message = format!("{shown} is a directory, not a file to add");
        let help = format!("write `{shown}/` for everything below it");
        return Some(Finding::new(Rule::DesignAddExists, path, message).help(help));
    }
    let message = format!("the file to add exists already: {shown}");
    let mut found = Finding::new(Rule::DesignAddExists, path, message)
        .help("change the type to Modify if you mean this file, or choose another name");
    if context.merge_base.is_none() && context.agreed.actions(path).contains(Actions::ADD) {
        // The work itself may have added the file after the row was committed.
        found.level = Level::Warning;
        found = found.help(
            "set `[lld] base` to the target branch so that guard can tell older files from new \
             ones",
        );
    }
    Some(found)
}

/// What the row does to a file that must exist; `None` if the file need not exist.
fn verb(grant: &Grant) -> Option<&'static str> {
    let actions = grant.actions;
    if actions.contains(Actions::ADD) {
        None
    } else if actions.contains(Actions::MODIFY) {
        Some("modify")
    } else if !actions.contains(Actions::DELETE) {
        None
    } else if grant.renamed.is_some() {
        Some("rename")
    } else {
        Some("delete")
    }
}
