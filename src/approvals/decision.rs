//! A person's decision about a change, always in this order: show, ask, check for changes, record, write. It leaves a
//! record in the log and, for what destroys something, an approval that the next commit may use, signed if the person
//! has a key.

use gix::bstr::{BStr, BString};
use serde_json::{Map, Value};

use super::signer::{Signer, TERMINAL};
use super::store::{HELD, HeldChange, Store, facts_of, unreadable};
use crate::files::{
    ABSENT, Effect, Extension, Failure, FailureKind, Gate, GateResult, Log, Operation, Strategy,
    alone, can_extend, members, now, record, versions,
};
use crate::report::{Style, push_change};
use write_guard_policy::approve::{self, Approval};
use write_guard_policy::change::Change;
use write_guard_policy::error::{Error, Result};
use write_guard_policy::path::escaped;
use write_guard_policy::policy::DesignVersion;
use write_guard_policy::scope::settings::{EXPIRY, MAX_SIZE};
use write_guard_repo::Repository;

/// What to ask the person about.
#[derive(Debug, Clone)]
pub struct Question {
    /// What would happen. It has no finding if the chosen strategy destroys nothing.
    pub effect: Effect,
    /// The preview, and what would be lost.
    shown: (String, String),
    /// The word to type for approval.
    pub word: String,
    /// Why the last chosen strategy is impossible.
    pub problem: Option<Failure>,
    /// Whether it writes the whole proposed content, for which other strategies make sense.
    may_combine: bool,
    /// The ID of the change, if it is held.
    held: Option<String>,
}

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

impl Question {
    pub(crate) fn new(effect: Effect, may_combine: bool, held: Option<String>) -> Question {
        let shown = effect.shown();
        let id = effect.digest.as_deref().or(effect.old_digest.as_deref());
        let id = id.and_then(|id| id.get(..12)).unwrap_or("yes");
        Question {
            word: approve::word(shown.1.as_bytes(), effect.path.as_ref(), id),
            effect,
            shown,
            problem: None,
            may_combine,
            held,
        }
    }

    /// How the content would be combined with the existing file.
    pub fn strategy(&self) -> Option<Strategy> {
        self.effect.operation.strategy()
    }

    /// The other strategies to choose from, as a person types them.
    pub fn others(&self) -> Vec<&'static str> {
        let Some(own) = self.strategy() else {
            return Vec::new();
        };
        if !self.may_combine || !self.effect.existed() {
            return Vec::new();
        }
        let mut others = vec!["replace", "append", "insert LINE"];
        others.extend(can_extend(self.effect.path.as_ref()).then_some("extend"));
        others.retain(|other| !other.starts_with(own.name()));
        others
    }

    /// What the person reads: why guard asks, what would happen and what would be lost.
    pub fn text(&self, style: &Style) -> String {
        let mut lines = Vec::new();
        if let Some(problem) = &self.problem {
            let help: Vec<&str> = problem.help.iter().map(|line| &**line).collect();
            lines.push(format!("\nguard: {}: {}", problem.message, help.join("; ")));
        }
        let effect = &self.effect;
        match (&effect.finding, self.strategy()) {
            (Some(finding), _) => lines.push(format!("guard: {}", finding.message)),
            (None, Some(way)) => lines.push(format!(
                "guard: with {}, {} loses nothing that needs approval",
                way.name(),
                escaped(&effect.path)
            )),
            (None, None) => {}
        }
        lines.extend(effect.extension.iter().flat_map(Extension::lines));
        let mut text: String = lines.into_iter().map(|line| line + "\n").collect();
        let (preview, lost) = &self.shown;
        push_change(&mut text, preview, lost, style);
        text
    }

    /// What a decision is about: the held change, if it is one, and the strategy that the person chose or kept.
    fn about(&self) -> Map<String, Value> {
        members([
            (HELD, self.held.clone().map(Value::from)),
            ("strategy", self.strategy().map(|way| way.name().into())),
        ])
    }
}

