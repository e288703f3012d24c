//! What the tools of all agents do to files. One table serves every agent: several offer the tools of others, or run
//! their hooks. A key that is not listed here may change what is written, so the call is denied.

use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::{Map, Value};

use super::action::FileAction;
use super::patch::{is_own_form, patch_actions};
use super::rebuild::TextEdit;
use super::unified_diff;
use write_guard_policy::error::{Error, Result};
use write_guard_policy::path::escaped;

/// The keys under which tools name a file.
const PATH_KEYS: &[&str] = &[
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
const CONTENT_KEYS: &[&str] = &[
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

/// The keys under which they give a patch.
const PATCH_KEYS: &[&str] = &["patch", "patchText", "diff"];

/// The words in the names of tools that take patches.
const PATCHING: &[&str] = &["patch", "diff"];

/// The words in the names of tools that change files.
const CHANGING: &[&str] = &[
    "write", "edit", "create", "delete", "remove", "move", "rename", "replace", "patch", "append",
    "insert", "save", "copy",
];

/// The keys by which an input says that the tool works in a repository elsewhere: each list together.
const ELSEWHERE: &[&[&str]] = &[
    &["owner", "repo"],
    &["project_id"],
    &["projectId"],
    &["workspace", "repo_slug"],
    &["repositoryId"],
];

/// How agents begin the names of the tools of guard's server, whose name in their settings is `guard`.
const OWN_PREFIXES: &[&str] = &[
    "mcp__guard__",
    "mcp_guard_",
    "guard__",
    "guard_",
    "guard-",
    "guard/",
    "guard.",
];

/// The tools of guard's own server (`guard mcp`).
pub const OWN_TOOLS: &[&str] = &[
    "show_scope",
    "reload_scope",
    "check_write",
    "read_text_file",
    "list_directory",
    "search_files",
    "edit_file",
    "write_file",
    "move_file",
    "delete_file",
    "request_approval",
];

/// Tools whose input does not say what the file will hold: a model merges it, or no public source documents it.
const OPAQUE: &[&str] = &[
    "insert_edit_into_file",
    "edit_notebook_file",
    "editFiles",
    "create_new_jupyter_notebook",
    "EditNotebook",
    "TabWrite",
];

/// A whole file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WholeFile {
    #[serde(alias = "filePath", alias = "path")]
    file_path: String,
    #[serde(alias = "contents", alias = "file_text")]
    content: String,
    // Where Gemini's content comes from.
    #[serde(default, rename = "modified_by_user")]
    _modified: IgnoredAny,
    #[serde(default, rename = "ai_proposed_content")]
    _proposed: IgnoredAny,
}

/// Several replacements, in one file or in a file of their own each.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Replacements {
    #[serde(alias = "filePath")]
    file_path: Option<String>,
    #[serde(alias = "replacements")]
    edits: Vec<TextEdit>,
    #[serde(default, rename = "explanation")]
    _why: IgnoredAny,
}

/// A patch that names its files.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NamedPatch {
    #[serde(alias = "command", alias = "input", alias = "patchText")]
    patch: String,
    #[serde(default, rename = "explanation")]
    _why: IgnoredAny,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Removal {
    #[serde(alias = "path")]
    file_path: String,
}

/// Other keys, such as a range of lines, change nothing.
#[derive(Deserialize)]
struct Viewed {
    #[serde(alias = "filePath", alias = "path", alias = "absolute_path")]
    file_path: String,
}

/// Other keys, such as a time limit, change nothing.
#[derive(Deserialize)]
struct ShellInput {
    #[serde(alias = "chars")]
    command: String,
}

