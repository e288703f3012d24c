//! What agents send: one JSON object on standard input, in which no key occurs twice. Two programs may choose different
//! values for one, so a call that has one is denied.
//!
//! It announces a tool call, or is an event: after a tool ran, at the end of a turn, and where the model's context takes
//! up text.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::tools::{self, FileAction, ToolCall};
use crate::error::{Error, Result};
use crate::path::escaped;

/// A payload that is a JSON object.
pub(super) struct Payload {
    /// The name of the agent.
    agent: &'static str,
    pub(super) object: Map<String, Value>,
}

/// A tool call as agents announce it.
#[derive(Deserialize)]
struct Announced {
    /// OpenCode's plugin and Copilot name none.
    #[serde(default, alias = "hookEventName")]
    hook_event_name: String,
    /// Cursor may not know it.
    #[serde(default)]
    cwd: PathBuf,
    #[serde(default)]
    workspace_roots: Vec<PathBuf>,
    #[serde(alias = "toolName", alias = "tool")]
    tool_name: String,
    #[serde(alias = "toolInput", alias = "toolArgs", alias = "args")]
    tool_input: ToolInput,
}

/// Some versions of Copilot send the input as JSON in a string, and a patch as it is.
#[derive(Deserialize)]
#[serde(untagged)]
enum ToolInput {
    Object(Map<String, Value>),
    Text(String),
}

/// # Errors
/// The bytes are not one JSON object.
pub(super) fn parse(agent: &'static str, bytes: &[u8]) -> Result<Payload> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let why = match parse_unique(bytes) {
        Ok(Value::Object(object)) => return Ok(Payload { agent, object }),
        Ok(_) => "it is not a JSON object".to_owned(),
        Err(_) if bytes.trim_ascii().is_empty() => "standard input is empty".to_owned(),
        Err(error) => format!("it is not valid JSON: {error}"),
    };
    Err(unusable(agent, &why))
}

fn unusable(agent: &str, why: &str) -> Error {
    Error::new(format!(
        "the input of `guard hook {agent}` is unusable: {}",
        escaped(why)
    ))
    .help(format!(
        "a person should check the hook's settings: docs/agents.md of guard shows those for {agent}"
    ))
}

impl Payload {
    /// The text under the first of these keys that is there.
    pub(super) fn text(&self, keys: &[&str]) -> Option<&str> {
        let found = keys.iter().find_map(|key| self.object.get(*key));
        found.and_then(Value::as_str)
    }

    /// The agent's session; empty if the payload does not say.
    pub(super) fn session(&self) -> &str {
        self.text(&["session_id", "sessionId", "session", "conversation_id"])
            .unwrap_or_default()
    }

    /// The name of the event; `None` for the call of an agent that names none. Copilot's other events show by a key.
    pub(super) fn event(&self) -> Option<&str> {
        let shown = [
            ("stopReason", "agentStop"),
            ("toolResult", "postToolUse"),
            ("prompt", "userPromptSubmitted"),
            ("source", "sessionStart"),
            ("reason", "sessionEnd"),
        ];
        let by_key = || shown.iter().find(|(key, _)| self.object.contains_key(*key));
        self.text(&["hook_event_name", "hookEventName"])
            .or_else(|| Some(by_key()?.1))
    }

    /// The input of the tool, under the names that agents give it.
    pub(super) fn input(&self) -> Option<&Value> {
        const KEYS: [&str; 4] = ["tool_input", "toolInput", "toolArgs", "args"];
        KEYS.iter().find_map(|key| self.object.get(*key))
    }

    /// What tells a tool call from others, before and after it: its id, or else its input.
    pub(super) fn call_id(&self) -> Option<String> {
        let id = self.text(&["tool_use_id", "toolUseId", "toolCallId", "call"]);
        id.map(str::to_owned).or_else(|| {
            let mut hasher = DefaultHasher::new();
            self.input()?.hash(&mut hasher);
            Some(format!("{:x}", hasher.finish()))
        })
    }

