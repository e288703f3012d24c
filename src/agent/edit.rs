//! The content of a file after the edits of an agent.

use gix::bstr::ByteSlice;

use crate::gate::{Edit, Failure, FailureKind, GateResult, apply, ends_lines_with_crlf};

/// An edit of a text, as an agent announces it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TextEdit {
    /// Replaces a text.
    Replace {
        /// The text to replace; if it is empty, the edit creates the file.
        old: String,
        /// The replacement.
        new: String,
        /// Whether every occurrence is replaced; otherwise there must be exactly one.
        all: bool,
    },
    /// Inserts whole lines.
    Insert {
        /// After so many lines, or at the end if there are fewer.
        after: usize,
        /// The lines.
        text: String,
    },
    /// Adds text after the last line, which it ends if necessary. A file that does not exist begins with it.
    Append {
        /// The text.
        text: String,
    },
}

impl TextEdit {
    pub(super) fn replace(old: String, new: String, all: bool) -> TextEdit {
        TextEdit::Replace { old, new, all }
    }

    /// The replacement of the only occurrence.
    pub(super) fn once(old: String, new: String) -> TextEdit {
        TextEdit::replace(old, new, false)
    }
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
    if old.is_none()
        && edits
            .iter()
            .any(|edit| matches!(edit, TextEdit::Insert { .. }))
    {
        return Err(Failure::new(
            FailureKind::CannotJudge,
            "there is no such file to insert lines into",
        ));
    }
    let mut content = old.unwrap_or_default().to_vec();
    for (at, edit) in edits.iter().enumerate() {
        content = after(&content, edit).map_err(|failure| {
            let message = match edits.len() {
                1 => failure.message,
                several => format!("edit {} of {several}: {}", at + 1, failure.message),
            };
            Failure { message, ..failure }
        })?;
    }
    Ok(content)
}

fn after(content: &[u8], edit: &TextEdit) -> GateResult<Vec<u8>> {
    match edit {
        TextEdit::Replace { old, new, all } => replaced(content, old, new, *all),
        TextEdit::Insert { after, text } => {
            let lines = content.lines_with_terminator().take(*after);
            Ok(inserted(content, lines.map(<[u8]>::len).sum(), text))
        }
        TextEdit::Append { text } => Ok(inserted(content, content.len(), text)),
    }
}

/// The content with a text at the end of one of its lines.
fn inserted(content: &[u8], at: usize, text: &str) -> Vec<u8> {
    let (before, behind) = content.split_at(at);
    let newline: &[u8] = match before.last() {
        None | Some(b'\n') => b"",
        Some(_) => b"\n",
    };
    [before, newline, text.as_bytes(), behind].concat()
}

fn replaced(content: &[u8], old: &str, new: &str, all: bool) -> GateResult<Vec<u8>> {
    if old.is_empty() && content.is_empty() {
        return Ok(new.into());
    }
    let literal = Edit {
        search: old.into(),
        replace: new.into(),
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
    if all && !step.search.is_empty() && content.contains_str(&step.search) {
        return Ok(content.replace(&step.search, &step.replace));
    }
    apply(content, &[step])
}

fn with_crlf(text: &str) -> Vec<u8> {
    text.replace("\r\n", "\n").replace('\n', "\r\n").into()
}
