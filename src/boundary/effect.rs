//! Creates, replaces, removes and moves one file, only while it is what the caller saw: other programs, such as editors,
//! may save it meanwhile.
//!
//! No system replaces a file only if it is a certain one. Linux exchanges two files atomically: guard checks the old
//! file and puts it back if it is not the expected one. It removes the old file only after syncing the directory and
//! checking again, because a program that opened it earlier may still write to it.
//!
//! Where files cannot be exchanged, guard checks right before the rename, and a save in the moment between is lost.
//! On all systems, a file to remove is first renamed to a temporary name.
//!
//! Not covered: a program that opened the file earlier and writes after the last check.

use std::io;
use std::path::Path;

use cap_std::fs::Dir;
use gix::bstr::BStr;

use super::file::{check_regular, is_still, refine};
use super::{Boundary, BoundaryError, BoundaryResult, OpenedFile, cannot, os, split};
use crate::path::escaped;
use crate::{disk, system};

impl Boundary {
    /// Atomically replaces the file that was `before` (or nothing) and makes that durable: writes a temporary file in
    /// the same directory, syncs it, exchanges or renames it, and syncs the directory. Permission bits are kept.
    /// Missing directories are created.
    ///
    /// # Errors
    /// [`BoundaryError::Changed`] if the file changed meanwhile, or a system error. The file has either the old or
    /// the new content, never a mix. If only a later step failed, the error says that the file is written.
    pub fn replace(
        &self,
        path: &BStr,
        before: Option<&OpenedFile>,
        content: &[u8],
    ) -> BoundaryResult<()> {
        let failed = |error| refine(cannot("write", path)(error), path);
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
        let new = disk::write_new(&dir, &|out| out.write_all(content), mode).map_err(failed)?;
        let new = Path::new(&new);
        let discard = |why| {
            // Report why it is not needed.
            let _ = dir.remove_file(new);
            Err(why)
        };
        let changed = BoundaryError::Changed(path.to_owned());
        let place = Place {
            path,
            dir: &dir,
            name,
            done: "the new one is written",
        };
        let Some(before) = before else {
            return match rename_to_free(&dir, new, &dir, name) {
                Ok(()) => disk::sync(&dir).map_err(|error| place.not_durable(error)),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => discard(changed),
                Err(error) => discard(failed(error)),
            };
        };
        match is_still(&dir, name, &before.content, before.mode) {
            Ok(true) => {}
            Ok(false) => return discard(changed),
            Err(error) => return discard(failed(error)),
        }
        match system::exchange(&dir, new, name) {
            Some(Ok(())) => place.discard_old(new, before, Some(content)),
            None => match dir.rename(new, &dir, name) {
                Ok(()) => disk::sync(&dir).map_err(|error| place.not_durable(error)),
                Err(error) => discard(failed(error)),
            },
            Some(Err(error)) if error.kind() == io::ErrorKind::NotFound => discard(changed),
            // On a network file system, the operation may have succeeded despite the error.
            Some(Err(error)) if is_still(&dir, new, content, None).unwrap_or(false) => {
                discard(failed(error))
            }
            Some(Err(error)) => Err(place.kept(new, error)),
        }
    }

    /// Removes the regular file that was `before` and makes that durable.
    ///
    /// # Errors
    /// [`BoundaryError::Changed`] if the file changed meanwhile; it is not a regular file with one name; or a system
    /// error. If only a later step failed, the error says that the file is gone.
    pub fn remove(&self, path: &BStr, before: &OpenedFile) -> BoundaryResult<()> {
        let failed = cannot("delete", path);
        let (dir, name) = self.parent(path)?;
        let name = os(name).map_err(failed)?;
        check_regular(&dir.symlink_metadata(name).map_err(failed)?, path)?;
        if !is_still(&dir, name, &before.content, before.mode).map_err(failed)? {
            return Err(BoundaryError::Changed(path.to_owned()));
        }
        let aside = |free: &str| rename_to_free(&dir, name, &dir, Path::new(free));
        let (aside, ()) = disk::with_free_name(aside).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => BoundaryError::Changed(path.to_owned()),
            _ => failed(error),
        })?;
        let place = Place {
            path,
            dir: &dir,
            name,
            done: "the deletion is done",
        };
        place.discard_old(Path::new(&aside), before, None)
    }

    /// Renames the regular file that was `before` and makes that durable. Missing directories are created.
    ///
    /// # Errors
    /// As for [`Boundary::remove`]; or `to` already exists. If only a later step failed, the error says that the file
    /// is moved.
    pub fn rename(&self, from: &BStr, before: &OpenedFile, to: &BStr) -> BoundaryResult<()> {
        let what = format!("move {} to", escaped(from));
        let failed = cannot(&what, to);
        let (old_dir, old_name) = self.parent(from)?;
        let (new_parent, new_name) = split(to);
        let new_dir = self.create_directory(new_parent);
        let new_dir = new_dir.map_err(|error| refine(failed(error), to))?;
        let (old_name, new_name) = (os(old_name).map_err(failed)?, os(new_name).map_err(failed)?);
        check_regular(&old_dir.symlink_metadata(old_name).map_err(failed)?, from)?;
        let is_before = |dir: &Dir, name: &Path| is_still(dir, name, &before.content, before.mode);
        if !is_before(&old_dir, old_name).map_err(failed)? {
            return Err(BoundaryError::Changed(from.to_owned()));
        }
        rename_to_free(&old_dir, old_name, &new_dir, new_name).map_err(failed)?;
        // A program with the file open now saves it under the new name, so one check is enough.
        let moved = is_before(&new_dir, new_name);
        if !moved.as_ref().is_ok_and(|is_same| *is_same) {
            let undo = format!("undo this after the file changed: {what}");
            rename_to_free(&new_dir, new_name, &old_dir, old_name).map_err(cannot(&undo, to))?;
            moved.map_err(failed)?;
            return Err(BoundaryError::Changed(from.to_owned()));
        }
        let synced = disk::sync(&new_dir).and_then(|()| disk::sync(&old_dir));
        synced.map_err(cannot(&format!("sync to disk (it is done): {what}"), to))
    }
}

