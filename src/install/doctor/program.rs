//! Checks which guard the hooks find on PATH.

use std::path::{Path, PathBuf};

use super::check::Check;
use crate::git::show_file;
use crate::install::files::{self, FileOnDisk};

const NAME: &str = "program";

pub(super) fn check() -> Check {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let Some(found) = on_path(std::env::split_paths(&path)) else {
        let message = "guard is not on PATH, where the hooks look for it";
        return Check::fail(NAME, message)
            .help("install it: cargo install --path . in a clone, or add its directory to PATH");
    };
    let this = std::env::current_exe().and_then(|path| path.canonicalize());
    let shown = show_file(&found);
    match (found.canonicalize(), this) {
        (Ok(found), Ok(this)) if found == this => {
            Check::ok(NAME, format!("the hooks find this guard, {shown}"))
        }
        (_, Ok(this)) => {
            let this = show_file(&this);
            let message = format!("the hooks find {shown}, which is not this guard ({this})");
            Check::warn(NAME, message).help("put the directory of the right one first in PATH")
        }
        (_, Err(error)) => Check::warn(
            NAME,
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
    let found = files::look(&real);
    matches!(found, Ok(FileOnDisk::File { executable, .. }) if executable)
}
