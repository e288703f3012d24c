//! Whether a row grants a change, and whether the change needs one.

use super::{MeasuredChange, MergeBase};
use crate::change::{Action, Change, Kind};
use crate::path::{self, Platform};
use crate::policy::Policy;
use crate::scope::{Actions, Scope};

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

/// Help where the merge base is unknown, so that a file of the branch looks like any older one.
pub(super) const SET_BASE: &str = "if this branch added the file, set `[lld] base = \"main\"` in \
                                   guard.toml so that guard can tell";

/// Whether `scope` permits the change.
pub(super) fn grants(scope: &Scope, changed: &MeasuredChange, merge_base: &MergeBase<'_>) -> bool {
    let path = changed.path();
    let needed = needed(&changed.change);
    let actions = scope.actions(path);
    if actions.contains(needed) {
        return true;
    }
    if needed == Actions::DELETE {
        return goes_on(scope, changed);
    }
    // An Add row also grants modifying a file that the merge base lacks; without a merge base, any file.
    needed == Actions::MODIFY
        && actions.contains(Actions::MODIFY_NEW)
        && merge_base(path).is_none_or(|state| state.is_none())
}

/// Whether a row permits deleting the path: a Delete row, or a Rename row whose new path exists.
pub(super) fn may_go(scope: &Scope, changed: &MeasuredChange) -> bool {
    changed.change.action() == Action::Delete
        && (scope.actions(changed.path()).contains(Actions::DELETE) || goes_on(scope, changed))
}

/// Whether the new path of a Rename row in `scope` keeps enough of the deleted file. Otherwise the row would let the
/// file vanish.
fn goes_on(scope: &Scope, changed: &MeasuredChange) -> bool {
    !changed.new_ends.is_empty()
        && scope.new_ends(changed.path()).any(|path| {
            let mut ends = changed.new_ends.iter();
            ends.any(|end| end.path == path && end.kept.enough)
        })
}

/// Whether a row covers the change; `always` and exemptions do not count. A Rename row does not count for a deleted
/// file that needs no row.
pub(super) fn has_row(policy: &Policy, changed: &MeasuredChange) -> bool {
    let Some(scope) = &policy.scope else {
        return false;
    };
    let grants = scope.lookup(changed.path());
    let only_renamed = !grants.is_empty() && grants.iter().all(|grant| grant.is_old_end());
    if only_renamed && needs_no_row(policy, &changed.change) {
        return goes_on(scope, changed);
    }
    !grants.is_empty()
}

/// Designs, guard's own settings, `always`, and submodules need no row here.
pub(super) fn needs_no_row(policy: &Policy, change: &Change) -> bool {
    let path = change.path.as_ref();
    (policy.is_exempt(path) && is_regular_design(policy, change))
        || policy.settings.always.contains(path) && policy.denial(path).is_none()
        || change.is_gitlink()
}

/// A link in place of a design is not a design: its content is elsewhere. `destructive-change` refuses a governing
/// design that becomes a link.
fn is_regular_design(policy: &Policy, change: &Change) -> bool {
    !change.leaves_no_regular_file()
        || change.action() == Action::TypeChange && policy.governing(change.path.as_ref()).is_some()
}

/// Whether a row can name the path.
pub(super) fn can_be_named(change: &Change, platform: Platform) -> bool {
    let kind = change.new.map_or(Kind::File, |state| state.kind);
    path::check_entry(change.path.as_ref(), kind, platform).is_ok()
}
