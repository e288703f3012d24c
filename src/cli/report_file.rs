//! Report files: where guard may write them, and writing them completely or not at all.

use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use gix::bstr::BStr;

use crate::disk::{self, WriteContent};
use crate::git::{Index, Repository};
use crate::judge::settings_of_head;
use crate::path::fold;
use crate::policy;
use crate::report::{Format, RECOGNISED_FROM, is_report};
use crate::scope::settings::Settings;

/// Refuses files of git and guard, and tracked files.
fn admit_place(path: &Path) -> Result<(), String> {
    let repo = Repository::open(".".as_ref()).ok();
    let repo = repo.as_ref();
    let Some(place) = place(path) else {
        // If the directory is missing, writing fails with an error that says more.
        return Ok(());
    };
    let below = |dir: &Path| {
        let dir = dir.canonicalize().ok();
        dir.and_then(|dir| place.strip_prefix(dir).ok())
    };
    let is_git = |part: &std::ffi::OsStr| part.eq_ignore_ascii_case(".git");
    let git_dirs = repo.map(|repo| [repo.git_dir(), repo.common_dir()]);
    if place.iter().any(is_git) || git_dirs.iter().flatten().any(|dir| below(dir).is_some()) {
        return Err("it is inside a git directory".to_owned());
    }
    let root = repo.and_then(|repo| Some((repo, repo.workdir().ok()?)));
    let Some((repo, inside)) = root.and_then(|(repo, root)| Some((repo, below(root)?))) else {
        return Ok(());
    };
    let inside = gix::path::into_bstr(inside).map_err(|_| "its name is not UTF-8")?;
    let inside = gix::path::to_unix_separators_on_windows(inside);
    let inside: &BStr = inside.as_ref();
    // The verdict reports unusable settings. The names that guard always uses are still known.
    let settings = settings_of_head(repo).unwrap_or_else(|_| Settings::default());
    let is_own = |name: &BStr| policy::is_own_settings(&settings, name);
    if is_own(inside) || is_own(fold(inside).as_ref()) {
        return Err("it configures guard".to_owned());
    }
    if policy::is_design(&settings, inside) {
        return Err("it is a design".to_owned());
    }
    let tracked = Index::open(repo).and_then(|index| index.tree()?.get(inside));
    match tracked.map_err(|error| error.to_string())? {
        Some(_) => Err("git tracks it".to_owned()),
        None => Ok(()),
    }
}

/// Refuses a file with any content but a report in this format. Accepts an empty one, as created by `mktemp`, and
/// what is no file, such as a pipe.
fn admit_content(path: &Path, format: Format) -> Result<(), String> {
    let found = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error.to_string()),
        Ok(found) => found,
    };
    if found.is_dir() {
        return Err("it is a directory".to_owned());
    }
    if found.is_symlink() {
        return Err("it is a link".to_owned());
    }
    if !found.is_file() {
        return Ok(());
    }
    let mut start = Vec::new();
    File::open(path)
        .and_then(|file| file.take(RECOGNISED_FROM).read_to_end(&mut start))
        .map_err(|error| error.to_string())?;
    match start.is_empty() || is_report(format, &start) {
        true => Ok(()),
        false => Err(format!(
            "the file exists and is not a {} report of guard",
            format.name()
        )),
    }
}

/// Puts a report in its file as `write` makes it: a reader finds the old report or the new one, never a part of
/// either. `mode` are the permission bits on Unix; by default, those of a new file.
///
/// The file must be new, or an earlier report in the same format, and none that guard or git works with. guard writes
/// directly to anything but a regular file, such as a pipe or `/dev/stderr`.
///
/// # Errors
/// `AlreadyExists` if guard may not replace what is there, or those of `write` and the file system; what was there is
/// then still there.
pub(super) fn replace(
    path: &Path,
    format: Format,
    write: WriteContent<'_>,
    mode: Option<u32>,
) -> io::Result<()> {
    if is_stream(path) {
        return stream(File::options().append(true).open(path)?, write);
    }
    admit_place(path)
        .and_then(|()| admit_content(path, format))
        .map_err(|why| io::Error::new(io::ErrorKind::AlreadyExists, why))?;
    match fs::symlink_metadata(path) {
        Ok(found) if !found.is_file() => stream(File::options().write(true).open(path)?, write),
        _ => disk::replace_with(path, write, mode),
    }
}

fn stream(file: File, write: WriteContent<'_>) -> io::Result<()> {
    let mut out = BufWriter::new(file);
    write(&mut out)?;
    out.flush()
}

/// Whether the path is one of the system's names for an open stream. These are links, but not to a user's file.
fn is_stream(path: &Path) -> bool {
    let is_handle =
        || path.starts_with("/proc") && path.parent().is_some_and(|dir| dir.ends_with("fd"));
    cfg!(unix) && (path == "/dev/stderr" || path.starts_with("/dev/fd") || is_handle())
}

/// The path with the links on its way resolved; `None` if its directory is missing.
fn place(path: &Path) -> Option<PathBuf> {
    let parent = fs::canonicalize(disk::directory_of(path)).ok()?;
    Some(parent.join(path.file_name()?))
}

/// Adds a report to the end of the file, unless guard or git works with it.
///
/// # Errors
/// The reason why not, or those of `write` and the file system.
pub(super) fn append(path: &Path, write: WriteContent<'_>) -> io::Result<()> {
    admit_place(path).map_err(io::Error::other)?;
    stream(File::options().append(true).create(true).open(path)?, write)
}
