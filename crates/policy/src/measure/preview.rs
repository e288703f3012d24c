//! Previews for people: the unified diff and the lost lines.
//!
//! Counts come from [`super::lost`], not from here.

use std::borrow::Cow;
use std::fmt::Write as _;

use bstr::ByteSlice;
use gix_imara_diff::Diff;
use similar::udiff::UnifiedHunkHeader;
use similar::{DiffOp, DiffTag, group_diff_ops};

use super::content::{Content, countable};
use super::line_diff;
use super::text::Unit;
use crate::path::is_hostile;

/// Unchanged lines around a change.
pub(super) const CONTEXT: usize = 3;

/// So many removed or added lines in a row are shown in any case.
const FEWEST: usize = 3;

/// Longer lines are cut; minified files have lines of megabytes.
const LINE_WIDTH: usize = 240;

/// A unified diff of at most `max_lines` lines, including the markers `[truncated] N more lines`. A longer diff shows
/// the first lines of each run of removed or added ones, and how many are left out. Empty if nothing differs.
///
/// Names are printed as they are, so the caller escapes them. Content is escaped here: control and direction-changing
/// characters show as `\u{1b}`, a carriage return as `\r`, and invalid UTF-8 as U+FFFD. With `usize::MAX` lines
/// nothing is left out or cut.
pub fn unified_preview(
    old: &[u8],
    new: &[u8],
    old_name: &str,
    new_name: &str,
    max_lines: usize,
) -> String {
    let old = displayable(old);
    let new = displayable(new);
    if old == new {
        return String::new();
    }
    let mut lines = vec![format!("--- {old_name}"), format!("+++ {new_name}")];
    add_hunks(&old, &new, max_lines, &mut lines);
    truncate_preview(&mut lines, max_lines);
    lines.join("\n") + "\n"
}

/// Cuts the lines of a preview to at most `max_lines`, including the marker `[truncated] more changes`.
pub fn truncate_preview(lines: &mut Vec<String>, max_lines: usize) {
    if lines.len() > max_lines {
        lines.truncate(max_lines.saturating_sub(1));
        lines.push("[truncated] more changes".to_owned());
    }
}

/// Adds the hunks of a diff, each line with its sign, until there are more than `max_lines`.
fn add_hunks(old: &[u8], new: &[u8], max_lines: usize, lines: &mut Vec<String>) {
    let input = if line_diff::are_too_many_lines(old, new) {
        None
    } else {
        line_diff::numbered(old.lines_with_terminator(), new.lines_with_terminator())
    };
    let Some(input) = input else {
        lines.push("[truncated] more lines than can be compared".to_owned());
        return;
    };
    let old: Vec<&[u8]> = old.lines_with_terminator().collect();
    let new: Vec<&[u8]> = new.lines_with_terminator().collect();
    let mut diff = line_diff::diff(&input);
    // As git does, to the least indentation.
    diff.postprocess_lines(&input);
    let groups = group_diff_ops(operations(&diff, old.len()), CONTEXT);
    let width = match max_lines {
        usize::MAX => usize::MAX,
        _ => LINE_WIDTH,
    };
    // What the names, the heads of hunks and the lines around leave is for the runs, as many lines of each as fit.
    let (around, runs): (Vec<&DiffOp>, Vec<&DiffOp>) = groups
        .iter()
        .flatten()
        .partition(|one| one.tag() == DiffTag::Equal);
    let around = around.iter().map(|one| one.old_range().len());
    let taken = 2 + groups.len() + around.sum::<usize>();
    let most = (FEWEST..max_lines)
        .rev()
        .find(|most| {
            let runs = runs
                .iter()
                .flat_map(|one| [one.old_range(), one.new_range()]);
            taken + runs.map(|run| run.len().min(most + 1)).sum::<usize>() <= max_lines
        })
        .unwrap_or(FEWEST);
    for group in &groups {
        if lines.len() > max_lines {
            return;
        }
        lines.push(UnifiedHunkHeader::new(group).to_string());
        for one in group {
            let old_lines = &old[one.old_range()];
            if one.tag() == DiffTag::Equal {
                add_lines(' ', old_lines, width, lines);
            } else {
                add_run('-', old_lines, most, width, lines);
                add_run('+', &new[one.new_range()], most, width, lines);
            }
        }
    }
}

/// Adds a run of removed or added lines: `most` of them and how many are left out, unless that is a single one.
fn add_run(sign: char, run: &[&[u8]], most: usize, width: usize, lines: &mut Vec<String>) {
    if run.len() <= most + 1 {
        return add_lines(sign, run, width, lines);
    }
    add_lines(sign, &run[..most], width, lines);
    let what = if sign == '-' { " removed" } else { " added" };
    lines.push(marker(run.len() - most, what));
}

