//! What an agent and a person read about a call: made last, from data.

use std::fmt::Write;

use super::judgement::Observation;
use super::losses::{LostThing, LostWork};
use crate::report::plural;
use write_guard_policy::change::Change;
use write_guard_policy::error::Error;
use write_guard_policy::finding::{Finding, Rule};
use write_guard_policy::path::{escaped, shell_word};
use write_guard_repo::{Back, Unreached};

/// How many findings a model reads with attention.
const MAX_FINDINGS: usize = 6;
/// So many paths are named in a command.
const MAX_PATHS: usize = 6;

const SEEN: &str = "guard saw that the command changed what it may not:";
const LOST: &str =
    "guard saw that this is gone, which this session did not make and nothing else has:";
const BETWEEN: &str = "Between two tools this changed, perhaps in an editor or by a job in the background, and guard would refuse to commit it:";
const MEANS: &str = "guard's hooks may be off now. Stop, and tell the user.";

/// The command that takes back what was refused and brings back what was lost, and nothing else.
pub(super) fn restore(name: &str, back: &Back) -> String {
    let mut command = format!("guard snapshot restore {name}");
    if back.is_files() && back.files.len() <= MAX_PATHS {
        for path in &back.files {
            let _ = write!(command, " {}", shell_word(path.as_bytes()));
        }
    }
    command
}

/// The report on what a call changed and may not, and on what is lost.
pub(super) fn report(seen: &Observation, command: &str, means_are_off: bool) -> String {
    let mut text = String::new();
    if !seen.findings.is_empty() {
        let lines: Vec<String> = seen.findings.iter().map(|(one, _)| line(one)).collect();
        let _ = writeln!(text, "{SEEN}\n{}", list(&lines).trim_end());
    }
    if !seen.losses.told.is_empty() {
        let lines: Vec<String> = seen.losses.told.iter().map(lost).collect();
        let _ = writeln!(text, "{LOST}\n{}", list(&lines).trim_end());
    }
    let _ = writeln!(
        text,
        "If your command did this, the next step is to take back exactly that: {command}\nOtherwise a person or another program did it meanwhile: leave it, and tell the user."
    );
    if !seen.findings.is_empty() {
        text.push_str("If the change is needed, ask the user for it afterwards. Another command for it is reported as well, and so is the commit.\n");
    }
    if means_are_off {
        let _ = writeln!(text, "{MEANS}");
    }
    text.trim_end().to_owned()
}

/// What is read where the rules could not be asked.
pub(super) fn unjudged(error: &Error, changes: &[Change], command: &str) -> String {
    let paths: Vec<String> = changes
        .iter()
        .take(MAX_PATHS)
        .map(|one| escaped(&one.path).to_string())
        .collect();
    let changed = if paths.is_empty() {
        String::new()
    } else {
        format!("; it changed {}", paths.join(", "))
    };
    let why = failed_to("check what it changed", error, "");
    format!("{why}{changed}\nIf your command did this, take it back: {command}")
}

/// The line about much that the session itself had made.
pub(super) fn own_line(losses: &[LostWork], command: &str) -> String {
    let lines: usize = losses.iter().map(|loss| loss.lines).sum();
    let named: Vec<String> = losses.iter().take(MAX_PATHS).map(name).collect();
    format!(
        "guard: {lines} lines that this session made are nowhere any more ({}). To bring them back: {command}",
        named.join(", ")
    )
}

/// What a person reads about a loss.
pub(super) fn for_person(losses: &[LostWork], command: &str) -> String {
    let lines: Vec<String> = losses.iter().map(lost).collect();
    format!(
        "guard: after the agent's command this is gone:\n{}To bring it back: {command}",
        list(&lines)
    )
}

/// The note about what changed between two calls.
pub(super) fn between(findings: &[Finding]) -> String {
    let lines: Vec<String> = findings.iter().map(line).collect();
    format!(
        "{BETWEEN}\n{}It is not for you to take back. Leave it alone.",
        list(&lines)
    )
}

/// A finding for one line, with what may be done instead.
pub(crate) fn line(finding: &Finding) -> String {
    let mut line = format!("{} [{}]", finding.message, finding.rule.id());
    if let Some(closest) = &finding.closest {
        let _ = write!(line, "; closest path in the design: {}", escaped(closest));
    }
    if finding.rule == Rule::OutOfScope && finding.details.get("action") == Some(&"add".into()) {
        line.push_str("; for a scratch file, use a temporary or ignored path");
    }
    line
}

/// What a loss was, and how much.
pub(super) fn lost(loss: &LostWork) -> String {
    let mut line = format!("{} ({})", name(loss), plural(loss.lines, "line"));
    if matches!(
        &loss.what,
        LostThing::File {
            has_copy: false,
            ..
        }
    ) {
        line.push_str("; guard has no copy");
    }
    line
}

/// What a loss was.
fn name(loss: &LostWork) -> String {
    match &loss.what {
        LostThing::File { path, .. } => escaped(path).to_string(),
        LostThing::Staged { path, .. } => format!("the staged version of {}", escaped(path)),
        LostThing::Commit(lost) => name_of_commit(lost),
    }
}

fn name_of_commit(lost: &Unreached) -> String {
    let id = lost.commit.to_hex_with_len(12);
    let paths: Vec<String> = lost
        .changes
        .iter()
        .take(MAX_PATHS)
        .map(|change| escaped(&change.path).to_string())
        .collect();
    let paths = paths.join(", ");
    if lost.is_stash() {
        return format!("the stash {id} with {paths}");
    }
    let names: Vec<&str> = lost.refs.iter().map(|name| short(name)).collect();
    let commits = plural(lost.commits, "commit");
    format!("{commits} of {} up to {id} with {paths}", names.join(", "))
}

/// The name of a ref as people write it.
fn short(name: &str) -> &str {
    let places = ["refs/heads/", "refs/tags/", "refs/"];
    let short = places.iter().find_map(|place| name.strip_prefix(place));
    short.unwrap_or(name)
}

fn list(lines: &[String]) -> String {
    let listed = lines.iter().take(MAX_FINDINGS);
    let mut text: String = listed.map(|line| format!("- {line}\n")).collect();
    if lines.len() > MAX_FINDINGS {
        let _ = writeln!(text, "and {} more", lines.len() - MAX_FINDINGS);
    }
    text
}

/// What guard could not do after a tool, with the next steps.
pub(crate) fn failed_to(what: &str, error: &Error, first_step: &str) -> String {
    let help: Vec<&str> = error.help.iter().map(|help| help.trim_end()).collect();
    let message = &error.message;
    let help = help.join("; ");
    format!("guard could not {what}: {message}; {first_step}{help}")
}
