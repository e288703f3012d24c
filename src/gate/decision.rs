//! A person's decision about a change, always in this order: show, ask, check for changes, record, write.

use gix::bstr::{BStr, BString};
use serde_json::{Map, Value};

use std::fs::File;

use super::approval_prompt::{ApprovalPrompt, Question};
use super::decision_method::TERMINAL;
use super::held_status::HELD;
use super::perform::{Attempt, record};
use super::recorded_approvals::{now, on_record, unreadable};
use super::sign::{Signer, new_id};
use super::{
    CompletedOperation, Failure, FailureKind, Gate, GateResult, Held, HeldChange, Log, Operation,
    Store, Strategy, check_is_here, designs,
};
use crate::approval::{self, Approval};
use crate::boundary::Boundary;
use crate::git::Repository;
use crate::path::escaped;
use crate::policy::DesignVersion;

/// The answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// Approval with its reason, never empty.
    Approve(String),
    /// Rejection with its reason, possibly empty.
    Reject(String),
    /// Show and ask again with another strategy.
    Instead(Strategy),
    /// No answer: another word, an interrupt, a closed window.
    Nothing,
}

/// Shows the question and waits for the answer.
pub type Ask<'a> = &'a mut dyn FnMut(&Question) -> Answer;

impl Gate<'_> {
    /// Like [`Gate::perform`], but asks at once if a person must decide.
    ///
    /// # Errors
    /// As for [`Gate::perform`]; without approval nothing is written or held.
    pub fn perform_asking(
        &self,
        request: &BStr,
        operation: &Operation,
        ask: Ask<'_>,
    ) -> GateResult<CompletedOperation> {
        let alone = self.alone()?;
        let (plan, finding) = match self.attempt(request, operation)? {
            Attempt::Done(done) => return Ok(*done),
            Attempt::Needs(plan, finding) => (*plan, *finding),
        };
        // The question may stay open for long, so others may write meanwhile.
        drop(alone);
        let prompt = ApprovalPrompt {
            plan,
            held: None,
            may_choose: operation.strategy().is_some(),
            operation: operation.clone(),
            finding: Some(finding),
        };
        let (_alone, chosen) = self.decide(prompt, ask)?;
        self.execute(&chosen.plan, &chosen.operation)
    }

    /// Asks about a held change and, if approved, writes it.
    ///
    /// # Errors
    /// There is no such change, the file has changed since, another rule refuses, or it is not approved: then nothing
    /// is written. A rejected change is no longer held.
    pub fn approve(&self, id: &str, ask: Ask<'_>) -> GateResult<CompletedOperation> {
        let prompt = self.prompt(id)?;
        let decided = match &prompt.finding {
            Some(_) => self.decide(prompt, ask),
            // A change that destroys nothing any more needs no answer.
            None => self.alone().and_then(|alone| {
                self.note_approval(&prompt, "it needs none any more")?;
                Ok((alone, prompt))
            }),
        };
        if let Err(failure) = &decided
            && failure.kind == FailureKind::Rejected
        {
            forget(&self.held, id)?;
        }
        let (_alone, chosen) = decided?;
        let done = self.execute(&chosen.plan, &chosen.operation)?;
        // The file is written; leftovers in the store are stale and expire.
        let _ = self.held.remove(id);
        Ok(done)
    }

    /// The question that [`Gate::approve`] asks first.
    ///
    /// # Errors
    /// There is no such change, the file has changed since, or another rule refuses.
    pub fn question(&self, id: &str) -> GateResult<Question> {
        Ok(self.prompt(id)?.question(&self.repo.work_tree()))
    }

    fn prompt(&self, id: &str) -> GateResult<ApprovalPrompt> {
        let held = load(&self.held, id)?;
        check_is_held_here(self.repo, &held, "approve")?;
        let may_choose = held.strategy.as_deref() == Some(Strategy::Replace.name());
        let operation = held.to_operation();
        let (plan, finding) = self.prepare(held.path.as_ref(), &operation)?;
        let old = plan.old().map(|entry| entry.content.as_slice());
        let is_same = plan.path() == held.path
            && self.digest(old) == held.old
            && self.digest(plan.new_content()) == held.new;
        if !is_same {
            return Err(Failure::new(
                FailureKind::Stale,
                format!("{} has changed since {id} was held", escaped(&held.path)),
            )
            .help(format!("{}; then request the change again", discard(id))));
        }
        Ok(ApprovalPrompt {
            plan,
            operation,
            finding,
            held: Some(id.to_owned()),
            may_choose,
        })
    }

    /// Returns only after the approval is recorded and the content checked again, with the lock held.
    fn decide(
        &self,
        mut prompt: ApprovalPrompt,
        ask: Ask<'_>,
    ) -> GateResult<(File, ApprovalPrompt)> {
        let (old, new) = approval::sides(&prompt.plan.consent);
        let mut question = prompt.question(&self.repo.work_tree());
        let answer = loop {
            match ask(&question) {
                Answer::Instead(strategy) => match self.choose(&prompt, strategy) {
                    Ok(chosen) => {
                        prompt = chosen;
                        question = prompt.question(&self.repo.work_tree());
                    }
                    Err(failure) => question.problem = Some(failure),
                },
                answer => break answer,
            }
        };
        let plan = &prompt.plan;
        let path = escaped(plan.path());
        let reason = match answer {
            Answer::Approve(reason) => reason,
            Answer::Reject(reason) => {
                let mut facts = decision(self.repo, plan.path(), (old, new), self.how, &reason);
                facts.extend(about(&prompt));
                designs::name(&mut facts, &self.policy.design_versions());
                record(&self.log, "rejected", facts)?;
                return Err(Failure::new(
                    FailureKind::Rejected,
                    format!("{path} is unchanged: a person rejected the change: {reason}"),
                )
                .help("do not work around this; make a smaller change instead"));
            }
            Answer::Nothing | Answer::Instead(_) => {
                return Err(Failure::new(
                    FailureKind::NotApproved,
                    format!("{path} is unchanged: the change was not approved"),
                ));
            }
        };
        let design = self.policy.designs.first();
        let consent = Consent {
            reason,
            design: design.map(|governing| governing.design.path.clone()),
            how: self.how,
            signer: self.signer.clone(),
        };
        // A key may ask for a passphrase or a touch, which takes time, too.
        let approval = match &prompt.finding {
            Some(_) => Some(consent.to(self.repo, &plan.consent)?),
            // A change that destroys nothing needs none.
            None => None,
        };
        let alone = self.alone()?;
        let now = self
            .boundary
            .read(plan.path(), crate::policy::settings::MAX_SIZE)?;
        if now.map(|entry| entry.content) != plan.old().map(|entry| entry.content.clone()) {
            return Err(Failure::new(
                FailureKind::Stale,
                format!("{path} changed while guard waited for an answer; nothing was written"),
            )
            .help("review the change again"));
        }
        match &approval {
            Some(approval) => {
                let designs = self.policy.design_versions();
                keep_about(self.repo, approval, &designs, about(&prompt))?;
            }
            None => self.note_approval(&prompt, &consent.reason)?,
        }
        Ok((alone, prompt))
    }

    /// Records the approval of a change that needs none, so that nothing is stored.
    fn note_approval(&self, prompt: &ApprovalPrompt, reason: &str) -> GateResult<()> {
        let sides = approval::sides(&prompt.plan.consent);
        let mut facts = decision(self.repo, prompt.plan.path(), sides, self.how, reason);
        facts.extend(about(prompt));
        designs::name(&mut facts, &self.policy.design_versions());
        record(&self.log, "approved", facts)?;
        Ok(())
    }
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
    pub fn to(&self, repo: &Repository, change: &crate::change::Change) -> GateResult<Approval> {
        let (old, new) = approval::sides(change);
        let now = now();
        let signed_by = self.signer.as_ref().map(|signer| signer.who.clone());
        let mut approval = Approval {
            id: new_id(),
            path: change.path.clone(),
            old,
            new,
            design: self.design.clone(),
            who: signed_by.unwrap_or_else(|| who(repo)),
            when: now,
            how: self.how.to_owned(),
            reason: self.reason.clone(),
            expires: now.saturating_add_unsigned(crate::policy::settings::EXPIRY),
            signature: None,
        };
        if let Some(signer) = &self.signer {
            approval.signature = Some(signer.sign(&approval.payload())?);
        }
        Ok(approval)
    }
}

