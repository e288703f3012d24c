//! Setting guard up in a repository: the first settings, the hooks of git and of coding agents, and a check that they
//! work. Both kinds of hooks are looked at in one way; installing, removing and checking follow from what is there. Files
//! are written completely or not at all.

// Hooks and their tools are files, and are found by variables.
#![allow(clippy::disallowed_methods)]

mod agent_settings;
pub mod calling_file;
pub mod doctor;
pub mod draft;
pub mod git_hooks;
pub mod hook;
mod manager;
mod settings_text;
mod trial;

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use cap_std::fs::Metadata;
use serde::Serialize;

use write_guard_policy::error::Error;
use write_guard_policy::finding::Help;
use write_guard_policy::named;
use write_guard_repo::show_file;
use write_guard_repo::{disk, system};

named! {
    /// What happens to a file.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum SetupAction {
        /// It stays.
        Keep = "keep",
        /// It is written.
        Write = "write",
        /// It is removed.
        Remove = "remove",
        /// It stays although it is not as wanted.
        Refuse = "refuse",
    }
}

/// What installing or removing does to a file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Plan {
    /// Nothing.
    #[default]
    Keep,
    /// Write this content, described by these words.
    Write(Vec<u8>, &'static str),
    /// Remove the file.
    Remove,
    /// Leave it to a person, with these steps.
    ByHand(Vec<String>),
}

/// A file that calls guard, or should: a hook of git, or the settings of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Part {
    /// Git's name of the hook, or the name of the agent.
    pub name: &'static str,
    /// The file.
    pub path: PathBuf,
    /// Whether it calls guard, in words that follow the name.
    pub message: String,
    /// How to make it call guard.
    pub install: Plan,
    /// How to remove only what guard wrote.
    pub uninstall: Plan,
}

/// What was done, or would be done, with one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Step {
    /// Git's name of the hook, or the name of the agent.
    pub hook: &'static str,
    /// The file.
    #[serde(serialize_with = "lossy")]
    pub path: PathBuf,
    /// What guard does with it.
    pub action: SetupAction,
    /// Why or how, in a few words.
    pub message: String,
    /// What a person has to do.
    pub help: Vec<String>,
}

fn lossy<S: serde::Serializer>(path: &Path, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&path.to_string_lossy())
}

impl Part {
    /// Does what `plan` says, or only says it.
    ///
    /// # Errors
    /// The file cannot be written.
    fn carry_out(&self, plan: &Plan, dry_run: bool) -> Result<Step, Error> {
        let path = &self.path;
        let (action, message, help) = match plan {
            Plan::Keep => (SetupAction::Keep, &*self.message, Vec::new()),
            Plan::ByHand(steps) => (SetupAction::Refuse, &*self.message, steps.clone()),
            Plan::Write(content, what) => {
                if !dry_run {
                    write(path, content)?;
                }
                (SetupAction::Write, *what, Vec::new())
            }
            Plan::Remove => {
                if !dry_run {
                    fs::remove_file(path).map_err(|error| cannot_write(path, &error))?;
                }
                (SetupAction::Remove, "removed", Vec::new())
            }
        };
        Ok(Step {
            hook: self.name,
            path: path.clone(),
            action,
            message: message.to_owned(),
            help,
        })
    }
}

named! {
    /// The result of a check.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Status {
        /// It works.
        Ok = "ok",
        /// It works, but has a gap.
        Warn = "warn",
        /// It does not work.
        Fail = "fail",
    }
}

/// One check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Check {
    /// What it checks.
    #[serde(rename = "check")]
    pub name: &'static str,
    /// The result.
    pub status: Status,
    /// One sentence, with escaped names.
    pub message: String,
    /// How to repair it, one step per line.
    pub help: Vec<Help>,
}

impl Check {
    fn new(name: &'static str, status: Status, message: impl Into<String>) -> Check {
        Check {
            name,
            status,
            message: message.into(),
            help: Vec::new(),
        }
    }

    fn help(mut self, line: impl Into<Help>) -> Check {
        self.help.push(line.into());
        self
    }

