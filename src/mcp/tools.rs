//! The tools. A doc comment of a tool or an argument is what the client reads about it.

use std::io;
use std::num::NonZeroUsize;

use gix::bstr::ByteSlice;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{JsonObject, MetaObject};
use rmcp::schemars::{self, JsonSchema};
use rmcp::{tool, tool_router};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::{Number, json};

use super::call::{Call, SeenScope, ToolAnswer, in_tools};
use super::elicitation;
use super::{Context, Server};
use crate::files::{
    self, Failure, FailureKind, Gate, GateResult, Listing, MOST_LISTED, Operation, Strategy,
};
use crate::judge;
use crate::report::{Format, Style, Target, write_check, write_scope};
use write_guard_policy::change::Kind;
use write_guard_policy::error::Error;
use write_guard_policy::path::{Node, escaped};
use write_guard_policy::scope::Grant;
use write_guard_policy::scope::Scope;
use write_guard_policy::scope::glob::{Glob, is_glob};
use write_guard_policy::verdict::CheckAnswers;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CheckWrite {
    /// Absolute, or relative to the root of the repository.
    path: String,
    /// The proposed content.
    content: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ReadTextFile {
    /// Absolute, or relative to the root of the repository.
    path: String,
    /// Only this many lines from the start.
    #[serde(default, deserialize_with = "lines")]
    #[schemars(schema_with = "at_least_one")]
    head: Option<NonZeroUsize>,
    /// Only this many lines from the end.
    #[serde(default, deserialize_with = "lines")]
    #[schemars(schema_with = "at_least_one")]
    tail: Option<NonZeroUsize>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ListDirectory {
    /// Absolute, or relative to the root of the repository; `.` for the root.
    path: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct SearchFiles {
    /// The directory to search; `.` for the root.
    path: String,
    /// A glob such as `src/**/*.py`, relative to the directory. Without a slash it is looked for at any depth; without a `*`, as a part of the name.
    pattern: String,
    /// Globs of files to leave out.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    exclude_patterns: Option<Vec<String>>,
}

/// A number of lines. Some clients know only numbers with a fraction, and send `2.0`.
fn lines<'de, D: Deserializer<'de>>(value: D) -> Result<Option<NonZeroUsize>, D::Error> {
    let Some(number) = Option::<Number>::deserialize(value)? else {
        return Ok(None);
    };
    let text = number.to_string();
    let whole = text.strip_suffix(".0").unwrap_or(&text);
    let wrong = || D::Error::custom(format!("{number} is no number of lines; the smallest is 1"));
    whole.parse().map(Some).map_err(|_| wrong())
}

/// A count, without the formats of Rust that JSON Schema does not know, and without null: clients that let a person type
/// the value look for one type. guard takes null all the same.
fn at_least_one(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({ "type": "integer", "minimum": 1 })
}

fn count(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({ "type": "integer", "minimum": 0 })
}

fn share(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({ "type": "number", "minimum": 0, "maximum": 1 })
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct WriteFile {
    /// Absolute, or relative to the root of the repository.
    path: String,
    /// The content, or what to add.
    content: String,
    /// How to combine the content with the existing file (default: replace). extend adds missing Python functions, methods and classes.
    #[schemars(extend("enum" = ["replace", "append", "insert", "extend", null]))]
    strategy: Option<String>,
    /// For insert: the line before which to insert.
    #[serde(default, deserialize_with = "lines")]
    #[schemars(schema_with = "at_least_one")]
    line: Option<NonZeroUsize>,
    /// Write only if the file still has this digest; `none`: only if it does not exist.
    expect: Option<String>,
    /// Hold the change for larger files than this many lines. Counts only if the settings are less strict.
    #[schemars(schema_with = "count")]
    line_threshold: Option<usize>,
    /// Hold the change from this lost share on, 0 to 1. Counts only if the settings are less strict.
    #[schemars(schema_with = "share")]
    change_threshold: Option<f64>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct EditFile {
    /// Absolute, or relative to the root of the repository.
    path: String,
    /// Applied in order, all or none.
    #[schemars(length(min = 1))]
    edits: Vec<ExactEdit>,
    /// Only say what the edit would do.
    #[serde(default)]
    #[schemars(with = "bool")]
    dry_run: Option<bool>,
    /// Edit only if the file still has this digest.
    expect: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schemars(inline)]
struct ExactEdit {
    /// The exact text to replace; it must occur exactly once. Line endings do not matter.
    old_text: String,
    /// The replacement, taken literally.
    new_text: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct MoveFile {
    /// The file.
    source: String,
    /// Its new path, which must not exist.
    destination: String,
    /// Move only if the file still has this digest.
    expect: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct DeleteFile {
    /// Absolute, or relative to the root of the repository.
    path: String,
    /// Delete only if the file still has this digest.
    expect: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RequestApproval {
    /// The id in the answer that says that the change waits.
    id: String,
}

type ToolResult = GateResult<ToolAnswer>;

#[tool_router(vis = "pub(super)")]
impl Server {
    /// List the paths that the design lets this work change. Call show_scope first, before you plan any change.
    #[tool(
        title = "Show the scope",
        annotations(read_only_hint = true, open_world_hint = false)
    )]
    async fn show_scope(&self, context: Context) -> ToolResult {
        self.work(&context, show_scope).await
    }

    /// Accept that the design has changed since this session began. Lists what changed.
    #[tool(
        title = "Reload the scope",
        annotations(
            destructive_hint = false,
            idempotent_hint = true,
            open_world_hint = false
        )
    )]
    async fn reload_scope(&self, context: Context) -> ToolResult {
        self.work(&context, reload_scope).await
    }

    /// Check whether a path may be written and, with `content`, whether that content may. Changes nothing.
    #[tool(
        title = "Check a write",
        annotations(read_only_hint = true, open_world_hint = false)
    )]
    async fn check_write(&self, given: Parameters<CheckWrite>, context: Context) -> ToolResult {
        let CheckWrite { path, content } = given.0;
        let check = move |call: &Call<'_>| check(call, &path, content.as_deref());
        self.work(&context, check).await
    }

    /// Read a text file, followed by its digest.
    #[tool(
        title = "Read a text file",
        annotations(read_only_hint = true, open_world_hint = false)
    )]
    async fn read_text_file(
        &self,
        given: Parameters<ReadTextFile>,
        context: Context,
    ) -> ToolResult {
        self.work(&context, move |call| read(call, &given.0)).await
    }

    /// List what is in a directory: one line for each file or directory that may be read.
    #[tool(
        title = "List a directory",
        annotations(read_only_hint = true, open_world_hint = false)
    )]
    async fn list_directory(
        &self,
        given: Parameters<ListDirectory>,
        context: Context,
    ) -> ToolResult {
        self.work(&context, move |call| list(call, &given.0.path))
            .await
    }

    /// Find files by name, below a directory. Only those that may be read.
    #[tool(
        title = "Find files by name",
        annotations(read_only_hint = true, open_world_hint = false)
    )]
    async fn search_files(&self, given: Parameters<SearchFiles>, context: Context) -> ToolResult {
        self.work(&context, move |call| search(call, &given.0))
            .await
    }

    /// Replace exact text in a file. Prefer this to write_file for a file that exists.
    #[tool(
        title = "Edit a file",
        annotations(destructive_hint = true, open_world_hint = false)
    )]
    async fn edit_file(&self, given: Parameters<EditFile>, context: Context) -> ToolResult {
        let EditFile {
            path,
            edits,
            dry_run,
            expect,
        } = given.0;
        let edits = edits.into_iter().map(|edit| files::Edit {
            search: edit.old_text,
            replace: edit.new_text,
            every: false,
        });
        let patch = Operation::Patch(edits.collect());
        self.change(context, move |call| {
            let gate = call.gate_to_change(&[&path])?;
            if dry_run == Some(true) {
                return forecast(call, &gate, &path, &patch, expect.as_deref());
            }
            call.perform(&gate, &path, &patch, expect)
        })
        .await
    }

    /// Create a file with missing directories, or change its whole content. Prefer edit_file, or the strategies append, insert and extend, for a file that exists: replacing most of a large file waits until a person approves.
    #[tool(
        title = "Write a file",
        annotations(destructive_hint = true, open_world_hint = false)
    )]
    async fn write_file(&self, given: Parameters<WriteFile>, context: Context) -> ToolResult {
        self.change(context, move |call| write(call, given.0)).await
    }

    /// Move or rename a file. The design must allow both paths.
    #[tool(
        title = "Move a file",
        annotations(destructive_hint = true, open_world_hint = false)
    )]
    async fn move_file(&self, given: Parameters<MoveFile>, context: Context) -> ToolResult {
        let wanted = given.0;
        self.change(context, move |call| {
            let to = call.request(&wanted.destination);
            let moving = Operation::Move { to, content: None };
            let gate = call.gate_to_change(&[&wanted.source, &wanted.destination])?;
            call.perform(&gate, &wanted.source, &moving, wanted.expect)
        })
        .await
    }

    /// Delete a file. The design must allow that; a snapshot keeps the content.
    #[tool(
        title = "Delete a file",
        annotations(
            destructive_hint = true,
            idempotent_hint = true,
            open_world_hint = false
        )
    )]
    async fn delete_file(&self, given: Parameters<DeleteFile>, context: Context) -> ToolResult {
        let DeleteFile { path, expect } = given.0;
        self.change(context, move |call| {
            let gate = call.gate_to_change(&[&path])?;
            call.perform(&gate, &path, &Operation::Delete, expect)
        })
        .await
    }

    /// Ask the user about a change that waits for approval. Call this when an answer says that a change waits and the user has not decided yet. It is no way around a refusal.
    #[tool(title = "Ask the person to approve", annotations(destructive_hint = true, open_world_hint = false), meta = needs_person())]
    async fn request_approval(
        &self,
        given: Parameters<RequestApproval>,
        context: Context,
    ) -> ToolResult {
        let id = given.0.id;
        // The change is still held, which makes the server ask.
        self.change(context, move |call| elicitation::held(call, &id))
            .await
    }
}

