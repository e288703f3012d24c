//! What a decision leaves behind: a record in the log, and an approval that the next commit may use, signed if the
//! person has a key.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};

use gix::bstr::{BStr, BString};
use serde_json::{Map, Value};

use super::log::record;
use super::signer::{Signer, TERMINAL};
use super::store::{HELD, HeldChange, Store, facts_of, now, unreadable};
use super::{Failure, FailureKind, GateResult, Log, check_is_here, designs};
use crate::approve::{self, Approval};
use crate::boundary::Boundary;
use crate::change::Change;
use crate::git::Repository;
use crate::path::escaped;
use crate::policy::DesignVersion;
use crate::scope::settings::MAX_SIZE;

/// 128 unique bits: the keys of the standard hasher are random and differ for each state.
pub fn new_id() -> String {
    let half = || RandomState::new().build_hasher().finish();
    format!("{:016x}{:016x}", half(), half())
}

/// An approval without its change.
#[derive(Debug, Clone)]
pub struct Consent {
    /// The reason, never empty.
    pub reason: String,
    /// The governing design.
    pub design: Option<BString>,
    /// How it came, such as [`TERMINAL`].
    pub how: &'static str,
    /// Signs it, if set.
    pub signer: Option<Signer>,
}

impl Consent {
    /// The approval of `change`, signed if there is a signer; not stored yet.
    ///
    /// # Errors
    /// Signing failed, so there is no approval.
    pub fn to(&self, repo: &Repository, change: &Change) -> GateResult<Approval> {
        let (old, new) = approve::sides(change);
        let when = now();
        let signed_by = self.signer.as_ref().map(|signer| signer.who.clone());
        let mut approval = Approval {
            id: new_id(),
            path: change.path.clone(),
            old,
            new,
            design: self.design.clone(),
            who: signed_by.unwrap_or_else(|| user(repo)),
            when,
            how: self.how.to_owned(),
            reason: self.reason.clone(),
            expires: when.saturating_add_unsigned(crate::scope::settings::EXPIRY),
            signature: None,
        };
        if let Some(signer) = &self.signer {
            approval.signature = Some(signer.sign(&approval.payload())?);
        }
        Ok(approval)
    }
}

/// Records an approval with the designs in force, and stores it until the change is committed. `about` are further
/// facts for the record.
///
/// # Errors
/// The log or the store cannot be written, so there is no approval.
pub fn keep(
    repo: &Repository,
    approval: &Approval,
    designs: &[DesignVersion],
    about: impl IntoIterator<Item = (String, Value)>,
) -> GateResult<()> {
    let facts = facts_of(approval).into_iter().chain(about);
    record_decision(repo, "approved", facts, Some(designs))?;
    Store::of(repo).add(approval).map_err(|error| {
        Failure::new(
            FailureKind::Record,
            format!("the approval cannot be stored: {error}"),
        )
        .help("nothing was written; the git directory must be writable and have space")
    })
}

/// Records what a person decided.
pub(super) fn record_decision(
    repo: &Repository,
    event: &str,
    facts: impl IntoIterator<Item = (String, Value)>,
    designs: Option<&[DesignVersion]>,
) -> GateResult<()> {
    let mut facts: Map<String, Value> = facts.into_iter().collect();
    facts.insert("who".into(), user(repo).into());
    if let Some(versions) = designs {
        designs::name(&mut facts, versions);
    }
    record(&Log::of(repo), event, facts).map(drop)
}

/// What a decision about a step of a path is about.
pub(super) fn facts_of_step(
    path: &BStr,
    (old, new): (Option<String>, Option<String>),
    how: &str,
    reason: &str,
) -> Map<String, Value> {
    let facts = serde_json::json!({
        "path": path.to_string(), "old": old, "new": new, "how": how, "reason": reason,
    });
    facts.as_object().cloned().unwrap_or_default()
}

/// The held changes of all work trees.
///
/// # Errors
/// The store cannot be read.
pub fn pending(repo: &Repository) -> GateResult<Vec<HeldChange>> {
    let held = Store::of(repo).held(now());
    held.map_err(|error| unreadable(&error))
}

