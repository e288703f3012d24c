//! `protected-path`: paths that the settings protect or a design forbids, listed tests that existed before this work, and,
//! for requests, secrets and guard's own settings.

use bstr::BStr;

use super::{Access, Case, ChangeRule, MeasuredChange, Sink, denied, granted};
use crate::finding::{Finding, Rule};
use crate::path::{escaped, fold};
use crate::policy::{self, Stage};
use crate::scope::settings::{ProtectTests, Settings};
use crate::scope::{Actions, DenialSource, Grant, Role, Scope};
use crate::verdict::Protection;

pub(super) const RULE: ChangeRule = ChangeRule { check, reads: None };

fn check(case: &Case<'_>, sink: &mut Sink<'_>) {
    for changed in case.changes {
        let path = changed.path();
        let shown = escaped(path);
        let mut finding = if let Some(pattern) = case.policy.settings.protect.find(path) {
            let message = format!(
                "{shown} is protected by `{}` in guard.toml",
                escaped(pattern)
            );
            Finding::new(Rule::ProtectedPath, path, message)
                .help(
                    "no row allows a protected path; to unprotect it, change `[scope] protect` in \
                     a separate commit",
                )
                .detail("pattern", pattern)
        } else if let Some(denial) = denied::denial(case, changed) {
            let why = match denial.source {
                DenialSource::FrontMatter => "is forbidden by the front matter of the design",
                DenialSource::Row => "must stay as it is: its row says DO NOT MODIFY",
            };
            let message = format!("{shown} {why}");
            denied::explain(
                Finding::new(Rule::ProtectedPath, path, message),
                case.policy,
                denial,
            )
        } else if let Some(grant) = kept(case, changed) {
            let help = format!(
                "make the code pass the test; if it must change, a person may write `Add/Modify` \
                 as the type of its row, and {}",
                case.policy.commit_the_design()
            );
            let message = format!("{shown} is an existing test: DO NOT MODIFY");
            Finding::new(Rule::ProtectedPath, path, message)
                .at(grant.anchor.labelled("not a Modify row"))
                .help(help)
        } else {
            continue;
        };
        finding.help.extend(case.policy.leave_out(path));
        sink.push(finding);
    }
}

/// Secrets and files that configure guard are closed to requests. `[rules]` may open secrets, but not the settings:
/// write access to them would open everything.
pub(super) fn check_request(settings: &Settings, path: &BStr, access: Access, sink: &mut Sink<'_>) {
    // On a case-insensitive file system, `.ENV` is the file `.env`.
    let folded = fold(path);
    let spellings: [&BStr; 2] = [path, folded.as_ref()];
    let secrets = &settings.secrets;
    if let Some(pattern) = spellings
        .into_iter()
        .find_map(|spelling| secrets.find(spelling))
    {
        let message = format!(
            "{} looks like a secret (`{}` in [workspace] secrets)",
            escaped(path),
            escaped(pattern)
        );
        let finding = Finding::new(Rule::ProtectedPath, path, message);
        sink.push(finding.help("ask a person to handle it"));
    }
    if access == Access::Write
        && spellings
            .into_iter()
            .any(|spelling| policy::is_own_settings(settings, spelling))
    {
        let message = format!("{} configures guard", escaped(path));
        let finding = Finding::new(Rule::ProtectedPath, path, message);
        sink.push_always(finding.help("ask a person to change it in a separate commit"));
    }
}

/// The grant of an existing test that has to stay as it is. Requests are checked against HEAD and the disk, commits only
/// with `protect-tests = "always"`, and against what they change.
fn kept<'a>(case: &Case<'a>, changed: &MeasuredChange) -> Option<&'a Grant> {
    let settings = &case.policy.settings;
    let is_request = case.policy.stage == Stage::Request;
    if !is_request && settings.protect_tests != ProtectTests::Always {
        return None;
    }
    let path = changed.path();
    let scope = case.policy.scope.as_ref()?;
    let grant = scope.lookup(path).first().copied()?;
    let is_committed = changed.change.old.is_some();
    let exists = is_committed || is_request && case.result.entry(path).is_some();
    let is_kept = stays(settings, scope, grant, path, [is_committed, exists]);
    (is_kept && !granted::may_go(scope, changed)).then_some(grant)
}

/// Whether requests leave a file as it is, of which this says whether it is committed and whether it exists.
fn stays(
    settings: &Settings,
    scope: &Scope,
    grant: &Grant,
    path: &BStr,
    [is_committed, exists]: [bool; 2],
) -> bool {
    let is_kept_test = match settings.protect_tests {
        ProtectTests::Off => false,
        ProtectTests::Requests => is_committed,
        ProtectTests::Always => exists,
    };
    is_kept_test
        && grant.role() == Role::Test
        && grant.actions.contains(Actions::ADD)
        && !scope.actions(path).contains(Actions::MODIFY)
}

/// Why requests may not change what exists at the path of a grant.
pub fn protection(
    settings: &Settings,
    scope: &Scope,
    grant: &Grant,
    is_committed: bool,
    exists: bool,
) -> Option<Protection> {
    let path = grant.path.as_ref();
    if settings.protect.contains(path) {
        return Some(Protection::Settings);
    }
    stays(settings, scope, grant, path, [is_committed, exists]).then_some(Protection::Scaffolded)
}