/// Claude Code then asks the person before each call, in every mode.
fn needs_person() -> MetaObject {
    let member = ("anthropic/requiresUserInteraction".to_owned(), json!(true));
    MetaObject(JsonObject::from_iter([member]))
}

/// What an operation would do.
fn forecast(
    call: &Call<'_>,
    gate: &Gate<'_>,
    path: &str,
    operation: &Operation,
    expect: Option<&str>,
) -> ToolResult {
    let effect = gate.plan(call.request(path).as_ref(), operation, expect)?;
    let mut text = "Nothing was written. The change would be:\n".to_owned();
    if let Some(finding) = &effect.finding {
        text = format!(
            "Nothing was written. A person must approve this change: {}\n",
            finding.message
        );
    }
    text += &effect.preview();
    Ok(ToolAnswer::new(text, effect.forecast_json(gate)))
}

fn list(call: &Call<'_>, path: &str) -> ToolResult {
    let gate = call.gate_to_read()?;
    let listing = gate.list(call.request(path).as_ref())?;
    Ok(listed(&listing))
}

fn search(call: &Call<'_>, wanted: &SearchFiles) -> ToolResult {
    let gate = call.gate_to_read()?;
    let pattern = glob(&wanted.pattern)?;
    let mut listing = gate.search(call.request(&wanted.path).as_ref(), &pattern)?;
    for excluded in wanted.exclude_patterns.iter().flatten() {
        let excluded = glob(excluded)?;
        listing
            .entries
            .retain(|(path, _)| !excluded.matches(path.as_ref()));
    }
    Ok(listed(&listing))
}

