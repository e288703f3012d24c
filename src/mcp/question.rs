//! The form in which a client asks the person about a held change.

use rmcp::model::{ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationSchema};
use serde_json::{Value, json};

use crate::approval::reason_line;
use crate::gate::{Answer, Question, Strategy};

/// The choice that discards the change.
const REJECT: &str = "reject";
/// The choice for what is no write, such as a deletion.
const APPROVE: &str = "approve";

/// The form; `None` if the SDK does not take its schema.
pub(super) fn form(question: &Question) -> Option<ElicitRequestParams> {
    Some(ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: message(question),
        requested_schema: schema(question)?,
    })
}

fn message(question: &Question) -> String {
    let mut text = String::new();
    if let Some(finding) = &question.finding {
        text.push_str(&format!("guard: {}\n", finding.message));
    }
    let analysis = &question.analysis;
    let lost = analysis.deleted_content.as_deref();
    for (title, quoted) in [
        ("The change", Some(analysis.diff_preview.as_str())),
        ("What would be lost", lost),
    ] {
        let quoted = quoted.unwrap_or_default();
        if !quoted.is_empty() {
            text.push_str(&format!("\n{title}:\n"));
            for line in quoted.lines() {
                text.push_str(&format!("  | {line}\n"));
            }
        }
    }
    text.push_str(&format!(
        "\nTo approve, choose how to write it, type the word {} and a reason.\n",
        question.word
    ));
    text
}

fn schema(question: &Question) -> Option<ElicitationSchema> {
    let offered = choices(question);
    let mut properties = json!({
        "decision": {
            "type": "string",
            "description": "replace: write the whole new content. append, insert, extend: keep the old content and add the new one. reject: discard the change.",
            "enum": offered,
        },
        "word": {
            "type": "string",
            "description": format!("To approve, type {}", question.word),
        },
        "reason": { "type": "string", "description": "For the log" },
    });
    if offered.iter().any(|choice| choice == "insert") {
        properties["line"] = json!({
            "type": "integer",
            "description": "Only for insert: the line before which to insert",
            "minimum": 1,
        });
    }
    serde_json::from_value(json!({
        "type": "object",
        "properties": properties,
        "required": ["decision"],
    }))
    .ok()
}

/// The words to choose from; the strategy of the request comes first.
fn choices(question: &Question) -> Vec<String> {
    let mut choices = vec![question.strategy.map_or(APPROVE, Strategy::name).to_owned()];
    let others = question.others.iter();
    choices.extend(others.filter_map(|other| other.split(' ').next().map(str::to_owned)));
    choices.push(REJECT.to_owned());
    choices
}

/// What the person's answer says to one question; the first is the one that the person saw.
///
/// # Errors
/// It decides nothing, and why.
pub(super) fn answer(
    question: &Question,
    given: &ElicitResult,
    is_first: bool,
) -> Result<Answer, String> {
    match given.action {
        ElicitationAction::Accept => {}
        ElicitationAction::Decline => return Err("the person declined to decide".to_owned()),
        _ => return Err("the question was closed without an answer".to_owned()),
    }
    let content = given.content.as_ref();
    let member = |name: &str| content.and_then(|content| content.get(name));
    let text = |name: &str| member(name).and_then(Value::as_str).unwrap_or_default();
    let reason = reason_line(text("reason"));
    let line = member("line").and_then(Value::as_u64);
    let line = line.and_then(|line| usize::try_from(line).ok());
    let strategy = match (text("decision"), line) {
        (REJECT, _) => return Ok(Answer::Reject(reason)),
        (APPROVE, _) => None,
        ("replace", _) => Some(Strategy::Replace),
        ("append", _) => Some(Strategy::Append),
        ("extend", _) => Some(Strategy::Extend),
        ("insert", Some(line)) => Some(Strategy::Insert { line }),
        ("insert", None) => return Err("insert needs a line".to_owned()),
        _ => return Err("the answer has no decision".to_owned()),
    };
    if is_first && text("word").trim() != question.word {
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
        _ => Ok(Answer::Approve(reason)),
    }
}
