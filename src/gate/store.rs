//! The approvals of this repository: one file each, mode 0600, in the git common directory, until they are used up or
//! expire.

// Approvals are files below the git directory.
#![allow(clippy::disallowed_methods)]

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use crate::approval::Approval;
use crate::disk;
use crate::git::{Repository, WorkTree};

/// The key for a linked work tree in an approval file.
const WORK_TREE: &str = "worktree";

/// The approvals of a work tree.
#[derive(Debug, Clone)]
pub struct Store {
    directory: PathBuf,
    work_tree: WorkTree,
}

impl Store {
    /// The store of a repository. Nothing is created before the first approval.
    pub fn of(repo: &Repository) -> Store {
        Store::new(repo.common_dir(), repo.work_tree())
    }

    fn new(common_dir: &Path, work_tree: WorkTree) -> Store {
        Store {
            directory: common_dir.join("guard").join("approvals"),
            work_tree,
        }
    }

    /// Stores an approval, replacing an older one of the same change.
    ///
    /// # Errors
    /// The store cannot be written.
    pub fn add(&self, approval: &Approval) -> io::Result<()> {
        disk::create_private_directory(&self.directory)?;
        let mut object = approval.to_json();
        if let Some(name) = self.work_tree.name() {
            object.insert(WORK_TREE.into(), name.into());
        }
        let text = Value::Object(object).to_string();
        disk::replace(&self.file(approval), text.as_bytes(), Some(disk::PRIVATE))
    }

    /// The approvals valid at the time `now` (seconds since 1970), oldest first.
    ///
    /// # Errors
    /// The store exists but cannot be read.
    pub fn list(&self, now: i64) -> io::Result<Vec<Approval>> {
        let mut all: Vec<Approval> = self
            .all()?
            .into_iter()
            .filter(|kept| kept.work_tree == self.work_tree)
            .map(|kept| kept.approval)
            .collect();
        all.retain(|approval| now < approval.expires);
        all.sort_by(|a, b| (a.when, &a.path).cmp(&(b.when, &b.path)));
        Ok(all)
    }

    /// Removes the approvals for which `is_used` holds, and those of any work tree that expired before `now`. Returns
    /// the used ones.
    ///
    /// # Errors
    /// The store cannot be read or changed.
    pub fn consume(
        &self,
        now: i64,
        is_used: impl Fn(&Approval) -> bool,
    ) -> io::Result<Vec<Approval>> {
        let mut used = Vec::new();
        for StoredApproval {
            file,
            approval,
            work_tree,
        } in self.all()?
        {
            if work_tree == self.work_tree && is_used(&approval) {
                fs::remove_file(file)?;
                used.push(approval);
            } else if approval.expires <= now {
                fs::remove_file(file)?;
            }
        }
        Ok(used)
    }

    fn all(&self) -> io::Result<Vec<StoredApproval>> {
        let mut all = Vec::new();
        for file in super::held::files_in(&self.directory)? {
            if file
                .extension()
                .is_some_and(|extension| extension == "json")
            {
                let object: Option<Map<String, Value>> =
                    serde_json::from_slice(&fs::read(&file)?).ok();
                let kept = object.and_then(|object| {
                    let name = object.get(WORK_TREE).and_then(Value::as_str);
                    Some(StoredApproval {
                        approval: Approval::from_json(&object).ok()?,
                        work_tree: WorkTree::new(name),
                        file,
                    })
                });
                all.extend(kept);
            }
        }
        Ok(all)
    }

    fn file(&self, approval: &Approval) -> PathBuf {
        let id = super::held::id_of(
            &self.work_tree,
            approval.path.as_ref(),
            approval.old.as_deref(),
            approval.new.as_deref(),
        );
        self.directory.join(format!("{id}.json"))
    }
}

/// An approval as stored.
struct StoredApproval {
    file: PathBuf,
    approval: Approval,
    work_tree: WorkTree,
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn approval(path: &str, expires: i64) -> Approval {
        Approval {
            path: path.into(),
            expires,
            ..crate::approval::testing::approval()
        }
    }

    #[test]
    fn approvals_are_kept_until_they_are_used_or_expire() {
        let temp = tempfile::tempdir().unwrap();
        let store = Store::new(temp.path(), WorkTree::default());
        assert_eq!(store.list(0).unwrap(), []);
        assert!(
            !temp.path().join("guard").exists(),
            "looking creates nothing"
        );
        let (a, b, c) = (approval("a", 100), approval("b", 200), approval("c", 200));
        for approval in [&a, &b, &c, &a] {
            store.add(approval).unwrap();
        }
        assert_eq!(store.list(99).unwrap(), [a.clone(), b.clone(), c.clone()]);
        assert_eq!(store.list(100).unwrap(), [b.clone(), c.clone()]);
        let used = store.consume(100, |approval| approval.path == "b").unwrap();
        assert_eq!(used, [b]);
        assert_eq!(
            store.list(0).unwrap(),
            [c],
            "the expired one is gone as well"
        );
    }

    #[test]
    fn invalid_approval_file_approves_nothing() {
        let temp = tempfile::tempdir().unwrap();
        let store = Store::new(temp.path(), WorkTree::default());
        store.add(&approval("a", 100)).unwrap();
        let directory = temp.path().join("guard/approvals");
        fs::write(directory.join("x.json"), "yes").unwrap();
        fs::write(directory.join("y.json"), "{\"path\": \"b\"}").unwrap();
        assert_eq!(store.list(0).unwrap(), [approval("a", 100)]);
    }

    #[cfg(unix)]
    #[test]
    #[cfg_attr(any(not(unix), guard_no_unix), ignore = "no permission bits")]
    fn only_the_owner_can_read_an_approval() {
        use std::os::unix::fs::PermissionsExt;
        let temp = tempfile::tempdir().unwrap();
        let store = Store::new(temp.path(), WorkTree::default());
        store.add(&approval("a", 100)).unwrap();
        let file = store.file(&approval("a", 100));
        assert_eq!(
            fs::metadata(file).unwrap().permissions().mode() & 0o777,
            0o600
        );
    }
}
