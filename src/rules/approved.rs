//! Which findings an approval clears.

use std::collections::HashMap;

use gix::bstr::BStr;

use super::case::Case;
use crate::approve::Approval;
use crate::change::Change;
use crate::finding::{Finding, Level, Rule};
use crate::path::escaped;

/// Turns errors of approved changes into notes, except for rules that cannot be approved.
pub(super) fn clear_approved(case: &Case<'_>, findings: &mut [Finding]) {
    if case.approvals.is_empty() {
        return;
    }
    let approved: HashMap<&BStr, (&Change, &Approval)> = case
        .changes
        .iter()
        .filter_map(|changed| {
            let approval = case.approval(&changed.change)?;
            Some((changed.path(), (&changed.change, approval)))
        })
        .collect();
    for finding in findings {
        let consent = finding
            .path
            .as_ref()
            .and_then(|path| approved.get::<BStr>(path.as_ref()));
        let Some(&(change, approval)) = consent.filter(|_| can_be_cleared(finding)) else {
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
        "the lost content was in {}, whose deletion needs approval in the same commit, too; `--staged` approves both",
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
        let (who, reason) = (escaped(&approval.who), escaped(&approval.reason));
        finding.message = format!("{}; approved by {who}: {reason}", finding.message);
        finding
            .details
            .insert("approved_by", approval.who.clone().into());
        finding
            .details
            .insert("reason_of_approval", approval.reason.clone().into());
        finding.details.insert("approval", approval.facts());
    }
}
