//! Report files: where guard may write them, and writing them completely or not at all.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use gix::bstr::BStr;

use crate::judge::settings_of_head;
use crate::report::{Format, RECOGNISED_FROM, is_report};
use write_guard_policy::path::fold;
use write_guard_policy::policy;
use write_guard_repo::disk;
use write_guard_repo::{Index, Repository};

/// Refuses files of git and guard, and tracked files.
fn admit_place(path: &Path) -> Result<(), String> {
    // A name like `..` is no file, so writing fails with an error that says more.
    let place = disk::absolute(disk::directory_of(path)).join(path.file_name().unwrap_or_default());
    let repo = Repository::open(".".as_ref()).ok();
    let mut git_dirs = repo
        .iter()
        .flat_map(|repo| [repo.git_dir(), repo.common_dir()]);
    if place.iter().any(|part| part.eq_ignore_ascii_case(".git"))
        || git_dirs.any(|dir| place.starts_with(disk::absolute(dir)))
    {
        return Err("it is inside a git directory".to_owned());
    }
    let Some(repo) = &repo else { return Ok(()) };
    let root = repo.workdir().map(disk::absolute).ok();
    let Some(inside) = root.and_then(|root| place.strip_prefix(root).ok()) else {
        return Ok(());
    };
    let inside = gix::path::into_bstr(inside).map_err(|_| "its name is not UTF-8")?;
    let inside = gix::path::to_unix_separators_on_windows(inside);
    let inside: &BStr = inside.as_ref();
    // The verdict reports unusable settings. The names that guard always uses are still known.
    let settings = settings_of_head(repo).unwrap_or_default();
    let folded = fold(inside);
    if policy::is_own_settings(&settings, inside)
        || policy::is_own_settings(&settings, folded.as_ref())
    {
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

/// Refuses links, and a file with any content but a report in this format. Accepts an empty one, as created by
/// `mktemp`.
fn admit_content(path: &Path, format: Format) -> Result<(), String> {
    let found = disk::if_there(fs::symlink_metadata(path)).map_err(|error| error.to_string())?;
    let Some(found) = found else { return Ok(()) };
    if !found.is_file() {
        return Err("it is a link, or not a file".to_owned());
    }
    let mut start = Vec::new();
    File::open(path)
        .and_then(|file| file.take(RECOGNISED_FROM).read_to_end(&mut start))
        .map_err(|error| error.to_string())?;
    if start.is_empty() || is_report(format, &start) {
        Ok(())
    } else {
        Err(format!(
            "the file exists and is not a {} report of guard",
            format.name()
        ))
    }
}

/// Puts a report in its file: a reader finds the old report or the new one, never a part of either. `mode` are the
/// permission bits on Unix; by default, those of a new file.
///
/// The file must be new, or an earlier report in the same format, and none that guard or git works with.
///
/// # Errors
/// `AlreadyExists` if guard may not replace what is there, or those of the file system; what was there is then still
/// there.
pub(super) fn replace(
    path: &Path,
    format: Format,
    report: &[u8],
    mode: Option<u32>,
) -> io::Result<()> {
    admit_place(path)
        .and_then(|()| admit_content(path, format))
        .map_err(|why| io::Error::new(io::ErrorKind::AlreadyExists, why))?;
    disk::replace(path, &[report], mode)
}
