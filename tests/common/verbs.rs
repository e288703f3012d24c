//! The verbs that change something, each with the state before and after, for tests that disturb them at any point.

use std::fs;

use serde_json::Value;
use write_guard::files::{Log, Record, verify};

use super::log::is_whole_or_cut_short;
use super::{GUARD, Repo, run};

pub const OLD: &str = "old\n";
pub const NEW: &str = "new content\n";

/// What a verb did to its files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    Old,
    New,
}

/// A verb and one of its operations.
pub struct Verb {
    pub name: &'static str,
    /// Prepares the state before the verb and returns its arguments.
    pub prepare: fn(&Repo) -> Vec<String>,
    /// Which state is on disk; an error describes a mixture.
    pub state: fn(&Repo) -> Result<State, String>,
}

pub const WRITE: Verb = Verb {
    name: "write",
    prepare: |repo| {
        repo.write("dir/a", OLD);
        repo.write("content", NEW);
        words(&["write", "dir/a", "--content-file", "content"])
    },
    state: replaced,
};

pub const PATCH: Verb = Verb {
    name: "patch",
    prepare: |repo| {
        repo.write("dir/a", OLD);
        let new = NEW.trim_end();
        words(&["patch", "dir/a", "--search", "old", "--replace", new])
    },
    ..WRITE
};

pub const RESTORE: Verb = Verb {
    name: "snapshot restore",
    prepare: |repo| {
        repo.write("dir/a", NEW);
        let answer = repo.put("dir/a", OLD, &[]);
        let backup = answer.works().json["backup"].as_str().unwrap();
        words(&["snapshot", "restore", backup, "dir/a"])
    },
    ..WRITE
};

pub const DELETE: Verb = Verb {
    name: "delete",
    prepare: |repo| {
        repo.write("dir/a", OLD);
        words(&["delete", "dir/a"])
    },
    state: |repo| match there(repo, "dir/a").as_deref() {
        Some(OLD) => Ok(State::Old),
        None => Ok(State::New),
        Some(other) => Err(other.to_owned()),
    },
};

pub const MOVE: Verb = Verb {
    name: "move",
    prepare: |repo| {
        repo.write("dir/a", OLD);
        let _ = fs::remove_file(repo.path("dir/b"));
        words(&["move", "dir/a", "dir/b"])
    },
    state: |repo| match (there(repo, "dir/a"), there(repo, "dir/b")) {
        (Some(a), None) if a == OLD => Ok(State::Old),
        (None, Some(b)) if b == OLD => Ok(State::New),
        mix => Err(format!("{mix:?}")),
    },
};

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

fn there(repo: &Repo, path: &str) -> Option<String> {
    let bytes = fs::read(repo.path(path)).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

fn replaced(repo: &Repo) -> Result<State, String> {
    match there(repo, "dir/a").as_deref() {
        Some(OLD) => Ok(State::Old),
        Some(NEW) => Ok(State::New),
        other => Err(format!("{other:?}")),
    }
}

/// A repository in daily use: the log, the lock and the snapshots ref exist.
pub fn repository() -> Repo {
    let repo = Repo::open_in_memory();
    repo.put("dir/other", "x\n", &[]).works();
    repo
}

/// The words that run guard with these arguments.
pub fn guard(arguments: &[String]) -> Vec<String> {
    [&[GUARD.to_owned()], arguments].concat()
}

/// The output of a disturbed run.
#[derive(Debug)]
pub struct Outcome {
    /// The exit code; `None` for a kill.
    pub code: Option<i32>,
    /// Both streams, or what the terminal showed.
    pub text: String,
}

impl Verb {
    /// Checks what a disturbed run left behind, and that the next one works. Returns the state on disk.
    #[track_caller]
    pub fn check(&self, repo: &Repo, what: &str, outcome: &Outcome) -> State {
        let what = format!("{}: {what}: {outcome:?}", self.name);
        let state = (self.state)(repo).unwrap_or_else(|mix| panic!("{what}: torn: {mix}"));
        let log = Log::new(&repo.path(".git"));
        let bytes = log.read().unwrap();
        match (outcome.code, state) {
            (Some(0), State::Old) => panic!("{what}: reported, but not done"),
            (Some(0), State::New) => {
                let last = bytes.split(|&byte| byte == b'\n').rev().nth(1).unwrap();
                let last = Record::parse(last).unwrap_or_else(|| panic!("{what}"));
                assert_eq!(last.facts["event"], "done", "{what}");
            }
            (Some(_), State::New) => {
                let told = ["is written", "is done", "is recorded", "standard output"];
                let is_told = told.iter().any(|part| outcome.text.contains(part));
                assert!(is_told, "{what}: done, but not told");
            }
            (Some(_) | None, State::Old) | (None, State::New) => {}
        }
        if outcome.code.is_some_and(|code| code != 0) {
            assert!(is_typed(&outcome.text), "{what}: no kind of error");
        }
        assert!(is_whole_or_cut_short(&bytes), "{what}: the log is damaged");
        self.check_leftovers(repo, &what);
        // Each next run would wait for a leftover lock that looks new.
        let lock = repo.path(".git/refs/guard/snapshots.lock");
        if lock.exists() {
            run(repo.command("touch").args(["-d", "2020-01-01"]).arg(lock)).exits(0);
        }
        let next = repo.put("dir/a", "next\n", &["--strategy", "append"]);
        assert_eq!(next.code, 0, "{what}: the next run: {next:?}");
        assert_eq!(verify(&log.read().unwrap()).fault, None, "{what}");
        state
    }

    /// Asserts that other files next to the files are recognisable as guard's.
    #[track_caller]
    fn check_leftovers(&self, repo: &Repo, what: &str) {
        for entry in fs::read_dir(repo.path("dir")).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            if name.starts_with(".guard-") && name.ends_with(".tmp") {
                println!("{what}: left {name}");
                fs::remove_file(repo.path("dir").join(name)).unwrap();
            } else {
                assert!(["a", "b", "other"].contains(&&*name), "{what}: {name}");
            }
        }
    }
}

/// Whether the JSON output, if any, has an error kind.
fn is_typed(text: &str) -> bool {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    let Some(Ok(value)) = values.next() else {
        return true;
    };
    value["error"]["kind"].is_string() || text.contains("standard output")
}
