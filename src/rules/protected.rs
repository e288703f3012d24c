//! `protected-path`: paths that the settings shut, and listed tests that are older than this work.

use super::{Case, Sink, scope};
use crate::change::Change;
use crate::finding::{Finding, Rule};
use crate::path::show;
use crate::policy::{Actions, Grant, Policy, Role};

pub(super) fn check(case: &Case<'_>, sink: &mut Sink<'_>) {
    for subject in case.subjects {
        let path = subject.path();
        if let Some(pattern) = case.policy.settings.protect.find(path) {
            sink.push(
                Finding::new(
                    Rule::ProtectedPath,
                    path,
                    format!("{} is protected by `{}` in guard.toml", show(path), show(pattern)),
                )
                .help("leave it as it is; to open it, change `[scope] protect` in a commit of its own")
                .detail("pattern", pattern),
            );
            continue;
        }
        let Some(grant) = protected_test(case.policy, &subject.change) else {
            continue;
        };
        // Where no work base is known, the old version is all that is known to be older than the change.
        let is_old = match case.work_base.get(path) {
            Some(state) => state.is_some(),
            None => subject.change.old.is_some(),
        };
        if is_old {
            let mut anchor = grant.anchor.clone();
            anchor.label = "not a Modify row".to_owned();
            sink.push(
                Finding::new(
                    Rule::ProtectedPath,
                    path,
                    format!("{} is a test that exists already: DO NOT MODIFY", show(path)),
                )
                .at(anchor)
                .help("make the code pass the test; to change the test, make its row's type Modify and commit the design first"),
            );
        }
    }
}

/// The grant of a listed test whose row does not say Modify.
fn protected_test<'a>(policy: &'a Policy, change: &Change) -> Option<&'a Grant> {
    if !policy.settings.protect_tests {
        return None;
    }
    let lookup = policy.scope.as_ref()?.lookup(change.path.as_ref());
    let grant = lookup.grants.first().copied()?;
    let open = lookup.actions.contains(Actions::MODIFY)
        || lookup.actions.contains(scope::needed(change)) && change.new.is_none();
    (grant.role == Role::Test && !open).then_some(grant)
}

pub(super) fn is_protected(policy: &Policy, grant: &Grant, exists: bool) -> bool {
    let scaffolded = policy.settings.protect_tests
        && exists
        && grant.role == Role::Test
        && !grant.actions.contains(Actions::MODIFY);
    scaffolded || policy.settings.protect.contains(grant.path.as_ref())
}

pub(super) fn depends_on_work_base(policy: &Policy, change: &Change) -> bool {
    protected_test(policy, change).is_some()
}
