//! The top of the page: the verdict, what was judged by which design, and the way to the sections.

use super::markup::{code, html, name, prose, push};
use crate::report::changed_lines::{ChangedLines, renamed_away};
use crate::report::human::{in_one_line, plural};
use crate::verdict::{Outcome, SourceKind, Verdict};
use gix::bstr::BStr;

/// The most notes.
const MOST_NOTES: usize = 50;

/// What was judged, in a few words.
pub(super) fn subject(verdict: &Verdict) -> String {
    let source = &verdict.source;
    let short = |id: &Option<String>| {
        id.as_deref()
            .map(|id| id.get(..12).unwrap_or(id).to_owned())
    };
    match (&source.branch, source.kind) {
        (Some(branch), _) => crate::path::escaped(branch).to_string(),
        (None, SourceKind::Range) => short(&source.head).unwrap_or_default(),
        (None, SourceKind::Index) => "staged changes".to_owned(),
        (None, SourceKind::WorkTree) => "uncommitted changes".to_owned(),
        (None, SourceKind::Request) => "proposed changes".to_owned(),
    }
}

pub(super) fn header(verdict: &Verdict) -> String {
    let (class, mark, word) = match verdict.outcome() {
        Outcome::Accepted => ("accepted", "✓", "Accepted"),
        Outcome::Refused => ("refused", "✕", "Refused"),
    };
    let summary = prose(&in_one_line(verdict));
    format!(
        "<a class=\"skip\" href=\"#main\">Skip to the review</a>\n\
         <header class=\"top {class}\"><div class=\"in\">\
         <p class=\"brand\">guard review <span>{}</span></p>\
         <h1><span class=\"mark\" aria-hidden=\"true\">{mark}</span> {word}</h1>\
         <p class=\"sum\">{summary}.</p>{}{}</div></header>\n{}",
        html(&subject(verdict)),
        facts(verdict),
        figures(verdict),
        contents()
    )
}

/// What was judged, against what, by which designs.
fn facts(verdict: &Verdict) -> String {
    let source = &verdict.source;
    let mut out = String::from("<dl class=\"facts\">");
    let kind = match source.kind {
        SourceKind::Index => "the staged changes",
        SourceKind::Range => "a range of commits",
        SourceKind::WorkTree => "all uncommitted changes",
        SourceKind::Request => "proposed changes",
    };
    push(
        &mut out,
        format_args!("<div><dt>Judged</dt><dd>{kind}</dd></div>"),
    );
    if let Some(branch) = &source.branch {
        push(
            &mut out,
            format_args!("<div><dt>Branch</dt><dd>{}</dd></div>", code(branch)),
        );
    }
    for (label, id) in [("Compared with", &source.base), ("Head", &source.head)] {
        if let Some(id) = id {
            let short = id.get(..12).unwrap_or(id);
            push(
                &mut out,
                format_args!(
                    "<div><dt>{label}</dt><dd>{}</dd></div>",
                    code(short.as_bytes())
                ),
            );
        }
    }
    for design in verdict.designs.iter().take(10) {
        let by = match design.selected_by.as_str() {
            "" => String::new(),
            by => format!(", chosen by {}", prose(by)),
        };
        let from = design
            .from
            .get(..12)
            .filter(|_| design.from.len() >= 40)
            .unwrap_or(&design.from);
        push(
            &mut out,
            format_args!(
                "<div><dt>Design</dt><dd>{} <span class=\"q\">at {}{by}</span></dd></div>",
                code(&design.path),
                name(from.as_bytes())
            ),
        );
    }
    if verdict.designs.len() > 10 {
        push(
            &mut out,
            format_args!(
                "<div><dt>Designs</dt><dd>and {} more</dd></div>",
                verdict.designs.len() - 10
            ),
        );
    }
    out.push_str("</dl>");
    out
}

/// The counts that a reviewer looks at first.
fn figures(verdict: &Verdict) -> String {
    let counts = verdict.counts();
    let away = renamed_away(verdict);
    let mut lines = ChangedLines::default();
    for change in &verdict.changes {
        if !away.contains::<BStr>(change.path.as_ref())
            && let Some(of_change) = ChangedLines::of(change)
        {
            lines.add(of_change);
        }
    }
    let mut out = String::from("<ul class=\"figures\">");
    for (count, word, class) in [
        (counts.errors, "error", "bad"),
        (counts.warnings, "warning", "warn"),
        (counts.changes, "changed file", ""),
        (counts.approved, "approved", "good"),
    ] {
        let class = if count == 0 { "" } else { class };
        let word = match word {
            "approved" => word.to_owned(),
            word => plural(count, word)
                .split_once(' ')
                .map_or_else(String::new, |(_, word)| word.to_owned()),
        };
        push(
            &mut out,
            format_args!(
                "<li class=\"{class}\"><b>{}</b> {word}</li>",
                grouped(count)
            ),
        );
    }
    for (count, word) in [
        (lines.kept, "kept"),
        (lines.lost, "lost"),
        (lines.added, "added"),
    ] {
        push(
            &mut out,
            format_args!("<li><b>{}</b> lines {word}</li>", grouped(count)),
        );
    }
    out.push_str("</ul>");
    out
}

fn contents() -> String {
    let mut out = String::from("<nav class=\"toc\" aria-label=\"Sections\"><ul>");
    for (id, word) in [
        ("findings", "Findings"),
        ("design", "Design"),
        ("outside", "Outside"),
        ("map", "Map"),
        ("replaced", "Replaced"),
        ("deleted", "Deleted"),
        ("approvals", "Approvals"),
        ("commits", "Commits"),
    ] {
        push(
            &mut out,
            format_args!("<li><a href=\"#{id}\">{word}</a></li>"),
        );
    }
    out.push_str("</ul></nav>\n");
    out
}

pub(super) fn footer(verdict: &Verdict) -> String {
    let mut notes = String::new();
    for note in verdict.notes.iter().take(MOST_NOTES) {
        push(&mut notes, format_args!("<li>{}</li>", prose(note)));
    }
    if verdict.notes.len() > MOST_NOTES {
        push(
            &mut notes,
            format_args!(
                "<li>… and {} more notes</li>",
                verdict.notes.len() - MOST_NOTES
            ),
        );
    }
    let notes = match notes.as_str() {
        "" => notes,
        notes => format!("<h2>Notes on this verdict</h2><ul>{notes}</ul>"),
    };
    format!(
        "<footer><div class=\"in\">{notes}<p>Written by guard {}. This page runs no scripts and loads nothing.</p></div></footer>\n",
        env!("CARGO_PKG_VERSION")
    )
}

/// A number with its thousands apart.
pub(super) fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push('\u{202f}');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_stand_apart() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1_234_567), "1\u{202f}234\u{202f}567");
    }
}
