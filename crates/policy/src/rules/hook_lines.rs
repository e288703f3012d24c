//! Lines of hook and CI settings that name guard, and changes to hook settings that only add calls of guard. The latter
//! need no design: `policy-changed` keeps them apart from code, so a reviewer sees them separately.

use bstr::{BStr, ByteSlice};

use crate::named::is_in;

/// A hook of git that guard installs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hook {
    /// Git's name for it.
    pub name: &'static str,
    /// The content of guard's own hook file.
    pub script: &'static str,
    /// What is not judged without it.
    pub gap: &'static str,
}

macro_rules! hooks {
    ($($name:literal $gap:literal)*) => {
        [$(Hook { name: $name, script: include_str!(concat!("../../../../hooks/", $name)), gap: $gap }),*]
    };
}

/// Every hook, in the order in which git calls them.
pub const HOOKS: [Hook; 7] = hooks! {
    "pre-commit" "guard does not check commits"
    "pre-merge-commit" "guard checks a merge late or not at all"
    "prepare-commit-msg" "guard does not check commits made with --no-verify, cherry-pick, revert and rebase"
    "commit-msg" "messages written in an editor do not name the design"
    "post-commit" "used approvals stay until they expire"
    "pre-push" "guard checks a push only on the server, if at all"
    "reference-transaction" "guard does not check commits made without hooks"
};

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

/// The program, as hooks find it: on `PATH`, or where a package manager puts it.
const PROGRAMS: &str = "guard|node_modules/write-guard/guard|node_modules/.bin/guard";

/// Lines of scripts that do nothing by themselves, besides comments.
const FRAME_LINES: &str =
    "|#!/bin/sh|#!/bin/bash|#!/usr/bin/env sh|#!/usr/bin/env bash|set -e|set -eu";

/// Keys that only group what follows when they have no value.
const FRAMES: &str = "|repos|hooks|jobs|commands|guard|repos.hooks";

/// Keys that may describe a call of guard.
const DETAILS: &str = "name|language|always_run|pass_filenames|require_serial|stages|use_stdin|\
    verbose|default_install_hook_types";

fn is_hook(name: &str) -> bool {
    HOOKS.iter().any(|hook| hook.name == name)
}

/// Whether the step from `old` (empty for a new file) to `new` only adds calls of guard or changes its version, in one
/// place.
pub(super) fn brings_only_calls(path: &BStr, old: &[u8], new: &[u8]) -> bool {
    let script = SCRIPTS.iter().find_map(|directory| {
        let name = path.strip_prefix(directory.as_bytes())?;
        HOOKS.iter().find(|hook| name == hook.name.as_bytes())
    });
    let is_settings = SETTINGS.iter().any(|name| path == *name);
    match script {
        Some(hook) if old.is_empty() && new == hook.script.as_bytes() => return true,
        None if !is_settings => return false,
        _ => {}
    }
    let (before, after) = (lines(old), lines(new));
    let prefix = before
        .iter()
        .zip(&after)
        .take_while(|(a, b)| a.0 == b.0)
        .count();
    let (before, after) = (&before[prefix..], &after[prefix..]);
    let suffix = before
        .iter()
        .rev()
        .zip(after.iter().rev())
        .take_while(|(a, b)| a.0 == b.0)
        .count();
    // How many of the changed lines call guard, and how many state its version; `None` if one does something else.
    let count = |lines: &[(&[u8], bool)]| -> Option<(usize, usize)> {
        let (mut calls, mut versions) = (0, 0);
        for (line, is_version) in &lines[..lines.len() - suffix] {
            let line = line.trim().to_str().ok()?;
            if *is_version {
                versions += 1;
                continue;
            }
            let is_call = if is_settings {
                of_settings(line)
            } else {
                of_script(line)
            };
            if is_call? {
                calls += 1;
            }
        }
        Some((calls, versions))
    };
    match (count(before), count(after)) {
        (Some((before, _)), Some((calls, versions))) => calls >= before && calls + versions > 0,
        _ => false,
    }
}

/// Whether a line of a script calls guard or, if not, does nothing; `None` if it does something else.
fn of_script(line: &str) -> Option<bool> {
    let line = without_comment(line);
    let is_comment = line.starts_with('#') && !line.starts_with("#!");
    if is_comment || is_in(line, FRAME_LINES) {
        Some(false)
    } else {
        is_call(line).then_some(true)
    }
}

/// The same of a YAML or TOML line, which may have several keys in braces.
fn of_settings(line: &str) -> Option<bool> {
    if line == "---" || line.starts_with('#') {
        return Some(false);
    }
    let line = without_comment(line).replace(" {0}", "");
    let mut is_call = false;
    for part in line.split(['{', '}', ',']) {
        is_call |= of_pair(part)?;
    }
    Some(is_call)
}

/// Whether the line of a script or of settings runs guard and nothing else, so that guard's refusal counts.
pub fn only_calls_guard(line: &str) -> bool {
    [of_script(line.trim()), of_settings(line.trim())].contains(&Some(true))
}

