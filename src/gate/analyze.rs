//! `guard analyze`: what an operation would do (requirement 000, `analyze_file_write`). Nothing is written, held or
//! recorded.

use gix::bstr::{BStr, BString};

use super::{Analysis, Gate, GateResult, Operation};
use crate::finding::Finding;

/// What an operation would do.
#[derive(Debug, Clone)]
pub struct Forecast {
    /// The path in the workspace.
    pub path: BString,
    /// The effect.
    pub analysis: Analysis,
    /// Why a person would have to approve it.
    pub finding: Option<Finding>,
    /// Whether it would change anything.
    pub changes: bool,
    /// The blob id of the current content, as `--expect` takes it; `None` for no file.
    pub digest: Option<String>,
}

impl Gate<'_> {
    /// What the operation would do.
    ///
    /// # Errors
    /// The operation would be refused, or guard cannot judge it.
    pub fn analyze(&self, request: &BStr, operation: &Operation) -> GateResult<Forecast> {
        let (plan, finding) = self.plan(request, operation)?;
        Ok(Forecast {
            path: plan.path().to_owned(),
            changes: !plan.is_unchanged,
            digest: self.digest(plan.old().map(|entry| entry.content.as_slice())),
            analysis: plan.analysis,
            finding,
        })
    }
}
