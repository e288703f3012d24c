//! Setting guard up in a repository: the first settings, the hooks of git and of coding agents, and a check that they
//! work. Both kinds of hooks are looked at in one way; installing, removing and checking follow from what is there. Files
//! are written completely or not at all.

// Hooks and their tools are files, and are found by variables.
#![allow(clippy::disallowed_methods)]

pub mod agent_hooks;
mod agent_settings;
pub mod doctor;
pub mod draft;
pub mod git_hooks;
pub mod hook;
mod manager;
pub mod snippet;
mod trial;

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::error::{Error, Result};
use crate::finding::Help;
use crate::git::show_file;
use crate::{disk, system};

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
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Plan {
    /// Nothing.
    Keep,
    /// Write this content, described by these words.
    Write(Vec<u8>, &'static str),
    /// Remove the file.
    Remove,
    /// Leave it to a person, with these steps.
    ByHand(Vec<String>),
}

/// A file that calls guard, or should: a hook of git, or the settings of an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
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
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// Git's name of the hook, or the name of the agent.
    pub hook: &'static str,
    /// The file.
    pub path: PathBuf,
    /// What guard does with it.
    pub action: SetupAction,
    /// Why or how, in a few words.
    pub message: String,
    /// What a person has to do.
    pub help: Vec<String>,
}

impl Part {
    /// A file of which nothing is known yet.
    fn new(name: &'static str, path: PathBuf) -> Part {
        Part {
            name,
            path,
            message: String::new(),
            install: Plan::Keep,
            uninstall: Plan::Keep,
        }
    }

    /// The text of the file, which is below `root`. Without one, guard would write `content`; a file that it cannot
    /// read, it leaves alone.
    fn text_or_plan(&mut self, root: &Path, content: &str) -> Option<String> {
        match text(root, &self.path) {
            Ok(Some(text)) => return Some(text),
            Ok(None) => {
                self.message = "there is no such file".to_owned();
                self.install = Plan::Write(content.into(), "written");
            }
            Err(why) => {
                self.message = why;
                self.install = Plan::ByHand(Vec::new());
                self.uninstall = Plan::ByHand(Vec::new());
            }
        }
        None
    }

    /// Does what `plan` says, or only says it.
    ///
    /// # Errors
    /// The file cannot be written.
    fn carry_out(&self, plan: &Plan, dry_run: bool) -> Result<Step> {
        let path = &self.path;
        let (action, message, done) = match plan {
            Plan::Keep => (SetupAction::Keep, self.message.as_str(), Ok(())),
            Plan::ByHand(_) => (SetupAction::Refuse, self.message.as_str(), Ok(())),
            Plan::Write(_, what) if dry_run => (SetupAction::Write, *what, Ok(())),
            Plan::Write(content, what) => (SetupAction::Write, *what, replace(path, content)),
            Plan::Remove if dry_run => (SetupAction::Remove, "removed", Ok(())),
            Plan::Remove => (SetupAction::Remove, "removed", fs::remove_file(path)),
        };
        let shown = show_file(path);
        done.map_err(|error| Error::new(format!("{shown} cannot be written: {error}")))?;
        Ok(Step {
            hook: self.name,
            path: path.clone(),
            action,
            message: message.to_owned(),
            help: match plan {
                Plan::ByHand(steps) => steps.clone(),
                _ => Vec::new(),
            },
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

    fn helped(self, lines: impl IntoIterator<Item = impl Into<Help>>) -> Check {
        lines.into_iter().fold(self, Check::help)
    }

    fn of_error(name: &'static str, status: Status, error: Error) -> Check {
        Check {
            help: error.help,
            ..Check::new(name, status, error.message)
        }
    }
}

/// What exists at the path of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileOnDisk {
    /// Nothing.
    Nothing,
    /// A regular file.
    File {
        /// Its bytes.
        content: Vec<u8>,
        /// Whether its owner may execute it; true on systems without such a mode.
        executable: bool,
    },
    /// A symbolic link: writing it would change a file elsewhere.
    Link,
    /// A directory, or another special file.
    Other,
}

/// Looks at a file without following links.
///
/// # Errors
/// It exists, but cannot be read.
pub fn look(path: &Path) -> io::Result<FileOnDisk> {
    let metadata = match fs::symlink_metadata(path) {
        Ok(metadata) => metadata,
        // With `core.hooksPath=/dev/null`, the directory is a file.
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(FileOnDisk::Nothing);
        }
        Err(error) => return Err(error),
    };
    Ok(if metadata.is_symlink() {
        FileOnDisk::Link
    } else if metadata.is_file() {
        FileOnDisk::File {
            content: fs::read(path)?,
            executable: system::std_mode(&metadata).is_none_or(|mode| mode & 0o100 != 0),
        }
    } else {
        FileOnDisk::Other
    })
}

/// The text of a file below `root`, if it exists; or why guard does not touch it.
pub fn text(root: &Path, file: &Path) -> Result<Option<String>, String> {
    if is_behind_link(root, file) {
        return Err("it is behind a link".to_owned());
    }
    match look(file) {
        Ok(FileOnDisk::Nothing) => Ok(None),
        Ok(FileOnDisk::File { content, .. }) => match String::from_utf8(content) {
            Ok(text) => Ok(Some(text)),
            Err(_) => Err("it is not UTF-8".to_owned()),
        },
        Ok(_) => Err("it is a link or a special file".to_owned()),
        Err(error) => Err(format!("it cannot be read: {error}")),
    }
}

/// Whether a directory on the way to a file below `root` is a symbolic link, which may lead elsewhere.
pub fn is_behind_link(root: &Path, file: &Path) -> bool {
    let mut above = file.ancestors().skip(1);
    above
        .any(|directory| directory != root && directory.starts_with(root) && directory.is_symlink())
}

/// Replaces a file in one step and keeps its mode. Creates parent directories. What begins as a script becomes
/// executable for its owner, a new one for all.
///
/// # Errors
/// The directory cannot be written.
pub fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    fs::create_dir_all(disk::directory_of(path))?;
    let is_script = content.starts_with(b"#!");
    let old = fs::metadata(path).ok();
    let mode = match old.map(|old| system::std_mode(&old)) {
        Some(mode) => mode.map(|mode| if is_script { mode | 0o100 } else { mode }),
        None => is_script.then_some(0o755),
    };
    disk::replace(path, content, mode)
}

/// Writes a file that must not exist yet, with its parent directories.
///
/// # Errors
/// It exists already, or cannot be written. No partial file remains.
pub fn create(path: &Path, content: &[u8]) -> io::Result<()> {
    fs::create_dir_all(disk::directory_of(path))?;
    let mut file = File::create_new(path)?;
    let written = file.write_all(content).and_then(|()| file.sync_all());
    if written.is_err() {
        let _ = fs::remove_file(path);
    }
    written
}
