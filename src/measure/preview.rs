//! What a person is shown before deciding: the unified diff and the lost lines.
//!
//! Nothing here is counted with; counts come from [`super::lost`].

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

/// A longer line is cut; minified files have lines of megabytes.
const LINE_WIDTH: usize = 240;

/// A unified diff of at most `max_lines` lines, the marker
/// `[truncated] N more lines` included. Empty where nothing differs.
///
/// The names are printed as they are: escape them before. Content is escaped
/// here: control and direction-changing characters show as `\u{1b}`, a carriage
/// return as `\r`, and what is not UTF-8 as U+FFFD.
pub fn unified_preview(
    old: &[u8],
    new: &[u8],
    old_name: &str,
    new_name: &str,
    max_lines: usize,
) -> String {
    let (old, new) = (displayable(old), displayable(new));
    let changes = whole_line_changes(&old, &new);
    let total = u32::try_from(line_count(&old)).unwrap_or(u32::MAX);
    let (mut before, mut after) = (Lines::of(&old), Lines::of(&new));
    let mut page = Page::new(max_lines);
    let is_close = |a: &Hunk, b: &Hunk| b.before.start - a.before.end <= 2 * CONTEXT;
    for (index, hunk) in changes.chunk_by(is_close).enumerate() {
        let (Some(first), Some(last)) = (hunk.first(), hunk.last()) else {
            continue;
        };
        if index == 0 {
            page.line(|| format!("--- {old_name}"));
            page.line(|| format!("+++ {new_name}"));
        }
        // The lines around are the same on both sides, so there are as many.
        let lead = first.before.start.min(CONTEXT);
        let trail = total.saturating_sub(last.before.end).min(CONTEXT);
        let around = |start: u32, end: u32| start.saturating_sub(lead)..end + trail;
        let shown = around(first.before.start, last.before.end);
        let other = around(first.after.start, last.after.end);
        page.line(|| format!("@@ -{} +{} @@", position(&shown), position(&other)));
        let mut at = shown.start;
        for change in hunk {
            before.print(' ', at..change.before.start, &mut page);
            before.print('-', change.before.clone(), &mut page);
            after.print('+', change.after.clone(), &mut page);
            at = change.before.end;
        }
        before.print(' ', at..shown.end, &mut page);
    }
    page.finish()
}

/// The lines of `old` that a line diff does not keep, in order, at most
/// `max_lines` of them, the marker `[truncated] N more lines` included.
/// Leading and trailing blanks are ignored and content is escaped as in
/// [`unified_preview`].
pub fn deleted_content(old: &[u8], new: &[u8], max_lines: usize) -> String {
    let diff = line_diff(&displayable(old), &displayable(new));
    removed_lines(old, diff.as_ref(), max_lines)
}

/// As [`deleted_content`] by a diff that is there already: the one of
/// [`measure_with_diff`](super::measure_with_diff). Without one every line is lost.
pub fn removed_lines(old: &[u8], diff: Option<&LineDiff>, max_lines: usize) -> String {
    let old = displayable(old);
    let mut page = Page::new(max_lines);
    for (index, line) in old.lines().enumerate() {
        if diff.is_none_or(|diff| diff.is_removed(index)) {
            page.line(|| visible(line));
        }
    }
    page.finish()
}

/// The lines to show; one that says so where there are none.
fn displayable(blob: &[u8]) -> Cow<'_, [u8]> {
    match Content::of(blob) {
        Content::Binary => Cow::Owned(format!("[binary, {} bytes]\n", blob.len()).into_bytes()),
        _ => countable(blob),
    }
}

/// Lines as the head of a hunk names them.
fn position(lines: &Range<u32>) -> String {
    let start = lines.start;
    match lines.end - start {
        0 => format!("{start},0"),
        1 => format!("{}", start + 1),
        count => format!("{},{count}", start + 1),
    }
}

/// The lines of a text, walked once from its beginning to its end.
struct Lines<'a> {
    rest: bstr::LinesWithTerminator<'a>,
    /// How many lines are behind.
    at: u32,
}

impl<'a> Lines<'a> {
    fn of(text: &'a [u8]) -> Lines<'a> {
        Lines {
            rest: text.lines_with_terminator(),
            at: 0,
        }
    }

    /// Shows the lines of a range that is not behind; those before it are passed over.
    fn print(&mut self, sign: char, range: Range<u32>, page: &mut Page) {
        while self.at < range.end
            && let Some(line) = self.rest.next()
        {
            self.at += 1;
            if self.at <= range.start {
                continue;
            }
            let body = line.strip_suffix(b"\n");
            page.line(|| format!("{sign}{}", visible(body.unwrap_or(line))));
            if body.is_none() {
                page.line(|| "\\ No newline at end of file".to_owned());
            }
        }
    }
}

/// A line that cannot steer a terminal, cut where it is long.
fn visible(line: &[u8]) -> String {
    let mut shown = String::new();
    let text = line[..line.len().min(4 * LINE_WIDTH + 4)].to_str_lossy();
    for (index, c) in text.chars().enumerate() {
        match c {
            _ if index == LINE_WIDTH => {
                shown.push('…');
                break;
            }
            '\t' => shown.push(c),
            '\r' => shown.push_str("\\r"),
            c if c.is_control() || is_steering(c) => {
                // Writing to a String cannot fail.
                let _ = write!(shown, "{}", c.escape_unicode());
            }
            c => shown.push(c),
        }
    }
    shown
}

/// Characters that reorder text, break lines or are not seen.
fn is_steering(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// Collects lines up to a maximum; only what is kept gets formatted.
struct Page {
    lines: Vec<String>,
    max: usize,
    total: usize,
}

impl Page {
    fn new(max: usize) -> Page {
        Page {
            lines: Vec::new(),
            max,
            total: 0,
        }
    }

    fn line(&mut self, text: impl FnOnce() -> String) {
        self.total += 1;
        if self.lines.len() < self.max {
            self.lines.push(text());
        }
    }

    /// The page, each line with its newline; the marker takes the place of the last line.
    fn finish(mut self) -> String {
        if self.total > self.max {
            self.lines.truncate(self.max.saturating_sub(1));
            let more = self.total - self.lines.len();
            let noun = if more == 1 { "line" } else { "lines" };
            self.lines.push(format!("[truncated] {more} more {noun}"));
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
    fn changes_share_a_hunk_where_the_lines_around_them_meet() {
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
    fn nothing_is_shown_where_nothing_differs() {
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
    fn content_cannot_steer_a_terminal() {
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
    fn the_deleted_content_is_what_the_diff_does_not_keep() {
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
