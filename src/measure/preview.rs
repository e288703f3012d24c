//! Previews for people: the unified diff and the lost lines.
//!
//! Counts come from [`super::lost`], not from here.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::ops::Range;

use gix::bstr::{self, ByteSlice};
use gix::diff::blob::Hunk;

use super::line_diff::{LineDiff, whole_line_changes};
use super::share::line_diff;
use super::text::{Content, countable, line_count};

/// Unchanged lines around a change.
const CONTEXT: u32 = 3;

/// Longer lines are cut; minified files have lines of megabytes.
const LINE_WIDTH: usize = 240;

/// The minimum lines per side in a shortened preview.
const LEAST: usize = 3;

/// A unified diff of at most `max_lines` lines, including the markers `[truncated] N more lines`. A longer diff shows
/// the first removed and the first added lines in proportion to their numbers, and how many of each are left out.
/// Empty if nothing differs.
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
    let (old, new) = (displayable(old), displayable(new));
    let changes = whole_line_changes(&old, &new);
    if changes.is_empty() {
        return String::new();
    }
    let layout = Layout {
        changes: &changes,
        old: PreviewSide::of(&old),
        new: PreviewSide::of(&new),
        max: max_lines,
    };
    let mut page = Page::new(max_lines);
    page.line(|| format!("--- {old_name}"));
    page.line(|| format!("+++ {new_name}"));
    let (mut before, mut after) = (Lines::of(&old), Lines::of(&new));
    for part in layout.best() {
        match part {
            PreviewPart::Head(old, new) => {
                page.line(|| format!("@@ -{} +{} @@", position(&old), position(&new)));
            }
            PreviewPart::Same(range) => before.print(' ', range, &mut page),
            PreviewPart::Removed(range) => before.print('-', range, &mut page),
            PreviewPart::Added(range) => after.print('+', range, &mut page),
            PreviewPart::LeftOut(count, what) => page.line(|| marker(count, what)),
        }
    }
    page.finish()
}

/// One piece of a preview, in printing order.
enum PreviewPart {
    Head(Range<u32>, Range<u32>),
    Same(Range<u32>),
    Removed(Range<u32>),
    Added(Range<u32>),
    /// This many lines of this kind are not shown.
    LeftOut(usize, &'static str),
}

/// Facts about one version, without printing it.
struct PreviewSide {
    lines: u32,
    ends_with_newline: bool,
}

impl PreviewSide {
    fn of(text: &[u8]) -> PreviewSide {
        PreviewSide {
            lines: u32::try_from(line_count(text)).unwrap_or(u32::MAX),
            ends_with_newline: text.ends_with(b"\n"),
        }
    }

    /// How many lines a range takes, including the remark about a missing final newline.
    fn printed(&self, range: &Range<u32>) -> usize {
        let remark = !range.is_empty() && range.end == self.lines && !self.ends_with_newline;
        range.len() + usize::from(remark)
    }
}

/// Decides which lines of a diff to show.
struct Layout<'a> {
    changes: &'a [Hunk],
    old: PreviewSide,
    new: PreviewSide,
    max: usize,
}

