//! A person's decision about a change, always in this order: show, ask, check for changes, record, write.

use std::fs::File;

use gix::bstr::BStr;
use serde_json::{Map, Value};

use super::consent::{Consent, facts_of_step, forget, keep, load_here, outdated, record_decision};
use super::log::members;
use super::operation::offers;
use super::store::{HELD, id_of};
use super::{
    Analysis, Effect, Extension, Failure, FailureKind, Gate, GateResult, Operation, Strategy, log,
};
use crate::approve;
use crate::finding::Finding;
use crate::path::escaped;
use crate::scope::settings::MAX_SIZE;

/// What to ask the person.
#[derive(Debug, Clone)]
pub struct Question {
    /// Why a person must decide; `None` if the chosen strategy destroys nothing.
    pub finding: Option<Finding>,
    /// What would happen, with preview and lost content.
    pub analysis: Analysis,
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

/// A change that a person decides about.
struct Undecided {
    effect: Effect,
    /// Whether it writes the whole proposed content, for which other strategies make sense.
    may_combine: bool,
    /// The ID, if it is held.
    held: Option<String>,
}

impl Gate<'_> {
    /// Asks about a change and, if approved, performs it.
    pub(super) fn perform_if_approved(&self, effect: Effect, ask: Ask<'_>) -> GateResult<Effect> {
        let change = Undecided {
            may_combine: effect.operation.strategy().is_some(),
            effect,
            held: None,
        };
        let (_alone, effect) = self.decide(change, ask)?;
        self.execute(effect)
    }

    /// Asks about a held change and, if approved, writes it.
    ///
    /// # Errors
    /// There is no such change, the file has changed since, another rule refuses, or it is not approved: then nothing
    /// is written. A rejected change is no longer held.
    pub fn approve(&self, id: &str, ask: Ask<'_>) -> GateResult<Effect> {
        let decided = self.decide(self.undecided(id)?, ask);
        if let Err(failure) = &decided
            && failure.kind == FailureKind::Rejected
        {
            forget(self.repo, id)?;
        }
        let (_alone, effect) = decided?;
        let done = self.execute(effect)?;
        // The file is written; leftovers in the store are stale and expire.
        let _ = self.store.remove(id);
        Ok(done)
    }

    /// The question that [`Gate::approve`] asks first.
    ///
    /// # Errors
    /// There is no such change, the file has changed since, or another rule refuses.
    pub fn question(&self, id: &str) -> GateResult<Question> {
        Ok(self.question_about(&self.undecided(id)?))
    }

    /// A held change, judged again.
    fn undecided(&self, id: &str) -> GateResult<Undecided> {
        let held = load_here(self.repo, id, "")?;
        let effect = self.prepare(BStr::new(&held.path), &held.to_operation())?;
        let is_same = effect.path == held.path.as_str()
            && effect.old_digest == held.old
            && effect.digest == held.new;
        if !is_same {
            return Err(outdated(&held));
        }
        Ok(Undecided {
            may_combine: held.strategy.as_deref() == Some(Strategy::Replace.name()),
            effect,
            held: Some(id.to_owned()),
        })
    }

    /// The same content with another strategy.
    fn choose(&self, change: &mut Undecided, chosen: Strategy) -> GateResult<()> {
        let mut operation = change.effect.operation.clone();
        match &mut operation {
            Operation::Write { strategy, .. } if change.may_combine => *strategy = chosen,
            _ => return Ok(()),
        }
        let path = &change.effect.path;
        let effect = self.plan(path.as_ref(), &operation)?;
        if effect.old_digest != change.effect.old_digest {
            let path = escaped(path);
            let message = format!("{path} changed while guard waited for an answer");
            return Err(Failure::new(FailureKind::Stale, message));
        }
        change.effect = effect;
        Ok(())
    }

