//! Lints design documents: their own mistakes, and whether their rows fit the existing files.

// Lints designs as they are on disk.
#![allow(clippy::disallowed_methods)]

use std::collections::HashSet;
use std::path::PathBuf;

use gix::bstr::{BStr, BString, ByteSlice};

use super::Options;
use super::facts::BaseCommit;
use super::overlap::note_on_overlap;
use super::policy_loader::{LocatedDesigns, locate_with};
use super::scope::listed;
use super::tree_view::{GitTreeView, in_repository, work_tree};
use write_guard_policy::design::propose::propose;
use write_guard_policy::design::{self, Design};
use write_guard_policy::error::{Error, Result};
use write_guard_policy::finding::Finding;
use write_guard_policy::path::{escaped, listed as listed_names};
use write_guard_policy::policy::{self, ChosenBy};
use write_guard_policy::rules::{self, DesignContext, FilesOfTree, ResultTree};
use write_guard_policy::scope::Scope;
use write_guard_policy::verdict::{DesignUsed, ScopeListing};
use write_guard_repo::boundary::Boundary;
use write_guard_repo::{Index, Repository, Tree, show_file};

/// The most paths that a note lists.
const MOST_NAMES: usize = 5;

/// The documents to lint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DocumentSelection<'a> {
    /// The designs of this branch or, for the staged version, those that the commit changes.
    Branch,
    /// All tracked files that match `[lld] path`.
    All,
    /// These files, relative to the current directory; for the staged version, those of them that are designs.
    Files(&'a [PathBuf]),
}

/// The version of the documents to lint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DocumentVersion {
    /// As they are on disk.
    WorkTree,
    /// As the next commit would have them.
    Staged,
}

/// Lints documents. Read-only.
///
/// # Errors
/// Settings that cannot be used, a document that cannot be read, or an object that cannot be read.
pub fn check_documents(
    repo: &Repository,
    selection: DocumentSelection<'_>,
    version: DocumentVersion,
    options: &Options,
) -> Result<ScopeListing> {
    let disk = work_tree(repo.workdir()?)?;
    let index = Index::open(repo)?;
    let head = BaseCommit::new(repo, repo.head_commit()?)?;
    let tree = index.tree()?;
    let mut named = Vec::new();
    if let DocumentSelection::Files(files) = selection {
        for file in files {
            named.push(in_repository(repo, file)?);
        }
    }
    let mut located = locate_with(repo, Some(tree.clone()), options, &named)?;
    located
        .done
        .retain(|done| named.is_empty() || named.contains(&done.path));
    let mut report = ScopeListing::default();
    report.notes.extend(policy::note_on_done(&located.done));
    let merge_base = match head.merge_base(repo, located.settings.base.as_deref()) {
        Ok(base) => base.map(|(_, base_tree)| base_tree),
        Err(error) => {
            report.notes.push(error.message);
            None
        }
    };
    let files = FileVersions {
        work_tree: (version == DocumentVersion::WorkTree).then_some(disk),
        index: GitTreeView::new(&tree, None),
        head: GitTreeView::new(&head.tree, None),
        merge_base: merge_base.map(|base_tree| GitTreeView::new(base_tree, None)),
    };
    let lint = DesignLint {
        repo,
        selection,
        version,
        located: &located,
        tree: &tree,
        head: &head.tree,
        merge_base,
        files: &files,
    };
    let designs = lint.check(lint.documents(named)?, &mut report)?;
    lint.list_grants(&designs, &mut report);
    if selection == DocumentSelection::Branch {
        let own: Vec<BString> = designs.iter().map(|design| design.path.clone()).collect();
        report.notes.extend(note_on_overlap(repo, &own));
    }
    for design in designs {
        report.mentions.extend(design.mentions);
        report.denials.extend(design.denials);
        report.texts.insert(design.path, design.text);
    }
    files.finish()?;
    Ok(report)
}

fn not_a_file(path: &BStr) -> Error {
    Error::new(format!("{} is not a regular file", escaped(path)))
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

/// The versions of the files that rows are compared with.
struct FileVersions<'a> {
    /// `None` for staged documents.
    work_tree: Option<Boundary>,
    index: GitTreeView<'a>,
    head: GitTreeView<'a>,
    /// `None` if it is unknown.
    merge_base: Option<GitTreeView<'a>>,
}

