//! `out-of-scope` and `action-not-granted`: is there a grant for the path, and for this action?

use gix::bstr::{BStr, ByteSlice};

use super::{Case, Sink, Subject, WorkBase, companions, policy_changed};
use crate::change::{Action, Change, Kind};
use crate::finding::{Finding, Rule};
use crate::path::{self, Platform, show};
use crate::policy::closest::closest;
use crate::policy::scope::Scope;
use crate::policy::{Actions, Grant, Policy};

/// What a design says about a change.
enum Answer<'a> {
    Granted,
    /// Grants cover the path, but not the action.
    NotThisAction(&'a Grant),
    NoGrant,
}

pub(super) fn check(case: &Case<'_>, sink: &mut Sink<'_>) {
    let Some(scope) = &case.policy.scope else {
        return;
    };
    for subject in case.subjects {
        let exempt = needs_no_row(case.policy, &subject.change)
            || policy_changed::is_set_up(case.policy, subject);
        let is_repair = subject.change.action() == Action::Delete && !can_be_named(&subject.change);
        if exempt || is_repair || is_undone(case.work_base, &subject.change) {
            continue;
        }
        match answer(case.policy, scope, &subject.change, case.work_base) {
            Answer::Granted => {}
            // The next step is the same for the path as for the row: commit the design first.
            _ if grants(&case.policy.proposed, &subject.change, case.work_base) => {}
            Answer::NotThisAction(grant) => sink.push(not_this_action(subject, grant)),
            Answer::NoGrant => sink.push(no_grant(case.policy, scope, subject)),
        }
    }
}

/// Designs and guard's own settings, `always`, and what `submodule-changed` judges.
fn needs_no_row(policy: &Policy, change: &Change) -> bool {
    let path = change.path.as_ref();
    policy.is_exempt(path)
        || policy.settings.always.contains(path)
        || super::submodule::is_gitlink(change)
}

/// A change back to what the work base holds leaves nothing behind that a design could speak of.
fn is_undone(work_base: &WorkBase, change: &Change) -> bool {
    work_base.get(change.path.as_ref()) == Some(change.new)
}

fn answer<'a>(
    policy: &Policy,
    scope: &'a Scope,
    change: &Change,
    work_base: &WorkBase,
) -> Answer<'a> {
    if grants(scope, change, work_base) {
        return Answer::Granted;
    }
    let path = change.path.as_ref();
    if policy.settings.companions && companions::is_granted(scope, path, change.action()) {
        return Answer::Granted;
    }
    match scope.lookup(path).grants.first() {
        Some(grant) => Answer::NotThisAction(grant),
        None => Answer::NoGrant,
    }
}

/// Whether `scope` permits the change.
pub(super) fn grants(scope: &Scope, change: &Change, work_base: &WorkBase) -> bool {
    let actions = scope.lookup(change.path.as_ref()).actions;
    let needed = needed(change);
    if actions.contains(needed) {
        return true;
    }
    // An Add row grants modifying what the work base lacks; where no work base is known, anything.
    let is_new = work_base
        .get(change.path.as_ref())
        .is_none_or(|state| state.is_none());
    needed == Actions::MODIFY && actions.contains(Actions::MODIFY_NEW) && is_new
}

/// The action that a grant must permit.
pub(super) fn needed(change: &Change) -> Actions {
    match (change.action(), change.new.map(|state| state.kind)) {
        (Action::Delete, _) => Actions::DELETE,
        (_, Some(Kind::Symlink)) => Actions::SYMLINK,
        (_, Some(Kind::Submodule)) => Actions::SUBMODULE,
        (Action::Add, _) => Actions::ADD,
        _ => Actions::MODIFY,
    }
}

pub(super) fn depends_on_work_base(policy: &Policy, change: &Change) -> bool {
    let Some(scope) = &policy.scope else {
        return false;
    };
    !needs_no_row(policy, change)
        && !scope
            .lookup(change.path.as_ref())
            .actions
            .contains(needed(change))
}

/// The table row that would grant the change, ready to paste.
pub(super) fn row(change: &Change) -> String {
    let word = match needed(change) {
        Actions::DELETE => "Delete",
        Actions::SYMLINK => "Symlink",
        Actions::SUBMODULE => "Submodule",
        Actions::ADD => "Add",
        _ => "Modify",
    };
    format!("| {} | {word} | … |", code_span(change.path.as_ref()))
}

