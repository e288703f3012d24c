//! Lints design documents: their own mistakes, and whether their rows fit the existing files.

// Lints designs as they are on disk.
#![allow(clippy::disallowed_methods)]

use std::collections::HashSet;
use std::path::PathBuf;

use gix::bstr::{BStr, BString, ByteSlice};

use super::Options;
use super::facts::BaseCommit;
use super::policy_loader::{LocatedDesigns, locate_with};
use super::scope::listed;
use super::tree_view::{GitTreeView, in_repository, work_tree};
use write_guard_policy::design::propose::propose;
use write_guard_policy::design::{self, Design};
use write_guard_policy::error::{Error, Result};
use write_guard_policy::path::{escaped, listed as listed_names};
use write_guard_policy::policy::{self, ChosenBy};
use write_guard_policy::rules::{self, DesignContext, FilesOfTree, ResultTree};
use write_guard_policy::scope::Scope;
use write_guard_policy::verdict::{DesignUsed, ScopeListing};
use write_guard_repo::{Index, Repository, Tree, show_file};

/// The most paths that a note lists.
const MOST_NAMES: usize = 5;

/// Lints documents: those at `files`, relative to the current directory; with `all`, all tracked files that match
/// `[lld] path`; else those of this branch. With `staged`, it lints the staged versions, skips files that are not designs
/// and, if no files are given, designs that the commit does not change. Read-only.
///
/// # Errors
/// Settings that cannot be used, a document that cannot be read, or an object that cannot be read.
pub fn check_documents(
    repo: &Repository,
    files: &[PathBuf],
    all: bool,
    staged: bool,
    options: &Options,
) -> Result<ScopeListing> {
    let disk = work_tree(repo.workdir()?)?;
    let index = Index::open(repo)?;
    let head = BaseCommit::new(repo, repo.head_commit()?)?;
    let tree = index.tree()?;
    let named = files.iter().map(|file| in_repository(repo, file));
    let named: Vec<BString> = named.collect::<Result<_>>()?;
    let mut located = locate_with(repo, Some(tree.clone()), options, &named)?;
    located
        .done
        .retain(|done| named.is_empty() || named.contains(&done.path));
    let mut report = ScopeListing::default();
    report.notes.extend(policy::note_on_done(&located.done));
    let base = match head.merge_base(repo, located.settings.base.as_deref()) {
        Ok(base) => base.map(|(_, tree)| tree),
        Err(error) => {
            report.notes.push(error.message);
            None
        }
    };
    let (tree_view, head_view) = (
        GitTreeView::new(&tree, None),
        GitTreeView::new(&head.tree, None),
    );
    let base_view = base.map(|tree| GitTreeView::new(tree, None));
    let of_base = base_view.as_ref().map(|view| view as &dyn ResultTree);
    let disk = Some(&disk as &dyn ResultTree);
    let there = [
        disk.filter(|_| !staged),
        Some(&tree_view),
        Some(&head_view),
        of_base,
    ];
    let there: Vec<&dyn ResultTree> = there.into_iter().flatten().collect();
    let lint = DesignLint {
        repo,
        all,
        staged,
        located: &located,
        tree: &tree,
        head: &head.tree,
    };
    let parse = |path: &BStr, bytes: &[u8]| design::parse(path, bytes, &located.settings);
    // The faults of documents that declare nothing, each with its group.
    let mut silent = Vec::new();
    let mut declared = HashSet::new();
    let mut designs: Vec<Design> = Vec::new();
    for document in lint.documents(named)? {
        let path = document.path.as_bstr();
        let (bytes, from) = lint.read(path)?;
        let design = parse(path, &bytes);
        let mut findings = design.findings();
        if let Some(group) = document.group {
            if !design.is_usable() && design.declares_nothing() {
                silent.push((group, findings));
                designs.push(design);
                continue;
            }
            declared.insert(group);
        }
        let before = base.unwrap_or(&head.tree).read(path)?;
        if document.is_current || before.as_ref() != Some(&bytes) {
            let agreed = match head.tree.read(path)? {
                Some(committed) if committed == bytes => design.grants.clone(),
                committed => committed.map_or_else(Vec::new, |it| parse(path, &it).grants),
            };
            let context = DesignContext {
                there: &there,
                merge_base: of_base,
                head: &head_view,
                agreed: &Scope::new(agreed),
            };
            findings.extend(rules::check_design_rows(&design, &context));
        }
        report.problems.extend(findings);
        report.designs.push(DesignUsed {
            path: design.path.clone(),
            from: from.to_owned(),
            selected_by: document.by.to_string(),
            grants: design.grants.len(),
            is_standing: document.by == ChosenBy::Standing,
        });
        designs.push(design);
    }
    // Each design on its own: not all of them need apply to one branch.
    let settings = &located.settings;
    let key = |design: &Design| policy::design_of(settings, design.path.as_ref());
    for documents in designs.chunk_by(|one, next| key(one) == key(next)) {
        let documents: Vec<&Design> = documents.iter().collect();
        let scope = policy::scope_of_design(&documents);
        let grants = listed(settings, &scope, &head_view, &tree_view, there[0]);
        report.grants.extend(grants);
        for design in documents {
            report.notes.extend(note_on_unnamed(
                design,
                &scope,
                of_base.unwrap_or(&head_view),
            ));
        }
    }
    for design in designs {
        report.mentions.extend(design.mentions);
        report.denials.extend(design.denials);
        report.texts.insert(design.path, design.text);
    }
    // The others of the group may come in later commits.
    silent.retain(|(group, _)| !staged && !declared.contains(group));
    let silent = silent.into_iter().flat_map(|(_, findings)| findings);
    report.problems.extend(silent);
    for view in [tree_view, head_view].into_iter().chain(base_view) {
        view.failed.finish()?;
    }
    Ok(report)
}

