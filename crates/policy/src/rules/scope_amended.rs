//! `scope-amended`: a change that widens its own design and includes code. A commit is refused; for a range, guard
//! lists the new rows of each design for reviewers.

use std::collections::BTreeMap;

use bstr::BStr;
use serde_json::json;

use super::{Case, Sink, policy_changed};
use crate::change::Change;
use crate::finding::{Finding, Level, Rule};
use crate::path::{escaped, listed};
use crate::policy::Stage;
use crate::scope::Grant;
use crate::scope::settings::Authority;

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
    let mut by_design: BTreeMap<&BStr, Vec<&Grant>> = BTreeMap::new();
    for grant in &policy.added {
        let design = grant.anchor.path.as_ref();
        by_design.entry(design).or_default().push(grant);
    }
    for (design, added) in by_design {
        let (shown, rows) = (escaped(design), counted(&added, "row"));
        let is_new = case.changes.iter().any(|changed| {
            let Change { old, renamed, .. } = &changed.change;
            changed.path() == design && old.is_none() && renamed.is_none()
        });
        let (level, message) = if is_new {
            let message = format!("the branch adds the design {shown} with {rows}");
            (Level::Note, message)
        } else {
            let message = format!("the branch adds {rows} to the design {shown}");
            (Level::Warning, message)
        };
        let what_to_do = match policy.settings.authority {
            _ if policy.governing(design).is_none() => {
                "review them: they allow nothing here, only on branches that use this design"
            }
            Authority::Head => "review them like the code",
            Authority::Base => {
                "they allow nothing here: with `authority = \"base\"` only rows of the merge base count"
            }
        };
        let details = added.iter().map(|grant| {
            json!({
                "path": grant.path.to_string(),
                "granted": grant.actions.names().collect::<Vec<_>>(),
                "line": grant.anchor.line,
            })
        });
        let finding = amended(design, message, &added, "new in this branch")
            .help(what_to_do)
            .detail("rows", details.collect::<Vec<_>>());
        sink.push(Finding { level, ..finding });
    }
}

/// The finding about these rows, the first of them with their lines.
fn amended(design: &BStr, message: String, added: &[&Grant], label: &str) -> Finding {
    let rows = added
        .iter()
        .map(|grant| format!("{} (line {})", escaped(&grant.path), grant.anchor.line));
    let paths: Vec<String> = added.iter().map(|grant| grant.path.to_string()).collect();
    Finding::new(Rule::ScopeAmended, design, message)
        .at(added[0].anchor.labelled(label))
        .help(format!("newly allowed: {}", listed(rows, LISTED)))
        .detail("added", paths)
}

fn counted(added: &[&Grant], row: &str) -> String {
    match added.len() {
        1 => format!("a {row}"),
        count => format!("{count} {row}s"),
    }
}

fn of_commit(case: &Case<'_>, sink: &mut Sink<'_>) {
    let policy = case.policy;
    // What needs no row anyway, such as the specification that a framework writes beside its plan, is no code.
    let mut code = case.changes.iter().filter(|changed| {
        !policy.is_exempt(changed.path())
            && !policy.settings.always.contains(changed.path())
            && !policy_changed::is_set_up(policy, changed)
    });
    if code.next().is_none() {
        return;
    }
    for governing in &policy.designs {
        let path: &BStr = governing.design.path.as_ref();
        let added = policy.added.iter();
        let added: Vec<&Grant> = added.filter(|grant| grant.anchor.path == path).collect();
        if added.is_empty() {
            continue;
        }
        let (shown, rows) = (escaped(path), counted(&added, "new row"));
        let (title, what) = if governing.in_force {
            (
                "Amend the design",
                format!("gains {rows} together with code"),
            )
        } else {
            let what = "is committed together with the code that it allows";
            ("Add the design", what.to_owned())
        };
        let message = format!("the design {shown} {what}");
        let help = policy.commit_alone("commit the design first, then the code", title, path);
        let finding = amended(path, message, &added, "new row");
        sink.push(help.into_iter().fold(finding, Finding::help));
    }
}
