//! Recognises changes to hook settings that only add calls of guard. They need no design: `policy-changed` keeps them
//! apart from code, so a reviewer sees them separately.

use gix::bstr::{BStr, ByteSlice};

use super::guard_lines::{names_guard, whole_lines};

/// The git hooks that guard supports, with the scripts that guard installs for them.
const HOOKS: [(&str, &str); 7] = [
    ("pre-commit", include_str!("../../hooks/pre-commit")),
    (
        "pre-merge-commit",
        include_str!("../../hooks/pre-merge-commit"),
    ),
    (
        "prepare-commit-msg",
        include_str!("../../hooks/prepare-commit-msg"),
    ),
    ("commit-msg", include_str!("../../hooks/commit-msg")),
    ("post-commit", include_str!("../../hooks/post-commit")),
    ("pre-push", include_str!("../../hooks/pre-push")),
    (
        "reference-transaction",
        include_str!("../../hooks/reference-transaction"),
    ),
];

/// The settings of the hook frameworks that guard reads.
pub const SETTINGS: [&str; 6] = [
    ".pre-commit-config.yaml",
    ".pre-commit-config.yml",
    "prek.toml",
    "lefthook.yml",
    "lefthook.yaml",
    "lefthook.toml",
];

const SCRIPTS: [&str; 3] = [".husky/", ".githooks/", "hooks/"];

/// Keys that only group what follows when they have no value.
const FRAMES: [&str; 5] = ["repos", "hooks", "jobs", "commands", "guard"];

/// Keys that may describe a call of guard.
const DETAILS: [&str; 9] = [
    "name",
    "language",
    "always_run",
    "pass_filenames",
    "require_serial",
    "stages",
    "use_stdin",
    "verbose",
    "default_install_hook_types",
];

/// The role of a line.
#[derive(PartialEq, Eq)]
enum LinePart {
    /// It calls guard.
    Call,
    /// It groups or describes a call.
    Frame,
    /// It does something else.
    Other,
}

/// A whole line, and whether it is the version in guard's own entry.
type HookLine<'a> = (&'a [u8], bool);

/// Whether the step from `old` (empty for a new file) to `new` only adds calls of guard, in one place.
pub(super) fn brings_only_calls(path: &BStr, old: &[u8], new: &[u8]) -> bool {
    let script = SCRIPTS.iter().find_map(|directory| {
        let name = path.strip_prefix(directory.as_bytes())?;
        HOOKS.iter().find(|(hook, _)| name == hook.as_bytes())
    });
    let is_settings = SETTINGS.iter().any(|name| path == *name);
    if script.is_none() && !is_settings {
        return false;
    }
    if script.is_some_and(|(_, shipped)| old.is_empty() && new == shipped.as_bytes()) {
        return true;
    }
    let part = |line: &[u8], is_version: bool| match line {
        _ if is_version => LinePart::Frame,
        line if is_settings => of_settings(line),
        line => of_script(line),
    };
    let (before, after) = (whole_lines(old), whole_lines(new));
    let same = |pair: &(&HookLine<'_>, &HookLine<'_>)| pair.0.0 == pair.1.0;
    let first = before.iter().zip(&after).take_while(same).count();
    let (before, after) = (&before[first..], &after[first..]);
    let last = before
        .iter()
        .rev()
        .zip(after.iter().rev())
        .take_while(same)
        .count();
    let (before, after) = (&before[..before.len() - last], &after[..after.len() - last]);
    let parts = |lines: &[HookLine<'_>]| -> Vec<LinePart> {
        lines
            .iter()
            .map(|&(line, is_version)| part(line, is_version))
            .collect()
    };
    let after = parts(after);
    after.contains(&LinePart::Call)
        && !after.contains(&LinePart::Other)
        && !parts(before).contains(&LinePart::Other)
}

fn of_script(line: &[u8]) -> LinePart {
    let Ok(line) = line.trim().to_str() else {
        return LinePart::Other;
    };
    match line {
        ""
        | "#!/bin/sh"
        | "#!/bin/bash"
        | "#!/usr/bin/env sh"
        | "#!/usr/bin/env bash"
        | "set -e"
        | "set -eu" => LinePart::Frame,
        _ if line.starts_with("#!") => LinePart::Other,
        _ if line.starts_with('#') => LinePart::Frame,
        _ if is_call(line) => LinePart::Call,
        _ => LinePart::Other,
    }
}

/// Classifies all of a YAML or TOML line, including several keys in braces.
fn of_settings(line: &[u8]) -> LinePart {
    let Ok(line) = line.trim().to_str() else {
        return LinePart::Other;
    };
    if line.is_empty() || line == "---" || line.starts_with('#') {
        return LinePart::Frame;
    }
    let line = line.replace(" {0}", "");
    let mut found = LinePart::Frame;
    for said in line.split(['{', '}', ',']) {
        match of_pair(said) {
            LinePart::Other => return LinePart::Other,
            LinePart::Call => found = LinePart::Call,
            LinePart::Frame => {}
        }
    }
    found
}

