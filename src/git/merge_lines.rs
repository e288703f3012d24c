//! Merges three versions of a text by lines, as git does.
//!
//! Where a block of lines could have been inserted, or removed, at several places, gix takes the one that suits the
//! indentation, as a diff for people does. Git's merges take the lowest, and whether two edits touch may depend on it.
//! So each line is merged as its number: numbers have no indentation.

use std::collections::HashMap;

use gix::diff::blob::{Algorithm, InternedInput};
use gix::merge::plumbing::blob::Resolution;
use gix::merge::plumbing::blob::builtin_driver::text;

/// Git looks for a NUL in so many bytes to tell that a content is no text.
const LOOKED_AT: usize = 8_000;

/// The base's, our and their content merged; `None` where they conflict or are no text.
pub(super) fn merge(contents: [&[u8]; 3]) -> Option<Vec<u8>> {
    let is_text = |content: &&[u8]| !content[..content.len().min(LOOKED_AT)].contains(&0);
    if !contents.iter().all(is_text) {
        return None;
    }
    let mut lines = SharedLines::default();
    let [base, ours, theirs] = contents.map(|content| lines.numbered(content));
    let options = text::Options {
        // Git's default for merges.
        diff_algorithm: Algorithm::Histogram,
        ..text::Options::default()
    };
    let mut merged = Vec::new();
    let resolution = gix::merge::plumbing::blob::builtin_driver::text(
        &mut merged,
        &mut InternedInput::new(&[][..], &[]),
        text::Labels::default(),
        &ours,
        &base,
        &theirs,
        options,
    );
    match resolution {
        Resolution::Complete => lines.content(&merged),
        Resolution::CompleteWithAutoResolvedConflict | Resolution::Conflict => None,
    }
}

/// Every line that there is, with its end.
#[derive(Default)]
struct SharedLines<'a> {
    all: Vec<&'a [u8]>,
    numbers: HashMap<&'a [u8], usize>,
}

/// What stands behind the last line, where the indentation of the end of a file would count.
const END: &[u8] = b"end\n";

impl<'a> SharedLines<'a> {
    /// The number of each line on a line of its own.
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

    /// The lines of these numbers; `None` where a last line without an end is no longer the last.
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
