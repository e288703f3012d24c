//! What agents send: one JSON object on standard input, in which no key occurs twice. Two programs may choose different
//! values for one, so a call that has one is denied.
//!
//! It announces a tool call, or is an event: after a tool ran, at the end of a turn, and where the model's context takes
//! up text.

use std::path::PathBuf;

use gix::bstr::BString;
use serde_json::{Map, Value};

use super::action::FileAction;
use super::patch::{is_own_form, patch_actions};
use super::protocol::{EventKind, Protocol};
use super::tools;
use write_guard_policy::error::{Error, Result};
use write_guard_policy::path::{escaped, text_on_one_line};
use write_guard_policy::sha256::sha256;

/// So much of a command is shown in a list.
const MOST_SHOWN: usize = 100;

/// A payload that is a JSON object.
pub(super) struct Payload(pub(super) Map<String, Value>);

/// # Errors
/// The bytes are not one JSON object.
pub(super) fn parse(bytes: &[u8]) -> Result<Payload> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    match parse_unique(bytes) {
        Ok(Value::Object(object)) => Ok(Payload(object)),
        Ok(_) => Err(unusable("it is not a JSON object")),
        Err(error) => Err(unusable(&format!("it is not valid JSON: {error}"))),
    }
}

fn unusable(why: &str) -> Error {
    Error::new(format!("the input of `guard hook` is unusable: {}", escaped(why))).help(
        "a person should check the hook's settings: docs/agents.md of guard shows those for each agent",
    )
}

impl Payload {
    /// The text under the first of these keys that is there.
    fn text(&self, keys: &[&str]) -> Option<&str> {
        self.first(keys)?.as_str()
    }

    fn first(&self, keys: &[&str]) -> Option<&Value> {
        keys.iter().find_map(|key| self.0.get(*key))
    }

    /// The input of the tool, under the names that agents give it.
    fn input(&self) -> Option<&Value> {
        self.first(&["tool_input", "toolInput", "toolArgs", "args"])
    }

    /// What tells a tool call from others, before and after it: its id, or else its input.
    fn call_id(&self) -> Option<String> {
        let id = self.text(&["tool_use_id", "toolUseId", "toolCallId", "call"]);
        id.map(str::to_owned).or_else(|| {
            // The agent may send the same keys in another order.
            let mut input = self.input()?.clone();
            input.sort_all_objects();
            Some(sha256(input.to_string().as_bytes()).to_string())
        })
    }

    /// The roots of the workspace that are absolute paths, if the payload names several.
    fn roots(&self) -> Vec<PathBuf> {
        let roots = self.0.get("workspace_roots").and_then(Value::as_array);
        let roots = roots.into_iter().flatten().filter_map(Value::as_str);
        let roots = roots.map(PathBuf::from);
        roots.filter(|root| root.is_absolute()).collect()
    }

    /// The directory in which the agent works: an absolute path. An agent may name the only root of its workspace instead.
    fn directory(&self) -> Result<PathBuf> {
        let mut roots = self.roots();
        let only_root = roots.pop().filter(|_| roots.is_empty());
        let named = self.text(&["cwd"]).filter(|path| !path.is_empty());
        let directory = named.map(PathBuf::from).or(only_root);
        directory.filter(|path| path.is_absolute()).ok_or_else(|| {
            let why =
                "neither `cwd` nor a single one of `workspace_roots` says where the call works";
            unusable(why)
        })
    }

    /// What the payload is about. Copilot's events show by a key.
    ///
    /// # Errors
    /// It is another event, or the payload has another shape.
    pub(crate) fn event(&self, protocol: &Protocol) -> Result<AgentEvent> {
        let shown = [
            ("stopReason", "agentStop"),
            ("toolResult", "postToolUse"),
            ("prompt", "userPromptSubmitted"),
            ("source", "sessionStart"),
            ("reason", "sessionEnd"),
        ];
        let by_key = || shown.iter().find(|(key, _)| self.0.contains_key(*key));
        let named = self.text(&["hook_event_name", "hookEventName"]);
        let name = named.or_else(|| Some(by_key()?.1)).unwrap_or_default();
        let known = protocol.events.iter().find(|(event, _)| *event == name);
        let (name, kind) = match known {
            Some(known) => *known,
            None if protocol.before.contains(&name) => ("", EventKind::BeforeTool),
            None => {
                let answered = protocol.before.last().unwrap_or(&"");
                let why = format!("guard answers the event {answered} only");
                return Err(unusable(&why));
            }
        };
        let tool = self.text(&["tool_name", "toolName", "tool"]);
        let actions = match (kind, tool) {
            (EventKind::BeforeTool, Some(tool)) => self.actions(tool)?,
            (EventKind::BeforeTool, None) => return Err(unusable("it names no tool")),
            _ => Vec::new(),
        };
        let written = match (kind, tool) {
            (EventKind::AfterTool, Some(tool)) => self.written(tool),
            _ => Vec::new(),
        };
        let input = self.input();
        let session = self.text(&["session_id", "sessionId", "session", "conversation_id"]);
        Ok(AgentEvent {
            name,
            kind,
            directory: self.directory()?,
            roots: self.roots(),
            session: session.unwrap_or_default().to_owned(),
            call: self.call_id(),
            tool: tool.unwrap_or_default().to_owned(),
            actions,
            written,
            prompt: self.text(&["prompt_id"]).map(str::to_owned),
            goes_on: input.is_some_and(|input| input["run_in_background"] == true),
            is_repeated: self.is_repeated(),
        })
    }