    /// The directory in which the agent works, or the first root of its workspace: an absolute path.
    pub(super) fn place(&self) -> Option<PathBuf> {
        let root = || self.object.get("workspace_roots")?.get(0)?.as_str();
        let directory = self.text(&["cwd"]).filter(|path| !path.is_empty());
        let directory = PathBuf::from(directory.or_else(root)?);
        directory.is_absolute().then_some(directory)
    }

    /// The announced tool call, with what the tool does to files. `events` are the spellings of the event; an empty
    /// one stands for a payload that names none.
    ///
    /// # Errors
    /// It is another event, or the payload has another shape.
    pub(super) fn call(&self, events: &[&str]) -> Result<ToolCall> {
        let sent = Announced::deserialize(&self.object)
            .map_err(|error| unusable(self.agent, &error.to_string()))?;
        self.require(
            events.contains(&sent.hook_event_name.as_str()),
            &format!(
                "guard answers the event {} only",
                events.last().unwrap_or(&"")
            ),
        )?;
        let tool = sent.tool_name;
        let actions = match sent.tool_input {
            ToolInput::Object(input) => tools::actions(&tool, &input)?,
            ToolInput::Text(text) if text.trim_start().starts_with("***") => {
                tools::patch_actions(&text)?
            }
            ToolInput::Text(text) => {
                let Ok(Value::Object(input)) = parse_unique(text.as_bytes()) else {
                    let why = "the input of the tool is not a JSON object with each key once";
                    return Err(unusable(self.agent, why));
                };
                tools::actions(&tool, &input)?
            }
        };
        let directory = match sent.cwd.as_os_str().is_empty() {
            true => self.workspace(&sent.workspace_roots, &actions)?,
            false => sent.cwd,
        };
        self.require(directory.is_absolute(), "`cwd` is not an absolute path")?;
        Ok(ToolCall {
            directory,
            actions,
            tool,
        })
    }

    /// The directory of an agent that names the roots of its workspace instead: the only root, or the one with the
    /// files of the call.
    fn workspace(&self, roots: &[PathBuf], actions: &[FileAction]) -> Result<PathBuf> {
        let paths: Vec<PathBuf> = actions
            .iter()
            .flat_map(FileAction::paths)
            .map(|path| gix::path::from_bstr(path).map_or_else(|_| PathBuf::new(), Cow::into_owned))
            .collect();
        let has_all = |root: &&PathBuf| paths.iter().all(|path| path.starts_with(root));
        let root = roots.iter().find(has_all).or(roots.first());
        let root = root.ok_or_else(|| unusable(self.agent, "it names no workspace"))?;
        self.require(
            roots.len() == 1 || paths.iter().all(|path| path.is_absolute()),
            "the workspace has several roots, and the call names a relative path; use the absolute path",
        )?;
        Ok(root.clone())
    }

    /// # Errors
    /// Says why the payload is unusable.
    fn require(&self, is_met: bool, why: &str) -> Result<()> {
        match is_met {
            true => Ok(()),
            false => Err(unusable(self.agent, why)),
        }
    }
}

/// Parses a text.
///
/// # Errors
/// It is not JSON, or a key occurs twice.
fn parse_unique(text: &[u8]) -> std::result::Result<Value, String> {
    let value = serde_json::from_slice(text).map_err(|error| error.to_string())?;
    // Outside of strings, each key has a colon, and nothing else has one.
    let (mut is_in_string, mut colons) = (false, 0);
    let mut bytes = text.iter();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' => drop(bytes.next()),
            b'"' => is_in_string = !is_in_string,
            b':' if !is_in_string => colons += 1,
            _ => {}
        }
    }
    match colons == keys(&value) {
        true => Ok(value),
        false => Err("a key occurs twice".to_owned()),
    }
}

