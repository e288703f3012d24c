//! guard's part of the settings of lefthook.

use std::ops::RangeInclusive;

use serde_json::{Map, Value};

use super::command::GuardCall;
use super::remainder::Without;
use super::yaml::{self, YamlEntry};
use crate::hooks::{is_hook, reads_input};

/// The hooks that `guard install lefthook` lets call guard: without the second, CI does not see `guard use`.
pub(super) const CALLED: &[&str] = &["pre-commit", "prepare-commit-msg"];

pub(super) fn without(text: &str) -> Option<Without> {
    let root = yaml::entries(text)?;
    let mut found = Without::default();
    let mut cut = Vec::new();
    for entry in root.iter().filter(|entry| is_hook(&entry.key)) {
        cut.extend(of_hook(entry, &mut found));
    }
    (found.rest, found.part) = yaml::split_lines(text, &cut)?;
    Some(found)
}

/// The lines of guard's jobs in one hook; of the whole hook, if it has nothing else.
fn of_hook(hook: &YamlEntry, found: &mut Without) -> Vec<RangeInclusive<usize>> {
    let mut cut = Vec::new();
    let entries = hook.value.entries();
    let mut whole_lists = 0;
    for list in entries {
        let mut own = Vec::new();
        let count = match list.key.as_str() {
            "jobs" => {
                for item in list.value.items() {
                    let job = item.value();
                    let call = job
                        .as_ref()
                        .and_then(|job| own_job(&hook.key, job.as_object()?));
                    own.extend(call.map(|call| (call, item.lines.clone())));
                }
                list.value.items().len()
            }
            "commands" => {
                for item in list.value.entries() {
                    let job = item.value.value();
                    let call = job
                        .as_ref()
                        .and_then(|job| own_job(&hook.key, job.as_object()?));
                    own.extend(call.map(|call| (call, item.lines.clone())));
                }
                list.value.entries().len()
            }
            _ => 0,
        };
        let is_whole = count > 0 && own.len() == count;
        whole_lists += usize::from(is_whole);
        let mut lines = Vec::new();
        for (call, place) in own {
            found.calls.insert(call);
            lines.push(place);
        }
        if is_whole {
            cut.push(list.lines.clone());
        } else {
            cut.extend(lines);
        }
    }
    if whole_lists > 0 && whole_lists == entries.len() {
        return vec![hook.lines.clone()];
    }
    cut
}

/// What a job does that only runs guard.
pub(super) fn own_job(hook: &str, job: &Map<String, Value>) -> Option<String> {
    let call = GuardCall::parse(job.get("run")?.as_str()?)?;
    job.iter()
        .all(|(key, value)| match key.as_str() {
            "run" => call.is_for(hook),
            "name" => value.is_string(),
            "use_stdin" => value.as_str() == Some("true") || value.as_bool() == Some(true),
            _ => false,
        })
        .then(|| format!("{hook}: {}", call.verb))
}

/// The settings with guard's jobs. What is there stays.
pub(super) fn with(text: &str, program: &str) -> Option<String> {
    let mut text = text.to_owned();
    for hook in CALLED {
        text = with_hook(&text, hook, program)?;
    }
    Some(text)
}

/// The lines of a text, each behind so many blanks.
fn indented(text: &str, by: usize) -> Vec<String> {
    let indent = " ".repeat(by);
    text.lines().map(|line| format!("{indent}{line}")).collect()
}

fn with_hook(text: &str, hook: &str, program: &str) -> Option<String> {
    let found = without(text)?;
    if found
        .calls
        .iter()
        .any(|call| call.starts_with(&format!("{hook}: ")))
    {
        return Some(text.to_owned());
    }
    let input = if reads_input(hook) {
        "\n  use_stdin: true"
    } else {
        ""
    };
    let job = format!("- run: {program} hook {hook} {{0}}{input}");
    let root = yaml::entries(text)?;
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let Some(entry) = root.iter().find(|entry| entry.key == hook) else {
        lines.extend([format!("{hook}:"), "  jobs:".to_owned()]);
        lines.extend(indented(&job, 4));
        return Some(lines.join("\n") + "\n");
    };
    let jobs = entry
        .value
        .entries()
        .iter()
        .find(|entry| entry.key == "jobs")?;
    let first = jobs.value.items().first()?;
    let line = lines.get(first.lines.start() - 1)?;
    let indent = line.len() - line.trim_start().len();
    if !line.trim_start().starts_with("- ") {
        return None;
    }
    let at = first.lines.start() - 1;
    lines.splice(at..at, indented(&job, indent));
    Some(lines.join("\n") + "\n")
}
