//! The tools. A doc comment of a tool or an argument is what the client reads about it.

use std::io;
use std::num::NonZeroUsize;

use gix::bstr::ByteSlice;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{JsonObject, MetaObject};
use rmcp::schemars::{self, JsonSchema};
use rmcp::{tool, tool_router};
use serde::Deserialize;
use serde_json::json;

use super::call::{Call, SeenScope, ToolAnswer, in_tools};
use super::elicitation;
use super::{Context, Server};
use crate::files::{self, Failure, FailureKind, Gate, GateResult, Operation, Strategy};
use crate::judge;
use crate::report::{Format, Style, Target, write_check, write_scope};
use write_guard_policy::error::Error;
use write_guard_policy::path::escaped;
use write_guard_policy::scope::Grant;
use write_guard_policy::scope::Scope;
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
    line: Option<NonZeroUsize>,
    /// Write only if the file still has this digest; `none`: only if it does not exist.
    expect: Option<String>,
    /// Hold the change for larger files than this many lines. Counts only if the settings are less strict.
    line_threshold: Option<usize>,
    /// Hold the change from this lost share on, 0 to 1. Counts only if the settings are less strict.
    change_threshold: Option<f64>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct EditFile {
    /// Absolute, or relative to the root of the repository.
    path: String,
    /// Applied in order, all or none.
    edits: Vec<ExactEdit>,
    /// Edit only if the file still has this digest.
    expect: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schemars(inline)]
struct ExactEdit {
    /// The exact text to replace; it must occur exactly once.
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
    #[tool(annotations(read_only_hint = true, open_world_hint = false))]
    async fn show_scope(&self, context: Context) -> ToolResult {
        self.work(&context, show_scope).await
    }

    /// Accept that the design has changed since this session began. Lists what changed.
    #[tool(annotations(
        destructive_hint = false,
        idempotent_hint = true,
        open_world_hint = false
    ))]
    async fn reload_scope(&self, context: Context) -> ToolResult {
        self.work(&context, reload_scope).await
    }

    /// Check whether a path may be written and, with `content`, whether that content may. Changes nothing.
    #[tool(annotations(read_only_hint = true, open_world_hint = false))]
    async fn check_write(&self, given: Parameters<CheckWrite>, context: Context) -> ToolResult {
        let CheckWrite { path, content } = given.0;
        let check = move |call: &Call<'_>| check(call, &path, content.as_deref());
        self.work(&context, check).await
    }

    /// Read a text file, followed by its digest.
    #[tool(annotations(read_only_hint = true, open_world_hint = false))]
    async fn read_text_file(
        &self,
        given: Parameters<ReadTextFile>,
        context: Context,
    ) -> ToolResult {
        self.work(&context, move |call| read(call, &given.0.path))
            .await
    }

    /// Replace exact text in a file. Prefer this to write_file for a file that exists.
    #[tool(annotations(destructive_hint = true, open_world_hint = false))]
    async fn edit_file(&self, given: Parameters<EditFile>, context: Context) -> ToolResult {
        let EditFile {
            path,
            edits,
            expect,
        } = given.0;
        let edits = edits.into_iter().map(|edit| files::Edit {
            search: edit.old_text,
            replace: edit.new_text,
            every: false,
        });
        let patch = Operation::Patch(edits.collect());
        self.change(context, move |call| {
            call.perform(&call.gate_to_change(&[&path])?, &path, &patch, expect)
        })
        .await
    }

    /// Create a file with missing directories, or change its whole content. Prefer edit_file, or the strategies append, insert and extend, for a file that exists: replacing most of a large file waits until a person approves.
    #[tool(annotations(destructive_hint = true, open_world_hint = false))]
    async fn write_file(&self, given: Parameters<WriteFile>, context: Context) -> ToolResult {
        self.change(context, move |call| write(call, given.0)).await
    }

    /// Move or rename a file. The design must allow both paths.
    #[tool(annotations(destructive_hint = true, open_world_hint = false))]
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
    #[tool(annotations(
        destructive_hint = true,
        idempotent_hint = true,
        open_world_hint = false
    ))]
    async fn delete_file(&self, given: Parameters<DeleteFile>, context: Context) -> ToolResult {
        let DeleteFile { path, expect } = given.0;
        self.change(context, move |call| {
            let gate = call.gate_to_change(&[&path])?;
            call.perform(&gate, &path, &Operation::Delete, expect)
        })
        .await
    }

    /// Ask the user about a change that waits for approval. Call this when an answer says that a change waits and the user has not decided yet. It is no way around a refusal.
    #[tool(annotations(destructive_hint = true, open_world_hint = false), meta = needs_person())]
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

fn read(call: &Call<'_>, path: &str) -> ToolResult {
    let gate = call.gate_to_read()?;
    let (_, entry) = gate.read(call.request(path).as_ref())?;
    let Ok(text) = entry.content.to_str() else {
        let failure = Failure::new(FailureKind::Binary, "the content is not UTF-8");
        return Err(failure.help("ask a person to handle it"));
    };
    let digest = gate.digest(Some(text.as_bytes())).unwrap_or_default();
    let facts = json!({ "digest": digest, "size": text.len() });
    let mut answer = ToolAnswer::new(text, facts);
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
