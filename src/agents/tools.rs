//! What an agent is about to do: a tool call, and what the tools of all agents do to files. One table serves every agent: several offer the tools of others, or run
//! their hooks. A key that is not listed here may change what is written, so the call is denied.

use gix::bstr::{BStr, BString};
use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::{Map, Value};

use super::rebuild::{CellEdit, PatchChunk, TextEdit};
use write_guard_policy::error::{Error, Result};
use write_guard_policy::path::{escaped, text_on_one_line};

/// What a tool does to a file.
#[derive(Debug, Clone, PartialEq)]
pub enum FileAction {
    /// Reads it.
    Read(BString),
    /// Creates or replaces it; the whole new content.
    Write(BString, Vec<u8>),
    /// Replaces text in it, in order, each in the previous result.
    Edit(BString, Vec<TextEdit>),
    /// Changes one cell of a Jupyter notebook.
    EditCell(CellEdit),
    /// Changes its lines by a patch, which may also move it to a second path.
    Patch(BString, Option<BString>, Vec<PatchChunk>),
    /// Deletes it.
    Delete(BString),
    /// Runs a shell command, as the shell gets it.
    Command(String),
}

impl FileAction {
    /// The paths that it names: none, one, or both ends of a move.
    pub fn paths(&self) -> impl Iterator<Item = &BStr> {
        let (path, target) = match self {
            FileAction::Patch(path, to, _) => (Some(path.as_ref()), to.as_ref().map(AsRef::as_ref)),
            FileAction::Read(path)
            | FileAction::Write(path, _)
            | FileAction::Edit(path, _)
            | FileAction::Delete(path) => (Some(path.as_ref()), None),
            FileAction::EditCell(edit) => (Some(edit.notebook_path.as_str().into()), None),
            FileAction::Command(_) => (None, None),
        };
        [path, target].into_iter().flatten()
    }

    pub fn is_command(&self) -> bool {
        matches!(self, FileAction::Command(_))
    }

    pub fn is_read(&self) -> bool {
        matches!(self, FileAction::Read(_))
    }
}

/// The keys under which tools name a file.
const PATH_KEYS: &str = "file_path filePath filepath path paths file files filename target_file targetFile \
    absolutePath relative_path notebook_path notebookPath source destination old_path new_path uri";

/// The keys under which they give content.
const CONTENT_KEYS: &str = "content contents text file_text new_string newString new_str newStr new_source code \
    code_edit edits replacements patch patchText diff new_content data";

/// The words in the names of tools that change files.
const CHANGING: &str =
    "write edit create delete remove move rename replace patch append insert save copy";

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

/// The actions of a tool that guard does not know: none, unless it names a file and seems to change it.
fn unknown(tool: &str, input: &Map<String, Value>) -> Result<Vec<FileAction>> {
    let has = |keys: &str| keys.split(' ').any(|key| input.contains_key(key));
    let name = tool.rsplit("__").next().unwrap_or(tool);
    let name = name.to_ascii_lowercase();
    let changes = has(CONTENT_KEYS) || CHANGING.split(' ').any(|word| name.contains(word));
    let mut texts = input.values().filter_map(Value::as_str);
    let is_patch = texts.any(|text| text.trim_start().starts_with("*** Begin Patch"));
    if !(is_patch || OPAQUE.contains(&tool) || changes && has(PATH_KEYS)) {
        return Ok(Vec::new());
    }
    Err(Error::new(format!(
        "guard does not know the tool {}, which seems to change a file",
        escaped(tool)
    ))
    .help("use a tool that names the text to write or to replace, such as the agent's own for writing and editing"))
}

/// The actions of a patch, in its order.
///
/// # Errors
/// It is not such a patch.
pub(super) fn patch_actions(patch: &str) -> Result<Vec<FileAction>> {
    let bad = |why: String| {
        Error::new(format!("the patch cannot be read: {why}"))
            .help("send one patch from `*** Begin Patch` to `*** End Patch`")
    };
    let lines: Vec<&str> = patch.trim().lines().collect();
    let ["*** Begin Patch", body @ .., "*** End Patch"] = lines.as_slice() else {
        return Err(bad("its first or last line is missing".to_owned()));
    };
    let mut actions = Vec::new();
    for (at, line) in body.iter().enumerate() {
        // A blank line behind a section is not a part of it.
        if line.is_empty() && body.get(at + 1).is_none_or(|next| next.starts_with("*** ")) {
            continue;
        }
        let path = |header| Some(BString::from(line.strip_prefix(header)?.trim()));
        if let Some(path) = path("*** Add File: ") {
            actions.push(FileAction::Write(path, Vec::new()));
        } else if let Some(path) = path("*** Delete File: ") {
            actions.push(FileAction::Delete(path));
        } else if let Some(path) = path("*** Update File: ") {
            actions.push(FileAction::Patch(path, None, Vec::new()));
        } else if let Some(to) = path("*** Move to: ")
            && let Some(FileAction::Patch(_, target @ None, chunks)) = actions.last_mut()
            && chunks.is_empty()
        {
            *target = Some(to);
        } else {
            let is_expected = match actions.last_mut() {
                Some(FileAction::Write(_, content)) if line.starts_with('+') => {
                    content.extend_from_slice(&line.as_bytes()[1..]);
                    content.push(b'\n');
                    true
                }
                Some(FileAction::Patch(_, _, chunks)) => add_to_chunks(chunks, line),
                _ => line.trim().is_empty(),
            };
            if !is_expected {
                return Err(bad(format!("unexpected line {}", text_on_one_line(line))));
            }
        }
    }
    if actions.is_empty() {
        Err(bad("it names no file".to_owned()))
    } else {
        Ok(actions)
    }
}

/// Reads a line of an update; whether it belongs there.
fn add_to_chunks(chunks: &mut Vec<PatchChunk>, line: &str) -> bool {
    if line == "@@" || line.starts_with("@@ ") {
        chunks.push(PatchChunk {
            context: line.strip_prefix("@@ ").map(str::to_owned),
            ..PatchChunk::default()
        });
        return true;
    }
    if chunks.last().is_none_or(|chunk| chunk.is_at_end) {
        chunks.push(PatchChunk::default());
    }
    let Some(chunk) = chunks.last_mut() else {
        return false;
    };
    if line.trim_end() == "*** End of File" {
        chunk.is_at_end = true;
        return true;
    }
    let sign = line.bytes().next().unwrap_or(b' ');
    if !b" -+".contains(&sign) {
        return false;
    }
    let text = format!("{}\n", line.get(1..).unwrap_or_default());
    if sign != b'+' {
        chunk.old += &text;
    }
    if sign != b'-' {
        chunk.new += &text;
    }
    true
}