/// A name whose file was exchanged or renamed.
struct Place<'a> {
    path: &'a BStr,
    dir: &'a Dir,
    name: &'a Path,
    /// What is done if only a later step fails.
    done: &'static str,
}

impl Place<'_> {
    /// Removes the old file, which has a temporary name now, if it still is what the caller saw before and after
    /// syncing the directory. Otherwise puts it back. `ours` is what guard wrote in its place.
    fn discard_old(
        &self,
        old: &Path,
        before: &OpenedFile,
        ours: Option<&[u8]>,
    ) -> BoundaryResult<()> {
        let is_before = || is_still(self.dir, old, &before.content, before.mode);
        let mut seen = is_before();
        let synced = disk::sync(self.dir);
        if matches!(seen, Ok(true)) {
            seen = is_before();
        }
        if !matches!(seen, Ok(true)) {
            self.put_back(old, ours)
                .map_err(|error| self.kept(old, error))?;
            seen.map_err(cannot("check", self.path))?;
            return Err(BoundaryError::Changed(self.path.to_owned()));
        }
        let removed = self.dir.remove_file(old);
        removed.map_err(|error| self.kept(old, error))?;
        synced.map_err(|error| self.not_durable(error))
    }

    /// Gives the old file its name back, unless a newer one has it.
    fn put_back(&self, old: &Path, ours: Option<&[u8]>) -> io::Result<()> {
        if let Some(ours) = ours
            && is_still(self.dir, self.name, ours, None)?
        {
            let exchanged = system::exchange(self.dir, old, self.name);
            exchanged.unwrap_or_else(|| Err(io::ErrorKind::Unsupported.into()))?;
            if !is_still(self.dir, old, ours, None)? {
                return Err(io::ErrorKind::ResourceBusy.into());
            }
            return self.dir.remove_file(old);
        }
        match rename_to_free(self.dir, old, self.dir, self.name) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => self.dir.remove_file(old),
            result => result,
        }
    }

    /// Done, but the previous version could not be removed or put back.
    fn kept(&self, old: &Path, source: io::Error) -> BoundaryError {
        let (old, path, done) = (old.display(), escaped(self.path), self.done);
        let what = format!("remove {old}, the previous version of {path} ({done})");
        BoundaryError::Io { what, source }
    }

    /// Done, but perhaps not on disk.
    fn not_durable(&self, source: io::Error) -> BoundaryError {
        let (path, done) = (escaped(self.path), self.done);
        let what = format!("sync the directory of {path} to disk ({done})");
        BoundaryError::Io { what, source }
    }
}

/// Renames to a name that does not exist. Linux does that atomically; elsewhere another program may take the name in
/// between.
fn rename_to_free(old_dir: &Dir, old: &Path, new_dir: &Dir, new: &Path) -> io::Result<()> {
    if let Some(result) = system::rename_to_free(old_dir, old, new_dir, new) {
        return result;
    }
    match new_dir.symlink_metadata(new) {
        Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => old_dir.rename(old, new_dir, new),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::fs;

    use cap_std::ambient_authority;

    use super::*;

    const OUT: &str = ".guard-0.tmp";

    /// What is left at the name, and whether the temporary one is, after an old file was put back.
    fn after(there: Option<&str>, ours: Option<&[u8]>) -> (String, bool) {
        let temp = tempfile::tempdir().unwrap();
        let (file, out) = (temp.path().join("a"), temp.path().join(OUT));
        fs::write(&out, "saved").unwrap();
        if let Some(there) = there {
            fs::write(&file, there).unwrap();
        }
        let dir = Dir::open_ambient_dir(temp.path(), ambient_authority()).unwrap();
        let place = Place {
            path: "a".into(),
            dir: &dir,
            name: Path::new("a"),
            done: "",
        };
        place.put_back(Path::new(OUT), ours).unwrap();
        (fs::read_to_string(file).unwrap(), out.exists())
    }

    #[test]
    #[cfg_attr(
        any(not(target_os = "linux"), guard_portable),
        ignore = "the system cannot exchange files"
    )]
    fn replaced_content_is_restored_unless_newer_content_was_saved() {
        for (there, left) in [
            (Some("ours"), "saved"),
            (Some("newer"), "newer"),
            (None, "saved"),
        ] {
            assert_eq!(
                after(there, Some(b"ours")),
                (left.into(), false),
                "{there:?}"
            );
        }
    }

    #[test]
    fn removed_content_is_restored_unless_newer_content_was_saved() {
        assert_eq!(after(None, None), ("saved".into(), false));
        assert_eq!(after(Some("newer"), None), ("newer".into(), false));
    }
}