/// What a tool does to files; nothing if guard does not judge it.
///
/// # Errors
/// The input has another shape, or the tool seems to change files in a way that guard does not know.
pub(super) fn actions(tool: &str, input: &Map<String, Value>) -> Result<Vec<FileAction>> {
    let action = match tool {
        "Write" | "write" | "write_file" | "create" | "create_file" => {
            let file: WholeFile = typed(tool, input)?;
            FileAction::Write(file.file_path.into(), file.content.into())
        }
        "Edit" | "edit" | "StrReplace" | "replace" | "replace_string_in_file" => {
            return by_file(tool, None, vec![typed(tool, input)?]);
        }
        "MultiEdit" | "multiedit" | "multi_replace_string_in_file" => {
            let all: Replacements = typed(tool, input)?;
            return by_file(tool, all.file_path, all.edits);
        }
        "apply_patch" | "ApplyPatch" | "patch" => {
            return patch_actions(&typed::<NamedPatch>(tool, input)?.patch);
        }
        "NotebookEdit" => FileAction::EditCell(typed(tool, input)?),
        "Delete" => FileAction::Delete(typed::<Removal>(tool, input)?.file_path.into()),
        "Read" | "read" | "read_file" | "view" => {
            FileAction::Read(typed::<Viewed>(tool, input)?.file_path.into())
        }
        "Bash" | "bash" | "PowerShell" | "powershell" | "Monitor" | "Shell"
        | "run_shell_command" | "run_in_terminal" | "write_stdin" => {
            FileAction::Command(typed::<ShellInput>(tool, input)?.command)
        }
        _ => return unknown(tool, input),
    };
    Ok(vec![action])
}

/// The input of a tool that guard judges. Another shape may do something that guard would not judge.
fn typed<T: DeserializeOwned>(tool: &str, input: &Map<String, Value>) -> Result<T> {
    T::deserialize(input).map_err(|error: serde_json::Error| {
        Error::new(format!(
            "the input of the tool {} has a shape that guard does not know: {}",
            escaped(tool),
            escaped(error.to_string().as_str())
        ))
        .help("a newer guard may know it; until then, change the file with another tool")
    })
}

/// One action per file, with its edits in order. Without an edit, the file would be judged as unchanged.
fn by_file(tool: &str, file: Option<String>, all_edits: Vec<TextEdit>) -> Result<Vec<FileAction>> {
    let mut files: Vec<(String, Vec<TextEdit>)> = Vec::new();
    files.extend(file.clone().map(|path| (path, Vec::new())));
    for edit in all_edits {
        let path = edit.file_path.clone().xor(file.clone()).ok_or_else(|| {
            let why = format!("the input of the tool {tool} must name the file of each edit once");
            Error::new(why).help("make one call per file")
        })?;
        match files.iter_mut().find(|(known, _)| *known == path) {
            Some((_, edits)) => edits.push(edit),
            None => files.push((path, vec![edit])),
        }
    }
    Ok(files
        .into_iter()
        .map(|(path, edits)| FileAction::Edit(path.into(), edits))
        .collect())
}

/// Whether a tool is one of guard's own server.
fn is_own(tool: &str) -> bool {
    let mut names = OWN_PREFIXES
        .iter()
        .filter_map(|prefix| tool.strip_prefix(prefix));
    names.any(|name| OWN_TOOLS.contains(&name))
}

/// The patch in the input of a tool. A diff in a comment, say, is only a text.
fn patch_in<'i>(name: &str, input: &'i Map<String, Value>) -> Option<&'i str> {
    let applies = PATCHING.iter().any(|word| name.contains(word));
    let mut texts = input
        .iter()
        .filter_map(|(key, value)| Some((key, value.as_str()?)));
    let found = texts.find(|(key, text)| {
        let takes_diffs = applies || PATCH_KEYS.contains(&key.as_str());
        is_own_form(text) || takes_diffs && unified_diff::is_diff(text)
    });
    found.map(|(_, text)| text)
}

