//! Writes files atomically and durably, and creates private files.
//!
//! Until a new file is complete and on disk, its name is `.guard-….tmp`.

// This module writes files in one step.
#![allow(clippy::disallowed_methods)]

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use cap_fs_ext::MetadataExt;
use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions};

use crate::system;
pub(crate) use crate::system::sync_directory as sync;

/// Permissions for the owner only.
pub const PRIVATE: u32 = 0o600;

/// Replaces a file atomically and durably: a reader sees the old or the new content, even after a power cut. Replaces
/// anything at `path`, including a link.
///
/// `mode` are the permission bits on Unix; by default, those of a new file.
///
/// # Errors
/// A file system error.
pub fn replace(path: &Path, content: Parts<'_>, mode: Option<u32>) -> io::Result<()> {
    let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    let dir = Dir::open_ambient_dir(directory_of(path), ambient_authority())?;
    let temporary = write_new(&dir, ".guard-", content, mode, 0o666)?;
    system::patiently(|| dir.rename(&temporary, &dir, name)).inspect_err(|_| {
        // Report the error of the rename.
        let _ = dir.remove_file(&temporary);
    })?;
    sync(&dir)
}

/// Syncs the content of a file to disk. The handle must have been opened for writing: Windows syncs through no other.
/// This is the only function that syncs a file.
///
/// # Errors
/// A file system error.
pub fn sync_file(file: &File) -> io::Result<()> {
    file.sync_all()
}

/// Syncs a file that another part of the program wrote.
///
/// # Errors
/// A file system error.
pub fn sync_written(path: &Path) -> io::Result<()> {
    sync_file(&File::options().read(true).write(true).open(path)?)
}

/// Syncs the names in a directory to disk.
///
/// # Errors
/// A file system error.
pub fn sync_directory(path: &Path) -> io::Result<()> {
    sync(&Dir::open_ambient_dir(path, ambient_authority())?)
}

/// Creates a directory for the owner only, with missing parents.
///
/// # Errors
/// A file system error.
pub fn create_private_directory(path: &Path) -> io::Result<()> {
    fs::create_dir_all(directory_of(path))?;
    let mut builder = fs::DirBuilder::new();
    system::make_private(&mut builder);
    builder.recursive(true).create(path)
}

/// Opens a private file for reading and appending, without following a link. Creates the file and its directory if
/// missing.
///
/// # Errors
/// A file system error.
pub fn open_private_append(path: &Path) -> io::Result<File> {
    fs::create_dir_all(directory_of(path))?;
    system::open_append(path, PRIVATE)
}

/// What is there; `None` if nothing is.
///
/// # Errors
/// Any other file system error.
pub fn if_there<T>(found: io::Result<T>) -> io::Result<Option<T>> {
    match found {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        found => found.map(Some),
    }
}

/// Whether the file at a path has more than one link: a write would change it at the other place, too.
pub fn has_several_names(path: &Path) -> bool {
    let is_file = path.symlink_metadata().is_ok_and(|about| about.is_file());
    if !is_file {
        return false;
    }
    let about = File::open(path).and_then(|file| cap_std::fs::Metadata::from_file(&file));
    // What cannot be read may have any number of names.
    about.map_or(true, |about| about.nlink() > 1)
}

/// The parent directory of a path.
pub fn directory_of(path: &Path) -> &Path {
    match path.parent() {
        Some(directory) if !directory.as_os_str().is_empty() => directory,
        _ => Path::new("."),
    }
}

/// A directory of this repository without links and `..`.
pub fn absolute(directory: &Path) -> PathBuf {
    system::real_path(directory).unwrap_or_else(|_| directory.to_owned())
}

/// A content in parts: what is large is not copied to be put behind something else.
pub type Parts<'a> = &'a [&'a [u8]];

/// Writes and syncs a new file; returns its temporary name, which starts with `prefix`. Without `mode`, its permission
/// bits are those of `new` that the umask leaves.
///
/// # Errors
/// A file system error; then no file exists.
pub(crate) fn write_new(
    dir: &Dir,
    prefix: &str,
    content: Parts<'_>,
    mode: Option<u32>,
    new: u32,
) -> io::Result<String> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    // Private content is never readable by others.
    system::create_with_mode(&mut options, mode.map_or(new, |_| PRIVATE));
    // A name with 64 random bits is free.
    let name = format!(
        "{prefix}{:016x}.tmp",
        getrandom::u64().map_err(io::Error::other)?
    );
    let file = dir.open_with(&name, &options)?.into_std();
    fill(file, content, mode).inspect_err(|_| {
        // Report the error of the write.
        let _ = dir.remove_file(&name);
    })?;
    Ok(name)
}