impl Layout<'_> {
    /// All parts if they fit; otherwise as many lines per side as fit.
    fn best(&self) -> Vec<PreviewPart> {
        let sum = |side: fn(&Hunk) -> &Range<u32>| self.changes.iter().map(|c| side(c).len()).sum();
        let (removed, added): (usize, usize) = (sum(|c| &c.before), sum(|c| &c.after));
        if let Some(all) = self.parts(removed, added) {
            return all;
        }
        // At least one line is left out.
        let most = (removed + added).saturating_sub(1).min(self.max);
        (0..=most)
            .rev()
            .find_map(|shown| {
                let (old, new) = shares(shown, removed, added);
                let mut parts = self.parts(old, new)?;
                let of_both = removed > 0 && added > 0;
                // Each marker follows the last shown line of its side.
                let mut mark = |left_out, what, is_side: fn(&PreviewPart) -> bool| {
                    if left_out > 0 {
                        let what = if of_both { what } else { "" };
                        let last = parts.iter().rposition(is_side);
                        let at = last.map_or(parts.len(), |at| at + 1);
                        parts.insert(at, PreviewPart::LeftOut(left_out, what));
                    }
                };
                mark(removed - old, " removed", is_removed);
                mark(added - new, " added", is_added);
                (2 + self.printed(&parts) <= self.max).then_some(parts)
            })
            .unwrap_or_else(|| vec![PreviewPart::LeftOut(removed + added, "")])
    }

    /// The parts with so many removed and added lines and their context; `None` if they do not fit.
    fn parts(&self, mut removed: usize, mut added: usize) -> Option<Vec<PreviewPart>> {
        let is_close = |a: &Hunk, b: &Hunk| b.before.start - a.before.end <= 2 * CONTEXT;
        let mut parts = Vec::new();
        let mut lines = 2;
        for hunk in self.changes.chunk_by(is_close) {
            let (Some(first), Some(last)) = (hunk.first(), hunk.last()) else {
                continue;
            };
            // Both sides have the same context lines.
            let lead = first.before.start.min(CONTEXT);
            let trail = self.old.lines.saturating_sub(last.before.end).min(CONTEXT);
            let around = |start: u32, end: u32| start.saturating_sub(lead)..end + trail;
            let shown = around(first.before.start, last.before.end);
            let other = around(first.after.start, last.after.end);
            let begins = parts.len();
            parts.push(PreviewPart::Head(shown.clone(), other));
            let (mut at, mut has_lines, mut is_cut) = (shown.start, false, false);
            for change in hunk {
                let old = first_of(&change.before, &mut removed);
                let new = first_of(&change.after, &mut added);
                if old.is_empty() && new.is_empty() {
                    // Both sides are used up, or the side of this change.
                    at = change.before.end;
                    is_cut = true;
                    continue;
                }
                has_lines = true;
                parts.push(PreviewPart::Same(at..change.before.start));
                parts.push(PreviewPart::Removed(old));
                parts.push(PreviewPart::Added(new));
                at = change.before.end;
            }
            if !has_lines {
                parts.truncate(begins);
                // One side may be used up while the other continues.
                if removed == 0 && added == 0 {
                    break;
                }
                continue;
            }
            if !is_cut {
                parts.push(PreviewPart::Same(at..shown.end));
            }
            lines += self.printed(&parts[begins..]);
            if lines > self.max {
                return None;
            }
        }
        Some(parts)
    }

    fn printed(&self, parts: &[PreviewPart]) -> usize {
        let lines = |part: &PreviewPart| match part {
            PreviewPart::Head(..) | PreviewPart::LeftOut(..) => 1,
            PreviewPart::Same(range) | PreviewPart::Removed(range) => self.old.printed(range),
            PreviewPart::Added(range) => self.new.printed(range),
        };
        parts.iter().map(lines).sum()
    }
}

fn is_removed(part: &PreviewPart) -> bool {
    matches!(part, PreviewPart::Removed(range) if !range.is_empty())
}

fn is_added(part: &PreviewPart) -> bool {
    matches!(part, PreviewPart::Added(range) if !range.is_empty())
}

/// The first lines of a range, as many as are left to show.
fn first_of(range: &Range<u32>, left: &mut usize) -> Range<u32> {
    let count = range.len().min(*left);
    *left -= count;
    range.start..range.start + u32::try_from(count).unwrap_or(u32::MAX)
}

/// How many of `shown` lines are removed ones, and how many added ones.
fn shares(shown: usize, removed: usize, added: usize) -> (usize, usize) {
    let (least_old, least_new) = (removed.min(LEAST), added.min(LEAST));
    let old = if shown < least_old + least_new {
        shown.min(least_old)
    } else {
        (shown * removed / (removed + added)).clamp(least_old, shown - least_new)
    };
    (old, shown - old)
}

fn marker(count: usize, what: &str) -> String {
    let noun = if count == 1 { "line" } else { "lines" };
    format!("[truncated] {count} more{what} {noun}")
}

/// The lines of `old` that a line diff does not keep, at most `max_lines`, including the marker `[truncated] N more
/// lines`. Leading and trailing blanks are ignored, and content is escaped as in [`unified_preview`].
pub fn deleted_content(old: &[u8], new: &[u8], max_lines: usize) -> String {
    let diff = line_diff(&displayable(old), &displayable(new));
    removed_lines(old, diff.as_ref(), max_lines)
}

/// Like [`deleted_content`] with a known diff from [`measure_with_diff`](super::measure_with_diff). Without a diff,
/// every line is lost.
pub fn removed_lines(old: &[u8], diff: Option<&LineDiff>, max_lines: usize) -> String {
    let old = displayable(old);
    let mut page = Page::new(max_lines);
    for (index, line) in old.lines().enumerate() {
        if diff.is_none_or(|diff| diff.is_removed(index)) {
            page.line(|| visible(line, LINE_WIDTH));
        }
    }
    page.finish()
}

/// The lines to show, or a placeholder line.
pub(super) fn displayable(blob: &[u8]) -> Cow<'_, [u8]> {
    match Content::of(blob) {
        Content::Binary => Cow::Owned(format!("[binary, {} bytes]\n", blob.len()).into_bytes()),
        _ => countable(blob),
    }
}

