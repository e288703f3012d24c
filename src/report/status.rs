//! The report of `guard status`: one screen.

use std::io;

use gix::bstr::ByteSlice;
use serde_json::{Value, json};

use super::human;
use super::target::{Style, Target};
use super::texts::message;
use super::texts::{ordered, place, remarks};
use crate::error::Error;
use crate::finding::json::path_text;
use crate::finding::{Finding, Level};
use crate::path::escaped;
use crate::scope::Grant;
use crate::verdict::{BranchStatus, RowsSoFar, Verdict};

/// The most rows and findings.
const MOST: usize = 3;
/// The most designs and waiting changes.
const FEW: usize = 2;
/// The indent below a title.
const INDENT: &str = "         ";

/// Writes where a branch stands, with the changes that wait for approval: a line and an object for each.
///
/// # Errors
///
/// Those of `out`, and `Unsupported` for formats other than human and JSON.
pub fn write_status(
    status: &BranchStatus,
    waiting: &[(String, Value)],
    to: Target<'_>,
) -> io::Result<()> {
    let is_accepted = status.commit.as_ref().is_ok_and(Verdict::is_accepted);
    let human = |style: &Style| match style.quiet && is_accepted {
        true => String::new(),
        false => text(status, waiting, style),
    };
    to.answer(human, || json(status, waiting))
}

fn text(status: &BranchStatus, waiting: &[(String, Value)], style: &Style) -> String {
    let branch = match &status.branch {
        Some(name) => escaped(name).to_string(),
        None => "none, HEAD is detached".to_owned(),
    };
    let design = match &status.designs {
        Ok(designs) if designs.is_empty() => vec!["none".to_owned()],
        Ok(designs) => cut(designs, FEW, |design| {
            let by = message(&design.selected_by);
            vec![format!("{} ({by})", escaped(&design.path))]
        }),
        Err(error) => why(error),
    };
    let rows = match &status.rows {
        Ok(None) => Vec::new(),
        Ok(Some(RowsSoFar { done, open })) => {
            let row =
                |row: &Grant| vec![format!("{} ({})", escaped(&row.path), place(&row.anchor))];
            let mut lines = vec![format!("{done} done, {} open", open.len())];
            lines.extend(cut(open, MOST, row));
            lines
        }
        Err(error) => why(error),
    };
    let commit = status.commit.as_ref().map_or_else(
        |error| {
            let mut lines = why(error);
            lines[0].insert_str(0, "cannot be checked: ");
            lines
        },
        next_commit,
    );
    let mut approval = cut(waiting, FEW, |(line, _)| vec![line.clone()]);
    if approval.is_empty() {
        approval.push("nothing".to_owned());
    }
    let mut out = String::new();
    for (title, lines) in [
        ("branch", vec![branch]),
        ("design", design),
        ("rows", rows),
        ("commit", commit),
        ("waiting", approval),
    ] {
        for (at, line) in lines.iter().enumerate() {
            let indent = match at {
                0 => style.title(&format!("{title:<9}")),
                _ => INDENT.to_owned(),
            };
            out.push_str(&format!("{indent}{line}\n"));
        }
    }
    let first = status.notes.iter().take(1).cloned();
    out + &human::notes(&Vec::from_iter(first), style)
}

/// The first entries of a list, with the lines of each.
fn cut<T>(list: &[T], most: usize, lines: impl Fn(&T) -> Vec<String>) -> Vec<String> {
    let mut shown: Vec<String> = list.iter().take(most).flat_map(lines).collect();
    if let more @ 1.. = list.len().saturating_sub(most) {
        shown.push(format!("and {more} more"));
    }
    shown
}

/// Why guard cannot tell something, with the first fault behind it and a next step.
fn why(error: &Error) -> Vec<String> {
    let fault = ordered(&error.problems).into_iter().next();
    let fault = fault.map(|fault| fault.message.as_str());
    // The command comes last.
    let step = error.help.iter().rfind(|line| line.has_command());
    let step = step.or(error.help.first()).map(|line| &**line);
    let below = fault.into_iter().chain(step);
    let below = below.map(|line| format!("  {}", message(line)));
    std::iter::once(message(&error.message))
        .chain(below)
        .collect()
}

/// What a commit would say now.
fn next_commit(verdict: &Verdict) -> Vec<String> {
    let counts = verdict.counts();
    if counts.changes == 0 && verdict.is_accepted() {
        return vec!["nothing is staged".to_owned()];
    }
    let remarks = remarks(&[
        (counts.changes, "change"),
        (counts.errors, "error"),
        (counts.warnings, "warning"),
        (counts.approved, "approved change"),
    ]);
    let mut findings = ordered(&verdict.findings);
    findings.retain(|finding| finding.level != Level::Note);
    let drawn = |finding: &&Finding| {
        let (level, rule) = (finding.level.name(), finding.rule.id());
        let mut lines = vec![message(&format!("{level}[{rule}]: {}", finding.message))];
        // The first step, and the row to paste.
        let rows = finding
            .help
            .iter()
            .skip(1)
            .take_while(|line| line.is_to_paste());
        let steps = finding.help.iter().take(1).chain(rows.take(1));
        lines.extend(steps.map(|line| format!("  {}", message(line))));
        lines
    };
    let mut lines = vec![format!("{}: {remarks}", verdict.outcome().name())];
    lines.extend(cut(&findings, MOST, drawn));
    lines
}

fn json(status: &BranchStatus, waiting: &[(String, Value)]) -> Value {
    let row = |row: &Grant| {
        let (path, design) = (row.path.as_ref(), row.anchor.path.as_ref());
        json!({ "path": path_text(path), "design": path_text(design), "line": row.anchor.line })
    };
    let rows = status.rows.as_ref().ok().and_then(Option::as_ref);
    let rows = rows.map(|RowsSoFar { done, open }| {
        let rows: Vec<Value> = open.iter().map(row).collect();
        json!({ "done": done, "open": open.len(), "open_rows": rows })
    });
    let commit = status.commit.as_ref().ok().map(|verdict| {
        let findings = ordered(&verdict.findings);
        json!({ "verdict": verdict.outcome(), "summary": verdict.counts(), "findings": findings })
    });
    let errors = [
        ("designs", status.designs.as_ref().err()),
        ("rows", status.rows.as_ref().err()),
        ("commit", status.commit.as_ref().err()),
    ];
    let errors = errors.into_iter().filter_map(|(about, error)| {
        let Error { message, help, .. } = error?;
        Some(json!({ "about": about, "kind": error?.kind(), "message": message, "help": help }))
    });
    json!({
        "version": 1,
        "branch": status.branch.as_ref().map(|name| path_text(name.as_bstr())),
        "designs": status.designs.as_deref().unwrap_or_default(),
        "rows": rows,
        "commit": commit,
        "waiting": waiting.iter().map(|(_, object)| object).collect::<Vec<_>>(),
        "notes": status.notes,
        "errors": errors.collect::<Vec<_>>(),
    })
}