/// The number of keys at any depth.
fn keys(value: &Value) -> usize {
    match value {
        Value::Object(members) => members.len() + members.values().map(keys).sum::<usize>(),
        Value::Array(items) => items.iter().map(keys).sum(),
        _ => 0,
    }
}

/// The event at the end of a session, which some agents begin with a small letter.
pub(super) const SESSION_END: &str = "SessionEnd";

/// What an event means for guard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EventKind {
    /// A tool ran.
    AfterTool,
    /// A turn or the session ends.
    EndOfTurn,
    /// The context holds nothing yet, or nothing any more.
    NewContext,
    /// The context takes up a prompt.
    Prompt,
}

/// An event of an agent.
#[derive(Debug)]
pub(crate) struct AgentEvent {
    /// The agent's name of the event.
    pub(super) name: &'static str,
    pub(super) kind: EventKind,
    /// The directory in which the agent works: an absolute path.
    pub(crate) directory: PathBuf,
    /// The agent's session, so that each hears of a finding once.
    pub(crate) session: String,
    /// The tool call that ended; `None` for several at once.
    pub(super) call: Option<String>,
    /// Whether the command goes on in the background.
    pub(super) goes_on: bool,
}

impl AgentEvent {
    /// The event of a payload; `None` if it is none of these.
    pub(super) fn of<T>(
        events: &[(&'static str, EventKind, T)],
        payload: &Payload,
    ) -> Option<AgentEvent> {
        let name = payload.event()?;
        let (name, kind, _) = *events.iter().find(|(event, ..)| *event == name)?;
        let input = payload.input();
        Some(AgentEvent {
            name,
            kind,
            directory: payload.place()?,
            session: payload.session().to_owned(),
            call: payload.call_id(),
            goes_on: input.is_some_and(|input| input["run_in_background"] == true),
        })
    }

    /// Whether it comes after the agent did something.
    pub(super) fn is_after_the_fact(&self) -> bool {
        matches!(self.kind, EventKind::AfterTool | EventKind::EndOfTurn)
    }

    /// Whether it is the end of a turn.
    pub(super) fn ends_turn(&self) -> bool {
        self.kind == EventKind::EndOfTurn
    }

    /// Whether it is the end of the session.
    pub(super) fn ends_session(&self) -> bool {
        self.name.eq_ignore_ascii_case(SESSION_END)
    }
}

/// Whether the agent goes on only because of a report, so that another would hold it for ever. Cursor counts its
/// rounds, and begins another one even after the person has stopped it.
pub(super) fn is_repeated(payload: &Payload) -> bool {
    if let Some(rounds) = payload.object.get("loop_count") {
        let status = payload.object.get("status").and_then(Value::as_str);
        return rounds != &Value::from(0) || status != Some("completed");
    }
    let mut keys = ["stop_hook_active", "stopHookActive"].into_iter();
    keys.any(|key| payload.object.get(key) == Some(&Value::Bool(true)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::parse_unique as parse;

    #[test]
    fn a_value_is_read_as_ever_unless_a_key_occurs_twice() {
        let text =
            br#"{"a": [null, true, -1, 18446744073709551615, 0.5, "x\u001b\\\":"], "b:\"": {"a": {}}}"#;
        assert_eq!(
            parse(text).unwrap(),
            serde_json::from_slice::<serde_json::Value>(text).unwrap()
        );
        for text in [
            r#"{"a": 1, "a": 1}"#,
            r#"{"a": {"b": 1}, "a": 1}"#,
            r#"{"a": 1, "\u0061": 1}"#,
            r#"[{"b": {"\u001b": 1, "\u001b": 2}}]"#,
            r#"[":\\", {"b\"": 1, "b\"": ":"}]"#,
        ] {
            let error = parse(text.as_bytes()).unwrap_err();
            assert_eq!(error, "a key occurs twice", "{text}");
        }
    }
}
