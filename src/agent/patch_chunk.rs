//! The content of a file after a patch.
//!
//! Agents find the lines of a chunk first as they are, then without trailing blanks, then without blanks at both ends.
//! guard does the same, and denies what it does not find.

use gix::bstr::ByteSlice;

use crate::gate::{Failure, FailureKind, GateResult};

/// Lines to replace in a file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct PatchChunk {
    /// A line before the chunk.
    pub(super) context: Option<String>,
    pub(super) old: Vec<String>,
    pub(super) new: Vec<String>,
    /// Whether the lines are the last ones of the file.
    pub(super) is_at_end: bool,
}

/// The content after the chunks.
///
/// # Errors
/// The lines of a chunk are not in the file.
pub(super) fn patched(old: Option<&[u8]>, chunks: &[PatchChunk]) -> GateResult<Vec<u8>> {
    let missing = |kind, message: &str| {
        Failure::new(kind, message).help("read the file again and send lines as they are in it")
    };
    let old = old.ok_or_else(|| missing(FailureKind::NotFound, "there is no file to patch"))?;
    if chunks.is_empty() {
        return Ok(old.to_vec());
    }
    let mut lines: Vec<&[u8]> = old.split(|&byte| byte == b'\n').collect();
    lines.pop_if(|last| last.is_empty());
    let mut replaced: Vec<(usize, usize, &[String])> = Vec::new();
    let mut at = 0;
    for (number, chunk) in chunks.iter().enumerate() {
        let not_found = || {
            let message = format!("the lines of chunk {} are not in the file", number + 1);
            missing(FailureKind::SearchNotFound, &message)
        };
        if let Some(context) = &chunk.context {
            let context = std::slice::from_ref(context);
            at = find(&lines, context, at, false).ok_or_else(not_found)? + 1;
        }
        if chunk.old.is_empty() {
            replaced.push((lines.len(), 0, &chunk.new));
            continue;
        }
        let (mut old, mut new) = (chunk.old.as_slice(), chunk.new.as_slice());
        let mut found = find(&lines, old, at, chunk.is_at_end);
        // The last blank line of a chunk may stand for the end of the file.
        if let (None, [shorter @ .., blank]) = (found, old)
            && blank.is_empty()
        {
            old = shorter;
            if let [shorter @ .., blank] = new
                && blank.is_empty()
            {
                new = shorter;
            }
            found = find(&lines, old, at, chunk.is_at_end);
        }
        let start = found.ok_or_else(not_found)?;
        replaced.push((start, old.len(), new));
        at = start + old.len();
    }
    replaced.sort_by_key(|(start, ..)| *start);
    for (start, count, new) in replaced.into_iter().rev() {
        lines.splice(start..start + count, new.iter().map(|line| line.as_bytes()));
    }
    let mut content = lines.join(&b'\n');
    content.push(b'\n');
    Ok(content)
}

/// A part of a line that counts.
type Spelled = fn(&[u8]) -> &[u8];

/// Where the wanted lines begin, at or after `from`, or at the end of the file.
fn find(lines: &[&[u8]], wanted: &[String], from: usize, is_at_end: bool) -> Option<usize> {
    let last = lines.len().checked_sub(wanted.len())?;
    let from = if is_at_end { last.max(from) } else { from };
    let whole: Spelled = |line| line;
    [whole, |line| line.trim_end(), |line| line.trim()]
        .into_iter()
        .find_map(|spelled| {
            (from..=last).find(|&at| {
                let there = lines[at..].iter().map(|line| spelled(line));
                wanted
                    .iter()
                    .zip(there)
                    .all(|(wanted, there)| spelled(wanted.as_bytes()) == there)
            })
        })
}
