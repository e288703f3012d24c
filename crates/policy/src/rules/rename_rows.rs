//! Deletions that a Rename row does not permit, because the change does not put enough of the content at the new path.

use super::{Case, MeasuredChange, destructive_change, missing_row};
use crate::change::Action;
use crate::finding::{Finding, Help, Level, Rule};
use crate::path::{escaped, shell_word};
use crate::policy::Stage;
use crate::scope::Scope;

/// Whether `destructive-change` already refuses the loss at the new path.
pub(super) fn is_reported_at_new_end(
    case: &Case<'_>,
    scope: &Scope,
    changed: &MeasuredChange,
) -> bool {
    let change = &changed.change;
    let Some(to) = change.renamed.as_ref().filter(|_| change.new.is_none()) else {
        return false;
    };
    let is_error = case.policy.settings.level(Rule::DestructiveChange) == Some(Level::Error);
    if !is_error || !scope.new_ends(changed.path()).any(|path| path == *to) {
        return false;
    }
    let new_end = case.changes.iter().find(|other| other.change.path == *to);
    new_end.is_some_and(|new_end| destructive_change::found(case, new_end).is_some())
}

/// Why a Rename row does not permit the deletion; `None` if no Rename row covers the path or it is not deleted.
pub(super) fn finding(case: &Case<'_>, changed: &MeasuredChange) -> Option<Finding> {
    if changed.change.action() != Action::Delete {
        return None;
    }
    let path = changed.path();
    let mut grants = case.policy.scope.as_ref()?.lookup(path).into_iter();
    let (grant, to) = grants.find_map(|grant| Some((grant, grant.new_end(path)?)))?;
    let is_part = changed.new_ends.iter().any(|end| end.path == to);
    let why = if is_part {
        "does not keep its content"
    } else {
        "is not part of the change"
    };
    let shown = escaped(path);
    let shown_to = escaped(&to);
    let message = format!("{shown} is deleted, but its new path {shown_to} {why}");
    let label = format!("lets it be renamed to {shown_to}");
    let finding = Finding::new(Rule::ActionNotGranted, path, message)
        .at(grant.anchor.labelled(label))
        .detail("action", changed.change.action().name())
        .detail("granted", grant.actions.names().collect::<Vec<_>>())
        .detail("new_end", to.to_string());
    let policy = case.policy;
    if is_part {
        let share = destructive_change::percent(policy.settings.thresholds.share);
        let how = format!("keep its content there: a renamed file must lose less than {share} %");
        let wanted = missing_row::of(&changed.change);
        let before = "or, to delete it, ";
        return Some(missing_row::advise(
            finding.help(how),
            policy,
            &wanted,
            before,
        ));
    }
    let from = shell_word(path);
    let to = shell_word(to.as_ref());
    let step = match policy.stage {
        Stage::Request => Help::run("to rename it", format_args!("guard move {from} {to}")),
        Stage::Commit => {
            let restore = format!("git restore --source=HEAD --staged --worktree -- {from}");
            Help::run(
                "to rename it",
                format_args!("{restore} && git mv {from} {to}"),
            )
        }
        Stage::Range | Stage::Step => format!("bring it back, and move it to {shown_to}").into(),
    };
    let finding = finding
        .help("a row that lets it be renamed does not let it be deleted, which takes a Delete row");
    Some(finding.help(step))
}