/// A pattern without a slash is looked for at any depth, and one without a `*` as a part of the name.
fn glob(pattern: &str) -> GateResult<Glob> {
    let whole = if pattern.contains('/') {
        pattern.to_owned()
    } else if is_glob(pattern.into()) {
        format!("**/{pattern}")
    } else {
        format!("**/*{pattern}*")
    };
    Glob::new(whole.as_str().into()).map_err(|_| {
        let message = format!("the pattern {} stands for too much", escaped(pattern));
        Failure::new(FailureKind::CannotJudge, message).help("give a shorter pattern")
    })
}

fn listed(listing: &Listing) -> ToolAnswer {
    let mut text = String::new();
    for (path, node) in &listing.entries {
        let kind = match node {
            Node::Directory => "[DIR]",
            Node::Entry(Kind::Symlink) => "[LINK]",
            Node::Entry(_) => "[FILE]",
        };
        text += &format!("{kind} {}\n", escaped(path));
    }
    if listing.entries.is_empty() {
        text = "nothing that may be read\n".to_owned();
    }
    if listing.is_cut {
        text += &format!("only the first {MOST_LISTED} are listed; name a directory below\n");
    }
    ToolAnswer::new(text, json!({ "count": listing.entries.len() }))
}

/// The first or last lines of a text.
fn part_of(text: &str, head: Option<NonZeroUsize>, tail: Option<NonZeroUsize>) -> GateResult<&str> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    match (head, tail) {
        (None, None) => Ok(text),
        (Some(head), None) => {
            let length = lines.iter().take(head.get()).map(|line| line.len()).sum();
            Ok(&text[..length])
        }
        (None, Some(tail)) => {
            let length: usize = lines
                .iter()
                .rev()
                .take(tail.get())
                .map(|line| line.len())
                .sum();
            Ok(&text[text.len() - length..])
        }
        (Some(_), Some(_)) => {
            let message = "`head` and `tail` exclude each other";
            Err(Failure::new(FailureKind::CannotJudge, message).help("give one of them"))
        }
    }
}

