//! One view of a tree in git or of the work tree, for the policy loader and the rules.

use std::cell::{OnceCell, RefCell};
use std::path::{Path, PathBuf};

use gix::bstr::{BStr, BString, ByteSlice};

use crate::boundary::{Boundary, BoundaryView, bytes, from_real_root};
use crate::change::{Change, Kind, State};
use crate::error::{Error, Result};
use crate::git::{Objects, Repository, Tree, show_file};
use crate::path::{Node, TreeView, normalize_request};
use crate::rules::{MeasuredChange, ResultTree};
use crate::system;

/// A tree in git.
#[derive(Clone, Copy)]
pub(super) enum GitTree<'a> {
    /// The tree of a commit, or of the next one.
    Tree(&'a Tree<'a>),
    /// The new sides of changes in path order, with nothing else; a request has no such changes.
    Changes(&'a [Change]),
}

impl<'a> GitTree<'a> {
    /// The state at `path`; directories have none.
    pub(super) fn get(self, path: &BStr) -> Result<Option<State>> {
        match self {
            GitTree::Tree(tree) => tree.get(path),
            GitTree::Changes(changes) => {
                let at = changes.binary_search_by(|change| change.path.as_bstr().cmp(path));
                Ok(at.ok().and_then(|at| changes[at].new))
            }
        }
    }

    fn is_dir(self, path: &BStr) -> Result<bool> {
        match self {
            GitTree::Tree(tree) => tree.is_dir(path),
            GitTree::Changes(changes) => {
                let directory = [path.as_bytes(), b"/"].concat();
                let start = changes.partition_point(|change| change.path < directory);
                let mut below = changes[start..]
                    .iter()
                    .take_while(|change| change.path.starts_with(&directory));
                Ok(below.any(|change| change.new.is_some()))
            }
        }
    }

    /// The file at `path`.
    pub(super) fn read(self, objects: &Objects, path: &BStr) -> Result<Option<Vec<u8>>> {
        match self {
            GitTree::Tree(tree) => tree.read(path),
            GitTree::Changes(_) => objects.file(self.get(path)?),
        }
    }

    /// The files below the directory `prefix`; all files of changes.
    pub(super) fn files_below(self, prefix: &BStr) -> Result<Vec<BString>> {
        match self {
            GitTree::Tree(tree) => tree.files_below(prefix),
            GitTree::Changes(changes) => {
                let there = changes.iter().filter(|change| change.new.is_some());
                Ok(there.map(|change| change.path.clone()).collect())
            }
        }
    }

    /// The view of the tree for rules, with all its files.
    pub(super) fn view(self, objects: &'a Objects) -> GitTreeView<'a> {
        GitTreeView {
            tree: self,
            objects,
            changes: None,
            files: OnceCell::new(),
            failed: RefCell::new(None),
        }
    }

    /// The view as the result of `changes`; a committed tree lists only files near a change.
    pub(super) fn result_of(
        self,
        objects: &'a Objects,
        changes: &'a [MeasuredChange],
    ) -> GitTreeView<'a> {
        GitTreeView {
            changes: Some(changes),
            ..self.view(objects)
        }
    }
}

/// Looks up paths and remembers the first object that could not be read.
pub(super) struct GitTreeView<'a> {
    tree: GitTree<'a>,
    objects: &'a Objects,
    changes: Option<&'a [MeasuredChange]>,
    /// The files of a committed tree, listed on first use.
    files: OnceCell<Vec<(BString, Kind)>>,
    failed: RefCell<Option<Error>>,
}

impl GitTreeView<'_> {
    /// The first read error: a judgement counts only if everything could be read.
    pub(super) fn finish(self) -> Result<()> {
        self.failed.into_inner().map_or(Ok(()), Err)
    }

    fn seen<T>(&self, result: Result<T>) -> Option<T> {
        result
            .map_err(|error| self.failed.borrow_mut().get_or_insert(error).clone())
            .ok()
    }
}

impl TreeView for GitTreeView<'_> {
    fn entry(&self, path: &BStr) -> Option<Node> {
        match self.seen(self.tree.get(path))? {
            Some(state) => Some(Node::Entry(state.kind)),
            None => self
                .seen(self.tree.is_dir(path))?
                .then_some(Node::Directory),
        }
    }

    fn link_target(&self, path: &BStr) -> Option<BString> {
        let state = self.seen(self.tree.get(path))??;
        let mut target = Vec::new();
        self.seen(self.objects.blob(state.id, &mut target))?;
        Some(target.into())
    }
}

impl ResultTree for GitTreeView<'_> {
    fn for_each(&self, visit: &mut dyn FnMut(&BStr, Kind)) {
        match (self.tree, self.changes) {
            (GitTree::Tree(tree), Some(changes)) => {
                let paths = changes.iter().map(MeasuredChange::path);
                self.seen(tree.visit_case_collisions(paths, visit));
            }
            (GitTree::Tree(tree), None) => {
                let list = || self.seen(tree.files()).unwrap_or_default();
                let files = self.files.get_or_init(list);
                for (path, kind) in files {
                    visit(path.as_ref(), *kind);
                }
            }
            (GitTree::Changes(changes), _) => {
                for change in changes {
                    if let Some(state) = change.new {
                        visit(change.path.as_ref(), state.kind);
                    }
                }
            }
        }
    }
}

/// Opens the work tree at `root`.
///
/// # Errors
/// It does not exist or cannot be opened.
pub(super) fn work_tree(root: &Path) -> Result<Boundary> {
    Boundary::open(root).map_err(|error| Error::new(error.to_string()))
}

/// The repository path of a file given relative to the current directory.
///
/// # Errors
/// The file is outside the work tree or not a valid path.
pub(super) fn in_repository(repo: &Repository, file: &Path) -> Result<BString> {
    let outside = |why: String| {
        Error::new(format!("{} cannot be the design: {why}", show_file(file)))
            .help("name a Markdown file inside the repository")
    };
    let root = canonical(repo.workdir()?).map_err(outside)?;
    let here = std::env::current_dir().map_err(|error| outside(error.to_string()))?;
    let here = canonical(&here).map_err(outside)?;
    let absolute = from_real_root(&root, &here.join(file));
    normalize_request(&bytes(&root), &bytes(&absolute), system::PLATFORM)
        .map_err(|rejection| outside(rejection.message))
}

fn canonical(path: &Path) -> Result<PathBuf, String> {
    path.canonicalize()
        .map_err(|error| format!("{}: {error}", show_file(path)))
}

/// The disk view lists no files; the index does. A request is about one path, and its neighbours are judged at commit
/// time.
impl ResultTree for BoundaryView<'_> {
    fn for_each(&self, _visit: &mut dyn FnMut(&BStr, Kind)) {}
}
