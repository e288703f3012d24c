//! Judges changes with one pipeline and a thin entry per source. Read-only.

mod as_requests;
mod ci;
mod design_edit;
mod design_lint;
mod document_faults;
mod excuses;
mod facts;
mod in_memory;
mod measured_changes;
mod merge_commits;
mod overlap;
mod per_commit;
mod pipeline;
mod policy_loader;
mod range;
mod request;
mod request_credit;
mod reverts;
mod review;
mod scope;
mod staged;
mod suggestions;
mod tree_view;
mod trial;

use std::path::PathBuf;

use gix::bstr::BString;

use write_guard_policy::approve::Approval;
use write_guard_policy::measure::Precision;
use write_guard_policy::scope::settings::Settings;

pub(crate) use as_requests::as_requests;
pub use ci::ci_range;
pub use design_edit::{
    DesignEdit, RowsToAdd, UnreadPlan, extend_design, is_selected, new_design, plan_without_rows,
    propose_from_plan, rows_of_changes, with_table,
};
pub use design_lint::{DocumentSelection, DocumentVersion, check_documents};
pub(crate) use facts::JudgementFacts;
pub use facts::{BaseCommit, range_of_branch, settings_of, settings_of_head};
pub use in_memory::in_memory;
pub(crate) use measured_changes::Judge;
pub(crate) use merge_commits::MergedContents;
pub(crate) use overlap::{OpenDesign, OpenDesigns};
pub use overlap::{OverlapOptions, note_on_overlap, open_designs};
pub use policy_loader::{CHOICE_KEY, Purpose, candidates, load_for_request};
pub use range::{commit, new_commits, push, range};
pub use request::{Loss, OperationContext};
pub use scope::{prompt, scope, settings, status};
pub use staged::{
    AmendedApprovals, Clearable, amended_approvals, clearable, everything, governing_designs,
    landed, staged, uncommitted, used_approvals,
};
pub use trial::{Trial, TriedChange, trial};

/// How to judge.
#[derive(Debug, Clone, Default)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "callers set each option by name"
)]
pub struct Options {
    /// Designs given by the user, relative to the current directory; empty to follow the settings.
    pub designs: Vec<PathBuf>,
    /// The flag or variable that named them, for the report.
    pub designs_from: &'static str,
    /// Whether git runs guard as a hook; then only committed designs count.
    pub in_hook: bool,
    /// Whether this is the pre-merge-commit hook, for which git names the merged commits in `GITHEAD_*`. Any other
    /// caller could forge these variables.
    pub githead: bool,
    /// The unexpired approvals of this repository. Without a signature they count only for a new commit or a request.
    pub approvals: Vec<Approval>,
    /// Which losses to count. If only those that decide, the changes of the verdict have no shares.
    pub precision: Precision,
    /// Whether to judge each commit of a range, too.
    pub each_commit: bool,
    /// Whether to collect what the review page shows beyond findings and changes.
    pub for_page: bool,
    /// Whether to work out the missing rows as suggestions for a reviewer.
    pub for_suggestions: bool,
    /// Whether the commits have not left this clone yet.
    pub is_local: bool,
    /// Settings to judge by instead of those of the base, for a trial.
    pub settings: Option<Settings>,
    /// Standing designs for a trial of changes that are older than they are.
    pub standing: Vec<StandingDesign>,
}

/// A standing design that counts where neither side of a change has one by the same pattern of the settings.
#[derive(Debug, Clone)]
pub struct StandingDesign {
    /// Its path in the repository.
    pub path: BString,
    /// Its content.
    pub text: String,
}