/// Records an approval with the designs in force, and stores it until the change is committed.
///
/// # Errors
/// The log or the store cannot be written, so there is no approval.
pub fn keep(repo: &Repository, approval: &Approval, designs: &[DesignVersion]) -> GateResult<()> {
    keep_about(repo, approval, designs, [])
}

/// The same, with further facts.
fn keep_about(
    repo: &Repository,
    approval: &Approval,
    designs: &[DesignVersion],
    about: impl IntoIterator<Item = (String, Value)>,
) -> GateResult<()> {
    let mut facts = of_approval(repo, approval);
    facts.insert("expires".into(), approval.expires.into());
    facts.insert("signed".into(), approval.signature.is_some().into());
    facts.extend(about);
    designs::name(&mut facts, designs);
    record(&Log::of(repo), "approved", facts)?;
    let store = Store::of(repo);
    store.add(approval).map_err(|error| {
        Failure::new(
            FailureKind::Record,
            format!("the approval cannot be stored: {error}"),
        )
        .help("nothing was written; the git directory must be writable and have space")
    })
}

/// The held changes of all work trees.
///
/// # Errors
/// The store cannot be read.
pub fn pending(repo: &Repository) -> GateResult<Vec<HeldChange>> {
    Held::new(repo.common_dir())
        .list(now())
        .map_err(|error| unreadable(&error))
}

