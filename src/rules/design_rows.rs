//! `design-modify-missing` and `design-add-exists`: whether the rows of a design fit the existing files.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};

use gix::bstr::{BStr, BString, ByteSlice};

use super::ResultTree;
use crate::change::Kind;
use crate::design::Design;
use crate::finding::{Finding, Level, Rule};
use crate::path::{Node, escaped};
use crate::scope::Scope;
use crate::scope::glob::Glob;
use crate::scope::{Actions, Grant, GrantKind};

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
    let rows = RowCheck {
        context,
        made: design
            .grants
            .iter()
            .filter(|grant| grant.kind == GrantKind::File && grant.actions.contains(Actions::ADD))
            .map(|grant| &grant.path)
            .collect(),
        matched: matched(&design.grants, context.there),
        namesakes: OnceCell::new(),
    };
    let grants = design.grants.iter().enumerate();
    grants
        .filter_map(|(row, grant)| {
            let found = rows.missing(row, grant).or_else(|| rows.exists(grant))?;
            Some(found.at(grant.anchor.clone()))
        })
        .collect()
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

/// Facts about all files, computed once for all rows.
struct RowCheck<'a> {
    context: &'a DesignContext<'a>,
    /// What the document creates.
    made: HashSet<&'a BString>,
    /// For each row that is a glob, whether it matches a file.
    matched: Vec<bool>,
    /// Files by name; `None` for a name that several files have.
    namesakes: OnceCell<HashMap<BString, Option<BString>>>,
}

impl RowCheck<'_> {
    fn missing(&self, row: usize, grant: &Grant) -> Option<Finding> {
        let verb = verb(grant)?;
        let path: &BStr = grant.path.as_ref();
        // Another row of the document creates the file.
        if verb == "modify" && self.made.contains(&grant.path) {
            return None;
        }
        let shown = escaped(path);
        let finding = |message: String, help: String| {
            Finding::new(Rule::DesignModifyMissing, path, message).help(help)
        };
        if grant.kind == GrantKind::Glob {
            return (!self.matched[row]).then(|| {
                let help = "correct the pattern, or change the type to Add".to_owned();
                finding(format!("no file to {verb} matches `{shown}`"), help)
            });
        }
        let wants_directory = grant.kind == GrantKind::Directory;
        let trees = self.context.there.iter();
        let nodes: Vec<Node> = trees.filter_map(|tree| tree.entry(path)).collect();
        let fits = |node: &Node| (*node == Node::Directory) == wants_directory;
        if nodes.iter().any(fits) {
            return None;
        }
        let what = if wants_directory { "directory" } else { "file" };
        Some(match (nodes.is_empty(), wants_directory) {
            (false, false) => finding(
                format!("{shown} is a directory, not a file to {verb}"),
                format!("write `{shown}/` for everything below it"),
            ),
            (false, true) => finding(
                format!("{shown} is a file, not a directory"),
                format!("write `{shown}` without the slash"),
            ),
            (true, _) => {
                let message = format!("the {what} to {verb} does not exist: {shown}");
                let mut found = Finding::new(Rule::DesignModifyMissing, path, message);
                if let (false, Some(other)) = (wants_directory, self.only_namesake(path)) {
                    found = found.help(format!("did you mean `{}`?", escaped(other)));
                }
                found.help(match verb {
                    "modify" => {
                        "correct the path, or change the type to Add if the work creates it"
                    }
                    _ => "correct the path, or remove the row",
                })
            }
        })
    }

    /// The only file elsewhere with the same name.
    fn only_namesake(&self, path: &BStr) -> Option<&BString> {
        let namesakes = self.namesakes.get_or_init(|| {
            let mut namesakes: HashMap<BString, Option<BString>> = HashMap::new();
            for tree in self.context.there {
                tree.for_each(&mut |path, _| {
                    let known = namesakes.entry(file_name(path).into());
                    let known = known.or_insert_with(|| Some(path.into()));
                    if known.as_ref().is_some_and(|known| known != path) {
                        *known = None;
                    }
                });
            }
            namesakes
        });
        namesakes.get(file_name(path).as_bstr())?.as_ref()
    }

    /// An Add row for one file. A directory or a glob may hold files before more are added.
    fn exists(&self, grant: &Grant) -> Option<Finding> {
        let context = self.context;
        let is_add = grant.actions.contains(Actions::ADD | Actions::MODIFY_NEW);
        if !is_add || grant.kind != GrantKind::File {
            return None;
        }
        let path: &BStr = grant.path.as_ref();
        let node = context.merge_base.unwrap_or(context.head).entry(path)?;
        let shown = escaped(path);
        let (message, help) = match (node, context.merge_base) {
            (Node::Directory, _) => (
                format!("{shown} is a directory, not a file to add"),
                format!("write `{shown}/` for everything below it"),
            ),
            (_, base) => (
                match base {
                    Some(_) => format!("the file to add existed before the work began: {shown}"),
                    None => format!("the file to add is already in HEAD: {shown}"),
                },
                "change the type to Modify if you mean this file, or choose another name"
                    .to_owned(),
            ),
        };
        let mut found = Finding::new(Rule::DesignAddExists, path, message).help(help);
        let may_be_own = context.agreed.lookup(path).actions.contains(Actions::ADD);
        if node != Node::Directory && context.merge_base.is_none() && may_be_own {
            // The work itself may have added the file after the row was committed.
            found.level = Level::Warning;
            found = found.help("set `[lld] base` to the target branch so that guard can tell older files from new ones");
        }
        Some(found)
    }
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

fn file_name(path: &BStr) -> &[u8] {
    path.rsplit_str("/").next().unwrap_or(path)
}
