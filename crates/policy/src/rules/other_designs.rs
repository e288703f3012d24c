//! `out-of-scope` for designs, which need no row: a request may not change a design of other work.

use bstr::BStr;

use super::{Case, ChangeRule, MeasuredChange, Sink, granted};
use crate::finding::{Finding, Rule};
use crate::path::{escaped, escaped_list, shell_word};
use crate::policy::{self, Policy, Stage};
use crate::scope::settings::Missing;

pub(super) const RULE: ChangeRule = ChangeRule { check, reads: None };

fn check(case: &Case<'_>, sink: &mut Sink<'_>) {
    // A person may commit any design.
    if case.policy.stage != Stage::Request {
        return;
    }
    for changed in case.changes {
        if let Some(reason) = refusal(case, changed) {
            sink.push_made_by(Rule::OutOfScope, || finding(case, changed, reason));
        }
    }
}

/// Why a request may not touch a design.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Refusal {
    /// It was there before this branch and does not govern it.
    OtherWork,
    /// The same as far as guard can tell: the merge base is unknown.
    PerhapsOtherWork,
    /// It is new, and not the one that `[lld] path` names for this branch, which has none yet.
    NotNamed,
}

fn refusal(case: &Case<'_>, changed: &MeasuredChange) -> Option<Refusal> {
    let policy = case.policy;
    let change = &changed.change;
    let path = changed.path();
    if !policy::is_design(&policy.settings, path)
        || policy.governing(path).is_some()
        || policy.of_branch.has_selected(path)
    {
        return None;
    }
    if let Some(scope) = &policy.scope
        && granted::grants(scope, changed, case.merge_base)
    {
        return None;
    }
    match (case.merge_base)(path) {
        Some(before) if before == change.new => None,
        Some(Some(_)) => Some(Refusal::OtherWork),
        None if change.old.is_some() => Some(Refusal::PerhapsOtherWork),
        // The branch has added it before.
        Some(None) if change.old.is_some() => None,
        _ if may_add(policy, path) => None,
        _ => Some(Refusal::NotNamed),
    }
}

/// Whether a new design may come. A branch that has its own may add others, such as those of later work.
fn may_add(policy: &Policy, path: &BStr) -> bool {
    policy.has_own_design()
        || policy.settings.missing == Missing::Skip
        || policy.of_branch.names(path)
}

fn finding(case: &Case<'_>, changed: &MeasuredChange, refusal: Refusal) -> Finding {
    let path: &BStr = changed.path();
    let shown = escaped(path);
    let message = match refusal {
        Refusal::NotNamed => format!("{shown} is not the design of this branch"),
        _ => format!(
            "{shown} is a design of other work: it does not govern this branch, and this branch \
             did not add it"
        ),
    };
    let action = changed.change.action().name();
    let finding = Finding::new(Rule::OutOfScope, path, message).detail("action", action);
    let patterns = &case.policy.of_branch.patterns;
    let choose = format!(
        "leave it as it is; if it is the design of this work, a person can choose it: guard use {}",
        shell_word(path)
    );
    match refusal {
        Refusal::OtherWork => finding.help(choose),
        Refusal::PerhapsOtherWork => finding.help(choose).help(granted::SET_BASE),
        Refusal::NotNamed if patterns.is_empty() => finding.help(
            "the branch name does not say which design belongs to it: switch to the branch of \
             that work, or ask a person to write the design",
        ),
        Refusal::NotNamed => finding.help(format!(
            "write the design of this branch instead: {}",
            escaped_list(patterns)
        )),
    }
}
