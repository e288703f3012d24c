//! A person's decision about a change, always in this order: show, ask, check for changes, record, write.

use std::fs::File;

use gix::bstr::BStr;
use serde_json::Value;

use super::consent::{Consent, facts_of_step, forget, keep, load_here, outdated, record_decision};
use super::perform::{Attempt, OperationPlan};
use super::store::{HELD, id_of};
use super::{
    Analysis, CompletedOperation, Extension, Failure, FailureKind, Gate, GateResult, Operation,
    Strategy, strategy,
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
    plan: OperationPlan,
    operation: Operation,
    finding: Option<Finding>,
    /// The ID, if it is held.
    held: Option<String>,
    /// Whether the operation contains the whole proposed content, so that other strategies make sense.
    may_choose: bool,
}

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
        let change = Undecided {
            plan,
            held: None,
            may_choose: operation.strategy().is_some(),
            operation: operation.clone(),
            finding: Some(finding),
        };
        let (_alone, chosen) = self.decide(change, ask)?;
        self.execute(&chosen.plan, &chosen.operation)
    }

    /// Asks about a held change and, if approved, writes it.
    ///
    /// # Errors
    /// There is no such change, the file has changed since, another rule refuses, or it is not approved: then nothing
    /// is written. A rejected change is no longer held.
    pub fn approve(&self, id: &str, ask: Ask<'_>) -> GateResult<CompletedOperation> {
        let change = self.undecided(id)?;
        let decided = match &change.finding {
            Some(_) => self.decide(change, ask),
            // A change that destroys nothing any more needs no answer.
            None => self.alone().and_then(|alone| {
                let sides = approve::sides(&change.plan.consent);
                self.note(&change, sides, "approved", "it needs none any more")?;
                Ok((alone, change))
            }),
        };
        if let Err(failure) = &decided
            && failure.kind == FailureKind::Rejected
        {
            forget(self.repo, id)?;
        }
        let (_alone, chosen) = decided?;
        let done = self.execute(&chosen.plan, &chosen.operation)?;
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
        let may_choose = held.strategy.as_deref() == Some(Strategy::Replace.name());
        let operation = held.to_operation();
        let (plan, finding) = self.prepare(BStr::new(&held.path), &operation)?;
        let old = plan.old().map(|entry| entry.content.as_slice());
        let is_same = plan.path() == held.path.as_str()
            && self.digest(old) == held.old
            && self.digest(plan.new_content()) == held.new;
        if !is_same {
            return Err(outdated(&held));
        }
        Ok(Undecided {
            plan,
            operation,
            finding,
            held: Some(id.to_owned()),
            may_choose,
        })
    }

    /// The same content with another strategy.
    fn choose(&self, change: &Undecided, chosen: Strategy) -> GateResult<Undecided> {
        let mut operation = change.operation.clone();
        if let Operation::Write { strategy, .. } = &mut operation {
            *strategy = chosen;
        }
        let path = change.plan.path();
        let (plan, finding) = self.plan(path, &operation)?;
        let content = |plan: &OperationPlan| plan.old().map(|entry| entry.content.clone());
        if content(&plan) != content(&change.plan) {
            return Err(Failure::new(
                FailureKind::Stale,
                format!("{} changed while guard waited for an answer", escaped(path)),
            ));
        }
        Ok(Undecided {
            plan,
            operation,
            finding,
            held: change.held.clone(),
            may_choose: change.may_choose,
        })
    }

    fn question_about(&self, change: &Undecided) -> Question {
        let plan = &change.plan;
        let (old, new) = approve::sides(&plan.consent);
        let work_tree = self.repo.work_tree();
        let id = id_of(&work_tree, plan.path(), old.as_deref(), new.as_deref());
        let strategy = change.operation.strategy();
        let mut others = match change.may_choose && plan.old().is_some() {
            true => strategy::offers(plan.path()),
            false => Vec::new(),
        };
        others.retain(|other| strategy.is_none_or(|strategy| !other.starts_with(strategy.name())));
        let there = plan.old().map(|entry| entry.content.as_slice());
        // The person sees what the verdict is about, which may be more than this edit.
        let analysis = Analysis {
            requires_approval: change.finding.is_some(),
            ..Analysis::new(
                plan.path().to_owned(),
                (plan.judged, plan.analysis.since_head),
                plan.analysis.exists,
                Some(plan.compared.as_deref().or(there).unwrap_or_default()),
                plan.new_content(),
            )
        };
        let lost = analysis.deleted_content.as_deref().unwrap_or_default();
        Question {
            word: approve::word(lost.as_bytes(), plan.path(), &id),
            analysis,
            strategy,
            extension: plan.extension.clone(),
            others,
            problem: None,
            finding: change.finding.clone(),
        }
    }

    /// Returns only after the approval is recorded and the content checked again, with the lock held.
    fn decide(&self, mut change: Undecided, ask: Ask<'_>) -> GateResult<(File, Undecided)> {
        // A rejection is of the change that was asked for, whatever else was tried.
        let asked_for = approve::sides(&change.plan.consent);
        let mut question = self.question_about(&change);
        let answer = loop {
            match ask(&question) {
                Answer::Instead(strategy) => match self.choose(&change, strategy) {
                    Ok(chosen) => {
                        change = chosen;
                        question = self.question_about(&change);
                    }
                    Err(failure) => question.problem = Some(failure),
                },
                answer => break answer,
            }
        };
        let plan = &change.plan;
        let path = escaped(plan.path());
        let reason = match answer {
            Answer::Approve(reason) => reason,
            Answer::Reject(reason) => {
                self.note(&change, asked_for, "rejected", &reason)?;
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
        // A key may ask for a passphrase or a touch, which takes time, too. What destroys nothing needs no approval.
        let approval = match &change.finding {
            Some(_) => Some(consent.to(self.repo, &plan.consent)?),
            None => None,
        };
        let alone = self.alone()?;
        let now = self.boundary.read(plan.path(), MAX_SIZE)?;
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
                keep(self.repo, approval, &designs, change.about())?;
            }
            None => {
                let sides = approve::sides(&plan.consent);
                self.note(&change, sides, "approved", &consent.reason)?;
            }
        }
        Ok((alone, change))
    }

    /// Records a decision that leaves no approval.
    fn note(
        &self,
        change: &Undecided,
        sides: (Option<String>, Option<String>),
        event: &str,
        reason: &str,
    ) -> GateResult<()> {
        let mut facts = facts_of_step(change.plan.path(), sides, self.how, reason);
        facts.extend(change.about());
        let designs = self.policy.design_versions();
        record_decision(self.repo, event, facts, Some(&designs))
    }
}

impl Undecided {
    /// What a decision is about: the held change, if it is one, and the strategy that the person chose or kept.
    fn about(&self) -> impl Iterator<Item = (String, Value)> {
        let held = self.held.clone().map(|id| (HELD.to_owned(), id.into()));
        let strategy = self.operation.strategy().map(Strategy::name);
        let strategy = strategy.map(|name| ("strategy".to_owned(), name.into()));
        held.into_iter().chain(strategy)
    }
}
