//! `out-of-scope` and `action-not-granted`: whether a grant covers the path and the action.

use std::collections::HashSet;

use bstr::BStr;

use super::{
    Case, ChangeRule, MeasuredChange, Sink, companions, denied, granted, missing_row,
    policy_changed, rename_rows,
};
use crate::change::{Action, Change};
use crate::design::MissingRow;
use crate::finding::{Finding, Rule};
use crate::path::escaped;
use crate::policy::{Policy, Stage};
use crate::scope::closest::{Closest, closest};
use crate::scope::unicode_form::{UnicodeForm, in_another_form};
use crate::scope::{Actions, Grant, GrantKind, Scope};

pub(super) const RULE: ChangeRule = ChangeRule { check, reads: None };

fn check(case: &Case<'_>, sink: &mut Sink<'_>) {
    let Some(scope) = &case.policy.scope else {
        return;
    };
    let mut refused: Vec<&MeasuredChange> = case.changes.iter().collect();
    refused
        .retain(|changed| !is_granted(case, scope, changed) && !denied::is_refused(case, changed));
    if refused.is_empty() {
        return;
    }
    let paths: HashSet<&BStr> = refused.iter().map(|changed| changed.path()).collect();
    for changed in refused {
        let grant = scope.lookup(changed.path()).first().copied();
        let rule = match grant {
            Some(_) => Rule::ActionNotGranted,
            None => Rule::OutOfScope,
        };
        sink.push_made_by(rule, || {
            let other = changed.change.renamed.as_ref().map(|path| path.as_ref());
            let wanted = missing_row::of_rename(changed)
                .filter(|_| other.is_some_and(|other| paths.contains::<BStr>(other)))
                .unwrap_or_else(|| missing_row::of(&changed.change));
            match grant {
                Some(grant) => not_this_action(case, changed, grant, &wanted),
                None => no_grant(case, scope, changed, &wanted),
            }
        });
    }
}

/// Whether the design permits the change, or none is needed, or the next step is to commit the design first.
fn is_granted(case: &Case<'_>, scope: &Scope, changed: &MeasuredChange) -> bool {
    is_allowed(case, scope, changed)
        || case.policy.stage == Stage::Commit
            && granted::grants(&case.policy.proposed, changed, case.merge_base)
}

/// Whether the design in force permits the change, or none is needed.
pub(super) fn is_allowed(case: &Case<'_>, scope: &Scope, changed: &MeasuredChange) -> bool {
    let policy = case.policy;
    let change = &changed.change;
    // Rules that read more than the path come last: the row of a change usually grants it.
    granted::grants(scope, changed, case.merge_base)
        || rename_rows::is_reported_at_new_end(case, scope, changed)
        || companions::is_granted(scope, change)
        || granted::needs_no_row(policy, change)
        || policy_changed::is_set_up(policy, changed)
        || policy_changed::is_own_part(changed)
        // What no row can name may be deleted.
        || change.action() == Action::Delete && !granted::can_be_named(change, case.platform)
        // A change back to the state of the merge base needs no grant.
        || (case.merge_base)(changed.path()) == Some(change.new)
}

fn no_grant(
    case: &Case<'_>,
    scope: &Scope,
    changed: &MeasuredChange,
    wanted: &MissingRow<'_>,
) -> Finding {
    let policy = case.policy;
    let path = changed.path();
    let shown = escaped(path);
    let renamed = renamed(&changed.change);
    let message = format!("{shown}{renamed} is not in the design");
    let mut finding = Finding::new(Rule::OutOfScope, path, message)
        .detail("action", changed.change.action().name());
    if let Some(denial) = policy.denial(path) {
        return denied::explain(finding, policy, denial);
    }
    let mut instead = String::new();
    let needed = granted::needed(&changed.change);
    let twin = in_another_form(scope, path).or_else(|| in_another_form(&policy.proposed, path));
    if let Some(twin) = twin {
        finding = differs_in_form(finding, policy, path, &twin);
        instead = "give the file the name that the design has, or ".to_owned();
    } else if let Some(found) = [scope, &policy.proposed].into_iter().find_map(|scope| {
        closest(scope, path, needed, |path| {
            case.result.entry(path).is_some()
        })
    }) {
        finding = finding.at(found.grant.anchor.labelled("closest path in the design"));
        // An existing file is the intended one; only a new file may be in the wrong place.
        if changed.change.action() == Action::Add {
            instead = format!("write {} instead, or ", escaped(&found.path));
        }
        finding.closest = Some(found.path);
    }
    if !granted::can_be_named(&changed.change, case.platform) {
        return finding.help("rename it: a design cannot name this path");
    }
    if policy.is_exempt(path) {
        return finding
            .help("this path is exempt from the scope table only as a regular file: make it one");
    }
    if let Some(why) = policy_changed::why_not_own(changed) {
        finding = finding.help(format!("the change is not only of guard's own part: {why}"));
    }
    missing_row::advise(finding, policy, wanted, &instead)
}