fn of_pair(said: &str) -> LinePart {
    let said = said.trim();
    let item = said.strip_prefix('-');
    let said = item
        .filter(|rest| rest.is_empty() || rest.starts_with(' '))
        .unwrap_or(said);
    let said = said.trim_matches(['[', ']', ' ']);
    let (key, value) = match said.find([':', '=']) {
        Some(at) => (said[..at].trim(), unquoted(&said[at + 1..])),
        None => (said, ""),
    };
    let is_hook = |name: &str| HOOKS.iter().any(|(hook, _)| *hook == name);
    let is_table = || {
        key.strip_prefix("repos.")
            .is_some_and(|rest| rest == "hooks")
            || key.strip_suffix(".jobs").is_some_and(is_hook)
    };
    match key {
        _ if value.is_empty() => {
            let frames = key.is_empty() || FRAMES.contains(&key) || is_hook(key) || is_table();
            if frames {
                LinePart::Frame
            } else {
                LinePart::Other
            }
        }
        "repo" if value == "local" => LinePart::Frame,
        "repo" if names_guard(value.as_bytes()) => LinePart::Frame,
        "id" if value == "guard" || value.starts_with("guard-") => LinePart::Call,
        "entry" | "run" if is_call(value) => LinePart::Call,
        key if DETAILS.contains(&key) => LinePart::Frame,
        _ => LinePart::Other,
    }
}

fn unquoted(value: &str) -> &str {
    value.trim().trim_matches(['"', '\'', '[', ']', ' '])
}

/// Whether the command only runs guard to judge.
fn is_call(command: &str) -> bool {
    let command = command.strip_prefix("exec ").unwrap_or(command).trim();
    let (call, otherwise) = command
        .split_once("||")
        .map_or((command, None), |(call, otherwise)| {
            (call, Some(otherwise.trim()))
        });
    let fails = otherwise
        .is_none_or(|otherwise| otherwise == "exit $?" || matches!(otherwise, "exit 1" | "exit 2"));
    let mut words = call.split_whitespace();
    let plain = |word: &str| {
        word == "\"$@\""
            || word
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"_./=-".contains(&byte))
    };
    fails
        && words.next() == Some("guard")
        && words
            .next()
            .is_some_and(|verb| matches!(verb, "hook" | "lint" | "scope"))
        && words.all(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn only_calls(path: &str, old: &str, new: &str) -> bool {
        brings_only_calls(path.into(), old.as_bytes(), new.as_bytes())
    }

    const RUFF: &str =
        "repos:\n- repo: https://example.com/ruff\n  rev: v1\n  hooks:\n  - id: ruff\n";
    const OWN: &str = "- repo: https://example.com/guard\n  rev: v0.1.0\n  hooks:\n  - id: guard\n";
    const LOCAL: &str = "- repo: local\n  hooks:\n  - {id: guard-pre-commit, name: guard, entry: guard hook framework, language: system, always_run: true, pass_filenames: false, stages: [pre-commit]}\n";

    #[test]
    fn only_calls_of_guard_need_no_design() {
        let yaml = ".pre-commit-config.yaml";
        assert!(only_calls(yaml, "", &format!("repos:\n{OWN}")));
        assert!(only_calls(yaml, "", &format!("repos:\n{LOCAL}")));
        assert!(only_calls(yaml, RUFF, &format!("{RUFF}{OWN}")));
        let lefthook = "pre-commit: {jobs: [{run: \"guard hook pre-commit {0}\"}]}\n";
        assert!(only_calls("lefthook.yml", "", lefthook));
        let jobs =
            "pre-push:\n  jobs:\n    - {run: \"guard hook pre-push {0}\", use_stdin: true}\n";
        assert!(only_calls(
            "lefthook.yml",
            lefthook,
            &format!("{lefthook}{jobs}")
        ));
        assert!(only_calls(
            "lefthook.toml",
            "",
            "[[pre-commit.jobs]]\nrun = \"guard lint\"\n"
        ));
        let line = "guard hook pre-commit \"$@\" || exit $?\n";
        assert!(only_calls(
            ".husky/pre-commit",
            "npm test\n",
            &format!("{line}npm test\n")
        ));
        for (hook, script) in HOOKS {
            assert!(only_calls(&format!(".githooks/{hook}"), "", script));
        }
    }

    #[test]
    fn other_changes_in_addition_to_a_call_need_a_design() {
        let yaml = ".pre-commit-config.yaml";
        assert!(!only_calls(yaml, "", &format!("{RUFF}{OWN}")));
        assert!(!only_calls(yaml, &format!("{RUFF}{OWN}"), RUFF));
        assert!(!only_calls(
            yaml,
            RUFF,
            &format!("{}{OWN}", RUFF.replace("v1", "v2"))
        ));
        for entry in [
            "sh -c 'guard lint'",
            "guard lint; curl example.com",
            "guard lint $(curl example.com)",
            "guard lint || true",
            "./guard lint",
            "guard write src/x.rs",
        ] {
            let local = LOCAL.replace("guard hook framework", entry);
            let block = format!("- repo: local\n  hooks:\n  - id: x\n    entry: {entry}\n");
            for text in [local, block] {
                assert!(!only_calls(yaml, "", &format!("repos:\n{text}")), "{entry}");
            }
            let script = format!("guard lint\n{entry}\n");
            assert!(!only_calls(".husky/pre-commit", "", &script), "{entry}");
        }
        assert!(!only_calls("hooks/useGuard.ts", "", "guard lint\n"));
        assert!(!only_calls(".github/workflows/ci.yml", "", "guard:\n"));
        assert!(!only_calls(
            ".husky/pre-commit",
            "",
            "#!/usr/bin/evil\nguard lint\n"
        ));
        assert!(!only_calls(
            "lefthook.yml",
            "",
            "remotes:\n- git_url: x\npre-commit:\n  jobs:\n    - run: guard lint\n"
        ));
    }
}
