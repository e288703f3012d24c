//! A trial commit in a temporary repository, which the installed hooks must refuse.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use super::check::{Check, Status};
use super::framework::HookRun;
use crate::install::git_hooks::{Placed, Survey};
use crate::install::hook::HookState;
use crate::path::escaped;
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

/// The limit for a tool. Its first run may build a hook, which takes longer than a check should wait.
const LONGEST_RUN: Duration = Duration::from_secs(60);

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

pub(super) fn check(survey: &Survey) -> Vec<Check> {
    ATTEMPTS
        .iter()
        .filter_map(|&(hook, name, options)| {
            let placed = survey
                .hooks
                .iter()
                .find(|placed| placed.hook.name == hook)?;
            match placed.state {
                HookState::Ours | HookState::Chained => Some(attempt(placed, name, options)),
                HookState::ManagedCallsGuard(ref managed) => Some(
                    HookRun::of(placed, managed)
                        .map_or_else(|| not_tried(hook, name), |run| attempt_by(&run, name)),
                ),
                // Other hooks do more than call guard; running them elsewhere could do harm.
                HookState::CallsGuard => Some(not_tried(hook, name)),
                _ => None,
            }
        })
        .collect()
}

fn not_tried(hook: &str, name: &'static str) -> Check {
    let message = format!("{hook} is not guard's own script, so doctor did not try it");
    Check::warn(name, message).help(TRY_IT)
}

/// Runs only the hook that calls guard, and nothing else from the settings.
fn attempt_by(run: &HookRun<'_>, name: &'static str) -> Check {
    let outcome = Scratch::new().and_then(|scratch| scratch.try_to_run(run));
    let tool = format!("`{}`", escaped(&run.shown()));
    let look = format!(
        "check the hook {} in {}, and which guard is on PATH",
        escaped(&run.id),
        run.settings()
    );
    // The tool may need a network, or variables that the trial does not pass on.
    let unclear = Status::Warn;
    report(name, outcome, [&tool, ""], unclear, [&look, &look, TRY_IT])
}

fn attempt(placed: &Placed, name: &'static str, options: &[&str]) -> Check {
    let with = options
        .first()
        .map_or(String::new(), |option| format!(" with {option}"));
    let outcome = Scratch::new().and_then(|scratch| scratch.try_to_commit(placed, options));
    let help = [
        "run guard install git, then check the hook and which guard is on PATH",
        "check the hook, and which guard is on PATH",
        "git must be on PATH, and the directory for temporary files must be writable",
    ];
    report(name, outcome, ["the hook", &with], Status::Fail, help)
}

/// What became of an attempt. `unclear` is how it came out where something but guard refused the commit; `help` is for
/// a commit that was accepted, for one that something else refused, and for an attempt that could not be made.
fn report(
    name: &'static str,
    outcome: io::Result<ProofOutcome>,
    [who, with]: [&str; 2],
    unclear: Status,
    help: [&str; 3],
) -> Check {
    let [accepted, otherwise, untried] = help;
    match outcome {
        Ok(ProofOutcome::RefusedByGuard) => Check::ok(name, format!("{who} refused {STRAY}{with}")),
        Ok(ProofOutcome::Accepted) => {
            Check::fail(name, format!("{who} accepted {STRAY}{with}")).help(accepted)
        }
        Ok(ProofOutcome::Otherwise(output)) => {
            let said = escaped(last_line(&output));
            let message =
                format!("{who} refused {STRAY}{with}, but not by guard's verdict: {said}");
            Check::new(name, unclear, message).help(otherwise)
        }
        Err(error) => {
            Check::warn(name, format!("the trial commit could not be made: {error}")).help(untried)
        }
    }
}

fn last_line(output: &str) -> &str {
    output
        .lines()
        .rfind(|line| !line.trim().is_empty())
        .unwrap_or("no output")
}

enum ProofOutcome {
    RefusedByGuard,
    Accepted,
    Otherwise(String),
}

impl ProofOutcome {
    fn of(status: ExitStatus, text: String) -> ProofOutcome {
        if status.success() {
            ProofOutcome::Accepted
        } else if text.contains(RULE) {
            ProofOutcome::RefusedByGuard
        } else {
            ProofOutcome::Otherwise(text)
        }
    }
}

/// A temporary directory for one attempt, removed on drop.
struct Scratch {
    directory: PathBuf,
}

