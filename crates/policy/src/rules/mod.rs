//! The rules, one file each. They take policy, changes and a view of the resulting tree, and return findings, without
//! git, disk, clock or environment. At the end, approvals clear what they are about.

mod agent_settings;
mod case;
mod companions;
mod denied;
mod design_rows;
mod destructive_change;
mod files_of_tree;
mod granted;
mod hidden_change;
mod missing_row;
mod other_designs;
mod out_of_scope;
mod outside_roots;
mod policy_changed;
mod portable_name;
mod protected_path;
mod rename_rows;
mod row_untouched;
mod scope_amended;
mod submodule_changed;
mod unsafe_path;

use std::collections::HashMap;

use bstr::BStr;

use crate::approve::Approval;
use crate::change::Change;
use crate::finding::{Finding, Level, Rule};
use crate::path::escaped;
use crate::policy::Policy;
use crate::scope::settings::Settings;

pub use crate::own_part::AGENT_FILES;
pub use agent_settings::refuse_request;
pub use case::{
    Access, Case, MeasuredChange, MergeBase, PaidFor, ReadSubmodules, RenameTarget, ResultTree,
    Sink, Submodules, at_level,
};
pub use design_rows::{DesignContext, check_design_rows, check_shortened_rows, matched};
pub use files_of_tree::FilesOfTree;
pub use policy_changed::{
    Means, changes_only_own_part, may_call_guard, means_removed, switch_changed,
};
pub use protected_path::protection;
pub use row_untouched::done_and_open;

use case::{ChangeRule, MOST_FINDINGS};

/// The rules about changes, in the order in which they run.
const RULES: &[ChangeRule] = &[
    unsafe_path::RULE,
    out_of_scope::RULE,
    other_designs::RULE,
    destructive_change::RULE,
    protected_path::RULE,
    scope_amended::RULE,
    policy_changed::RULE,
    submodule_changed::RULE,
    hidden_change::RULE,
    portable_name::RULE,
    row_untouched::RULE,
];

/// Runs all rules on the changes.
pub fn check(case: &Case<'_>) -> Vec<Finding> {
    let mut sink = Sink::new(&case.policy.settings, MOST_FINDINGS);
    for rule in RULES {
        (rule.check)(case, &mut sink);
    }
    clear_approved(case, &mut sink.findings);
    sink.finish()
}

/// Runs the rules that need only the path of a request.
pub fn check_request(settings: &Settings, path: &BStr, access: Access) -> Vec<Finding> {
    let mut sink = Sink::new(settings, MOST_FINDINGS);
    outside_roots::check_request(settings, path, access, &mut sink);
    protected_path::check_request(settings, path, access, &mut sink);
    sink.finish()
}

/// Whether the rules read the content of this file under the policy.
pub fn wants_content_under(policy: &Policy, path: &BStr) -> bool {
    wants_content(path) || policy.governing(path).is_some()
}

/// Whether the rules read the content of this file under any policy.
pub fn wants_content(path: &BStr) -> bool {
    RULES
        .iter()
        .any(|rule| rule.reads.is_some_and(|reads| reads(path)))
}

/// Turns errors of approved changes into notes, except for rules that cannot be approved.
fn clear_approved(case: &Case<'_>, findings: &mut [Finding]) {
    if case.approvals.is_empty() {
        return;
    }
    let changes = case.changes.iter().map(|changed| &changed.change);
    let approved: HashMap<&BStr, (&Change, &Approval)> = changes
        .filter_map(|change| Some((change.path.as_ref(), (change, case.approval(change)?))))
        .collect();
    for finding in findings
        .iter_mut()
        .filter(|finding| can_be_cleared(finding))
    {
        let path = finding.path.as_ref();
        let consent = path.and_then(|path| approved.get::<BStr>(path.as_ref()));
        let Some(&(change, approval)) = consent else {
            continue;
        };
        match lost_at(finding, change) {
            Some(from) if !approved.contains_key(from) => finding.help_first(both_ends(from)),
            _ => clear(finding, &[approval]),
        }
    }
}

/// The old path of a rename that lost content. Approving the new path alone does not cover it.
pub fn lost_at<'a>(finding: &Finding, change: &'a Change) -> Option<&'a BStr> {
    let is_new = finding.rule == Rule::DestructiveChange && change.old.is_none();
    let from = change.renamed.as_ref().filter(|_| is_new)?;
    Some(from.as_ref())
}

/// Help for a loss in a rename.
pub fn both_ends(from: &BStr) -> String {
    format!(
        "the lost content was in {}, whose deletion needs approval, too; `--staged` approves both",
        escaped(from)
    )
}

/// Whether an approval of the change clears this finding.
pub fn can_be_cleared(finding: &Finding) -> bool {
    finding.level == Level::Error && finding.rule.can_be_approved()
}

/// Turns an error into a note that names the approvals.
pub fn clear(finding: &mut Finding, approvals: &[&Approval]) {
    finding.level = Level::Note;
    finding.help.clear();
    for approval in approvals {
        let who = escaped(&approval.who);
        let reason = escaped(&approval.reason);
        finding.message = format!("{}; approved by {who}: {reason}", finding.message);
        finding.details.extend([
            ("approved_by", approval.who.clone().into()),
            ("reason_of_approval", approval.reason.clone().into()),
            ("approval", approval.facts()),
        ]);
    }
}

#[cfg(test)]
mod tests;