/// A code span for a table cell that nothing in the name breaks out of.
pub(super) fn code_span(path: &BStr) -> String {
    let name = path.to_str_lossy().replace('|', "\\|");
    let longest = name.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let pad = if longest > 0 { " " } else { "" };
    format!("{fence}{pad}{name}{pad}{fence}")
}

fn no_grant(policy: &Policy, scope: &Scope, subject: &Subject) -> Finding {
    let path = subject.path();
    let mut finding = Finding::new(
        Rule::OutOfScope,
        path,
        format!(
            "{}{} is not in the design",
            show(path),
            renamed(&subject.change)
        ),
    )
    .detail("action", subject.change.action().name());
    let first = match closest(scope, path).or_else(|| closest(&policy.proposed, path)) {
        Some(found) => {
            let mut anchor = found.grant.anchor.clone();
            anchor.label = "closest path that is".to_owned();
            finding = finding.at(anchor);
            let advice = format!(
                "write {}, or add this row and commit the design first:",
                show(&found.path)
            );
            finding.closest = Some(found.path);
            advice
        }
        None => "add this row and commit the design first:".to_owned(),
    };
    if !can_be_named(&subject.change) {
        return finding.help("choose another name: no design can name this one");
    }
    finding.help(first).help(row(&subject.change))
}

/// Whether a row may name the path.
pub(super) fn can_be_named(change: &Change) -> bool {
    let kind = change.new.map_or(Kind::File, |state| state.kind);
    path::check_entry(change.path.as_ref(), kind, Platform::host()).is_ok()
}

fn not_this_action(subject: &Subject, grant: &Grant) -> Finding {
    let path = subject.path();
    let change = &subject.change;
    let permitted = grant.actions.names().collect::<Vec<_>>().join(" and ");
    let mut anchor = grant.anchor.clone();
    anchor.label = format!("grants {permitted}");
    let needed_word = match needed(change).names().next() {
        Some(word) => word,
        None => change.action().name(),
    };
    let message = format!(
        "the design grants {permitted} of {}{}, not {needed_word}",
        show(path),
        renamed(change)
    );
    let advice = match (change.action(), change.new.map(|state| state.kind)) {
        (Action::Modify, _) if grant.actions.contains(Actions::ADD) => {
            "the file is older than this work: make the row's type Modify, or choose another name; commit the design first"
        }
        (Action::Add, Some(Kind::Symlink)) | (Action::TypeChange, Some(Kind::Symlink)) => {
            "a symbolic link needs a row of type Symlink; commit the design first"
        }
        (Action::Delete, _) => "to delete it, add a row of type Delete and commit the design first",
        (Action::Add, _) => "make the row's type Add and commit the design first",
        _ => "make the row's type Modify and commit the design first",
    };
    Finding::new(Rule::ActionNotGranted, path, message)
        .at(anchor)
        .help(advice)
        .detail("action", change.action().name())
        .detail("granted", grant.actions.names().collect::<Vec<_>>())
}

/// ` (renamed from …)` for half of a rename.
fn renamed(change: &Change) -> String {
    match (&change.renamed, &change.new) {
        (Some(other), Some(_)) => format!(" (renamed from {})", show(other)),
        (Some(other), None) => format!(" (renamed to {})", show(other)),
        (None, _) => String::new(),
    }
}

/// Whether the change is one that a row of the scope, and not `always` or an exemption, speaks of.
pub(super) fn has_row(policy: &Policy, path: &BStr) -> bool {
    policy
        .scope
        .as_ref()
        .is_some_and(|scope| !scope.lookup(path).grants.is_empty())
}

#[cfg(test)]
mod tests {
    use super::code_span;
    use crate::policy::design::{self, Options};
    use crate::policy::settings::Settings;

    #[test]
    fn a_suggested_row_grants_just_the_name_that_it_is_made_of() {
        for name in [
            "src/a.py",
            "a` | Delete | x | `b.md",
            "a``b.md",
            "`q`.md",
            "x|y.md",
        ] {
            let text = format!(
                "### Files Changed\n\n| File | Change Type |\n|---|---|\n| {} | Add |\n",
                code_span(name.into())
            );
            let options = Options::from_settings(&Settings::default());
            let design = design::parse("design.md".into(), text.as_bytes(), &options);
            let paths: Vec<_> = design.grants.iter().map(|grant| &grant.path).collect();
            assert_eq!(paths, [name], "{text}");
        }
    }
}
