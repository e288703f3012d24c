//! The notes of sessions, and the changes that calls made: what there was before and afterwards, and what of it is to be
//! taken back.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use gix::bstr::ByteSlice;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{Checkpoint, CheckpointStore, unusable};
use crate::disk;
use crate::show_file;
use write_guard_policy::error::{Error, Result};
use write_guard_policy::path::escaped;

/// Begins the name of a change.
pub const CHANGE: &str = "cp-";

/// After this time without a call, a session has ended.
const IDLE: Duration = Duration::from_secs(24 * 60 * 60);
/// So many changes are kept.
const MOST: usize = 200;

/// What a call changed.
#[derive(Debug, Clone)]
pub struct ObservedChange {
    /// What there was before.
    pub before: Checkpoint,
    /// What there was afterwards.
    pub after: Checkpoint,
    /// What is to be taken back.
    pub back: Back,
    /// The call, for people.
    pub call: String,
    /// When it ended, in seconds since 1970.
    pub time: i64,
    /// The files that differ, the first ones.
    pub files: Vec<String>,
}

/// What of a change is to be taken back: what was refused, and what was lost.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Back {
    /// Files, by path.
    pub files: BTreeSet<String>,
    /// Paths of the index.
    pub staged: BTreeSet<String>,
    /// Refs, and `HEAD`.
    pub refs: BTreeSet<String>,
    /// Commits of stashes.
    pub stashes: Vec<String>,
    /// Whether the index is to be as before.
    pub index: bool,
    /// Whether switches of hooks are to be as before.
    pub switches: bool,
}

impl Back {
    /// Whether nothing is to be taken back.
    pub fn is_empty(&self) -> bool {
        *self == Back::default()
    }

    /// Whether it is about files alone, which a command can name.
    pub fn is_files(&self) -> bool {
        let with_files = self.staged.is_subset(&self.files);
        let others = Back {
            files: BTreeSet::new(),
            staged: BTreeSet::new(),
            ..self.clone()
        };
        with_files && others.is_empty()
    }
}

/// A change as it is kept.
#[derive(Serialize, Deserialize)]
struct KeptChange {
    before: String,
    after: String,
    back: Back,
    call: String,
    time: i64,
    files: Vec<String>,
}

