//! Calls the file verbs as a program does.

use std::process::{Command, Output};

use serde_json::Value;

use super::{GUARD, Repo, run_with_input};

/// The answer of a file verb.
#[derive(Debug)]
pub struct Answer {
    pub code: i32,
    pub json: Value,
}

impl Answer {
    /// The answer of a run with `--format json`.
    #[track_caller]
    pub fn of(output: &Output) -> Answer {
        Answer {
            code: output.status.code().unwrap(),
            json: serde_json::from_slice(&output.stdout).unwrap(),
        }
    }

    /// Asserts the kind of the error, and with it the exit code 1 or 2.
    #[track_caller]
    pub fn fails(&self, kind: &str) -> &Answer {
        assert_eq!(self.json["error"]["kind"], kind, "{self:#?}");
        assert!(matches!(self.code, 1 | 2), "{self:#?}");
        let help = self.json["error"]["help"].as_array().unwrap();
        assert!(!help.is_empty(), "no next step: {self:#?}");
        self
    }

    /// Asserts success.
    #[track_caller]
    pub fn works(&self) -> &Answer {
        assert_eq!(self.code, 0, "{self:#?}");
        assert!(self.json["error"].is_null(), "{self:#?}");
        self
    }

    pub fn message(&self) -> &str {
        self.json["error"]["message"].as_str().unwrap_or_default()
    }

    /// The rule that refused.
    pub fn rule(&self) -> &str {
        self.json["error"]["rule"].as_str().unwrap_or_default()
    }

    /// The snapshot that a change took before.
    #[track_caller]
    pub fn backup(&self) -> String {
        let backup = &self.works().json["backup"];
        backup.as_str().unwrap().to_owned()
    }

    pub fn class(&self) -> &str {
        let analysis = match &self.json["analysis"] {
            Value::Null => &self.json["error"]["analysis"],
            analysis => analysis,
        };
        analysis["change_classification"].as_str().unwrap()
    }
}

/// Runs a prepared guard with `--format json`.
#[track_caller]
pub fn answer_of(command: &mut Command, input: &[u8]) -> Answer {
    let output = run_with_input(command.args(["--format", "json"]), input);
    let json = serde_json::from_str(&output.stdout)
        .unwrap_or_else(|error| panic!("{command:?}: {error}\n{output:?}"));
    Answer {
        code: output.code,
        json,
    }
}

impl Repo {
    /// A repository without a design.
    pub fn open() -> Repo {
        Repo::open_with("")
    }

    /// The same with further settings.
    pub fn open_with(settings: &str) -> Repo {
        Repo::new().opened(settings)
    }

    /// As [`Repo::open`], in memory.
    pub fn open_in_memory() -> Repo {
        Repo::nothing_in_memory().initialized(&[]).opened("")
    }

    /// Commits settings without a design.
    pub fn opened(self, settings: &str) -> Repo {
        let settings = format!("[lld]\nmissing = \"skip\"\n{settings}");
        self.stage("guard.toml", settings);
        self.commit("Begin");
        self
    }

    #[track_caller]
    pub fn ask(&self, arguments: &[&str]) -> Answer {
        answer_of(self.command(GUARD).args(arguments), b"")
    }

    /// `guard write PATH` with further arguments.
    #[track_caller]
    pub fn put(&self, path: &str, content: impl AsRef<[u8]>, arguments: &[&str]) -> Answer {
        let mut write = self.command(GUARD);
        write.args(["write", path]).args(arguments);
        answer_of(&mut write, content.as_ref())
    }

    #[track_caller]
    pub fn read(&self, path: &str) -> Vec<u8> {
        std::fs::read(self.path(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// The changes that wait for approval.
    #[track_caller]
    pub fn pending(&self) -> Vec<Value> {
        self.json(&["approve"])["held"].as_array().unwrap().clone()
    }

    /// The id of the only change that waits for approval.
    #[track_caller]
    pub fn held_id(&self) -> String {
        let [held] = self.pending().try_into().unwrap();
        held["id"].as_str().unwrap().to_owned()
    }

    /// The snapshots, newest first.
    #[track_caller]
    pub fn snapshots(&self) -> Vec<Value> {
        let report = self.json(&["snapshot", "list"]);
        report["snapshots"].as_array().unwrap().clone()
    }

    /// Removes the copies from which guard restores an object.
    #[track_caller]
    pub fn remove_copies(&self, id: &str) {
        let files = std::fs::read_dir(self.path(".git/guard/backups")).unwrap();
        let mut copies: Vec<_> = files.map(|file| file.unwrap().path()).collect();
        copies.retain(|path| path.to_string_lossy().contains(id));
        assert!(!copies.is_empty(), "{id}");
        for copy in copies {
            std::fs::remove_file(copy).unwrap();
        }
    }

    /// The records of the log, oldest first.
    #[track_caller]
    pub fn records(&self) -> Vec<Value> {
        let report = self.json(&["audit", "show"]);
        report["records"].as_array().unwrap().clone()
    }
}