/// The actions of a tool that guard does not know: none, unless it names a file here and seems to change it.
fn unknown(tool: &str, input: &Map<String, Value>) -> Result<Vec<FileAction>> {
    if is_own(tool) {
        return Ok(vec![FileAction::Guarded]);
    }
    let has = |key: &&str| input.contains_key(*key);
    if ELSEWHERE.iter().any(|keys| keys.iter().all(has)) {
        return Ok(Vec::new());
    }
    let name = tool.rsplit("__").next().unwrap_or(tool);
    let name = name.to_ascii_lowercase();
    let patch = patch_in(&name, input);
    if input.len() == 1
        && let Some(patch) = patch
    {
        return patch_actions(patch);
    }
    let seems_to_change =
        CONTENT_KEYS.iter().any(has) || CHANGING.iter().any(|word| name.contains(word));
    let names_a_file = PATH_KEYS.iter().any(has);
    if patch.is_none() && !OPAQUE.contains(&tool) && !(seems_to_change && names_a_file) {
        return Ok(Vec::new());
    }
    Err(Error::new(format!(
        "guard does not know the tool {}, which seems to change a file",
        escaped(tool)
    ))
    .help("use a tool that names the text to write or to replace, such as the agent's own for writing and editing"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use serde_json::json;

    const OWN_FORM: &str = "*** Begin Patch\n*** Delete File: a.py\n*** End Patch\n";
    const DIFF: &str = "--- a/a.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n";

    /// A patch in guard's list of forms is one under any name; a diff may only be quoted.
    #[test]
    fn patch_is_found_in_the_input_of_a_tool_that_guard_does_not_know() {
        for (tool, key, text, is_patch) in [
            ("mcp__files__run", "text", OWN_FORM, true),
            ("mcp__files__apply_patch", "text", OWN_FORM, true),
            ("mcp__files__run", "patch", OWN_FORM, true),
            ("mcp__files__apply_patch", "input", DIFF, true),
            ("mcp__files__Git_Diff", "input", DIFF, true),
            ("mcp__files__run", "patch", DIFF, true),
            ("mcp__files__run", "patchText", DIFF, true),
            ("mcp__files__run", "diff", DIFF, true),
            ("mcp__tracker__comment", "body", DIFF, false),
            ("mcp__patches__comment", "body", DIFF, false),
            ("mcp__files__apply_patch", "input", "x", false),
            ("mcp__files__run", "patch", "x", false),
        ] {
            let input = json!({ key: text });
            let patched = [FileAction::Delete("a.py".into())];
            let expected = if is_patch { &patched[..] } else { &[] };
            let found = actions(tool, input.as_object().unwrap()).unwrap();
            assert_eq!(found, expected, "{tool} {key}");
            // A second argument may say where the patch applies.
            let input = json!({ key: text, "strip": 2 });
            let found = actions(tool, input.as_object().unwrap());
            assert_eq!(found.is_err(), is_patch, "{tool} {key}");
        }
    }

    #[test]
    fn unknown_tool_is_denied_if_it_seems_to_change_a_file() {
        for (tool, input, is_denied) in [
            ("mcp__files__save", json!({"path": "a.py"}), true),
            (
                "mcp__files__put",
                json!({"path": "a.py", "content": "x"}),
                true,
            ),
            ("mcp__files__put", json!({"content": "x"}), false),
            ("mcp__files__save", json!({"name": "x"}), false),
            ("mcp__files__stat", json!({"path": "a.py"}), false),
            ("mcp__write__stat", json!({"path": "a.py"}), false),
            ("editFiles", json!({"x": 1}), true),
            (
                "mcp__hub__save",
                json!({"path": "a.py", "owner": "o", "repo": "r"}),
                false,
            ),
            (
                "mcp__hub__save",
                json!({"path": "a.py", "owner": "o"}),
                true,
            ),
        ] {
            let found = actions(tool, input.as_object().unwrap());
            assert_eq!(found.is_err(), is_denied, "{tool} {input}");
            assert!(
                found.is_err() || found.unwrap().is_empty(),
                "{tool} {input}"
            );
        }
    }
}
