//! The faults of designs as warnings: of those in force, and of those that the change touches.

use std::sync::Arc;

use gix::bstr::BStr;

use super::facts::JudgementFacts;
use write_guard_policy::change::Change;
use write_guard_policy::design::{self, Design};
use write_guard_policy::error::Result;
use write_guard_policy::finding::{Finding, Level, Rule};
use write_guard_policy::policy::{self, Policy, Stage};

/// The faults of the designs in force, and of those that a commit or a range touches: of these in the new version.
///
/// # Errors
/// A document cannot be read.
pub(super) fn document_faults(facts: &JudgementFacts<'_>, policy: &Policy) -> Result<Vec<Finding>> {
    let touched = touched_designs(facts, policy)?;
    let mut all = Vec::new();
    for governing in &policy.designs {
        let design = &governing.design;
        if touched.iter().all(|new| new.path != design.path) {
            all.extend(faults_of(design));
        }
    }
    for design in touched {
        let group = policy::group_of(&policy.settings, design.path.as_ref());
        // Most documents of a directory declare nothing.
        if group.is_some() && !design.is_usable() && design.declares_nothing() {
            continue;
        }
        let text: Arc<str> = design.text.as_str().into();
        for fault in faults_of(&design) {
            all.push(Finding {
                text: Some(Arc::clone(&text)),
                ..fault
            });
        }
    }
    Ok(all)
}

/// The faults of the designs in force alone.
pub(super) fn faults_in_force(policy: &Policy) -> Vec<Finding> {
    let designs = policy.designs.iter();
    designs
        .flat_map(|governing| faults_of(&governing.design))
        .collect()
}

/// What cannot be read grants nothing; guard only warns about it.
fn faults_of(design: &Design) -> Vec<Finding> {
    let mut faults = design.findings();
    faults.retain(|finding| finding.rule != Rule::DesignDuplicate);
    for finding in &mut faults {
        finding.level = Level::Warning;
    }
    faults
}

fn touched_designs(facts: &JudgementFacts<'_>, policy: &Policy) -> Result<Vec<Design>> {
    let mut touched = Vec::new();
    // A request has no new version yet, and the range of a step tells of its end.
    if !matches!(facts.stage, Stage::Commit | Stage::Range) {
        return Ok(touched);
    }
    for change in &facts.changes {
        let path: &BStr = change.path.as_ref();
        if policy::is_design(&policy.settings, path)
            && has_other_text(facts, policy, change)?
            && let Some(text) = facts.result.read(path)?
        {
            touched.push(design::parse(path, &text, &policy.settings));
        }
    }
    Ok(touched)
}

/// Whether the change leaves a text there that is new, not one that it only moves.
fn has_other_text(facts: &JudgementFacts<'_>, policy: &Policy, change: &Change) -> Result<bool> {
    let Some(new) = change.new.filter(|new| new.kind.is_file()) else {
        return Ok(false);
    };
    let mut moved = policy.moved_designs.iter();
    let old = match moved.find(|(_, to)| *to == change.path) {
        Some((from, _)) => facts.base.tree.get(from.as_ref())?,
        None => change.old,
    };
    Ok(old.is_none_or(|old| old.id != new.id))
}
