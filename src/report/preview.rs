//! Previews line by line, with the words that differ, and in colour.

use annotate_snippets::renderer::{DEFAULT_ADDITION_STYLE, DEFAULT_REMOVAL_STYLE};
use similar::{ChangeTag, TextDiff};

use super::target::Style;

/// Bytes of the removed and added lines that follow each other. With more, only whole lines are marked: comparing
/// their words would take too long.
const MOST_BYTES: usize = 8 * 1024;

/// A line of a unified preview.
pub(super) struct MarkedLine<'a> {
    /// `+` or `-`, or nothing.
    pub(super) sign: &'a str,
    /// The text behind the sign in pieces, each with whether it differs from the line that it replaces, or that
    /// replaces it.
    pub(super) parts: Vec<(bool, String)>,
}

/// The prefix of quoted content, which distinguishes it from guard's own words.
pub(super) const GUTTER: &str = "  | ";

/// The lines of content, each behind the gutter.
pub(crate) fn gutter(content: &str) -> String {
    let lines = content.lines().map(|line| format!("{GUTTER}{line}\n"));
    lines.collect()
}

/// Appends the preview of a change and the content that it would lose, each below a title if there is any.
pub(crate) fn push_change(text: &mut String, preview: &str, lost: &str, style: &Style) {
    let preview = painted(preview, style);
    for (title, content) in [("The change", &*preview), ("What would be lost", lost)] {
        if !content.is_empty() {
            text.push_str(&format!("\n{title}:\n{}", gutter(content)));
        }
    }
}

/// A unified preview, whose content is escaped already, in colour if colours are on.
pub(crate) fn painted(preview: &str, style: &Style) -> String {
    if !style.color {
        return preview.to_owned();
    }
    let line = |line: &MarkedLine<'_>| {
        let color = match line.sign {
            "+" => DEFAULT_ADDITION_STYLE,
            "-" => DEFAULT_REMOVAL_STYLE,
            _ => anstyle::Style::new(),
        };
        if let [(false, text)] = &line.parts[..] {
            return style.paint(color, &format!("{}{text}", line.sign)) + "\n";
        }
        let parts = line.parts.iter().map(|(differs, text)| match differs {
            true => style.paint(color.invert(), text),
            false => style.paint(color, text),
        });
        style.paint(color, line.sign) + &parts.collect::<String>() + "\n"
    };
    marked(preview).iter().map(line).collect()
}

/// The lines of a preview, removed and added ones with the words that differ.
pub(super) fn marked(preview: &str) -> Vec<MarkedLine<'_>> {
    let lines: Vec<&str> = preview.lines().collect();
    let mut out: Vec<_> = lines.iter().map(|line| whole(line)).collect();
    // The names of the two versions begin with signs too.
    let is_named =
        matches!(lines[..], [old, new, ..] if old.starts_with("--- ") && new.starts_with("+++ "));
    let mut at = if is_named { 2 } else { 0 };
    while at < lines.len() {
        let run = |from: usize, is_in: fn(&str) -> bool| {
            let rest = lines[from..].iter();
            from + rest.take_while(|line| is_in(line)).count()
        };
        let removed = at..run(at, |line| line.starts_with('-'));
        let start = run(removed.end, |line| line.starts_with(['\\', '[']));
        let added = start..run(start, |line| line.starts_with('+'));
        at = added.end.max(at + 1);
        let text = |range: &std::ops::Range<usize>| -> String {
            let lines = lines[range.clone()].iter();
            lines.flat_map(|line| [&line[1..], "\n"]).collect()
        };
        let (old, new) = (text(&removed), text(&added));
        if old.is_empty() || new.is_empty() || old.len() + new.len() > MOST_BYTES {
            continue;
        }
        let diff = TextDiff::from_lines(&old, &new);
        let changes = diff.ops().iter();
        for change in changes.flat_map(|op| diff.iter_inline_changes_deadline(op, None)) {
            let line = match (change.tag(), change.old_index(), change.new_index()) {
                (ChangeTag::Delete, Some(index), _) => removed.start + index,
                (ChangeTag::Insert, _, Some(index)) => added.start + index,
                _ => continue,
            };
            let parts = change.values().iter();
            let parts =
                parts.map(|(differs, text)| (*differs, text.trim_end_matches('\n').to_owned()));
            let parts: Vec<_> = parts.filter(|(_, text)| !text.is_empty()).collect();
            // A line that differs as a whole needs no marks.
            if parts
                .iter()
                .any(|(differs, text)| !differs && !text.trim().is_empty())
            {
                out[line].parts = parts;
            }
        }
    }
    out
}

/// A line without marks.
fn whole(line: &str) -> MarkedLine<'_> {
    let (sign, text) = line.split_at(usize::from(line.starts_with(['+', '-'])));
    MarkedLine {
        sign,
        parts: vec![(false, text.to_owned())],
    }
}
