//! Creates, replaces, removes and moves one file, if it is what the caller saw. A new file never replaces another one.
//!
//! Not covered: what another program saves between the last check and the rename, or later into a file that it opened
//! before.

use std::io;
use std::path::Path;

use cap_std::fs::Dir;
use gix::bstr::BStr;

use super::file::{check_regular, is_still};
use super::{Boundary, BoundaryError, BoundaryResult, OpenedFile, cannot, os, split};
use crate::{disk, system};
use write_guard_policy::path::escaped;

impl Boundary {
    /// Atomically replaces the file that was `before` (or nothing) and makes that durable: writes a temporary file in
    /// the same directory, syncs it, renames it, and syncs the directory. Permission bits are kept; a new file may be
    /// executable. Missing directories are created.
    ///
    /// # Errors
    /// [`BoundaryError::Changed`] if the file changed meanwhile, or a system error. The file has either the old or
    /// the new content, never a mix. If only the last sync failed, the error says that the file is written.
    pub fn replace(
        &self,
        path: &BStr,
        before: Option<&OpenedFile>,
        content: &[u8],
        is_executable: bool,
    ) -> BoundaryResult<()> {
        let failed = |error| self.refine(cannot("write", path)(error), path);
        let (parent, name) = split(path);
        let name = os(name).map_err(failed)?;
        let dir = match before {
            None => self.create_directory(parent),
            Some(_) => self.directory(parent),
        };
        let dir = dir.map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => BoundaryError::Changed(path.to_owned()),
            _ => failed(error),
        })?;
        let mode = before.and_then(|before| before.mode);
        let bits = if is_executable { 0o777 } else { 0o666 };
        let new = disk::write_new(&dir, ".guard-", &[content], mode, bits).map_err(failed)?;
        let placed = place(&dir, new.as_ref(), name, before);
        if !matches!(placed, Ok(true)) {
            // Report why it is not needed.
            let _ = dir.remove_file(&new);
        }
        if placed.map_err(failed)? {
            sync(&dir, path, "the new one is written")
        } else {
            Err(BoundaryError::Changed(path.to_owned()))
        }
    }

    /// Removes the regular file that was `before` and makes that durable.
    ///
    /// # Errors
    /// [`BoundaryError::Changed`] if the file changed meanwhile; it is not a regular file with one name; or a system
    /// error. If only the last sync failed, the error says that the file is gone.
    pub fn remove(&self, path: &BStr, before: &OpenedFile) -> BoundaryResult<()> {
        let failed = cannot("delete", path);
        let (dir, name) = self.parent(path)?;
        let name = os(name).map_err(failed)?;
        check_regular(&dir.symlink_metadata(name).map_err(failed)?, path)?;
        if !is_still(&dir, name, before).map_err(failed)? {
            return Err(BoundaryError::Changed(path.to_owned()));
        }
        system::patiently(|| dir.remove_file(name)).map_err(failed)?;
        sync(&dir, path, "the deletion is done")
    }

    /// Renames the regular file that was `before` and makes that durable. Missing directories are created.
    ///
    /// # Errors
    /// As for [`Boundary::remove`]; or `to` already exists. If only the last sync failed, the error says that the file
    /// is moved.
    pub fn rename(&self, from: &BStr, before: &OpenedFile, to: &BStr) -> BoundaryResult<()> {
        let what = format!("move {} to", escaped(from));
        let failed = cannot(&what, to);
        let (old_dir, old_name) = self.parent(from)?;
        let (new_parent, new_name) = split(to);
        let new_dir = self.create_directory(new_parent);
        let new_dir = new_dir.map_err(|error| self.refine(failed(error), to))?;
        let old_name = os(old_name).map_err(failed)?;
        let new_name = os(new_name).map_err(failed)?;
        check_regular(&old_dir.symlink_metadata(old_name).map_err(failed)?, from)?;
        if !is_still(&old_dir, old_name, before).map_err(failed)? {
            return Err(BoundaryError::Changed(from.to_owned()));
        }
        rename_to_free(&old_dir, old_name, &new_dir, new_name).map_err(failed)?;
        sync(&new_dir, to, "the move is done")?;
        sync(&old_dir, from, "the move is done")
    }
}

/// Gives a new file the name of the one that was `before`. `false` if that has changed, or if the name is taken.
fn place(dir: &Dir, new: &Path, name: &Path, before: Option<&OpenedFile>) -> io::Result<bool> {
    let Some(before) = before else {
        return match rename_to_free(dir, new, dir, name) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            placed => placed.map(|()| true),
        };
    };
    if !is_still(dir, name, before)? {
        return Ok(false);
    }
    system::patiently(|| dir.rename(new, dir, name)).map(|()| true)
}

