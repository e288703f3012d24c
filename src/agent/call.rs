//! What an agent is about to do, the same for all protocols.

use std::path::PathBuf;

use gix::bstr::{BStr, BString};

use super::edit::TextEdit;
use super::notebook::CellEdit;
use super::patch_chunk::PatchChunk;

/// An announced tool call.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ToolCall {
    /// The agent's name of the tool.
    pub(crate) tool: String,
    /// The directory in which the agent works: an absolute path.
    pub(crate) directory: PathBuf,
    /// What it does to files; empty if guard does not judge this tool.
    pub(crate) actions: Vec<FileAction>,
}

/// What a tool does to one file.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum FileAction {
    /// Reads it.
    Read {
        /// The file.
        path: BString,
    },
    /// Creates or replaces it.
    Write {
        /// The file.
        path: BString,
        /// The whole new content.
        content: Vec<u8>,
    },
    /// Replaces text in it.
    Edit {
        /// The file.
        path: BString,
        /// Applied in order, each to the previous result.
        edits: Vec<TextEdit>,
    },
    /// Changes one cell of a Jupyter notebook.
    EditCell {
        /// The notebook.
        path: BString,
        /// The change.
        edit: CellEdit,
    },
    /// Changes its lines by a patch.
    Patch {
        /// The file.
        path: BString,
        /// The changes.
        chunks: Vec<PatchChunk>,
    },
    /// Moves it, and changes its lines.
    Move {
        /// The file.
        path: BString,
        /// Its new path.
        to: BString,
        /// The changes, possibly none.
        chunks: Vec<PatchChunk>,
    },
    /// Deletes it.
    Delete {
        /// The file.
        path: BString,
    },
    /// Runs a shell command.
    Command {
        /// As the shell gets it.
        text: String,
    },
}

impl FileAction {
    /// The paths that it names: none, one, or both ends of a move.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &BStr> {
        let (path, target) = match self {
            FileAction::Move { path, to, .. } => (Some(path), Some(to)),
            FileAction::Read { path }
            | FileAction::Write { path, .. }
            | FileAction::Edit { path, .. }
            | FileAction::EditCell { path, .. }
            | FileAction::Patch { path, .. }
            | FileAction::Delete { path } => (Some(path), None),
            FileAction::Command { .. } => (None, None),
        };
        [path, target].into_iter().flatten().map(AsRef::as_ref)
    }

    pub(crate) fn is_command(&self) -> bool {
        matches!(self, FileAction::Command { .. })
    }

    pub(crate) fn is_read(&self) -> bool {
        matches!(self, FileAction::Read { .. })
    }
}

impl ToolCall {
    /// A call that does nothing, in this directory.
    pub(crate) fn in_directory(directory: PathBuf) -> ToolCall {
        ToolCall {
            tool: String::new(),
            directory,
            actions: Vec::new(),
        }
    }

    pub(crate) fn has_only_absolute_paths(&self) -> bool {
        let is_absolute =
            |path: &BStr| gix::path::from_bstr(path).is_ok_and(|path| path.is_absolute());
        self.actions
            .iter()
            .flat_map(FileAction::paths)
            .all(is_absolute)
    }

    /// Whether guard cannot know from the call what it does to files.
    pub(crate) fn is_observed(&self) -> bool {
        self.actions.is_empty() || self.actions.iter().any(FileAction::is_command)
    }

    /// Whether it does more than reading.
    pub(crate) fn changes_files(&self) -> bool {
        self.actions.iter().any(|action| !action.is_read())
    }
}
