//! A held change: the form in which a client asks the person about it, and what follows from the answer.

use rmcp::model::{ElicitRequestParams, ElicitResult, ElicitationAction};
use serde_json::{Value, json};

use super::call::{Call, ToolAnswer};
use crate::approve::{REJECT, reason_line};
use crate::error::Error;
use crate::files::{
    self, Analysis, Answer, Failure, FailureKind, Gate, GateResult, HeldChange, Question, Strategy,
};
use crate::git::Repository;
use crate::report::{Style, push_change};

/// The choice for what is no write, such as a deletion.
const APPROVE: &str = "approve";

/// A held change.
///
/// # Errors
/// There is none with this id. The failure says what became of it.
pub(super) fn load(repo: &Repository, id: &str) -> GateResult<HeldChange> {
    match files::held_change(repo, id) {
        Ok((change, _)) => Ok(change),
        Err(failure) => Err(match files::decision(repo, id)? {
            Some(facts) => {
                let fact = |name: &str| facts.get(name).cloned().unwrap_or_default();
                let status = fact("event");
                let what = status.as_str().unwrap_or_default();
                failure
                    .help(format!("the last record about it says: {what}"))
                    .detail("status", status)
                    .detail("strategy", fact("strategy"))
                    .detail("reason", fact("reason"))
            }
            None => failure,
        }),
    }
}

fn gate<'a>(call: &'a Call<'_>, id: &str) -> GateResult<Gate<'a>> {
    call.gate()?.eliciting().as_strict_as(id)
}

/// The form about a held change.
///
/// # Errors
/// There is no such change, the file has changed since, or another rule refuses.
pub(super) fn form(call: &Call<'_>, id: &str) -> GateResult<ElicitRequestParams> {
    let question = gate(call, id)?.question(id)?;
    let own = question.strategy.map_or(APPROVE, Strategy::name);
    // The first word of a strategy's usage is its name.
    let others = question.others.iter();
    let others = others.filter_map(|usage| usage.split(' ').next());
    let choices: Vec<&str> = [own].into_iter().chain(others).chain([REJECT]).collect();
    let mut schema = json!({
        "type": "object",
        "properties": {
            "decision": {
                "type": "string",
                "description": "replace: write the whole new content. append, insert, extend: keep the old content and add the new one. reject: discard the change.",
                "enum": choices,
            },
            "word": {
                "type": "string",
                "description": format!("To approve, type {}", question.word),
            },
            "reason": { "type": "string", "description": "For the log" },
        },
        "required": ["decision"],
    });
    if choices.contains(&"insert") {
        schema["properties"]["line"] = json!({
            "type": "integer",
            "description": "Only for insert: the line before which to insert",
            "minimum": 1,
        });
    }
    let requested_schema = serde_json::from_value(schema);
    Ok(ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: message(&question),
        requested_schema: requested_schema.map_err(|error| Error::new(error.to_string()))?,
    })
}

fn message(question: &Question) -> String {
    let mut text = String::new();
    if let Some(finding) = &question.finding {
        text.push_str(&format!("guard: {}\n", finding.message));
    }
    let analysis = &question.analysis;
    let lost = analysis.deleted_content.as_deref().unwrap_or_default();
    let change = analysis.diff_preview.as_str();
    push_change(&mut text, change, lost, &Style::default());
    let word = &question.word;
    text + &format!("\nTo approve, choose how to write it, type the word {word} and a reason.\n")
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
    let strategy = match (text("decision"), line) {
        (REJECT, _) => return Ok(Answer::Reject(reason)),
        (APPROVE, _) => None,
        ("insert", None) => return Err("insert needs a line".to_owned()),
        (name, line) => {
            let strategy = Strategy::named(name, line.filter(|_| name == "insert"));
            Some(strategy.ok_or("the answer has no decision")?)
        }
    };
    let other = strategy.filter(|_| is_first && strategy != question.strategy);
    match (&question.problem, other) {
        _ if is_first && text("word").trim() != question.word => {
            Err(format!("the word was not `{}`", question.word))
        }
        _ if reason.is_empty() => Err("an approval needs a reason".to_owned()),
        (Some(problem), _) => Err(problem.message.clone()),
        (None, Some(other)) => Ok(Answer::Instead(other)),
        _ if !is_first && question.finding.is_some() => {
            Err("in this way it still destroys too much".to_owned())
        }
        _ => Ok(Answer::Approve(reason)),
    }
}

/// Does what the person answered.
///
/// # Errors
/// As for [`Gate::approve`], or the answer decides nothing.
pub(super) fn decide(call: &Call<'_>, id: &str, given: &ElicitResult) -> GateResult<ToolAnswer> {
    let gate = gate(call, id)?;
    let question = gate.question(id)?;
    let failed = |why: &str| not_approved(why, id, Some(Box::new(question.analysis.clone())));
    let first = answer(&question, given, true).map_err(|why| failed(&why))?;
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
pub(super) fn not_approved(why: &str, id: &str, analysis: Option<Box<Analysis>>) -> Failure {
    let what = format!("the change was not approved: {why}; it still waits for approval as {id}");
    let failure = Failure::new(FailureKind::NotApproved, what)
        .help("do not work around this; make a smaller change instead")
        .help(format!(
            "a person can decide in a terminal: guard approve {id}"
        ))
        .detail("id", id);
    Failure {
        analysis,
        ..failure
    }
}
