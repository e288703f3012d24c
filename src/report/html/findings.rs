//! The findings, except those that another section shows in its own way.

use std::collections::BTreeMap;

use gix::bstr::BString;

use super::markup::{LimitedPart, code, html, left_out, prose, push, section};
use super::row_ids::RowIds;
use crate::finding::{Finding, Level, Rule};
use crate::report::escape;
use crate::report::human::plural;
use crate::report::order::ordered;
use crate::verdict::Verdict;

const LIMIT: usize = 500_000;
const NAMES: usize = 60_000;
/// The most lines of help per finding.
const MOST_HELP: usize = 20;
/// Of more findings, only the first of each rule shows at once what to do about it.
const ALL_UNFOLDED: usize = 6;

pub(super) fn section_of(verdict: &Verdict, rows: &RowIds) -> String {
    let has_table = verdict.review.is_some();
    let is_elsewhere = |finding: &Finding| {
        finding.rule == Rule::OutOfScope || finding.rule == Rule::RowUntouched && has_table
    };
    let all = ordered(&verdict.findings);
    let shown: Vec<_> = all.iter().filter(|one| !is_elsewhere(one)).collect();
    let outside = all
        .iter()
        .filter(|one| one.rule == Rule::OutOfScope)
        .count();
    let lead = match outside {
        0 => String::new(),
        1 => "One file <a href=\"#outside\">outside the design</a> is listed below.".to_owned(),
        _ => format!(
            "{} <a href=\"#outside\">outside the design</a> are listed below.",
            plural(outside, "file")
        ),
    };
    let mut list = LimitedPart::new(LIMIT);
    let mut count = 0;
    let mut seen: BTreeMap<Rule, usize> = BTreeMap::new();
    for finding in &shown {
        let same = seen.entry(finding.rule).or_default();
        *same += 1;
        if !list.push(&item(
            finding,
            rows,
            *same > 1 && shown.len() > ALL_UNFOLDED,
        )) {
            break;
        }
        count += 1;
    }
    let content = match shown.is_empty() {
        true if outside == 0 => "<p class=\"none\">Nothing to report.</p>".to_owned(),
        true => "<p class=\"none\">Nothing else to report.</p>".to_owned(),
        false => format!("<ul class=\"findings\">{}</ul>", list.finish()),
    };
    let rest = shown[count..].iter();
    let rest = rest.map(|finding| match &finding.path {
        Some(path) => path.as_slice(),
        None => finding.message.as_bytes(),
    });
    let more = left_out("findings", rest, NAMES);
    section("findings", "Findings", &lead, &(content + &more))
}

fn item(finding: &Finding, rows: &RowIds, is_folded: bool) -> String {
    let level = finding.level.name();
    let mark = match finding.level {
        Level::Error => "✕",
        Level::Warning => "▲",
        Level::Note => "i",
    };
    let mut out = format!(
        "<li class=\"{level}\"><p class=\"what\"><span class=\"tag {level}\"><span aria-hidden=\"true\">{mark}</span> {level}</span> <b>{}</b> <span class=\"rule\">{}</span></p>",
        prose(&finding.message),
        finding.rule.id(),
    );
    let is_named = |path: &BString| {
        finding
            .message
            .contains(&crate::path::escaped(path).to_string())
    };
    let path = finding.path.as_ref().filter(|path| !is_named(path));
    let anchor = finding.design.as_ref();
    if path.is_some() || anchor.is_some() {
        let path = path.map_or_else(String::new, |path| code(path) + " ");
        let place = anchor.map_or_else(String::new, |anchor| {
            format!("<span class=\"q\">{}</span>", rows.place(anchor))
        });
        push(
            &mut out,
            format_args!("<p class=\"where\">{path}{place}</p>"),
        );
    }
    match help(finding) {
        help if is_folded && !help.is_empty() => push(
            &mut out,
            format_args!("<details><summary>What to do</summary>{help}</details>"),
        ),
        help => out.push_str(&help),
    }
    out.push_str("</li>");
    out
}

/// The next steps: sentences, and what to paste as it is.
pub(super) fn help(finding: &Finding) -> String {
    let mut out = String::new();
    for line in finding.help.iter().take(MOST_HELP) {
        let text = html(&escape::message(line));
        match line.is_to_paste() {
            true => push(
                &mut out,
                format_args!("<p class=\"paste\"><code>{}</code></p>", text.trim_start()),
            ),
            false => push(&mut out, format_args!("<p class=\"help\">{text}</p>")),
        }
    }
    out
}
