//! What a decision leaves behind: a record in the log, and an approval that the next commit may use, signed if the
//! person has a key.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};

use gix::bstr::{BStr, BString};
use serde_json::{Map, Value};

use super::log::{members, now, record, versions};
use super::store::{HELD, HeldChange, Store, facts_of, unreadable};
use super::{Failure, FailureKind, GateResult, Log, check_is_here};
use crate::approve::{self, Approval};
use crate::boundary::Boundary;
use crate::change::Change;
use crate::git::Repository;
use crate::path::escaped;
use crate::policy::DesignVersion;
use crate::scope::settings::{EXPIRY, MAX_SIZE};
use crate::ssh_keygen::{SigningKey, SshKeygen};

/// A word typed at a terminal: how a decision came, as approvals and the log name it.
pub const TERMINAL: &str = "terminal";
/// The client of an MCP server says that a person decided.
pub(super) const ELICITATION: &str = "elicitation";

/// Signs approvals as the user of git.
#[derive(Debug, Clone)]
pub struct Signer {
    program: SshKeygen,
    key: SigningKey,
    /// The user's email address in git, which is the principal of allowed signers.
    who: String,
}

impl Signer {
    /// Finds the program and the user's address; runs nothing.
    ///
    /// # Errors
    /// `ssh-keygen` is missing, or git has no address for the user.
    pub fn new(repo: &Repository, key: SigningKey) -> GateResult<Signer> {
        let who = repo.signature().email.to_string();
        if who.is_empty() {
            return Err(not_signed("git has no email address for you")
                .help("set one: git config --global user.email you@example.org"));
        }
        let program = SshKeygen::find().map_err(|error| not_signed(&error.message))?;
        Ok(Signer { program, key, who })
    }

    /// The signature of a text, as base64 on one line. `ssh-keygen` may ask at the terminal.
    fn sign(&self, text: &str) -> GateResult<String> {
        let signed = self.program.sign(&self.key, text);
        let signed = signed.map_err(|error| not_signed(&error.message))?;
        signed.ok_or_else(|| not_signed("ssh-keygen did not sign"))
    }
}

fn not_signed(why: &str) -> Failure {
    let message = format!("nothing was approved: {why}");
    Failure::new(FailureKind::NotSigned, message)
        .help("name another key: --sign KEY")
        .help("or approve without a signature, valid only in this clone: --no-sign")
}

/// 128 unique bits: the keys of the standard hasher are random and differ for each state.
pub fn new_id() -> String {
    let half = || RandomState::new().build_hasher().finish();
    format!("{:016x}{:016x}", half(), half())
}

/// A person's decision to approve, whatever it is about.
#[derive(Debug, Clone)]
pub struct Consent {
    /// The reason, never empty.
    pub reason: String,
    /// How it came, such as [`TERMINAL`].
    pub how: &'static str,
    /// Signs it, if set.
    pub signer: Option<Signer>,
}

impl Consent {
    /// The approval of `change` under a design, signed if there is a signer; not stored yet.
    ///
    /// # Errors
    /// Signing failed, so there is no approval.
    pub fn to(
        &self,
        repo: &Repository,
        change: &Change,
        design: Option<BString>,
    ) -> GateResult<Approval> {
        let (old, new) = approve::sides(change);
        let when = now();
        let signed_by = self.signer.as_ref().map(|signer| signer.who.clone());
        let mut approval = Approval {
            id: new_id(),
            path: change.path.clone(),
            old,
            new,
            design,
            who: signed_by.unwrap_or_else(|| user(repo)),
            when,
            how: self.how.to_owned(),
            reason: self.reason.clone(),
            expires: when.saturating_add_unsigned(EXPIRY),
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
    about: Map<String, Value>,
) -> GateResult<()> {
    let facts = facts_of(approval).into_iter().chain(about);
    record_decision(repo, "approved", facts, Some(designs))?;
    Store::of(repo).add(approval).map_err(|error| {
        let message = format!("the approval cannot be stored: {error}");
        Failure::new(FailureKind::Record, message)
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
    let more = [
        ("who", Some(user(repo).into())),
        ("designs", designs.map(versions)),
    ];
    let facts = facts.into_iter().chain(members(more));
    record(&Log::of(repo), event, facts.collect()).map(drop)
}

/// What a decision about a step of a path is about.
pub(super) fn facts_of_step(
    path: &BStr,
    (old, new): (Option<String>, Option<String>),
    how: &str,
    reason: &str,
) -> Map<String, Value> {
    members([
        ("path", Some(path.to_string().into())),
        ("old", Some(old.into())),
        ("new", Some(new.into())),
        ("how", Some(how.into())),
        ("reason", Some(reason.into())),
    ])
}

/// The held changes of all work trees.
///
/// # Errors
/// The store cannot be read.
pub fn pending(repo: &Repository) -> GateResult<Vec<HeldChange>> {
    Store::of(repo).held(now()).map_err(unreadable)
}

/// A held change, and the current content of its path.
///
/// # Errors
/// There is no such change, or the file has changed since.
pub fn held_change(repo: &Repository, id: &str) -> GateResult<(HeldChange, Vec<u8>)> {
    let change = load_here(repo, id, "--show")?;
    let there = Boundary::open(repo.workdir()?)?.read(BStr::new(&change.path), MAX_SIZE)?;
    let content = there.map(|entry| entry.content);
    let digest = content
        .as_ref()
        .map(|content| repo.blob_id(content))
        .transpose()?;
    match digest.map(|digest| digest.to_string()) == change.old {
        true => Ok((change, content.unwrap_or_default())),
        false => Err(outdated(&change)),
    }
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
    let change = Store::of(repo).load(id).map_err(unreadable)?;
    let waiting = change.filter(|change| now() < change.expires);
    waiting.ok_or_else(|| {
        let message = format!("no change with the ID {} waits for approval", escaped(id));
        Failure::new(FailureKind::NotFound, message)
            .help("guard approve lists the changes that wait for approval")
    })
}

/// The file of a held change is not as it was.
pub(super) fn outdated(change: &HeldChange) -> Failure {
    let (id, path) = (change.id(), escaped(&change.path));
    let message = format!("{path} has changed since {id} began to wait for approval");
    Failure::new(FailureKind::Stale, message)
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
        let message =
            format!("the rejection is recorded, but the waiting change cannot be removed: {error}");
        Failure::new(FailureKind::Io, message)
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
    let used = used.map_err(unreadable)?;
    for approval in &used {
        record_decision(repo, "consumed", facts_of(approval), None)?;
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