/// A held change, and the current content of its path.
///
/// # Errors
/// There is no such change, or the file has changed since.
pub fn held_change(repo: &Repository, id: &str) -> GateResult<(HeldChange, Vec<u8>)> {
    let change = load(&Held::new(repo.common_dir()), id)?;
    check_is_held_here(repo, &change, "pending")?;
    let max = crate::policy::settings::MAX_SIZE;
    let boundary = Boundary::open(repo.workdir()?)?;
    let there = boundary.read(change.path.as_ref(), max)?;
    let digest = there
        .as_ref()
        .and_then(|entry| repo.blob_id(&entry.content));
    if digest.map(|digest| digest.to_string()) != change.old {
        return Err(Failure::new(
            FailureKind::Stale,
            format!("{} has changed since {id} was held", escaped(&change.path)),
        )
        .help(discard(id)));
    }
    Ok((change, there.map_or_else(Vec::new, |entry| entry.content)))
}

fn check_is_held_here(repo: &Repository, change: &HeldChange, verb: &str) -> GateResult<()> {
    let id = change.id();
    check_is_here(
        repo,
        &change.work_tree,
        &format!("the held change {id}"),
        &format!("{verb} {id}"),
        &discard(&id),
    )
}

/// The next step for a held change that no longer applies.
fn discard(id: &str) -> String {
    format!("discard it: guard reject {id}")
}

/// Discards a held change of any work tree.
///
/// # Errors
/// There is no such change, or the decision cannot be recorded.
pub fn reject(repo: &Repository, id: &str, reason: &str) -> GateResult<HeldChange> {
    let held = Held::new(repo.common_dir());
    let change = load(&held, id)?;
    let sides = (change.old.clone(), change.new.clone());
    let mut facts = decision(repo, change.path.as_ref(), sides, TERMINAL, reason);
    facts.extend(decided(Some(id)));
    if change.work_tree != repo.work_tree() {
        facts.insert("worktree".into(), change.work_tree.name().into());
    }
    record(&Log::of(repo), "rejected", facts)?;
    forget(&held, id)?;
    Ok(change)
}

/// Removes and records the approvals that these committed changes have used.
///
/// # Errors
/// The store or the log cannot be read or written.
pub fn consume(repo: &Repository, landed: &[crate::change::Change]) -> GateResult<usize> {
    let is_used = |approval: &Approval| landed.iter().any(|change| approval.is_landed_by(change));
    let used = Store::of(repo)
        .consume(now(), is_used)
        .map_err(|error| unreadable(&error))?;
    let log = Log::of(repo);
    let used = on_record(&log, used).map_err(|error| unreadable(&error))?;
    for approval in &used {
        record(&log, "consumed", of_approval(repo, approval))?;
    }
    Ok(used.len())
}

fn load(held: &Held, id: &str) -> GateResult<HeldChange> {
    let change = held.load(id).map_err(|error| unreadable(&error))?;
    change
        .filter(|change| now() < change.expires)
        .ok_or_else(|| {
            Failure::new(
                FailureKind::NotFound,
                format!("no held change has the ID {}", escaped(id)),
            )
            .help("guard pending lists held changes")
        })
}

/// Call only after the decision is recorded.
fn forget(held: &Held, id: &str) -> GateResult<()> {
    held.remove(id).map_err(|error| {
        Failure::new(
            FailureKind::Io,
            format!("the rejection is recorded, but the held change cannot be removed: {error}"),
        )
        .help(format!("try again: guard reject {id}"))
    })
}

/// What the records of an approval have in common.
fn of_approval(repo: &Repository, approval: &Approval) -> Map<String, Value> {
    let sides = (approval.old.clone(), approval.new.clone());
    let (path, how) = (approval.path.as_ref(), &approval.how);
    let mut facts = decision(repo, path, sides, how, &approval.reason);
    facts.insert("id".into(), approval.id.clone().into());
    facts
}

fn decision(
    repo: &Repository,
    path: &BStr,
    (old, new): (Option<String>, Option<String>),
    how: &str,
    reason: &str,
) -> Map<String, Value> {
    let mut facts = Map::new();
    facts.insert("path".into(), path.to_string().into());
    facts.insert("old".into(), old.into());
    facts.insert("new".into(), new.into());
    facts.insert("who".into(), who(repo).into());
    facts.insert("how".into(), how.into());
    facts.insert("reason".into(), reason.into());
    facts
}

/// What a decision is about: the held change, if it is one, and the strategy that the person chose or kept.
fn about(prompt: &ApprovalPrompt) -> impl Iterator<Item = (String, Value)> {
    let strategy = prompt.operation.strategy().map(Strategy::name);
    let strategy = strategy.map(|name| ("strategy".to_owned(), name.into()));
    decided(prompt.held.as_deref()).into_iter().chain(strategy)
}

/// The fact that names the held change of a decision.
fn decided(held: Option<&str>) -> Option<(String, Value)> {
    held.map(|id| (HELD.to_owned(), id.into()))
}

/// The user's identity in git.
fn who(repo: &Repository) -> String {
    let user = repo.signature();
    format!("{} <{}>", user.name, user.email)
}
