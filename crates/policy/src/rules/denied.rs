//! Changes of paths that a design forbids. `protected-path` refuses them; `out-of-scope` says nothing more about them.

use super::{Case, MeasuredChange};
use crate::finding::{Finding, Level, Rule};
use crate::path::escaped;
use crate::policy::Policy;
use crate::scope::{Denial, DenialSource};

/// The denial that refuses the change. A change back to the state of the merge base undoes a change of the file.
pub(super) fn denial<'a>(case: &Case<'a>, changed: &MeasuredChange) -> Option<&'a Denial> {
    let denial = case.policy.denial(changed.path())?;
    let is_undone = (case.merge_base)(changed.path()) == Some(changed.change.new);
    (!is_undone).then_some(denial)
}

/// Whether `protected-path` refuses the change because a design forbids it: no row would help.
pub(super) fn is_refused(case: &Case<'_>, changed: &MeasuredChange) -> bool {
    let level = case.policy.settings.level(Rule::ProtectedPath);
    level == Some(Level::Error) && denial(case, changed).is_some()
}

/// Points the finding at the denial, and says how to lift it.
pub(super) fn explain(finding: Finding, policy: &Policy, denial: &Denial) -> Finding {
    let (label, how) = match denial.source {
        DenialSource::FrontMatter => ("forbidden here", "take it off this list"),
        DenialSource::Row => ("DO NOT MODIFY", "change this row"),
    };
    let design = escaped(&denial.anchor.path).to_string();
    let then = policy.commit_the_design();
    finding
        .at(denial.anchor.labelled(label))
        .help(format!(
            "leave it as it is; if it must change, a person may {how} in {design}, and {then}"
        ))
        .detail("denied_by", denial.source.name())
}