/// A held change, and the current content of its path.
///
/// # Errors
/// There is no such change, or the file has changed since.
pub fn held_change(repo: &Repository, id: &str) -> GateResult<(HeldChange, Vec<u8>)> {
    let change = load_here(repo, id, "--show")?;
    let there = Boundary::open(repo.workdir()?)?.read(BStr::new(&change.path), MAX_SIZE)?;
    let digest = there
        .as_ref()
        .and_then(|entry| repo.blob_id(&entry.content));
    if digest.map(|digest| digest.to_string()) != change.old {
        return Err(outdated(&change));
    }
    Ok((change, there.map_or_else(Vec::new, |entry| entry.content)))
}

/// A held change of this work tree; `option` is that of the command to run in the other one.
pub(super) fn load_here(repo: &Repository, id: &str, option: &str) -> GateResult<HeldChange> {
    let change = load(repo, id)?;
    check_is_here(
        repo,
        &change.work_tree,
        &format!("the waiting change {id}"),
        format!("approve {id} {option}").trim_end(),
        &discard(id),
    )?;
    Ok(change)
}

fn load(repo: &Repository, id: &str) -> GateResult<HeldChange> {
    let change = Store::of(repo).load(id);
    let change = change.map_err(|error| unreadable(&error))?;
    change
        .filter(|change| now() < change.expires)
        .ok_or_else(|| {
            Failure::new(
                FailureKind::NotFound,
                format!("no change with the ID {} waits for approval", escaped(id)),
            )
            .help("guard approve lists the changes that wait for approval")
        })
}

/// The file of a held change is not as it was.
pub(super) fn outdated(change: &HeldChange) -> Failure {
    let (id, path) = (change.id(), escaped(&change.path));
    Failure::new(
        FailureKind::Stale,
        format!("{path} has changed since {id} began to wait for approval"),
    )
    .help(format!("{}; then make the change again", discard(&id)))
}

/// The next step for a held change that no longer applies.
fn discard(id: &str) -> String {
    format!("discard it: guard approve {id} --reject")
}

/// Discards a held change of any work tree.
///
/// # Errors
/// There is no such change, or the decision cannot be recorded.
pub fn reject(repo: &Repository, id: &str, reason: &str) -> GateResult<HeldChange> {
    let change = load(repo, id)?;
    let sides = (change.old.clone(), change.new.clone());
    let mut facts = facts_of_step(BStr::new(&change.path), sides, TERMINAL, reason);
    facts.insert(HELD.into(), id.into());
    if change.work_tree != repo.work_tree() {
        facts.insert("worktree".into(), change.work_tree.name().into());
    }
    record_decision(repo, "rejected", facts, None)?;
    forget(repo, id)?;
    Ok(change)
}

/// Removes a held change after the decision is recorded.
pub(super) fn forget(repo: &Repository, id: &str) -> GateResult<()> {
    Store::of(repo).remove(id).map_err(|error| {
        Failure::new(
            FailureKind::Io,
            format!("the rejection is recorded, but the waiting change cannot be removed: {error}"),
        )
        .help(format!("try again: guard approve {id} --reject"))
    })
}

/// Removes and records the approvals that these committed changes have used.
///
/// # Errors
/// The store or the log cannot be read or written.
pub fn consume(repo: &Repository, landed: &[Change]) -> GateResult<usize> {
    let is_used = |approval: &Approval| landed.iter().any(|change| approval.is_landed_by(change));
    let used = Store::of(repo).use_up(&Log::of(repo), now(), is_used);
    let used = used.map_err(|error| unreadable(&error))?;
    for approval in &used {
        let mut facts = facts_of(approval);
        facts.retain(|key, _| !["expires", "signed"].contains(&key.as_str()));
        record_decision(repo, "consumed", facts, None)?;
    }
    Ok(used.len())
}

/// The user's identity in git.
fn user(repo: &Repository) -> String {
    let user = repo.signature();
    format!("{} <{}>", user.name, user.email)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_differ() {
        let ids: std::collections::HashSet<String> = (0..1000).map(|_| new_id()).collect();
        assert_eq!(ids.len(), 1000);
        assert!(ids.iter().all(|id| id.len() == 32));
    }
}
