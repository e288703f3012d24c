//! What an agent is about to do to a file.

use gix::bstr::{BStr, BString};

use super::rebuild::{CellEdit, PatchChunk, TextEdit};

/// What a tool does to a file.
#[derive(Debug, Clone, PartialEq)]
pub enum FileAction {
    /// Reads it.
    Read(BString),
    /// Creates or replaces it; the whole new content.
    Write(BString, Vec<u8>),
    /// Replaces text in it, in order, each in the previous result.
    Edit(BString, Vec<TextEdit>),
    /// Changes one cell of a Jupyter notebook.
    EditCell(CellEdit),
    /// Changes its lines by a patch, which may also move it to a second path.
    Patch(BString, Option<BString>, Vec<PatchChunk>),
    /// Deletes it.
    Delete(BString),
    /// Calls a tool of guard's own MCP server, which judges the call.
    Guarded,
    /// Runs a shell command, as the shell gets it.
    Command(String),
}

impl FileAction {
    /// The paths that it names: none, one, or both ends of a move.
    pub fn paths(&self) -> impl Iterator<Item = &BStr> {
        let (path, target) = match self {
            FileAction::Patch(path, to, _) => (Some(path.as_ref()), to.as_ref().map(AsRef::as_ref)),
            FileAction::Read(path)
            | FileAction::Write(path, _)
            | FileAction::Edit(path, _)
            | FileAction::Delete(path) => (Some(path.as_ref()), None),
            FileAction::EditCell(edit) => (Some(edit.notebook_path.as_str().into()), None),
            FileAction::Command(_) | FileAction::Guarded => (None, None),
        };
        [path, target].into_iter().flatten()
    }

    pub fn is_command(&self) -> bool {
        matches!(self, FileAction::Command(_))
    }

    pub fn is_read(&self) -> bool {
        matches!(self, FileAction::Read(_))
    }
}
