//! Checks which guard the hooks find on PATH.

use std::path::{Path, PathBuf};

use super::check::{Check, Status};
use crate::git::show_file;
use crate::install::files::{self, FileState};

const NAME: &str = "program";

pub(super) fn check() -> Check {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let Some(found) = on_path(std::env::split_paths(&path)) else {
        return Check::new(
            NAME,
            Status::Fail,
            "guard is not on PATH, where the hooks look for it",
        )
        .help("install it: cargo install --path . in a clone, or add its directory to PATH");
    };
    let this = std::env::current_exe().and_then(|path| path.canonicalize());
    let shown = show_file(&found);
    match (found.canonicalize(), this) {
        (Ok(found), Ok(this)) if found == this => Check::new(
            NAME,
            Status::Ok,
            format!("the hooks find this guard, {shown}"),
        ),
        (_, Ok(this)) => Check::new(
            NAME,
            Status::Warn,
            format!(
                "the hooks find {shown}, which is not this guard ({})",
                show_file(&this)
            ),
        )
        .help("put the directory of the right one first in PATH"),
        (_, Err(error)) => Check::new(
            NAME,
            Status::Warn,
            format!(
                "the hooks find {shown}, but guard cannot tell whether that is this one: {error}"
            ),
        ),
    }
}

fn on_path(directories: impl Iterator<Item = PathBuf>) -> Option<PathBuf> {
    let name = format!("guard{}", std::env::consts::EXE_SUFFIX);
    directories
        .map(|directory| directory.join(&name))
        .find(|file| runs(file))
}

fn runs(file: &Path) -> bool {
    let Ok(real) = file.canonicalize() else {
        return false;
    };
    matches!(
        files::look(&real),
        Ok(FileState::File {
            executable: true,
            ..
        })
    )
}
