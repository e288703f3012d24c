//! Keeps what refs and stashes reach from `git gc`: a ref of guard's own has all of them as parents of one commit.
//!
//! What is lost gets a ref of its own, which stays when the session ends.

use std::collections::BTreeSet;

use gix::ObjectId;
use gix::objs::{Kind, Write as _};
use gix::odb::loose::Store;
use gix::refs::Target;
use gix::refs::transaction::{Change, LogChange, PreviousValue, RefEdit, RefLog};

use super::{Checkpoint, CheckpointStore, id};
use crate::{Repository, failed};
use write_guard_policy::error::{Error, Result};

/// Begins the names of the refs that keep what a checkpoint had, one per work tree.
const HELD: &str = "refs/guard/checkpoints/";
/// Begins the names of the refs that keep lost commits: seconds since 1970, a dash, and the commit.
pub const LOST: &str = "refs/guard/lost/";

/// What the file `held` says: the commit that keeps the others, and these.
fn note(kept: Option<ObjectId>, listed: &str) -> String {
    let kept = kept.map_or_else(String::new, |kept| kept.to_string());
    format!("{kept}\n{listed}")
}

fn not_kept(error: impl std::fmt::Display) -> Error {
    Error::new(format!("what the checkpoint had cannot be kept: {error}"))
}

impl CheckpointStore<'_> {
    /// Keeps the commits of a checkpoint until the next one is kept.
    ///
    /// # Errors
    /// The commit or its ref cannot be written.
    pub fn hold(&self, one: &Checkpoint) -> Result<()> {
        let refs = one.refs().filter(|(name, _)| !is_remote(name));
        let targets = refs.map(|(_, id)| id).chain(one.stashes());
        let targets: BTreeSet<ObjectId> = targets.chain(one.head_commit()).collect();
        let listed: Vec<String> = targets.iter().map(ToString::to_string).collect();
        let listed = listed.join("\n");
        let name = self.held_name();
        let there = self.repo.target_of(&name);
        let known = std::fs::read_to_string(self.file("held")).unwrap_or_default();
        if known == note(there, &listed) {
            return Ok(());
        }
        let mut parents = Vec::new();
        for target in targets {
            match self.repo.resolve_commit(target.to_string().as_str().into()) {
                Ok(Some(commit)) => parents.push(commit),
                // A tag of something else than a commit.
                _ => self.copy_object(target),
            }
            if parents.last() != Some(&target) {
                self.copy_object(target);
            }
        }
        parents.sort();
        parents.dedup();
        let kept = if parents.is_empty() {
            None
        } else {
            Some(self.repo.write_commit(parents, "What a checkpoint had")?)
        };
        self.repo.set_ref(&name, kept)?;
        self.save("held", note(kept, &listed).as_bytes())
    }

    /// What was kept is not any more.
    pub(super) fn release(&self) {
        // What stays behind is only kept too long.
        let _ = self.repo.set_ref(&self.held_name(), None);
    }

    /// The ref of this work tree.
    fn held_name(&self) -> String {
        let name = self.directory.file_name().unwrap_or_default();
        let name: String = name.to_string_lossy().chars().take(12).collect();
        format!("{HELD}{name}")
    }

    /// Whether the ref that keeps the commits is as guard left it.
    pub(super) fn is_held(&self) -> bool {
        let known = std::fs::read_to_string(self.file("held")).unwrap_or_default();
        let kept = known.lines().next().and_then(id);
        self.repo.target_of(&self.held_name()) == kept
    }

    /// Copies an object into the store, which git does not collect.
    pub(super) fn copy_object(&self, id: ObjectId) {
        let there = self.objects();
        let found = self.repo.repo.find_object(id);
        // What is missing here is told when it is wanted.
        if let Ok(object) = found
            && !there.contains(&id)
        {
            let _ = there.write_buf(object.kind, &object.data);
        }
    }

    /// The store's own objects.
    pub(super) fn objects(&self) -> Store {
        Store::at(self.file("objects"), self.repo.repo.object_hash())
    }

    /// Brings an object back that git has collected, if the store has a copy. Whether it is there is the answer.
    pub(super) fn bring_back(&self, id: ObjectId) -> bool {
        let there = Store::at(self.common_dir.join("objects"), id.kind());
        if self.repo.repo.find_object(id).is_ok() {
            return true;
        }
        let mut buffer = Vec::new();
        match self.objects().try_find(&id, &mut buffer) {
            Ok(Some(found)) => there.write_buf(found.kind, found.data).is_ok(),
            _ => false,
        }
    }
}

