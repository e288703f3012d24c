//! The blocks of SEARCH and REPLACE in which Cline announces edits.

use super::edit::TextEdit;
use crate::error::{Error, Result};
use crate::path::text_on_one_line;

/// Where a line lies.
enum BlockPart {
    Outside,
    Search(String),
    Replace(String, String),
}

/// # Errors
/// The text is not made of such blocks. Cline might read it in another way than guard.
pub(super) fn parse(text: &str) -> Result<Vec<TextEdit>> {
    let (mut edits, mut part) = (Vec::new(), BlockPart::Outside);
    for line in text.split_inclusive('\n') {
        let bare = line.trim_end_matches(['\n', '\r']);
        part = match (part, marker(bare)) {
            (BlockPart::Outside, None) if bare.trim().is_empty() => BlockPart::Outside,
            (BlockPart::Outside, Some(Marker::Search)) => BlockPart::Search(String::new()),
            (BlockPart::Search(old), Some(Marker::Divider)) => {
                BlockPart::Replace(old, String::new())
            }
            (BlockPart::Search(old), None) => BlockPart::Search(old + line),
            (BlockPart::Replace(old, new), Some(Marker::Replace)) => {
                edits.push(TextEdit::once(old, new));
                BlockPart::Outside
            }
            (BlockPart::Replace(old, new), None) => BlockPart::Replace(old, new + line),
            _ => return Err(unreadable(&format!("unexpected line {}", shown(bare)))),
        };
    }
    match part {
        BlockPart::Outside if edits.is_empty() => Err(unreadable("it has no block")),
        BlockPart::Outside => Ok(edits),
        BlockPart::Search(_) | BlockPart::Replace(..) => {
            Err(unreadable("its last block has no end"))
        }
    }
}

#[derive(Clone, Copy)]
enum Marker {
    Search,
    Divider,
    Replace,
}

/// Three or more of one sign, and the word.
fn marker(line: &str) -> Option<Marker> {
    let first = line.chars().next()?;
    let rest = line.trim_start_matches(first);
    if line.len() - rest.len() < 3 {
        return None;
    }
    match (first, rest) {
        ('-' | '<', " SEARCH" | " SEARCH>") => Some(Marker::Search),
        ('=', "") => Some(Marker::Divider),
        ('+' | '>', " REPLACE" | " REPLACE>") => Some(Marker::Replace),
        _ => None,
    }
}

fn shown(line: &str) -> String {
    let start: String = line.chars().take(60).collect();
    text_on_one_line(&start).to_string()
}

fn unreadable(why: &str) -> Error {
    Error::new(format!(
        "the blocks to search and replace cannot be read: {why}"
    ))
    .help("send blocks with the markers ------- SEARCH, ======= and +++++++ REPLACE only")
}