/// The line up to a comment behind it. Behind a quotation mark, `#` may be part of a text.
fn without_comment(line: &str) -> &str {
    let at = line.find(" #").unwrap_or(line.len());
    let is_quoted = line[..at].replace("\"$@\"", "").contains(['"', '\'']);
    if is_quoted {
        line
    } else {
        line[..at].trim_end()
    }
}

fn of_pair(said: &str) -> Option<bool> {
    let said = said.trim();
    let item = said.strip_prefix('-');
    let said = item
        .filter(|rest| rest.is_empty() || rest.starts_with(' '))
        .unwrap_or(said)
        .trim_matches(['[', ']', ' ']);
    let (key, value) = said
        .find([':', '='])
        .map_or((said, ""), |at| (said[..at].trim(), &said[at + 1..]));
    let value = value.trim().trim_matches(['"', '\'', '[', ']', ' ']);
    let is_frame = match key {
        _ if value.is_empty() => {
            is_in(key, FRAMES) || is_hook(key) || key.strip_suffix(".jobs").is_some_and(is_hook)
        }
        "repo" => value == "local" || runs_guard(format!("repo: {value}").as_bytes()),
        _ => is_in(key, DETAILS),
    };
    let is_call = match key {
        "id" => value == "guard" || value.starts_with("guard-"),
        "entry" | "run" => is_call(value),
        _ => false,
    };
    (is_frame || is_call).then_some(is_call)
}

/// Whether the command only runs guard to judge.
fn is_call(command: &str) -> bool {
    let command = command.strip_prefix("exec ").unwrap_or(command);
    let (call, otherwise) = command.split_once("||").unwrap_or((command, "exit $?"));
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_./=-".contains(&byte);
    let mut words = call.split_whitespace();
    is_in(otherwise.trim(), "exit $?|exit 1|exit 2")
        && words.next().is_some_and(|program| is_in(program, PROGRAMS))
        && words
            .next()
            .is_some_and(|verb| is_in(verb, "hook|lint|scope"))
        && words.all(|word| word == "\"$@\"" || word.bytes().all(plain))
}

/// The lines, each with whether it is the `rev:` of an entry whose `repo:` is guard's.
pub(super) fn lines(content: &[u8]) -> Vec<(&[u8], bool)> {
    let mut is_own_entry = false;
    let with_flag = content.lines().map(|line| {
        let key = line.trim();
        let key = key.strip_prefix(b"- ").unwrap_or(key).trim_start();
        if key.starts_with(b"repo:") {
            is_own_entry = runs_guard(key);
        }
        (line, is_own_entry && key.starts_with(b"rev:"))
    });
    with_flag.collect()
}

/// The verbs that hooks and CI definitions call.
const VERBS: &str = "hook|lint|scope|check|install|uninstall|init|doctor";

