//! The output of the file verbs, with the fields of requirement 001 section 3 and requirement 000 section 2.3.

use super::super::output::Output;
use crate::files::{self, Effect, Extension, Failure, FailureKind, Gate};
use gix::bstr::ByteSlice;
use serde_json::Value;
use write_guard_policy::error::Result;

/// Prints the content of a file, as it is or as JSON.
///
/// # Errors
/// JSON is asked for and the content is not UTF-8.
pub(in crate::cli) fn print_content(
    output: &mut Output,
    content: &[u8],
    json: impl FnOnce() -> Value,
) -> files::GateResult<()> {
    // The digest in it takes time, and people do not see it.
    let json = if output.is_human() {
        Value::Null
    } else if content.to_str().is_ok() {
        json()
    } else {
        let message = "the content is not UTF-8, so JSON cannot hold it";
        return Err(Failure::new(FailureKind::Binary, message)
            .help("to get the bytes as they are, leave out --format json"));
    };
    output.answer(&json, content);
    Ok(())
}

/// Prints a completed operation.
pub(in crate::cli) fn print_done(output: &mut Output, gate: &Gate<'_>, done: &Effect) {
    let extension = done.extension.iter().flat_map(Extension::lines);
    let lines = [done.in_words()].into_iter().chain(extension);
    let text: String = lines.map(|line| line + "\n").collect();
    output.report_done(&done.to_json(gate), &text);
}

/// Runs a verb. A failure is JSON on stdout, or a sentence on stderr.
pub(in crate::cli) fn told(
    output: &mut Output,
    run: impl FnOnce(&mut Output) -> files::GateResult<u8>,
) -> Result<u8> {
    run(output).or_else(|failure| {
        let code = failure.kind.exit_code();
        if output.is_human() {
            output.error(&failure.into_error())
        } else {
            output.answer(&failure.to_json(), "")
        }
        Ok(code)
    })
}
