//! A live proof: a commit that must be refused, tried in a temporary repository with the hooks that are
//! installed here.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{SystemTime, UNIX_EPOCH};

use super::{Check, Status};
use crate::install::git_hooks::{Placed, Survey};
use crate::install::hook::State;
use crate::path::show;
use crate::system;

/// The rule that the attempt breaks; guard names it in its refusal.
const RULE: &str = "out-of-scope";

const DESIGN: &str = "\
## Files Changed

| File | Change Type |
|---|---|
| `granted.txt` | Add |
";

/// Each hook with the way of committing that it stands against.
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
                State::Ours | State::Chained => Some(attempt(placed, name, options)),
                // Other hooks do more than call guard; running them elsewhere could do harm.
                State::CallsGuard => Some(
                    Check::new(
                        name,
                        Status::Warn,
                        format!("{hook} is not guard's own, so it was not tried"),
                    )
                    .help("try it: stage a file of no design, and see that git commit is refused"),
                ),
                _ => None,
            }
        })
        .collect()
}

fn attempt(placed: &Placed, name: &'static str, options: &[&str]) -> Check {
    let with = options
        .first()
        .map_or(String::new(), |option| format!(" with {option}"));
    let outcome = Scratch::new().and_then(|scratch| scratch.try_to_commit(placed, options));
    match outcome {
        Ok(Outcome::RefusedByGuard) => Check::new(
            name,
            Status::Ok,
            format!("a commit out of scope{with} was tried and refused"),
        ),
        Ok(Outcome::Accepted) => Check::new(
            name,
            Status::Fail,
            format!("a commit out of scope{with} was tried and went through"),
        )
        .help("guard install git, then look at the hook and at which guard is on PATH"),
        Ok(Outcome::Otherwise(output)) => Check::new(
            name,
            Status::Fail,
            format!(
                "a commit out of scope{with} was refused, but not by guard: {}",
                show(last_line(&output))
            ),
        )
        .help("look at the hook and at which guard is on PATH"),
        Err(error) => Check::new(
            name,
            Status::Warn,
            format!("the proof could not be made: {error}"),
        )
        .help("git must be on PATH, and the directory for temporary files writable"),
    }
}

fn last_line(output: &str) -> &str {
    output
        .lines()
        .rfind(|line| !line.trim().is_empty())
        .unwrap_or("no output")
}

enum Outcome {
    RefusedByGuard,
    Accepted,
    Otherwise(String),
}

/// A directory for one attempt, gone on drop.
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

    fn try_to_commit(&self, placed: &Placed, options: &[&str]) -> io::Result<Outcome> {
        let work = self.directory.join("work");
        self.must(&["init", "--quiet", "--template="])?;
        fs::write(work.join("guard.toml"), "[lld]\npath = \"design.md\"\n")?;
        fs::write(work.join("design.md"), DESIGN)?;
        self.must(&["add", "guard.toml", "design.md"])?;
        self.must(&[
            "-c",
            "core.hooksPath=../no-hooks",
            "commit",
            "--quiet",
            "-m",
            "Set up",
        ])?;
        // The very file that git runs here, its mode included.
        system::link_or_copy(
            &placed.path,
            &self.directory.join("hooks").join(placed.hook.name),
        )?;
        fs::write(work.join("stray.txt"), "named by no row\n")?;
        self.must(&["add", "stray.txt"])?;
        let mut commit = vec!["-c", "core.hooksPath=../hooks", "commit", "-m", "Stray"];
        commit.extend(options);
        let output = self.git(&commit).output()?;
        let mut text = String::from_utf8_lossy(&output.stderr).into_owned();
        text.push_str(&String::from_utf8_lossy(&output.stdout));
        Ok(if output.status.success() {
            Outcome::Accepted
        } else if text.contains(RULE) {
            Outcome::RefusedByGuard
        } else {
            Outcome::Otherwise(text)
        })
    }

    fn must(&self, arguments: &[&str]) -> io::Result<()> {
        let output = self.git(arguments).output()?;
        if output.status.success() {
            return Ok(());
        }
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        Err(io::Error::other(last_line(&text).to_owned()))
    }

    /// git with nothing of the caller's but where programs are.
    fn git(&self, arguments: &[&str]) -> Command {
        let mut git = Command::new("git");
        git.args(arguments)
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
            git.env(format!("GIT_{who}_NAME"), "guard doctor")
                .env(format!("GIT_{who}_EMAIL"), "doctor@localhost");
        }
        for kept in ["PATH", "TMPDIR", "SYSTEMROOT"] {
            if let Some(value) = std::env::var_os(kept) {
                git.env(kept, value);
            }
        }
        git
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // The system clears its directory for temporary files where this fails.
        let _ = fs::remove_dir_all(&self.directory);
    }
}
