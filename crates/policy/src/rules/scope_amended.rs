//! `scope-amended`: a change that widens its own design and includes code. A commit is refused; for a range, guard
//! lists the new rows of each design for reviewers.

use std::collections::BTreeMap;

use bstr::BStr;
use serde_json::json;

use super::{Case, ChangeRule, MeasuredChange, Sink, granted, out_of_scope};
use crate::change::Change;
use crate::finding::{Finding, Level, Rule};
use crate::path::{escaped, listed};
use crate::policy::{ChosenBy, Obstacle, Stage, is_standing};
use crate::scope::settings::Authority;
use crate::scope::{Grant, Scope};

pub(super) const RULE: ChangeRule = ChangeRule { check, reads: None };

/// The number of new rows to list.
const LISTED: usize = 10;

fn check(case: &Case<'_>, sink: &mut Sink<'_>) {
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
    chosen_by_commits(case, sink);
    let mut by_design: BTreeMap<&BStr, Vec<&Grant>> = BTreeMap::new();
    for grant in &policy.added {
        let design = grant.anchor.path.as_ref();
        by_design.entry(design).or_default().push(grant);
    }
    for (design, added) in by_design {
        let shown = escaped(design);
        let rows = counted(&added, "row");
        let (level, message) = if is_new(case, design) {
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
                "they allow nothing here: with `authority = \"base\"` only rows of the merge base \
                 count"
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

/// Designs that nothing but the trailer of a commit chose: reviewers of the branch may not expect their rows.
fn chosen_by_commits(case: &Case<'_>, sink: &mut Sink<'_>) {
    let policy = case.policy;
    for governing in &policy.designs {
        let design: &BStr = governing.design.path.as_ref();
        let ChosenBy::Trailer(commit) = &governing.chosen_by else {
            continue;
        };
        // One that the branch adds is the work of this branch.
        if is_standing(&policy.settings, design) || is_new(case, design) {
            continue;
        }
        let shown = escaped(design);
        let commit = commit.to_hex_with_len(12);
        let message = format!("{shown} applies only because commit {commit} names it");
        let finding = Finding::new(Rule::ScopeAmended, design, message)
            .help("check that the work belongs to this design")
            .detail("commit", commit.to_string());
        sink.push(Finding {
            level: Level::Warning,
            ..finding
        });
    }
}

/// Whether the change adds the design.
fn is_new(case: &Case<'_>, design: &BStr) -> bool {
    case.changes.iter().any(|changed| {
        let Change { old, renamed, .. } = &changed.change;
        changed.path() == design && old.is_none() && renamed.is_none()
    })
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
    if policy.added.is_empty() {
        return;
    }
    // What is allowed anyway, such as a line in the change log, asks for no new row.
    let nothing = Scope::default();
    let scope = policy.scope.as_ref().unwrap_or(&nothing);
    let code: Vec<&MeasuredChange> = case
        .changes
        .iter()
        .filter(|changed| !out_of_scope::is_allowed(case, scope, changed))
        .collect();
    for governing in &policy.designs {
        let path: &BStr = governing.design.path.as_ref();
        let added = policy.added.iter();
        let added: Vec<&Grant> = added.filter(|grant| grant.anchor.path == path).collect();
        let widened = Scope::new(added.iter().map(|grant| (*grant).clone()).collect());
        let mut needing = code.iter();
        if !needing.any(|changed| granted::grants(&widened, changed, case.merge_base)) {
            continue;
        }
        let shown = escaped(path);
        let rows = counted(&added, "new row");
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
        let finding = amended(path, message, &added, "new row");
        let why = "commit the design first, then the code";
        if governing.obstacle == Some(Obstacle::Settled) {
            sink.push(finding.help(why));
            continue;
        }
        let help = policy.commit_alone(why, title, &[path]);
        sink.push(help.into_iter().fold(finding, Finding::help));
    }
}
