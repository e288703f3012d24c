//! Results of tools. The text is for the model. What only programs need is in `_meta`, or in the structured content of
//! an error: Claude Code gives the model the structured content of a success in place of its text.

use std::fmt::Write as _;

use gix::bstr::ByteSlice;
use rmcp::model::{CallToolResult, ContentBlock, JsonObject, MetaObject};
use serde_json::{Value, json};

use crate::finding::Help;
use crate::gate::{CompletedOperation, Failure, FailureKind, Forecast, Gate, GateResult};
use crate::path::escaped;
use crate::report::plural;

/// The tools in place of commands in advice. Commands for people stay.
const TOOLS: &[(&str, &str)] = &[
    ("guard scope show", "show_scope"),
    ("guard snapshot list", "list_snapshots"),
    ("guard patch", "edit_file"),
    ("guard check", "check_write"),
    ("--strategy ", "the strategy "),
];

/// What a tool answers.
pub(super) struct ToolAnswer {
    /// For the model.
    pub(super) texts: Vec<String>,
    /// For programs.
    pub(super) facts: Value,
}

impl ToolAnswer {
    pub(super) fn new(text: impl Into<String>, facts: Value) -> ToolAnswer {
        ToolAnswer {
            texts: vec![text.into()],
            facts,
        }
    }

    /// What an operation did, with what guard put right before.
    pub(super) fn done(gate: &Gate<'_>, done: &CompletedOperation) -> ToolAnswer {
        let mut facts = done.to_json(gate);
        if let Some(facts) = facts.as_object_mut() {
            facts.remove("analysis");
        }
        let mut text = account(done);
        for note in gate.recovered() {
            let _ = writeln!(text, "{note}");
        }
        ToolAnswer::new(text, facts)
    }

    /// What an operation would do.
    pub(super) fn forecast(gate: &Gate<'_>, forecast: &Forecast) -> ToolAnswer {
        let mut facts = forecast.to_json(gate);
        if let Some(facts) = facts.as_object_mut() {
            facts.remove("analysis");
        }
        let mut text = "Nothing was written. The change would be:\n".to_owned();
        text.push_str(&forecast.analysis.diff_preview);
        if forecast.finding.is_some() {
            text.push_str("\nIt would be held until a person approves it.");
        }
        ToolAnswer::new(text, facts)
    }
}

/// What an operation did, with a short diff.
fn account(done: &CompletedOperation) -> String {
    let path = escaped(&done.analysis.path);
    let lines = plural(done.analysis.measured.new_lines.unwrap_or_default(), "line");
    let mut text = match &done.moved_to {
        _ if !done.changed => format!("{path} already has this content; nothing was written.\n"),
        Some(target) => format!("Moved {path} to {}.\n", escaped(target)),
        None if done.is_gone => format!("Deleted {path}.\n"),
        None if !done.analysis.exists => format!("Created {path} with {lines}.\n"),
        None => format!("Changed {path}, which now has {lines}.\n"),
    };
    if let Some(extension) = &done.extension {
        let names = [("Added", &extension.added), ("Kept", &extension.kept)];
        for (what, names) in names.iter().filter(|(_, names)| !names.is_empty()) {
            let _ = writeln!(text, "{what}: {}", names.join(", "));
        }
    }
    if let Some(digest) = &done.digest {
        let _ = writeln!(text, "digest: {digest}");
    }
    if let Some(backup) = done.backup {
        let id = backup.to_hex_with_len(12);
        let _ = writeln!(text, "snapshot of the state before: {id}");
    }
    if done.changed && done.analysis.exists && !done.is_gone && done.moved_to.is_none() {
        text.push_str(&done.analysis.diff_preview);
    }
    text
}

/// The result of a call.
pub(super) fn result(outcome: GateResult<ToolAnswer>, changes_files: bool) -> CallToolResult {
    match outcome {
        Ok(ToolAnswer { texts, facts }) => {
            let texts = texts.into_iter().map(ContentBlock::text);
            let mut result = CallToolResult::success(texts.collect());
            result.meta = Some(meta(facts));
            result
        }
        Err(failure) => refusal(&failure, changes_files),
    }
}

/// A refusal or failure, with the next step.
pub(super) fn refusal(failure: &Failure, changes_files: bool) -> CallToolResult {
    let text = reason(failure, changes_files);
    let mut result = CallToolResult::error(vec![ContentBlock::text(text)]);
    let mut answer = failure.to_json();
    if let Some(error) = answer["error"].as_object_mut() {
        error.remove("message");
        error.remove("help");
        if let Some(analysis) = error.remove("analysis").filter(Value::is_object) {
            result.meta = Some(meta(json!({ "analysis": analysis })));
        }
    }
    result.structured_content = Some(answer);
    result
}

fn meta(facts: Value) -> MetaObject {
    MetaObject(JsonObject::from_iter([("guard".to_owned(), facts)]))
}

/// What a model reads about a refusal: what is wrong, what to do next, and what will not help.
fn reason(failure: &Failure, changes_files: bool) -> String {
    let is_policy = matches!(failure.kind, FailureKind::Security | FailureKind::Refused);
    let verdict = match failure.kind {
        FailureKind::Held => "guard holds this change",
        _ if is_policy => "guard refused this call",
        _ => "the call failed",
    };
    let mut text = format!("{verdict}: {}", failure.message);
    if let Some(finding) = &failure.finding {
        let _ = write!(text, " [{}]", finding.rule.id());
        if let Some(closest) = &finding.closest {
            let _ = write!(text, "\nClosest path in the design: {}", escaped(closest));
            if let Some((path, line)) = finding.design_line() {
                let _ = write!(text, " ({}:{line})", escaped(path));
            }
        }
    }
    for help in &failure.help {
        let _ = write!(text, "\n{}", help.trim_end());
    }
    let end = match (failure.kind, changes_files) {
        (FailureKind::Held, _) => {
            "\nIf it is approved, guard writes it: read the file again instead of repeating the call."
        }
        (_, true) if failure.help.iter().any(Help::is_row) => {
            "\nNothing was written. Ask the user before you add a row; without it, a retry or another tool is refused as well."
        }
        (_, true) if is_policy => {
            "\nNothing was written. A retry or another tool is refused as well."
        }
        (_, true) => "\nNothing was written.",
        (_, false) if is_policy => "\nAnother tool is no way around this.",
        (_, false) => "",
    };
    text.push_str(end);
    in_tools(&text)
}

/// A text for a model that may have tools but no shell.
pub(super) fn in_tools(text: &str) -> String {
    TOOLS.iter().fold(text.to_owned(), |text, (command, tool)| {
        text.replace(command, tool)
    })
}

/// A file's text, and below it the facts that the next call may need.
pub(super) fn file(gate: &Gate<'_>, content: &[u8], whole: &[u8]) -> ToolAnswer {
    let digest = gate.digest(Some(whole)).unwrap_or_default();
    ToolAnswer {
        texts: vec![
            content.to_str_lossy().into_owned(),
            format!("(digest: {digest}, {} bytes)", whole.len()),
        ],
        facts: json!({ "digest": digest, "size": whole.len() }),
    }
}
