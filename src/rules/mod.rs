//! The rules, one file each: policy, changes and a view of the resulting tree in, findings out.
//! No git, no disk, no clock, no environment.

mod approved;
mod case;
mod companions;
mod design_rows;
mod destructive_change;
mod gitmodules;
mod guard_lines;
mod hidden_change;
mod hook_calls;
mod missing_row;
mod out_of_scope;
mod outside_roots;
mod policy_changed;
mod portable_name;
mod protected_path;
mod rename_rows;
mod row_untouched;
mod scope_amended;
mod sink;
mod submodule_changed;
mod unsafe_path;

pub(crate) use hidden_change::hiding as hiding_attributes;

use gix::bstr::BStr;

use crate::finding::Finding;
use crate::policy::Policy;

pub use approved::{both_ends, can_be_cleared, clear, lost_at};
pub use case::{Access, Case, MeasuredChange, MergeBase, NewEnd, PathRequest, ResultTree};
pub use design_rows::{DesignContext, check_design_rows, matched};
pub use protected_path::{is_protected, protection};
pub use sink::{Sink, at_level};

use approved::clear_approved;
use sink::MOST_FINDINGS;

/// Judges the changes by every rule.
pub fn check(case: &Case<'_>) -> Vec<Finding> {
    let mut sink = Sink::new(&case.policy.settings, MOST_FINDINGS);
    let rules: [fn(&Case<'_>, &mut Sink<'_>); 11] = [
        unsafe_path::check,
        out_of_scope::check,
        destructive_change::check,
        protected_path::check,
        scope_amended::check,
        policy_changed::check,
        submodule_changed::check,
        gitmodules::check,
        hidden_change::check,
        portable_name::check,
        row_untouched::check,
    ];
    for rule in rules {
        rule(case, &mut sink);
    }
    clear_approved(case, &mut sink.findings);
    sink.finish()
}

/// Judges a request by the rules that need no more than its path.
pub fn check_request(request: &PathRequest<'_>) -> Vec<Finding> {
    let mut sink = Sink::new(request.settings, MOST_FINDINGS);
    outside_roots::check_request(request, &mut sink);
    protected_path::check_request(request, &mut sink);
    sink.finish()
}

/// Whether the rules read this file's content.
pub fn wants_content(path: &BStr) -> bool {
    gitmodules::concerns(path)
        || hidden_change::concerns(path)
        || policy_changed::may_name_guard(path)
}

/// Whether the verdict on this change depends on what the merge base holds at its path.
pub fn needs_merge_base(policy: &Policy, subject: &MeasuredChange) -> bool {
    out_of_scope::depends_on_merge_base(policy, subject)
        || protected_path::depends_on_merge_base(policy, subject)
}

/// Whether the step between two versions of hook settings, the first empty for a new file, only moves guard's own
/// version or only has guard called. It needs no design.
pub fn changes_only_own_part(path: &BStr, old: &[u8], new: &[u8]) -> bool {
    policy_changed::changes_only_own_part(path, old, new)
}

/// Whether lines of this file may call guard: hook and CI definitions.
pub fn may_call_guard(path: &BStr) -> bool {
    policy_changed::may_name_guard(path)
}
