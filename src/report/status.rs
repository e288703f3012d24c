//! The report of `guard status`: one screen.

use std::io;

use gix::bstr::ByteSlice;
use serde_json::{Value, json};

use super::human;
use super::json::{error_json, with};
use super::target::{Style, Target};
use super::texts::{message, ordered, place, remarks};
use write_guard_policy::error::Error;
use write_guard_policy::finding::Level;
use write_guard_policy::finding::json::path_text;
use write_guard_policy::path::escaped;
use write_guard_policy::verdict::{BranchStatus, RowsSoFar, Verdict};

/// The most rows and findings.
const MOST: usize = 3;
/// The most designs and waiting changes.
const FEW: usize = 2;

/// Lines for people, each with an object for programs.
type Lines<'a> = &'a [(String, Value)];

/// Writes where a branch stands, with the changes that wait for approval, and the changes of the scope that agents made:
/// a line and an object for each.
///
/// # Errors
///
/// Those of `out`.
pub fn write_status(
    status: &BranchStatus,
    (waiting, changes): (Lines<'_>, Lines<'_>),
    to: Target<'_>,
) -> io::Result<()> {
    let is_accepted = status.commit.as_ref().is_ok_and(Verdict::is_accepted);
    to.answer(
        |style| {
            if style.quiet && is_accepted {
                String::new()
            } else {
                text(status, (waiting, changes), style)
            }
        },
        || json(status, (waiting, changes)),
    )
}

fn text(
    status: &BranchStatus,
    (waiting, changes): (Lines<'_>, Lines<'_>),
    style: &Style,
) -> String {
    let branch = status.branch.as_ref().map(|name| escaped(name).to_string());
    let branch = branch.unwrap_or("none, HEAD is detached".to_owned());
    let designs = status.designs.as_ref();
    let designs = designs.map_or_else(why, |designs| {
        cut(designs, FEW, |design| {
            let by = message(&design.selected_by);
            vec![format!("{} ({by})", escaped(&design.path))]
        })
    });
    let finished = cut(&status.done, FEW, |done| {
        vec![format!("{} ({})", escaped(&done.path), escaped(&done.sign))]
    });
    let rows = match &status.rows {
        Ok(None) => Vec::new(),
        Ok(Some(RowsSoFar { done, open })) => {
            let mut lines = vec![format!("{done} done, {} open", open.len())];
            lines.extend(cut(open, MOST, |row| {
                vec![format!("{} ({})", escaped(&row.path), place(&row.anchor))]
            }));
            lines
        }
        Err(error) => why(error),
    };
    let mut commit = status.commit.as_ref().map_or_else(why, next_commit);
    if status.commit.is_err() {
        commit[0].insert_str(0, "cannot be checked: ");
    }
    let waiting = cut(waiting, FEW, |(line, _)| vec![line.clone()]);
    // The newest are last.
    let newest = &changes[changes.len().saturating_sub(FEW)..];
    let changed = cut(newest, FEW, |(line, _)| vec![line.clone()]);
    let mut out = String::new();
    for (title, otherwise, lines) in [
        ("branch", None, vec![branch]),
        ("design", Some("none"), designs),
        ("finished", None, finished),
        ("scope", None, changed),
        ("rows", None, rows),
        ("commit", None, commit),
        ("waiting", Some("nothing"), waiting),
    ] {
        let otherwise = otherwise.filter(|_| lines.is_empty());
        let lines = lines.iter().map(String::as_str).chain(otherwise);
        for (at, line) in lines.enumerate() {
            let title = if at == 0 { title } else { "" };
            let title = style.title(&format!("{title:<9}"));
            out.push_str(&format!("{title}{line}\n"));
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

/// Why guard cannot tell something, with the first fault behind it and the next steps.
fn why(error: &Error) -> Vec<String> {
    let fault = ordered(&error.problems).into_iter().next();
    let fault = fault.map(|fault| fault.message.as_str());
    let steps = error.help.iter().take(MOST).map(|step| &**step);
    let below = fault.into_iter().chain(steps);
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
    let mut lines = vec![format!("{}: {remarks}", verdict.outcome().name())];
    lines.extend(cut(&findings, MOST, |finding| {
        let level = finding.level.name();
        let rule = finding.rule.id();
        let mut shown = vec![message(&format!("{level}[{rule}]: {}", finding.message))];
        // The first step, and the row to paste.
        let steps = finding.help.iter().take(2);
        shown.extend(steps.map(|line| format!("  {}", message(line))));
        shown
    }));
    lines
}

fn json(status: &BranchStatus, (waiting, changes): (Lines<'_>, Lines<'_>)) -> Value {
    let rows = status.rows.as_ref().ok().and_then(Option::as_ref);
    let rows = rows.map(|RowsSoFar { done, open }| {
        let mut open_rows = Vec::new();
        for row in open {
            let path = path_text(row.path.as_ref());
            let design = path_text(row.anchor.path.as_ref());
            open_rows.push(json!({ "path": path, "design": design, "line": row.anchor.line }));
        }
        json!({ "done": done, "open": open.len(), "open_rows": open_rows })
    });
    let commit = status.commit.as_ref().ok().map(|verdict| {
        let findings = ordered(&verdict.findings);
        json!({ "verdict": verdict.outcome(), "summary": verdict.counts(), "findings": findings })
    });
    let done: Vec<Value> = status
        .done
        .iter()
        .map(|done| {
            json!({ "path": path_text(done.path.as_ref()), "by": path_text(done.sign.as_ref()) })
        })
        .collect();
    let errors = [
        ("designs", status.designs.as_ref().err()),
        ("rows", status.rows.as_ref().err()),
        ("commit", status.commit.as_ref().err()),
    ];
    let errors = errors
        .into_iter()
        .filter_map(|(about, error)| Some(with(json!({ "about": about }), error_json(error?))));
    json!({
        "version": 1,
        "branch": status.branch.as_ref().map(|name| path_text(name.as_bstr())),
        "designs": status.designs.as_deref().unwrap_or_default(),
        "finished": done,
        "rows": rows,
        "commit": commit,
        "waiting": waiting.iter().map(|(_, object)| object).collect::<Vec<_>>(),
        "scope_changes": changes.iter().map(|(_, object)| object).collect::<Vec<_>>(),
        "notes": status.notes,
        "errors": errors.collect::<Vec<_>>(),
    })
}
