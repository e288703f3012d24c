//! The content of a file after the edits of an agent.

use gix::bstr::ByteSlice;

use crate::gate::{Edit, Failure, FailureKind, GateResult, apply, ends_lines_with_crlf};

/// A replacement of text, as an agent announces it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TextEdit {
    /// The text to replace; if it is empty, the edit creates the file.
    pub(super) old: String,
    /// The replacement.
    pub(super) new: String,
    /// Whether every occurrence is replaced; otherwise there must be exactly one.
    pub(super) all: bool,
}

/// Applies the edits in order. An edit without old text begins a file that is missing or empty.
///
/// # Errors
/// An edit cannot be rebuilt. The agent would usually fail as well, but some match loosely, and would then write what
/// guard has not judged.
pub(super) fn edited(old: Option<&[u8]>, edits: &[TextEdit]) -> GateResult<Vec<u8>> {
    if edits.is_empty() {
        return Err(Failure::new(
            FailureKind::CannotJudge,
            "the list of edits is empty",
        ));
    }
    let mut content = old.unwrap_or_default().to_vec();
    for (at, edit) in edits.iter().enumerate() {
        content = replaced(&content, edit).map_err(|failure| {
            let message = match edits.len() {
                1 => failure.message,
                several => format!("edit {} of {several}: {}", at + 1, failure.message),
            };
            Failure { message, ..failure }
        })?;
    }
    Ok(content)
}

fn replaced(content: &[u8], TextEdit { old, new, all }: &TextEdit) -> GateResult<Vec<u8>> {
    if old.is_empty() && content.is_empty() {
        return Ok(new.as_bytes().into());
    }
    let literal = Edit {
        search: old.as_bytes().into(),
        replace: new.as_bytes().into(),
    };
    // Agents see and send lines that end with LF, and write them as the file has them.
    let converted = Edit {
        search: with_crlf(old),
        replace: with_crlf(new),
    };
    let step = match ends_lines_with_crlf(content) && content.contains_str(&converted.search) {
        true => converted,
        false => literal,
    };
    if *all && !step.search.is_empty() && content.contains_str(&step.search) {
        return Ok(content.replace(&step.search, &step.replace));
    }
    apply(content, &[step])
}

fn with_crlf(text: &str) -> Vec<u8> {
    text.replace("\r\n", "\n").replace('\n', "\r\n").into()
}