    fn question_about(&self, change: &Undecided) -> Question {
        let effect = &change.effect;
        let path: &BStr = effect.path.as_ref();
        let (old, new) = approve::sides(&effect.consent);
        let id = id_of(&self.repo.work_tree(), path, old.as_deref(), new.as_deref());
        let mut others = match change.may_combine && effect.old.is_some() {
            true => offers(path),
            false => Vec::new(),
        };
        let own = effect.operation.strategy().map_or("", Strategy::name);
        others.retain(|other| own.is_empty() || !other.starts_with(own));
        // The person sees what the verdict is about, which may be more than this edit.
        let compared = effect.compared.as_deref().or(effect.old_content());
        let analysis = Analysis {
            requires_approval: effect.finding.is_some(),
            ..Analysis::new(
                path,
                (effect.judged, effect.analysis.since_head),
                effect.analysis.exists,
                compared,
                effect.new.as_deref(),
            )
        };
        let lost = analysis.deleted_content.as_deref().unwrap_or_default();
        Question {
            word: approve::word(lost.as_bytes(), path, &id),
            analysis,
            strategy: effect.operation.strategy(),
            extension: effect.extension.clone(),
            others,
            problem: None,
            finding: effect.finding.clone(),
        }
    }

    /// Returns only after the approval is recorded and the content checked again, with the lock held.
    fn decide(&self, mut change: Undecided, ask: Ask<'_>) -> GateResult<(File, Effect)> {
        // A rejection is of the change that was asked for, whatever else was tried.
        let asked_for = approve::sides(&change.effect.consent);
        let mut question = self.question_about(&change);
        let answer = loop {
            match ask(&question) {
                Answer::Instead(strategy) => match self.choose(&mut change, strategy) {
                    Ok(()) => question = self.question_about(&change),
                    Err(failure) => question.problem = Some(failure),
                },
                answer => break answer,
            }
        };
        let effect = &change.effect;
        let path = escaped(&effect.path);
        let reason = match answer {
            Answer::Approve(reason) => reason,
            Answer::Reject(reason) => {
                self.note(&change, asked_for, "rejected", &reason)?;
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
        let consent = Consent {
            reason,
            how: self.how,
            signer: self.signer.clone(),
        };
        // A key may ask for a passphrase or a touch, which takes time, too. What destroys nothing needs no approval.
        let needs_approval = effect.finding.is_some();
        let approval = needs_approval.then(|| {
            let design = self.policy.designs.first();
            let design = design.map(|governing| governing.design.path.clone());
            consent.to(self.repo, &effect.consent, design)
        });
        let approval = approval.transpose()?;
        let alone = log::alone(self.repo)?;
        let now = self.boundary.read(effect.path.as_ref(), MAX_SIZE)?;
        if now.as_ref().map(|entry| entry.content.as_slice()) != effect.old_content() {
            let message =
                format!("{path} changed while guard waited for an answer; nothing was written");
            return Err(Failure::new(FailureKind::Stale, message).help("review the change again"));
        }
        match &approval {
            Some(approval) => {
                let designs = self.policy.design_versions();
                keep(self.repo, approval, &designs, change.about())?;
            }
            None => {
                let sides = approve::sides(&effect.consent);
                self.note(&change, sides, "approved", &consent.reason)?;
            }
        }
        Ok((alone, change.effect))
    }

    /// Records a decision that leaves no approval.
    fn note(
        &self,
        change: &Undecided,
        sides: (Option<String>, Option<String>),
        event: &str,
        reason: &str,
    ) -> GateResult<()> {
        let mut facts = facts_of_step(change.effect.path.as_ref(), sides, self.how, reason);
        facts.extend(change.about());
        let designs = self.policy.design_versions();
        record_decision(self.repo, event, facts, Some(&designs))
    }
}

impl Undecided {
    /// What a decision is about: the held change, if it is one, and the strategy that the person chose or kept.
    fn about(&self) -> Map<String, Value> {
        let strategy = self.effect.operation.strategy();
        members([
            (HELD, self.held.clone().map(Value::from)),
            ("strategy", strategy.map(|way| way.name().into())),
        ])
    }
}
