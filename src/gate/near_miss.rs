//! Why the text to replace is not in the file: the closest passage, and how it differs.

use std::cmp::Reverse;
use std::collections::HashSet;

use gix::bstr::ByteSlice;
use similar::{DiffTag, TextDiff, get_close_matches};

use crate::finding::Help;
use crate::path::text_on_one_line;

/// Longer texts are not compared letter by letter, in bytes.
const MAX_SEARCH: usize = 1_000;
/// No closest passage is looked for in larger files, in bytes.
const MAX_FILE: usize = 1 << 20;
/// Passages that are compared letter by letter: those that have the most words of the text.
const COMPARED: usize = 20;
/// How alike the closest passage has to be, from 0 to 1.
const ALIKE: f32 = 0.6;
/// The maximum number of differences to report.
const MAX_REPORTED: usize = 3;
/// The maximum length of each in characters.
const CHARS: usize = 60;

/// The help for a text that is not in the file.
pub(super) fn advice(content: &[u8], search: &[u8]) -> Vec<Help> {
    let without = |text: &[u8], drop: fn(u8) -> bool| -> Vec<u8> {
        text.iter().copied().filter(|&byte| !drop(byte)).collect()
    };
    let is_cr: fn(u8) -> bool = |byte| byte == b'\r';
    let is_blank: fn(u8) -> bool = |byte| byte.is_ascii_whitespace();
    if without(content, is_cr).contains_str(without(search, is_cr)) {
        vec!["it would match with the file's line endings (CRLF); read the file and copy the text as it is".into()]
    } else if without(content, is_blank).contains_str(without(search, is_blank)) {
        vec!["only whitespace differs; read the file and copy the text as it is".into()]
    } else if let Some(differences) = closest(content, search) {
        let closest = format!("the closest passage differs: {differences}");
        vec![
            closest.into(),
            "read the file and copy the text as it is".into(),
        ]
    } else {
        vec!["read the file again; it may have changed since".into()]
    }
}

/// How the closest passage differs from the text.
fn closest(content: &[u8], search: &[u8]) -> Option<String> {
    if content.len() > MAX_FILE || search.len() > MAX_SEARCH {
        return None;
    }
    let (content, search) = (content.to_str().ok()?, search.to_str().ok()?);
    let search = search.trim_matches(['\r', '\n']);
    let passages = promising(content, search);
    let texts: Vec<&str> = passages.iter().map(|(_, text)| *text).collect();
    let closest = *get_close_matches(search, &texts, 1, ALIKE).first()?;
    let &(line, _) = passages.iter().find(|(_, text)| *text == closest)?;
    let mut parts = differences(line, closest, search);
    let more = parts.len().saturating_sub(MAX_REPORTED);
    parts.truncate(MAX_REPORTED);
    if more > 0 {
        parts.push(format!("and {more} more"));
    }
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// The passages of as many lines as the text has that share the most words with it, each with its first line.
fn promising<'c>(content: &'c str, search: &str) -> Vec<(usize, &'c str)> {
    let wanted: HashSet<&str> = words(search).collect();
    let lines: Vec<&str> = content.split_inclusive('\n').collect();
    let mut ends = vec![0];
    for line in &lines {
        ends.push(ends[ends.len() - 1] + line.len());
    }
    // Running totals: how many words the lines before each line share with the text.
    let mut shared = vec![0];
    for line in &lines {
        let here = words(line).filter(|word| wanted.contains(word)).count();
        shared.push(shared[shared.len() - 1] + here);
    }
    let height = search.lines().count().clamp(1, lines.len().max(1));
    let mut found: Vec<(usize, usize)> = (0..(lines.len() + 1).saturating_sub(height))
        .map(|at| (shared[at + height] - shared[at], at))
        .filter(|&(shared, _)| shared > 0)
        .filter(|&(_, at)| ends[at + height] - ends[at] <= 2 * MAX_SEARCH)
        .collect();
    found.sort_by_key(|&(shared, at)| (Reverse(shared), at));
    found.truncate(COMPARED);
    found
        .into_iter()
        .map(|(_, at)| {
            let passage = &content[ends[at]..ends[at + height]];
            (at + 1, passage.trim_end_matches(['\r', '\n']))
        })
        .collect()
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty())
}

/// The words that the passage, which begins at the line `first`, has in place of those of the text.
fn differences(first: usize, passage: &str, search: &str) -> Vec<String> {
    let diff = TextDiff::from_unicode_words(passage, search);
    let changes = diff.ops().iter().filter(|op| op.tag() != DiffTag::Equal);
    changes
        .filter_map(|op| {
            let (old, new) = (op.old_range(), op.new_range());
            let before: usize = diff.old_slices()[..old.start]
                .iter()
                .map(|word| word.matches('\n').count())
                .sum();
            let line = first + before;
            let (there, wanted) = (
                diff.old_slices()[old].concat(),
                diff.new_slices()[new].concat(),
            );
            match (shown(&there), shown(&wanted)) {
                (None, None) => None,
                (Some(there), None) => Some(format!("line {line} also has {there}")),
                (None, Some(wanted)) => Some(format!("line {line} lacks {wanted}")),
                (Some(there), Some(wanted)) => {
                    Some(format!("line {line} has {there}, not {wanted}"))
                }
            }
        })
        .collect()
}

/// Words on one line, safe to show; `None` if there is only whitespace.
fn shown(words: &str) -> Option<String> {
    let words = words.trim();
    let start: String = words.chars().take(CHARS).collect();
    let more = if start.len() < words.len() { "…" } else { "" };
    (!words.is_empty()).then(|| format!("`{}{more}`", text_on_one_line(&start)))
}
