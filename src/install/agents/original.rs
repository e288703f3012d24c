//! What guard knows about the settings of an agent: how they were before it added its hooks, so that uninstalling gives
//! back every byte (removing the hooks by syntax changes the layout of a file on one line), and for which of them the
//! agent has called guard.

// Notes below the git directory.
#![allow(clippy::disallowed_methods)]

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::disk;
use crate::git::Repository;

/// The file before and after guard wrote it.
#[derive(Debug, Serialize, Deserialize)]
struct Installed {
    before: Option<String>,
    after: String,
}

/// Where a note on an agent is.
fn place(repo: &Repository, agent: &str, kind: &str) -> PathBuf {
    let directory = repo.common_dir().join("guard").join("agents");
    directory.join(format!("{agent}.{kind}"))
}

/// A note that fails costs only what it is good for.
fn write(place: &Path, text: &[u8]) {
    let directory = disk::create_private_directory(disk::directory_of(place));
    drop(directory.and_then(|()| disk::replace(place, text, Some(disk::PRIVATE))));
}

fn noted(repo: &Repository, agent: &str) -> Option<Installed> {
    serde_json::from_slice(&fs::read(place(repo, agent, "json")).ok()?).ok()
}

/// Notes what guard is about to replace. Without the note, uninstalling still removes the hooks.
pub(super) fn note(repo: &Repository, agent: &str, before: Option<&str>, after: &str) {
    let before = match noted(repo, agent) {
        // guard's own hooks of an earlier version.
        Some(known) if Some(known.after.as_str()) == before => known.before,
        _ => before.map(str::to_owned),
    };
    let installed = Installed {
        before,
        after: after.to_owned(),
    };
    let text = serde_json::to_vec(&installed).unwrap_or_default();
    write(&place(repo, agent, "json"), &text);
}

/// The file before guard wrote it, if nothing else has changed it since; `Some(None)` if there was none.
pub(super) fn original(repo: &Repository, agent: &str, now: &str) -> Option<Option<String>> {
    let installed = noted(repo, agent)?;
    (installed.after == now).then_some(installed.before)
}

/// Whether the agent has called guard with these settings.
pub(super) fn has_fired(repo: &Repository, agent: &str, settings: &str) -> bool {
    fs::read(place(repo, agent, "called")).is_ok_and(|known| known == settings.as_bytes())
}

/// Notes such a call.
pub(super) fn note_call(repo: &Repository, agent: &str, settings: &str) {
    write(&place(repo, agent, "called"), settings.as_bytes());
}
