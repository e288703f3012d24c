//! `scope-amended`: a change that widens its own design and includes code. A commit is refused; for a range, guard
//! lists the new rows of each design for reviewers.

use gix::bstr::BStr;

use super::{Case, Sink, policy_changed};
use crate::change::Change;
use crate::finding::{Finding, Level, Rule};
use crate::path::escaped;
use crate::policy::scope::Scope;
use crate::policy::settings::Authority;
use crate::policy::{Grant, Stage};

/// The number of new rows to list.
const LISTED: usize = 10;

pub(super) fn check(case: &Case<'_>, sink: &mut Sink<'_>) {
    match case.policy.stage {
        Stage::Commit => of_commit(case, sink),
        Stage::Range => of_range(case, sink),
        Stage::Request | Stage::Step => {}
    }
}

/// Reviewers see the rows even without code in the range, because the code may come in another push. The rows of a new
/// design are only noted: they are the design to review.
fn of_range(case: &Case<'_>, sink: &mut Sink<'_>) {
    let policy = case.policy;
    let mut by_design: Vec<(&BStr, Vec<&Grant>)> = Vec::new();
    for grant in &policy.added {
        let path: &BStr = grant.anchor.path.as_ref();
        match by_design.iter_mut().find(|(design, _)| *design == path) {
            Some((_, grants)) => grants.push(grant),
            None => by_design.push((path, vec![grant])),
        }
    }
    for (design, added) in by_design {
        let rows = match added.len() {
            1 => "a row".to_owned(),
            count => format!("{count} rows"),
        };
        let is_new = case.changes.iter().any(|changed| {
            let Change { old, renamed, .. } = &changed.change;
            changed.path() == design && old.is_none() && renamed.is_none()
        });
        let message = match is_new {
            true => format!("the range adds the design {} with {rows}", escaped(design)),
            false => format!("the range adds {rows} to the design {}", escaped(design)),
        };
        let governs = policy.governing(design).is_some();
        let what_to_do = match policy.settings.authority {
            _ if !governs => {
                "review them: they grant nothing here, only on branches that use this design"
            }
            Authority::Head => "review them like the code",
            Authority::Base => {
                "they grant nothing here: with `authority = \"base\"` only rows of the merge base count"
            }
        };
        let mut finding = Finding::new(Rule::ScopeAmended, design, message)
            .help(format!("newly granted: {}", listed(&added)))
            .help(what_to_do)
            .detail("added", paths(&added))
            .detail(
                "rows",
                added.iter().map(|grant| row(grant)).collect::<Vec<_>>(),
            );
        if let Some(first) = added.first() {
            finding = finding.at(first.anchor.labelled("new in this range"));
        }
        finding.level = match is_new {
            true => Level::Note,
            false => Level::Warning,
        };
        sink.push(finding);
    }
}

/// A row for JSON.
fn row(grant: &Grant) -> serde_json::Value {
    serde_json::json!({
        "path": grant.path.to_string(),
        "granted": grant.actions.names().collect::<Vec<_>>(),
        "line": grant.anchor.line,
    })
}

fn paths(added: &[&Grant]) -> Vec<String> {
    added.iter().map(|grant| grant.path.to_string()).collect()
}

/// The first rows with their lines, and the number of further rows.
fn listed(added: &[&Grant]) -> String {
    let mut rows: Vec<String> = added
        .iter()
        .take(LISTED)
        .map(|grant| format!("{} (line {})", escaped(&grant.path), grant.anchor.line))
        .collect();
    if added.len() > LISTED {
        rows.push(format!("{} more", added.len() - LISTED));
    }
    rows.join(", ")
}

fn of_commit(case: &Case<'_>, sink: &mut Sink<'_>) {
    let policy = case.policy;
    if case.changes.iter().all(|changed| {
        policy.is_exempt(changed.path()) || policy_changed::is_set_up(policy, changed)
    }) {
        return;
    }
    let in_force = policy.scope.as_ref();
    for governing in &policy.designs {
        let path = &governing.design.path;
        let is_new = !governing.in_force;
        let Some(proposed) = &governing.proposed else {
            continue;
        };
        let proposed = Scope::new(proposed.grants.clone());
        let empty = Scope::default();
        let added = proposed.grants_beyond(in_force.unwrap_or(&empty));
        if added.is_empty() {
            continue;
        }
        let message = if is_new {
            format!(
                "the design {} is committed together with the code that it grants",
                escaped(path)
            )
        } else {
            format!(
                "the design {} gains {} together with code",
                escaped(path),
                match added.len() {
                    1 => "a new row".to_owned(),
                    count => format!("{count} new rows"),
                }
            )
        };
        let verb = if is_new { "Add" } else { "Amend" };
        let finding = Finding::new(Rule::ScopeAmended, path.clone(), message)
            .help(format!("newly granted: {}", listed(&added)));
        let (why, title) = (
            "commit the design first, then the code",
            format!("{verb} the design"),
        );
        let help = policy.commit_alone(why, &title, path.as_ref());
        let finding = help.into_iter().fold(finding, Finding::help);
        sink.push(finding.detail("added", paths(&added)));
    }
}
