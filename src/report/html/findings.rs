//! The findings with their next steps.

use std::collections::{BTreeMap, HashMap};

use gix::bstr::BString;

use super::hunks;
use super::markup::{LIMIT, PagePart, folded, html, part, prose, tag};
use super::overview::Home;
use crate::report::texts::{self, ordered};
use write_guard_policy::finding::{Finding, Level, Rule};
use write_guard_policy::verdict::Verdict;

/// The most lines of help per finding.
const MOST_HELP: usize = 20;
/// So many refused files are open from the start.
const OPEN: usize = 4;
/// So many refused files, and other findings, have a line of their own.
const UNFOLDED: usize = 60;
const FEW: usize = 15;
const LIST: (&str, &str) = ("<ul class=\"findings\">", "</ul>");

/// Each refused file: why, what to do, and its hunks.
pub(super) fn refused(verdict: &Verdict, home: &Home) -> Option<PagePart> {
    let mut files: BTreeMap<&BString, Vec<&Finding>> = BTreeMap::new();
    for finding in ordered(&verdict.findings) {
        if is_of_file(finding)
            && let Some(path) = finding.path.as_ref()
        {
            files.entry(path).or_default().push(finding);
        }
    }
    let mut files: Vec<_> = files.into_iter().collect();
    // A loss is worse than a file in the wrong place.
    files.sort_by_key(|(_, errors)| {
        let mut rules = errors.iter().map(|finding| finding.rule);
        !rules.any(|rule| rule == Rule::DestructiveChange)
    });
    let changes = verdict.changes.iter().map(|change| (&change.path, change));
    let changes: HashMap<_, _> = changes.collect();
    let items = files.iter().enumerate().map(|(at, (path, errors))| {
        let tags = errors.iter().map(|one| tag("refused", one.rule.id()));
        let tags: String = tags.collect();
        let why: String = errors.iter().map(|one| item(one)).collect();
        let why = format!("{}{why}{}", LIST.0, LIST.1);
        let file = (*path, changes.get(path).copied());
        hunks::file(verdict, home, file, (&tags, &why), at < OPEN)
    });
    let list = folded("refused files", ("", ""), (UNFOLDED, 2 * LIMIT), items);
    part(("refused", "Refused"), files.len(), "", list)
}

/// Whether the finding is an error of one file.
fn is_of_file(finding: &Finding) -> bool {
    finding.level == Level::Error && finding.path.is_some()
}

/// What is not about a refused file: warnings, notes, and errors of the whole change.
pub(super) fn others(verdict: &Verdict) -> Option<PagePart> {
    // The table shows untouched rows.
    let has_table = verdict.review.is_some();
    let mut shown = ordered(&verdict.findings);
    shown.retain(|one| !is_of_file(one) && (one.rule != Rule::RowUntouched || !has_table));
    let items = shown.iter().map(|finding| item(finding));
    let list = folded("findings", LIST, (FEW, LIMIT), items);
    part(("findings", "Findings"), shown.len(), "", list)
}

pub(super) fn item(finding: &Finding) -> String {
    let level = finding.level.name();
    let mut out = format!(
        "<li class=\"{level}\"><p class=\"what\">{} <b>{}</b> <span class=\"rule\">{}</span></p>",
        tag(level, level),
        prose(&texts::sentence(finding)),
        finding.rule.id(),
    );
    if let Some(anchor) = &finding.design {
        let place = prose(&texts::place(anchor));
        out += &format!("<p class=\"where\"><span class=\"q\">{place}</span></p>");
    }
    // The next steps: sentences, and what to paste as it is.
    for line in finding.help.iter().take(MOST_HELP) {
        let text = html(texts::message(line).trim_start());
        out += &if line.is_to_paste() {
            format!("<p class=\"paste\"><code>{text}</code></p>")
        } else {
            format!("<p class=\"help\">{text}</p>")
        };
    }
    out + "</li>"
}
