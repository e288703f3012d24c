//! Merges three versions of a text by lines, like git.
//!
//! Where a block of lines could have been inserted or removed at several places, gix uses the indentation to choose,
//! but git's merges choose the lowest place. The choice can decide whether two edits touch. So each line is merged as
//! its number, which has no indentation.

use std::collections::HashMap;

use gix::diff::blob::{Algorithm, InternedInput};
use gix::merge::plumbing::blob::Resolution;
use gix::merge::plumbing::blob::builtin_driver::text;

/// git looks for a NUL in this many bytes to detect binary content.
const LOOKED_AT: usize = 8_000;

/// A merge of lines.
pub(super) enum MergedLines {
    Clean(Vec<u8>),
    /// The results with each conflict resolved by our side, and by theirs.
    Conflict([Vec<u8>; 2]),
}

/// Merges base, ours and theirs; `None` for binary content, or a last line without an ending that moves up.
pub(super) fn merge(contents: [&[u8]; 3]) -> Option<MergedLines> {
    let is_text = |content: &&[u8]| !content[..content.len().min(LOOKED_AT)].contains(&0);
    if !contents.iter().all(is_text) {
        return None;
    }
    let mut lines = SharedLines::default();
    let numbered = contents.map(|content| lines.numbered(content));
    let resolved = |conflict| {
        let [base, ours, theirs] = &numbered;
        let options = text::Options {
            // Git's default for merges.
            diff_algorithm: Algorithm::Histogram,
            conflict,
        };
        let mut merged = Vec::new();
        let resolution = gix::merge::plumbing::blob::builtin_driver::text(
            &mut merged,
            &mut InternedInput::new(&[][..], &[]),
            text::Labels::default(),
            ours,
            base,
            theirs,
            options,
        );
        Some((lines.content(&merged)?, resolution))
    };
    match resolved(text::Conflict::ResolveWithOurs)? {
        (merged, Resolution::Complete) => Some(MergedLines::Clean(merged)),
        (ours, _) => {
            let (theirs, _) = resolved(text::Conflict::ResolveWithTheirs)?;
            Some(MergedLines::Conflict([ours, theirs]))
        }
    }
}

/// All distinct lines, with their endings.
#[derive(Default)]
struct SharedLines<'a> {
    all: Vec<&'a [u8]>,
    numbers: HashMap<&'a [u8], usize>,
}

/// Follows the last line, where the indentation of the end of a file would count.
const END: &[u8] = b"end\n";

impl<'a> SharedLines<'a> {
    /// The number of each line, one per line.
    fn numbered(&mut self, content: &'a [u8]) -> Vec<u8> {
        let mut numbered = Vec::with_capacity(content.len());
        for line in content.split_inclusive(|&byte| byte == b'\n') {
            let number = *self.numbers.entry(line).or_insert_with(|| {
                self.all.push(line);
                self.all.len() - 1
            });
            numbered.extend(format!("{number}\n").bytes());
        }
        numbered.extend(END);
        numbered
    }

    /// The lines of these numbers; `None` if a last line without an ending is no longer last.
    fn content(&self, numbered: &[u8]) -> Option<Vec<u8>> {
        let mut content = Vec::new();
        for number in numbered
            .strip_suffix(END)?
            .split_inclusive(|&byte| byte == b'\n')
        {
            let number = std::str::from_utf8(number).ok()?.trim_end();
            let line = self.all.get(number.parse::<usize>().ok()?)?;
            if !content.is_empty() && !content.ends_with(b"\n") {
                return None;
            }
            content.extend_from_slice(line);
        }
        Some(content)
    }
}
