//! The findings with their next steps.

use std::collections::HashMap;

use gix::bstr::BString;

use super::hunks;
use super::markup::{PagePart, code, folded, html, part, prose, tag};
use super::overview::Home;
use crate::finding::{Finding, Level, Rule, split_command};
use crate::report::texts;
use crate::report::texts::ordered;
use crate::verdict::Verdict;

const REFUSED: usize = 800_000;
const OTHERS: usize = 200_000;
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
    let mut errors = ordered(&verdict.findings);
    errors.retain(|finding| is_of_file(finding));
    // A loss is worse than a file in the wrong place.
    errors.sort_by_key(|finding| finding.rule != Rule::DestructiveChange);
    let mut files: Vec<(&BString, Vec<&Finding>)> = Vec::new();
    let mut places = HashMap::new();
    for finding in errors {
        let Some(path) = &finding.path else { continue };
        let at = *places.entry(path).or_insert(files.len());
        if at == files.len() {
            files.push((path, Vec::new()));
        }
        files[at].1.push(finding);
    }
    let changes = verdict.changes.iter().map(|change| (&change.path, change));
    let changes: HashMap<_, _> = changes.collect();
    let items = files.iter().enumerate().map(|(at, (path, errors))| {
        let tag = |one: &&Finding| format!(" <span class=\"tag refused\">{}</span>", one.rule.id());
        let tags: String = errors.iter().map(tag).collect();
        let why: String = errors.iter().map(|one| item(one)).collect();
        let why = format!("{}{why}{}", LIST.0, LIST.1);
        let file = (*path, changes.get(path).copied());
        hunks::file(verdict, home, file, (&tags, &why), at < OPEN)
    });
    let list = folded("refused files", ("", ""), (UNFOLDED, REFUSED), items);
    let id = ("refused", "Refused", "Refused files");
    part(id, files.len(), "", list)
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
    let list = folded("findings", LIST, (FEW, OTHERS), items);
    let id = ("findings", "Findings", "Findings");
    part(id, shown.len(), "", list)
}

pub(super) fn item(finding: &Finding) -> String {
    let level = finding.level.name();
    let sign = match finding.level {
        Level::Error => "✕",
        Level::Warning => "▲",
        Level::Note => "i",
    };
    let mut out = format!(
        "<li class=\"{level}\"><p class=\"what\">{} <b>{}</b> <span class=\"rule\">{}</span></p>",
        tag(level, sign, level),
        prose(&texts::sentence(finding)),
        finding.rule.id(),
    );
    let mut place = String::new();
    if let Some(closest) = &finding.closest {
        place += &format!("<span class=\"q\">closest:</span> {} ", code(closest));
    }
    if let Some(anchor) = &finding.design {
        let shown = texts::place(anchor);
        place += &format!("<span class=\"q\">{}</span>", prose(&shown));
    }
    if !place.is_empty() {
        out += &format!("<p class=\"where\">{place}</p>");
    }
    out += &help(finding);
    out + "</li>"
}

/// The next steps: sentences, and what to paste as it is.
fn help(finding: &Finding) -> String {
    let mut out = String::new();
    for line in finding.help.iter().take(MOST_HELP) {
        let text = texts::message(line);
        let (words, paste) = match line.is_to_paste() {
            true => ("", &*text),
            false => split_command(&text).unwrap_or((&text, "")),
        };
        if !words.is_empty() {
            out += &format!("<p class=\"help\">{}</p>", html(words));
        }
        if !paste.is_empty() {
            let paste = html(paste.trim_start());
            out += &format!("<p class=\"paste\"><code>{paste}</code></p>");
        }
    }
    out
}