/// Adds that the design has the name in another Unicode form, which nobody can see.
fn differs_in_form(finding: Finding, policy: &Policy, path: &BStr, twin: &Closest<'_>) -> Finding {
    let owner = match policy.stage {
        Stage::Request => "the request",
        _ => "git",
    };
    let form = UnicodeForm::of(path);
    let in_design = UnicodeForm::of(twin.path.as_ref());
    let finding = finding
        .at(twin
            .grant
            .anchor
            .labelled("this name in another Unicode form"))
        .help(format!(
            "the two names look alike but differ in their Unicode form: {owner} has {}, the \
             design {}",
            form.name(),
            in_design.name()
        ))
        .detail("unicode_form", form.id())
        .detail("unicode_form_in_design", in_design.id());
    Finding {
        message: format!(
            "{}, which has this name in another Unicode form",
            finding.message
        ),
        closest: Some(twin.path.clone()),
        ..finding
    }
}

fn not_this_action(
    case: &Case<'_>,
    changed: &MeasuredChange,
    grant: &Grant,
    wanted: &MissingRow<'_>,
) -> Finding {
    if let Some(finding) = rename_rows::finding(case, changed) {
        return finding;
    }
    let path = changed.path();
    let change = &changed.change;
    let needed = granted::needed(change);
    let new_end = grant.new_end(path);
    let lets = match &new_end {
        Some(to) => format!("lets it be renamed to {}", escaped(to)),
        None => format!("lets it be {}", participles(grant.actions)),
    };
    let shown = escaped(path);
    let renamed = renamed(change);
    let done = participles(needed);
    let message = format!("{shown}{renamed} is {done}; the design only {lets}");
    let mut finding = Finding::new(Rule::ActionNotGranted, path, message)
        .at(grant.anchor.labelled(lets))
        .detail("action", change.action().name())
        .detail("granted", grant.actions.names().collect::<Vec<_>>());
    let may_be_own_work = needed == Actions::DELETE
        && grant.actions.contains(Actions::ADD)
        && (case.merge_base)(path).is_none();
    if may_be_own_work {
        finding = finding.help(granted::SET_BASE);
    }
    let is_own_row = grant.kind == GrantKind::File
        && !grant.change_type.is_empty()
        && new_end.is_none()
        && is_alone_in_its_row(case.policy, grant);
    // A row for a directory or glob, for several files, or without a type, stays as it is.
    if !is_own_row || wanted.from.is_some() {
        return missing_row::advise(finding, case.policy, wanted, "");
    }
    let may_modify = grant.actions.contains(Actions::MODIFY);
    let before = match needed {
        Actions::MODIFY if grant.actions.contains(Actions::ADD) => {
            "the file existed before this work: choose another name, or "
        }
        _ => "",
    };
    let word = match wanted.word {
        "Add" if may_modify => "Add/Modify",
        word => word,
    };
    let then = case.policy.commit_the_design();
    let finding = finding.help(format!(
        "{before}change the row's type to {word} and {then}"
    ));
    let Some(governing) = case.policy.governing(grant.anchor.path.as_ref()) else {
        return finding;
    };
    let wanted = MissingRow { word, ..*wanted };
    missing_row::with_command(finding, case.policy, &wanted, &governing.design)
}

/// Whether the row names no other path.
fn is_alone_in_its_row(policy: &Policy, grant: &Grant) -> bool {
    let governing = policy.governing(grant.anchor.path.as_ref());
    governing.is_some_and(|governing| {
        let grants = governing.design.grants.iter();
        grants
            .filter(|other| other.anchor.line == grant.anchor.line)
            .count()
            == 1
    })
}

/// A set of actions as participles: `added or modified`.
fn participles(actions: Actions) -> String {
    let words: Vec<&str> = actions
        .names()
        .map(|name| match name {
            "add" => "added",
            "modify" => "modified",
            "delete" => "deleted",
            "symlink" => "made a symbolic link",
            _ => "made a submodule",
        })
        .collect();
    words.join(" or ")
}

/// ` (renamed from …)` or ` (renamed to …)` for one side of a rename.
fn renamed(change: &Change) -> String {
    match (&change.renamed, &change.new) {
        (Some(other), Some(_)) => format!(" (renamed from {})", escaped(other)),
        (Some(other), None) => format!(" (renamed to {})", escaped(other)),
        (None, _) => String::new(),
    }
}
