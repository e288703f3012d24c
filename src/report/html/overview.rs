//! The top of the page: the verdict, what was judged by which design, and the way to the sections.

use super::lines::{ChangedLines, grouped, renamed_away};
use super::markup::{code, html, name, prose, short};
use crate::report::human::{in_one_line, plural};
use crate::verdict::{Outcome, SourceKind, Verdict};

/// The most notes.
const MOST_NOTES: usize = 50;
/// The most designs.
const MOST_DESIGNS: usize = 10;

const CONTENTS: &str = "<nav class=\"toc\" aria-label=\"Sections\"><ul><li><a href=\"#findings\">Findings</a></li><li><a href=\"#design\">Design</a></li><li><a href=\"#map\">Map</a></li><li><a href=\"#hunks\">Replaced and deleted</a></li><li><a href=\"#approvals\">Approvals</a></li><li><a href=\"#commits\">Commits</a></li></ul></nav>\n";

/// What was judged, in a few words.
fn kind(verdict: &Verdict) -> &'static str {
    match verdict.source.kind {
        SourceKind::Index => "staged changes",
        SourceKind::Range => "a range of commits",
        SourceKind::WorkTree => "all uncommitted changes",
        SourceKind::Request => "proposed changes",
    }
}

/// The name of what was judged.
pub(super) fn subject(verdict: &Verdict) -> String {
    let source = &verdict.source;
    match (&source.branch, &source.head) {
        (Some(branch), _) => crate::path::escaped(branch).to_string(),
        (None, Some(head)) => short(head).to_owned(),
        (None, None) => kind(verdict).to_owned(),
    }
}

pub(super) fn header(verdict: &Verdict) -> String {
    let (class, mark, word) = match verdict.outcome() {
        Outcome::Accepted => ("accepted", "✓", "Accepted"),
        Outcome::Refused => ("refused", "✕", "Refused"),
    };
    format!(
        "<a class=\"skip\" href=\"#main\">Skip to the review</a>\n\
         <header class=\"top {class}\"><div class=\"in\">\
         <p class=\"brand\">guard review <span>{}</span></p>\
         <h1><span class=\"mark\" aria-hidden=\"true\">{mark}</span> {word}</h1>\
         <p class=\"sum\">{}.</p><dl class=\"facts\">{}</dl><ul class=\"figures\">{}</ul></div></header>\n{CONTENTS}",
        html(&subject(verdict)),
        prose(&in_one_line(verdict)),
        facts(verdict),
        figures(verdict),
    )
}

/// What was judged, against what, by which designs.
fn facts(verdict: &Verdict) -> String {
    let source = &verdict.source;
    let mut facts = vec![("Judged", kind(verdict).to_owned())];
    facts.extend(
        source
            .branch
            .as_ref()
            .map(|branch| ("Branch", code(branch))),
    );
    let id = |id: &String| code(short(id).as_bytes());
    facts.extend(source.base.as_ref().map(|base| ("Compared with", id(base))));
    facts.extend(source.head.as_ref().map(|head| ("Head", id(head))));
    for design in verdict.designs.iter().take(MOST_DESIGNS) {
        let by = match design.selected_by.as_str() {
            "" => String::new(),
            by => format!(", chosen by {}", prose(by)),
        };
        let from = match design.from.len() {
            40.. => short(&design.from),
            _ => &design.from,
        };
        let (path, from) = (code(&design.path), name(from.as_bytes()));
        let design = format!("{path} <span class=\"q\">at {from}{by}</span>");
        facts.push(("Design", design));
    }
    if let more @ 1.. = verdict.designs.len().saturating_sub(MOST_DESIGNS) {
        facts.push(("Designs", format!("and {more} more")));
    }
    let facts = facts.iter();
    facts
        .map(|(label, fact)| format!("<div><dt>{label}</dt><dd>{fact}</dd></div>"))
        .collect()
}

/// The counts that a reviewer looks at first.
fn figures(verdict: &Verdict) -> String {
    let counts = verdict.counts();
    let away = renamed_away(verdict);
    let mut lines = ChangedLines::default();
    let changes = verdict.changes.iter();
    changes
        .filter(|change| !away.contains(&change.path))
        .filter_map(ChangedLines::of)
        .for_each(|of_change| lines.add(of_change));
    let word = |count, word| plural(count, word).split_off(count.to_string().len() + 1);
    let figures = [
        (counts.errors, word(counts.errors, "error"), "bad"),
        (counts.warnings, word(counts.warnings, "warning"), "warn"),
        (counts.changes, word(counts.changes, "changed file"), ""),
        (counts.approved, "approved".to_owned(), "good"),
        (lines.kept, "lines kept".to_owned(), ""),
        (lines.lost, "lines lost".to_owned(), ""),
        (lines.added, "lines added".to_owned(), ""),
    ];
    let figures = figures.into_iter().map(|(count, word, class)| {
        let class = if count == 0 { "" } else { class };
        format!(
            "<li class=\"{class}\"><b>{}</b> {word}</li>",
            grouped(count)
        )
    });
    figures.collect()
}

pub(super) fn footer(verdict: &Verdict) -> String {
    let notes = verdict.notes.iter().take(MOST_NOTES);
    let mut notes: String = notes
        .map(|note| format!("<li>{}</li>", prose(note)))
        .collect();
    if let more @ 1.. = verdict.notes.len().saturating_sub(MOST_NOTES) {
        notes += &format!("<li>… and {more} more notes</li>");
    }
    if !notes.is_empty() {
        notes = format!("<h2>Notes on this verdict</h2><ul>{notes}</ul>");
    }
    format!(
        "<footer><div class=\"in\">{notes}<p>Written by guard {}. This page runs no scripts and loads nothing.</p></div></footer>\n",
        env!("CARGO_PKG_VERSION")
    )
}
