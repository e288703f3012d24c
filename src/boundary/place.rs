//! Creates, replaces or removes one file while other programs may write it, without losing content that guard has not
//! seen.
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

use super::file::FileFingerprint;
use crate::{disk, system};

/// How often to exchange back while another program saves; each round takes microseconds.
const ROUNDS: u32 = 16;

/// A name in an open directory.
pub(super) struct Place<'a> {
    pub(super) dir: &'a Dir,
    pub(super) name: &'a Path,
}

/// Why a change failed, or succeeded only in part.
pub(super) enum PlaceError {
    /// Another program changed the file, and its version is in place.
    Changed,
    /// Nothing has changed.
    Failed(io::Error),
    /// Done, but the old file could not be removed or put back; it has this temporary name.
    Kept(String, io::Error),
    /// Done, but perhaps not on disk.
    NotDurable(io::Error),
}

type PlaceResult<T = (), E = PlaceError> = std::result::Result<T, E>;

/// An old file under a temporary name.
enum OldFile {
    /// It was exchanged for this new file.
    Exchanged(String, FileFingerprint),
    /// It was renamed.
    Aside(String),
}

impl OldFile {
    fn name(&self) -> &str {
        match self {
            OldFile::Exchanged(name, _) | OldFile::Aside(name) => name,
        }
    }
}

impl Place<'_> {
    /// Creates a file, with the permission bits `mode` or those of any new file.
    pub(super) fn create(&self, content: &[u8], mode: Option<u32>) -> PlaceResult {
        let new = self.write_new(content, mode)?;
        let placed = rename_to_free(self.dir, new.as_ref(), self.dir, self.name);
        placed.map_err(|error| {
            // Report the error of the rename.
            let _ = self.dir.remove_file(&new);
            match error.kind() {
                io::ErrorKind::AlreadyExists => PlaceError::Changed,
                _ => PlaceError::Failed(error),
            }
        })?;
        disk::sync(self.dir).map_err(PlaceError::NotDurable)
    }

    /// Replaces the file that was `before` by one with the permission bits `mode`.
    pub(super) fn replace(
        &self,
        content: &[u8],
        mode: Option<u32>,
        before: &FileFingerprint,
    ) -> PlaceResult {
        let new = self.write_new(content, mode)?;
        let looked = || Ok((self.at(&new)?, FileFingerprint::at(self.dir, self.name)?));
        let discard = |missed| {
            let _ = self.dir.remove_file(&new);
            Err(missed)
        };
        let ours = match looked() {
            Ok((ours, there)) if there == *before => ours,
            Ok(_) => return discard(PlaceError::Changed),
            Err(error) => return discard(PlaceError::Failed(error)),
        };
        match system::exchange(self.dir, new.as_ref(), self.name) {
            Some(Ok(())) => self.discard_old(OldFile::Exchanged(new, ours), before),
            None => match self.dir.rename(&new, self.dir, self.name) {
                Ok(()) => disk::sync(self.dir).map_err(PlaceError::NotDurable),
                Err(error) => discard(PlaceError::Failed(error)),
            },
            Some(Err(error)) if error.kind() == io::ErrorKind::NotFound => {
                discard(PlaceError::Changed)
            }
            // On a network file system, the operation may have succeeded despite the error.
            Some(Err(error)) if self.at(&new).is_ok_and(|there| there == ours) => {
                discard(PlaceError::Failed(error))
            }
            Some(Err(error)) => Err(PlaceError::Kept(new, error)),
        }
    }

    /// Removes the file that was `before`.
    pub(super) fn remove(&self, before: &FileFingerprint) -> PlaceResult {
        if FileFingerprint::at(self.dir, self.name).map_err(PlaceError::Failed)? != *before {
            return Err(PlaceError::Changed);
        }
        let aside = |free: &str| rename_to_free(self.dir, self.name, self.dir, Path::new(free));
        match disk::with_free_name(aside) {
            Ok((aside, ())) => self.discard_old(OldFile::Aside(aside), before),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(PlaceError::Changed),
            Err(error) => Err(PlaceError::Failed(error)),
        }
    }

    fn write_new(&self, content: &[u8], mode: Option<u32>) -> PlaceResult<String> {
        disk::write_new(self.dir, &|out| out.write_all(content), mode).map_err(PlaceError::Failed)
    }

    /// Removes the old file, if it still is what it was before and after syncing the directory.
    fn discard_old(&self, old: OldFile, before: &FileFingerprint) -> PlaceResult {
        let old = self.checked(old, before)?;
        let synced = disk::sync(self.dir);
        let old = self.checked(old, before)?;
        if let Err(error) = self.dir.remove_file(old.name()) {
            return Err(PlaceError::Kept(old.name().to_owned(), error));
        }
        synced.map_err(PlaceError::NotDurable)
    }

    /// Puts the old file back if it is not `before`.
    fn checked(&self, old: OldFile, before: &FileFingerprint) -> PlaceResult<OldFile> {
        let why = match self.at(old.name()) {
            Ok(seen) if seen == *before => return Ok(old),
            seen => seen.err(),
        };
        Err(match old {
            OldFile::Exchanged(new, ours) => self.exchange_back(new, ours, why),
            OldFile::Aside(aside) => self.rename_back(aside, why),
        })
    }

    /// Exchanges until the file that comes out is the one put in last, so that newer saves replace older ones. `why`
    /// is the error that prevented checking the old file.
    fn exchange_back(
        &self,
        out: String,
        ours: FileFingerprint,
        why: Option<io::Error>,
    ) -> PlaceError {
        let exchange = || -> io::Result<()> {
            let mut put = ours;
            for _ in 0..ROUNDS {
                let next = self.at(&out);
                let exchanged = system::exchange(self.dir, out.as_ref(), self.name);
                exchanged.unwrap_or_else(|| Err(io::ErrorKind::Unsupported.into()))?;
                if put == self.at(&out)? {
                    return Ok(());
                }
                put = next?;
            }
            Err(io::ErrorKind::ResourceBusy.into())
        };
        match exchange() {
            Ok(()) => {
                let _ = self.dir.remove_file(&out);
                self.put_back(why)
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => self.rename_back(out, why),
            Err(error) => PlaceError::Kept(out, error),
        }
    }

    /// Gives the old file its name back, unless a newer one has it.
    fn rename_back(&self, out: String, why: Option<io::Error>) -> PlaceError {
        let renamed = rename_to_free(self.dir, out.as_ref(), self.dir, self.name);
        let renamed = renamed.or_else(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => self.dir.remove_file(&out),
            _ => Err(error),
        });
        match renamed {
            Ok(()) => self.put_back(why),
            Err(error) => PlaceError::Kept(out, error),
        }
    }

    fn put_back(&self, why: Option<io::Error>) -> PlaceError {
        // It was not durable before, either.
        let _ = disk::sync(self.dir);
        why.map_or(PlaceError::Changed, PlaceError::Failed)
    }

    fn at(&self, name: &str) -> io::Result<FileFingerprint> {
        FileFingerprint::at(self.dir, Path::new(name))
    }
}

