//! The JSON interface: keys are added, never renamed.
//!
//! - One document, indented by two blanks, with a final newline; paths as in `finding::json`.
//! - Control, bidirectional and invisible characters are written as `\uXXXX`, which is safe to print and exact.

use std::io::{self, BufWriter, Write};

use gix::bstr::ByteSlice;
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use super::texts::{RunResult, ordered};
use write_guard_policy::error::Error;
use write_guard_policy::finding::json::path_text;
use write_guard_policy::finding::{Finding, Help};
use write_guard_policy::path::is_hostile;
use write_guard_policy::verdict::{Counts, DesignUsed, JudgedChange, Outcome};

/// The document of `guard lint`; that of a run that could not check has no verdict.
pub(super) fn report(
    RunResult { verdict, failure }: RunResult<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    #[derive(Serialize)]
    struct ReportJson<'a> {
        version: u32,
        verdict: Outcome,
        source: Value,
        designs: &'a [DesignUsed],
        findings: Vec<&'a Finding>,
        changes: Vec<&'a JudgedChange>,
        summary: Counts,
    }
    let findings = ordered(&verdict.findings);
    if let Some(error) = failure {
        let failed = json!({"version": 1, "error": error_json(error), "findings": findings});
        return write_document(&failed, out);
    }
    let source = &verdict.source;
    let mut source_json = json!({
        "kind": source.kind,
        "base": source.base,
        "head": source.head,
        "branch": source.branch.as_ref().map(|name| path_text(name.as_bstr())),
        "notes": verdict.notes,
    });
    if let Some(reverted) = &source.reverts {
        source_json["reverts"] = reverted.as_str().into();
    }
    let value = ReportJson {
        version: 1,
        verdict: verdict.outcome(),
        source: source_json,
        designs: &verdict.designs,
        findings,
        changes: verdict.ordered_changes(),
        summary: verdict.counts(),
    };
    write_document(&value, out)
}

/// Why guard could not check something.
pub(super) fn error_json(error: &Error) -> Value {
    let commands = error.help.iter().filter_map(Help::to_run);
    let commands: Vec<&str> = commands.collect();
    json!({"kind": error.kind, "message": error.message, "help": error.help, "commands": commands})
}

/// Values that are made, written and dropped one by one.
pub(super) struct Streamed<F>(pub(super) F);

impl<I: IntoIterator<Item: Serialize>, F: Fn() -> I> Serialize for Streamed<F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq((self.0)())
    }
}

/// A value as a whole document, safe to show.
///
/// # Errors
///
/// Those of serde_json.
pub(super) fn document(value: &impl Serialize) -> io::Result<String> {
    let mut out = Vec::new();
    write_document(value, &mut out)?;
    String::from_utf8(out).map_err(io::Error::other)
}

/// Writes a value as a whole document, safe to show.
pub(super) fn write_document(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    let mut safe = safe(out);
    serde_json::to_writer_pretty(&mut safe, value)?;
    safe.write_all(b"\n")?;
    safe.flush()
}

/// An object with the keys of another behind its own.
pub(super) fn with(mut object: Value, more: Value) -> Value {
    if let (Value::Object(keys), Value::Object(more)) = (&mut object, more) {
        keys.extend(more);
    }
    object
}

fn safe(out: &mut dyn Write) -> BufWriter<SafeWriter<'_>> {
    let after_sign = false;
    BufWriter::new(SafeWriter { out, after_sign })
}

/// Makes what serde_json writes safe to show: escapes hostile characters, and the second sign of `##[error]` and
/// `##vso[…]`, which CI systems take for commands anywhere in a log.
struct SafeWriter<'a> {
    out: &'a mut dyn Write,
    after_sign: bool,
}

impl Write for SafeWriter<'_> {
    /// serde_json writes whole characters, and a [`BufWriter`] splits none, so that each piece is text.
    fn write(&mut self, json: &[u8]) -> io::Result<usize> {
        let text = std::str::from_utf8(json).map_err(io::Error::other)?;
        let mut written = 0;
        let mut units = [0; 2];
        for (at, c) in text.char_indices() {
            // serde_json has escaped everything below the blank inside strings, so a line feed is layout, and any
            // other hostile character or number sign is in a string.
            let is_second = c == '#' && self.after_sign;
            self.after_sign = c == '#';
            if !is_second && (c == '\n' || !is_hostile(c)) {
                continue;
            }
            self.out.write_all(&json[written..at])?;
            for unit in c.encode_utf16(&mut units) {
                write!(self.out, "\\u{unit:04x}")?;
            }
            written = at + c.len_utf8();
        }
        self.out.write_all(&json[written..])?;
        Ok(json.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_in_a_string_is_broken_and_comes_back_unchanged() {
        let json = document(&["##[error]x", "##vso[y]"]).unwrap_or_default();
        assert!(!json.contains("##[") && !json.contains("##vso["), "{json}");
        let back: Vec<String> = serde_json::from_str(&json).unwrap_or_default();
        assert_eq!(back, ["##[error]x", "##vso[y]"]);
    }

    #[test]
    fn hostile_characters_are_escaped_and_come_back_unchanged() {
        let hostile = "a\u{1b}\n\u{7f}\u{202e}\u{e0041}é";
        let json = document(&hostile).unwrap_or_default();
        assert_eq!(json, "\"a\\u001b\\n\\u007f\\u202e\\udb40\\udc41é\"\n");
        let back: String = serde_json::from_str(&json).unwrap_or_default();
        assert_eq!(back, hostile);
    }
}
