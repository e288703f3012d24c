//! Files that no row covers, each with the closest row.

use std::collections::BTreeSet;

use super::findings::help;
use super::markup::{LimitedPart, code, html, left_out, section};
use super::row_ids::RowIds;
use crate::finding::{Finding, Level, Rule};
use crate::report::escape;
use crate::report::human::plural;
use crate::report::order::ordered;
use crate::verdict::Verdict;

const LIMIT: usize = 500_000;
const NAMES: usize = 100_000;
/// The limit of the rows to paste at once.
const ROWS: usize = 60_000;

pub(super) fn section_of(verdict: &Verdict, ids: &RowIds) -> String {
    let all = ordered(&verdict.findings);
    let outside: Vec<&Finding> = all
        .into_iter()
        .filter(|one| one.rule == Rule::OutOfScope)
        .collect();
    let heading = "Outside the design";
    if outside.is_empty() {
        return section(
            "outside",
            heading,
            "",
            "<p class=\"none\">Every changed file has a row or needs none.</p>",
        );
    }
    let mut rows = LimitedPart::new(LIMIT);
    let mut count = 0;
    for finding in &outside {
        if !rows.push(&row(finding, ids)) {
            break;
        }
        count += 1;
    }
    let table = format!(
        "<table class=\"outside\"><thead><tr><th scope=\"col\">File</th><th scope=\"col\">Action</th><th scope=\"col\">Closest row</th></tr></thead><tbody>{}</tbody></table>",
        rows.finish()
    );
    let rest = outside[count..].iter();
    let rest = rest.map(|finding| {
        finding
            .path
            .as_ref()
            .map_or(&b""[..], |path| path.as_slice())
    });
    let more = left_out("files", rest, NAMES);
    let lead = match outside.len() {
        1 => "No row covers this file.".to_owned(),
        count => format!("No row covers these {}.", plural(count, "file")),
    };
    section(
        "outside",
        heading,
        &lead,
        &(table + &more + &to_paste(&outside)),
    )
}

fn row(finding: &Finding, ids: &RowIds) -> String {
    let path = finding
        .path
        .as_ref()
        .map_or_else(String::new, |path| code(path));
    let action = finding
        .details
        .get("action")
        .and_then(|action| action.as_str());
    let closest = match (&finding.closest, &finding.design) {
        (Some(closest), Some(anchor)) => format!(
            "{} <span class=\"q\">{}</span>",
            code(closest),
            ids.place(anchor)
        ),
        _ => "<span class=\"q\">none is close</span>".to_owned(),
    };
    let level = match finding.level {
        Level::Error => "",
        _ => " <span class=\"tag\">not an error</span>",
    };
    let commit = finding.details.get("commit").and_then(|id| id.as_str());
    let commit = commit.map_or_else(String::new, |id| {
        format!(
            " <span class=\"q\">in commit {}</span>",
            html(id.get(..12).unwrap_or(id))
        )
    });
    format!(
        "<tr><td class=\"pa\">{path}{level}{commit}</td><td>{}</td><td class=\"cl\">{closest}{}</td></tr>",
        html(action.unwrap_or("")),
        details(finding)
    )
}

/// What to do about it, on demand: the same for most files.
fn details(finding: &Finding) -> String {
    match help(finding) {
        help if help.is_empty() => help,
        help => format!("<details><summary>What to do</summary>{help}</details>"),
    }
}

/// The missing rows in one block to paste.
fn to_paste(outside: &[&Finding]) -> String {
    let mut seen = BTreeSet::new();
    let rows = outside.iter().flat_map(|finding| finding.help.iter());
    let rows: Vec<_> = rows
        .filter(|line| line.is_row() && seen.insert(line.to_string()))
        .collect();
    if rows.len() < 2 {
        return String::new();
    }
    let mut text = LimitedPart::new(ROWS);
    let mut count = 0;
    for row in &rows {
        if !text.push(&format!("{}\n", html(&escape::message(row)))) {
            break;
        }
        count += 1;
    }
    let more = match rows.len() - count {
        0 => String::new(),
        more => format!("<p>… and {more} more rows.</p>"),
    };
    let text = text.finish();
    format!(
        "<details><summary>The missing rows, ready to paste</summary><pre>{text}</pre>{more}</details>"
    )
}
