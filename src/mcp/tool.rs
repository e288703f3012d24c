//! A tool of the server: what a client is told about it, and what it does.

use std::sync::Arc;

use rmcp::model::{JsonObject, MetaObject, Tool as Announced, ToolAnnotations};
use serde_json::{Value, json};

use super::arguments::{Argument, Arguments};
use super::session::Session;
use crate::gate::{Failure, Gate, GateResult};
use crate::git::Repository;

/// A tool, as a row of the table.
pub(super) struct Tool {
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    pub(super) description: &'static str,
    pub(super) arguments: &'static [Argument],
    /// The members of the answer, each with its JSON type; any may be null.
    pub(super) answer: &'static [(&'static str, &'static str)],
    pub(super) effect: ToolEffect,
    /// Whether a repeated call changes nothing more.
    pub(super) is_idempotent: bool,
    /// Whether the client may ask the person at once if the change is held.
    pub(super) may_ask: bool,
    /// Whether a person must agree to each call. Claude Code then asks, in every mode.
    pub(super) needs_person: bool,
    pub(super) run: fn(&Call<'_>) -> GateResult<ToolAnswer>,
}

/// What a tool does to files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ToolEffect {
    /// It reads.
    Reads,
    /// It creates, and destroys nothing.
    Creates,
    /// It changes or removes.
    Changes,
}

/// One call of a tool.
pub(super) struct Call<'a> {
    pub(super) repo: &'a Repository,
    pub(super) session: &'a Session,
    pub(super) arguments: &'a Arguments,
}

impl Call<'_> {
    /// The gate with the policy of this moment.
    pub(super) fn gate(&self) -> GateResult<Gate<'_>> {
        let gate = Gate::open(self.repo, self.session.options())?;
        self.session.check(&gate)?;
        Ok(gate)
    }

    /// The same for what needs no design, for which none is loaded.
    pub(super) fn gate_to_look(&self) -> GateResult<Gate<'_>> {
        Ok(Gate::open_to_check(self.repo, self.session.options(), &[])?)
    }

    /// The path in an argument, as a request.
    pub(super) fn path(&self, name: &str) -> gix::bstr::BString {
        self.repo.request_of(self.arguments.text(name).as_bytes())
    }
}

/// What a tool answers.
pub(super) struct ToolAnswer {
    /// For programs.
    pub(super) structured: Value,
    /// For the model; without it, the JSON.
    pub(super) text: Option<String>,
}

impl From<Value> for ToolAnswer {
    fn from(structured: Value) -> ToolAnswer {
        ToolAnswer {
            structured,
            text: None,
        }
    }
}

impl ToolAnswer {
    /// An answer that is mostly text. The text is also the member `content`, as in other file-system servers.
    pub(super) fn of_text(mut structured: Value, text: String) -> ToolAnswer {
        structured["version"] = 1.into();
        structured["content"] = text.clone().into();
        ToolAnswer {
            structured,
            text: Some(text),
        }
    }
}

/// The outcome with what guard put right before, after an interrupted batch.
///
/// # Errors
/// Those of the outcome.
pub(super) fn told(gate: &Gate<'_>, outcome: GateResult<Value>) -> GateResult<ToolAnswer> {
    let notes = gate.recovered();
    match outcome {
        Ok(mut answer) => {
            if !notes.is_empty() {
                answer["notes"] = notes.into();
            }
            Ok(answer.into())
        }
        Err(failure) => Err(notes.into_iter().fold(failure, Failure::help)),
    }
}

impl Tool {
    /// What the client is told.
    pub(super) fn announced(&self) -> Announced {
        let annotations = ToolAnnotations::new()
            .read_only(self.effect == ToolEffect::Reads)
            .destructive(self.effect == ToolEffect::Changes)
            .idempotent(self.is_idempotent)
            .open_world(false);
        let mut announced = Announced::new(self.name, self.description, self.input_schema())
            .with_title(self.title)
            .with_raw_output_schema(self.output_schema())
            .with_annotations(annotations);
        if self.needs_person {
            let meta = object(json!({ "anthropic/requiresUserInteraction": true }));
            announced = announced.with_meta(MetaObject(meta));
        }
        announced
    }

    fn input_schema(&self) -> Arc<JsonObject> {
        let properties: JsonObject = self
            .arguments
            .iter()
            .map(|argument| (argument.name.to_owned(), argument.schema()))
            .collect();
        let required: Vec<&str> = self
            .arguments
            .iter()
            .filter(|argument| argument.is_required)
            .map(|argument| argument.name)
            .collect();
        Arc::new(object(json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        })))
    }

    /// One schema for answers and refusals, because clients check both.
    fn output_schema(&self) -> Arc<JsonObject> {
        let mut properties: JsonObject = self
            .answer
            .iter()
            .map(|(name, kind)| ((*name).to_owned(), json!({ "type": [kind, "null"] })))
            .collect();
        properties.insert("version".into(), json!({ "type": "integer" }));
        properties.insert(
            "error".into(),
            json!({
                "type": "object",
                "description": "Why the call was refused or failed; only if isError is true.",
                "properties": {
                    "kind": { "type": "string" },
                    "message": { "type": "string" },
                    "help": { "type": "array", "items": { "type": "string" } },
                },
                "required": ["kind", "message", "help"],
            }),
        );
        Arc::new(object(json!({
            "type": "object",
            "properties": properties,
            "required": ["version"],
        })))
    }
}

fn object(value: Value) -> JsonObject {
    match value {
        Value::Object(object) => object,
        _ => JsonObject::new(),
    }
}
