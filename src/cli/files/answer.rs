//! The output of the file verbs, with the fields of requirement 001 section 3 and requirement 000 section 2.3.

use super::super::output::Output;
use crate::boundary::OpenedFile;
use crate::error::{Error, Result};
use crate::files::{self, Effect, Extension, Failure, FailureKind, Gate, Operation};
use crate::path::escaped;
use crate::report::{Format, document, plural};
use gix::bstr::{BStr, ByteSlice};
use serde_json::Value;

/// Prints the content, as it is or as JSON.
///
/// # Errors
/// JSON is asked for and the content is not UTF-8.
pub(super) fn print_read(
    output: &mut Output,
    gate: &Gate<'_>,
    path: &BStr,
    entry: &OpenedFile,
) -> files::GateResult<()> {
    if output.format == Format::Json && entry.content.to_str().is_err() {
        let message = "the content is not UTF-8, so JSON cannot hold it";
        return Err(Failure::new(FailureKind::Binary, message)
            .help("to get the bytes as they are, leave out --format json"));
    }
    // Its digest takes time, and people do not see it.
    let json = match output.is_human() {
        true => Value::Null,
        false => files::read_json(gate, path, entry),
    };
    output.answer(&json, &entry.content);
    Ok(())
}

/// Prints a completed operation.
pub(in crate::cli) fn print_done(output: &mut Output, gate: &Gate<'_>, done: &Effect) {
    let what = in_words(done);
    output.settle(format!("the change is done: {what}"));
    let extension = done.extension.iter().flat_map(extension_lines);
    let lines = [what].into_iter().chain(extension);
    let text: String = lines.map(|line| line + "\n").collect();
    output.report_done(&done.to_json(gate), &text);
}

/// What happened, in a line.
pub(in crate::cli) fn in_words(done: &Effect) -> String {
    let path = escaped(&done.path);
    let to = done.moved_to.as_ref().map(escaped);
    let what = match (&done.operation, to) {
        (Operation::Restore { .. }, _) if done.is_gone() => format!("removed {path}"),
        (Operation::Restore { .. }, _) => format!("restored {path} ({} bytes)", done.size()),
        (_, Some(to)) => format!("moved {path} to {to}"),
        (Operation::Patch { edits, .. }, _) if done.changes() => {
            format!("patched {path} ({})", plural(edits.len(), "replacement"))
        }
        _ if done.is_gone() => format!("deleted {path}"),
        _ if !done.changes() => format!("unchanged {path} ({} bytes)", done.size()),
        _ => format!("wrote {path} ({} bytes)", done.size()),
    };
    match done.backup {
        Some(backup) => format!("{what}; snapshot {backup}"),
        None => what,
    }
}

/// The results of `extend`, in groups with a title.
pub(in crate::cli) fn extension_lines(extension: &Extension) -> Vec<String> {
    let groups = [
        ("added", &extension.added),
        ("kept", &extension.kept),
        ("left out", &extension.left_out),
    ];
    let lines = groups.into_iter().flat_map(|(title, names)| {
        let line = move |name| format!("  {title}: {}", escaped(name));
        names.iter().map(line)
    });
    lines.collect()
}

/// A failure as JSON on stdout, or as a sentence on stderr.
pub(in crate::cli) fn told(
    output: &mut Output,
    run: impl FnOnce(&mut Output) -> files::GateResult<u8>,
) -> Result<u8> {
    run(output).or_else(|failure| tell(output, &failure))
}

/// A failure as JSON on stdout, if that is the format.
fn answer_failure(output: &mut Output, failure: &Failure) {
    if output.format == Format::Json {
        let value = failure.to_json();
        output.print(|to| to.out.write_all(document(&value)?.as_bytes()));
    }
}

pub(in crate::cli) fn tell(output: &mut Output, failure: &Failure) -> Result<u8> {
    answer_failure(output, failure);
    if failure.kind.exit_code() == 1 {
        output.settle(failure.message.clone());
    }
    if output.format != Format::Json {
        let mut error = Error::new(failure.message.clone());
        error.help.clone_from(&failure.help);
        output.error(&error);
    }
    Ok(failure.kind.exit_code())
}
