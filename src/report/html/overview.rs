//! The top of the page: the result, what was checked, where it is at home, and the way to the sections.

use std::collections::BTreeSet;

use gix::bstr::{BStr, ByteSlice};

use super::markup::{LIMIT, PagePart, code, folded, html, name, prose, short};
use crate::report::human::in_one_line;
use crate::report::texts::uri;
use write_guard_policy::verdict::{Outcome, SourceKind, Verdict};

/// So many notes are shown at once.
const MOST_NOTES: usize = 50;

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
        (Some(branch), _) => write_guard_policy::path::escaped(branch).to_string(),
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
         <p class=\"sum\">{}.</p><dl class=\"facts\">{}</dl></div></header>\n\
         <nav class=\"toc\" aria-label=\"Sections\"><ul>{}</ul></nav>\n",
        home.name,
        html(&subject(verdict)),
        prose(&in_one_line(verdict)),
        facts(verdict, home),
        contents,
    )
}

/// An id, shortened, as code.
fn short_code(id: &str) -> String {
    code(short(id).as_bytes())
}

/// What was checked, against what, and who made it.
fn facts(verdict: &Verdict, home: &Home) -> String {
    let source = &verdict.source;
    let mut facts = Vec::new();
    if let (Some(base), Some(head)) = (&source.base, &source.head) {
        let shown = format!("{} … {}", short_code(base), short_code(head));
        let comparison = format!("compare/{base}...{head}");
        facts.push(("Checked", home.link(&comparison, &shown)));
    } else {
        facts.push(("Checked", kind(verdict).to_owned()));
        let base = source.base.as_deref();
        facts.extend(base.map(|base| ("Compared with", short_code(base))));
    }
    let commits = verdict.review.iter().flat_map(|review| &review.commits);
    let authors = commits.clone().map(|commit| commit.author.to_str_lossy());
    let authors: BTreeSet<_> = authors.collect();
    if !authors.is_empty() {
        let by = prose(&Vec::from_iter(authors).join(", "));
        facts.push(("Commits", format!("{} by <bdi>{by}</bdi>", commits.count())));
    }
    facts
        .into_iter()
        .map(|(label, fact)| format!("<div><dt>{label}</dt><dd>{fact}</dd></div>"))
        .collect()
}

pub(super) fn footer(verdict: &Verdict) -> String {
    let notes = verdict.notes.iter();
    let notes = notes.map(|note| format!("<li>{}</li>", prose(note)));
    let tags = ("<h2>Notes</h2><ul>", "</ul>");
    let notes = if verdict.notes.is_empty() {
        String::new()
    } else {
        folded("notes", tags, (MOST_NOTES, LIMIT), notes)
    };
    format!(
        "<footer><div class=\"in\">{notes}<p>Written by guard {}. \
         This page runs no scripts and loads nothing.</p></div></footer>\n",
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
}

impl Home {
    pub(super) fn of(verdict: &Verdict) -> Home {
        let url = verdict.source.repository.as_ref();
        let Some(url) = url.and_then(|url| gix::url::parse(url).ok()) else {
            return Home::default();
        };
        let path = url.path.trim_with(|c| c == '/');
        let Some(host) = url.host() else {
            let directory = path.rsplit(|byte| *byte == b'/').next();
            return Home {
                name: name(directory.unwrap_or_default()),
                ..Home::default()
            };
        };
        let path = path.strip_suffix(b".git").unwrap_or(path);
        let known = HOSTS.iter().find(|(begin, _)| host.starts_with(begin));
        // The port of a page is not that of another protocol.
        let is_linked = url.port.is_none() || !url.scheme.as_str().starts_with("http");
        let address = known.filter(|_| is_linked && verdict.source.head.is_some());
        let address = address.map(|(_, kind)| format!("https://{host}/{}{kind}", uri(path.into())));
        Home {
            name: name(path),
            address: address.unwrap_or_default(),
        }
    }

    pub(crate) fn commit(&self, id: &str) -> String {
        self.link(&format!("commit/{id}"), &code(short(id).as_bytes()))
    }

    /// The file in a commit; empty without a link.
    pub(super) fn file(&self, path: &BStr, commit: &str) -> String {
        if self.address.is_empty() {
            return String::new();
        }
        let to = format!("blob/{commit}/{}", uri(path));
        let link = self.link(&to, "View the whole file");
        format!("<p class=\"where\">{link}</p>")
    }

    /// What is shown, as a link where the host is known.
    fn link(&self, to: &str, shown: &str) -> String {
        if self.address.is_empty() {
            shown.to_owned()
        } else {
            format!(
                "<a href=\"{}\">{shown}</a>",
                html(&format!("{}/{to}", self.address))
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use write_guard_policy::verdict::Source;

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

    #[test]
    fn page_says_what_was_compared_with_what() {
        let ids = ["1111111111111111", "2222222222222222"];
        let [base, head] = ids.map(str::to_owned);
        let code = |id: &str| format!("<code><bdi>{}</bdi></code>", &id[..12]);
        let facts = |head: Option<String>| {
            let source = Source {
                base: Some(base.clone()),
                head,
                ..Source::default()
            };
            let verdict = Verdict {
                source,
                ..Verdict::default()
            };
            facts(&verdict, &Home::default())
        };
        for (kind, words) in [
            (SourceKind::Index, "staged changes"),
            (SourceKind::Range, "commits"),
            (SourceKind::WorkTree, "all uncommitted changes"),
            (SourceKind::Request, "proposed changes"),
        ] {
            let mut verdict = Verdict::default();
            verdict.source.kind = kind;
            assert_eq!(subject(&verdict), words);
        }
        let both = format!("{} … {}", code(&base), code(&head));
        assert!(facts(Some(head)).contains(&both));
        let staged = facts(None);
        assert!(
            staged.contains("staged changes") && staged.contains(&code(&base)),
            "{staged}"
        );
    }

    #[test]
    fn commits_and_files_are_linked_where_the_host_is_known() {
        let id = "0123456789abcdef0123456789abcdef01234567";
        let home = Home {
            name: "o/r".to_owned(),
            address: "https://github.com/o/r".to_owned(),
        };
        let short = "<code><bdi>0123456789ab</bdi></code>";
        let commit = format!("<a href=\"https://github.com/o/r/commit/{id}\">{short}</a>");
        assert_eq!(home.commit(id), commit);
        let file = "<p class=\"where\"><a href=\"https://github.com/o/r/blob/main/a%20b.rs\">View the whole file</a></p>";
        assert_eq!(home.file("a b.rs".into(), "main"), file);
        let nowhere = Home::default();
        assert_eq!(nowhere.commit(id), short);
        assert_eq!(nowhere.file("a b.rs".into(), "main"), "");
    }
}
