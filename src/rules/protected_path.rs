//! `protected-path`: paths that the settings protect, listed tests that existed before this work, and, for requests,
//! secrets and guard's own settings.

use gix::bstr::BStr;

use super::{Access, Case, MeasuredChange, Sink, out_of_scope};
use crate::finding::{Finding, Rule};
use crate::path::{escaped, fold};
use crate::policy::scope::Scope;
use crate::policy::settings::Settings;
use crate::policy::{Actions, Grant, GrantKind, Policy, Role, design_selection};
use crate::verdict::Protection;

pub(super) fn check(case: &Case<'_>, sink: &mut Sink<'_>) {
    for changed in case.changes {
        let path = changed.path();
        if let Some(pattern) = case.policy.settings.protect.find(path) {
            sink.push(
                Finding::new(
                    Rule::ProtectedPath,
                    path,
                    format!("{} is protected by `{}` in guard.toml", escaped(path), escaped(pattern)),
                )
                .help("leave it unchanged; to unprotect it, change `[scope] protect` in a separate commit")
                .detail("pattern", pattern),
            );
            continue;
        }
        let Some(grant) = protected_test(case.policy, changed) else {
            continue;
        };
        // Without a merge base, only the old version is known to be older than the change.
        let is_old = match case.merge_base.get(path) {
            Some(state) => state.is_some(),
            None => changed.change.old.is_some(),
        };
        if is_old {
            sink.push(
                Finding::new(
                    Rule::ProtectedPath,
                    path,
                    format!("{} is an existing test: DO NOT MODIFY", escaped(path)),
                )
                .at(grant.anchor.labelled("not a Modify row"))
                .help(format!(
                    "make the code pass the test; to change the test, make its row's type Modify and {}",
                    case.policy.commit_the_design()
                )),
            );
        }
    }
}

/// Secrets and files that configure guard are closed to requests. `[rules]` may open secrets, but not the settings:
/// write access to them would open everything.
pub(super) fn check_request(settings: &Settings, path: &BStr, access: Access, sink: &mut Sink<'_>) {
    // On a case-insensitive file system, `.ENV` is the file `.env`.
    let folded = fold(path);
    let spellings: [&BStr; 2] = [path, folded.as_ref()];
    let secrets = &settings.secrets;
    if let Some(pattern) = spellings.into_iter().find_map(|path| secrets.find(path)) {
        let message = format!(
            "{} looks like a secret (`{}` in [workspace] secrets)",
            escaped(path),
            escaped(pattern)
        );
        let finding = Finding::new(Rule::ProtectedPath, path, message);
        sink.push(finding.help("ask a person to handle it"));
    }
    let is_own = |path| design_selection::is_own_settings(settings, path);
    if access == Access::Write && spellings.into_iter().any(is_own) {
        let message = format!("{} configures guard", escaped(path));
        let finding = Finding::new(Rule::ProtectedPath, path, message);
        sink.push_always(finding.help("ask a person to change it in a separate commit"));
    }
}

/// The grant of a listed test whose row is not of type Modify.
fn protected_test<'a>(policy: &'a Policy, changed: &MeasuredChange) -> Option<&'a Grant> {
    if !policy.settings.protect_tests {
        return None;
    }
    let scope = policy.scope.as_ref()?;
    let lookup = scope.lookup(changed.path());
    let grant = lookup.grants.first().copied()?;
    let open = lookup.actions.contains(Actions::MODIFY) || out_of_scope::may_go(scope, changed);
    (grant.role == Role::Test && !open).then_some(grant)
}

/// What protects the single path of a grant; `exists` says whether a file is there now. Scaffolded files are reported
/// whether or not they are protected.
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
        && (grant.role == Role::Test || grant.is_frozen())
        && grant.kind == GrantKind::File
        && grant.actions.contains(Actions::ADD)
        && !scope.lookup(path).actions.contains(Actions::MODIFY);
    scaffolded.then_some(Protection::Scaffolded)
}

/// Whether a change to the path of this grant would be refused as protected.
pub fn is_protected(settings: &Settings, scope: &Scope, grant: &Grant, exists: bool) -> bool {
    match protection(settings, scope, grant, exists) {
        Some(Protection::Settings) => true,
        Some(Protection::Scaffolded) => settings.protect_tests || grant.is_frozen(),
        None => false,
    }
}

pub(super) fn depends_on_merge_base(policy: &Policy, changed: &MeasuredChange) -> bool {
    protected_test(policy, changed).is_some()
}
