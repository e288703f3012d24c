//! `submodule-changed`: a submodule is added, moved to another commit or removed without a Submodule row.

use super::{Case, MeasuredChange, Sink, missing_row, out_of_scope};
use crate::change::Kind;
use crate::finding::{Finding, Rule};
use crate::path::escaped;
use crate::policy::{Actions, Policy};

pub(super) fn check(case: &Case<'_>, sink: &mut Sink<'_>) {
    for changed in case.changes {
        let change = &changed.change;
        let path = changed.path();
        if !change.is_gitlink() || is_granted(case.policy, changed) {
            continue;
        }
        let id = |side: Option<crate::change::State>| {
            side.filter(|state| state.kind == Kind::Submodule)
                .map(|state| state.id.to_hex_with_len(12).to_string())
        };
        let (from, to) = (id(change.old), id(change.new));
        let what = match (&from, &to) {
            (None, Some(to)) => format!("is added at {to}"),
            (Some(from), None) => format!("is removed; it was at {from}"),
            (Some(from), Some(to)) => format!("moves from {from} to {to}"),
            (None, None) => continue,
        };
        let mut finding = Finding::new(
            Rule::SubmoduleChanged,
            path,
            format!(
                "the submodule {} {what} without a Submodule row",
                escaped(path)
            ),
        )
        .detail("action", change.action().name());
        for (key, id) in [("from", from), ("to", to)] {
            if let Some(id) = id {
                finding = finding.detail(key, id);
            }
        }
        sink.push(missing_row::advise(
            finding,
            case.policy,
            &missing_row::of(change),
            "",
        ));
    }
}

/// Whether a Submodule row grants it, or for a removal a Delete row.
fn is_granted(policy: &Policy, changed: &MeasuredChange) -> bool {
    let Some(scope) = &policy.scope else {
        return false;
    };
    let actions = scope.actions(changed.path());
    actions.contains(Actions::SUBMODULE) || out_of_scope::may_go(scope, changed)
}
