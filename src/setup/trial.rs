//! A trial commit in a temporary repository, which the installed hooks must refuse.

use std::fs;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

use tempfile::TempDir;

use super::git_hooks::{Placed, Survey};
use super::hook::HookState;
use super::{Check, Status};
use crate::git::show_file;
use crate::path::{escaped, shell_word};
use crate::rules::only_calls_guard;
use crate::system;

/// The rule that the attempt breaks; guard names it in its refusal.
const RULE: &str = "out-of-scope";

/// What the hooks must refuse.
const STRAY: &str = "a commit out of scope";

const DESIGN: &str = "\
## Files Changed

| File | Change Type |
|---|---|
| `granted.txt` | Add |
";

const GIT_CONFIG: &str = "[user]\nname = guard doctor\nemail = doctor@localhost\n";

/// Each hook with a way to commit that it must block.
const ATTEMPTS: [(&str, &str, &[&str]); 2] = [
    ("pre-commit", "proof", &[]),
    ("prepare-commit-msg", "proof-no-verify", &["--no-verify"]),
];

/// The attempts that are possible with the hooks of the repository whose work tree is at `root`.
pub(super) fn check(survey: &Survey, root: &Path) -> Vec<Check> {
    let attempts = ATTEMPTS.iter().filter_map(|(hook, name, options)| {
        let mut hooks = survey.hooks.iter();
        let placed = hooks.find(|placed| placed.hook.name == *hook && placed.calls_guard())?;
        attempt(name, placed, options, root)
    });
    attempts.collect()
}

/// Tries the hook file or, where another tool runs the hooks, a script with nothing but the call of guard in its
/// settings. `None` if a framework runs guard from a repository of its own.
fn attempt(name: &'static str, placed: &Placed, options: &[&str], root: &Path) -> Option<Check> {
    let (hook, path) = (placed.hook.name, &placed.part.path);
    let check = |status, message: String| Check::new(name, status, message);
    let (is_plain, script, who, file) = match &placed.managed {
        Some(by) => {
            let (line, program) = by.call()?;
            let program = match program.contains('/') {
                true => shell_word(root.join(program).as_os_str().as_encoded_bytes()),
                false => program.to_owned(),
            };
            let script = format!("#!/bin/sh\nexec {program} hook {hook} \"$@\"\n");
            let who = format!("the guard that {} calls", by.tool.name());
            (only_calls_guard(line), Some(script), who, by.file.clone())
        }
        None => {
            let is_plain = placed.state != HookState::CallsGuard;
            (is_plain, None, "the hook".to_owned(), show_file(path))
        }
    };
    if !is_plain {
        // What else it does could do harm elsewhere.
        let message = format!("{hook} is not guard's own script, so doctor did not try it");
        return Some(check(Status::Warn, message).help(
            "try it yourself: stage a file that no design names, and check that git commit fails",
        ));
    }
    let with: String = options
        .iter()
        .map(|option| format!(" with {option}"))
        .collect();
    let look = format!("check {file}, and which guard is on PATH");
    Some(match try_to_commit(hook, path, options, script) {
        Ok((true, _)) => check(Status::Fail, format!("{who} accepted {STRAY}{with}")).help(look),
        Ok((false, output)) if output.contains(RULE) => {
            check(Status::Ok, format!("{who} refused {STRAY}{with}"))
        }
        Ok((false, output)) => {
            let why = escaped(last_line(&output));
            let but = format!("but not by guard's verdict: {why}");
            check(Status::Fail, format!("{who} refused {STRAY}{with}, {but}")).help(look)
        }
        Err(error) => {
            let message = format!("the trial commit could not be made: {error}");
            check(Status::Warn, message)
        }
    })
}

fn last_line(output: &str) -> &str {
    let mut lines = output.lines();
    lines
        .rfind(|line| !line.trim().is_empty())
        .unwrap_or("no output")
}

/// Whether the commit was accepted, and what was printed.
fn try_to_commit(
    hook: &str,
    file: &Path,
    options: &[&str],
    script: Option<String>,
) -> io::Result<(bool, String)> {
    let scratch = TempDir::with_prefix("guard-doctor-")?;
    let path = |name: &str| scratch.path().join(name);
    for directory in ["home", "hooks", "work"] {
        fs::create_dir(path(directory))?;
    }
    fs::write(path("home/gitconfig"), GIT_CONFIG)?;
    fs::write(path("work/guard.toml"), "[lld]\npath = \"design.md\"\n")?;
    fs::write(path("work/design.md"), DESIGN)?;
    let git = |arguments: &[&str]| run_git(scratch.path(), arguments);
    let must = |arguments: &[&str]| match git(arguments)? {
        (true, _) => Ok(()),
        (false, output) => Err(io::Error::other(last_line(&output).to_owned())),
    };
    must(&["init", "--quiet", "--template="])?;
    must(&["add", "--all"])?;
    must(&["commit", "--quiet", "-m", "Set up"])?;
    let to = path("hooks").join(hook);
    match script {
        Some(script) => {
            super::write(&to, script.as_bytes()).map_err(|error| io::Error::other(error.message))?
        }
        // The same file that git runs here, including its mode.
        None => system::link_or_copy(file, &to)?,
    }
    fs::write(path("work/stray.txt"), "no row names this file\n")?;
    must(&["add", "stray.txt"])?;
    git(&[&["commit", "-m", "Stray"], options].concat())
}

/// Runs git in the scratch repository. Of the caller's environment it keeps only where programs are.
fn run_git(scratch: &Path, arguments: &[&str]) -> io::Result<(bool, String)> {
    let home = scratch.join("home");
    let mut command = Command::new("git");
    command
        .args(["-c", "core.hooksPath=../hooks"])
        .args(arguments)
        .current_dir(scratch.join("work"))
        .env_clear()
        .stdin(Stdio::null())
        .env("XDG_CONFIG_HOME", &home)
        .env("GIT_CONFIG_GLOBAL", home.join("gitconfig"))
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CEILING_DIRECTORIES", scratch)
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("LC_ALL", "C");
    for kept in ["PATH", "TMPDIR", "SYSTEMROOT", "HOME"] {
        if let Some(value) = std::env::var_os(kept) {
            command.env(kept, value);
        }
    }
    let output = command.output()?;
    let text = [output.stderr, output.stdout].concat();
    let text = String::from_utf8_lossy(&text).into_owned();
    Ok((output.status.success(), text))
}
