//! Setting guard up in a repository: the first settings, the hooks of git and of coding agents, and a check that they
//! work. Both kinds of hooks are looked at in one way; installing, removing and checking follow from what is there.

// Hooks and their tools are files, and are found by variables.
#![allow(clippy::disallowed_methods)]

pub mod agent_hooks;
mod agent_settings;
pub mod doctor;
pub mod draft;
pub mod files;
pub mod git_hooks;
pub mod hook;
mod manager;
mod trial;

use std::path::{Path, PathBuf};

named! {
    /// What happens to a file.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Action {
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

/// What was done, or would be done, with one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// Git's name of the hook, or the name of the agent.
    pub hook: &'static str,
    /// The file.
    pub path: PathBuf,
    /// What guard does with it.
    pub action: Action,
    /// Why or how, in a few words.
    pub message: String,
    /// What a person has to do.
    pub help: Vec<String>,
}

impl Step {
    fn new(hook: &'static str, path: &Path, action: Action, message: impl Into<String>) -> Step {
        Step {
            hook,
            path: path.to_owned(),
            action,
            message: message.into(),
            help: Vec::new(),
        }
    }
}
