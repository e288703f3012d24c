//! The directory in which relative paths of the file verbs start.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use gix::bstr::BString;

use crate::boundary::bytes;
use crate::gate::{Failure, FailureKind, Gate};
use crate::git::{Repository, show_file};
use crate::path::{escaped, from_directory};
use crate::system;

/// The directory in which guard was started, if `-C` names another one.
static STARTED_IN: OnceLock<PathBuf> = OnceLock::new();

/// Enters the directory of `-C`.
///
/// # Errors
/// It cannot be entered.
pub(super) fn enter(directory: &Path) -> std::io::Result<()> {
    // Without a directory, only absolute paths work.
    if let Ok(here) = std::env::current_dir() {
        let _ = STARTED_IN.set(here);
    }
    std::env::set_current_dir(directory)
}

/// Where relative paths start.
#[derive(Debug, Clone, Default, clap::Args)]
pub(super) struct PathBase {
    /// With -C: paths are relative to the directory in which guard was started, not to DIR.
    #[arg(long)]
    cwd_paths: bool,
}

impl PathBase {
    /// The request for a path of the command line.
    pub(super) fn request(&self, repo: &Repository, path: &Path) -> BString {
        match STARTED_IN.get().filter(|_| self.cwd_paths) {
            Some(here) => from_directory(&bytes(here), &bytes(path), system::PLATFORM),
            None => repo.request(path),
        }
    }

    /// Says where guard looked for a path that does not exist or is outside.
    pub(super) fn locate(&self, repo: &Repository, gate: &Gate<'_>, failure: Failure) -> Failure {
        let is_outside = failure
            .details
            .get("reason")
            .and_then(serde_json::Value::as_str);
        let is_outside = is_outside.is_some_and(|reason| reason.starts_with("path-"));
        if failure.kind != FailureKind::NotFound && !is_outside {
            return failure;
        }
        let root = show_file(gate.root());
        let start = match (STARTED_IN.get().filter(|_| self.cwd_paths), repo.prefix()) {
            (Some(here), _) => format!("; relative paths start in {}", show_file(here)),
            (None, Some(below)) => {
                format!("; relative paths start in its directory {}", escaped(below))
            }
            (None, None) => String::new(),
        };
        failure.help(format!("the workspace is {root}{start}"))
    }
}
