//! Two versions of a text next to each other, for the review page: unchanged runs folded, changed words marked.

use std::ops::Range;

use similar::{ChangeTag, TextDiff};

use super::line_diff::whole_line_changes;
use super::preview::{displayable, visible};
use gix::bstr::ByteSlice;

/// Unchanged lines around a change.
const CONTEXT: u32 = 3;
/// Longer lines are cut.
const LINE_WIDTH: usize = 400;
/// Longer pairs of lines get no marks within: comparing their words would take too long.
const MOST_BYTES: usize = 2 * 1024;
/// With fewer words in common, two lines that stand next to each other have nothing to do with each other.
const ALIKE: f32 = 0.4;

/// Two versions of a file, line by line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SideBySide {
    /// The shown lines, from the top.
    pub rows: Vec<LineRow>,
    /// Removed lines that are not shown.
    pub more_removed: usize,
    /// Added lines that are not shown.
    pub more_added: usize,
}

/// One line of the two columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LineRow {
    /// This many unchanged lines are not shown.
    Folded(u32),
    /// A line that both versions have.
    Same(NumberedLine, u32),
    /// A removed line, an added line, or one next to the other.
    Changed(Option<NumberedLine>, Option<NumberedLine>),
}

/// A line of one version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumberedLine {
    /// Its number in this version, from 1.
    pub number: u32,
    /// Its text in pieces, each with whether it differs from the other version. Hostile characters are escaped.
    pub parts: Vec<(bool, String)>,
}

impl SideBySide {
    /// Both versions, with at most `max_rows` rows. Without a new version, every line is removed.
    pub fn of(old: &[u8], new: &[u8], max_rows: usize) -> SideBySide {
        let (old, new) = (displayable(old), displayable(new));
        let changes = whole_line_changes(&old, &new);
        let mut builder = Builder {
            old: old.lines_with_terminator().collect(),
            new: new.lines_with_terminator().collect(),
            shown: SideBySide::default(),
            max_rows,
        };
        let mut at = (0, 0);
        for (index, change) in changes.iter().enumerate() {
            builder.same(at, change.before.start, index > 0, true);
            builder.changed(change.before.clone(), change.after.clone());
            at = (change.before.end, change.after.end);
        }
        let end = u32::try_from(builder.old.len()).unwrap_or(u32::MAX);
        if !changes.is_empty() {
            builder.same(at, end, true, false);
        }
        builder.shown
    }

    /// The number of bytes of all text.
    pub fn text_bytes(&self) -> usize {
        let line = |line: &NumberedLine| -> usize {
            line.parts.iter().map(|(_, text)| text.len()).sum::<usize>()
        };
        let row = |row: &LineRow| match row {
            LineRow::Folded(_) => 0,
            LineRow::Same(both, _) => 2 * line(both),
            LineRow::Changed(old, new) => {
                old.as_ref().map_or(0, line) + new.as_ref().map_or(0, line)
            }
        };
        self.rows.iter().map(row).sum()
    }
}

struct Builder<'a> {
    old: Vec<&'a [u8]>,
    new: Vec<&'a [u8]>,
    shown: SideBySide,
    max_rows: usize,
}

impl Builder<'_> {
    /// The unchanged lines from `at` to the line `end` of the old version, those far from a change folded.
    fn same(&mut self, at: (u32, u32), end: u32, after_change: bool, before_change: bool) {
        let count = end - at.0;
        let head = if after_change { CONTEXT.min(count) } else { 0 };
        let tail = if before_change {
            CONTEXT.min(count - head)
        } else {
            0
        };
        // Folding a single line would save nothing.
        let folded = match count - head - tail {
            1 => 0,
            folded => folded,
        };
        let mut offset = 0;
        while offset < count {
            if self.is_full() {
                return;
            }
            if folded > 0 && offset == head {
                self.shown.rows.push(LineRow::Folded(folded));
                offset += folded;
                continue;
            }
            let (old, new) = (at.0 + offset, at.1 + offset);
            let line = text(self.old.get(old as usize));
            let line = NumberedLine {
                number: old + 1,
                parts: vec![(false, line)],
            };
            self.shown.rows.push(LineRow::Same(line, new + 1));
            offset += 1;
        }
    }

    fn changed(&mut self, old: Range<u32>, new: Range<u32>) {
        for offset in 0..old.len().max(new.len()) {
            let at = u32::try_from(offset).unwrap_or(u32::MAX);
            let line = |range: &Range<u32>, lines: &[&[u8]]| {
                let index = range.start.saturating_add(at);
                (index < range.end).then(|| (index + 1, text(lines.get(index as usize))))
            };
            if self.is_full() {
                self.shown.more_removed += old.len().saturating_sub(offset);
                self.shown.more_added += new.len().saturating_sub(offset);
                return;
            }
            let row = match (line(&old, &self.old), line(&new, &self.new)) {
                (Some(old), Some(new)) => {
                    let (old, new) = marked(old, new);
                    LineRow::Changed(Some(old), Some(new))
                }
                (old, new) => LineRow::Changed(old.map(whole), new.map(whole)),
            };
            self.shown.rows.push(row);
        }
    }

    fn is_full(&self) -> bool {
        self.shown.rows.len() >= self.max_rows
    }
}

