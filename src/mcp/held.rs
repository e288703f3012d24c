//! A held change: the question to the person, and what follows from the answer.

use rmcp::model::ElicitResult;
use serde_json::Value;

use super::answer::ToolAnswer;
use super::call::Call;
use super::question::answer;
use crate::gate::{
    self, Analysis, Answer, Failure, FailureKind, Gate, GateResult, HeldChange, HeldRecord,
    Question,
};
use crate::git::Repository;

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

/// The question about a held change.
///
/// # Errors
/// There is no such change, the file has changed since, or another rule refuses.
pub(super) fn question(call: &Call<'_>, id: &str) -> GateResult<Question> {
    gate(call, id)?.question(id)
}

fn gate<'a>(call: &'a Call<'_>, id: &str) -> GateResult<Gate<'a>> {
    call.gate()?.eliciting().as_strict_as(id)
}

/// Does what the person answered.
///
/// # Errors
/// As for [`Gate::approve`]; the answer decides nothing, or its strategy is impossible.
pub(super) fn decide(call: &Call<'_>, id: &str, given: &ElicitResult) -> GateResult<ToolAnswer> {
    let gate = gate(call, id)?;
    let shown = gate.question(id)?;
    let failed = |why: &str| not_approved(why, id, Some(shown.analysis.clone()));
    let first = answer(&shown, given, true).map_err(|why| failed(&why))?;
    if shown.finding.is_none() && matches!(first, Answer::Reject(_)) {
        // The gate would write it without a question.
        return Err(failed(
            "the person rejected it, though it destroys nothing any more",
        ));
    }
    let (mut first, mut problem) = (Some(first), None);
    let done = gate.approve(id, &mut |question| match first.take() {
        Some(first) => first,
        None => answer(question, given, false).unwrap_or_else(|why| {
            problem = Some(why);
            Answer::Nothing
        }),
    });
    let done = done.map_err(|failure| problem.map_or(failure, |why| failed(&why)))?;
    let mut answer = ToolAnswer::done(&gate, &done);
    answer.facts["approval"] = "elicitation".into();
    if let Some(text) = answer.texts.first_mut() {
        text.insert_str(0, "The user approved the change.\n");
    }
    Ok(answer)
}

/// The change stays held.
pub(super) fn not_approved(why: &str, id: &str, analysis: Option<Analysis>) -> Failure {
    let what = format!("the change was not approved: {why}; it is still held as {id}");
    let mut failure = Failure::new(FailureKind::NotApproved, what)
        .help(format!(
            "a person can decide in a terminal: guard approve {id}, or guard reject {id}"
        ))
        .help("do not work around this; make a smaller change instead")
        .detail("id", id);
    failure.analysis = analysis.map(Box::new);
    failure
}
