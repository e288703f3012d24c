//! Tells the model the scope before its first write: at the start of a session, after a compaction, and when the scope
//! has changed since.

// Notes below the git directory what each session was told.
#![allow(clippy::disallowed_methods)]

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use super::payload::Payload;
use crate::disk;
use crate::git::Repository;
use crate::judge::{self, Options};
use crate::path::escaped;
use crate::report::prompt_text;

/// How many sessions guard remembers.
const SESSIONS: usize = 20;

/// What a branch without a design of its own means for the agent.
const NO_DESIGN: &str = "Before you change files that are not listed here, ask the user for a design of this branch: \
    `guard scope new` writes one, `guard use FILE` chooses one. Without it, guard refuses the change.";

/// An event at which an agent takes up text into the model's context.
#[derive(Debug)]
pub(crate) struct ContextEvent {
    pub(super) event: &'static str,
    /// The directory in which the agent works: an absolute path.
    pub(crate) directory: PathBuf,
    session: String,
    /// Whether the context holds nothing yet, or nothing any more.
    is_new: bool,
}

impl ContextEvent {
    /// The event of a payload; `None` if it is none of these, each with whether the context is new.
    pub(super) fn of(events: &[(&'static str, bool)], payload: &Payload) -> Option<ContextEvent> {
        let name = payload.event()?;
        let (event, is_new) = *events.iter().find(|(event, _)| *event == name)?;
        Some(ContextEvent {
            event,
            directory: payload.place()?,
            session: payload.session().to_owned(),
            is_new,
        })
    }
}

/// The scope, if the session does not know it; nothing where none applies.
pub(crate) fn scope_to_tell(
    event: &ContextEvent,
    repo: &Repository,
    options: &Options,
) -> Option<String> {
    let text = match judge::prompt(repo, options) {
        Ok(None) => return None,
        Ok(Some(section)) if section.has_own_design => prompt_text(&section),
        Ok(Some(section)) => format!("{}\n{NO_DESIGN}\n", prompt_text(&section)),
        Err(error) => format!(
            "guard allows no change here: {}. {NO_DESIGN}\n",
            error.message
        ),
    };
    let is_known = is_known(repo.git_dir(), &event.session, &text);
    (event.is_new || !is_known).then_some(text)
}

/// Whether this is what the session was told last; notes it. A note that fails only repeats the text.
fn is_known(git_dir: &Path, session: &str, text: &str) -> bool {
    let directory = git_dir.join("guard");
    let file = directory.join("scope-told");
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    let session = escaped(session).to_string();
    let line = format!("{:016x} {session}", hasher.finish());
    let notes = fs::read_to_string(&file).unwrap_or_default();
    if notes.lines().any(|known| known == line) {
        return true;
    }
    let others = notes
        .lines()
        .filter(|known| known.get(17..) != Some(&session));
    let lines: Vec<&str> = std::iter::once(line.as_str())
        .chain(others)
        .take(SESSIONS)
        .collect();
    let note = lines.join("\n") + "\n";
    let written = disk::create_private_directory(&directory)
        .and_then(|()| disk::replace(&file, note.as_bytes(), Some(disk::PRIVATE)));
    drop(written);
    false
}
