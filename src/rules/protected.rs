//! `protected-path`: paths that the settings shut, and listed tests that are older than this work.

use super::{Case, Sink, Subject, scope};
use crate::finding::{Finding, Rule};
use crate::path::show;
use crate::policy::scope::Scope;
use crate::policy::settings::Settings;
use crate::policy::{Actions, Grant, GrantKind, Policy, Role};
use crate::verdict::Protection;

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
        let Some(grant) = protected_test(case.policy, subject) else {
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
fn protected_test<'a>(policy: &'a Policy, subject: &Subject) -> Option<&'a Grant> {
    if !policy.settings.protect_tests {
        return None;
    }
    let scope = policy.scope.as_ref()?;
    let lookup = scope.lookup(subject.path());
    let grant = lookup.grants.first().copied()?;
    let open = lookup.actions.contains(Actions::MODIFY) || scope::may_go(scope, subject);
    (grant.role == Role::Test && !open).then_some(grant)
}

/// What protects the one path of a grant, `exists` telling whether something is there now. Scaffolded tests
/// are told whether or not the settings protect them.
pub fn protection(
    settings: &Settings,
    scope: &Scope,
    grant: &Grant,
    exists: bool,
) -> Option<Protection> {
    let path = grant.path.as_ref();
    if settings.protect.contains(path) {
        return Some(Protection::Settings);
    }
    let scaffolded = exists
        && grant.role == Role::Test
        && grant.kind == GrantKind::File
        && grant.actions.contains(Actions::ADD)
        && !scope.lookup(path).actions.contains(Actions::MODIFY);
    scaffolded.then_some(Protection::Scaffolded)
}

/// Whether a change of what this grant names would be refused as protected.
pub fn is_protected(settings: &Settings, scope: &Scope, grant: &Grant, exists: bool) -> bool {
    match protection(settings, scope, grant, exists) {
        Some(Protection::Settings) => true,
        Some(Protection::Scaffolded) => settings.protect_tests,
        None => false,
    }
}

pub(super) fn depends_on_work_base(policy: &Policy, subject: &Subject) -> bool {
    protected_test(policy, subject).is_some()
}
