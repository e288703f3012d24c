//! The findings with their next steps, and the missing rows to paste.

use std::collections::{BTreeMap, BTreeSet};

use gix::bstr::BString;

use super::design_table::RowIds;
use super::markup::{code, html, limited, nothing, prose, section, tag};
use crate::finding::{Finding, Level, Rule};
use crate::report::escape;
use crate::report::texts::ordered;
use crate::verdict::Verdict;

const LIMIT: usize = 500_000;
/// The limit of the rows to paste at once.
const ROWS: usize = 60_000;
/// The most lines of help per finding.
const MOST_HELP: usize = 20;
/// Of more findings, only the first of each rule shows at once what to do about it.
const ALL_UNFOLDED: usize = 6;

pub(super) fn section_of(verdict: &Verdict, rows: &RowIds<'_>) -> String {
    // The table shows untouched rows.
    let has_table = verdict.review.is_some();
    let mut shown = ordered(&verdict.findings);
    shown.retain(|finding| finding.rule != Rule::RowUntouched || !has_table);
    if shown.is_empty() {
        return nothing("findings", "Findings", "Nothing to report.");
    }
    let mut seen: BTreeMap<Rule, usize> = BTreeMap::new();
    let items = shown.iter().map(|finding| {
        let same = seen.entry(finding.rule).or_default();
        *same += 1;
        let name = match &finding.path {
            Some(path) => path.as_slice(),
            None => finding.message.as_bytes(),
        };
        let is_folded = *same > 1 && shown.len() > ALL_UNFOLDED;
        (name, item(finding, rows, is_folded))
    });
    let (list, more) = limited("findings", LIMIT, items);
    let content = format!(
        "<ul class=\"findings\">{list}</ul>{more}{}",
        missing_rows(&shown)
    );
    section("findings", "Findings", "", &content)
}

pub(super) fn item(finding: &Finding, rows: &RowIds<'_>, is_folded: bool) -> String {
    let level = finding.level.name();
    let sign = match finding.level {
        Level::Error => "✕",
        Level::Warning => "▲",
        Level::Note => "i",
    };
    let mut out = format!(
        "<li class=\"{level}\"><p class=\"what\">{} <b>{}</b> <span class=\"rule\">{}</span></p>",
        tag(level, sign, level),
        prose(&finding.message),
        finding.rule.id(),
    );
    let is_named = |path: &BString| {
        let shown = crate::path::escaped(path).to_string();
        finding.message.contains(&shown)
    };
    let mut place = String::new();
    if let Some(path) = finding.path.as_ref().filter(|path| !is_named(path)) {
        place = code(path) + " ";
    }
    if let Some(closest) = &finding.closest {
        place += &format!("<span class=\"q\">closest:</span> {} ", code(closest));
    }
    if let Some(anchor) = &finding.design {
        place += &format!("<span class=\"q\">{}</span>", rows.place(anchor));
    }
    if !place.is_empty() {
        out += &format!("<p class=\"where\">{place}</p>");
    }
    let help = help(finding);
    out += &match is_folded && !help.is_empty() {
        true => format!("<details><summary>What to do</summary>{help}</details>"),
        false => help,
    };
    out + "</li>"
}

/// The next steps: sentences, and what to paste as it is.
fn help(finding: &Finding) -> String {
    let lines = finding.help.iter().take(MOST_HELP).map(|line| {
        let text = html(&escape::message(line));
        match line.is_to_paste() {
            true => format!("<p class=\"paste\"><code>{}</code></p>", text.trim_start()),
            false => format!("<p class=\"help\">{text}</p>"),
        }
    });
    lines.collect()
}

/// The missing rows in one block to paste.
fn missing_rows(findings: &[&Finding]) -> String {
    let mut seen = BTreeSet::new();
    let help = findings.iter().flat_map(|finding| &finding.help);
    let rows: Vec<&str> = help
        .filter(|line| line.is_row() && seen.insert(&***line))
        .map(|line| &**line)
        .collect();
    if rows.len() < 2 {
        return String::new();
    }
    let rows = rows.iter().map(|row| {
        let line = html(&escape::message(row)) + "\n";
        (row.as_bytes(), line)
    });
    let (rows, more) = limited("rows", ROWS, rows);
    format!(
        "<details><summary>The missing rows, ready to paste</summary><pre>{rows}</pre>{more}</details>"
    )
}