impl Scratch {
    fn new() -> io::Result<Scratch> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let name = format!(
            "guard-doctor-{}-{}",
            std::process::id(),
            now.map_or(0, |since| since.as_nanos())
        );
        let directory = std::env::temp_dir().join(name);
        let mut builder = fs::DirBuilder::new();
        system::make_private(&mut builder);
        builder.create(&directory)?;
        let scratch = Scratch { directory };
        for part in ["home", "hooks", "no-hooks", "work"] {
            fs::create_dir(scratch.directory.join(part))?;
        }
        Ok(scratch)
    }

    /// Creates a repository with a design and, if a tool runs the hook, its settings.
    fn govern(&self, settings: Option<(&str, &[u8])>) -> io::Result<()> {
        let work = self.directory.join("work");
        self.must(&["init", "--quiet", "--template="])?;
        fs::write(work.join("guard.toml"), "[lld]\npath = \"design.md\"\n")?;
        fs::write(work.join("design.md"), DESIGN)?;
        if let Some((name, content)) = settings {
            fs::write(work.join(name), content)?;
        }
        self.must(&["add", "--all"])?;
        let no_hooks = ["-c", "core.hooksPath=../no-hooks"];
        self.must(&[&no_hooks[..], &["commit", "--quiet", "-m", "Set up"]].concat())
    }

    fn stage_stray(&self) -> io::Result<()> {
        let stray = self.directory.join("work/stray.txt");
        fs::write(stray, "no row names this file\n")?;
        self.must(&["add", "stray.txt"])
    }

    fn try_to_run(&self, run: &HookRun<'_>) -> io::Result<ProofOutcome> {
        let settings = run.managed.settings.as_ref();
        self.govern(settings.map(|file| (file.name.as_str(), file.content.as_slice())))?;
        self.stage_stray()?;
        let message = self.directory.join("message");
        fs::write(&message, "Stray\n")?;
        let said = self.directory.join("said");
        let file = fs::File::create(&said)?;
        let mut command = self.prepared(run.command(&message));
        command.envs(run.cache());
        command.stdout(file.try_clone()?).stderr(file);
        let mut child = command.spawn()?;
        let begun = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait()? {
                break status;
            }
            if begun.elapsed() > LONGEST_RUN {
                child.kill()?;
                child.wait()?;
                return Err(io::Error::other(format!(
                    "`{}` did not finish within {} s",
                    escaped(&run.shown()),
                    LONGEST_RUN.as_secs()
                )));
            }
            thread::sleep(Duration::from_millis(20));
        };
        let text = String::from_utf8_lossy(&fs::read(&said)?).into_owned();
        Ok(ProofOutcome::of(status, text))
    }

    fn try_to_commit(&self, placed: &Placed, options: &[&str]) -> io::Result<ProofOutcome> {
        self.govern(None)?;
        // The same file that git runs here, including its mode.
        system::link_or_copy(
            &placed.path,
            &self.directory.join("hooks").join(placed.hook.name),
        )?;
        self.stage_stray()?;
        let mut commit = vec!["-c", "core.hooksPath=../hooks", "commit", "-m", "Stray"];
        commit.extend(options);
        let output = self.git(&commit).output()?;
        let mut text = String::from_utf8_lossy(&output.stderr).into_owned();
        text.push_str(&String::from_utf8_lossy(&output.stdout));
        Ok(ProofOutcome::of(output.status, text))
    }

    fn must(&self, arguments: &[&str]) -> io::Result<()> {
        let output = self.git(arguments).output()?;
        if output.status.success() {
            return Ok(());
        }
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        Err(io::Error::other(last_line(&text).to_owned()))
    }

    fn git(&self, arguments: &[&str]) -> Command {
        let mut git = Command::new("git");
        git.args(arguments);
        self.prepared(git)
    }

    /// Prepares a program to run in the scratch repository. Of the caller's environment it keeps only where programs are.
    fn prepared(&self, mut program: Command) -> Command {
        program
            .current_dir(self.directory.join("work"))
            .env_clear()
            .stdin(Stdio::null())
            .env("HOME", self.directory.join("home"))
            .env("XDG_CONFIG_HOME", self.directory.join("home"))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CEILING_DIRECTORIES", &self.directory)
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("LC_ALL", "C");
        for who in ["AUTHOR", "COMMITTER"] {
            program
                .env(format!("GIT_{who}_NAME"), "guard doctor")
                .env(format!("GIT_{who}_EMAIL"), "doctor@localhost");
        }
        for kept in ["PATH", "TMPDIR", "SYSTEMROOT"] {
            if let Some(value) = std::env::var_os(kept) {
                program.env(kept, value);
            }
        }
        program
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // If this fails, the system clears its directory for temporary files.
        let _ = fs::remove_dir_all(&self.directory);
    }
}