/// A note on the paths that the text of a design names and no row has. A design that allows nothing says so itself.
fn note_on_unnamed(design: &Design, scope: &Scope, base: &dyn ResultTree) -> Option<String> {
    if !design.is_usable() {
        return None;
    }
    let named = design.named_paths();
    let is_named = |path: &str| {
        let path = BStr::new(path.trim_end_matches('/'));
        named.contains(path) || !scope.lookup(path).is_empty()
    };
    let files = FilesOfTree::new(base);
    let proposal = propose(design.path.as_ref(), &design.text, &files, &is_named);
    let mut names = Vec::new();
    for row in &proposal.rows {
        let path = BStr::new(row.path.trim_end_matches('/'));
        names.push(format!("`{}` (line {})", escaped(path), row.line));
    }
    if names.is_empty() {
        return None;
    }
    let shown = escaped(&design.path);
    let count = match names.len() {
        1 => "a path".to_owned(),
        count => format!("{count} paths"),
    };
    let names = listed_names(names.into_iter(), MOST_NAMES);
    Some(format!(
        "{shown} also names {count} that no row has: {names}"
    ))
}

/// A document to lint and the reason it was selected.
struct Document {
    path: BString,
    by: ChosenBy,
    /// Whether its work is in progress, so that its rows can be compared with the files. The files that finished work
    /// adds already exist.
    is_current: bool,
    /// What it was found among: it may declare nothing if another one declares something.
    group: Option<BString>,
}

/// Where the documents are.
struct DesignLint<'a> {
    repo: &'a Repository,
    all: bool,
    staged: bool,
    located: &'a LocatedDesigns,
    /// The tree of the next commit.
    tree: &'a Tree<'a>,
    head: &'a Tree<'a>,
}

impl DesignLint<'_> {
    fn documents(&self, mut paths: Vec<BString>) -> Result<Vec<Document>> {
        let (located, settings) = (self.located, &self.located.settings);
        let by_branch = located.own.as_deref().unwrap_or_default();
        let is_own = |path: &BString| by_branch.iter().any(|choice| choice.path == *path);
        let is_done = |path: &BString| located.done.iter().any(|done| done.path == *path);
        let is_named = !paths.is_empty();
        if is_named && !self.staged {
            let named = paths.into_iter().map(|path| Document {
                by: ChosenBy::Caller("command line"),
                is_current: !is_done(&path),
                path,
                group: None,
            });
            return Ok(named.collect());
        }
        if !self.all && !self.staged {
            let own = located.own.as_ref().map_err(Error::clone)?;
            let chosen = own.iter().chain(&located.standing).map(|one| Document {
                path: one.path.clone(),
                by: one.by.clone(),
                is_current: is_own(&one.path),
                group: one.is_found.then(|| one.by.to_string().into()),
            });
            return Ok(chosen.collect());
        }
        let is_nowhere = settings.lld_path.is_empty() && settings.standing.is_empty();
        if let (true, Err(error)) = (is_nowhere && located.by_hand.is_empty(), &located.own) {
            return Err(error.clone());
        }
        if !is_named {
            paths = self.tree.files_below(BStr::new(""))?;
        }
        paths.retain(|path| {
            let is_design = policy::is_design(settings, path.as_ref());
            is_design || is_own(path) || located.by_hand.contains(path)
        });
        if self.all && paths.is_empty() {
            return Err(Error::new("no file matches `[lld] path` in guard.toml")
                .help("correct the setting, or name the documents: guard scope check FILE"));
        }
        let mut documents = Vec::new();
        for path in paths {
            let staged = || Ok(self.tree.get(path.as_ref())? != self.head.get(path.as_ref())?);
            if is_named || self.all || staged()? {
                documents.push(Document {
                    by: ChosenBy::Caller(if self.all { "--all" } else { "--staged" }),
                    is_current: is_own(&path),
                    group: policy::group_of(settings, path.as_ref()),
                    path,
                });
            }
        }
        Ok(documents)
    }

    /// The document and the name of its version.
    fn read(&self, path: &BStr) -> Result<(Vec<u8>, &'static str)> {
        let refused = |why: &str| Error::new(format!("{} is {why}", escaped(path)));
        let not_a_file = || refused("not a regular file");
        if self.staged {
            return match self.tree.read(path)? {
                Some(bytes) => Ok((bytes, "index")),
                None if self.tree.get(path)?.is_some() => Err(not_a_file()),
                None => Err(refused("not staged")),
            };
        }
        let file = self.repo.work_tree_file(path)?;
        match file.symlink_metadata() {
            Ok(metadata) if metadata.is_file() => {
                let failed =
                    |error| Error::new(format!("{} cannot be read: {error}", show_file(&file)));
                Ok((std::fs::read(&file).map_err(failed)?, "work tree"))
            }
            Ok(_) => Err(not_a_file()),
            Err(_) => Err(Error::new(format!(
                "there is no design at {}",
                escaped(path)
            ))),
        }
    }
}
