//! `design-modify-missing` and `design-add-exists`: whether the rows of a design fit the existing files.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};

use gix::bstr::{BStr, BString, ByteSlice};

use super::ResultTree;
use crate::change::Kind;
use crate::finding::{Finding, Level, Rule};
use crate::path::{Node, escaped};
use crate::policy::design::Design;
use crate::policy::glob::GlobSet;
use crate::policy::scope::Scope;
use crate::policy::{Actions, Grant, GrantKind};

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
    let files = Files::new(design, context);
    design
        .grants
        .iter()
        .enumerate()
        .filter_map(|(row, grant)| {
            let found = missing(row, grant, &files).or_else(|| exists(grant, context));
            found.map(|finding| finding.at(grant.anchor.clone()))
        })
        .collect()
}

/// Facts about all files, computed once for all rows.
struct Files<'a> {
    context: &'a DesignContext<'a>,
    /// What the document creates.
    made: HashSet<&'a BString>,
    /// For each row that is a glob, whether it matches a file.
    matched: Vec<bool>,
    /// Files by name; `None` for a name that several files have.
    namesakes: OnceCell<HashMap<BString, Option<BString>>>,
}

impl<'a> Files<'a> {
    fn new(design: &'a Design, context: &'a DesignContext<'a>) -> Files<'a> {
        let made = design
            .grants
            .iter()
            .filter(|grant| grant.kind == GrantKind::File && grant.actions.contains(Actions::ADD));
        Files {
            context,
            made: made.map(|grant| &grant.path).collect(),
            matched: matched(&design.grants, context.there),
            namesakes: OnceCell::new(),
        }
    }

    /// The only file elsewhere with the same name.
    fn only_namesake(&self, path: &BStr) -> Option<&BString> {
        let namesakes = self.namesakes.get_or_init(|| {
            let mut namesakes: HashMap<BString, Option<BString>> = HashMap::new();
            for tree in self.context.there {
                tree.for_each(&mut |path, _| {
                    let name = file_name(path);
                    match namesakes.get_mut(name.as_bstr()) {
                        Some(Some(known)) if known != path => {
                            namesakes.insert(name.into(), None);
                        }
                        Some(_) => {}
                        None => {
                            namesakes.insert(name.into(), Some(path.to_owned()));
                        }
                    }
                });
            }
            namesakes
        });
        namesakes.get(file_name(path).as_bstr())?.as_ref()
    }
}

/// For each grant that is a glob, whether a tree holds a match.
pub fn matched(grants: &[Grant], trees: &[&dyn ResultTree]) -> Vec<bool> {
    let mut found = vec![false; grants.len()];
    let globs = grants.iter().enumerate();
    let globs = globs.filter(|(_, grant)| grant.kind == GrantKind::Glob);
    let mut globs = globs
        .map(|(row, grant)| (row, grant.path.as_ref()))
        .peekable();
    if globs.peek().is_none() {
        return found;
    }
    let set = GlobSet::new(globs);
    for tree in trees {
        tree.for_each(&mut |path: &BStr, _: Kind| {
            for row in set.matching(path) {
                found[row] = true;
            }
        });
    }
    found
}

fn missing(row: usize, grant: &Grant, files: &Files<'_>) -> Option<Finding> {
    let verb = verb(grant)?;
    let path: &BStr = grant.path.as_ref();
    // Another row of the document creates the file.
    if verb == "modify" && files.made.contains(&grant.path) {
        return None;
    }
    let context = files.context;
    let finding = |message: String| Finding::new(Rule::DesignModifyMissing, path, message);
    if grant.kind == GrantKind::Glob {
        return (!files.matched[row]).then(|| {
            finding(format!("no file to {verb} matches `{}`", escaped(path)))
                .help("correct the pattern, or change the type to Add")
        });
    }
    let nodes: Vec<Node> = context
        .there
        .iter()
        .filter_map(|tree| tree.entry(path))
        .collect();
    let is_directory = |node: &Node| *node == Node::Directory;
    let wants_directory = grant.kind == GrantKind::Directory;
    if nodes
        .iter()
        .any(|node| is_directory(node) == wants_directory)
    {
        return None;
    }
    Some(match (nodes.is_empty(), wants_directory) {
        (false, false) => finding(format!(
            "{} is a directory, not a file to {verb}",
            escaped(path)
        ))
        .help(format!(
            "write `{}/` for everything below it",
            escaped(path)
        )),
        (false, true) => finding(format!("{} is a file, not a directory", escaped(path)))
            .help(format!("write `{}` without the slash", escaped(path))),
        (true, _) => does_not_exist(finding, verb, path, wants_directory, files),
    })
}

/// What the row does to a file that must exist; `None` if the file need not exist.
fn verb(grant: &Grant) -> Option<&'static str> {
    let actions = grant.actions;
    if actions.contains(Actions::ADD) {
        None
    } else if actions.contains(Actions::MODIFY) {
        Some("modify")
    } else if actions.contains(Actions::DELETE) {
        Some(if grant.renamed.is_some() {
            "rename"
        } else {
            "delete"
        })
    } else {
        None
    }
}

fn does_not_exist(
    finding: impl Fn(String) -> Finding,
    verb: &str,
    path: &BStr,
    is_directory: bool,
    files: &Files<'_>,
) -> Finding {
    let what = if is_directory { "directory" } else { "file" };
    let found = finding(format!(
        "the {what} to {verb} does not exist: {}",
        escaped(path)
    ));
    let namesake = (!is_directory).then(|| files.only_namesake(path)).flatten();
    let found = match namesake {
        Some(other) => found.help(format!("did you mean `{}`?", escaped(other))),
        None => found,
    };
    found.help(match verb {
        "modify" => "correct the path, or change the type to Add if the work creates it",
        _ => "correct the path, or remove the row",
    })
}

fn file_name(path: &BStr) -> &[u8] {
    path.rsplit_str("/").next().unwrap_or(path)
}

/// An Add row for one file. A directory or a glob may hold files before more are added.
fn exists(grant: &Grant, context: &DesignContext<'_>) -> Option<Finding> {
    let is_add = grant.actions.contains(Actions::ADD | Actions::MODIFY_NEW);
    if !is_add || grant.kind != GrantKind::File {
        return None;
    }
    let path: &BStr = grant.path.as_ref();
    let node = context.merge_base.unwrap_or(context.head).entry(path)?;
    if node == Node::Directory {
        let message = format!("{} is a directory, not a file to add", escaped(path));
        let help = format!("write `{}/` for everything below it", escaped(path));
        return Some(Finding::new(Rule::DesignAddExists, path, message).help(help));
    }
    let finding = |message| {
        Finding::new(Rule::DesignAddExists, path, message)
            .help("change the type to Modify if you mean this file, or choose another name")
    };
    if context.merge_base.is_some() {
        let message = format!(
            "the file to add existed before the work began: {}",
            escaped(path)
        );
        return Some(finding(message));
    }
    let may_be_own = context.agreed.lookup(path).actions.contains(Actions::ADD);
    let mut found = finding(format!(
        "the file to add is already in HEAD: {}",
        escaped(path)
    ));
    if may_be_own {
        // The work itself may have added the file after the row was committed.
        found.level = Level::Warning;
        found = found.help("set `[lld] base` to the target branch so that guard can tell older files from new ones");
    }
    Some(found)
}
