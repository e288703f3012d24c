//! The top of the page: the result, what was checked, and the way to the sections.

use std::collections::BTreeSet;

use super::home::Home;
use super::lines::{ChangedLines, grouped, renamed_away};
use super::markup::{PagePart, code, html, name, prose, short};
use crate::report::human::in_one_line;
use crate::report::texts::plural;
use crate::verdict::{Outcome, SourceKind, Verdict};

/// The most notes.
const MOST_NOTES: usize = 50;
/// The most authors.
const MOST_AUTHORS: usize = 3;

/// What was judged, in a few words.
fn kind(verdict: &Verdict) -> &'static str {
    match verdict.source.kind {
        SourceKind::Index => "staged changes",
        SourceKind::Range => "commits",
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

pub(super) fn header(verdict: &Verdict, parts: &[PagePart], home: &Home) -> String {
    let (class, mark, word) = match verdict.outcome() {
        Outcome::Accepted => ("accepted", "✓", "Accepted"),
        Outcome::Refused => ("refused", "✕", "Refused"),
    };
    let contents: String = parts.iter().map(|part| &*part.entry).collect();
    format!(
        "<a class=\"skip\" href=\"#main\">Skip to the review</a>\n\
         <header class=\"top {class}\"><div class=\"in\">\
         <p class=\"brand\">guard review <span>{}</span><span>{}</span></p>\
         <h1><span class=\"mark\" aria-hidden=\"true\">{mark}</span> {word}</h1>\
         <p class=\"sum\">{}.</p><dl class=\"facts\">{}</dl><ul class=\"figures\">{}</ul></div></header>\n<nav class=\"toc\" aria-label=\"Sections\"><ul>{}</ul></nav>\n",
        home.name,
        html(&subject(verdict)),
        prose(&in_one_line(verdict)),
        facts(verdict, home),
        figures(verdict),
        contents,
    )
}

/// What was checked, against what, and who made it.
fn facts(verdict: &Verdict, home: &Home) -> String {
    let source = &verdict.source;
    let id = |id: &String| code(short(id).as_bytes());
    let mut facts = vec![("Checked", kind(verdict).to_owned())];
    if let (Some(base), Some(head)) = (&source.base, &source.head) {
        facts[0].1 = home.comparison(&format!("{} … {}", id(base), id(head)));
    } else if let Some(base) = &source.base {
        facts.push(("Compared with", id(base)));
    }
    if let Some(branch) = &source.branch {
        facts.insert(0, ("Branch", code(branch)));
    }
    let commits = verdict.review.iter().flat_map(|review| &review.commits);
    let authors: BTreeSet<_> = commits.clone().map(|commit| &commit.author).collect();
    if !authors.is_empty() {
        let named = authors.iter().take(MOST_AUTHORS);
        let mut named: Vec<String> = named.map(|author| name(author)).collect();
        named.extend((authors.len() > MOST_AUTHORS).then(|| "…".to_owned()));
        let by = named.join(", ");
        facts.push(("Commits", format!("{} by <bdi>{by}</bdi>", commits.count())));
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
        notes = format!("<h2>Notes</h2><ul>{notes}</ul>");
    }
    format!(
        "<footer><div class=\"in\">{notes}<p>Written by guard {}. This page runs no scripts and loads nothing.</p></div></footer>\n",
        env!("CARGO_PKG_VERSION")
    )
}
