//! Reads and prunes the chain of snapshots.

use gix::ObjectId;
use gix::bstr::{BStr, BString, ByteSlice};

use super::snapshot::{ABSENT, LOG, ObjectWriter, WORK_TREE};
use super::{Repository, WorkTree, failed};
use crate::error::{Error, Result};
use crate::path::escaped;

/// One snapshot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// The commit.
    pub id: ObjectId,
    /// The first line of its message.
    pub title: String,
    /// Seconds since 1970.
    pub time: i64,
    /// The files in it.
    pub files: Vec<BString>,
    /// The paths that did not exist.
    pub absent: Vec<BString>,
    /// The position in the audit log; `None` in a snapshot of an older guard.
    pub log: Option<String>,
    /// The work tree of the files.
    pub work_tree: WorkTree,
}

/// The snapshots of a repository.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Snapshots {
    /// The readable ones, newest first.
    pub readable: Vec<Snapshot>,
    /// Those with a missing or damaged object.
    pub lost: Vec<ObjectId>,
    /// Whether the last lost one hides older ones.
    pub is_cut: bool,
}

impl Repository {
    /// All snapshots. A lost commit hides older ones; a lost tree does not.
    ///
    /// # Errors
    /// The ref cannot be read.
    pub(crate) fn snapshots(&self) -> Result<Snapshots> {
        ObjectWriter::new(self).put_back_lost();
        let mut all = Snapshots::default();
        let mut next = self.newest_snapshot()?;
        while let Some(id) = next {
            match self.snapshot(id) {
                Ok(snapshot) => all.readable.push(snapshot),
                Err(_) => all.lost.push(id),
            }
            let parent = self.first_parent(id);
            all.is_cut = parent.is_err();
            next = parent.unwrap_or(None);
        }
        Ok(all)
    }

    /// The snapshot whose id starts with `name`; never another commit of the repository.
    ///
    /// # Errors
    /// There is none, there are several, or it cannot be read.
    pub(crate) fn snapshot_named(&self, name: &str) -> Result<Snapshot> {
        let all = self.snapshots()?;
        let is_meant = |id: &ObjectId| name.len() >= 4 && id.to_string().starts_with(name);
        let mut found = all.readable.into_iter().filter(|one| is_meant(&one.id));
        let what = match (found.next(), found.next()) {
            (Some(only), None) => return Ok(only),
            (Some(_), Some(_)) => "matches several snapshots",
            (None, _) => match all.lost.into_iter().find(is_meant) {
                Some(lost) => return self.snapshot(lost),
                None => "is not a snapshot",
            },
        };
        Err(Error::new(format!("{} {what}", escaped(name)))
            .help("to list the snapshots: guard snapshot list"))
    }

    /// One snapshot.
    ///
    /// # Errors
    /// It cannot be read.
    pub(crate) fn snapshot(&self, id: ObjectId) -> Result<Snapshot> {
        let unreadable = failed(format!("the snapshot {id} cannot be read"));
        let commit = self.repo.find_commit(id).map_err(&unreadable)?;
        let message = commit.message_raw().map_err(&unreadable)?;
        let mut lines = message.lines();
        let line = |name: &'static str| values(message, name).next().map(BStr::new);
        Ok(Snapshot {
            id,
            title: lines.next().unwrap_or_default().to_str_lossy().into_owned(),
            time: commit.time().map_err(&unreadable)?.seconds,
            files: self.tree_of(Some(id))?.files_below(BStr::new(""))?,
            absent: values(message, ABSENT).map(BString::from).collect(),
            log: line(LOG).map(|head| head.to_str_lossy().into_owned()),
            work_tree: WorkTree::new(line(WORK_TREE).map(|name| name.to_str_lossy()).as_deref()),
        })
    }

    pub(super) fn first_parent(&self, id: ObjectId) -> Result<Option<ObjectId>> {
        let commit = self
            .repo
            .find_commit(id)
            .map_err(failed(format!("the snapshot {id} cannot be read")))?;
        Ok(commit.parent_ids().next().map(gix::Id::detach))
    }
}

/// What the lines of a message say that begin with `name`.
fn values<'a>(message: &'a BStr, name: &'a str) -> impl Iterator<Item = &'a [u8]> {
    let lines = message.lines();
    lines.filter_map(|line| line.strip_prefix(name.as_bytes()))
}

/// What `Repository::prune_snapshots` did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pruned {
    /// The number of removed snapshots.
    pub forgotten: usize,
    /// The number of remaining snapshots, rewritten without the removed ones.
    pub kept: usize,
}

impl Repository {
    /// Removes the snapshots older than the last one made at `time` (seconds since 1970) or later, and lost ones; git
    /// then collects their objects. Order in the chain decides, so a wrong clock cannot remove newer snapshots. The
    /// caller holds the lock for snapshots.
    ///
    /// # Errors
    /// A snapshot cannot be read or written, or another process took one meanwhile.
    pub(crate) fn prune_snapshots(&self, time: i64) -> Result<Pruned> {
        let failed = failed("the snapshots cannot be pruned");
        let newest = self.newest_snapshot()?;
        let all = self.snapshots()?;
        let is_young = |snapshot: &Snapshot| snapshot.time >= time;
        let last = all.readable.iter().rposition(is_young);
        let kept = &all.readable[..last.map_or(0, |at| at + 1)];
        let pruned = Pruned {
            forgotten: all.readable.len() - kept.len(),
            kept: kept.len(),
        };
        if pruned.forgotten + all.lost.len() == 0 {
            return Ok(pruned);
        }
        let writer = ObjectWriter::new(self);
        let mut parent: Option<ObjectId> = None;
        for snapshot in kept.iter().rev() {
            let commit = self.repo.find_commit(snapshot.id).map_err(&failed)?;
            let copy = commit.decode().and_then(|commit| commit.into_owned());
            let mut copy = copy.map_err(&failed)?;
            copy.parents = parent.into_iter().collect();
            parent = Some(writer.write(&copy)?);
        }
        self.set_snapshots(&writer, newest, parent)?;
        writer.forget_copies(time);
        Ok(pruned)
    }
}