impl Gate<'_> {
    /// Asks about a held change and, if approved, writes it.
    ///
    /// # Errors
    /// There is no such change, the file has changed since, another rule refuses, or it is not approved: then nothing
    /// is written. A rejected change is no longer held.
    pub fn approve(&self, id: &str, ask: Ask<'_>) -> GateResult<Effect> {
        let held = held_change(self.repo, id)?;
        let effect = self.prepare(BStr::new(&held.path), &held.to_operation(), None)?;
        if effect.path != held.path.as_str()
            || (&effect.old_digest, &effect.digest) != (&held.old, &held.new)
        {
            return Err(outdated(&held));
        }
        let is_whole = held.strategy.as_deref() == Some(Strategy::Replace.name());
        let question = Question::new(effect, is_whole, Some(id.to_owned()));
        let decided = self.decide(question, ask);
        let is_over = |failure: &Failure| failure.kind == FailureKind::Rejected;
        if decided.as_ref().err().is_none_or(is_over) {
            // It is decided and recorded; leftovers in the store are stale and expire.
            let _ = self.store.remove(id);
        }
        decided
    }

    /// Asks about a change and performs it, after the approval is recorded and the content checked again, with the lock
    /// held.
    pub(crate) fn decide(&self, mut question: Question, ask: Ask<'_>) -> GateResult<Effect> {
        // A rejection is of the change that was asked for, whatever else was tried.
        let asked_for = approve::sides(&question.effect.consent);
        let answer = loop {
            match (ask(&question), &question.effect.operation) {
                (Answer::Instead(strategy), Operation::Write { content, .. })
                    if question.may_combine =>
                {
                    let content = content.clone();
                    let write = Operation::Write { content, strategy };
                    let path = question.effect.path.as_ref();
                    let expected = question.effect.old_digest.as_deref().unwrap_or(ABSENT);
                    match self.plan(path, &write, Some(expected)) {
                        Ok(other) => question = Question::new(other, true, question.held),
                        Err(failure) => question.problem = Some(failure),
                    }
                }
                (answer, _) => break answer,
            }
        };
        let effect = &question.effect;
        let path = escaped(&effect.path);
        let reason = match answer {
            Answer::Approve(reason) => reason,
            Answer::Reject(reason) => {
                self.note(&question, asked_for, "rejected", &reason)?;
                let message =
                    format!("{path} is unchanged: a person rejected the change: {reason}");
                return Err(Failure::new(FailureKind::Rejected, message)
                    .help("do not work around this; make a smaller change instead"));
            }
            Answer::Nothing | Answer::Instead(_) => {
                let message = format!("{path} is unchanged: the change was not approved");
                return Err(Failure::new(FailureKind::NotApproved, message));
            }
        };
        // A key may ask for a passphrase or a touch, which takes time, too. What destroys nothing needs no approval.
        let approvals = match effect.finding {
            Some(_) => self.approvals_of(effect, &reason)?,
            None => Vec::new(),
        };
        let _alone = alone(self.repo)?;
        let now = self.boundary.read(effect.path.as_ref(), MAX_SIZE)?;
        if now.as_ref().map(|entry| entry.content.as_slice()) != effect.old_content() {
            let message =
                format!("{path} changed while guard waited for an answer; nothing was written");
            return Err(Failure::new(FailureKind::Stale, message).help("review the change again"));
        }
        for approval in &approvals {
            let designs = self.policy.design_versions();
            keep(self.repo, approval, &designs, question.about())?;
        }
        if approvals.is_empty() {
            let sides = approve::sides(&effect.consent);
            self.note(&question, sides, "approved", &reason)?;
        }
        self.execute(question.effect)
    }

    /// The approvals of a write: of the step on disk, and of that of the next commit.
    fn approvals_of(&self, effect: &Effect, reason: &str) -> GateResult<Vec<Approval>> {
        let design = self.policy.designs.first();
        let design = design.map(|governing| governing.design.path.clone());
        let decision = (self.how, reason);
        let signer = self.signer.as_ref();
        let steps = [Some(&effect.consent), effect.consent_to_commit.as_ref()];
        let steps = steps.into_iter().flatten();
        let approvals =
            steps.map(|step| new_approval(self.repo, step, design.clone(), decision, signer));
        approvals.collect()
    }

    /// Records a decision that leaves no approval.
    fn note(
        &self,
        question: &Question,
        sides: (Option<String>, Option<String>),
        event: &str,
        reason: &str,
    ) -> GateResult<()> {
        let path = question.effect.path.to_string();
        let mut facts = facts_of_step(path, sides, self.how, reason);
        facts.extend(question.about());
        let designs = self.policy.design_versions();
        record_decision(self.repo, event, facts, Some(&designs))
    }
}

/// 128 random bits.
///
/// # Errors
/// The system has no random bits.
pub fn new_id() -> Result<String> {
    let mut id = [0; 16];
    getrandom::fill(&mut id).map_err(|error| {
        Error::new(format!(
            "the system gives no random bits for an id: {error}"
        ))
    })?;
    Ok(format!("{:032x}", u128::from_ne_bytes(id)))
}

