//! Says that a batch is being applied, so that the next run can put things right if this one is killed. The log alone
//! would do, but guard would have to read all of it for every operation.

// The journal is a file below the git directory.
#![allow(clippy::disallowed_methods)]

use std::fs;
use std::io;
use std::path::PathBuf;

use gix::bstr::BString;
use serde_json::{Value, json};

use super::{Failure, FailureKind, GateResult};
use crate::disk;
use crate::git::Repository;
use crate::path::escaped;

/// The journal of a work tree.
pub(super) struct BatchJournal {
    file: PathBuf,
}

impl BatchJournal {
    /// The journal of the current work tree. Nothing is created before the first batch.
    pub(super) fn of(repo: &Repository) -> BatchJournal {
        BatchJournal {
            file: repo.git_dir().join("guard").join("batch.json"),
        }
    }

    /// Says that the batch with this "started" record begins.
    ///
    /// # Errors
    /// The journal cannot be written, so the batch must not begin.
    pub(super) fn begin(&self, started: u64) -> GateResult<()> {
        let write = || {
            disk::create_private_directory(disk::directory_of(&self.file))?;
            let text = json!({ "started": started }).to_string();
            disk::replace(&self.file, text.as_bytes(), Some(disk::PRIVATE))
        };
        write().map_err(|error| {
            Failure::new(
                FailureKind::Record,
                format!("the journal of the batch cannot be written: {error}"),
            )
            .help("nothing was written; the git directory must be writable and have space")
        })
    }

    /// Says that the batch is over. If that fails, the log still says so.
    pub(super) fn end(&self) {
        let _ = fs::remove_file(&self.file);
    }

    /// The "started" record of a batch that did not end.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub(super) fn unfinished(&self) -> GateResult<Option<u64>> {
        let bytes = match fs::read(&self.file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(self.unusable(&error.to_string())),
            Ok(bytes) => bytes,
        };
        let value: Option<Value> = serde_json::from_slice(&bytes).ok();
        let started = value.and_then(|value| value.get("started").and_then(Value::as_u64));
        started
            .map(Some)
            .ok_or_else(|| self.unusable("it is damaged"))
    }

    /// A file cannot be put right now.
    pub(super) fn stuck(&self, path: &BString, why: &str) -> Failure {
        let file = crate::git::show_file(&self.file);
        Failure::new(
            FailureKind::Io,
            format!(
                "an interrupted batch cannot be rolled back: {}: {why}",
                escaped(path)
            ),
        )
        .help("guard tries again before it next writes anything")
        .help(format!(
            "to keep the files as they are instead, remove {file}"
        ))
    }

    /// The journal says that a batch was interrupted, but not what to put right.
    pub(super) fn unusable(&self, why: &str) -> Failure {
        let file = crate::git::show_file(&self.file);
        Failure::new(
            FailureKind::Record,
            format!("a batch was interrupted, and guard cannot put that right: {why}"),
        )
        .help("compare the files with the last snapshot: guard snapshot list")
        .help(format!("then remove {file}"))
    }
}