fn fill(mut file: File, content: Parts<'_>, mode: Option<u32>) -> io::Result<()> {
    for part in content {
        file.write_all(part)?;
    }
    // Set afterwards, because writing clears set-user-ID.
    if let Some(mode) = mode {
        system::set_mode(&file, mode)?;
    }
    sync_file(&file)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::io::Write;

    use write_guard_testing::system::{self, symlink};

    use super::*;

    fn names(directory: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(directory)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn replace_leaves_only_the_new_file() {
        let temp = tempfile::tempdir().unwrap();
        let file = temp.path().join("a");
        for content in [&b"one"[..], b"", b"three"] {
            replace(&file, &[content], None).unwrap();
            assert_eq!(fs::read(&file).unwrap(), content);
        }
        assert_eq!(names(temp.path()), ["a"]);
    }

    #[test]
    fn failed_replace_keeps_the_file_and_leaves_no_temporary_file() {
        let temp = tempfile::tempdir().unwrap();
        fs::create_dir(temp.path().join("d")).unwrap();
        assert!(replace(&temp.path().join("d"), &[b"x"], None).is_err());
        assert!(replace(&temp.path().join("none/a"), &[b"x"], None).is_err());
        assert!(replace(Path::new("/"), &[b"x"], None).is_err());
        assert_eq!(names(temp.path()), ["d"]);
        assert_eq!(names(&temp.path().join("d")), [""; 0]);
    }

    #[test]
    fn a_name_alone_is_in_the_current_directory() {
        assert_eq!(directory_of(Path::new("a")), Path::new("."));
        assert_eq!(directory_of(Path::new("a/b")), Path::new("a"));
    }

    #[test]
    fn only_a_file_with_another_hard_link_has_several_names() {
        let temp = tempfile::tempdir().unwrap();
        let file = temp.path().join("a");
        assert!(!has_several_names(&file));
        assert!(!has_several_names(temp.path()));
        fs::write(&file, "x").unwrap();
        assert!(!has_several_names(&file));
        let other = temp.path().join("b");
        fs::hard_link(&file, &other).unwrap();
        assert!(has_several_names(&file) && has_several_names(&other));
        fs::remove_file(&file).unwrap();
        assert!(!has_several_names(&other));
    }

    fn mode(path: &Path) -> u32 {
        system::mode(path) & 0o7777
    }

    #[test]
    #[cfg_attr(not(unix), ignore = "needs permission bits, which Windows lacks")]
    fn the_mode_is_the_one_asked_for() {
        let temp = tempfile::tempdir().unwrap();
        let file = temp.path().join("a");
        for wanted in [PRIVATE, 0o755, 0o644] {
            replace(&file, &[b"x"], Some(wanted)).unwrap();
            assert_eq!(mode(&file), wanted);
        }
    }

    #[test]
    fn a_link_is_replaced_and_its_target_stays() {
        let temp = tempfile::tempdir().unwrap();
        let target = temp.path().join("target");
        let link = temp.path().join("link");
        fs::write(&target, "old").unwrap();
        symlink(&target, &link).unwrap();
        replace(&link, &[b"new"], Some(PRIVATE)).unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"old");
        assert!(!link.is_symlink());
    }

    #[test]
    #[cfg_attr(not(unix), ignore = "needs permission bits, which Windows lacks")]
    fn nothing_is_appended_through_a_link() {
        let temp = tempfile::tempdir().unwrap();
        let target = temp.path().join("target");
        let link = temp.path().join("link");
        symlink(&target, &link).unwrap();
        assert!(open_private_append(&link).is_err());
        assert!(!target.exists());
        let file = temp.path().join("new/log");
        open_private_append(&file).unwrap().write_all(b"1").unwrap();
        open_private_append(&file).unwrap().write_all(b"2").unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"12");
        assert_eq!(mode(&file), PRIVATE);
    }

    #[test]
    #[cfg_attr(not(unix), ignore = "needs permission bits, which Windows lacks")]
    fn private_directory_is_accessible_only_to_its_owner() {
        let temp = tempfile::tempdir().unwrap();
        let directory = temp.path().join("a/b");
        create_private_directory(&directory).unwrap();
        create_private_directory(&directory).unwrap();
        assert_eq!(mode(&directory), 0o700);
    }
}