impl CheckpointStore<'_> {
    /// Keeps a checkpoint; its name is the answer.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn keep_checkpoint(&self, one: &Checkpoint) -> Result<String> {
        let text = serde_json::to_vec(one).unwrap_or_default();
        let name = self.repo.blob_id(&text)?.to_string();
        if !self.file("checkpoints").join(&name).exists() {
            self.save(&format!("checkpoints/{name}"), &text)?;
        }
        Ok(name)
    }

    /// The checkpoint with this name.
    ///
    /// # Errors
    /// It is gone or damaged.
    pub fn checkpoint(&self, name: &str) -> Result<Checkpoint> {
        let place = self.file("checkpoints").join(name);
        let text = fs::read(&place).map_err(|error| unusable(&place, &error))?;
        serde_json::from_slice(&text).map_err(|error| unusable(&place, &error))
    }

    /// Keeps a change, and names it.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn keep_change(&self, change: &ObservedChange) -> Result<String> {
        let kept = KeptChange {
            before: self.keep_checkpoint(&change.before)?,
            after: self.keep_checkpoint(&change.after)?,
            back: change.back.clone(),
            call: change.call.clone(),
            time: change.time,
            files: change.files.clone(),
        };
        let text = serde_json::to_vec(&kept).unwrap_or_default();
        // No snapshot has such a name.
        let name = format!("{CHANGE}{}", self.repo.blob_id(&text)?.to_hex_with_len(8));
        self.save(&format!("changes/{name}"), &text)?;
        Ok(name)
    }

    /// The change with this name.
    ///
    /// # Errors
    /// There is none any more.
    pub fn observed(&self, name: &str) -> Result<ObservedChange> {
        let id = name.strip_prefix(CHANGE).unwrap_or("/");
        let is_name = id.bytes().all(|byte| byte.is_ascii_hexdigit());
        let text = fs::read(self.file("changes").join(name)).ok();
        let text = text.filter(|_| is_name);
        let kept: Option<KeptChange> = text.and_then(|text| serde_json::from_slice(&text).ok());
        let kept = kept.ok_or_else(|| {
            Error::new(format!("guard knows no change {}", escaped(name)))
                .help("changes of commands are kept until the session of the agent ends")
                .help("what only the work tree had is a snapshot: guard snapshot list")
        })?;
        Ok(ObservedChange {
            before: self.checkpoint(&kept.before)?,
            after: self.checkpoint(&kept.after)?,
            back: kept.back,
            call: kept.call,
            time: kept.time,
            files: kept.files,
        })
    }

    /// The names of the changes that are kept, the newest first.
    pub fn changes(&self) -> Vec<String> {
        let mut found: Vec<(SystemTime, String)> = Vec::new();
        for place in self.files("changes") {
            let modified = place.metadata().and_then(|about| about.modified());
            let name = place.file_name().unwrap_or_default().to_string_lossy();
            if let Ok(modified) = modified
                && name.starts_with(CHANGE)
                && !name.contains('.')
            {
                found.push((modified, name.into_owned()));
            }
        }
        found.sort_by(|one, other| other.cmp(one));
        found.into_iter().map(|(_, name)| name).collect()
    }

    /// The notes of a session; the default for a new one.
    ///
    /// # Errors
    /// They cannot be read, or are gone although the git directory has a note of the session.
    pub fn session<T: Default + DeserializeOwned>(&self, id: &str) -> Result<T> {
        let [file, new] = self.notes_of(id);
        if let Ok(text) = fs::read(&file) {
            return serde_json::from_slice(&text).map_err(|error| {
                Error::new(format!("the notes of the session are damaged: {error}"))
                    .help(format!("a person may delete {}", show_file(&file)))
            });
        }
        // A guard that was killed while it kept the notes had written all of them, or the first ones in part.
        let left = fs::read(new).ok();
        if let Some(notes) = left.and_then(|text| serde_json::from_slice(&text).ok()) {
            return Ok(notes);
        }
        let note = self.note();
        if fs::read_to_string(&note).is_ok_and(|known| known == id) {
            let _ = fs::remove_file(&note);
            return Err(Error::new("the checkpoints of this session are gone")
                .help("if a command removed them, tell the user what it changed"));
        }
        Ok(T::default())
    }

    /// Keeps the notes of a session.
    ///
    /// # Errors
    /// They cannot be written.
    pub fn keep_session(&self, id: &str, notes: &impl Serialize) -> Result<()> {
        let text = serde_json::to_vec(notes).unwrap_or_default();
        let [file, new] = self.notes_of(id);
        // Some file systems (ext4) write a file to disk at once that takes the place of another one. That may take longer
        // than everything else, so the old notes go first.
        fs::write(&new, text)
            .and_then(|()| disk::if_there(fs::remove_file(&file)))
            .and_then(|_| fs::rename(new, file))
            .map_err(|error| unusable(&self.directory, &error))?;
        let note = self.note();
        if fs::read(&note).is_ok_and(|known| known == id.as_bytes()) {
            return Ok(());
        }
        disk::create_private_directory(disk::directory_of(&note))
            .and_then(|()| fs::write(&note, id))
            .map_err(|error| unusable(&note, &error))
    }

    /// The file with the notes of a session, and the one that takes its place.
    fn notes_of(&self, id: &str) -> [PathBuf; 2] {
        let file = self.file("sessions").join(id);
        let new = file.with_extension("new");
        [file, new]
    }

    /// Deletes old changes, and the checkpoints and copies that no session and no change needs.
    pub fn tidy(&self) {
        for name in self.changes().into_iter().skip(MOST) {
            let _ = fs::remove_file(self.file("changes").join(name));
        }
        self.keep_named_in("checkpoints", &["sessions", "changes"]);
        self.keep_named_in("copies", &["checkpoints"]);
    }

    /// Deletes the files of a directory whose names are in no file of the others.
    fn keep_named_in(&self, directory: &str, others: &[&str]) {
        let mut text = Vec::new();
        for place in others.iter().flat_map(|name| self.files(name)) {
            text.extend(fs::read(place).unwrap_or_default());
        }
        for place in self.files(directory) {
            let name = place.file_name().unwrap_or_default();
            if !text.contains_str(name.as_encoded_bytes()) {
                let _ = fs::remove_file(place);
            }
        }
    }

    /// Ends a session. The last one takes all checkpoints along.
    pub fn end_session(&self, id: &str) {
        for file in self.notes_of(id) {
            let _ = fs::remove_file(file);
        }
        let _ = fs::remove_file(self.note());
        if self.files("sessions").next().is_none() {
            self.forget();
        }
    }

    /// Ends the sessions without a call for a long time.
    pub(super) fn forget_idle(&self) {
        for session in self.files("sessions") {
            let modified = session.metadata().and_then(|about| about.modified());
            let age = modified.ok().and_then(|at| at.elapsed().ok());
            if age.is_some_and(|age| age > IDLE) {
                self.end_session(&session.file_name().unwrap_or_default().to_string_lossy());
            }
        }
    }

    fn forget(&self) {
        self.release();
        // What stays behind is overwritten or not used.
        for name in [
            "config",
            "index",
            "tree",
            "held",
            "staged",
            "objects",
            "copies",
            "checkpoints",
            "changes",
        ] {
            let path = self.file(name);
            let _ = fs::remove_file(&path).or_else(|_| fs::remove_dir_all(&path));
        }
    }
}