fn add_lines(sign: char, run: &[&[u8]], width: usize, lines: &mut Vec<String>) {
    for line in run {
        let body = line.strip_suffix(b"\n");
        lines.push(format!("{sign}{}", visible(body.unwrap_or(line), width)));
        if body.is_none() {
            lines.push("\\ No newline at end of file".to_owned());
        }
    }
}

/// The diff of a text of `count` lines as `similar` groups it.
fn operations(diff: &Diff, count: usize) -> Vec<DiffOp> {
    let mut all = Vec::new();
    let mut old_end = 0;
    let mut new_end = 0;
    for hunk in diff.hunks() {
        let old = hunk.before.start as usize;
        let new = hunk.after.start as usize;
        all.push(DiffOp::Equal {
            old_index: old_end,
            new_index: new_end,
            len: old - old_end,
        });
        all.push(DiffOp::Replace {
            old_index: old,
            old_len: hunk.before.len(),
            new_index: new,
            new_len: hunk.after.len(),
        });
        old_end = hunk.before.end as usize;
        new_end = hunk.after.end as usize;
    }
    all.push(DiffOp::Equal {
        old_index: old_end,
        new_index: new_end,
        len: count - old_end,
    });
    all
}

fn marker(count: usize, what: &str) -> String {
    let noun = if count == 1 { "line" } else { "lines" };
    format!("[truncated] {count} more{what} {noun}")
}

/// The lines of `old` that a line diff does not keep, at most `max_lines`, including the marker `[truncated] N more
/// lines`. Leading and trailing blanks are ignored, and content is escaped as in [`unified_preview`].
pub fn deleted_content(old: &[u8], new: &[u8], max_lines: usize) -> String {
    let old = displayable(old);
    let new = displayable(new);
    let lines: Vec<&[u8]> = old.lines().collect();
    let removed = match line_diff::changes(&old, &new, Unit::Lines) {
        Some(hunks) => {
            let hunks = hunks.iter().map(|hunk| &hunk.before);
            let lines = hunks.flat_map(|range| &lines[range.start as usize..range.end as usize]);
            lines.copied().collect()
        }
        None => lines,
    };
    let shown = if removed.len() <= max_lines {
        removed.len()
    } else {
        max_lines.saturating_sub(1)
    };
    let mut out = String::new();
    for line in &removed[..shown] {
        out.push_str(&visible(line, LINE_WIDTH));
        out.push('\n');
    }
    if shown < removed.len() {
        out.push_str(&marker(removed.len() - shown, ""));
        out.push('\n');
    }
    out
}

/// The lines to show, or a placeholder line.
fn displayable(blob: &[u8]) -> Cow<'_, [u8]> {
    match Content::of(blob) {
        Content::Binary => Cow::Owned(format!("[binary, {} bytes]\n", blob.len()).into_bytes()),
        _ => countable(blob),
    }
}