fn read(call: &Call<'_>, wanted: &ReadTextFile) -> ToolResult {
    let gate = call.gate_to_read()?;
    let (_, entry) = gate.read(call.request(&wanted.path).as_ref())?;
    let Ok(text) = entry.content.to_str() else {
        let failure = Failure::new(FailureKind::Binary, "the content is not UTF-8");
        return Err(failure.help("ask a person to handle it"));
    };
    let digest = gate.digest(Some(text.as_bytes())).unwrap_or_default();
    let facts = json!({ "digest": digest, "size": text.len() });
    let part = part_of(text, wanted.head, wanted.tail)?;
    let mut answer = ToolAnswer::new(part, facts);
    // The facts that the next call may need.
    let below = format!("(digest: {digest}, {} bytes)", text.len());
    answer.texts.push(below);
    Ok(answer)
}

fn write(call: &Call<'_>, wanted: WriteFile) -> ToolResult {
    let name = wanted.strategy.as_deref().unwrap_or("replace");
    let strategy = Strategy::named(name, wanted.line.map(NonZeroUsize::get));
    let write = Operation::Write {
        content: wanted.content.into(),
        strategy: strategy.ok_or_else(|| {
            let message = "`strategy` is one of `replace`, `append`, `insert` and `extend`; `insert`, and no other, needs `line`";
            Failure::new(FailureKind::CannotJudge, message)
        })?,
    };
    let gate = call
        .gate_to_change(&[&wanted.path])?
        .stricter(wanted.line_threshold, wanted.change_threshold);
    call.perform(&gate, &wanted.path, &write, wanted.expect)
}

fn check(call: &Call<'_>, path: &str, content: Option<&str>) -> GateResult<ToolAnswer> {
    let gate = call.gate_to_change(&[path])?;
    let content = content.map(|content| content.as_bytes().to_vec());
    let result = gate.check(path.into(), call.request(path).as_ref(), content)?;
    let facts = json!(result);
    let answers = CheckAnswers {
        results: vec![result],
        notes: Vec::new(),
    };
    let text = reported(|to| write_check(&answers, to))?;
    Ok(ToolAnswer::new(text, facts))
}

fn show_scope(call: &Call<'_>) -> GateResult<ToolAnswer> {
    call.gate()?;
    let listing = judge::scope(call.repo, &call.session.options)?;
    let text = reported(|to| write_scope(&listing, false, to))?;
    let facts = json!({ "grants": listing.grants.len() });
    Ok(ToolAnswer::new(text, facts))
}

/// A report for people, for a model.
fn reported(write: impl FnOnce(Target<'_>) -> io::Result<()>) -> GateResult<String> {
    let mut bytes = Vec::new();
    write(Target {
        out: &mut bytes,
        format: Format::Human,
        style: &Style::default(),
    })
    .map_err(|error| Error::new(format!("the answer cannot be written: {error}")))?;
    Ok(in_tools(&bytes.to_str_lossy()))
}

fn reload_scope(call: &Call<'_>) -> GateResult<ToolAnswer> {
    // The client must be able to go on with a design that cannot be used any more, to repair it.
    let options = &call.session.options;
    let gate = Gate::open_to_read(call.repo, options)?;
    let before = call.session.reload(&gate);
    let now = SeenScope::of(&gate);
    let is_changed = before.designs != now.designs;
    let mut text = "The design has not changed.\n".to_owned();
    if is_changed {
        gate.record_reload(&before.designs)?;
        let added = beyond("+", &now.scope, &before.scope);
        let removed = beyond("-", &before.scope, &now.scope);
        text = if added.is_empty() && removed.is_empty() {
            "The design has changed; it allows the same as before.\n".to_owned()
        } else {
            format!("The design has changed.\n{added}{removed}")
        };
    }
    if let Err(failure) = Gate::open(call.repo, options) {
        let why = in_tools(&failure.message);
        text += &format!("No file but the design itself can be changed now: {why}\n");
    }
    Ok(ToolAnswer::new(text, json!({ "changed": is_changed })))
}

/// What one scope grants and the other does not, one line each.
fn beyond(mark: &str, scope: &Scope, other: &Scope) -> String {
    let line = |grant: &Grant| {
        let actions: Vec<&str> = grant.actions.names().collect();
        format!("{mark} {} ({})\n", escaped(&grant.path), actions.join(", "))
    };
    scope.grants_beyond(other).into_iter().map(line).collect()
}
