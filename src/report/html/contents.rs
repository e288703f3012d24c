//! Replaced files with old and new lines next to each other, and what deleted files contained.

use super::markup::{LimitedPart, code, html, left_out, line, push, section};
use super::overview::grouped;
use crate::measure::{LineRow, NumberedLine, SideBySide};
use crate::report::changed_lines::{ChangedLines, renamed_away};
use crate::report::human::plural;
use crate::verdict::{JudgedChange, Verdict};
use gix::bstr::BStr;

const REPLACED: usize = 700_000;
const DELETED: usize = 250_000;
const NAMES: usize = 50_000;
/// So many files are open from the start.
const OPEN: usize = 3;

/// Files that lose most of their content, or change its kind.
pub(super) fn replaced(verdict: &Verdict) -> String {
    // guard previews exactly the changes that destroy content.
    let is_replaced =
        |change: &&JudgedChange| change.class == "REPLACE" || change.preview.is_some();
    let changes: Vec<_> = verdict
        .ordered_changes()
        .into_iter()
        .filter(is_replaced)
        .collect();
    let lead = "These files lose most of their lines, or become another kind of content. Unchanged lines are folded.";
    files(
        verdict,
        &changes,
        ("replaced", "Replaced files", lead, "No file is replaced."),
        REPLACED,
    )
}

/// Files that are gone.
pub(super) fn deleted(verdict: &Verdict) -> String {
    let away = renamed_away(verdict);
    let is_gone = |change: &&JudgedChange| {
        change.class == "DELETE" && !away.contains::<BStr>(change.path.as_ref())
    };
    let changes: Vec<_> = verdict
        .ordered_changes()
        .into_iter()
        .filter(is_gone)
        .collect();
    files(
        verdict,
        &changes,
        (
            "deleted",
            "Deleted files",
            "What these files contained.",
            "No file is deleted.",
        ),
        DELETED,
    )
}

fn files(
    verdict: &Verdict,
    changes: &[&JudgedChange],
    (id, heading, lead, none): (&str, &str, &str, &str),
    limit: usize,
) -> String {
    if changes.is_empty() {
        return section(id, heading, "", &format!("<p class=\"none\">{none}</p>"));
    }
    let mut part = LimitedPart::new(limit);
    let mut left: Vec<&[u8]> = Vec::new();
    let mut shown = 0;
    for change in changes {
        let lines = verdict
            .review
            .as_ref()
            .and_then(|review| review.contents.get(&change.path));
        let content = match (lines, &change.preview) {
            (Some(lines), _) => table(lines, change.class == "DELETE"),
            (None, Some(preview)) => format!("<pre>{}</pre>", line_by_line(preview)),
            (None, None) => {
                left.push(change.path.as_slice());
                continue;
            }
        };
        let open = if shown < OPEN { " open" } else { "" };
        let item = format!(
            "<details class=\"file\"{open}><summary><h3>{}</h3>{}</summary>{content}</details>",
            code(&change.path),
            facts(change)
        );
        match part.push(&item) {
            true => shown += 1,
            false => left.push(change.path.as_slice()),
        }
    }
    let more = left_out("files", left.into_iter(), NAMES);
    section(id, heading, lead, &(part.finish() + &more))
}

/// What happened to the file in figures.
fn facts(change: &JudgedChange) -> String {
    let mut out = String::from("<span class=\"q\">");
    if let Some(from) = &change.from {
        push(&mut out, format_args!("from {}; ", code(from)));
    }
    match ChangedLines::of(change) {
        None => out.push_str("not text"),
        Some(lines) => {
            let percent = lines.lost_percent().unwrap_or(0);
            push(
                &mut out,
                format_args!(
                    "{} of {} lost ({percent} %), {} added",
                    grouped(lines.lost),
                    plural(lines.old(), "line"),
                    grouped(lines.added)
                ),
            );
        }
    }
    out.push_str("</span>");
    if change.approved {
        out.push_str(" <span class=\"tag good\">approved</span>");
    }
    out
}

fn line_by_line(text: &str) -> String {
    text.lines().map(|one| line(one) + "\n").collect()
}

fn table(lines: &SideBySide, is_deleted: bool) -> String {
    let mut out = match is_deleted {
        true => "<table class=\"sbs one\"><thead class=\"vh\"><tr><th scope=\"col\">Line</th><th scope=\"col\">Deleted text</th></tr></thead><tbody>",
        false => "<table class=\"sbs\"><thead><tr><th scope=\"col\"><span class=\"vh\">Old line</span></th><th scope=\"col\">Before</th><th scope=\"col\"><span class=\"vh\">New line</span></th><th scope=\"col\">After</th></tr></thead><tbody>",
    }
    .to_owned();
    let span = if is_deleted { 2 } else { 4 };
    for row in &lines.rows {
        match row {
            LineRow::Folded(count) => push(
                &mut out,
                format_args!(
                    "<tr class=\"fold\"><td colspan=\"{span}\">{} unchanged</td></tr>",
                    plural(*count as usize, "line")
                ),
            ),
            LineRow::Same(both, new) => {
                let text = text_of(both, "b");
                push(
                    &mut out,
                    format_args!(
                        "<tr><td class=\"ln\">{}</td><td>{text}</td><td class=\"ln\">{new}</td><td>{text}</td></tr>",
                        both.number
                    ),
                );
            }
            LineRow::Changed(old, _) if is_deleted => {
                push(
                    &mut out,
                    format_args!("<tr>{}</tr>", side(old.as_ref(), "o", "del")),
                );
            }
            LineRow::Changed(old, new) => push(
                &mut out,
                format_args!(
                    "<tr>{}{}</tr>",
                    side(old.as_ref(), "o", "del"),
                    side(new.as_ref(), "n", "ins")
                ),
            ),
        }
    }
    out.push_str("</tbody></table>");
    let mut more = Vec::new();
    for (count, word) in [(lines.more_removed, "removed"), (lines.more_added, "added")] {
        if count > 0 {
            more.push(format!(
                "{} more {word} {}",
                grouped(count),
                if count == 1 { "line" } else { "lines" }
            ));
        }
    }
    if !more.is_empty() {
        push(
            &mut out,
            format_args!("<p class=\"cut\">{} not shown.</p>", html(&more.join(", "))),
        );
    }
    out
}

/// The number and the text of one side.
fn side(shown: Option<&NumberedLine>, class: &str, mark: &str) -> String {
    match shown {
        None => "<td class=\"ln e\"></td><td class=\"e\"></td>".to_owned(),
        Some(shown) => format!(
            "<td class=\"ln {class}\">{}</td><td class=\"{class}\">{}</td>",
            shown.number,
            text_of(shown, mark)
        ),
    }
}

fn text_of(shown: &NumberedLine, mark: &str) -> String {
    let mut out = String::new();
    for (differs, text) in &shown.parts {
        let text = line(text);
        match differs {
            true => push(&mut out, format_args!("<{mark}>{text}</{mark}>")),
            false => out.push_str(&text),
        }
    }
    out
}