impl FileVersions<'_> {
    fn current(&self) -> &dyn ResultTree {
        match &self.work_tree {
            Some(work_tree) => work_tree,
            None => &self.index,
        }
    }

    fn merge_base(&self) -> Option<&dyn ResultTree> {
        self.merge_base.as_ref().map(|view| view as &dyn ResultTree)
    }

    /// All of them, the current one first.
    fn all(&self) -> Vec<&dyn ResultTree> {
        let mut all: Vec<&dyn ResultTree> = vec![self.current()];
        if self.work_tree.is_some() {
            all.push(&self.index);
        }
        all.push(&self.head);
        all.extend(self.merge_base());
        all
    }

    /// Fails if an object could not be read.
    fn finish(self) -> Result<()> {
        for view in [self.index, self.head].into_iter().chain(self.merge_base) {
            view.failed.finish()?;
        }
        Ok(())
    }
}

/// What to lint, and where the documents and files are.
struct DesignLint<'a> {
    repo: &'a Repository,
    selection: DocumentSelection<'a>,
    version: DocumentVersion,
    located: &'a LocatedDesigns,
    /// The tree of the next commit.
    tree: &'a Tree<'a>,
    head: &'a Tree<'a>,
    merge_base: Option<&'a Tree<'a>>,
    files: &'a FileVersions<'a>,
}

