//! Judging changes that are in memory only, by a loaded policy, as a commit would be judged that makes them.

use std::collections::HashSet;

use gix::bstr::BStr;
use gix::hash::Kind as HashKind;

use super::document_faults::faults_in_force;
use super::facts::old_state;
use super::measured_changes::Judge;
use super::merge_commits::MergedContents;
use super::pipeline::Judged;
use super::policy_loader::moved_designs;
use crate::approvals::CommitApprovals;
use write_guard_policy::change::{Change, ProposedChange, State};
use write_guard_policy::design;
use write_guard_policy::error::{Error, Result};
use write_guard_policy::measure::Precision;
use write_guard_policy::path::escaped;
use write_guard_policy::policy::{Policy, Stage};
use write_guard_policy::scope::settings::{self, Settings};
use write_guard_policy::verdict::{RowSuggestions, Source, SourceKind, Verdict};
use write_guard_repo::{Blobs, Objects, Tree, state_of, tree_of_changes};

/// The state of a file with this content, which `blobs` then hold; `None` without one.
fn state_in(blobs: &mut Blobs, content: Option<&[u8]>) -> Result<Option<State>> {
    content
        .map(|content| state_of(blobs, HashKind::Sha1, content))
        .transpose()
}

/// Judges what a commit would bring whose changes are these. Nothing is known of other files, of the merge base or of
/// approvals.
///
/// # Errors
/// Two changes have the same path, or neither side is there.
pub fn in_memory(policy: &Policy, proposed: &[ProposedChange]) -> Result<Verdict> {
    let mut blobs = Blobs::new();
    let mut changes = Vec::new();
    for ProposedChange { path, old, new } in proposed {
        let before = state_in(&mut blobs, old.as_deref())?;
        let after = state_in(&mut blobs, new.as_deref())?;
        if before != after {
            changes.push(Change::new(path.clone(), before, after));
        }
    }
    changes.sort_by(|a, b| a.path.cmp(&b.path));
    if let Some(twice) = changes.windows(2).find(|pair| pair[0].path == pair[1].path) {
        let path = escaped(&twice[0].path);
        return Err(Error::new(format!("{path} changes twice"))
            .help("pass one change, from the first content to the last"));
    }
    let (objects, result) = tree_of_changes(&Objects::in_memory(blobs), &changes)?;
    let result = Tree::at(&objects, result);
    let policy = proposing(policy, &result, &changes)?;
    let judge = Judge {
        objects: &objects,
        policy: &policy,
        base: None,
        result: &result,
        precision: Precision::Exact,
        earlier: &|| Ok(Vec::new()),
        merge_base: &|path| Ok(old_state(&changes, path)),
    };
    let measured = judge.measure(&changes, &MergedContents::default())?;
    let mut findings = judge.check(&measured, &[])?;
    findings.extend(faults_in_force(&policy));
    let source = Source {
        kind: SourceKind::Request,
        ..Source::default()
    };
    let judged = Judged {
        objects,
        source,
        policy,
        changes: measured,
        findings,
        commit_approvals: CommitApprovals::default(),
        approved: HashSet::new(),
        suggestions: RowSuggestions::default(),
        review: None,
    };
    judged.verdict()
}

/// The policy with what the changes make of the designs and of `guard.toml`.
fn proposing(policy: &Policy, tree: &Tree<'_>, changes: &[Change]) -> Result<Policy> {
    let settings: &Settings = &policy.settings;
    let mut designs = policy.designs.clone();
    for governing in &mut designs {
        let path: &BStr = governing.design.path.as_ref();
        if let Some(new) = tree.read(path)? {
            governing.proposed = Some(design::parse(path, &new, settings));
        }
    }
    let proposing = Policy {
        stage: Stage::Commit,
        broken_settings: tree
            .read(settings::FILE.into())?
            .and_then(|text| settings::parse(&text).err())
            .map(|error| error.message),
        moved_designs: moved_designs(settings, changes),
        ..policy.clone()
    };
    let proposing = proposing.with_designs(designs);
    match policy.scope {
        Some(_) => Ok(proposing),
        None => Ok(proposing.without_scope()),
    }
}