/// A line that is safe for a terminal, cut if it is long.
fn visible(line: &[u8], width: usize) -> String {
    let mut shown = String::new();
    let bytes = width.saturating_mul(4).saturating_add(4);
    let text = line[..line.len().min(bytes)].to_str_lossy();
    for (index, c) in text.chars().enumerate() {
        match c {
            _ if index == width => {
                shown.push('…');
                break;
            }
            '\t' => shown.push(c),
            '\r' => shown.push_str("\\r"),
            // Joiners have a use in names, but a preview must show that two lines differ.
            c if is_hostile(c) || matches!(c, '\u{200c}' | '\u{200d}') => {
                // Writing to a String cannot fail.
                let _ = write!(shown, "{}", c.escape_unicode());
            }
            c => shown.push(c),
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use super::*;

    fn numbered(range: Range<usize>, word: &str) -> Vec<u8> {
        range
            .map(|n| format!("{word} {n}\n"))
            .collect::<String>()
            .into_bytes()
    }

    #[test]
    fn a_change_is_shown_as_a_unified_diff_with_three_lines_around() {
        let old = numbered(1..10, "line");
        let new = String::from_utf8_lossy(&old).replace("line 5", "five");
        assert_eq!(
            unified_preview(&old, new.as_bytes(), "a/x", "b/x", 50),
            "--- a/x\n+++ b/x\n@@ -2,7 +2,7 @@\n line 2\n line 3\n line 4\n-line 5\n+five\n line 6\n line 7\n line 8\n"
        );
    }

    #[test]
    fn changes_share_a_hunk_if_their_context_overlaps() {
        let old = numbered(0..20, "line");
        let heads = |second: &str| {
            let new = String::from_utf8_lossy(&old)
                .replace("line 2\n", "two\nand\n")
                .replace(second, "");
            let preview = unified_preview(&old, new.as_bytes(), "x", "x", 50);
            let heads = preview.lines().filter(|line| line.starts_with("@@"));
            heads.map(str::to_owned).collect::<Vec<_>>()
        };
        // Six lines between the changes are three around each.
        assert_eq!(heads("line 9\n"), ["@@ -1,13 +1,13 @@"]);
        assert_eq!(heads("line 10\n"), ["@@ -1,6 +1,7 @@", "@@ -8,7 +9,6 @@"]);
        // At the end there are fewer lines around.
        assert_eq!(heads("line 19\n")[1], "@@ -17,4 +18,3 @@");
    }

    #[test]
    fn equal_versions_have_no_preview() {
        assert_eq!(unified_preview(b"a\n", b"a\n", "a", "b", 50), "");
    }

    #[test]
    fn requirement_000_scenario_170_a_200_line_diff_is_cut_to_50_lines() {
        // 2 name lines, 1 hunk line and 200 removed lines: 203.
        let preview = unified_preview(&numbered(0..200, "old"), b"", "a/x", "b/x", 50);
        let lines: Vec<_> = preview.lines().collect();
        assert_eq!(lines.len(), 50);
        assert_eq!(lines[2], "@@ -1,200 +0,0 @@");
        assert_eq!(lines[48], "-old 45");
        assert_eq!(lines[49], "[truncated] 154 more removed lines");
    }

    #[test]
    fn long_preview_shows_both_sides_and_counts_omitted_lines() {
        // 270 lines become 56: 2 name lines, 1 hunk line, 2 markers and 44 lines of the two sides.
        let old = numbered(0..270, "old");
        let new = numbered(0..56, "new");
        let preview = unified_preview(&old, &new, "x", "x", 50);
        assert_eq!(preview.lines().count(), 49);
        assert!(preview.contains("-old 21\n[truncated] 248 more removed lines\n+new 0\n"));
        assert!(preview.ends_with("+new 21\n[truncated] 34 more added lines\n"));
        // A side of few lines is shown whole.
        let preview = unified_preview(&old, b"1\n2\n3\n", "x", "x", 50);
        assert_eq!(preview.lines().count(), 50);
        assert!(preview.ends_with("[truncated] 227 more removed lines\n+1\n+2\n+3\n"));
    }

    #[test]
    fn preview_of_many_changes_ends_early_within_any_limit() {
        // Every tenth line is replaced by three.
        let old = numbered(0..1000, "line");
        let new: String = (0..1000)
            .map(|n| match n % 10 {
                5 => format!("new {n}\nnew {n}\nnew {n}\n"),
                _ => format!("line {n}\n"),
            })
            .collect();
        for max in 4..80 {
            let preview = unified_preview(&old, new.as_bytes(), "x", "x", max);
            assert!(preview.lines().count() <= max, "{max}\n{preview}");
            assert!(preview.contains("[truncated]"), "{max}\n{preview}");
        }
        let whole = unified_preview(&old, new.as_bytes(), "x", "x", usize::MAX);
        assert!(!whole.contains("[truncated]"));
        assert_eq!(whole.matches("\n+new").count(), 300);
    }

    #[test]
    fn a_preview_of_exactly_the_limit_has_no_marker() {
        let preview = unified_preview(b"", &numbered(0..47, "x"), "a", "b", 50);
        assert_eq!(preview.lines().count(), 50);
        assert!(!preview.contains("[truncated]"));
        let preview = unified_preview(b"", &numbered(0..48, "x"), "a", "b", 50);
        assert_eq!(preview.lines().count(), 50);
        assert!(preview.ends_with("[truncated] 2 more added lines\n"));
    }

    /// A marker in place of a single line would save nothing.
    #[test]
    fn one_line_more_than_fit_is_shown_and_two_are_counted() {
        let run: Vec<&[u8]> = vec![b"1\n", b"2\n", b"3\n", b"4\n"];
        let shown = |most| {
            let mut lines = Vec::new();
            add_run('+', &run, most, 80, &mut lines);
            lines
        };
        assert_eq!(shown(4), ["+1", "+2", "+3", "+4"]);
        assert_eq!(shown(3), ["+1", "+2", "+3", "+4"]);
        assert_eq!(shown(2), ["+1", "+2", "[truncated] 2 more added lines"]);
    }

    #[test]
    fn tabs_stay_and_a_cut_counts_characters() {
        assert_eq!(visible(b"\ta\tb", 80), "\ta\tb");
        assert_eq!(visible("éé\té".as_bytes(), 3), "éé\t…");
        assert_eq!(visible("éé\té".as_bytes(), 4), "éé\té");
        assert_eq!(visible("a\u{200d}b".as_bytes(), 80), "a\\u{200d}b");
    }

    #[test]
    fn a_binary_file_is_shown_as_its_size() {
        let image: &[u8] = b"\x89PNG\0\x01\x02\n\0\x03";
        assert_eq!(
            unified_preview(image, b"a\n", "x", "y", 50),
            "--- x\n+++ y\n@@ -1 +1 @@\n-[binary, 10 bytes]\n+a\n"
        );
        assert_eq!(deleted_content(image, b"a\n", 4), "[binary, 10 bytes]\n");
        assert_eq!(deleted_content(b"a\n", image, 4), "a\n");
    }

    #[test]
    fn a_missing_final_newline_and_a_carriage_return_are_visible() {
        assert_eq!(
            unified_preview(b"a\r\n", b"a", "x", "y", 50),
            "--- x\n+++ y\n@@ -1 +1 @@\n-a\\r\n+a\n\\ No newline at end of file\n"
        );
    }

    #[test]
    fn terminal_control_characters_in_content_are_escaped() {
        let preview = unified_preview(b"", b"\x1b[2Jgone\xe2\x80\xae\n\xff\n", "x", "y", 50);
        assert!(preview.contains("+\\u{1b}[2Jgone\\u{202e}\n"));
        assert!(preview.contains("+\u{fffd}\n"));
        assert!(!preview.contains('\x1b'));
    }

    #[test]
    fn a_line_of_a_megabyte_is_cut() {
        let preview = unified_preview(b"", &vec![b'x'; 1 << 20], "x", "y", 50);
        assert!(preview.len() < 1_000);
        assert!(preview.contains("xxx…\n"));
    }

    #[test]
    fn a_large_text_is_compared_in_full() {
        let text = |word: &dyn Fn(usize) -> &'static str| -> String {
            let line = |n: usize| format!("{} {n}\n", word(n));
            (0..110_000).map(line).collect()
        };
        let old = text(&|_| "line");
        // Equal ends, and a long part of which every second line is another one.
        let new = text(&|n| {
            let is_other = (5_000..105_000).contains(&n) && n % 2 == 0;
            if is_other { "new" } else { "line" }
        });
        let preview = unified_preview(old.as_bytes(), new.as_bytes(), "a", "b", 14);
        let start = "--- a\n+++ b\n@@ -4998,100005 +4998,100005 @@\n line 4997\n line 4998\n line 4999\n-line 5000\n+new 5000\n";
        assert!(preview.starts_with(start), "{preview}");
        let lost = deleted_content(old.as_bytes(), new.as_bytes(), 4);
        assert!(
            lost.starts_with("line 5000\nline 5002\nline 5004\n[truncated]"),
            "{lost}"
        );
        let more: usize = lost
            .split(' ')
            .filter_map(|word| word.parse().ok())
            .next_back()
            .unwrap_or_default();
        assert_eq!(more, 50_000 - 3);
    }

    #[test]
    fn a_text_with_too_many_lines_has_a_note_and_its_lost_content() {
        let old = numbered(0..300_000, "line");
        let new = numbered(1..300_001, "other");
        let preview = unified_preview(&old, &new, "a", "b", 14);
        let note = "[truncated] more lines than can be compared";
        assert_eq!(preview, format!("--- a\n+++ b\n{note}\n"));
        let lost = deleted_content(&old, &new, 2);
        assert_eq!(lost, "line 0\n[truncated] 299999 more lines\n");
    }

    #[test]
    fn deleted_content_is_everything_the_diff_drops() {
        assert_eq!(
            deleted_content(
                b"keep\ndrop 1\n  indent\ndrop 2\n",
                b"keep\nindent\nnew\n",
                50
            ),
            "drop 1\ndrop 2\n"
        );
        assert_eq!(deleted_content(b"a\nb\n", b"", 50), "a\nb\n");
        assert_eq!(deleted_content(b"", b"a\n", 50), "");
        assert_eq!(
            deleted_content(&numbered(0..60, "x"), b"", 3),
            "x 0\nx 1\n[truncated] 58 more lines\n"
        );
    }
}
