//! The shell commands of a tool call, and what they do to files.

#[cfg(feature = "shell")]
use std::path::Path;
use std::path::PathBuf;

use super::call::{FileAction, ToolCall};
#[cfg(feature = "shell")]
use super::shell::{self, CommandPlace, Sight};
use crate::gate::{GateResult, Passed};
use crate::git::Repository;
use crate::judge::Options;

/// What surrounds a command besides its text.
#[derive(Debug, Clone, Default)]
#[cfg_attr(not(feature = "shell"), allow(dead_code))]
pub(crate) struct Surroundings {
    /// The agent's working directory.
    pub(crate) directory: PathBuf,
    /// `HOME`.
    pub(crate) home: Option<PathBuf>,
    /// The directory for temporary files.
    pub(crate) temporary: PathBuf,
}

/// What the commands of a tool call do to files.
#[derive(Debug, Default)]
pub(crate) struct Commands {
    #[cfg(feature = "shell")]
    seen: Vec<(CommandPlace, Sight)>,
    #[cfg(not(feature = "shell"))]
    unseen: bool,
}

#[cfg(feature = "shell")]
impl Commands {
    /// Reads the commands of a call.
    pub(crate) fn of(call: &ToolCall, around: &Surroundings) -> Commands {
        let text = |path: &Path| path.to_string_lossy().into_owned();
        let see = |action: &FileAction| {
            let FileAction::Command {
                text: command,
                directory,
            } = action
            else {
                return None;
            };
            let directory = match directory {
                Some(directory) => around.directory.join(directory),
                None => around.directory.clone(),
            };
            let root = directory
                .ancestors()
                .find(|path| path.join(".git").exists());
            let place = CommandPlace {
                root: root.map(text),
                directory: text(&directory),
                home: around.home.as_deref().map(text),
                temporary: text(&around.temporary),
            };
            let mut sight = shell::look(command, &place);
            if place.root.is_none() {
                sight.forget_temporary(&place.temporary);
            }
            let is_seen = !sight.effects.is_empty() || sight.unread.is_some();
            is_seen.then_some((place, sight))
        };
        Commands {
            seen: call.actions.iter().filter_map(see).collect(),
        }
    }

    /// Whether they do nothing to files, as far as their text says so.
    pub(crate) fn are_harmless(&self) -> bool {
        self.seen.is_empty()
    }

    /// What they may do to existing files.
    pub(super) fn judge(&self, repo: &Repository, options: &Options) -> GateResult<Passed> {
        let mut passed = Passed::default();
        for (place, sight) in &self.seen {
            passed.join(super::command::judge(repo, options, place, sight)?);
        }
        Ok(passed)
    }
}

/// Without the grammars, guard cannot see into commands, so it denies them.
#[cfg(not(feature = "shell"))]
impl Commands {
    pub(crate) fn of(call: &ToolCall, _: &Surroundings) -> Commands {
        Commands {
            unseen: call.actions.iter().any(FileAction::is_command),
        }
    }

    pub(crate) fn are_harmless(&self) -> bool {
        !self.unseen
    }

    pub(super) fn judge(&self, _: &Repository, _: &Options) -> GateResult<Passed> {
        if self.unseen {
            return Err(crate::error::not_built("cannot judge shell commands", "shell").into());
        }
        Ok(Passed::default())
    }
}
