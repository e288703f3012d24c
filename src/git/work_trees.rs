//! Work trees: which one belongs to the repository, and what in it belongs to another repository.

use std::fs;
use std::path::{Path, PathBuf};

use gix::ObjectId;
use gix::bstr::{BStr, BString, ByteSlice};
use serde::{Deserialize, Serialize};

use super::{Index, Repository, Tree, failed, show_file};
use crate::boundary::absolute;
use crate::change::Kind;
use crate::error::{Error, Result};
use crate::path::{escaped, fold};

/// A work tree. A linked one has the name under `worktrees/`, which stays when it moves.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct WorkTree {
    name: Option<String>,
}

impl WorkTree {
    /// The linked work tree with this name, or the main one.
    pub fn new(name: Option<&str>) -> WorkTree {
        WorkTree {
            name: name.map(str::to_owned),
        }
    }

    /// Git's name for it; `None` for the main work tree.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }
}

impl Repository {
    /// The current work tree.
    pub(crate) fn work_tree(&self) -> WorkTree {
        let own = absolute(self.git_dir());
        let is_linked = own != absolute(self.common_dir());
        let name = own.file_name().filter(|_| is_linked);
        WorkTree {
            name: name.map(|name| name.to_string_lossy().into_owned()),
        }
    }

    /// The location of a work tree; `None` if it is gone or unknown.
    pub(crate) fn place_of(&self, work_tree: &WorkTree) -> Option<PathBuf> {
        let common = absolute(self.common_dir());
        let place = match work_tree.name() {
            _ if *work_tree == self.work_tree() => self.workdir().ok()?.to_owned(),
            Some(name) if name.contains(['/', '\\']) => return None,
            Some(name) => {
                let registered = common.join("worktrees").join(name).join("gitdir");
                pointed_to(&registered, "")?.parent()?.to_owned()
            }
            // With a separate git directory, only its own work tree knows the location.
            None if common.file_name().is_some_and(|name| name == ".git") => {
                common.parent()?.to_owned()
            }
            None => return None,
        };
        let is_there = place.join(".git").exists();
        (is_there || *work_tree == self.work_tree()).then(|| absolute(&place))
    }

    /// The root of the work tree, if it contains `.git` or git registered it for a linked work tree or a submodule.
    /// Requests write nowhere else: otherwise `GIT_WORK_TREE=/x` would make `/x` the workspace. `GIT_DIR` may not name
    /// another repository than that of the current directory.
    ///
    /// # Errors
    /// It is another directory, or the repository is bare.
    pub(crate) fn own_workdir(&self) -> Result<&Path> {
        let root = self.workdir()?;
        let is_elsewhere = std::env::var_os("GIT_DIR").is_some() && !stands_in(root);
        if owns(root, self.git_dir()) && !is_elsewhere {
            return Ok(root);
        }
        if is_elsewhere {
            return Err(Error::new(format!(
                "GIT_DIR selects the repository {}, which is not that of the current directory",
                show_file(self.git_dir())
            ))
            .help("run guard without GIT_DIR, in the directory that contains .git"));
        }
        Err(Error::new(format!(
            "the work tree {} does not belong to the repository {}",
            show_file(root),
            show_file(self.git_dir())
        ))
        .help("run guard in the directory that contains .git, without GIT_WORK_TREE, GIT_DIR and core.worktree"))
    }

    /// The submodule at or around a path, by HEAD's tree or the index. Case is ignored for the index: on some file
    /// systems `SUB/a` is below `sub`.
    ///
    /// # Errors
    /// HEAD's tree or the index cannot be read.
    pub(crate) fn submodule_of(&self, head: &Tree<'_>, path: &BStr) -> Result<Option<BString>> {
        for end in path.find_iter("/").chain([path.len()]) {
            let above = path[..end].as_bstr();
            let found = head.get(above)?;
            if found.is_some_and(|found| found.kind == Kind::Submodule) {
                return Ok(Some(above.to_owned()));
            }
        }
        let folded = fold(path);
        let holds = |link: &&BString| {
            let rest = folded.strip_prefix(fold(link.as_ref()).as_bytes());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
        };
        Ok(self.index_gitlinks()?.iter().find(holds).cloned())
    }

    /// The submodules of the index, including conflicts; read once, because requests ask for many paths.
    fn index_gitlinks(&self) -> Result<&[BString]> {
        if let Some(known) = self.gitlinks.get() {
            return Ok(known);
        }
        let links = Index::open(self)?.gitlinks().to_vec();
        Ok(self.gitlinks.get_or_init(|| links))
    }
}

/// Whether `root` is the closest directory above the current one that contains `.git`.
fn stands_in(root: &Path) -> bool {
    std::env::current_dir().is_ok_and(|here| {
        let mut above = here.ancestors();
        let closest = above.find(|directory| directory.join(".git").exists());
        closest.is_some_and(|closest| absolute(closest) == absolute(root))
    })
}

/// Whether git itself made `root` the work tree of `git_dir`.
fn owns(root: &Path, git_dir: &Path) -> bool {
    let dot_git = root.join(".git");
    let Ok(found) = fs::symlink_metadata(&dot_git) else {
        return false;
    };
    let (dot_git, git_dir) = (absolute(&dot_git), absolute(git_dir));
    if !found.is_file() {
        return dot_git == git_dir;
    }
    if pointed_to(&dot_git, "gitdir: ") != Some(git_dir.clone()) {
        return false;
    }
    // A linked work tree is registered in its own git directory.
    let registered = git_dir.join("gitdir");
    if registered.exists() {
        return pointed_to(&registered, "") == Some(dot_git);
    }
    // The `.git` directory of another work tree is excluded; a separate git directory or a submodule's has another
    // name.
    git_dir.file_name().is_some_and(|name| name != ".git")
}

/// The path in the first line of a file, after `prefix`, relative to the file's directory.
pub(super) fn pointed_to(file: &Path, prefix: &str) -> Option<PathBuf> {
    let text = fs::read_to_string(file).ok()?;
    let path = text.lines().next()?.strip_prefix(prefix)?;
    Some(absolute(&file.parent()?.join(path)))
}

/// The commit that the repository in a directory is at; `None` if there is none or it has no commit.
///
/// # Errors
/// It is a repository, but its HEAD cannot be read.
pub(super) fn nested_commit(directory: &Path, path: &BStr) -> Result<Option<ObjectId>> {
    let dot_git = directory.join(".git");
    let is_file = |path: &Path| path.metadata().is_ok_and(|about| about.is_file());
    let git_dir = match is_file(&dot_git) {
        true => gix::discover::path::from_gitdir_file(&dot_git).unwrap_or_default(),
        false => dot_git.clone(),
    };
    // Opening a FIFO would block.
    if !is_file(&git_dir.join("HEAD")) || gix::discover::is_git(&dot_git).is_err() {
        return Ok(None);
    }
    let unreadable = |error: gix::Error| {
        failed(format!(
            "the repository in {} cannot be read",
            escaped(path)
        ))(error)
        .help("repair it, or add the directory to .gitignore")
    };
    let repo = gix::open_opts(directory, gix::open::Options::isolated()).map_err(unreadable)?;
    let head = repo.head().map_err(unreadable)?;
    Ok(head.id().map(gix::Id::detach))
}
