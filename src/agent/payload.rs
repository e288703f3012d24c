//! What agents send: one JSON object on standard input.

use std::borrow::Cow;
use std::path::PathBuf;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::call::{FileAction, ToolCall};
use crate::error::{Error, Result};
use crate::path::escaped;

/// The keys under which tools of all agents name a file.
const PATH_KEYS: [&str; 21] = [
    "file_path",
    "filePath",
    "filepath",
    "path",
    "paths",
    "file",
    "files",
    "filename",
    "target_file",
    "targetFile",
    "TargetFile",
    "AbsolutePath",
    "absolutePath",
    "relative_path",
    "notebook_path",
    "notebookPath",
    "source",
    "destination",
    "old_path",
    "new_path",
    "uri",
];

/// The keys under which they give content.
const CONTENT_KEYS: [&str; 18] = [
    "content",
    "contents",
    "text",
    "file_text",
    "new_string",
    "newString",
    "new_str",
    "newStr",
    "new_source",
    "code",
    "code_edit",
    "edits",
    "replacements",
    "patch",
    "patchText",
    "diff",
    "new_content",
    "data",
];

/// The words in the names of tools that change files.
const CHANGING: [&str; 13] = [
    "write", "edit", "create", "delete", "remove", "move", "rename", "replace", "patch", "append",
    "insert", "save", "copy",
];

/// A payload that is a JSON object.
pub(super) struct Payload {
    /// The name of the agent.
    agent: &'static str,
    pub(super) object: Map<String, Value>,
}

/// A tool call as most agents announce it.
#[derive(Deserialize)]
struct Announced {
    #[serde(alias = "hookEventName")]
    hook_event_name: String,
    cwd: PathBuf,
    #[serde(alias = "toolName")]
    tool_name: String,
    #[serde(alias = "toolInput")]
    tool_input: Map<String, Value>,
}

/// # Errors
/// The bytes are not one JSON object.
pub(super) fn parse(agent: &'static str, bytes: &[u8]) -> Result<Payload> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let bad = |why: String| unusable(agent, &why);
    if bytes.trim_ascii().is_empty() {
        return Err(bad("standard input is empty".to_owned()));
    }
    match serde_json::from_slice(bytes) {
        Ok(Value::Object(object)) => Ok(Payload { agent, object }),
        Ok(_) => Err(bad("it is not a JSON object".to_owned())),
        Err(error) => Err(bad(format!("it is not valid JSON: {error}"))),
    }
}

fn unusable(agent: &str, why: &str) -> Error {
    Error::new(format!(
        "the input of `guard hook {agent}` is unusable: {why}"
    ))
    .help(format!(
        "a person should check the hook's settings: docs/agents.md of guard shows those for {agent}"
    ))
}

impl Payload {
    /// The agent's session; empty if the payload does not say.
    pub(super) fn session(&self) -> &str {
        const KEYS: [&str; 4] = ["session_id", "sessionId", "session", "conversation_id"];
        let found = KEYS.iter().find_map(|key| self.object.get(*key));
        found.and_then(Value::as_str).unwrap_or_default()
    }

    /// The payload as the agent defines it.
    ///
    /// # Errors
    /// It has another shape.
    pub(super) fn confirmed<T: DeserializeOwned>(&self) -> Result<T> {
        T::deserialize(&self.object)
            .map_err(|error: serde_json::Error| unusable(self.agent, &error.to_string()))
    }

    /// The tool call of an event, given by its spellings, with what the tool does to files.
    ///
    /// # Errors
    /// It is another event, or the payload has another shape.
    pub(super) fn announced(
        &self,
        events: &[&str],
        actions: impl FnOnce(&str, &Map<String, Value>) -> Result<Vec<FileAction>>,
    ) -> Result<ToolCall> {
        let announced: Announced = self.confirmed()?;
        self.require(
            events.contains(&announced.hook_event_name.as_str()),
            &format!("guard answers the event {} only", events[0]),
        )?;
        Ok(ToolCall {
            directory: self.directory(announced.cwd)?,
            actions: actions(&announced.tool_name, &announced.tool_input)?,
            tool: announced.tool_name,
        })
    }

    /// The directory in which the agent works.
    ///
    /// # Errors
    /// It is not absolute.
    pub(super) fn directory(&self, directory: PathBuf) -> Result<Option<PathBuf>> {
        self.require(directory.is_absolute(), "`cwd` is not an absolute path")?;
        Ok(Some(directory))
    }

    /// The directory of an agent that names the roots of its workspace instead: the only root, or the one with the
    /// files of the call.
    ///
    /// # Errors
    /// There is no root, one is not absolute, or the path of a file depends on which root the agent means.
    pub(super) fn workspace(
        &self,
        roots: &[PathBuf],
        actions: &[FileAction],
    ) -> Result<Option<PathBuf>> {
        let paths: Vec<PathBuf> = actions
            .iter()
            .flat_map(FileAction::paths)
            .map(|path| gix::path::from_bstr(path).map_or_else(|_| PathBuf::new(), Cow::into_owned))
            .collect();
        let has_all = |root: &&PathBuf| paths.iter().all(|path| path.starts_with(root));
        let root = match roots {
            [] | [_] => roots.first(),
            several => several.iter().find(has_all).or(several.first()),
        };
        let Some(root) = root else {
            self.require(false, "it names no workspace")?;
            return Ok(None);
        };
        self.require(
            roots.len() == 1 || paths.iter().all(|path| path.is_absolute()),
            "the workspace has several roots, and the call names a relative path; use the absolute path",
        )?;
        self.directory(root.to_owned())
    }

    /// # Errors
    /// Says why the payload is unusable.
    pub(super) fn require(&self, is_met: bool, why: &str) -> Result<()> {
        match is_met {
            true => Ok(()),
            false => Err(unusable(self.agent, why)),
        }
    }
}

/// The input of a tool that guard judges.
///
/// # Errors
/// It has another shape: then the tool may do something that guard would not judge.
pub(super) fn tool_input<T: DeserializeOwned>(tool: &str, input: &Map<String, Value>) -> Result<T> {
    T::deserialize(input).map_err(|error: serde_json::Error| {
        Error::new(format!(
            "the input of the tool {} has a shape that guard does not know: {error}",
            escaped(tool)
        ))
        .help("a newer guard may know it; until then, change the file with another tool")
    })
}

/// The actions of a tool that guard does not know: none.
///
/// # Errors
/// It names a file and seems to change it.
pub(super) fn unknown_tool(tool: &str, input: &Map<String, Value>) -> Result<Vec<FileAction>> {
    let first = |keys: &[&'static str]| keys.iter().copied().find(|key| input.contains_key(*key));
    let name = tool
        .rsplit("__")
        .next()
        .unwrap_or(tool)
        .to_ascii_lowercase();
    let changes = CHANGING.iter().any(|word| name.contains(word));
    let is_patch = |value: &Value| {
        let text = value.as_str().unwrap_or_default();
        text.trim_start().starts_with("*** Begin Patch")
    };
    let seen = match (first(&PATH_KEYS), first(&CONTENT_KEYS)) {
        (Some(path), Some(content)) => format!("`{path}` and `{content}`"),
        (Some(path), None) if changes => format!("`{path}`"),
        _ if input.values().any(is_patch) => "a patch".to_owned(),
        _ => return Ok(Vec::new()),
    };
    Err(Error::new(format!(
        "guard does not know the tool {}, which seems to change a file: its input has {seen}",
        escaped(tool)
    ))
    .help("change the file with the agent's own tools for writing and editing"))
}
