//! `guard audit`: the log of writes and decisions.

use clap::Subcommand;
use gix::bstr::ByteSlice;
use serde_json::{Value, json};

use super::options::{DesignArgs, repository};
use super::output::Output;
use crate::attempts::{self, Work};
use crate::files::{Log, Record, Verification, verify};
use write_guard_policy::error::{Error, Result};
use write_guard_policy::path::escaped;

/// The word for a record that is not as guard wrote it.
const DAMAGED: &str = "damaged";

#[derive(Debug, Subcommand)]
#[command(after_help = "Examples:\n  guard audit show --last 20\n  guard audit verify")]
pub(super) enum AuditArgs {
    /// Print the records, oldest first.
    #[command(
        after_help = "Examples:\n  guard audit show\n  guard audit show --last 20 --format json"
    )]
    Show {
        /// Print only the newest N records.
        #[arg(long, value_name = "N")]
        last: Option<usize>,
    },
    /// Verify that no record was changed or removed.
    #[command(after_help = "\
Examples:
  guard audit verify

guard names the first damaged record. Anyone who can write the log can rewrite all of it, or cut \
off its end.")]
    Verify,
    /// Count the refusals of each design and agent, and what followed each.
    #[command(after_help = ATTEMPTS_EXAMPLES)]
    Attempts {
        /// Count only what was refused since this day, such as 2026-11-30.
        #[arg(long, value_name = "DAY")]
        since: Option<String>,
    },
}

const ATTEMPTS_EXAMPLES: &str = "\
Examples:
  guard audit attempts                       list every refusal with what followed
  guard audit attempts --since 2026-11-01    the same since a day
  guard audit attempts --format json         the counts for a program

After a refusal, a person approved the change, the same path was tried again, a row was added, the work went on at the path \
that guard suggested or at another one, or it was given up. The attempts are the refusals before the first commit that \
guard accepts, and this commit.";

impl AuditArgs {
    pub(super) fn run(&self, output: &mut Output) -> Result<u8> {
        let repo = repository()?;
        let bytes = Log::new(repo.common_dir())
            .read()
            .map_err(|error| Error::new(format!("the audit log cannot be read: {error}")))?;
        match self {
            AuditArgs::Show { last } => {
                print_records(output, &bytes, *last);
                Ok(0)
            }
            AuditArgs::Verify => Ok(print_verification(output, &verify(&bytes))),
            AuditArgs::Attempts { since } => {
                let since = since.as_deref().map(attempts::day).transpose()?;
                let options = DesignArgs { lld: Vec::new() }.options(true);
                let work = attempts::attempts(&repo, &options, &bytes, since.as_deref())?;
                print_attempts(output, &work);
                Ok(0)
            }
        }
    }
}

fn print_attempts(output: &mut Output, work: &[Work]) {
    let json: Vec<Value> = work.iter().map(Work::json).collect();
    let mut text: String = work.iter().map(Work::text).collect();
    if work.is_empty() {
        text = "guard has refused nothing here\n".to_owned();
    }
    output.answer(&json!({ "version": 1, "work": json }), text);
}

fn print_records(output: &mut Output, bytes: &[u8], last: Option<usize>) {
    let lines: Vec<&[u8]> = bytes.lines().collect();
    let skipped = last.map_or(0, |last| lines.len().saturating_sub(last));
    let records: Vec<Value> = lines[skipped..]
        .iter()
        .map(|line| match Record::parse(line) {
            Some(record) => Value::Object(record.facts),
            None => json!({ "fault": DAMAGED }),
        })
        .collect();
    let text: String = records.iter().map(|record| line(record) + "\n").collect();
    output.answer(&json!({ "version": 1, "records": records }), text);
}

/// One record for people.
fn line(record: &Value) -> String {
    if let Some(fault) = shown(record, "fault") {
        return format!("(unreadable record: {fault})");
    }
    let mut parts = Vec::new();
    for key in ["time", "event", "operation", "path"] {
        parts.extend(shown(record, key));
    }
    for key in ["class", "reason", "who", "worktree", "backup"] {
        parts.extend(shown(record, key).map(|value| format!("{key}={value}")));
    }
    parts.join("  ")
}

/// The text below a key.
fn shown(record: &Value, key: &str) -> Option<String> {
    Some(escaped(record.get(key)?.as_str()?).to_string())
}

fn print_verification(output: &mut Output, result: &Verification) -> u8 {
    let records = result.records;
    let hash = &result.hash;
    let sound = format!("{records} records, head {records}:{hash}");
    let mut text = match result.fault {
        None => format!("the log is sound: {sound}\n"),
        Some(line) => format!(
            "the log is damaged at line {line}: the record was changed, is incomplete, or does not \
             follow the one before it\nsound up to there: {sound}\n"
        ),
    };
    let mut unfinished = Vec::new();
    for open in &result.unfinished {
        let seq = open.seq;
        let operation = open.text("operation");
        let path = open.text("path");
        unfinished.push(json!({ "seq": seq, "operation": operation, "path": path }));
        let operation = escaped(operation);
        let path = escaped(path);
        text.push_str(&format!(
            "record {seq}: the {operation} of {path} started but never finished: still running, or \
             interrupted\n"
        ));
    }
    let fault = result.fault;
    let json = json!({
        "version": 1,
        "verdict": if fault.is_none() { "sound" } else { "damaged" },
        "records": records,
        "head": format!("{records}:{hash}"),
        "fault": fault.map(|line| json!({ "line": line, "kind": DAMAGED })),
        "unfinished": unfinished,
    });
    output.answer(&json, text);
    u8::from(fault.is_some())
}
