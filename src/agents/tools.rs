//! What the tools of all agents do to files. One table serves every agent: several offer the tools of others, or run
//! their hooks. A key that is not listed here may change what is written, so the call is denied.

use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::{Map, Value};

use super::apply_patch;
use super::call::FileAction;
use super::rebuild::TextEdit;
use crate::error::{Error, Result};
use crate::path::escaped;

/// The keys under which tools name a file.
const PATH_KEYS: &str = "file_path filePath filepath path paths file files filename target_file targetFile \
    absolutePath relative_path notebook_path notebookPath source destination old_path new_path uri";

/// The keys under which they give content.
const CONTENT_KEYS: &str = "content contents text file_text new_string newString new_str newStr new_source code \
    code_edit edits replacements patch patchText diff new_content data";

/// The words in the names of tools that change files.
const CHANGING: &str =
    "write edit create delete remove move rename replace patch append insert save copy";

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
            let WholeFile {
                file_path, content, ..
            } = typed(tool, input)?;
            FileAction::Write(file_path.into(), content.into())
        }
        "Edit" | "edit" | "StrReplace" | "replace" | "replace_string_in_file" => {
            return by_file(tool, None, vec![typed(tool, input)?]);
        }
        "MultiEdit" | "multiedit" | "multi_replace_string_in_file" => {
            let Replacements {
                file_path, edits, ..
            } = typed(tool, input)?;
            return by_file(tool, file_path, edits);
        }
        "apply_patch" | "ApplyPatch" | "patch" => {
            let NamedPatch { patch, .. } = typed(tool, input)?;
            return apply_patch::parse(&patch);
        }
        "NotebookEdit" => FileAction::EditCell(typed(tool, input)?),
        "Delete" => {
            let Removal { file_path } = typed(tool, input)?;
            FileAction::Delete(file_path.into())
        }
        "Read" | "read" | "read_file" | "view" => {
            let Viewed { file_path } = typed(tool, input)?;
            FileAction::Read(file_path.into())
        }
        "Bash" | "bash" | "PowerShell" | "powershell" | "Monitor" | "Shell"
        | "run_shell_command" | "run_in_terminal" | "write_stdin" => {
            let ShellInput { command } = typed(tool, input)?;
            FileAction::Command(command)
        }
        // A model merges the code into the file, or no public source says what the input means.
        "insert_edit_into_file"
        | "edit_notebook_file"
        | "editFiles"
        | "create_new_jupyter_notebook"
        | "EditNotebook"
        | "TabWrite" => {
            return Err(
                Error::new(format!("guard cannot know what the tool {tool} will write"))
                    .help("use a tool that names the text to write or to replace"),
            );
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

/// One action per file, with its edits in order.
fn by_file(tool: &str, file: Option<String>, edits: Vec<TextEdit>) -> Result<Vec<FileAction>> {
    let mut files: Vec<(String, Vec<TextEdit>)> = Vec::new();
    if let (true, Some(path)) = (edits.is_empty(), &file) {
        // Without an edit, the file would be judged as unchanged.
        files.push((path.clone(), Vec::new()));
    }
    for edit in edits {
        let path = match (&edit.file_path, &file) {
            (Some(path), None) | (None, Some(path)) => path.clone(),
            _ => {
                let why =
                    format!("the input of the tool {tool} must name the file of each edit once");
                return Err(Error::new(why).help("make one call per file"));
            }
        };
        match files.iter_mut().find(|(known, _)| *known == path) {
            Some((_, edits)) => edits.push(edit),
            None => files.push((path, vec![edit])),
        }
    }
    let edited = |(path, edits): (String, _)| FileAction::Edit(path.into(), edits);
    Ok(files.into_iter().map(edited).collect())
}

/// The actions of a tool that guard does not know: none, unless it names a file and seems to change it.
fn unknown(tool: &str, input: &Map<String, Value>) -> Result<Vec<FileAction>> {
    let first = |keys: &'static str| keys.split(' ').find(|key| input.contains_key(*key));
    let name = tool
        .rsplit("__")
        .next()
        .unwrap_or(tool)
        .to_ascii_lowercase();
    let changes = CHANGING.split(' ').any(|word| name.contains(word));
    let is_patch = |value: &Value| {
        let text = value.as_str().unwrap_or_default();
        text.trim_start().starts_with("*** Begin Patch")
    };
    let seen = match (first(PATH_KEYS), first(CONTENT_KEYS)) {
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
