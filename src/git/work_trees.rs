//! Identifies the work trees of a repository, which share guard's files in the git directory.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::Repository;
use super::own_work_tree::pointed_to;
use crate::boundary::absolute;

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
}
