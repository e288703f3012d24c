//! Setting guard up in a repository: hooks, settings, and a check that it works.

// Hooks and their tools are files, and are found by variables.
#![allow(clippy::disallowed_methods)]

pub mod agents;
mod calls;
mod designs;
pub mod doctor;
pub mod files;
pub mod git_hooks;
pub mod hook;
mod lefthook;
mod managed_settings;
pub mod manager;
mod plan_frameworks;
mod process_documents;
pub mod settings;
mod standing;
