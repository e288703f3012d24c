//! A trial commit in a temporary repository, which the installed hooks must refuse.

use std::fs;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

use tempfile::TempDir;

use super::git_hooks::{Placed, Survey};
use super::hook::HookState;
use super::manager::Managed;
use super::{Check, Status};
use write_guard_policy::path::{escaped, shell_word};
use write_guard_repo::system;
use write_guard_repo::{find_program, show_file};

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

/// What runs in the place of a hook.
enum Tried<'a> {
    /// The hook file itself.
    Hook,
    /// The hook file of a framework, which skips the hooks with these ids.
    Framework(&'a Managed, String),
    /// A script with nothing but the call of guard in the settings of another tool.
    Call(String),
}

impl Tried<'_> {
    /// What doctor may run; `None` for a hook that does more than call guard, which could do harm elsewhere.
    fn of<'a>(placed: &'a Placed, root: &Path) -> Option<Tried<'a>> {
        let Some(managed) = &placed.managed else {
            return (placed.state != HookState::CallsGuard).then_some(Tried::Hook);
        };
        if let Some(id) = managed.own_id() {
            return Some(Tried::Framework(managed, managed.ids_beside(id)));
        }
        let (_, program) = managed.call()?;
        let program = if program.contains('/') {
            shell_word(root.join(program).as_os_str().as_encoded_bytes())
        } else {
            program.to_owned()
        };
        let hook = placed.hook.name;
        let script = format!("#!/bin/sh\nexec {program} hook {hook} \"$@\"\n");
        managed
            .has_only_guards_call()
            .then_some(Tried::Call(script))
    }
}

/// The attempts that are possible with the hooks of the repository whose work tree is at `root`.
pub(crate) fn check(survey: &Survey, root: &Path) -> Vec<Check> {
    let attempts = ATTEMPTS.iter().filter_map(|(hook, name, options)| {
        let mut hooks = survey.hooks.iter();
        let placed = hooks.find(|placed| placed.hook.name == *hook)?;
        (placed.calls_guard()).then(|| attempt(name, placed, options, root))
    });
    attempts.collect()
}

fn attempt(name: &'static str, placed: &Placed, options: &[&str], root: &Path) -> Check {
    let hook = placed.hook.name;
    let Some(tried) = Tried::of(placed, root) else {
        let message = format!("{hook} is not guard's own script, so doctor did not try it");
        return Check::new(name, Status::Warn, message).help(
            "try it yourself: stage a file that no design names, and check that git commit fails",
        );
    };
    let path = &placed.part.path;
    let (who, file) = match &placed.managed {
        Some(by) => (
            format!("the guard that {} calls", by.tool.name()),
            by.file.clone(),
        ),
        None => ("the hook".to_owned(), show_file(path)),
    };
    let with: String = options
        .iter()
        .map(|option| format!(" with {option}"))
        .collect();
    let look = format!("check {file}, and which guard is on PATH");
    match try_to_commit(hook, path, options, &tried) {
        Ok((true, _)) => {
            let message = format!("{who} accepted {STRAY}{with}");
            Check::new(name, Status::Fail, message).help(look)
        }
        Ok((false, output)) if output.contains(RULE) => {
            Check::new(name, Status::Ok, format!("{who} refused {STRAY}{with}"))
        }
        Ok((false, output)) => {
            let why = escaped(last_line(&output));
            let message = format!("{who} refused {STRAY}{with}, but not by guard's verdict: {why}");
            // A framework may need a network, or variables that the trial does not pass on.
            let status = match tried {
                Tried::Framework(..) => Status::Warn,
                _ => Status::Fail,
            };
            Check::new(name, status, message).help(look)
        }
        Err(error) => {
            let message = format!("the trial commit could not be made: {error}");
            Check::new(name, Status::Warn, message)
        }
    }
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
    tried: &Tried<'_>,
) -> io::Result<(bool, String)> {
    let scratch = TempDir::with_prefix("guard-doctor-")?;
    let work = scratch.path().join("work");
    let hooks = scratch.path().join("hooks");
    let home = scratch.path().join("home");
    for directory in [&home, &hooks, &work] {
        fs::create_dir(directory)?;
    }
    fs::write(home.join("gitconfig"), GIT_CONFIG)?;
    fs::write(work.join("guard.toml"), "[lld]\npath = \"design.md\"\n")?;
    fs::write(work.join("design.md"), DESIGN)?;
    let mut skipped = "";
    if let Tried::Framework(managed, others) = tried {
        fs::write(work.join(&managed.file), &managed.content)?;
        skipped = others;
    }
    for arguments in [
        &["init", "--quiet", "--template="][..],
        &["add", "--all"],
        &["commit", "--quiet", "-m", "Set up"],
    ] {
        must_run_git(scratch.path(), arguments, skipped)?;
    }
    let to = hooks.join(hook);
    match tried {
        Tried::Call(script) => {
            super::write(&to, script.as_bytes())
                .map_err(|error| io::Error::other(error.message))?;
        }
        // The same file that git runs here, including its mode.
        Tried::Hook | Tried::Framework(..) => system::link_or_copy(file, &to)?,
    }
    fs::write(work.join("stray.txt"), "no row names this file\n")?;
    must_run_git(scratch.path(), &["add", "stray.txt"], skipped)?;
    let commit = [&["commit", "-m", "Stray"], options].concat();
    run_git(scratch.path(), &commit, skipped)
}

fn must_run_git(scratch: &Path, arguments: &[&str], skipped: &str) -> io::Result<()> {
    match run_git(scratch, arguments, skipped)? {
        (true, _) => Ok(()),
        (false, output) => Err(io::Error::other(last_line(&output).to_owned())),
    }
}

/// The variables that say where programs and the built hooks of frameworks are.
const KEPT: [&str; 7] = [
    "PATH",
    "TMPDIR",
    "SYSTEMROOT",
    "HOME",
    "XDG_CACHE_HOME",
    "PRE_COMMIT_HOME",
    "PREK_HOME",
];

/// Runs git in the scratch repository. Of the caller's environment it keeps only [`KEPT`].
fn run_git(scratch: &Path, arguments: &[&str], skipped: &str) -> io::Result<(bool, String)> {
    let home = scratch.join("home");
    let git = find_program("git").ok_or_else(|| io::Error::other("git is not on PATH"))?;
    let mut command = Command::new(git);
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
        .env("LC_ALL", "C")
        .env("SKIP", skipped);
    for kept in KEPT {
        if let Some(value) = std::env::var_os(kept) {
            command.env(kept, value);
        }
    }
    let output = command.output()?;
    let text = [output.stderr, output.stdout].concat();
    let text = String::from_utf8_lossy(&text).into_owned();
    Ok((output.status.success(), text))
}
