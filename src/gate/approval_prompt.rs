//! Why guard asks a person for approval of a change, and the same content with another strategy.

use super::perform::OperationPlan;
use super::{
    Analysis, Extension, Failure, FailureKind, Gate, GateResult, Operation, Strategy, held,
    strategy,
};
use crate::approval;
use crate::finding::Finding;
use crate::git::WorkTree;
use crate::measure;
use crate::path::escaped;

/// What to ask the person.
#[derive(Debug, Clone)]
pub struct Question {
    /// Why a person must decide; `None` if the chosen strategy destroys nothing.
    pub finding: Option<Finding>,
    /// What would happen, with preview and lost content.
    pub analysis: Analysis,
    /// The whole unified diff, for a person who wants to see it first.
    pub whole: String,
    /// How to combine the content with the existing file.
    pub strategy: Option<Strategy>,
    /// What `extend` would add and keep.
    pub extension: Option<Extension>,
    /// Other strategies to choose from.
    pub others: Vec<&'static str>,
    /// Why the last chosen strategy is impossible.
    pub problem: Option<Failure>,
    /// The word to type for approval.
    pub word: String,
}

/// A change that waits for approval.
pub(super) struct ApprovalPrompt {
    pub(super) plan: OperationPlan,
    pub(super) operation: Operation,
    pub(super) finding: Option<Finding>,
    /// The ID of a held change that this decides about.
    pub(super) held: Option<String>,
    /// Whether the operation contains the whole proposed content, so that other strategies make sense.
    pub(super) may_choose: bool,
}

impl Gate<'_> {
    /// The same content with another strategy.
    pub(super) fn choose(
        &self,
        prompt: &ApprovalPrompt,
        strategy: Strategy,
    ) -> GateResult<ApprovalPrompt> {
        let mut operation = prompt.operation.clone();
        if let Operation::Write { strategy: way, .. } = &mut operation {
            *way = strategy;
        }
        let path = prompt.plan.path();
        let (plan, finding) = self.plan(path, &operation)?;
        let content = |plan: &OperationPlan| plan.old().map(|entry| entry.content.clone());
        if content(&plan) != content(&prompt.plan) {
            return Err(Failure::new(
                FailureKind::Stale,
                format!("{} changed while guard waited for an answer", escaped(path)),
            ));
        }
        Ok(ApprovalPrompt {
            plan,
            operation,
            finding,
            held: prompt.held.clone(),
            may_choose: prompt.may_choose,
        })
    }
}

impl ApprovalPrompt {
    pub(super) fn question(&self, work_tree: &WorkTree) -> Question {
        let plan = &self.plan;
        let (old, new) = approval::sides(&plan.consent);
        let id = held::id_of(work_tree, plan.path(), old.as_deref(), new.as_deref());
        let strategy = self.operation.strategy();
        let mut others = if self.may_choose && plan.old().is_some() {
            strategy::offers(plan.path())
        } else {
            Vec::new()
        };
        others.retain(|other| strategy.is_none_or(|strategy| !other.starts_with(strategy.name())));
        let there = plan.old().map(|entry| entry.content.as_slice());
        let before = plan.compared.as_deref().or(there).unwrap_or_default();
        let name = escaped(plan.path()).to_string();
        let after = plan.new_content().unwrap_or_default();
        // The person sees what the verdict is about, which may be more than this edit.
        let analysis = Analysis {
            requires_approval: self.finding.is_some(),
            ..Analysis::new(
                plan.path().to_owned(),
                (plan.judged, plan.analysis.since_head),
                plan.analysis.exists,
                Some(before),
                plan.new_content(),
            )
        };
        let lost = analysis.deleted_content.as_deref();
        Question {
            whole: measure::unified_preview(before, after, &name, &name, usize::MAX),
            word: approval::word(lost.unwrap_or_default().as_bytes(), plan.path(), &id),
            analysis,
            strategy,
            extension: plan.extension.clone(),
            others,
            problem: None,
            finding: self.finding.clone(),
        }
    }
}
