//! Putting back what a snapshot holds: by a person, through the boundary, after a snapshot of what is there now.

use gix::bstr::BStr;
use serde_json::Map;

use super::lock::Lock;
use super::perform::standing;
use super::{Failure, Head, Log};
use crate::error::{Error, Result};
use crate::git::{Before, Pruned, Repository};
use crate::judge::settings_of_head;
use crate::path::boundary::{Boundary, BoundaryError, Entry};
use crate::path::show;
use crate::policy::settings::Settings;

/// A workspace to restore files in.
pub struct Undo<'a> {
    repo: &'a Repository,
    boundary: Boundary,
    log: Log,
    lock: Lock,
    settings: Settings,
}

impl<'a> Undo<'a> {
    /// Opens the workspace. No design is needed: nothing is granted, only undone.
    ///
    /// # Errors
    /// A bare repository, a workspace that cannot be opened, or settings of HEAD that cannot be read.
    pub fn open(repo: &'a Repository) -> Result<Undo<'a>> {
        let settings = settings_of_head(repo)?;
        Ok(Undo {
            repo,
            boundary: Boundary::open(repo.own_workdir()?).map_err(failed)?,
            log: Log::new(repo.common_dir()),
            lock: Lock::new(repo.common_dir()),
            settings,
        })
    }

    /// What is at a path now.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn current(&self, path: &BStr) -> Result<Option<Vec<u8>>> {
        Ok(self.entry(path)?.map(|entry| entry.content))
    }

    /// Forgets the snapshots that are older than the settings say, while nobody takes one.
    ///
    /// # Errors
    /// Others do not stop writing, or a snapshot cannot be read or written.
    pub fn prune(&self) -> Result<Pruned> {
        let _alone = self.lock.take().map_err(Failure::into_error)?;
        let now = gix::date::Time::now_utc().seconds;
        let oldest = now.saturating_sub_unsigned(self.settings.keep);
        self.repo.prune_snapshots(oldest)
    }

    /// Puts `content` back at a path, or removes the file for `None`. A file that is there keeps its mode bits; one
    /// that is gone becomes executable again where `executable` says that it was.
    ///
    /// # Errors
    /// Snapshot, log or file cannot be written; the file is as it was then, unless the error says otherwise.
    pub fn restore(&self, path: &BStr, content: Option<&[u8]>, executable: bool) -> Result<()> {
        let _alone = self.lock.take().map_err(Failure::into_error)?;
        let now = self.entry(path)?;
        if now.as_ref().map(|entry| entry.content.as_slice()) == content {
            return Ok(());
        }
        let before = Before {
            path,
            content: now
                .as_ref()
                .map(|entry| (entry.content.as_slice(), entry.is_executable())),
        };
        let title = format!("Backup before restore: {}", show(path));
        let log = standing(&self.log).map_err(Failure::into_error)?;
        let backup = self
            .repo
            .take_snapshot(&[before], &title, &log.to_string())?;
        let mut facts = Map::new();
        facts.insert("operation".into(), "restore".into());
        facts.insert("path".into(), show(path).to_string().into());
        facts.insert("backup".into(), backup.to_string().into());
        let started = self.record("started", &facts)?;
        facts.insert("started".into(), started.count.into());
        let restored = match content {
            Some(content) => {
                let is_new = now.is_none();
                let mode = now.and_then(|entry| entry.mode);
                let written = self.boundary.replace(path, content, mode);
                written.and_then(|()| match is_new && executable {
                    true => self.boundary.make_executable(path),
                    false => Ok(()),
                })
            }
            None => self.boundary.remove(path),
        };
        if let Err(error) = restored {
            // The failure itself is told either way; the log shows an operation without an end.
            let _ = self.record("failed", &facts);
            return Err(failed(error));
        }
        self.record("done", &facts).map(drop).map_err(|error| {
            Error::new(format!(
                "the restore of {} is done, but its end is not on record: {}",
                show(path),
                error.message
            ))
        })
    }

    fn entry(&self, path: &BStr) -> Result<Option<Entry>> {
        self.boundary.read(path, u64::MAX).map_err(failed)
    }

    fn record(&self, event: &str, facts: &Map<String, serde_json::Value>) -> Result<Head> {
        let recorded = self.log.append(event, facts.clone());
        recorded.map_err(|error| Error::new(format!("the audit log cannot be written: {error}")))
    }
}

fn failed(error: BoundaryError) -> Error {
    Error::new(error.to_string())
}
