//! Each commit of the range with its own verdict, as a strip.

use gix::bstr::ByteSlice;

use super::markup::{LimitedPart, html, left_out, prose, push, section};
use crate::report::human::plural;
use crate::verdict::{ReviewCommit, SourceKind, Verdict};

const LIMIT: usize = 200_000;
const NAMES: usize = 40_000;

pub(super) fn section_of(verdict: &Verdict) -> String {
    let heading = "Commits";
    let commits = verdict
        .review
        .as_ref()
        .map_or(&[][..], |review| &review.commits);
    if commits.is_empty() {
        let why = match verdict.source.kind {
            SourceKind::Range => "The commits were not judged one by one.",
            _ => "These changes are not committed yet.",
        };
        return section(
            "commits",
            heading,
            "",
            &format!("<p class=\"none\">{why}</p>"),
        );
    }
    let (mut strip, mut list) = (LimitedPart::new(LIMIT / 4), LimitedPart::new(LIMIT));
    let mut count = 0;
    for (at, commit) in commits.iter().enumerate() {
        let (class, mark, word) = verdict_on(commit);
        strip.push(&format!("<a class=\"cell {class}\" href=\"#c{at}\"><span aria-hidden=\"true\">{mark}</span><span class=\"vh\">{} {word}</span></a>", html(short(commit))));
        if !list.push(&item(at, commit)) {
            break;
        }
        count += 1;
    }
    let content = format!(
        "<div class=\"strip\" role=\"group\" aria-label=\"Verdicts, oldest first\">{}</div><ol class=\"commits\">{}</ol>",
        strip.finish(),
        list.finish()
    );
    let rest = commits[count..].iter().map(|commit| commit.id.as_bytes());
    let more = left_out("commits", rest, NAMES);
    let refused = commits.iter().filter(|commit| commit.errors > 0).count();
    let lead = match commits.iter().any(|commit| commit.changes.is_some()) {
        true => format!(
            "{}, oldest first; {refused} would be refused alone.",
            plural(commits.len(), "commit")
        ),
        false => format!(
            "{}, oldest first; too many to judge one by one. <code>--each-commit</code> does.",
            plural(commits.len(), "commit")
        ),
    };
    section("commits", heading, &lead, &(content + &more))
}

fn short(commit: &ReviewCommit) -> &str {
    commit.id.get(..12).unwrap_or(&commit.id)
}

fn verdict_on(commit: &ReviewCommit) -> (&'static str, &'static str, &'static str) {
    match commit.changes {
        None => ("unjudged", "?", "not judged alone"),
        Some(0) => ("unjudged", "–", "nothing of its own"),
        Some(_) if commit.errors > 0 => ("refused", "✕", "refused"),
        Some(_) => ("accepted", "✓", "accepted"),
    }
}

fn item(at: usize, commit: &ReviewCommit) -> String {
    let (class, mark, word) = verdict_on(commit);
    let mut out = format!(
        "<li id=\"c{at}\"><span class=\"tag {class}\"><span aria-hidden=\"true\">{mark}</span> {word}</span> <code>{}</code> <b><bdi>{}</bdi></b> <span class=\"q\"><bdi>{}</bdi>",
        html(short(commit)),
        prose(&commit.subject.to_str_lossy()),
        prose(&commit.author.to_str_lossy())
    );
    if let Some(changes) = commit.changes.filter(|changes| *changes > 0) {
        push(&mut out, format_args!(", {}", plural(changes, "change")));
    }
    for (count, word) in [(commit.errors, "error"), (commit.warnings, "warning")] {
        if count > 0 {
            push(&mut out, format_args!(", {}", plural(count, word)));
        }
    }
    out.push_str("</span>");
    if !commit.messages.is_empty() {
        out.push_str("<ul>");
        for message in &commit.messages {
            push(&mut out, format_args!("<li>{}</li>", prose(message)));
        }
        if commit.errors > commit.messages.len() {
            push(
                &mut out,
                format_args!(
                    "<li>… and {} more</li>",
                    commit.errors - commit.messages.len()
                ),
            );
        }
        out.push_str("</ul>");
    }
    out.push_str("</li>");
    out
}