/// Whether the line runs, installs or includes this guard. Ruby has a program of the same name, and a script may be
/// called `test:guard`.
pub fn runs_guard(line: &[u8]) -> bool {
    let key = line
        .trim()
        .strip_prefix(b"- ")
        .unwrap_or(line.trim())
        .trim();
    let includes = [&b"uses:"[..], b"repo:", b"id:"];
    let includes = includes.iter().any(|start| key.starts_with(start));
    let mut words =
        line.split(|byte| byte.is_ascii_whitespace() || b"\"'()[]{},;&|".contains(byte));
    let is_own = |word: &[u8]| {
        let name = word.rsplit(|&byte| byte == b'/').next().unwrap_or(word);
        if includes {
            name.strip_prefix(b"guard")
                .is_some_and(|rest| matches!(rest.first(), None | Some(b'@' | b'-' | b'.')))
        } else {
            name == b"guard" || name == b"guard.exe"
        }
    };
    let is_verb = |word: &[u8]| word.to_str().is_ok_and(|word| is_in(word, VERBS));
    line.contains_str("write-guard") || words.any(is_own) && (includes || words.any(is_verb))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lines_that_run_this_guard_count() {
        for line in [
            "run: guard lint --ci",
            "- script: guard -C sub lint",
            "sh 'guard lint --ci'",
            "exec ./bin/guard hook pre-commit \"$@\"",
            "cargo run --bin guard -- lint",
            "if ! guard lint; then",
            "cargo install --git https://example.com/guard write-guard",
            "pip install write-guard==0.1.0",
            "- uses: your-organisation/guard@v0.1.0",
            "- repo: https://example.com/guard",
            "- id: guard-trailer",
            "      - id: guard",
        ] {
            assert!(runs_guard(line.as_bytes()), "{line}");
        }
        for line in [
            "run: npm run test:guard",
            "- run: bundle exec guard",
            "run: bundle exec guard start",
            "gem install guard guard-rspec",
            "name: guard",
            "guard:",
            "junit: guard.xml",
            "safeguards: lint",
            "# a guard against typos",
        ] {
            assert!(!runs_guard(line.as_bytes()), "{line}");
        }
    }

    #[test]
    fn a_line_of_a_script_calls_guard_does_nothing_or_does_something_else() {
        for (line, expected) in [
            ("", Some(false)),
            ("# anything; at all", Some(false)),
            ("#!/bin/sh", Some(false)),
            ("#!/bin/evil", None),
            ("set -e", Some(false)),
            ("set -x", None),
            ("guard lint", Some(true)),
            ("guard lint # why", Some(true)),
            ("guard lint; x # why", None),
            ("npm test", None),
        ] {
            assert_eq!(of_script(line), expected, "{line}");
        }
    }

    #[test]
    fn a_line_of_settings_calls_guard_frames_a_call_or_does_something_else() {
        for (line, expected) in [
            ("---", Some(false)),
            ("# anything: at all", Some(false)),
            ("repos:", Some(false)),
            ("repos: # all", Some(false)),
            ("-", Some(false)),
            ("pre-commit:", Some(false)),
            ("[[pre-commit.jobs]]", Some(false)),
            ("[[other.jobs]]", None),
            ("other:", None),
            ("- repo: local", Some(false)),
            ("- repo: https://example.com/guard", Some(false)),
            ("- repo: https://example.com/ruff", None),
            ("- id: guard", Some(true)),
            ("- id: guard-trailer", Some(true)),
            ("- id: guardian", None),
            ("id = \"guard\"", Some(true)),
            ("name: anything at all", Some(false)),
            ("-name: x", None),
            ("stages: [pre-commit]", Some(false)),
            ("entry: guard lint", Some(true)),
            ("run: guard lint", Some(true)),
            ("run: npm test", None),
            ("other: guard lint", None),
            ("- {name: x, id: guard}", Some(true)),
            ("- {name: x, language: y}", Some(false)),
            ("- {id: guard, other: x}", None),
            ("run: guard hook pre-push {0}", Some(true)),
        ] {
            assert_eq!(of_settings(line), expected, "{line}");
        }
    }

    #[test]
    fn a_call_runs_guard_to_judge_and_nothing_else() {
        for (command, expected) in [
            ("guard lint", true),
            ("exec guard lint", true),
            ("guard hook pre-commit \"$@\"", true),
            ("guard scope check", true),
            ("guard lint --ci a_b ./c=d-9", true),
            ("guard lint || exit $?", true),
            ("guard lint ||exit 1", true),
            ("guard lint || exit 2", true),
            ("guard lint || exit 0", false),
            ("guard lint || true", false),
            ("guard", false),
            ("guard explain", false),
            ("other lint", false),
            ("guard lint $X", false),
            ("guard lint \"$X\"", false),
            ("guard lint a;b", false),
        ] {
            assert_eq!(is_call(command), expected, "{command}");
            assert_eq!(only_calls_guard(command), expected, "{command}");
        }
        assert!(only_calls_guard("  - run: guard lint"));
        assert!(!only_calls_guard("# guard lint") && !only_calls_guard("repos:"));
    }

    #[test]
    fn a_comment_ends_a_line_without_quotation_marks() {
        for (line, expected) in [
            ("x # y", "x"),
            ("x  # y # z", "x"),
            ("x#y", "x#y"),
            ("x", "x"),
            ("\"x # y\"", "\"x # y\""),
            ("'x' # y", "'x' # y"),
            ("x \"$@\" # y", "x \"$@\""),
        ] {
            assert_eq!(without_comment(line), expected);
        }
    }

    #[test]
    fn the_version_of_guards_own_entry_is_known() {
        let text = b"- repo: https://x/guard\n  rev: v1\n- repo: https://x/other\n  rev: v2\n";
        let flags: Vec<bool> = lines(text)
            .iter()
            .map(|(_, is_version)| *is_version)
            .collect();
        assert_eq!(flags, [false, true, false, false]);
        assert_eq!(lines(text)[1].0, b"  rev: v1");
    }

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
        assert!(only_calls(
            yaml,
            "",
            "repos: # all\n- repo: https://example.com/guard # ours\n  rev: v1\n  hooks:\n  - id: guard # the gate\n"
        ));
        for call in [
            "node_modules/write-guard/guard hook pre-commit \"$@\" || exit $?",
            "node_modules/.bin/guard lint",
            "guard hook pre-commit \"$@\" || exit 1 # the gate",
        ] {
            assert!(only_calls(".husky/pre-commit", "", call), "{call}");
            assert!(only_calls_guard(call), "{call}");
        }
        for hook in HOOKS {
            let path = format!(".githooks/{}", hook.name);
            assert!(only_calls(&path, "", hook.script));
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
            "other/node_modules/write-guard/guard lint",
            "\"guard lint #\\n curl example.com\"",
            "guard hook \"$@\" '#' ; curl example.com",
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
        // What follows a `#` inside of quotation marks counts.
        assert!(!only_calls(
            yaml,
            "",
            "repos:\n- repo: local\n  hooks:\n  - {id: guard, name: \"a # \", entry: curl}\n"
        ));
        assert!(!only_calls(
            yaml,
            "",
            "repos:\n- repo: https://example.com/x # guard\n  hooks:\n  - id: guard\n"
        ));
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
