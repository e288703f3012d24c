//! Setting guard up in a repository: hooks, settings, and a check that it works.

mod designs;
pub mod doctor;
pub mod files;
pub mod git_hooks;
pub mod hook;
pub mod manager;
pub mod settings;
