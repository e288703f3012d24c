//! Previews in colour: removed and added lines, and within them the words that differ.

use annotate_snippets::renderer::{DEFAULT_ADDITION_STYLE, DEFAULT_REMOVAL_STYLE};
use similar::{ChangeTag, TextDiff};

use super::style::{Style, paint};

/// Bytes of the removed and added lines that follow each other. With more, only whole lines have a colour: comparing
/// their words would take too long.
const MOST_BYTES: usize = 8 * 1024;

/// A unified preview, whose content is escaped already, in colour if colours are on.
pub(crate) fn painted(preview: &str, style: &Style) -> String {
    if !style.color {
        return preview.to_owned();
    }
    let lines: Vec<&str> = preview.lines().collect();
    let mut out: Vec<String> = lines.iter().map(|line| whole(line, style)).collect();
    // The names of the two versions begin with signs too.
    let is_named =
        matches!(lines[..], [old, new, ..] if old.starts_with("--- ") && new.starts_with("+++ "));
    let mut at = if is_named { 2 } else { 0 };
    while at < lines.len() {
        let run = |from: usize, is_in: fn(&str) -> bool| {
            let rest = lines[from..].iter();
            from + rest.take_while(|line| is_in(line)).count()
        };
        let mut removed = at..run(at, |line| line.starts_with('-'));
        let start = run(removed.end, |line| line.starts_with(['\\', '[']));
        let mut added = start..run(start, |line| line.starts_with('+'));
        at = added.end.max(at + 1);
        let is_cut = |end: usize| lines.get(end).is_some_and(|line| line.starts_with('['));
        if is_cut(removed.end) || is_cut(added.end) {
            // What the last lines of the longer side belong to is not shown.
            let pairs = removed.len().min(added.len());
            removed.end = removed.start + pairs;
            added.end = added.start + pairs;
        }
        if let Some((old, new)) = words(&lines[removed.clone()], &lines[added.clone()]) {
            for (place, line) in removed.zip(old).chain(added.zip(new)) {
                out[place] = line.unwrap_or_else(|| out[place].clone());
            }
        }
    }
    out.into_iter().map(|line| line + "\n").collect()
}

/// A line in the colour of its sign.
fn whole(line: &str, style: &Style) -> String {
    match line.as_bytes().first() {
        Some(b'+') => paint(DEFAULT_ADDITION_STYLE, line, style),
        Some(b'-') => paint(DEFAULT_REMOVAL_STYLE, line, style),
        _ => line.to_owned(),
    }
}

/// Lines of one side, each with its words painted where the other side has a line much like it.
type Painted = Vec<Option<String>>;

/// Compares the words of removed lines with those of the added lines that take their place.
fn words(removed: &[&str], added: &[&str]) -> Option<(Painted, Painted)> {
    let text =
        |lines: &[&str]| -> String { lines.iter().flat_map(|line| [&line[1..], "\n"]).collect() };
    let (old, new) = (text(removed), text(added));
    if removed.is_empty() || added.is_empty() || old.len() + new.len() > MOST_BYTES {
        return None;
    }
    let mut painted = (vec![None; removed.len()], vec![None; added.len()]);
    let diff = TextDiff::from_lines(&old, &new);
    let changes = diff.ops().iter();
    for change in changes.flat_map(|op| diff.iter_inline_changes_deadline(op, None)) {
        let (line, sign, color) = match (change.tag(), change.old_index(), change.new_index()) {
            (ChangeTag::Delete, Some(at), _) => (painted.0.get_mut(at), "-", DEFAULT_REMOVAL_STYLE),
            (ChangeTag::Insert, _, Some(at)) => {
                (painted.1.get_mut(at), "+", DEFAULT_ADDITION_STYLE)
            }
            _ => continue,
        };
        if change
            .values()
            .iter()
            .all(|(is_emphasised, part)| *is_emphasised || part.trim().is_empty())
        {
            continue;
        }
        let mut text = format!("{color}{sign}{color:#}");
        for (is_emphasised, part) in change.values() {
            let color = if *is_emphasised {
                color.invert()
            } else {
                color
            };
            let part = part.trim_end_matches('\n');
            if !part.is_empty() {
                text.push_str(&format!("{color}{part}{color:#}"));
            }
        }
        if let Some(line) = line {
            *line = Some(text);
        }
    }
    Some(painted)
}
