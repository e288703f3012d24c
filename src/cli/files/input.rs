//! The input of the file verbs: files, standard input, lists of edits, ranges of lines.

use std::io;
use std::path::Path;

use crate::cli::bounded;
use crate::files::{self, Edit, Failure, FailureKind, Gate};
use write_guard_policy::error::{Error, Result};
use write_guard_policy::path::escaped;
use write_guard_policy::scope::settings::MAX_SIZE;
use write_guard_repo::Repository;

/// Where an operation gets its contents from.
pub(in crate::cli) struct ContentSource<'a, 'r> {
    pub(crate) repo: &'a Repository,
    pub(in crate::cli) gate: &'a Gate<'r>,
    /// Whether the log names a file that guard may not read.
    pub(in crate::cli) is_recorded: bool,
}

impl ContentSource<'_, '_> {
    /// The new content.
    pub(in crate::cli) fn content(&self, file: Option<&Path>) -> files::GateResult<Vec<u8>> {
        self.bytes(file, MAX_SIZE)
    }

    /// A list of edits. On standard input, it may be larger than the file, because it has the old and the new text,
    /// escaped.
    pub(super) fn edits(&self, file: Option<&Path>) -> files::GateResult<Vec<Edit>> {
        let bytes = self.bytes(file, MAX_SIZE * EDITS_PER_FILE)?;
        Ok(parse_edits(&bytes)?)
    }

    /// A file that `guard read` may read, or standard input up to `limit` bytes. Content from any other file could copy
    /// a secret into a readable file.
    fn bytes(&self, file: Option<&Path>, limit: u64) -> files::GateResult<Vec<u8>> {
        let Some(file) = file.filter(|file| *file != "-") else {
            return read_stdin(limit);
        };
        let request = self.repo.request(file);
        let read = if self.is_recorded {
            self.gate.read(request.as_ref())
        } else {
            self.gate.find(request.as_ref())
        };
        let read = read.map(|(_, entry)| entry.content);
        read.map_err(|failure| failure.help("or pass the content on standard input"))
    }
}

fn parse_edits(bytes: &[u8]) -> Result<Vec<Edit>> {
    let edits: Vec<Edit> =
        serde_json::from_slice(bytes).map_err(|error| bad_edits(&error.to_string()))?;
    if edits.is_empty() {
        Err(bad_edits("the list is empty"))
    } else {
        Ok(edits)
    }
}

fn bad_edits(why: &str) -> Error {
    Error::new(format!("the edits cannot be read: {}", escaped(why)))
        .help("write a list such as [{\"search\": \"…\", \"replace\": \"…\"}]")
}

/// How much larger than a file a list of edits may be.
const EDITS_PER_FILE: u64 = 4;

/// Standard input.
///
/// # Errors
/// It cannot be read, or has more than `limit` bytes.
fn read_stdin(limit: u64) -> files::GateResult<Vec<u8>> {
    let whole = bounded::whole(io::stdin().lock(), limit)
        .map_err(|error| Error::new(format!("standard input cannot be read: {error}")))?;
    whole.ok_or_else(|| {
        let message = format!("standard input has more than {limit} bytes, the limit");
        Failure::new(FailureKind::TooLarge, message)
            .help("split it, or ask a person to write the file")
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn an_unknown_key_in_an_edit_is_refused() {
        let known = br#"[{"search": "a", "replace": "b"}]"#;
        assert_eq!(parse_edits(known).unwrap().len(), 1);
        let more = br#"[{"search": "a", "replace": "b", "replace_all": true}]"#;
        let error = parse_edits(more).unwrap_err();
        assert!(error.message.contains("`replace_all`"), "{}", error.message);
    }
}
