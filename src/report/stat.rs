//! The map of the change as text, for `guard lint --stat`: a bar per file, as `git diff --stat` draws them.

use std::fmt::Write as _;

use annotate_snippets::renderer::{DEFAULT_ADDITION_STYLE, DEFAULT_REMOVAL_STYLE};
use gix::bstr::{BStr, ByteSlice};

use super::changed_lines::{ChangedLines, renamed_away};
use super::human::plural;
use super::style::{Style, paint};
use super::{escape, uri};
use crate::finding::{Anchor, refused_paths};
use crate::path::escaped;
use crate::verdict::{JudgedChange, Verdict};

/// The longest bar.
const MOST_BAR: usize = 40;
/// The shortest longest bar.
const LEAST_BAR: usize = 10;
/// The widest column of rows.
const MOST_PLACE: usize = 28;
/// The narrowest column of names.
const LEAST_NAME: usize = 12;

/// One line of the map.
struct StatLine {
    name: String,
    share: String,
    lines: Option<ChangedLines>,
    place: String,
    link: Option<String>,
}

/// The map of a verdict, by path, with the row of each change.
pub(crate) fn stat(verdict: &Verdict, style: &Style) -> String {
    let refused = refused_paths(&verdict.findings);
    let away = renamed_away(verdict);
    let mut sum = ChangedLines::default();
    let mut all = Vec::with_capacity(verdict.changes.len());
    for change in verdict.ordered_changes() {
        let is_away = away.contains::<BStr>(change.path.as_ref());
        let lines = ChangedLines::of(change).filter(|_| !is_away);
        sum.add(lines.unwrap_or_default());
        let row = verdict.review.as_ref().and_then(|review| {
            let at = *review.row_of.get(&change.path)?;
            Some(&review.rows.get(at)?.grant.anchor)
        });
        let mut place = row.map_or_else(|| "no row".to_owned(), place_of);
        if refused.contains(&change.path) {
            place = format!("refused, {place}");
        }
        all.push(StatLine {
            name: escaped(&change.path).to_string(),
            share: share(change, lines, is_away),
            lines,
            place,
            link: row.and_then(|row| link(row, style)),
        });
    }
    if all.is_empty() {
        return String::new();
    }
    let longest = |of: fn(&StatLine) -> usize| all.iter().map(of).max().unwrap_or(0);
    let place = longest(|line| line.place.chars().count()).min(MOST_PLACE);
    let share = longest(|line| line.share.chars().count());
    let name = longest(|line| line.name.chars().count());
    // ` NAME | SHARE BAR  PLACE`
    let around = 1 + 3 + share + 1 + 2 + place;
    let room = style.width.saturating_sub(around);
    let name = name.min(room.saturating_sub(LEAST_BAR)).max(LEAST_NAME);
    let bar = room.saturating_sub(name).clamp(LEAST_BAR, MOST_BAR);
    let most = all
        .iter()
        .filter_map(|line| line.lines)
        .map(ChangedLines::total);
    let most = most.max().unwrap_or(1).max(1);
    let mut out = String::new();
    for line in &all {
        let shown = last_part(&line.name, name);
        let drawn = line.lines.map_or_else(
            || (String::new(), 0),
            |lines| drawn(lines, bar, most, style),
        );
        let blank = " ".repeat(bar.saturating_sub(drawn.1));
        let place = escape::clip(&line.place, MOST_PLACE).into_owned();
        let place = match &line.link {
            Some(address) => format!("\x1b]8;;{address}\x1b\\{place}\x1b]8;;\x1b\\"),
            None => place,
        };
        // Writing to a string cannot fail.
        let _ = writeln!(
            out,
            " {shown:<name$} | {:>share$} {}{blank}  {place}",
            line.share, drawn.0
        );
    }
    let _ = writeln!(
        out,
        " {}: {} kept (=), {} lost (-), {} added (+)\n",
        plural(all.len(), "file"),
        plural(sum.kept, "line"),
        sum.lost,
        sum.added
    );
    escape::commands(out)
}

/// The lost share, or what happened to the file as a whole.
fn share(change: &JudgedChange, lines: Option<ChangedLines>, is_away: bool) -> String {
    match (change.class, lines) {
        _ if is_away => "moved".to_owned(),
        ("NEW", _) => "new".to_owned(),
        ("DELETE", _) => "gone".to_owned(),
        (_, None) => "-".to_owned(),
        (_, Some(lines)) => format!("{} %", lines.lost_percent().unwrap_or(0)),
    }
}

/// The file name and the line of a row; the directory of a design says little.
fn place_of(row: &Anchor) -> String {
    let name = row.path.rsplit_str("/").next().unwrap_or_default();
    format!("{}:{}", escaped(name), row.line)
}

fn link(row: &Anchor, style: &Style) -> Option<String> {
    let root = style.links.as_ref()?;
    Some(format!("{root}{}#{}", uri(row.path.as_bstr()), row.line))
}

/// A bar and its width. Its length grows with the square root of the lines, as on the page.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss
)]
fn drawn(lines: ChangedLines, bar: usize, most: usize, style: &Style) -> (String, usize) {
    let total = lines.total();
    if total == 0 {
        return (String::new(), 0);
    }
    let parts = [lines.kept, lines.lost, lines.added];
    let there = parts.iter().filter(|count| **count > 0).count();
    let length = ((total as f64 / most as f64).sqrt() * bar as f64).round() as usize;
    let length = length.clamp(there, bar);
    // Each part that is there has a sign; the largest takes what rounding leaves.
    let mut widths = parts.map(|count| match count {
        0 => 0,
        count => (count * length / total).max(1),
    });
    let largest = (0..3).max_by_key(|&at| parts[at]).unwrap_or(0);
    let others: usize = (0..3)
        .filter(|&at| at != largest)
        .map(|at| widths[at])
        .sum();
    widths[largest] = length.saturating_sub(others).max(1);
    let width = widths.iter().sum();
    let [kept, lost, added] = widths;
    let text = format!(
        "{}{}{}",
        "=".repeat(kept),
        paint(DEFAULT_REMOVAL_STYLE, &"-".repeat(lost), style),
        paint(DEFAULT_ADDITION_STYLE, &"+".repeat(added), style)
    );
    (text, width)
}

/// The end of a name, which says more than its beginning; `…` stands for the rest.
fn last_part(name: &str, width: usize) -> String {
    let count = name.chars().count();
    if count <= width {
        return name.to_owned();
    }
    let rest = name.chars().skip(count - width.saturating_sub(1));
    std::iter::once('…').chain(rest).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bar(kept: usize, lost: usize, added: usize) -> String {
        drawn(
            ChangedLines { kept, lost, added },
            20,
            100,
            &Style::default(),
        )
        .0
    }

    #[test]
    fn bars_show_every_part_and_grow_with_the_square_root() {
        assert_eq!(bar(50, 25, 25), "==========-----+++++");
        assert_eq!(bar(0, 100, 0), "--------------------");
        assert_eq!(bar(25, 0, 0), "==========");
        assert_eq!(bar(98, 1, 1), "==================-+");
        assert_eq!(bar(0, 0, 1), "++");
        assert_eq!(bar(0, 0, 0), "");
    }

    #[test]
    fn long_names_keep_their_ends() {
        assert_eq!(last_part("src/a.py", 8), "src/a.py");
        assert_eq!(last_part("src/very/long/a.py", 8), "…ng/a.py");
    }
}
