//! A held change: the form in which a client asks the person about it, and what follows from the answer.

use rmcp::model::{ElicitRequestParams, ElicitResult, ElicitationAction};
use serde_json::{Value, json};

use super::call::{Call, ToolAnswer};
use crate::approvals::{self, Answer, Ask, Question};
use crate::files::{Effect, Failure, FailureKind, Gate, GateResult, Strategy};
use crate::report::Style;
use write_guard_policy::approve::{REJECT, reason_line};
use write_guard_policy::error::Error;
use write_guard_policy::finding::Help;

/// The choice for what is no write, such as a deletion.
const APPROVE: &str = "approve";

/// Fails as the change did that waits with this ID, or says what became of it.
pub(super) fn held(call: &Call<'_>, id: &str) -> GateResult<ToolAnswer> {
    match approvals::held_change(call.repo, id) {
        Ok(change) => Err(change.failure(call.repo)),
        Err(failure) => Err(match approvals::decision(call.repo, id)? {
            Some(facts) => {
                let fact = |name: &str| facts.get(name).cloned().unwrap_or_default();
                let status = fact("event");
                let strategy = fact("strategy");
                let reason = fact("reason");
                failure
                    .help(format!("the last record about it says: {status}"))
                    .detail("status", status)
                    .detail("strategy", strategy)
                    .detail("reason", reason)
            }
            None => failure,
        }),
    }
}

fn approve<'g>(call: &'g Call<'_>, id: &str, ask: Ask<'_>) -> GateResult<(Gate<'g>, Effect)> {
    let path = approvals::held_change(call.repo, id)?.path;
    let mut gate = call.gate_to_change(&[&path])?;
    gate.how = approvals::ELICITATION;
    let done = gate.approve(id, ask)?;
    Ok((gate, done))
}

/// The form about a held change.
///
/// # Errors
/// There is no such change, the file has changed since, or another rule refuses.
pub(super) fn form(call: &Call<'_>, id: &str) -> GateResult<ElicitRequestParams> {
    let mut form = None;
    let asked = approve(call, id, &mut |question| {
        form = Some(form_about(question));
        Answer::Nothing
    });
    // The answer approves nothing, so what was asked about fails.
    form.unwrap_or_else(|| {
        Err(asked
            .err()
            .unwrap_or_else(|| not_approved("nothing was asked", id, None)))
    })
}

fn form_about(question: &Question) -> GateResult<ElicitRequestParams> {
    let own = question.strategy().map_or(APPROVE, Strategy::name);
    let others = question.others();
    // The first word of a strategy's usage is its name.
    let others = others.iter().filter_map(|usage| usage.split(' ').next());
    let choices: Vec<&str> = [own].into_iter().chain(others).chain([REJECT]).collect();
    let word = &question.word;
    let schema = json!({
        "type": "object",
        "properties": {
            "decision": {
                "type": "string",
                "description": "replace: write the whole new content. append, insert, extend: keep the old content and add the new one. reject: discard the change.",
                "enum": choices,
            },
            "word": { "type": "string", "description": format!("To approve, type {word}") },
            "reason": { "type": "string", "description": "For the log" },
            "line": {
                "type": "integer",
                "description": "Only for insert: the line before which to insert",
                "minimum": 1,
            },
        },
        "required": ["decision"],
    });
    let text = question.text(&Style::default());
    Ok(ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: format!(
            "{text}\nTo approve, choose how to write it, type the word {word} and a reason.\n"
        ),
        requested_schema: serde_json::from_value(schema)
            .map_err(|error| Error::new(error.to_string()))?,
    })
}

/// What the person's answer says to one question; the first is the one that the person saw. The error is why it decides
/// nothing.
fn answer(question: &Question, given: &ElicitResult, is_first: bool) -> Result<Answer, String> {
    match given.action {
        ElicitationAction::Accept => {}
        ElicitationAction::Decline => return Err("the person declined to decide".to_owned()),
        _ => return Err("the question was closed without an answer".to_owned()),
    }
    let member = |name: &str| given.content.as_ref()?.get(name);
    let text = |name: &str| member(name).and_then(Value::as_str).unwrap_or_default();
    let reason = reason_line(text("reason"));
    let line = member("line").and_then(Value::as_u64);
    let line = line.and_then(|line| usize::try_from(line).ok());
    let strategy = match text("decision") {
        REJECT => return Ok(Answer::Reject(reason)),
        APPROVE => None,
        "insert" if line.is_none() => return Err("insert needs a line".to_owned()),
        name => {
            let strategy = Strategy::named(name, line.filter(|_| name == "insert"));
            Some(strategy.ok_or("the answer has no decision")?)
        }
    };
    if is_first && text("word").trim() != question.word {
        return Err(format!("the word was not `{}`", question.word));
    }
    match (&question.problem, strategy) {
        _ if reason.is_empty() => Err("an approval needs a reason".to_owned()),
        (Some(problem), _) => Err(problem.message.clone()),
        (None, Some(other)) if is_first && strategy != question.strategy() => {
            Ok(Answer::Instead(other))
        }
        _ if !is_first && question.effect.finding.is_some() => {
            Err("in this way it still destroys too much".to_owned())
        }
        _ => Ok(Answer::Approve(reason)),
    }
}

/// Does what the person answered.
///
/// # Errors
/// As for [`Gate::approve`], or the answer decides nothing.
pub(crate) fn decide(call: &Call<'_>, id: &str, given: &ElicitResult) -> GateResult<ToolAnswer> {
    let mut is_first = true;
    let mut undecided = None;
    let done = approve(call, id, &mut |question| {
        let answer = answer(question, given, std::mem::take(&mut is_first));
        answer.unwrap_or_else(|why| {
            let analysis = Some(Box::new(question.effect.analysis()));
            undecided = Some(not_approved(&why, id, analysis));
            Answer::Nothing
        })
    });
    let (gate, done) = done.map_err(|failure| undecided.unwrap_or(failure))?;
    let mut answer = ToolAnswer::done(&gate, &done);
    answer.facts["approval"] = approvals::ELICITATION.into();
    if let Some(text) = answer.texts.first_mut() {
        text.insert_str(0, "The user approved the change.\n");
    }
    Ok(answer)
}

/// The change stays held.
pub(super) fn not_approved(why: &str, id: &str, analysis: Option<Box<Value>>) -> Failure {
    let what = format!("the change was not approved: {why}; it still waits for approval as {id}");
    let failure = Failure::new(FailureKind::NotApproved, what)
        .help("do not work around this; make a smaller change instead")
        .help(Help::run(
            "a person can decide in a terminal",
            format_args!("guard approve {id}"),
        ))
        .detail("id", id);
    Failure {
        analysis,
        ..failure
    }
}
