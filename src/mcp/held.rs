//! A held change: the question to the person, and what follows from the answer.

use serde_json::Value;

use super::answer::ToolAnswer;
use super::call::Call;
use crate::gate::{
    self, Answer, Failure, FailureKind, Gate, GateResult, HeldChange, HeldRecord, Question,
    Strategy,
};
use crate::git::Repository;

/// What the client says that the person decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Decision {
    /// Write it, combined in this way.
    Approve {
        /// `None` for what is no write.
        strategy: Option<Strategy>,
        word: String,
        reason: String,
    },
    /// Discard it.
    Reject(String),
}

/// The held change of a failure.
pub(super) fn id_of(failure: &Failure) -> Option<&str> {
    match failure.kind {
        FailureKind::Held => failure.details.get("id").and_then(Value::as_str),
        _ => None,
    }
}

/// A held change.
///
/// # Errors
/// There is none with this id. The failure says what became of it.
pub(super) fn load(repo: &Repository, id: &str) -> GateResult<HeldChange> {
    match gate::held_change(repo, id) {
        Ok((change, _)) => Ok(change),
        Err(failure) => Err(match gate::last_event(repo, id)? {
            Some(HeldRecord { status, facts }) => {
                let fact = |name: &str| facts.get(name).cloned().unwrap_or_default();
                failure
                    .help(format!("the last record about it says: {}", status.name()))
                    .detail("status", status.name())
                    .detail("strategy", fact("strategy"))
                    .detail("reason", fact("reason"))
            }
            None => failure,
        }),
    }
}

/// The question about a held change; `None` if the settings leave it to a terminal.
///
/// # Errors
/// There is no such change, the file has changed since, or another rule refuses.
pub(super) fn question(call: &Call<'_>, id: &str) -> GateResult<Option<Question>> {
    let gate = gate(call, id)?;
    if !gate.may_elicit() {
        return Ok(None);
    }
    gate.question(id).map(Some)
}

fn gate<'a>(call: &'a Call<'_>, id: &str) -> GateResult<Gate<'a>> {
    call.gate()?.eliciting().as_strict_as(id)
}

/// Does what was decided.
///
/// # Errors
/// As for [`Gate::approve`]; the word or the reason is missing, or the chosen strategy is impossible.
pub(super) fn decide(call: &Call<'_>, id: &str, decision: &Decision) -> GateResult<ToolAnswer> {
    let gate = gate(call, id)?;
    if !gate.may_elicit() {
        return Err(not_approved(
            "the settings leave approvals to a terminal",
            id,
            None,
        ));
    }
    let mut problem = None;
    let mut is_first = true;
    let done = gate.approve(id, &mut |question| {
        let answer = answer(question, decision, is_first);
        is_first = false;
        answer.unwrap_or_else(|why| {
            problem = Some(why);
            Answer::Nothing
        })
    });
    let done = done.map_err(|failure| match (failure.kind, problem) {
        (FailureKind::NotApproved, Some(why)) => not_approved(&why, id, None),
        _ => failure,
    });
    let mut answer = ToolAnswer::done(&gate, &done?);
    answer.facts["approval"] = "elicitation".into();
    if let Some(text) = answer.texts.first_mut() {
        text.insert_str(0, "The user approved the change.\n");
    }
    Ok(answer)
}

/// The answer to one question; the first is the one that the person saw.
fn answer(question: &Question, decision: &Decision, is_first: bool) -> Result<Answer, String> {
    let (strategy, word, reason) = match decision {
        Decision::Reject(reason) => return Ok(Answer::Reject(reason.clone())),
        Decision::Approve {
            strategy,
            word,
            reason,
        } => (*strategy, word, reason),
    };
    if is_first && *word != question.word {
        return Err(format!("the word was not `{}`", question.word));
    }
    if reason.is_empty() {
        return Err("an approval needs a reason".to_owned());
    }
    match (strategy, &question.problem) {
        (_, Some(problem)) => Err(problem.message.clone()),
        (Some(strategy), _) if is_first && question.strategy != Some(strategy) => {
            Ok(Answer::Instead(strategy))
        }
        _ if !is_first && question.finding.is_some() => {
            Err("in this way it still destroys too much".to_owned())
        }
        _ => Ok(Answer::Approve(reason.clone())),
    }
}

/// The change stays held; `held` is the failure that said so first.
pub(super) fn not_approved(why: &str, id: &str, held: Option<&Failure>) -> Failure {
    let failure = Failure::new(
        FailureKind::NotApproved,
        format!("the change was not approved: {why}; it is still held as {id}"),
    );
    Failure {
        analysis: held.and_then(|held| held.analysis.clone()),
        ..failure
    }
    .help(format!(
        "a person can decide in a terminal: guard approve {id}, or guard reject {id}"
    ))
    .help("do not work around this; make a smaller change instead")
    .detail("id", id)
}
