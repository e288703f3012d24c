//! Who approved which change, with which key; the commits of the range, and those of a trial with their findings.

use gix::bstr::ByteSlice;

use super::findings;
use super::markup::{LIMIT, PagePart, code, folded, html, name, part, prose, section, short, tag};
use super::overview::Home;
use crate::judge::{Trial, TriedChange};
use crate::report::texts::ordered;
use write_guard_policy::finding::Level;
use write_guard_policy::verdict::{ReviewApproval, Verdict};

/// So many of each have a line of their own.
const UNFOLDED: usize = 20;
const LIST: (&str, &str) = ("<ol class=\"commits\">", "</ol>");

pub(super) fn approvals(verdict: &Verdict) -> Option<PagePart> {
    let approvals = &verdict.review.as_ref()?.approvals;
    let items = approvals.iter().map(approval);
    let list = folded("approvals", LIST, (UNFOLDED, LIMIT), items);
    part(("approvals", "Approvals"), approvals.len(), "", list)
}

fn approval(one: &ReviewApproval) -> String {
    let approval = &one.approval;
    let (tag, why) = match &one.verdict {
        Ok(_) => (tag("good", "valid"), String::new()),
        Err(why) => (tag("refused", "invalid"), prose(&why.to_string())),
    };
    let key = approval.key();
    let key = key.unwrap_or_else(|| "no key, counts only in this repository".to_owned());
    let commit = one.commit.to_string();
    format!(
        "<li>{tag} {} <span class=\"q\">{why}</span><ul><li>{}: {} \
         <span class=\"q\">by {}, in commit {}; {}</span></li></ul></li>",
        code(&approval.path),
        name(approval.who.as_bytes()),
        prose(&approval.reason),
        prose(&approval.how),
        code(short(&commit).as_bytes()),
        html(&key)
    )
}

pub(crate) fn commits(verdict: &Verdict, home: &Home) -> Option<PagePart> {
    let commits = &verdict.review.as_ref()?.commits;
    let items = commits.iter().map(|commit| {
        format!(
            "<li>{} <b><bdi>{}</bdi></b> <span class=\"q\"><bdi>{}</bdi></span></li>",
            home.commit(&commit.id),
            prose(&commit.subject.to_str_lossy()),
            prose(&commit.author.to_str_lossy()),
        )
    });
    let list = folded("commits", LIST, (UNFOLDED, LIMIT), items);
    part(("commits", "Commits"), commits.len(), "Oldest first.", list)
}

/// The body of the page of a trial: the changes that have errors or warnings.
pub(in crate::report) fn trial(trial: &Trial, summary: &str, notes: &[String]) -> String {
    let items: Vec<String> = trial.changes.iter().filter_map(tried).collect();
    let notes = notes.iter().map(|note| format!("<li>{}</li>", prose(note)));
    let notes: String = notes.collect();
    let limits = (usize::MAX, 8 * LIMIT);
    let list = if items.is_empty() {
        "<p>Nothing to report.</p>".to_owned()
    } else {
        folded("changes", ("", ""), limits, items.into_iter())
    };
    format!(
        "<header class=\"top\"><div class=\"in\"><p class=\"brand\">guard trial</p>\
         <h1>{}</h1><ul>{notes}</ul></div></header>\n\
         <main id=\"main\">{list}</main>\n",
        prose(summary)
    )
}

fn tried(change: &TriedChange) -> Option<String> {
    let id = change.id.to_string();
    let id = short(&id);
    let findings = ordered(&change.findings).into_iter();
    let items: Vec<String> = findings
        .filter(|finding| finding.level > Level::Note)
        .map(findings::item)
        .collect();
    let lead = format!(
        "<code>{id}</code> <bdi>{}</bdi>",
        prose(&change.headline.author.to_str_lossy())
    );
    let subject = prose(&change.headline.subject.to_str_lossy());
    let list = format!("<ul class=\"findings\">{}</ul>", items.concat());
    (!items.is_empty()).then(|| section(&format!("c{id}"), &subject, &lead, &list))
}
