//! A trial commit in a temporary repository, which the installed hooks must refuse.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{SystemTime, UNIX_EPOCH};

use super::git_hooks::{Placed, Survey};
use super::hook::HookState;
use super::manager::Managed;
use super::{Check, Status, replace};
use crate::git::show_file;
use crate::path::{escaped, shell_word};
use crate::rules::only_calls_guard;
use crate::system;

/// The rule that the attempt breaks; guard names it in its refusal.
const RULE: &str = "out-of-scope";

/// What the hooks must refuse.
const STRAY: &str = "a commit out of scope";

const TRY_IT: &str =
    "try it yourself: stage a file that no design names, and check that git commit fails";

const DESIGN: &str = "\
## Files Changed

| File | Change Type |
|---|---|
| `granted.txt` | Add |
";

/// Each hook with a way to commit that it must block.
const ATTEMPTS: [(&str, &str, &[&str]); 3] = [
    ("pre-commit", "proof", &[]),
    ("prepare-commit-msg", "proof-no-verify", &["--no-verify"]),
    (
        "reference-transaction",
        "proof-reference-transaction",
        &["--no-verify"],
    ),
];

/// What runs in the place of a hook.
enum Tried<'a> {
    /// The hook file itself.
    Hook,
    /// The hook file, with one hook of a framework by its id; all others are skipped.
    Framework(&'a Managed, String),
    /// Only the call of guard in the settings of another tool, with this program.
    Call(&'a Managed, PathBuf),
}

impl<'a> Tried<'a> {
    /// What doctor may run; `None` for a hook that does more than call guard, which could do harm elsewhere.
    fn of(placed: &'a Placed, root: &Path) -> Option<Tried<'a>> {
        let HookState::CallsGuard(managed) = &placed.state else {
            return Some(Tried::Hook);
        };
        let managed = managed.as_ref()?;
        if let Some(id) = managed.framework_id(placed.hook.name) {
            return (!id.is_empty()).then_some(Tried::Framework(managed, id));
        }
        let (line, program) = placed.call.as_ref()?;
        let program = Path::new(program);
        let is_path = program.components().count() > 1;
        let program = if is_path {
            root.join(program)
        } else {
            program.into()
        };
        only_calls_guard(line).then_some(Tried::Call(managed, program))
    }
}

/// The attempts that are possible with the hooks of the repository whose work tree is at `root`.
pub(super) fn check(survey: &Survey, root: &Path) -> Vec<Check> {
    let attempts = ATTEMPTS.iter().filter_map(|(hook, name, options)| {
        let placed = survey
            .hooks
            .iter()
            .find(|placed| placed.hook.name == *hook)?;
        let calls = matches!(
            placed.state,
            HookState::Ours | HookState::Chained | HookState::CallsGuard(_)
        );
        let try_it = || match Tried::of(placed, root) {
            Some(tried) => attempt(name, placed, options, &tried),
            None => {
                let message = format!("{hook} is not guard's own script, so doctor did not try it");
                Check::new(name, Status::Warn, message).help(TRY_IT)
            }
        };
        calls.then(try_it)
    });
    attempts.collect()
}

fn attempt(name: &'static str, placed: &Placed, options: &[&str], tried: &Tried<'_>) -> Check {
    let with = options
        .first()
        .map_or_else(String::new, |option| format!(" with {option}"));
    let outcome = Scratch::new().and_then(|scratch| scratch.attempt(placed, options, tried));
    let (who, look, unclear) = match tried {
        Tried::Hook => (
            "the hook".to_owned(),
            "run guard install git, then check the hook and which guard is on PATH".to_owned(),
            Status::Fail,
        ),
        // The tool may need a network, or variables that the trial does not pass on.
        Tried::Framework(managed, id) => {
            let (tool, file, id) = (managed.tool.name(), &managed.file, escaped(id));
            let look = format!("check the hook {id} in {file}, and which guard is on PATH");
            (format!("{tool} with the hook {id}"), look, Status::Warn)
        }
        Tried::Call(managed, program) => {
            let (tool, shown) = (managed.tool.name(), show_file(program));
            let look = format!("check {shown}, which {} calls", managed.file);
            (format!("the guard that {tool} calls"), look, Status::Fail)
        }
    };
    let (status, message) = match outcome {
        Ok((false, output)) if output.contains(RULE) => {
            return Check::new(name, Status::Ok, format!("{who} refused {STRAY}{with}"));
        }
        Ok((false, output)) => {
            let why = escaped(last_line(&output));
            let but = format!("but not by guard's verdict: {why}");
            (unclear, format!("{who} refused {STRAY}{with}, {but}"))
        }
        Ok((true, _)) => (Status::Fail, format!("{who} accepted {STRAY}{with}")),
        Err(error) => {
            let message = format!("the trial commit could not be made: {error}");
            return Check::new(name, Status::Warn, message).help(TRY_IT);
        }
    };
    Check::new(name, status, message).help(look)
}

fn last_line(output: &str) -> &str {
    let mut lines = output.lines();
    lines
        .rfind(|line| !line.trim().is_empty())
        .unwrap_or("no output")
}

/// A temporary directory for one attempt, removed on drop.
struct Scratch {
    directory: PathBuf,
}

impl Scratch {
    fn new() -> io::Result<Scratch> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let now = now.map_or(0, |since| since.as_nanos());
        let name = format!("guard-doctor-{}-{now}", std::process::id());
        let directory = std::env::temp_dir().join(name);
        let mut builder = fs::DirBuilder::new();
        system::make_private(&mut builder);
        builder.create(&directory)?;
        let scratch = Scratch { directory };
        for part in ["home", "hooks", "no-hooks", "work"] {
            fs::create_dir(scratch.path(part))?;
        }
        Ok(scratch)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }

    /// Whether the commit was accepted, and what was printed.
    fn attempt(
        &self,
        placed: &Placed,
        options: &[&str],
        tried: &Tried<'_>,
    ) -> io::Result<(bool, String)> {
        let work = self.path("work");
        self.must(&["init", "--quiet", "--template="])?;
        fs::write(work.join("guard.toml"), "[lld]\npath = \"design.md\"\n")?;
        fs::write(work.join("design.md"), DESIGN)?;
        if let Tried::Framework(managed, _) = tried {
            fs::write(work.join(&managed.file), &managed.content)?;
        }
        self.must(&["add", "--all"])?;
        self.must(&[
            "-c",
            "core.hooksPath=../no-hooks",
            "commit",
            "--quiet",
            "-m",
            "Set up",
        ])?;
        fs::write(work.join("stray.txt"), "no row names this file\n")?;
        self.must(&["add", "stray.txt"])?;
        let hook = self.path("hooks").join(placed.hook.name);
        let mut skip = None;
        match tried {
            Tried::Call(_, program) => {
                let program = shell_word(program.as_os_str().as_encoded_bytes());
                let script = format!(
                    "#!/bin/sh\nexec {program} hook {} \"$@\"\n",
                    placed.hook.name
                );
                replace(&hook, script.as_bytes())?;
            }
            // The same file that git runs here, including its mode.
            Tried::Hook => system::link_or_copy(&placed.part.path, &hook)?,
            Tried::Framework(managed, id) => {
                system::link_or_copy(&placed.part.path, &hook)?;
                skip = Some(managed.ids_beside(id));
            }
        }
        let commit = ["-c", "core.hooksPath=../hooks", "commit", "-m", "Stray"];
        self.git(&[&commit[..], options].concat(), skip.as_deref())
    }

    fn must(&self, arguments: &[&str]) -> io::Result<()> {
        match self.git(arguments, None)? {
            (true, _) => Ok(()),
            (false, output) => Err(io::Error::other(last_line(&output).to_owned())),
        }
    }

    /// Runs git in the scratch repository. Of the caller's environment it keeps only where programs and the built
    /// hooks of frameworks are.
    fn git(&self, arguments: &[&str], skip: Option<&str>) -> io::Result<(bool, String)> {
        let empty = self.path("home/gitconfig");
        fs::write(&empty, "")?;
        let mut command = Command::new("git");
        command
            .args(arguments)
            .current_dir(self.path("work"))
            .env_clear()
            .stdin(Stdio::null())
            .env("XDG_CONFIG_HOME", self.path("home"))
            .env("GIT_CONFIG_GLOBAL", empty)
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CEILING_DIRECTORIES", &self.directory)
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("LC_ALL", "C");
        for who in ["AUTHOR", "COMMITTER"] {
            command
                .env(format!("GIT_{who}_NAME"), "guard doctor")
                .env(format!("GIT_{who}_EMAIL"), "doctor@localhost");
        }
        for kept in
            "PATH TMPDIR SYSTEMROOT HOME XDG_CACHE_HOME PRE_COMMIT_HOME PREK_HOME".split(' ')
        {
            if let Some(value) = std::env::var_os(kept) {
                command.env(kept, value);
            }
        }
        let output = command.env("SKIP", skip.unwrap_or_default()).output()?;
        let text = [output.stderr, output.stdout].concat();
        Ok((
            output.status.success(),
            String::from_utf8_lossy(&text).into_owned(),
        ))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // If this fails, the system clears its directory for temporary files.
        let _ = fs::remove_dir_all(&self.directory);
    }
}
