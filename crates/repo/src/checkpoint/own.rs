//! What guard itself keeps in the repository: its log, and the newest snapshot.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

use super::{Checkpoint, CheckpointStore, GuardsOwn, id};
use crate::Repository;
use crate::snapshot::SNAPSHOTS;

/// So much of the end of the log is compared.
const END: u64 = 4096;

/// What of it is gone or was changed by something else than guard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OwnLoss {
    /// The log is shorter than it was, or says something else.
    Log,
    /// The newest snapshot is none any more.
    Snapshots,
    /// What keeps the commits of a checkpoint from `git gc` is gone.
    Checkpoints,
}

impl CheckpointStore<'_> {
    pub(super) fn guards_own(&self) -> GuardsOwn {
        let length = std::fs::metadata(self.log()).ok().map(|about| about.len());
        let log = length.and_then(|length| Some((length, self.end_of_log(length)?)));
        let newest = self.repo.target_of(SNAPSHOTS);
        GuardsOwn {
            log,
            snapshots: newest.map(|id| id.to_string()),
        }
    }

    /// What of guard's own was there in a checkpoint and is gone.
    pub fn lost_own(&self, before: &Checkpoint) -> Vec<OwnLoss> {
        let mut lost = Vec::new();
        if let Some((length, end)) = &before.own.log
            && self.end_of_log(*length).as_ref() != Some(end)
        {
            lost.push(OwnLoss::Log);
        }
        if let Some(was) = before.own.snapshots.as_deref().and_then(id)
            && !self.repo.still_has_snapshot(was)
        {
            lost.push(OwnLoss::Snapshots);
        }
        if !self.is_held() {
            lost.push(OwnLoss::Checkpoints);
        }
        lost
    }

    fn log(&self) -> std::path::PathBuf {
        self.common_dir.join("guard").join("log.jsonl")
    }

    /// The digest of what stands before this place of the log; `None` if it is shorter.
    fn end_of_log(&self, length: u64) -> Option<String> {
        let mut log = File::open(self.log()).ok()?;
        let start = length.saturating_sub(END);
        log.seek(SeekFrom::Start(start)).ok()?;
        let mut end = vec![0; usize::try_from(length - start).ok()?];
        log.read_exact(&mut end).ok()?;
        self.repo.blob_id(&end).ok().map(|id| id.to_string())
    }
}

impl Repository {
    /// Whether the newest snapshot of before is still one: itself, or its copy after older ones were pruned.
    fn still_has_snapshot(&self, was: gix::ObjectId) -> bool {
        let Some(newest) = self.target_of(SNAPSHOTS) else {
            return false;
        };
        let mut next = Some(newest);
        let about = |id| Some((self.commit(id).ok()?.tree, self.message(id).ok()?));
        let wanted = about(was);
        while let Some(one) = next {
            if one == was || wanted.is_some() && about(one) == wanted {
                return true;
            }
            let commit = self.commit(one).ok();
            next = commit.and_then(|commit| commit.parents.first().copied());
        }
        false
    }
}