impl DesignLint<'_> {
    /// Lints each document, and reads the designs.
    fn check(&self, documents: Vec<Document>, report: &mut ScopeListing) -> Result<Vec<Design>> {
        // The faults of documents that declare nothing, each with its group.
        let mut silent = Vec::new();
        let mut declared = HashSet::new();
        let mut designs: Vec<Design> = Vec::new();
        for document in documents {
            let (bytes, from) = self.read(document.path.as_ref())?;
            let design = self.parse(document.path.as_ref(), &bytes);
            if let Some(group) = &document.group {
                if !design.is_usable() && design.declares_nothing() {
                    silent.push((group.clone(), design.findings()));
                    designs.push(design);
                    continue;
                }
                declared.insert(group.clone());
            }
            report.problems.extend(design.findings());
            report
                .problems
                .extend(self.check_rows(&document, &design, &bytes)?);
            report.designs.push(DesignUsed {
                path: design.path.clone(),
                from: from.to_owned(),
                selected_by: document.by.to_string(),
                grants: design.grants.len(),
                is_standing: document.by == ChosenBy::Standing,
            });
            designs.push(design);
        }
        // The others of the group may come in later commits.
        let is_staged = self.version == DocumentVersion::Staged;
        silent.retain(|(group, _)| !is_staged && !declared.contains(group));
        let silent = silent.into_iter().flat_map(|(_, findings)| findings);
        report.problems.extend(silent);
        Ok(designs)
    }

    /// What is wrong with the rows, given the files. A finished design is compared only if the work has changed it.
    fn check_rows(
        &self,
        document: &Document,
        design: &Design,
        bytes: &[u8],
    ) -> Result<Vec<Finding>> {
        let path = document.path.as_bstr();
        let before = self.merge_base.unwrap_or(self.head).read(path)?;
        if !document.is_current && before.as_deref() == Some(bytes) {
            return Ok(Vec::new());
        }
        let agreed = match self.head.read(path)? {
            Some(committed) if committed == bytes => design.grants.clone(),
            committed => committed.map_or_else(Vec::new, |it| self.parse(path, &it).grants),
        };
        let context = DesignContext {
            there: &self.files.all(),
            merge_base: self.files.merge_base(),
            head: &self.files.head,
            agreed: &Scope::new(agreed),
        };
        Ok(rules::check_design_rows(design, &context))
    }

    /// Lists what each design grants on its own: not all of them need apply to one branch.
    fn list_grants(&self, designs: &[Design], report: &mut ScopeListing) {
        let files = self.files;
        let settings = &self.located.settings;
        let base = files.merge_base().unwrap_or(&files.head);
        let key = |design: &Design| policy::design_of(settings, design.path.as_ref());
        for documents in designs.chunk_by(|one, next| key(one) == key(next)) {
            let documents: Vec<&Design> = documents.iter().collect();
            let scope = policy::scope_of_design(&documents);
            // What is wrong with rows has been reported.
            let (grants, _) = listed(settings, &scope, &files.head, &files.index, files.current());
            report.grants.extend(grants);
            for design in documents {
                report.notes.extend(note_on_unnamed(design, &scope, base));
            }
        }
    }

    fn parse(&self, path: &BStr, bytes: &[u8]) -> Design {
        design::parse(path, bytes, &self.located.settings)
    }

    /// The selected documents. `named` are the files of the selection.
    fn documents(&self, named: Vec<BString>) -> Result<Vec<Document>> {
        match (self.selection, self.version) {
            (DocumentSelection::Files(_), DocumentVersion::WorkTree) => {
                Ok(self.named_documents(named))
            }
            (DocumentSelection::Branch, DocumentVersion::WorkTree) => self.documents_of_branch(),
            _ => self.tracked_designs(named),
        }
    }

    fn named_documents(&self, named: Vec<BString>) -> Vec<Document> {
        let mut documents = Vec::new();
        for path in named {
            let is_done = self.located.done.iter().any(|done| done.path == path);
            documents.push(Document {
                by: ChosenBy::Caller("command line"),
                is_current: !is_done,
                path,
                group: None,
            });
        }
        documents
    }

    fn documents_of_branch(&self) -> Result<Vec<Document>> {
        let own = self.located.own.as_ref().map_err(Error::clone)?;
        let chosen = own.iter().chain(&self.located.standing);
        Ok(chosen
            .map(|choice| Document {
                path: choice.path.clone(),
                by: choice.by.clone(),
                is_current: self.is_own(&choice.path),
                group: choice.is_found.then(|| choice.by.to_string().into()),
            })
            .collect())
    }

    /// The designs among the tracked files or, if there are any, among the named ones.
    fn tracked_designs(&self, named: Vec<BString>) -> Result<Vec<Document>> {
        let located = self.located;
        let settings = &self.located.settings;
        let is_nowhere = settings.lld_path.is_empty() && settings.standing.is_empty();
        if let (true, Err(error)) = (is_nowhere && located.by_hand.is_empty(), &located.own) {
            return Err(error.clone());
        }
        let mut paths = match self.selection {
            DocumentSelection::Files(_) => named,
            _ => self.tree.files_below(BStr::new(""))?,
        };
        paths.retain(|path| {
            let is_design = policy::is_design(settings, path.as_ref());
            is_design || self.is_own(path) || located.by_hand.contains(path)
        });
        let is_all = self.selection == DocumentSelection::All;
        if is_all && paths.is_empty() {
            return Err(Error::new("no file matches `[lld] path` in guard.toml")
                .help("correct the setting, or name the documents: guard scope check FILE"));
        }
        let mut documents = Vec::new();
        for path in paths {
            if self.selection != DocumentSelection::Branch
                || self.tree.get(path.as_ref())? != self.head.get(path.as_ref())?
            {
                documents.push(Document {
                    by: ChosenBy::Caller(if is_all { "--all" } else { "--staged" }),
                    is_current: self.is_own(&path),
                    group: policy::group_of(settings, path.as_ref()),
                    path,
                });
            }
        }
        Ok(documents)
    }

    /// Whether the document is selected for this branch.
    fn is_own(&self, path: &BString) -> bool {
        let own = self.located.own.as_deref().unwrap_or_default();
        own.iter().any(|choice| choice.path == *path)
    }

    /// The document and the name of its version.
    fn read(&self, path: &BStr) -> Result<(Vec<u8>, &'static str)> {
        let shown = escaped(path);
        if self.version == DocumentVersion::Staged {
            return match self.tree.read(path)? {
                Some(bytes) => Ok((bytes, "index")),
                None if self.tree.get(path)?.is_some() => Err(not_a_file(path)),
                None => Err(Error::new(format!("{shown} is not staged"))),
            };
        }
        let file = self.repo.work_tree_file(path)?;
        match file.symlink_metadata() {
            Ok(metadata) if metadata.is_file() => Ok((
                std::fs::read(&file).map_err(|error| {
                    Error::new(format!("{} cannot be read: {error}", show_file(&file)))
                })?,
                "work tree",
            )),
            Ok(_) => Err(not_a_file(path)),
            Err(_) => Err(Error::new(format!("there is no design at {shown}"))),
        }
    }
}
