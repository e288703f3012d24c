//! The output of the file verbs, with the fields of requirement 001 section 3 and requirement 000 section 2.3.

use std::path::Path;

use gix::bstr::ByteSlice;
use serde_json::{Map, Value, json};

use super::super::output::Output;
use crate::boundary::OpenedFile;
use crate::error::{Error, Result};
use crate::gate::{self, Analysis, CompletedOperation, Extension, Failure, FailureKind, Gate};
use crate::path::escaped;
use crate::report::{Format, document, plural};

/// Prints the content, as it is or as JSON.
///
/// # Errors
/// JSON is asked for and the content is not UTF-8.
pub(super) fn print_read(
    output: &mut Output,
    path: &Path,
    content: &[u8],
    entry: &OpenedFile,
) -> gate::GateResult<()> {
    if output.format == Format::Json && content.to_str().is_err() {
        return Err(Failure::new(
            FailureKind::Binary,
            "the content is not UTF-8, so JSON cannot hold it",
        )
        .help("to get the bytes as they are, leave out --format json"));
    }
    output.print_either(
        || {
            json!({
                "version": 1,
                "path": path.to_string_lossy(),
                "content": content.to_str_lossy(),
                "size": entry.content.len(),
                "exists": true,
            })
        },
        |out| out.write_all(content),
    );
    Ok(())
}

/// Prints a completed operation.
pub(in crate::cli) fn print_done(output: &mut Output, gate: &Gate<'_>, done: &CompletedOperation) {
    let quiet = output.style.quiet;
    output.print_either(
        || Value::Object(done_json(gate, done)),
        |out| {
            if quiet {
                return Ok(());
            }
            let path = escaped(&done.analysis.path);
            let to = done.moved_to.as_ref().map(escaped);
            let what = match (done.verb, to) {
                ("restore", Some(to)) => format!("restored {path} to {to}"),
                ("restore", None) if done.is_gone => format!("removed {path}"),
                ("restore", None) => format!("restored {path} ({} bytes)", done.size),
                (_, Some(to)) => format!("moved {path} to {to}"),
                ("patch", None) => {
                    format!("patched {path} ({})", plural(done.replaced, "replacement"))
                }
                _ if done.is_gone => format!("deleted {path}"),
                _ => format!("wrote {path} ({} bytes)", done.size),
            };
            writeln!(out, "{what}; snapshot {}", done.backup)?;
            done.extension
                .iter()
                .flat_map(extension_lines)
                .try_for_each(|line| writeln!(out, "{line}"))
        },
    );
}

/// The results of `extend`, in groups with a title.
pub(in crate::cli) fn extension_lines(extension: &Extension) -> Vec<String> {
    let groups = [
        ("added", &extension.added),
        ("kept", &extension.kept),
        ("left out", &extension.left_out),
    ];
    let groups = groups.into_iter().filter(|(_, names)| !names.is_empty());
    groups
        .flat_map(|(title, names)| {
            names
                .iter()
                .map(move |name| format!("  {title}: {}", escaped(name)))
        })
        .collect()
}

fn done_json(gate: &Gate<'_>, done: &CompletedOperation) -> Map<String, Value> {
    let absolute = |path: &gix::bstr::BString| -> Value {
        gate.absolute(path.as_ref())
            .to_string_lossy()
            .into_owned()
            .into()
    };
    let mut object = Map::new();
    object.insert("version".into(), 1.into());
    let path = done.moved_to.as_ref().unwrap_or(&done.analysis.path);
    object.insert("path".into(), absolute(path));
    if done.moved_to.is_some() {
        object.insert("moved_from".into(), absolute(&done.analysis.path));
        object.insert("size".into(), done.size.into());
    } else if done.is_gone {
        object.insert("deleted".into(), true.into());
    } else if done.verb == "patch" {
        object.insert("matched".into(), true.into());
        object.insert("replaced".into(), done.replaced.into());
    } else {
        object.insert("size".into(), done.size.into());
        object.insert("created".into(), (!done.analysis.exists).into());
        if let Some(extension) = &done.extension {
            object.insert("added".into(), extension.added.clone().into());
            object.insert("kept".into(), extension.kept.clone().into());
            object.insert("left_out".into(), extension.left_out.clone().into());
        }
    }
    object.insert("backup".into(), done.backup.to_string().into());
    object.insert("analysis".into(), analysis_json(&done.analysis));
    object
}

fn analysis_json(analysis: &Analysis) -> Value {
    json!({
        "target_path": analysis.path.to_str_lossy(),
        "exists": analysis.exists,
        "original_lines": analysis.measured.original_lines,
        "new_lines": analysis.measured.new_lines,
        "change_classification": analysis.measured.class.name(),
        "change_percentage": analysis.measured.lost.share() * 100.0,
        "requires_approval": analysis.requires_approval,
        // Only a person's consent permits it, never `--auto`.
        "auto_mode_blocked": analysis.requires_approval,
        "deleted_content": analysis.deleted_content,
        "diff_preview": analysis.diff_preview,
    })
}

/// Runs a verb whose errors are JSON too if the format is JSON, even if the verb could not begin.
pub(in crate::cli) fn answered(
    output: &mut Output,
    run: impl FnOnce(&mut Output) -> Result<u8>,
) -> Result<u8> {
    match run(output) {
        Err(error) if output.format == Format::Json => tell(output, &error.into()),
        result => result,
    }
}

/// A failure as JSON on stdout, or as a sentence on stderr.
pub(in crate::cli) fn told(
    output: &mut Output,
    run: impl FnOnce(&mut Output) -> gate::GateResult<u8>,
) -> Result<u8> {
    run(output).or_else(|failure| tell(output, &failure))
}

pub(in crate::cli) fn tell(output: &mut Output, failure: &Failure) -> Result<u8> {
    if output.format == Format::Json {
        let value = json!({
            "version": 1,
            "error": {
                "kind": failure.kind.name(),
                "message": failure.message,
                "help": failure.help,
                "rule": failure.finding.as_ref().map(|finding| finding.rule.id()),
                "details": failure.details,
                "analysis": failure.analysis.as_deref().map(analysis_json),
            },
        });
        output.print(|out, _, _| out.write_all(document(&value)?.as_bytes()));
    } else {
        let mut error = Error::new(failure.message.clone());
        error.help.clone_from(&failure.help);
        output.error(&error);
    }
    Ok(failure.kind.exit_code())
}
