//! Small changes of every plan: a type word or label word with a wrong letter, and an unknown word before a path, take
//! grants away and never add one.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::ops::Range;

use write_guard::scope::Grant;

use super::{actions, corpus, design, none_deviates};

/// Words that say the type of an item or begin a task. A changed word that is one of them is skipped.
const TYPES: &str = " add added new create created modify modified update updated edit edited change changed rewrite rewritten delete deleted remove removed rename renamed move moved symlink submodule test write written exists existing verify unchanged read check review reference keep implement extend ";

/// A grant as line, path and actions.
type Found = (usize, String, String);

fn found(at: &str, text: &str) -> BTreeSet<Found> {
    let all = design(at, text).grants.into_iter();
    all.map(|grant| (grant.anchor.line, grant.path.to_string(), actions(&grant)))
        .collect()
}

/// The text with this part replaced.
fn replaced(text: &str, part: Range<usize>, with: &str) -> String {
    [&text[..part.start], with, &text[part.end..]].concat()
}

/// The line before a place, from its first character.
fn line_before(text: &str, place: usize) -> Range<usize> {
    text[..place].rfind('\n').map_or(0, |end| end + 1)..place
}

/// The word at a place.
fn word(text: &str, place: usize) -> Range<usize> {
    let end = text[place..]
        .find(|next: char| !next.is_ascii_alphabetic())
        .map_or(text.len(), |length| place + length);
    place..end
}

/// Where the label before a place names files: the first letter of `Files`, `File List`, `files_modified` and so on.
fn label(text: &str, place: usize) -> Option<usize> {
    let mut end = place;
    loop {
        let line = line_before(text, end);
        let lower = text[line.clone()].to_ascii_lowercase();
        let trimmed = lower.trim().trim_end_matches(['*', '_']);
        let is_label = trimmed.starts_with('#') || trimmed.ends_with(':') || lower.contains("**");
        let words: &[&str] = if is_label {
            &["files", "file ", "affected code"]
        } else {
            &["files_modified", "allowed_paths", "<files"]
        };
        let start = words.iter().filter_map(|word| lower.find(word)).min();
        if let Some(start) = start {
            let bracket = usize::from(lower[start..].starts_with('<'));
            return Some(line.start + start + bracket);
        }
        end = line.start.checked_sub(1)?;
    }
}

/// The type word of the item or task that names a path.
fn type_word(text: &str, grant: &Grant) -> Option<Range<usize>> {
    let line = line_before(text, grant.anchor.span.start);
    let before = &text[line.clone()];
    let mut start = line.start + before.rfind(';').map_or(0, |end| end + 1);
    if let Some(label) = label(text, grant.anchor.span.start).filter(|label| *label >= start) {
        start = label + text[label..line.end].find(':')?;
    }
    let is_mark = |next: char| next.is_ascii_punctuation() || next.is_ascii_digit() || next == ' ';
    for part in text[start..line.end].split_inclusive(' ') {
        let at = start + part.find(|next| !is_mark(next)).unwrap_or(0);
        let word = word(text, at);
        start += part.len();
        if TYPES.contains(&format!(" {} ", text[word.clone()].to_ascii_lowercase())) {
            return Some(word);
        }
        // A bullet, a number such as T012, or a tag such as [US1] may stand before the type.
        let is_id = part.contains(|next: char| next.is_ascii_digit())
            && part.trim_matches(is_mark).len() <= 2;
        if !word.is_empty() && !is_id && !part.starts_with('[') {
            return None;
        }
    }
    None
}

fn is_row(text: &str, grant: &Grant) -> bool {
    text[line_before(text, grant.anchor.span.start)]
        .trim_start()
        .starts_with('|')
}

/// Each text in which one letter of a word is another one, so that it is no type word.
fn misspelt(text: &str, word: Range<usize>) -> Vec<String> {
    word.clone()
        .filter_map(|letter| {
            let other = if text.as_bytes()[letter] == b'x' {
                "q"
            } else {
                "x"
            };
            let changed = replaced(text, letter..letter + 1, other);
            let lower = changed[word.clone()].to_ascii_lowercase();
            (!TYPES.contains(&format!(" {lower} "))).then_some(changed)
        })
        .collect()
}

/// What a changed document grants although it must not: grants that the old one lacks, and the `gone` ones.
fn wrong(at: &str, changed: &str, before: &BTreeSet<Found>, gone: &BTreeSet<Found>) -> String {
    let after = found(at, changed);
    let added: Vec<_> = after.difference(before).collect();
    let kept: Vec<_> = after.intersection(gone).collect();
    if added.is_empty() && kept.is_empty() {
        return String::new();
    }
    format!("    added {added:?}, kept {kept:?}\n")
}

/// Checks `changes` of each grant of the corpus, which yields changed texts and the grants that they must not have.
#[track_caller]
fn check(changes: impl Fn(&str, &Grant, &[Grant]) -> Vec<(String, BTreeSet<Found>)>) {
    let mut count = 0;
    let mut all = Vec::new();
    for (at, text) in corpus() {
        let before = found(&at, &text);
        let grants = design(&at, &text).grants;
        for grant in grants.iter().filter(|grant| !is_row(&text, grant)) {
            for (changed, gone) in changes(&text, grant, &grants) {
                count += 1;
                let wrong = wrong(&at, &changed, &before, &gone);
                let line = changed.lines().nth(grant.anchor.line - 1).unwrap();
                all.push((format!("{at}: {line} (item {:?})", grant.path), wrong));
            }
        }
    }
    assert!(count >= 150, "only {count} changes");
    none_deviates(all);
}

fn one(grant: &Grant) -> BTreeSet<Found> {
    BTreeSet::from([(grant.anchor.line, grant.path.to_string(), actions(grant))])
}

#[test]
fn an_unknown_word_before_a_path_removes_its_grant() {
    check(|text, grant, _| {
        let start = grant.anchor.span.start;
        vec![(replaced(text, start..start, "xyzzy "), one(grant))]
    });
}

#[test]
fn a_wrong_letter_in_a_type_word_removes_the_grants_of_its_item() {
    check(|text, grant, _| {
        let word = type_word(text, grant);
        let changed = word.map_or_else(Vec::new, |word| misspelt(text, word));
        changed.into_iter().map(|text| (text, one(grant))).collect()
    });
}

#[test]
fn a_wrong_letter_in_a_label_removes_the_grants_of_its_passage() {
    check(|text, grant, grants| {
        let lies_below_a_label = |grant: &Grant| {
            let line = text.lines().nth(grant.anchor.line - 1).unwrap().trim();
            // Marked trees, headings that name a file, and tasks stand on their own.
            let is_task = line.starts_with("- [") && type_word(text, grant).is_some();
            !line.contains('─') && !line.starts_with('#') && !is_task
        };
        let Some(place) =
            label(text, grant.anchor.span.start).filter(|_| lies_below_a_label(grant))
        else {
            return Vec::new();
        };
        let passage = grants.iter().filter(|other| {
            lies_below_a_label(other) && label(text, other.anchor.span.start) == Some(place)
        });
        let gone: BTreeSet<Found> = passage.flat_map(one).collect();
        let changed = misspelt(text, word(text, place));
        changed
            .into_iter()
            .map(|text| (text, gone.clone()))
            .collect()
    });
}