/// A line that is safe to show, without its ending.
fn text(line: Option<&&[u8]>) -> String {
    let line = line.copied().unwrap_or_default();
    visible(line.strip_suffix(b"\n").unwrap_or(line), LINE_WIDTH)
}

fn whole((number, text): (u32, String)) -> NumberedLine {
    NumberedLine {
        number,
        parts: vec![(false, text)],
    }
}

/// Two lines that stand next to each other, with the words that differ marked if the rest is alike.
fn marked(old: (u32, String), new: (u32, String)) -> (NumberedLine, NumberedLine) {
    if old.1.len() + new.1.len() > MOST_BYTES {
        return (whole(old), whole(new));
    }
    let diff = TextDiff::from_unicode_words(old.1.as_str(), new.1.as_str());
    if diff.ratio() < ALIKE {
        return (whole(old), whole(new));
    }
    let (mut before, mut after) = (Vec::new(), Vec::new());
    for change in diff.iter_all_changes() {
        let value = change.value();
        match change.tag() {
            ChangeTag::Delete => push(&mut before, true, value),
            ChangeTag::Insert => push(&mut after, true, value),
            ChangeTag::Equal => {
                push(&mut before, false, value);
                push(&mut after, false, value);
            }
        }
    }
    let line = |number, parts| NumberedLine { number, parts };
    (line(old.0, before), line(new.0, after))
}

/// Adds text to the last piece if that is of the same kind.
fn push(parts: &mut Vec<(bool, String)>, differs: bool, text: &str) {
    match parts.last_mut() {
        Some((same, last)) if *same == differs => last.push_str(text),
        _ => parts.push((differs, text.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(shown: &SideBySide) -> Vec<String> {
        let side = |line: &Option<NumberedLine>| match line {
            None => String::new(),
            Some(line) => {
                let part = |(differs, text): &(bool, String)| match differs {
                    true => format!("[{text}]"),
                    false => text.clone(),
                };
                let text: String = line.parts.iter().map(part).collect();
                format!("{} {text}", line.number)
            }
        };
        let row = |row: &LineRow| match row {
            LineRow::Folded(count) => format!("… {count}"),
            LineRow::Same(line, new) => format!("{} = {new}", side(&Some(line.clone()))),
            LineRow::Changed(old, new) => format!("{} | {}", side(old), side(new)),
        };
        shown.rows.iter().map(row).collect()
    }

    #[test]
    fn unchanged_runs_are_folded_and_changed_words_are_marked() {
        let old: String = (1..=20).map(|n| format!("line {n} stays\n")).collect();
        let new = old.replace("line 10 stays", "line 10 goes");
        let shown = SideBySide::of(old.as_bytes(), new.as_bytes(), 100);
        assert_eq!(
            drawn(&shown),
            [
                "… 6",
                "7 line 7 stays = 7",
                "8 line 8 stays = 8",
                "9 line 9 stays = 9",
                "10 line 10 [stays] | 10 line 10 [goes]",
                "11 line 11 stays = 11",
                "12 line 12 stays = 12",
                "13 line 13 stays = 13",
                "… 7",
            ]
        );
    }

    #[test]
    fn lines_that_have_nothing_in_common_are_not_marked_within() {
        let shown = SideBySide::of(b"alpha beta\n", b"one, two, three\nfour\n", 100);
        assert_eq!(
            drawn(&shown),
            ["1 alpha beta | 1 one, two, three", " | 2 four"]
        );
    }

    #[test]
    fn rows_beyond_the_limit_are_counted() {
        let old: String = (1..=50).map(|n| format!("{n}\n")).collect();
        let shown = SideBySide::of(old.as_bytes(), b"", 20);
        assert_eq!(shown.rows.len(), 20);
        assert_eq!((shown.more_removed, shown.more_added), (30, 0));
        assert!(shown.text_bytes() > 20);
    }

    #[test]
    fn hostile_characters_are_spelled_out_and_binary_content_is_named() {
        let shown = SideBySide::of(b"", "a\u{202e}\u{1b}[2J\n".as_bytes(), 20);
        assert_eq!(drawn(&shown), [" | 1 a\\u{202e}\\u{1b}[2J"]);
        let shown = SideBySide::of(b"", b"\0\x01\0\x02\0\x03\0", 20);
        assert_eq!(drawn(&shown), [" | 1 [binary, 7 bytes]"]);
    }
}
