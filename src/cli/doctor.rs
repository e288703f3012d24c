//! `guard doctor`: checks the set-up.

use serde_json::json;

use super::output::Output;
use super::repository::repository;
use crate::error::Result;
use crate::setup::doctor::examine;
use crate::setup::{Check, Status};

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct DoctorArgs {}

const EXAMPLES: &str = "\
Examples:
  guard doctor                  list every check, with the fix for each problem
  guard doctor --quiet          list only problems
  guard doctor --format json    print the checks as JSON

guard also tries a commit that the installed hooks must refuse, in a temporary repository that it removes afterwards. \
The exit code is 1 if a check fails.";

impl DoctorArgs {
    pub(super) fn run(&self, output: &mut Output) -> Result<u8> {
        let checks = examine(repository());
        let worst = checks.iter().map(|check| check.status).max();
        let worst = worst.unwrap_or(Status::Fail);
        let quiet = output.style.quiet;
        let shown = |check: &&Check| !quiet || check.status != Status::Ok;
        let text: String = checks.iter().filter(shown).map(as_text).collect();
        output.answer(
            &json!({"version": 1, "status": worst, "checks": checks}),
            text,
        );
        Ok(u8::from(worst == Status::Fail))
    }
}

fn as_text(check: &Check) -> String {
    let status = match check.status {
        Status::Ok => "ok",
        Status::Warn => "warn",
        Status::Fail => "fail",
    };
    let message = check.message.replace('\n', "\n      ");
    let mut text = format!("{status:<5} {}: {message}\n", check.name);
    for line in &check.help {
        text.push_str(&format!("      {}\n", &**line));
    }
    text
}