    /// The files that a tool wrote, as far as its input says so.
    fn written(&self, tool: &str) -> Vec<BString> {
        let mut written = Vec::new();
        for action in self.actions(tool).unwrap_or_default() {
            if !action.is_read() {
                written.extend(action.paths().map(BString::from));
            }
        }
        written
    }

    /// What the tool does to files. Some versions of Copilot send the input as JSON in a string, and a patch as it is.
    fn actions(&self, tool: &str) -> Result<Vec<FileAction>> {
        let text = match self.input() {
            Some(Value::Object(input)) => return tools::actions(tool, input),
            input => input.and_then(Value::as_str).unwrap_or_default(),
        };
        if is_own_form(text) {
            return patch_actions(text);
        }
        match parse_unique(text.as_bytes()) {
            Ok(Value::Object(input)) => tools::actions(tool, &input),
            _ => {
                let why = "the input of the tool is not a JSON object with each key once";
                Err(unusable(why))
            }
        }
    }

    /// Whether the agent goes on only because of a report, so that another would hold it for ever. Cursor counts its
    /// rounds, and begins another one even after the person has stopped it.
    fn is_repeated(&self) -> bool {
        if let Some(rounds) = self.0.get("loop_count") {
            return rounds != 0 || self.text(&["status"]) != Some("completed");
        }
        let active = self.first(&["stop_hook_active", "stopHookActive"]);
        active == Some(&Value::Bool(true))
    }
}

/// Parses a text.
///
/// # Errors
/// It is not JSON, or a key occurs twice.
fn parse_unique(text: &[u8]) -> std::result::Result<Value, String> {
    let value = serde_json::from_slice(text).map_err(|error| error.to_string())?;
    // Outside of strings, each key has a colon, and nothing else has one.
    let mut is_in_string = false;
    let mut colons = 0;
    let mut bytes = text.iter();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' => drop(bytes.next()),
            b'"' => is_in_string = !is_in_string,
            b':' if !is_in_string => colons += 1,
            _ => {}
        }
    }
    if colons == keys(&value) {
        Ok(value)
    } else {
        Err("a key occurs twice".to_owned())
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

/// A tool call that an agent announces, or another event.
#[derive(Debug, Clone, PartialEq)]
pub struct AgentEvent {
    /// The agent's name of the event, to answer it.
    pub(super) name: &'static str,
    pub(super) kind: EventKind,
    /// The directory in which the agent works: an absolute path.
    pub directory: PathBuf,
    /// The roots of its workspace, if it names them.
    pub(super) roots: Vec<PathBuf>,
    /// The agent's session, so that each hears of a finding once; empty if the payload does not say.
    pub session: String,
    /// What tells the tool call from others; `None` for several at once.
    pub call: Option<String>,
    /// The agent's name of the tool.
    pub(super) tool: String,
    /// What the tool does to files; empty if guard does not judge it.
    pub actions: Vec<FileAction>,
    /// The files that the tool has written, if it has run.
    pub written: Vec<BString>,
    /// The prompt that the call belongs to, if the agent says so.
    pub(super) prompt: Option<String>,
    /// Whether the command goes on in the background.
    pub(super) goes_on: bool,
    /// Whether the agent goes on only because of a report.
    pub(super) is_repeated: bool,
}

impl AgentEvent {
    /// Whether the context takes up text, before the agent does something.
    pub fn takes_context(&self) -> bool {
        matches!(self.kind, EventKind::NewContext | EventKind::Prompt)
    }

    pub fn has_only_absolute_paths(&self) -> bool {
        let mut paths = self.actions.iter().flat_map(FileAction::paths);
        paths.all(|path| gix::path::from_bstr(path).is_ok_and(|path| path.is_absolute()))
    }

    /// What the call does, on one line for people.
    pub(super) fn about(&self) -> String {
        let commands = self.actions.iter().filter_map(|action| match action {
            FileAction::Command(text) => Some(text.as_str()),
            _ => None,
        });
        let commands: Vec<&str> = commands.collect();
        let text = format!("{}: {}", self.tool, commands.join("; "));
        let text: String = text
            .trim_end_matches(": ")
            .chars()
            .take(MOST_SHOWN)
            .collect();
        text_on_one_line(&text).into_owned()
    }

    /// Whether guard cannot know from the call what it does to files.
    pub fn is_observed(&self) -> bool {
        self.actions.is_empty() || self.actions.iter().any(FileAction::is_command)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::parse_unique as parse;

    /// Another process compares it, so it is the same on each system and in each version.
    #[test]
    fn call_without_an_id_is_known_by_its_input_in_any_order() {
        let call = |text: &[u8]| super::parse(text).unwrap().call_id().unwrap();
        let expected = "5856ed71192ab2ea2ffe24f70a702e4bc11aa53042f05b0457615eeb3ffea181";
        let one = call(br#"{"tool_input": {"a": 1, "b": {"c": [2], "d": 3}}}"#);
        assert_eq!(one, expected);
        assert_eq!(
            one,
            call(br#"{"tool_input": {"b": {"d": 3, "c": [2]}, "a": 1}}"#)
        );
        assert_ne!(
            one,
            call(br#"{"tool_input": {"a": 1, "b": {"c": [2], "d": 4}}}"#)
        );
        assert_eq!(
            call(br#"{"tool_use_id": "7", "tool_input": {"a": 1}}"#),
            "7"
        );
    }

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