/// Renames to a name that does not exist. Linux does that atomically; elsewhere another program may take the name in
/// between.
pub(super) fn rename_to_free(
    old_dir: &Dir,
    old: &Path,
    new_dir: &Dir,
    new: &Path,
) -> io::Result<()> {
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

    /// What is left at the name, and whether the temporary one is, after `back` with what came out and what is there.
    fn after(there: Option<&str>, back: impl FnOnce(&Place<'_>) -> PlaceError) -> (String, bool) {
        let temp = tempfile::tempdir().unwrap();
        let (file, out) = (temp.path().join("a"), temp.path().join(OUT));
        fs::write(&out, "saved").unwrap();
        if let Some(there) = there {
            fs::write(&file, there).unwrap();
        }
        let dir = Dir::open_ambient_dir(temp.path(), ambient_authority()).unwrap();
        let place = Place {
            dir: &dir,
            name: Path::new("a"),
        };
        assert!(matches!(back(&place), PlaceError::Changed));
        (fs::read_to_string(file).unwrap(), out.exists())
    }

    /// What guard put there: the content alone, whose permission bits are those of any new file here.
    fn ours() -> FileFingerprint {
        let temp = tempfile::tempdir().unwrap();
        fs::write(temp.path().join("a"), "ours").unwrap();
        let dir = Dir::open_ambient_dir(temp.path(), ambient_authority()).unwrap();
        FileFingerprint::at(&dir, Path::new("a")).unwrap()
    }

    #[test]
    #[cfg_attr(
        any(not(target_os = "linux"), guard_portable),
        ignore = "the system cannot exchange files"
    )]
    fn replaced_content_is_restored_unless_newer_content_was_saved() {
        let back = |place: &Place<'_>| place.exchange_back(OUT.into(), ours(), None);
        for (there, left) in [
            (Some("ours"), "saved"),
            (Some("newer"), "newer"),
            (None, "saved"),
        ] {
            assert_eq!(after(there, back), (left.into(), false), "{there:?}");
        }
    }

    #[test]
    fn removed_content_is_restored_unless_newer_content_was_saved() {
        let back = |place: &Place<'_>| place.rename_back(OUT.into(), None);
        assert_eq!(after(None, back), ("saved".into(), false));
        assert_eq!(after(Some("newer"), back), ("newer".into(), false));
    }
}
