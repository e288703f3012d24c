//! What a reviewer sees and can replace: the lines of a text that a diff shows, and the edits from one text to another.

use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices, group_diff_ops};

use super::preview::CONTEXT;

/// Lines of a text, and what to put in their place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineEdit {
    /// The first line to replace, from 1.
    pub first: usize,
    /// The last line to replace.
    pub last: usize,
    /// What to put there.
    pub lines: Vec<String>,
}

/// The edits that turn one text into another. Each replaces at least one line, since a reviewer cannot comment on the gap
/// between two; lines that are only added come with the line above them.
pub fn line_edits(old: &str, new: &str) -> Vec<LineEdit> {
    let old: Vec<&str> = old.lines().collect();
    let new: Vec<&str> = new.lines().collect();
    let mut edits = Vec::new();
    for change in capture_diff_slices(Algorithm::Myers, &old, &new) {
        if matches!(change, DiffOp::Equal { .. }) {
            continue;
        }
        let mut before = change.old_range();
        let mut lines: Vec<String> = Vec::new();
        if before.is_empty() && before.start > 0 {
            before.start -= 1;
            lines.push(old[before.start].to_owned());
        }
        lines.extend(
            new[change.new_range()]
                .iter()
                .map(|line| (*line).to_owned()),
        );
        edits.push(LineEdit {
            first: before.start + 1,
            last: before.end,
            lines,
        });
    }
    edits
}

/// The lines of the new text, from 1, that a unified diff shows with its usual context.
pub fn shown_lines(old: &str, new: &str) -> Vec<Range<usize>> {
    let old: Vec<&str> = old.lines().collect();
    let new: Vec<&str> = new.lines().collect();
    let changes = capture_diff_slices(Algorithm::Myers, &old, &new);
    let hunks = group_diff_ops(changes, CONTEXT).into_iter();
    let shown = hunks.filter_map(|hunk| {
        let start = hunk.first()?.new_range().start;
        let end = hunk.last()?.new_range().end;
        Some(start + 1..end + 1)
    });
    shown.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn added_lines_come_with_the_line_above_and_changed_ones_replace() {
        let edit = |first, last, lines: &[&str]| LineEdit {
            first,
            last,
            lines: lines.iter().map(|line| (*line).to_owned()).collect(),
        };
        assert_eq!(
            line_edits("a\nb\nc\n", "a\nb\nx\ny\nc\n"),
            [edit(2, 2, &["b", "x", "y"])]
        );
        assert_eq!(line_edits("a\nb\n", "a\nB\n"), [edit(2, 2, &["B"])]);
        assert_eq!(line_edits("a\nb", "a\nb\nc\n"), [edit(2, 2, &["b", "c"])]);
        assert_eq!(line_edits("a\n", "a\n"), []);
        // Above the first line there is none, so nobody can comment there.
        let above = line_edits("a\n", "x\na\n");
        assert_eq!((above[0].first, above[0].last), (1, 0));
    }

    #[test]
    fn a_diff_shows_three_lines_around_a_change_and_all_of_a_new_text() {
        let old: String = (1..=20).map(|n| format!("{n}\n")).collect();
        let new = old.replace("10\n", "ten\n");
        assert_eq!(shown_lines(&old, &new), vec![7..14]);
        assert_eq!(shown_lines("", &old), vec![1..21]);
        assert!(shown_lines(&old, &old).is_empty());
    }
}
