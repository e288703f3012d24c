//! Kiro: the event `PreToolUse` of its IDE and its command line. Only exit code 2 denies; the reason is on stderr.

use std::path::PathBuf;

use gix::bstr::BStr;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::call::{FileAction, ToolCall};
use super::edit::TextEdit;
use super::payload::{self, Payload};
use super::protocol::{DENIED, Protocol, blocked};
use crate::error::{Error, Result};
use crate::path::escaped;

pub(super) const PROTOCOL: Protocol = Protocol {
    parse,
    allowed: "",
    denied: None,
    finished: &[],
    reported: blocked,
    denied_code: DENIED,
    project_variable: None,
    sample: |root, path| {
        json!({
            "session_id": "guard", "cwd": root, "hook_event_name": "PreToolUse",
            "tool_name": "fs_write", "tool_input": {"path": path, "text": "x\n"},
        })
    },
};

/// `fs_write` and `fs_append` of version 3.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct KiroText {
    path: String,
    text: String,
}

/// The command `create` of version 2; the keys differ between its releases.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct KiroCreate {
    path: String,
    #[serde(alias = "file_text", alias = "new_str")]
    content: String,
    #[serde(default, rename = "summary")]
    _summary: Value,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct KiroReplace {
    path: String,
    #[serde(alias = "oldStr")]
    old_str: String,
    #[serde(alias = "newStr")]
    new_str: String,
    #[serde(default, alias = "replaceAll")]
    replace_all: bool,
    #[serde(default, rename = "summary")]
    _summary: Value,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct KiroInsert {
    path: String,
    #[serde(alias = "new_str")]
    content: String,
    #[serde(alias = "insertLine")]
    insert_line: Option<usize>,
    #[serde(default, rename = "summary")]
    _summary: Value,
}

/// Other keys, such as a range of lines, change nothing.
#[derive(Deserialize)]
struct KiroRead {
    path: String,
}

#[derive(Deserialize)]
struct KiroReads {
    operations: Vec<KiroReadStep>,
}

/// Modes without one path list, search or show images.
#[derive(Deserialize)]
struct KiroReadStep {
    #[serde(default)]
    mode: String,
    path: Option<String>,
}

#[derive(Deserialize)]
struct KiroShell {
    command: String,
    cwd: Option<PathBuf>,
}

fn parse(payload: &Payload) -> Result<ToolCall> {
    // Version 2 begins the name with a small letter.
    let call = payload.announced(&["PreToolUse", "preToolUse"], actions)?;
    let mut paths = call.actions.iter().flat_map(FileAction::paths);
    let home = paths
        .find(|path| path.starts_with(b"~"))
        .map(BStr::to_owned);
    drop(paths);
    match home {
        None => Ok(call),
        Some(path) => Err(Error::new(format!(
            "Kiro takes the ~ of {} for the home directory",
            escaped(&path)
        ))
        .help("use the whole path")),
    }
}

fn actions(tool: &str, input: &Map<String, Value>) -> Result<Vec<FileAction>> {
    let action = match tool {
        "fs_write" | "write" if input.contains_key("command") => write(tool, input)?,
        "fs_write" | "write" => {
            let KiroText { path, text } = payload::tool_input(tool, input)?;
            FileAction::write(path, text)
        }
        "fs_append" => {
            let KiroText { path, text } = payload::tool_input(tool, input)?;
            FileAction::edit(path, [TextEdit::Append { text }])
        }
        "str_replace" => replace(tool, input)?,
        "fs_read" | "read" if input.contains_key("operations") => {
            let KiroReads { operations } = payload::tool_input(tool, input)?;
            let files = operations.into_iter().filter(|step| step.mode == "Line");
            return Ok(files
                .filter_map(|step| step.path)
                .map(FileAction::read)
                .collect());
        }
        "fs_read" | "read" | "read_file" => {
            let KiroRead { path } = payload::tool_input(tool, input)?;
            FileAction::read(path)
        }
        "execute_bash" | "shell" => {
            let KiroShell { command, cwd } = payload::tool_input(tool, input)?;
            FileAction::Command {
                text: command,
                directory: cwd,
            }
        }
        _ => return payload::unknown_tool(tool, input),
    };
    Ok(vec![action])
}

/// The tool of version 2, which does the work of several.
fn write(tool: &str, input: &Map<String, Value>) -> Result<FileAction> {
    let mut rest = input.clone();
    let command = rest.remove("command").unwrap_or_default();
    // The older release ends each file with a newline.
    let ends_lines = !rest.contains_key("content");
    let with_newline = |mut text: String| {
        if !text.ends_with('\n') {
            text.push('\n');
        }
        text
    };
    match command.as_str().unwrap_or_default() {
        "create" => {
            let KiroCreate { path, content, .. } = payload::tool_input(tool, &rest)?;
            let content = match ends_lines {
                true => with_newline(content),
                false => content,
            };
            Ok(FileAction::write(path, content))
        }
        "str_replace" | "strReplace" => replace(tool, &rest),
        "insert" | "append" => {
            let insert: KiroInsert = payload::tool_input(tool, &rest)?;
            let step = match insert.insert_line {
                Some(after) => TextEdit::Insert {
                    after,
                    text: with_newline(insert.content),
                },
                None if ends_lines => TextEdit::Append {
                    text: with_newline(insert.content),
                },
                None => TextEdit::Append {
                    text: insert.content,
                },
            };
            Ok(FileAction::edit(insert.path, [step]))
        }
        _ => Err(Error::new(format!(
            "guard does not know this command of the tool {tool}"
        ))
        .help("use its commands create, str_replace, insert and append")),
    }
}

fn replace(tool: &str, input: &Map<String, Value>) -> Result<FileAction> {
    let edit: KiroReplace = payload::tool_input(tool, input)?;
    let step = TextEdit::replace(edit.old_str, edit.new_str, edit.replace_all);
    Ok(FileAction::edit(edit.path, [step]))
}