/// Syncs a directory after a change that is `done`.
fn sync(dir: &Dir, path: &BStr, done: &str) -> BoundaryResult<()> {
    disk::sync(dir).map_err(|source| BoundaryError::Io {
        what: format!("sync the directory of {} to disk ({done})", escaped(path)),
        source,
    })
}

/// Renames to a name that does not exist.
fn rename_to_free(old_dir: &Dir, old: &Path, new_dir: &Dir, new: &Path) -> io::Result<()> {
    match system::rename_to_free(old_dir, old, new_dir, new) {
        Some(result) => result,
        None => link_to_free(old_dir, old, new_dir, new),
    }
}

/// The same where the system has no such call: a hard link takes the new name before the old one goes. On a file system
/// without hard links, another program may take the name in between.
fn link_to_free(old_dir: &Dir, old: &Path, new_dir: &Dir, new: &Path) -> io::Result<()> {
    match old_dir.hard_link(old, new_dir, new) {
        Ok(()) => {
            return system::patiently(|| old_dir.remove_file(old)).inspect_err(|_| {
                // Report why the old name stays.
                let _ = new_dir.remove_file(new);
            });
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(error),
        Err(_) => {}
    }
    match new_dir.symlink_metadata(new) {
        Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            system::patiently(|| old_dir.rename(old, new_dir, new))
        }
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use cap_std::ambient_authority;

    use super::*;

    type Rename = fn(&Dir, &Path, &Dir, &Path) -> io::Result<()>;

    /// As the system does it, and as every system can.
    #[test]
    fn a_new_file_never_replaces_another_one() {
        for rename in [rename_to_free as Rename, link_to_free] {
            let temp = tempfile::tempdir().unwrap();
            for name in ["one", "other"] {
                std::fs::create_dir(temp.path().join(name)).unwrap();
                std::fs::write(temp.path().join(name).join("taken"), name).unwrap();
            }
            let [one, other] = ["one", "other"].map(|name| {
                Dir::open_ambient_dir(temp.path().join(name), ambient_authority()).unwrap()
            });
            let read = |path: &str| std::fs::read_to_string(temp.path().join(path)).ok();
            let taken = Path::new("taken");
            let error = rename(&one, taken, &other, taken).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
            assert_eq!(read("one/taken").as_deref(), Some("one"));
            assert_eq!(read("other/taken").as_deref(), Some("other"));
            rename(&one, taken, &other, Path::new("free")).unwrap();
            assert_eq!(read("one/taken"), None);
            assert_eq!(read("other/free").as_deref(), Some("one"));
            assert!(rename(&one, Path::new("none"), &other, Path::new("new")).is_err());
            assert_eq!(read("other/new"), None);
        }
    }

    fn open(temp: &tempfile::TempDir) -> Dir {
        Dir::open_ambient_dir(temp.path(), ambient_authority()).unwrap()
    }

    /// No system makes hard links to directories, so these stand for files where no hard links exist.
    #[test]
    fn what_cannot_be_linked_is_renamed_to_a_free_name_only() {
        let temp = tempfile::tempdir().unwrap();
        for path in ["old/in", "taken"] {
            std::fs::create_dir_all(temp.path().join(path)).unwrap();
        }
        let dir = open(&temp);
        let error = link_to_free(&dir, "old".as_ref(), &dir, "taken".as_ref()).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
        assert!(temp.path().join("old").join("in").exists());
        link_to_free(&dir, "old".as_ref(), &dir, "free".as_ref()).unwrap();
        assert!(!temp.path().join("old").exists());
        assert!(temp.path().join("free").join("in").exists());
    }

    #[test]
    fn a_file_is_placed_only_where_nothing_has_changed() {
        let temp = tempfile::tempdir().unwrap();
        let write = |name: &str, content: &str| {
            std::fs::write(temp.path().join(name), content).unwrap();
        };
        write("taken", "old");
        let boundary = Boundary::open(temp.path()).unwrap();
        let before = boundary.read("taken".into(), 100).unwrap().unwrap();
        let dir = open(&temp);
        write("new", "new");
        let place = |name: &str, before| place(&dir, "new".as_ref(), name.as_ref(), before);
        assert!(!place("taken", None).unwrap());
        assert!(!place("gone", Some(&before)).unwrap());
        write("taken", "saved");
        assert!(!place("taken", Some(&before)).unwrap());
        write("taken", "old");
        assert!(place("taken", Some(&before)).unwrap());
        // There is nothing to place any more: that is an error, not a change by another program.
        assert!(place("free", None).is_err());
        write("new", "newer");
        assert!(place("free", None).unwrap());
        for (name, content) in [("taken", "new"), ("free", "newer")] {
            let found = std::fs::read_to_string(temp.path().join(name)).unwrap();
            assert_eq!(found, content);
        }
    }
}
