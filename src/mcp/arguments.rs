//! The arguments of a tool: their schema, and what a call has to keep to.

use serde_json::{Map, Value, json};

use crate::gate::{Edit, Failure, FailureKind, GateResult};
use crate::path::escaped;
use crate::suggest::closest_word;

/// An argument of a tool.
pub(super) struct Argument {
    pub(super) name: &'static str,
    pub(super) kind: ArgumentKind,
    pub(super) is_required: bool,
    pub(super) description: &'static str,
}

/// What an argument holds.
#[derive(Debug, Clone, Copy)]
pub(super) enum ArgumentKind {
    Text,
    Texts,
    Flag,
    Count,
    Choice(&'static [&'static str]),
    /// A list of `oldText` and `newText`.
    Edits,
}

impl Argument {
    pub(super) const fn required(
        name: &'static str,
        kind: ArgumentKind,
        description: &'static str,
    ) -> Argument {
        Argument {
            name,
            kind,
            is_required: true,
            description,
        }
    }

    pub(super) const fn optional(
        name: &'static str,
        kind: ArgumentKind,
        description: &'static str,
    ) -> Argument {
        Argument {
            name,
            kind,
            is_required: false,
            description,
        }
    }

    pub(super) fn schema(&self) -> Value {
        let mut schema = match self.kind {
            ArgumentKind::Text => json!({ "type": "string" }),
            ArgumentKind::Texts => json!({ "type": "array", "items": { "type": "string" } }),
            ArgumentKind::Flag => json!({ "type": "boolean" }),
            ArgumentKind::Count => json!({ "type": "integer", "minimum": 1 }),
            ArgumentKind::Choice(names) => json!({ "type": "string", "enum": names }),
            ArgumentKind::Edits => json!({
                "type": "array",
                "minItems": 1,
                "items": {
                    "type": "object",
                    "properties": {
                        "oldText": { "type": "string", "description": "The exact text to replace; it must occur exactly once." },
                        "newText": { "type": "string", "description": "The replacement, taken literally." },
                    },
                    "required": ["oldText", "newText"],
                    "additionalProperties": false,
                },
            }),
        };
        schema["description"] = self.description.into();
        schema
    }

    fn fits(&self, value: &Value) -> bool {
        match self.kind {
            ArgumentKind::Text => value.is_string(),
            ArgumentKind::Flag => value.is_boolean(),
            ArgumentKind::Count => value.as_u64().is_some_and(|count| count > 0),
            ArgumentKind::Choice(names) => value.as_str().is_some_and(|name| names.contains(&name)),
            ArgumentKind::Texts => value
                .as_array()
                .is_some_and(|items| items.iter().all(Value::is_string)),
            ArgumentKind::Edits => value
                .as_array()
                .is_some_and(|items| !items.is_empty() && items.iter().all(is_edit)),
        }
    }

    fn expected(&self) -> String {
        match self.kind {
            ArgumentKind::Text => "a string".into(),
            ArgumentKind::Texts => "a list of strings".into(),
            ArgumentKind::Flag => "true or false".into(),
            ArgumentKind::Count => "a whole number from 1".into(),
            ArgumentKind::Choice(names) => format!("one of {}", names.join(", ")),
            ArgumentKind::Edits => "a list of {\"oldText\": \"…\", \"newText\": \"…\"}".into(),
        }
    }
}

fn is_edit(value: &Value) -> bool {
    value.as_object().is_some_and(|edit| {
        edit.len() == 2
            && edit.get("oldText").is_some_and(Value::is_string)
            && edit.get("newText").is_some_and(Value::is_string)
    })
}

/// The arguments of one call, which fit the tool.
#[derive(Debug, Clone)]
pub(super) struct Arguments(Map<String, Value>);

impl Arguments {
    /// # Errors
    /// An argument is missing, unknown, or of another type.
    pub(super) fn new(given: Map<String, Value>, known: &[Argument]) -> GateResult<Arguments> {
        // Some clients send null for what they leave out.
        let given: Map<String, Value> = given
            .into_iter()
            .filter(|(_, value)| !value.is_null())
            .collect();
        for (name, value) in &given {
            let Some(argument) = known.iter().find(|argument| argument.name == name) else {
                return Err(unknown(name, known));
            };
            if !argument.fits(value) {
                let expected = argument.expected();
                return Err(bad(format!("the argument `{name}` must be {expected}")));
            }
        }
        let is_missing =
            |argument: &&Argument| argument.is_required && !given.contains_key(argument.name);
        match known.iter().find(is_missing) {
            Some(argument) => Err(bad(format!("the argument `{}` is missing", argument.name))),
            None => Ok(Arguments(given)),
        }
    }

    /// A text; empty if it was left out.
    pub(super) fn text(&self, name: &str) -> &str {
        self.given(name).unwrap_or_default()
    }

    pub(super) fn given(&self, name: &str) -> Option<&str> {
        self.0.get(name).and_then(Value::as_str)
    }

    pub(super) fn texts(&self, name: &str) -> Vec<String> {
        let items = self.0.get(name).and_then(Value::as_array).into_iter();
        items
            .flatten()
            .filter_map(|item| item.as_str().map(str::to_owned))
            .collect()
    }

    pub(super) fn flag(&self, name: &str) -> bool {
        self.0
            .get(name)
            .and_then(Value::as_bool)
            .unwrap_or_default()
    }

    pub(super) fn count(&self, name: &str) -> Option<usize> {
        let count = self.0.get(name).and_then(Value::as_u64);
        count.map(|count| usize::try_from(count).unwrap_or(usize::MAX))
    }

    pub(super) fn edits(&self, name: &str) -> Vec<Edit> {
        let items = self.0.get(name).and_then(Value::as_array).into_iter();
        let text = |item: &Value, key: &str| {
            let text = item.get(key).and_then(Value::as_str);
            text.unwrap_or_default().as_bytes().to_vec()
        };
        items
            .flatten()
            .map(|item| Edit {
                search: text(item, "oldText"),
                replace: text(item, "newText"),
            })
            .collect()
    }
}

/// A call that does not fit the tool.
pub(super) fn bad(message: impl Into<String>) -> Failure {
    Failure::new(FailureKind::CannotJudge, message.into())
}

fn unknown(name: &str, known: &[Argument]) -> Failure {
    let names = known.iter().map(|argument| argument.name);
    let failure = bad(format!("unknown argument `{}`", escaped(name)));
    match closest_word(name, names.clone()) {
        Some(closest) => failure.help(format!("did you mean `{closest}`?")),
        None if known.is_empty() => failure.help("the tool has no arguments"),
        None => failure.help(format!("known: {}", names.collect::<Vec<_>>().join(", "))),
    }
}
