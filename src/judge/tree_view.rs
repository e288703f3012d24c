//! Views of a tree in git and of the work tree, for the rules.

use std::cell::{OnceCell, RefCell};
use std::path::Path;

use gix::bstr::{BStr, BString};

use write_guard_policy::change::Kind;
use write_guard_policy::error::{Error, Result};
use write_guard_policy::path::{Node, Platform, TreeView, normalize_request};
use write_guard_policy::rules::{MeasuredChange, ResultTree};
use write_guard_repo::boundary::{Boundary, bytes, from_real_root};
use write_guard_repo::{Repository, Tree, real_path, show_file};

/// The view of a tree in git for rules. It remembers the first object that could not be read.
pub(super) struct GitTreeView<'a> {
    tree: &'a Tree<'a>,
    /// The changes that the tree results from: it then lists only files near one of them.
    changes: Option<&'a [MeasuredChange]>,
    /// All files, listed on first use.
    files: OnceCell<Vec<(BString, Kind)>>,
    pub(super) failed: FirstError,
}

/// The first error of what rules look up: a judgement counts only if everything could be read.
#[derive(Default)]
pub(super) struct FirstError(RefCell<Option<Error>>);

impl FirstError {
    pub(super) fn seen<T>(&self, result: Result<T>) -> Option<T> {
        result
            .map_err(|error| self.0.borrow_mut().get_or_insert(error).clone())
            .ok()
    }

    pub(super) fn finish(self) -> Result<()> {
        self.0.into_inner().map_or(Ok(()), Err)
    }
}

impl<'a> GitTreeView<'a> {
    /// The whole tree or, with `changes`, what is near one of them.
    pub(crate) fn new(tree: &'a Tree<'a>, changes: Option<&'a [MeasuredChange]>) -> Self {
        GitTreeView {
            tree,
            changes,
            files: OnceCell::new(),
            failed: FirstError::default(),
        }
    }
}

impl TreeView for GitTreeView<'_> {
    fn entry(&self, path: &BStr) -> Option<Node> {
        match self.failed.seen(self.tree.get(path))? {
            Some(state) => Some(Node::Entry(state.kind)),
            None => {
                let is_directory = self.failed.seen(self.tree.is_dir(path))?;
                is_directory.then_some(Node::Directory)
            }
        }
    }

    fn link_target(&self, path: &BStr) -> Option<BString> {
        let target = self.failed.seen(self.tree.content(path))?;
        target.map(BString::from)
    }
}

impl ResultTree for GitTreeView<'_> {
    fn for_each(&self, visit: &mut dyn FnMut(&BStr, Kind)) {
        if let Some(changes) = self.changes {
            let paths = changes.iter().map(MeasuredChange::path);
            self.failed
                .seen(self.tree.visit_case_collisions(paths, visit));
            return;
        }
        let files = self.files.get_or_init(|| {
            let files = self.tree.entries_below("".into());
            self.failed.seen(files).unwrap_or_default()
        });
        for (path, kind) in files {
            visit(path.as_ref(), *kind);
        }
    }
}

/// Opens the work tree at `root`.
///
/// # Errors
/// It does not exist or cannot be opened.
pub(crate) fn work_tree(root: &Path) -> Result<Boundary> {
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
    let workdir = repo.workdir()?;
    let root =
        real_path(workdir).map_err(|error| outside(format!("{}: {error}", show_file(workdir))))?;
    let here = std::env::current_dir().map_err(|error| outside(error.to_string()))?;
    let real_here =
        real_path(&here).map_err(|error| outside(format!("{}: {error}", show_file(&here))))?;
    let absolute = from_real_root(&root, &real_here.join(file));
    normalize_request(&bytes(&root), &bytes(&absolute), Platform::HOST)
        .map_err(|rejection| outside(rejection.message))
}