/// The approval of `change` under a design, signed if there is a signer; not stored yet. `how` says how the decision
/// came, such as [`TERMINAL`].
///
/// # Errors
/// Signing failed, so there is no approval.
pub fn new_approval(
    repo: &Repository,
    change: &Change,
    design: Option<BString>,
    (how, reason): (&str, &str),
    signer: Option<&Signer>,
) -> GateResult<Approval> {
    let (old, new) = approve::sides(change);
    let when = now();
    let mut approval = Approval {
        id: new_id()?,
        path: change.path.clone(),
        old,
        new,
        design: design.map(|design| design.to_string()),
        who: signer.map_or_else(|| user(repo), |signer| signer.who.clone()),
        when,
        how: how.to_owned(),
        reason: reason.to_owned(),
        expires: when.saturating_add_unsigned(EXPIRY),
        signature: None,
    };
    if let Some(signer) = signer {
        approval.signature = Some(signer.sign(&approval.payload())?);
    }
    Ok(approval)
}

/// Records an approval with the designs in force, which a commit may use. `about` are further facts for the record.
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
fn record_decision(
    repo: &Repository,
    event: &str,
    facts: impl IntoIterator<Item = (String, Value)>,
    designs: Option<&[DesignVersion]>,
) -> GateResult<()> {
    let mut all = members([("who", Some(user(repo).into()))]);
    all.extend(facts);
    all.extend(members([("designs", designs.map(versions))]));
    record(&Log::of(repo), event, all).map(drop)
}

/// What a decision about a step of a path says that leaves no approval.
fn facts_of_step(
    path: String,
    (old, new): (Option<String>, Option<String>),
    how: &str,
    reason: &str,
) -> Map<String, Value> {
    members([
        ("path", Some(path.into())),
        ("old", Some(old.into())),
        ("new", Some(new.into())),
        ("how", Some(how.into())),
        ("reason", Some(reason.into())),
    ])
}

/// The held changes of this work tree.
///
/// # Errors
/// The store cannot be read.
pub fn pending(repo: &Repository) -> GateResult<Vec<HeldChange>> {
    Store::of(repo).held(now()).map_err(unreadable)
}

/// A held change of this work tree.
///
/// # Errors
/// There is no such change.
pub fn held_change(repo: &Repository, id: &str) -> GateResult<HeldChange> {
    let change = Store::of(repo).load(id).map_err(unreadable)?;
    let waiting = change.filter(|change| now() < change.expires);
    waiting.ok_or_else(|| {
        let message = format!(
            "no change with the ID {} waits for approval here",
            escaped(id)
        );
        Failure::new(FailureKind::NotFound, message)
            .help("guard approve lists the changes that wait for approval in this work tree")
    })
}

/// The file of a held change is not as it was.
fn outdated(change: &HeldChange) -> Failure {
    let id = &change.id;
    let path = escaped(&change.path);
    let message = format!("{path} has changed since {id} began to wait for approval");
    let help = format!("discard it: guard approve {id} --reject; then make the change again");
    Failure::new(FailureKind::Stale, message).help(help)
}

/// Discards a held change.
///
/// # Errors
/// There is no such change, or the decision cannot be recorded.
pub fn reject(repo: &Repository, id: &str, reason: &str) -> GateResult<HeldChange> {
    let change = held_change(repo, id)?;
    let sides = (change.old.clone(), change.new.clone());
    let mut facts = facts_of_step(change.path.clone(), sides, TERMINAL, reason);
    facts.insert(HELD.into(), id.into());
    record_decision(repo, "rejected", facts, None)?;
    Store::of(repo).remove(id).map_err(unreadable)?;
    Ok(change)
}

/// Removes and records the approvals that these committed changes have used.
///
/// # Errors
/// The store or the log cannot be read or written.
pub fn consume(repo: &Repository, landed: &[Change]) -> GateResult<usize> {
    let is_used = |approval: &Approval| landed.iter().any(|change| approval.is_landed_by(change));
    let used = Store::of(repo).use_up(now(), is_used).map_err(unreadable)?;
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
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn ids_differ() {
        let ids: std::collections::HashSet<String> = (0..1000).map(|_| new_id().unwrap()).collect();
        assert_eq!(ids.len(), 1000);
        assert!(ids.iter().all(|id| id.len() == 32));
    }
}
