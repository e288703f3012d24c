//! guard's part of a script that git runs as a hook, by itself or through husky.

use super::command::GuardCall;
use super::remainder::Without;
use crate::hooks::{HOOKS, INPUT_AGAIN, KEEP_INPUT, call_lines, reads_input};

/// Lines that do nothing by themselves.
const FRAMES: &[&str] = &[
    "#!/bin/sh",
    "#!/bin/bash",
    "#!/usr/bin/env sh",
    "#!/usr/bin/env bash",
    "set -e",
    "set -eu",
];

/// Whether a line does nothing.
fn is_frame(line: &str) -> bool {
    let line = line.trim();
    line.is_empty() || FRAMES.contains(&line) || line.starts_with('#') && !line.starts_with("#!")
}

pub(super) fn without(hook: &str, text: &str) -> Without {
    let mut found = Without::default();
    if HOOKS
        .iter()
        .any(|own| own.name == hook && own.script == text)
    {
        found.calls.insert(format!("hook {hook}"));
        text.clone_into(&mut found.part);
        return found;
    }
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let own = own_lines(hook, &lines);
    let Some(call) = own.call else {
        found.rest = text.to_owned();
        return found;
    };
    let others: Vec<(usize, &&str)> = lines
        .iter()
        .enumerate()
        .filter(|(at, line)| !own.cut.contains(at) && !is_frame(line))
        .collect();
    found.behind = others.iter().filter(|(other, _)| *other < own.at).count();
    // Nothing that follows `exec` runs.
    if call.is_last && others.iter().any(|(other, _)| *other > own.at) {
        found.rest = text.to_owned();
        return found;
    }
    found.calls.insert(call.verb);
    found.part = own.cut.iter().map(|at| lines[*at]).collect();
    if !others.is_empty() {
        let kept = lines.iter().enumerate();
        let kept = kept.filter(|(at, _)| !own.cut.contains(at));
        found.rest = kept.map(|(_, line)| *line).collect();
    }
    found
}

/// The lines of guard in a script.
#[derive(Default)]
struct OwnLines {
    call: Option<GuardCall>,
    /// Where the call is.
    at: usize,
    cut: Vec<usize>,
}

fn own_lines(hook: &str, lines: &[&str]) -> OwnLines {
    let mut own = OwnLines::default();
    for (at, line) in lines.iter().enumerate() {
        let line = line.trim_end();
        let is_around_input = reads_input(hook) && (line == KEEP_INPUT || line == INPUT_AGAIN);
        let call = GuardCall::parse(without_comment(line)).filter(|call| call.is_for(hook));
        if is_around_input {
            own.cut.push(at);
        } else if own.call.is_none() && call.is_some() && !line.starts_with(char::is_whitespace) {
            own.call = call;
            own.at = at;
            own.cut.push(at);
        }
    }
    own
}

/// The line up to a comment behind it; no argument of guard's has a `#`.
fn without_comment(line: &str) -> &str {
    line.find(" #").map_or(line, |at| &line[..at])
}

/// The script with guard's call at its beginning. What is there stays.
pub(super) fn with(hook: &str, text: &str, program: &str) -> String {
    if !without(hook, text).calls.is_empty() {
        return text.to_owned();
    }
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let at = usize::from(lines.first().is_some_and(|line| line.starts_with("#!")));
    lines.splice(at..at, call_lines(hook, program));
    lines.join("\n") + "\n"
}
