//! What an agent is about to do, the same for all protocols.

use std::path::PathBuf;

use gix::bstr::{BStr, BString};

use super::rebuild::{CellEdit, PatchChunk, TextEdit};

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

/// What a tool does to a file.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum FileAction {
    /// Reads it.
    Read(BString),
    /// Creates or replaces it; the whole new content.
    Write(BString, Vec<u8>),
    /// Replaces text in it, in order, each in the previous result.
    Edit(BString, Vec<TextEdit>),
    /// Changes one cell of a Jupyter notebook.
    EditCell(CellEdit),
    /// Changes its lines by a patch.
    Patch(BString, Vec<PatchChunk>),
    /// Moves it to the second path, and changes its lines, if there are chunks.
    Move(BString, BString, Vec<PatchChunk>),
    /// Deletes it.
    Delete(BString),
    /// Runs a shell command, as the shell gets it.
    Command(String),
}

impl FileAction {
    /// The paths that it names: none, one, or both ends of a move.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &BStr> {
        let (path, target) = match self {
            FileAction::Move(path, to, _) => (Some(path.as_ref()), Some(to.as_ref())),
            FileAction::Read(path)
            | FileAction::Write(path, _)
            | FileAction::Edit(path, _)
            | FileAction::Patch(path, _)
            | FileAction::Delete(path) => (Some(path.as_ref()), None),
            FileAction::EditCell(edit) => (Some(edit.notebook_path.as_str().into()), None),
            FileAction::Command(_) => (None, None),
        };
        [path, target].into_iter().flatten()
    }

    pub(crate) fn is_command(&self) -> bool {
        matches!(self, FileAction::Command(_))
    }

    pub(crate) fn is_read(&self) -> bool {
        matches!(self, FileAction::Read(_))
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
