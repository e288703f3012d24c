//! The settings of an agent as they were before guard added its hooks, so that uninstalling gives back every byte.
//! Removing the hooks by syntax keeps the meaning, but not the layout of a file on one line.

// A note below the git directory.
#![allow(clippy::disallowed_methods)]

use std::fs;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::disk;
use crate::git::Repository;

/// The file before and after guard wrote it.
#[derive(Debug, Serialize, Deserialize)]
struct Installed {
    before: Option<String>,
    after: String,
}

/// Where the note of an agent is.
fn place(repo: &Repository, agent: &str) -> PathBuf {
    let directory = repo.common_dir().join("guard").join("agents");
    directory.join(format!("{agent}.json"))
}

fn noted(repo: &Repository, agent: &str) -> Option<Installed> {
    serde_json::from_slice(&fs::read(place(repo, agent)).ok()?).ok()
}

/// Notes what guard is about to replace. Without the note, uninstalling still removes the hooks.
pub(super) fn note(repo: &Repository, agent: &str, before: Option<&str>, after: &str) {
    let place = place(repo, agent);
    let before = match noted(repo, agent) {
        // guard's own hooks of an earlier version.
        Some(known) if Some(known.after.as_str()) == before => known.before,
        _ => before.map(str::to_owned),
    };
    let installed = Installed {
        before,
        after: after.to_owned(),
    };
    let written = disk::create_private_directory(disk::directory_of(&place)).and_then(|()| {
        let text = serde_json::to_vec(&installed)?;
        disk::replace(&place, &text, Some(disk::PRIVATE))
    });
    drop(written);
}

/// The file before guard wrote it, if nothing else has changed it since; `Some(None)` if there was none.
pub(super) fn original(repo: &Repository, agent: &str, now: &str) -> Option<Option<String>> {
    let installed = noted(repo, agent)?;
    (installed.after == now).then_some(installed.before)
}
