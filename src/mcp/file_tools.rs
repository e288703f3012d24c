//! The tools that read and change files.

use gix::bstr::{BStr, ByteSlice};
use serde_json::{Value, json};

use super::arguments::bad;
use super::tool::{Call, ToolAnswer, told};
use crate::gate::{self, Failure, FailureKind, Gate, GateResult, Operation, Strategy};

pub(super) fn read_text_file(call: &Call<'_>) -> GateResult<ToolAnswer> {
    let gate = call.gate()?;
    let (head, tail) = (call.arguments.count("head"), call.arguments.count("tail"));
    if head.is_some() && tail.is_some() {
        return Err(bad("`head` and `tail` exclude each other"));
    }
    let answer = read(&gate, call.path("path").as_ref(), |content| {
        match (head, tail) {
            (Some(count), _) => first_lines(content, count),
            (_, Some(count)) => last_lines(content, count),
            _ => content,
        }
    })?;
    let text = text_of(&answer);
    Ok(ToolAnswer::of_text(answer, text))
}

pub(super) fn read_multiple_files(call: &Call<'_>) -> GateResult<ToolAnswer> {
    let gate = call.gate()?;
    let (mut files, mut text, mut size) = (Vec::new(), String::new(), 0);
    for path in call.arguments.texts("paths") {
        let request = call.repo.request_of(path.as_bytes());
        // Together they may be as large as one file, so that the answer stays bounded.
        let read = match size {
            size if size > gate.max_size() => Err(Failure::new(
                FailureKind::TooLarge,
                "the files before it are as large as one answer may be",
            )
            .help("read it in another call")),
            _ => read(&gate, request.as_ref(), |content| content),
        };
        let file = match read {
            Ok(file) => {
                let content = text_of(&file);
                size += content.len() as u64;
                text.push_str(&format!("{path}:\n{content}\n---\n"));
                file
            }
            Err(failure) => {
                text.push_str(&format!("{path}: {}\n---\n", failure.message));
                let mut file = failure.to_json();
                file["path"] = path.into();
                file
            }
        };
        files.push(file);
    }
    Ok(ToolAnswer::of_text(json!({ "files": files }), text))
}

/// Reads a file as `guard read --format json` does.
fn read(gate: &Gate<'_>, request: &BStr, part: impl Fn(&[u8]) -> &[u8]) -> GateResult<Value> {
    let (path, entry) = gate.read(request)?;
    if entry.content.to_str().is_err() {
        return Err(Failure::new(
            FailureKind::Binary,
            "the content is not UTF-8, so JSON cannot hold it",
        )
        .help("to get the bytes as they are: guard read FILE"));
    }
    let content = part(&entry.content);
    Ok(gate::read_json(gate, path.as_ref(), content, &entry))
}

fn text_of(file: &Value) -> String {
    file["content"].as_str().unwrap_or_default().to_owned()
}

fn first_lines(content: &[u8], count: usize) -> &[u8] {
    let length = content.lines_with_terminator().take(count).map(<[u8]>::len);
    &content[..length.sum()]
}

fn last_lines(content: &[u8], count: usize) -> &[u8] {
    let lines = content.lines_with_terminator().count();
    let before = lines.saturating_sub(count);
    let length: usize = content
        .lines_with_terminator()
        .take(before)
        .map(<[u8]>::len)
        .sum();
    &content[length..]
}

pub(super) fn write_file(call: &Call<'_>) -> GateResult<ToolAnswer> {
    let line = call.arguments.count("line");
    let strategy = match (call.arguments.given("strategy"), line) {
        (Some("insert"), Some(line)) => Strategy::Insert { line },
        (Some("insert"), None) => return Err(bad("the strategy insert needs the argument `line`")),
        (_, Some(_)) => return Err(bad("the argument `line` belongs to the strategy insert")),
        (Some("append"), _) => Strategy::Append,
        (Some("extend"), _) => Strategy::Extend,
        _ => Strategy::Replace,
    };
    perform(
        call,
        "path",
        &Operation::Write {
            content: call.arguments.text("content").as_bytes().to_vec(),
            strategy,
            expect: expected(call),
            // The client names the content in any case; nothing can be forgotten.
            allow_empty: true,
        },
    )
}

pub(super) fn edit_file(call: &Call<'_>) -> GateResult<ToolAnswer> {
    let patch = Operation::Patch {
        edits: call.arguments.edits("edits"),
        expect: expected(call),
    };
    if call.arguments.flag("dryRun") {
        let gate = call.gate()?;
        let forecast = gate.analyze(call.path("path").as_ref(), &patch)?;
        return Ok(forecast.to_json(&gate).into());
    }
    perform(call, "path", &patch)
}

pub(super) fn move_file(call: &Call<'_>) -> GateResult<ToolAnswer> {
    let to = call.path("destination");
    let expect = expected(call);
    perform(call, "source", &Operation::Move { to, expect })
}

pub(super) fn delete_file(call: &Call<'_>) -> GateResult<ToolAnswer> {
    let expect = expected(call);
    perform(call, "path", &Operation::Delete { expect })
}

fn expected(call: &Call<'_>) -> Option<String> {
    call.arguments.given("expect").map(str::to_owned)
}

fn perform(call: &Call<'_>, path: &str, operation: &Operation) -> GateResult<ToolAnswer> {
    let gate = call.gate()?;
    let done = gate.perform(call.path(path).as_ref(), operation);
    told(&gate, done.map(|done| done.to_json(&gate)))
}