/// Whether a ref is the copy of what a remote has.
pub(super) fn is_remote(name: &str) -> bool {
    name.starts_with("refs/remotes/")
}

impl Repository {
    /// Keeps a lost commit from `git gc`, under a ref of its own.
    ///
    /// # Errors
    /// The ref cannot be written.
    pub fn keep_lost(&self, commit: ObjectId, now: i64) -> Result<()> {
        self.set_ref(&format!("{LOST}{now}-{commit}"), Some(commit))
    }

    /// The lost commits that are kept, each with when it was lost, the newest first.
    ///
    /// # Errors
    /// The refs cannot be listed.
    pub fn kept_lost(&self) -> Result<Vec<(i64, ObjectId)>> {
        let mut found = Vec::new();
        for (name, tip) in self.branches(LOST)? {
            let name = name.to_string();
            let time = name.split_once('-').and_then(|(time, _)| time.parse().ok());
            found.extend(time.zip(tip));
        }
        found.sort_by(|one, other| other.cmp(one));
        Ok(found)
    }

    /// Forgets the commits that were lost before `time` (seconds since 1970).
    ///
    /// # Errors
    /// The refs cannot be listed or deleted.
    pub fn forget_lost(&self, time: i64) -> Result<()> {
        for (lost, commit) in self.kept_lost()? {
            if lost < time {
                self.set_ref(&format!("{LOST}{lost}-{commit}"), None)?;
            }
        }
        Ok(())
    }

    /// Writes a commit of nothing with these parents.
    fn write_commit(&self, parents: Vec<ObjectId>, message: &str) -> Result<ObjectId> {
        let hash = self.repo.object_hash();
        let store = Store::at(self.common_dir().join("objects"), hash);
        let tree = store.write_buf(Kind::Tree, b"");
        let signature = self.signature();
        let commit = gix::objs::Commit {
            tree: tree.map_err(not_kept)?,
            parents: parents.into_iter().collect(),
            author: signature.clone(),
            committer: signature,
            encoding: None,
            message: message.into(),
            extra_headers: Vec::new(),
        };
        store.write(&commit).map_err(not_kept)
    }

    /// The object that a ref names itself.
    pub(super) fn target_of(&self, name: &str) -> Option<ObjectId> {
        let found = self.repo.try_find_reference(name).ok()??;
        found.try_id().map(gix::Id::detach)
    }

    /// Sets or deletes a ref of guard's own.
    fn set_ref(&self, name: &str, to: Option<ObjectId>) -> Result<()> {
        if self.target_of(name) == to {
            return Ok(());
        }
        let cannot = failed(format!("{name} cannot be written"));
        let full = name.try_into();
        let full = full.map_err(|_| Error::new(format!("{name} is not the name of a ref")))?;
        let change = match to {
            Some(new) => Change::Update {
                log: LogChange {
                    mode: RefLog::AndReference,
                    force_create_reflog: false,
                    message: "guard".into(),
                },
                expected: PreviousValue::Any,
                new: Target::Object(new),
            },
            None => Change::Delete {
                log: RefLog::AndReference,
                expected: PreviousValue::Any,
            },
        };
        let lock = gix::lock::acquire::Fail::AfterDurationWithBackoff(LOCK);
        let prepared = self.repo.refs.transaction();
        let prepared = prepared.prepare([RefEdit::new(full, change)], lock, lock);
        let signature = self.signature();
        let mut buffer = gix::date::parse::TimeBuf::default();
        prepared
            .and_then(|ready| ready.commit(Some(signature.to_ref(&mut buffer))))
            .map(drop)
            .map_err(cannot)
    }
}

/// How long to wait for the lock of a ref.
const LOCK: std::time::Duration = std::time::Duration::from_secs(2);
