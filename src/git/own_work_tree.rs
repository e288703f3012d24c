//! The work tree that belongs to the repository, as opposed to one that a variable or setting names.

use std::fs;
use std::path::{Path, PathBuf};

use super::{Repository, show_file};
use crate::boundary::absolute;
use crate::error::{Error, Result};

impl Repository {
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
        let chosen = self.what_chose_the_work_tree();
        Err(Error::new(format!(
            "the work tree {} does not belong to the repository {}: {chosen}",
            show_file(root),
            show_file(self.git_dir())
        ))
        .help("run guard in the directory that contains .git, without that variable or setting"))
    }

    fn what_chose_the_work_tree(&self) -> String {
        let variable = ["GIT_WORK_TREE", "GIT_DIR"]
            .into_iter()
            .find(|name| std::env::var_os(name).is_some());
        match variable {
            Some("GIT_WORK_TREE") => "GIT_WORK_TREE selects it".to_owned(),
            _ if self.config("core.worktree").is_some() => "core.worktree selects it".to_owned(),
            Some(variable) => format!("{variable} is set"),
            None => "git did not create the .git file in it".to_owned(),
        }
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
