//! `guard exec`: runs a program under the scope. Standard output belongs to the program, so guard reports on standard error.

use std::ffi::OsString;
use std::io::ErrorKind;
use std::process::Command;

use gix::bstr::ByteSlice;
use serde_json::json;

use super::options::{DesignArgs, repository};
use super::output::{Output, on_panic};
use crate::approvals::with_unexpired;
use crate::files::Failure;
use crate::observe::{ObservedProgram, ProgramReport, finding_line};
use write_guard_policy::error::{Error, Result};
use write_guard_policy::finding::json::path_text;
use write_guard_policy::path::{escaped, shell_word};
use write_guard_repo::system::run_in_place;

/// The exit code if guard itself failed, as that of `env` and `timeout`.
pub(super) const FAILED: u8 = 125;
/// The exit codes if the program cannot be started, as those of `env` and `timeout`.
const CANNOT_START: u8 = 126;
const NOT_FOUND: u8 = 127;

const EXAMPLES: &str = "\
Examples:
  guard exec -- make format            run a formatter under the scope
  guard exec --keep -- ./codemod.sh    only report what the design does not allow

guard records the work tree, runs the program with its terminal and signals, and judges what has changed. It takes back \
what the design does not allow where the file had no uncommitted change, after a snapshot, and names the command that \
takes back the rest.

The exit code is that of the program. It is 1 if the program ended with 0 and changed something that is not allowed, 125 \
if guard failed, 126 if the program cannot be started, 127 if there is none, and 128 and the signal's number if a signal \
ended it.

Files that git ignores and files outside the repository are free. What goes on in the background after the program has \
ended is not judged.";

/// Whether a command line calls `guard exec`, also where the rest of it is wrong.
pub(super) fn is_called_by(arguments: &[OsString]) -> bool {
    let mut words = arguments.iter().skip(1);
    while let Some(word) = words.next() {
        if word == "-C" || word == "--color" {
            words.next();
        } else if !word.as_encoded_bytes().starts_with(b"-") {
            return word == "exec";
        }
    }
    false
}

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct ExecArgs {
    /// Take nothing back; only report what is not allowed.
    #[arg(long)]
    keep: bool,
    #[command(flatten)]
    design: DesignArgs,
    /// The program and its arguments.
    #[arg(
        value_name = "COMMAND",
        required = true,
        trailing_var_arg = true,
        allow_hyphen_values = true
    )]
    command: Vec<OsString>,
}

impl ExecArgs {
    pub(super) fn run(&self, output: &Output) -> Result<u8> {
        on_panic(", nothing was checked", || {
            std::process::exit(i32::from(FAILED))
        });
        let repo = repository()?;
        let options = with_unexpired(&repo, self.design.options(false))?;
        let words = self.command.iter();
        let about: Vec<String> = words
            .map(|word| shell_word(word.as_encoded_bytes()))
            .collect();
        let observed = ObservedProgram::begin(&repo, &options, &about.join(" "))?;
        let ran = self.start();
        let report = observed.end(self.keep).map_err(Failure::into_error)?;
        let (code, failure) = match ran {
            Ok(0) if report.is_refused() => (1, None),
            Ok(code) => (code, None),
            Err((code, error)) => (code, Some(error)),
        };
        if let Some(error) = failure {
            output.error_beside_program(&error);
        }
        print(output, &report, code);
        Ok(code)
    }

    /// Runs the program. The answer is its exit code, or why it did not run.
    fn start(&self) -> Result<u8, (u8, Error)> {
        let (program, arguments) = match self.command.split_first() {
            Some((program, arguments)) => (program, arguments),
            None => return Ok(0),
        };
        run_in_place(Command::new(program).args(arguments)).map_err(|error| {
            let shown = escaped(program.as_encoded_bytes());
            let code = match error.kind() {
                ErrorKind::NotFound => NOT_FOUND,
                _ => CANNOT_START,
            };
            let message = format!("{shown} cannot be started: {error}");
            (code, Error::new(message))
        })
    }
}

/// Says what was not allowed, and what became of it.
fn print(output: &Output, report: &ProgramReport, code: u8) {
    output.notes(&report.notes);
    let left = report.left.iter();
    let json = json!({
        "version": 1,
        "verdict": if report.is_refused() { "refused" } else { "accepted" },
        "exit_code": code,
        "findings": report.findings,
        "losses": report.losses,
        "taken_back": report.taken_back,
        "backup": report.backup.map(|id| id.to_string()),
        "left": left.clone().map(|path| path_text(path.as_ref())).collect::<Vec<_>>(),
        "restore": report.restore,
    });
    let mut text = String::new();
    if !report.findings.is_empty() {
        text += "guard: the program changed what the design does not allow:\n";
    }
    for finding in &report.findings {
        text += &format!("- {}\n", finding_line(finding));
    }
    if !report.losses.is_empty() {
        text += "guard: this is gone, which nothing else has:\n";
    }
    for loss in &report.losses {
        text += &format!("- {loss}\n");
    }
    if !report.taken_back.is_empty() {
        text += &format!("guard: taken back: {}\n", report.taken_back.join(", "));
    }
    if let Some(backup) = report.backup {
        text += &format!("guard: if that was a mistake: guard snapshot restore {backup}\n");
    }
    if let Some(command) = &report.restore {
        let what: Vec<String> = left
            .map(|path| escaped(path.as_bstr()).to_string())
            .collect();
        let what = if what.is_empty() {
            "the rest".to_owned()
        } else {
            what.join(", ")
        };
        text += &format!("guard: to take back {what}: {command}\n");
    }
    output.beside_program(&json, &text);
}
