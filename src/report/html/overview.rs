//! The top of the page: the result, what was checked, where it is at home, and the way to the sections.

use std::collections::BTreeSet;

use gix::bstr::{BStr, ByteSlice};

use super::markup::{PagePart, code, folded, grouped, html, name, prose, short};
use crate::report::human::in_one_line;
use crate::report::texts::{plural, uri};
use crate::verdict::{ChangedLines, JudgedChange, Outcome, SourceKind, Verdict};

/// So many notes are shown at once.
const MOST_NOTES: usize = 50;
/// The limit of all notes.
const NOTES: usize = 100_000;

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
    let authors: BTreeSet<_> = commits
        .clone()
        .map(|commit| commit.author.to_str_lossy())
        .collect();
    if !authors.is_empty() {
        let by = prose(&Vec::from_iter(authors).join(", "));
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
    let away = verdict.renamed_away();
    let mut lines = ChangedLines::default();
    let changes = verdict.changes.iter();
    let changes = changes.filter(|change| !away.contains(&change.path));
    changes
        .filter_map(JudgedChange::lines)
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
    let notes = verdict.notes.iter();
    let notes = notes.map(|note| format!("<li>{}</li>", prose(note)));
    let notes = match verdict.notes.is_empty() {
        true => String::new(),
        false => folded(
            "notes",
            ("<h2>Notes</h2><ul>", "</ul>"),
            (MOST_NOTES, NOTES),
            notes,
        ),
    };
    format!(
        "<footer><div class=\"in\">{notes}<p>Written by guard {}. This page runs no scripts and loads nothing.</p></div></footer>\n",
        env!("CARGO_PKG_VERSION")
    )
}

/// How hosts whose addresses are known begin, and what comes before a kind of page there.
const HOSTS: [(&str, &str); 2] = [("github.", ""), ("gitlab.", "/-")];

/// A repository by its remote.
#[derive(Default)]
pub(super) struct Home {
    /// Its name, such as `owner/repo`, or that of its directory.
    pub(super) name: String,
    /// What the addresses of its pages begin with; empty if nothing is linked.
    address: String,
    base: String,
    head: String,
}

impl Home {
    pub(super) fn of(verdict: &Verdict) -> Home {
        let source = &verdict.source;
        let url = source.repository.as_ref();
        let Some(url) = url.and_then(|url| gix::url::parse(url).ok()) else {
            return Home::default();
        };
        let path = url.path.trim_with(|c| c == '/').as_bstr();
        let Some(host) = url.host() else {
            let directory = path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
            return Home {
                name: name(directory),
                ..Home::default()
            };
        };
        let path = path.strip_suffix(b".git").unwrap_or(path);
        let known = HOSTS.iter().find(|(begin, _)| host.starts_with(begin));
        // The port of a page is not that of another protocol.
        let is_default = url.port.is_none() || !url.scheme.as_str().starts_with("http");
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
        let is_linked = is_default && source.head.is_some() && host.bytes().all(is_plain);
        Home {
            name: name(path),
            address: known
                .filter(|_| is_linked)
                .map_or_else(String::new, |(_, kind)| {
                    format!("https://{host}/{}{kind}", uri(path.as_bstr()))
                }),
            base: source.base.clone().unwrap_or_default(),
            head: source.head.clone().unwrap_or_default(),
        }
    }

    /// The comparison of both ends.
    pub(super) fn comparison(&self, shown: &str) -> String {
        self.link(&format!("compare/{}...{}", self.base, self.head), shown)
    }

    pub(super) fn commit(&self, id: &str) -> String {
        self.link(&format!("commit/{id}"), &code(short(id).as_bytes()))
    }

    /// The file as it is in the last commit, or where it is gone, in the first; empty without a link.
    pub(super) fn file(&self, path: &BStr, is_gone: bool) -> String {
        let id = if is_gone { &self.base } else { &self.head };
        let link = self.link(&format!("blob/{id}/{}", uri(path)), "View the whole file");
        match self.address.is_empty() {
            true => String::new(),
            false => format!("<p class=\"where\">{link}</p>"),
        }
    }

    /// What is shown, as a link where the host is known.
    fn link(&self, to: &str, shown: &str) -> String {
        match self.address.is_empty() {
            true => shown.to_owned(),
            false => format!(
                "<a href=\"{}/{}\">{shown}</a>",
                html(&self.address),
                html(to)
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::Source;

    #[test]
    fn addresses_of_known_hosts_are_linked_without_credentials() {
        for (url, name, address) in [
            (
                "https://github.com/o/r.git",
                "o/r",
                "https://github.com/o/r",
            ),
            (
                "https://u:secret@github.com/o/r",
                "o/r",
                "https://github.com/o/r",
            ),
            ("git@github.com:o/r.git", "o/r", "https://github.com/o/r"),
            (
                "ssh://git@gitlab.example.org:2222/g/s/r.git",
                "g/s/r",
                "https://gitlab.example.org/g/s/r/-",
            ),
            ("https://example.org/o/r.git", "o/r", ""),
            ("https://github.com:8443/o/r.git", "o/r", ""),
            (
                "git@github.com:o/r<b>",
                "o/r&lt;b&gt;",
                "https://github.com/o/r%3Cb%3E",
            ),
            ("/home/me/work", "work", ""),
        ] {
            let source = Source {
                repository: Some(url.into()),
                head: Some("1234".to_owned()),
                ..Source::default()
            };
            let home = Home::of(&Verdict {
                source,
                ..Verdict::default()
            });
            assert_eq!((&*home.name, &*home.address), (name, address), "{url}");
        }
    }
}
