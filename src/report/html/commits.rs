//! Who approved which change, with which key, and each commit of the range or of a trial with its own verdict.

use gix::bstr::ByteSlice;

use super::findings;
use super::markup::{PagePart, code, folded, html, name, part, prose, section, short, tag};
use super::overview::Home;
use crate::finding::Level;
use crate::judge::{Trial, TriedChange};
use crate::report::texts::{ordered, plural, remarks};
use crate::verdict::{ReviewApproval, ReviewCommit, Verdict};

const APPROVALS: usize = 100_000;
const COMMITS: usize = 200_000;
/// So many of each have a line of their own.
const UNFOLDED: usize = 20;
/// The limit of the changes of a trial.
const TRIED: usize = 3_000_000;

pub(super) fn approvals(verdict: &Verdict) -> Option<PagePart> {
    let approvals = &verdict.review.as_ref()?.approvals;
    let items = approvals.iter().map(approval);
    let counting = approvals.iter().filter(|one| one.why_not.is_none()).count();
    let head = "<table class=\"appr\"><thead><tr><th scope=\"col\">Counts</th><th scope=\"col\">File</th><th scope=\"col\">Who and why</th><th scope=\"col\">Key</th></tr></thead><tbody>";
    let lead = format!(
        "{}, {counting} of them valid.",
        plural(approvals.len(), "approval")
    );
    let tags = (head, "</tbody></table>");
    let table = folded("approvals", tags, (UNFOLDED, APPROVALS), items);
    let id = ("approvals", "Approvals", "Approvals");
    part(id, approvals.len(), &lead, table)
}

fn approval(one: &ReviewApproval) -> String {
    let approval = &one.approval;
    let counts = match &one.why_not {
        None => tag("good", "✓", "valid"),
        Some(why) => format!(
            "{} <span class=\"q\">{}</span>",
            tag("refused", "✕", "invalid"),
            prose(why)
        ),
    };
    let key = match approval.key() {
        Some(key) => format!("<code class=\"key\">{}</code>", html(&key)),
        None => "<span class=\"q\">no key, counts only in this repository</span>".to_owned(),
    };
    let commit = one.commit.as_deref().map_or_else(String::new, |id| {
        format!(", in commit {}", code(short(id).as_bytes()))
    });
    format!(
        "<tr><td>{counts}</td><td class=\"pa\">{}</td><td><b>{}</b><br>{} <span class=\"q\">by {}{commit}</span></td><td>{key}</td></tr>",
        code(&approval.path),
        name(approval.who.as_bytes()),
        prose(&approval.reason),
        prose(&approval.how)
    )
}

pub(super) fn commits(verdict: &Verdict, home: &Home) -> Option<PagePart> {
    let commits = &verdict.review.as_ref()?.commits;
    let items = commits.iter().map(|one| commit(one, home));
    let refused = commits.iter().filter(|commit| commit.errors > 0).count();
    let how = match commits.iter().any(|commit| commit.changes.is_some()) {
        true => format!("{refused} would be refused alone."),
        false => "too many to check one by one. <code>--each-commit</code> does.".to_owned(),
    };
    let lead = format!("{}, oldest first; {how}", plural(commits.len(), "commit"));
    let tags = ("<ol class=\"commits\">", "</ol>");
    let list = folded("commits", tags, (UNFOLDED, COMMITS), items);
    let id = ("commits", "Commits", "Commits");
    part(id, commits.len(), &lead, list)
}

fn commit(commit: &ReviewCommit, home: &Home) -> String {
    let tag = match commit.changes {
        None => tag("unjudged", "?", "not checked alone"),
        Some(0) => tag("unjudged", "–", "nothing of its own"),
        Some(_) if commit.errors > 0 => tag("refused", "✕", "refused"),
        Some(_) => tag("accepted", "✓", "accepted"),
    };
    let counts = remarks(&[
        (commit.changes.unwrap_or(0), "change"),
        (commit.errors, "error"),
        (commit.warnings, "warning"),
    ]);
    let messages = commit.messages.iter();
    let mut messages: String = messages
        .map(|message| format!("<li>{}</li>", prose(message)))
        .collect();
    if let more @ 1.. = commit.errors - commit.messages.len() {
        messages += &format!("<li>… and {more} more</li>");
    }
    format!(
        "<li>{tag} {} <b><bdi>{}</bdi></b> <span class=\"q\"><bdi>{}</bdi> {counts}</span><ul>{messages}</ul></li>",
        home.commit(&commit.id),
        prose(&commit.subject.to_str_lossy()),
        prose(&commit.author.to_str_lossy()),
    )
}

/// The body of the page of a trial: the changes that have errors or warnings.
pub(super) fn trial(trial: &Trial, summary: &str, notes: &[String]) -> String {
    let items: Vec<String> = trial.changes.iter().filter_map(tried).collect();
    let notes = notes.iter().map(|note| format!("<li>{}</li>", prose(note)));
    let notes: String = notes.collect();
    let list = match items.is_empty() {
        true => "<p>Nothing to report.</p>".to_owned(),
        false => folded("changes", ("", ""), (usize::MAX, TRIED), items.into_iter()),
    };
    format!(
        "<header class=\"top\"><div class=\"in\"><p class=\"brand\">guard trial</p><h1>{}</h1><ul>{notes}</ul></div></header>\n<main id=\"main\">{list}</main>\n",
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
