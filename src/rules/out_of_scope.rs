//! `out-of-scope` and `action-not-granted`: whether a grant covers the path and the action.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};

use gix::bstr::BStr;

use super::{
    Case, MeasuredChange, MergeBase, Sink, companions, missing_row, policy_changed, rename_rows,
};
use crate::change::{Action, Change, Kind};
use crate::design::MissingRow;
use crate::finding::{Finding, Rule};
use crate::path::{self, Platform, escaped};
use crate::policy::{self, Policy, Stage};
use crate::scope::Scope;
use crate::scope::closest::closest;
use crate::scope::{Actions, Grant, GrantKind};

/// How the design answers a change.
enum ScopeAnswer<'a> {
    Granted,
    /// Grants cover the path but not the action.
    NotThisAction(&'a Grant),
    NoGrant,
}

pub(super) fn check(case: &Case<'_>, sink: &mut Sink<'_>) {
    let Some(scope) = &case.policy.scope else {
        return;
    };
    let refused: Vec<(&MeasuredChange, ScopeAnswer<'_>)> = case
        .changes
        .iter()
        .map(|changed| (changed, verdict(case, scope, changed)))
        .filter(|(_, answer)| !matches!(answer, ScopeAnswer::Granted))
        .collect();
    let paths: HashSet<&BStr> = refused.iter().map(|(changed, _)| changed.path()).collect();
    let existing = OnceCell::new();
    let exists = |path: &BStr| {
        let existing: &HashSet<&BStr> = existing.get_or_init(|| existing_files(case, scope));
        existing.contains(path)
    };
    let mut told = HashMap::new();
    for (changed, answer) in &refused {
        let rule = match answer {
            ScopeAnswer::NotThisAction(_) => Rule::ActionNotGranted,
            _ => Rule::OutOfScope,
        };
        sink.push_made_by(rule, || {
            let other = changed.change.renamed.as_ref().map(|path| path.as_ref());
            let wanted = missing_row::of_rename(changed)
                .filter(|_| other.is_some_and(|other| paths.contains::<BStr>(other)))
                .unwrap_or_else(|| missing_row::of(&changed.change));
            let finding = match answer {
                ScopeAnswer::NotThisAction(grant) => not_this_action(case, changed, grant, &wanted),
                _ => no_grant(case, scope, changed, &wanted, &exists),
            };
            let finding = match wanted.from {
                Some(_) => missing_row::once(finding, &mut told),
                None => finding,
            };
            without_authority(case, changed, finding)
        });
    }
}

fn verdict<'a>(case: &Case<'a>, scope: &'a Scope, changed: &MeasuredChange) -> ScopeAnswer<'a> {
    let change = &changed.change;
    // Rules that read more than the path come last: the row of a change usually grants it.
    let answer = answer(case, scope, changed);
    if matches!(answer, ScopeAnswer::Granted) {
        return answer;
    }
    let exempt = needs_no_row(case.policy, change)
        || policy_changed::is_set_up(case.policy, changed)
        || policy_changed::is_own_part(changed);
    let is_repair = change.action() == Action::Delete && !can_be_named(change, case.platform);
    if exempt || is_repair || is_undone(case.merge_base, change) {
        return ScopeAnswer::Granted;
    }
    // The next step is the same for path and row: commit the design first.
    let is_commit = case.policy.stage == Stage::Commit;
    if is_commit && grants(&case.policy.proposed, changed, case.merge_base) {
        return ScopeAnswer::Granted;
    }
    answer
}

/// Adds help if the range itself adds the row that would grant the change.
fn without_authority(case: &Case<'_>, changed: &MeasuredChange, mut finding: Finding) -> Finding {
    if !grants(&case.policy.proposed, changed, case.merge_base) {
        return finding;
    }
    finding.help_first(
        "this branch adds a row that would allow it, but with `authority = \"base\"` only rows of the merge base count: merge the design first",
    );
    finding
}

/// Designs, guard's own settings, `always`, and submodules need no row here.
fn needs_no_row(policy: &Policy, change: &Change) -> bool {
    let path = change.path.as_ref();
    (policy.is_exempt(path) && is_regular_design(policy, change))
        || policy.settings.always.contains(path)
        || change.is_gitlink()
}

/// A link in place of a design is not a design: its content is elsewhere. `destructive-change` refuses a governing
/// design that becomes a link.
fn is_regular_design(policy: &Policy, change: &Change) -> bool {
    let is_governing = || policy.governing(change.path.as_ref()).is_some();
    !change.leaves_no_regular_file() || change.action() == Action::TypeChange && is_governing()
}

/// A change back to the state of the merge base needs no grant.
fn is_undone(merge_base: &MergeBase, change: &Change) -> bool {
    merge_base.get(change.path.as_ref()) == Some(change.new)
}

fn answer<'a>(case: &Case<'_>, scope: &'a Scope, changed: &MeasuredChange) -> ScopeAnswer<'a> {
    if grants(scope, changed, case.merge_base)
        || rename_rows::is_reported_at_new_end(case, scope, changed)
    {
        return ScopeAnswer::Granted;
    }
    if companions::is_granted(scope, &changed.change) {
        return ScopeAnswer::Granted;
    }
    match scope.lookup(changed.path()).grants.first() {
        Some(grant) => ScopeAnswer::NotThisAction(grant),
        None => ScopeAnswer::NoGrant,
    }
}

/// Whether `scope` permits the change.
pub(super) fn grants(scope: &Scope, changed: &MeasuredChange, merge_base: &MergeBase) -> bool {
    let (path, needed) = (changed.path(), missing_row::needed(&changed.change));
    let actions = scope.actions(path);
    if actions.contains(needed) {
        return true;
    }
    if needed == Actions::DELETE {
        return rename_rows::goes_on(scope, changed);
    }
    // An Add row also grants modifying a file that the merge base lacks; without a merge base, any file.
    let is_new = merge_base.get(path).is_none_or(|state| state.is_none());
    needed == Actions::MODIFY && actions.contains(Actions::MODIFY_NEW) && is_new
}

/// Whether a row permits deleting the path: a Delete row, or a Rename row whose new path exists.
pub(super) fn may_go(scope: &Scope, changed: &MeasuredChange) -> bool {
    changed.change.action() == Action::Delete
        && (scope.actions(changed.path()).contains(Actions::DELETE)
            || rename_rows::goes_on(scope, changed))
}

pub(super) fn depends_on_merge_base(policy: &Policy, changed: &MeasuredChange) -> bool {
    let Some(scope) = &policy.scope else {
        return false;
    };
    let actions = scope.actions(changed.path());
    let is_granted =
        actions.contains(missing_row::needed(&changed.change)) || may_go(scope, changed);
    !is_granted && !needs_no_row(policy, &changed.change)
}

/// The files that rows name and that exist.
fn existing_files<'a>(case: &Case<'a>, scope: &'a Scope) -> HashSet<&'a BStr> {
    let rows = scope.grants().iter().chain(case.policy.proposed.grants());
    let paths = rows.map(|grant| grant.path.as_ref());
    paths
        .filter(|path| case.result.entry(path).is_some())
        .collect()
}

fn no_grant(
    case: &Case<'_>,
    scope: &Scope,
    changed: &MeasuredChange,
    wanted: &MissingRow<'_>,
    exists: &dyn Fn(&BStr) -> bool,
) -> Finding {
    let policy = case.policy;
    let path = changed.path();
    let mut finding = Finding::new(
        Rule::OutOfScope,
        path,
        format!(
            "{}{} is not in the design",
            escaped(path),
            renamed(&changed.change)
        ),
    )
    .detail("action", changed.change.action().name());
    let mut instead = String::new();
    let needed = missing_row::needed(&changed.change);
    let found = closest(scope, path, needed, exists);
    if let Some(found) = found.or_else(|| closest(&policy.proposed, path, needed, exists)) {
        finding = finding.at(found.grant.anchor.labelled("closest path in the design"));
        // An existing file is the intended one; only a new file may be in the wrong place.
        if changed.change.action() == Action::Add {
            instead = format!("write {} instead, or ", escaped(&found.path));
        }
        finding.closest = Some(found.path);
    }
    if !can_be_named(&changed.change, case.platform) {
        return finding.help("rename it: a design cannot name this path");
    }
    if policy.is_exempt(path) {
        finding = finding.help("this path is exempt from the scope table only as a regular file");
        // Rows cannot grant guard's own settings or the design itself.
        if policy::is_own_settings(&policy.settings, path) || policy.governing(path).is_some() {
            return finding.help("make it a regular file");
        }
    }
    missing_row::advise(finding, policy, wanted, &instead)
}

/// Whether a row can name the path.
pub(super) fn can_be_named(change: &Change, platform: Platform) -> bool {
    let kind = change.new.map_or(Kind::File, |state| state.kind);
    path::check_entry(change.path.as_ref(), kind, platform).is_ok()
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
    let needed = missing_row::needed(change);
    let names = grant.actions.names().collect::<Vec<_>>();
    let new_end = grant.new_end(path);
    let anchor = grant.anchor.labelled(match &new_end {
        Some(to) => format!("lets it be renamed to {}", escaped(to)),
        None => format!("lets it be {}", participles(grant.actions)),
    });
    let message = format!(
        "{}{} is {}; the design only lets it be {}",
        escaped(path),
        renamed(change),
        participles(needed),
        match &new_end {
            Some(to) => format!("renamed to {}", escaped(to)),
            None => participles(grant.actions),
        }
    );
    let finding = Finding::new(Rule::ActionNotGranted, path, message)
        .at(anchor)
        .detail("action", change.action().name())
        .detail("granted", names);
    let is_own_row =
        grant.kind == GrantKind::File && !grant.change_type.is_empty() && new_end.is_none();
    let then = case.policy.commit_the_design();
    let commit = || {
        let design: &BStr = grant.anchor.path.as_ref();
        case.policy.commit_command("Amend the design", design)
    };
    // A row for a directory or glob, or without a type, stays as it is.
    let mut finding = if !is_own_row || wanted.from.is_some() {
        missing_row::advise(finding, case.policy, wanted, "")
    } else if needed == Actions::MODIFY && grant.is_frozen() {
        finding.help(format!(
            "the row says DO NOT MODIFY: leave the file as it is; if it must change, change the row's type to Modify and {then}:"
        )).help(commit())
    } else if needed == Actions::MODIFY && grant.actions.contains(Actions::ADD) {
        finding.help(format!(
            "the file existed before this work: choose another name, or change the row's type to Modify and {then}:"
        )).help(commit())
    } else {
        finding
            .help(format!(
                "change the row's type to {} and {then}:",
                match (wanted.word, grant.actions.contains(Actions::MODIFY)) {
                    ("Add", true) => "Add/Modify",
                    (word, _) => word,
                }
            ))
            .help(commit())
    };
    let may_be_own_work = needed == Actions::DELETE
        && grant.actions.contains(Actions::ADD)
        && matches!(case.merge_base, MergeBase::Unknown);
    if may_be_own_work {
        finding.help_first(
            "if this branch added the file, set `[lld] base = \"main\"` in guard.toml so that guard can tell",
        );
    }
    finding
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

/// Whether a row covers the change; `always` and exemptions do not count. A Rename row does not count for a deleted
/// file that needs no row.
pub(super) fn has_row(policy: &Policy, changed: &MeasuredChange) -> bool {
    let Some(scope) = &policy.scope else {
        return false;
    };
    let grants = scope.lookup(changed.path()).grants;
    let only_renamed = !grants.is_empty() && grants.iter().all(|grant| grant.is_old_end());
    if only_renamed && needs_no_row(policy, &changed.change) {
        return rename_rows::goes_on(scope, changed);
    }
    !grants.is_empty()
}