/// Lines as in a hunk header.
fn position(lines: &Range<u32>) -> String {
    let start = lines.start;
    match lines.end - start {
        0 => format!("{start},0"),
        1 => format!("{}", start + 1),
        count => format!("{},{count}", start + 1),
    }
}

/// Walks once through the lines of a text.
struct Lines<'a> {
    rest: bstr::LinesWithTerminator<'a>,
    /// The number of lines passed.
    at: u32,
}

impl<'a> Lines<'a> {
    fn of(text: &'a [u8]) -> Lines<'a> {
        Lines {
            rest: text.lines_with_terminator(),
            at: 0,
        }
    }

    /// Prints the lines of a range that is not behind, skipping those before it.
    fn print(&mut self, sign: char, range: Range<u32>, page: &mut Page) {
        while self.at < range.end
            && let Some(line) = self.rest.next()
        {
            self.at += 1;
            if self.at <= range.start {
                continue;
            }
            let body = line.strip_suffix(b"\n");
            let width = page.width;
            page.line(|| format!("{sign}{}", visible(body.unwrap_or(line), width)));
            if body.is_none() {
                page.line(|| "\\ No newline at end of file".to_owned());
            }
        }
    }
}

/// A line that is safe for a terminal, cut if it is long.
pub(super) fn visible(line: &[u8], width: usize) -> String {
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
            c if c.is_control() || is_misleading(c) => {
                // Writing to a String cannot fail.
                let _ = write!(shown, "{}", c.escape_unicode());
            }
            c => shown.push(c),
        }
    }
    shown
}

/// Characters that reorder text, break lines or are invisible.
fn is_misleading(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// Collects lines up to a maximum; dropped lines are not formatted.
struct Page {
    lines: Vec<String>,
    max: usize,
    total: usize,
    /// Longer lines are cut; an unlimited page shows them whole.
    width: usize,
}

impl Page {
    fn new(max: usize) -> Page {
        Page {
            lines: Vec::new(),
            max,
            total: 0,
            width: match max {
                usize::MAX => usize::MAX,
                _ => LINE_WIDTH,
            },
        }
    }

    fn line(&mut self, text: impl FnOnce() -> String) {
        self.total += 1;
        if self.lines.len() < self.max {
            self.lines.push(text());
        }
    }

    /// The page with newlines; the marker replaces the last line.
    fn finish(mut self) -> String {
        if self.total > self.max {
            self.lines.truncate(self.max.saturating_sub(1));
            let more = self.total - self.lines.len();
            self.lines.push(marker(more, ""));
        }
        self.lines.push(String::new());
        self.lines.join("\n")
    }
}

#[cfg(test)]
mod tests {
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
        assert_eq!(lines[49], "[truncated] 154 more lines");
    }

    #[test]
    fn long_preview_cuts_both_sides_in_proportion_and_counts_omitted_lines() {
        // 270 lines become 56: 2 name lines, 1 hunk line, 2 markers and 45 lines of the two sides.
        let (old, new) = (numbered(0..270, "old"), numbered(0..56, "new"));
        let preview = unified_preview(&old, &new, "x", "x", 50);
        assert_eq!(preview.lines().count(), 50);
        let of = |sign: &str| {
            preview
                .lines()
                .filter(|line| line.starts_with(sign))
                .count()
        };
        assert_eq!((of("-old"), of("+new")), (37, 8));
        assert!(preview.contains("-old 36\n[truncated] 233 more removed lines\n+new 0\n"));
        assert!(preview.ends_with("+new 7\n[truncated] 48 more added lines\n"));
        // A side of few lines is shown whole.
        let preview = unified_preview(&old, b"1\n2\n3\n", "x", "x", 50);
        assert_eq!(preview.lines().count(), 50);
        assert!(preview.ends_with("[truncated] 227 more removed lines\n+1\n+2\n+3\n"));
    }

    #[test]
    fn long_preview_continues_after_one_side_ends() {
        // Every tenth line is replaced by three.
        let old = numbered(0..1000, "line");
        let new: String = (0..1000)
            .map(|n| match n % 10 {
                5 => format!("new {n}\nnew {n}\nnew {n}\n"),
                _ => format!("line {n}\n"),
            })
            .collect();
        for max in 6..80 {
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
        assert!(preview.ends_with("[truncated] 2 more lines\n"));
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
    fn a_preview_of_a_very_large_text_shows_where_it_begins_to_differ() {
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
        // Every second line of the compared head, and all behind it up to the equal end.
        assert_eq!(more, 8_192 + (99_999 - 16_384) - 3);
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