    fn of_error(name: &'static str, error: Error) -> Check {
        Check {
            help: error.help,
            ..Check::new(name, Status::Fail, error.message)
        }
    }
}

/// The bytes of a regular file, and whether its owner may execute it; true on systems without such a mode. `None` if
/// there is nothing. Does not follow links.
///
/// # Errors
/// Why guard does not touch what is there.
pub fn look(path: &Path) -> Result<Option<(Vec<u8>, bool)>, String> {
    let metadata = match fs::symlink_metadata(path) {
        // With `core.hooksPath=/dev/null`, the directory is a file.
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        found => found.map_err(unreadable)?,
    };
    if !metadata.is_file() {
        return Err("it is a symbolic link, or not a file".to_owned());
    }
    let mode = system::mode(&Metadata::from_just_metadata(metadata));
    let executable = mode.is_none_or(|mode| mode & 0o100 != 0);
    Ok(Some((fs::read(path).map_err(unreadable)?, executable)))
}

fn unreadable(error: io::Error) -> String {
    format!("it cannot be read: {error}")
}

/// The text of a file below `root`, if it exists; or why guard does not touch it.
pub fn text(root: &Path, file: &Path) -> Result<Option<String>, String> {
    // A directory that is a link may lead elsewhere.
    let mut above = file.ancestors().skip(1);
    if above
        .any(|directory| directory != root && directory.starts_with(root) && directory.is_symlink())
    {
        return Err("it is behind a link".to_owned());
    }
    let text = look(file)?.map(|(content, _)| String::from_utf8(content));
    text.transpose().map_err(|_| "it is not UTF-8".to_owned())
}

/// Replaces a file in one step and keeps its mode. Creates parent directories. What begins as a script becomes
/// executable for its owner, a new one for all.
///
/// # Errors
/// The file cannot be written.
pub fn write(path: &Path, content: &[u8]) -> Result<(), Error> {
    let is_script = content.starts_with(b"#!");
    let mode = match fs::metadata(path) {
        Ok(old) => system::mode(&Metadata::from_just_metadata(old))
            .map(|mode| if is_script { mode | 0o100 } else { mode }),
        Err(_) => is_script.then_some(0o755),
    };
    let directory = fs::create_dir_all(disk::directory_of(path));
    let written = directory.and_then(|()| disk::replace(path, &[content], mode));
    written.map_err(|error| cannot_write(path, &error))
}

fn cannot_write(path: &Path, error: &io::Error) -> Error {
    Error::new(format!("{} cannot be written: {error}", show_file(path)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use tempfile::TempDir;

    #[test]
    fn what_is_no_readable_file_says_why() {
        let directory = TempDir::new().unwrap();
        let root = directory.path();
        fs::write(root.join("file"), "x").unwrap();
        for absent in ["none", "none/below"] {
            assert_eq!(look(&root.join(absent)), Ok(None), "{absent}");
        }
        let why = look(root).unwrap_err();
        assert_eq!(why, "it is a symbolic link, or not a file");
        // No system has such a name.
        let why = look(&root.join("a\0b")).unwrap_err();
        assert!(why.starts_with("it cannot be read: "), "{why}");
        fs::write(root.join("binary"), b"\xff").unwrap();
        let why = text(root, &root.join("binary")).unwrap_err();
        assert_eq!(why, "it is not UTF-8");
        let content = text(root, &root.join("file"));
        assert_eq!(content, Ok(Some("x".to_owned())));
    }

    #[test]
    fn script_is_executable_once_written() {
        let directory = TempDir::new().unwrap();
        let path = directory.path().join("new").join("hook");
        for before in [None, Some("make\n")] {
            if let Some(before) = before {
                fs::write(&path, before).unwrap();
            }
            write(&path, b"#!/bin/sh\n").unwrap();
            assert_eq!(look(&path), Ok(Some((b"#!/bin/sh\n".to_vec(), true))));
            fs::remove_file(&path).unwrap();
        }
    }
}
