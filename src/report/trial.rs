//! The report of `guard trial`.

use std::collections::BTreeMap;
use std::io;

use serde_json::{Value, json};

use super::target::{Format, Target};
use super::texts::{ordered, plural};
use super::{html, texts};
use crate::judge::{Trial, TriedChange};
use write_guard_policy::finding::{Level, json::path_text};
use write_guard_policy::path::{escaped, listed};
use write_guard_policy::verdict::Outcome;

/// The paths of a rule that the table names.
const NAMED: usize = 3;

/// Writes the report. `settings` says which ones were used.
///
/// # Errors
///
/// Those of `out`.
pub(crate) fn write_trial(trial: &Trial, settings: &str, to: Target<'_>) -> io::Result<()> {
    let notes = notes(trial, settings);
    if to.format == Format::Html {
        let body = html::trial(trial, &summary(trial), &notes);
        return to.out.write_all(html::page("trial", &body).as_bytes());
    }
    to.answer(|_| table(trial, &notes), || json(trial, settings, &notes))
}

/// The number of changes with a finding of this level and none above.
fn count(trial: &Trial, level: Level) -> usize {
    let findings = trial.changes.iter().map(|change| &change.findings);
    let worst = findings.map(|findings| findings.iter().map(|finding| finding.level).max());
    worst.filter(|worst| *worst == Some(level)).count()
}

fn unscoped(trial: &Trial) -> usize {
    let reasons = trial.changes.iter().map(|change| &change.unscoped);
    reasons.flatten().count()
}

fn needing(trial: &Trial) -> usize {
    trial
        .changes
        .iter()
        .filter(|change| change.needs_design)
        .count()
}

/// The changes without a design of their own for which the standing ones are enough.
fn standing_only(trial: &Trial) -> usize {
    let changes = trial.changes.iter();
    let judged = changes.filter(|change| !change.needs_design && change.unscoped.is_none());
    let standing = judged.filter(|change| {
        !change.designs.is_empty() && change.designs.iter().all(|design| design.is_standing)
    });
    standing.count()
}

/// First what a team has to do, then what else guard would have said.
fn summary(trial: &Trial) -> String {
    let refused = count(trial, Level::Error);
    let why = match needing(trial) {
        0 if refused == 0 && trial.changes.len() == 1 => {
            return format!("{} would have passed", some_of(trial, 0));
        }
        0 => return format!("{} would have been refused", some_of(trial, refused)),
        1 => "touches files that no design names: it needs",
        _ => "touch files that no design names: each needs",
    };
    format!(
        "{} {why} a design, or `missing = \"skip\"`; {refused} would have been refused for \
         another reason",
        some_of(trial, needing(trial))
    )
}

/// That many of the changes.
fn some_of(trial: &Trial, some: usize) -> String {
    let target = escaped(trial.target.as_bytes());
    match trial.changes.len() {
        1 => format!("the last change on {target}"),
        all => format!("{some} of the last {all} changes on {target}"),
    }
}

fn notes(trial: &Trial, settings: &str) -> Vec<String> {
    let mut notes = vec![format!("checked against {settings}")];
    if let warned @ 1.. = count(trial, Level::Warning) {
        let warned = plural(warned, "change");
        notes.push(format!("{warned} would have passed with warnings"));
    }
    if let standing @ 1.. = standing_only(trial) {
        let changes = plural(standing, "change");
        notes.push(format!(
            "the standing designs are enough for {changes}, without a design of their own"
        ));
    }
    if let unscoped @ 1.. = unscoped(trial) {
        let changes = plural(unscoped, "change");
        let why = if trial.skips_scope {
            " (`missing = \"skip\"`)"
        } else {
            ""
        };
        notes.push(format!(
            "guard found no usable design for {changes}; the scope rules did not count there{why}"
        ));
    }
    if let Some(missing) = trial.missing {
        let missing = missing.to_hex_with_len(12);
        notes.push(format!(
            "the clone is shallow and lacks commit {missing}, which comes before; \
             to check more: git fetch --unshallow"
        ));
    }
    notes
}

/// The refused changes, each with the rules that it breaks and the first paths of each.
fn table(trial: &Trial, notes: &[String]) -> String {
    let mut out = format!("guard: {}\n\n", summary(trial));
    for change in &trial.changes {
        let mut rules: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        let findings = ordered(&change.findings).into_iter();
        for finding in findings.filter(|finding| finding.level == Level::Error) {
            let path = finding.path.as_ref().map(|path| escaped(path).to_string());
            rules.entry(finding.rule.id()).or_default().extend(path);
        }
        if rules.is_empty() {
            continue;
        }
        let subject = texts::message(&change.headline.subject.to_string());
        out += &format!("{}  {subject}\n", change.id.to_hex_with_len(12));
        for (rule, paths) in rules {
            out += &format!("    {rule}: {}\n", listed(paths.into_iter(), NAMED));
        }
        out.push('\n');
    }
    for note in notes {
        out += &format!("note: {note}\n");
    }
    out + "\nto see every finding: guard trial --output html=trial.html\n"
}

fn change_json(change: &TriedChange) -> Value {
    json!({
        "commit": change.id.to_string(),
        "subject": path_text(change.headline.subject.as_ref()),
        "author": path_text(change.headline.author.as_ref()),
        "verdict": Outcome::of(&change.findings),
        "designs": change.designs,
        "unscoped": change.unscoped,
        "findings": ordered(&change.findings),
    })
}

fn json(trial: &Trial, settings: &str, notes: &[String]) -> Value {
    json!({
        "version": 1,
        "target": trial.target,
        "settings": settings,
        "missing": trial.missing.map(|commit| commit.to_string()),
        "changes": trial.changes.iter().map(change_json).collect::<Vec<_>>(),
        "summary": {
            "changes": trial.changes.len(),
            "refused": count(trial, Level::Error),
            "warned": count(trial, Level::Warning),
            "unscoped": unscoped(trial),
            "needs_design": needing(trial),
        },
        "notes": notes,
    })
}
