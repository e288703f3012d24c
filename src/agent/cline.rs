//! Cline: the hook `PreToolUse`. Only `cancel` on standard output stops a tool; Cline goes on after any exit code.

use std::path::PathBuf;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::apply_patch;
use super::call::{FileAction, ToolCall};
use super::edit::TextEdit;
use super::payload::{self, Payload};
use super::protocol::{DENIED, Protocol, blocked};
use super::search_replace;
use crate::error::{Error, Result};
use crate::path::single_quoted;

pub(super) const PROTOCOL: Protocol = Protocol {
    parse,
    allowed: "{\"cancel\": false}\n",
    // The person reads the first text, the model the second one.
    denied: Some(
        |reason| json!({"cancel": true, "errorMessage": reason, "contextModification": reason}),
    ),
    finished: &[],
    reported: blocked,
    denied_code: DENIED,
    project_variable: None,
    sample: |root, path| {
        json!({
            "clineVersion": "3", "hookName": "PreToolUse", "timestamp": "1", "taskId": "guard", "userId": "guard",
            "workspaceRoots": [root],
            "preToolUse": {"toolName": "write_to_file", "parameters": {"path": path, "content": "x\n"}},
        })
    },
};

/// What the extension sends; the command line adds `tool_call`, whose input is not turned into strings.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ClinePayload {
    hook_name: String,
    #[serde(default)]
    workspace_roots: Vec<PathBuf>,
    workspace_path: Option<PathBuf>,
    pre_tool_use: Option<ClineTool>,
    #[serde(rename = "tool_call")]
    tool_call: Option<ClineCall>,
}

#[derive(Deserialize)]
struct ClineTool {
    #[serde(rename = "toolName", alias = "tool")]
    tool_name: String,
    parameters: Map<String, Value>,
}

#[derive(Deserialize)]
struct ClineCall {
    name: String,
    input: Value,
}

/// `task_progress` is a list of steps for the person.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ClineWrite {
    #[serde(alias = "absolutePath")]
    path: String,
    content: String,
    #[serde(default, rename = "task_progress")]
    _progress: Value,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ClineReplace {
    #[serde(alias = "absolutePath")]
    path: String,
    diff: String,
    #[serde(default, rename = "task_progress")]
    _progress: Value,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ClinePatch {
    input: String,
    #[serde(default, rename = "task_progress")]
    _progress: Value,
}

/// The tool of the command line: it creates a file, replaces one text in it, or inserts before a line.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ClineEditor {
    path: String,
    old_text: Option<String>,
    new_text: String,
    insert_line: Option<usize>,
}

#[derive(Deserialize)]
struct ClineRead {
    #[serde(alias = "absolutePath")]
    path: String,
}

#[derive(Deserialize)]
struct ClineShell {
    command: String,
}

fn parse(payload: &Payload) -> Result<ToolCall> {
    let sent: ClinePayload = payload.confirmed()?;
    payload.require(
        matches!(sent.hook_name.as_str(), "PreToolUse" | "tool_call"),
        "guard answers the hook PreToolUse only",
    )?;
    let (tool, input) = match (sent.tool_call, sent.pre_tool_use) {
        (Some(ClineCall { name, input }), _) => (name, input),
        (
            None,
            Some(ClineTool {
                tool_name,
                parameters,
            }),
        ) => (tool_name, parameters.into()),
        (None, None) => {
            payload.require(false, "it names no tool")?;
            Default::default()
        }
    };
    let actions = match input {
        Value::Object(input) => actions(&tool, &input)?,
        input => unlisted(&tool, &input)?,
    };
    let mut roots = sent.workspace_roots;
    if roots.is_empty() {
        roots.extend(sent.workspace_path);
    }
    Ok(ToolCall {
        directory: payload.workspace(&roots, &actions)?,
        actions,
        tool,
    })
}

fn actions(tool: &str, input: &Map<String, Value>) -> Result<Vec<FileAction>> {
    let action = match tool {
        "write_to_file" | "new_rule" => {
            let ClineWrite { path, content, .. } = payload::tool_input(tool, input)?;
            FileAction::write(path, content)
        }
        "replace_in_file" => {
            let ClineReplace { path, diff, .. } = payload::tool_input(tool, input)?;
            FileAction::edit(path, search_replace::parse(&diff)?)
        }
        "editor" => {
            let edit: ClineEditor = payload::tool_input(tool, input)?;
            let step = match (edit.insert_line, edit.old_text) {
                (Some(0), _) => return Err(Error::new("insert_line counts from 1")),
                (Some(line), _) => TextEdit::Insert {
                    after: line - 1,
                    text: edit.new_text + "\n",
                },
                (None, old) => TextEdit::once(old.unwrap_or_default(), edit.new_text),
            };
            FileAction::edit(edit.path, [step])
        }
        "apply_patch" => {
            let ClinePatch { input, .. } = payload::tool_input(tool, input)?;
            return apply_patch::parse(&input);
        }
        "read_file" => {
            let ClineRead { path } = payload::tool_input(tool, input)?;
            FileAction::read(path)
        }
        "execute_command" => {
            let ClineShell { command } = payload::tool_input(tool, input)?;
            FileAction::command(command)
        }
        "run_commands" | "read_files" => return listed(tool, input),
        _ => return payload::unknown_tool(tool, input),
    };
    Ok(vec![action])
}

/// What is below the one key that the tool takes, or the object itself.
fn listed(tool: &str, input: &Map<String, Value>) -> Result<Vec<FileAction>> {
    const KEYS: [&str; 4] = ["commands", "files", "file_paths", "paths"];
    let mut lists = KEYS.iter().filter_map(|key| input.get(*key));
    match (lists.next(), lists.next(), input.len()) {
        (Some(list), None, 1) => unlisted(tool, list),
        (None, ..) => unlisted(tool, &Value::Object(input.clone())),
        _ => Err(unknown_shape(tool)),
    }
}

/// The input of a tool that takes a text, an object, or a list of them.
fn unlisted(tool: &str, input: &Value) -> Result<Vec<FileAction>> {
    let text = |key: &str| input.get(key).and_then(Value::as_str).map(str::to_owned);
    let action = match (tool, input) {
        ("run_commands" | "read_files", Value::Array(all)) => {
            let each = all.iter().map(|one| unlisted(tool, one));
            return Ok(each.collect::<Result<Vec<_>>>()?.concat());
        }
        ("apply_patch", Value::String(patch)) => return apply_patch::parse(patch),
        ("run_commands", Value::String(text)) => Some(FileAction::command(text.clone())),
        ("run_commands", Value::Object(one)) if one.contains_key("args") => {
            words(input).map(|words| FileAction::command(words.join(" ")))
        }
        ("run_commands", _) => text("command")
            .or_else(|| text("cmd"))
            .map(FileAction::command),
        ("read_files", Value::String(path)) => Some(FileAction::read(path.clone())),
        ("read_files", _) => text("path").map(FileAction::read),
        _ => return actions(tool, &Map::from_iter([("input".to_owned(), input.clone())])),
    };
    match action {
        Some(action) => Ok(vec![action]),
        None => Err(unknown_shape(tool)),
    }
}

/// A program and its arguments, each as one word of a shell command.
fn words(input: &Value) -> Option<Vec<String>> {
    let arguments = input.get("args")?.as_array()?;
    let words = input.get("command").into_iter().chain(arguments);
    words.map(|word| word.as_str().map(single_quoted)).collect()
}

fn unknown_shape(tool: &str) -> Error {
    Error::new(format!(
        "the input of the tool {tool} has a shape that guard does not know"
    ))
    .help("a newer guard may know it; until then, use another tool")
}
