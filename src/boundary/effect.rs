//! Replaces, removes and moves files inside the boundary, only while the file is what the caller saw.

use std::io;

use gix::bstr::BStr;

use super::file::{FileFingerprint, check_regular, refine};
use super::place::{Place, PlaceError, rename_to_free};
use super::{Boundary, BoundaryError, BoundaryResult, OpenedFile, cannot, os, split};
use crate::disk;
use crate::path::escaped;

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
        let missed = |missed| failure(path, missed, "write", "the new one is written");
        let failed = |error| missed(PlaceError::Failed(error));
        let (parent, name) = split(path);
        let name = os(name).map_err(failed)?;
        let Some(before) = before else {
            let dir = self.create_directory(parent).map_err(failed)?;
            let place = Place { dir: &dir, name };
            return place.create(content, None).map_err(missed);
        };
        let dir = match self.directory(parent) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(BoundaryError::Changed(path.to_owned()));
            }
            dir => dir.map_err(failed)?,
        };
        let fingerprint = FileFingerprint::of(before).map_err(failed)?;
        let place = Place { dir: &dir, name };
        place
            .replace(content, before.mode, &fingerprint)
            .map_err(missed)
    }

    /// Removes the regular file that was `before` and makes that durable.
    ///
    /// # Errors
    /// [`BoundaryError::Changed`] if the file changed meanwhile; it is not a regular file with one name; or a system
    /// error. If only a later step failed, the error says that the file is gone.
    pub fn remove(&self, path: &BStr, before: &OpenedFile) -> BoundaryResult<()> {
        let missed = |missed| failure(path, missed, "delete", "the deletion is done");
        let failed = |error| missed(PlaceError::Failed(error));
        let (dir, name) = self.parent(path)?;
        let name = os(name).map_err(failed)?;
        check_regular(&dir.symlink_metadata(name).map_err(failed)?, path)?;
        let before = FileFingerprint::of(before).map_err(failed)?;
        let place = Place { dir: &dir, name };
        place.remove(&before).map_err(missed)
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
        let before = FileFingerprint::of(before).map_err(failed)?;
        if FileFingerprint::at(&old_dir, old_name).map_err(failed)? != before {
            return Err(BoundaryError::Changed(from.to_owned()));
        }
        rename_to_free(&old_dir, old_name, &new_dir, new_name).map_err(failed)?;
        // A program with the file open now saves it under the new name, so one check is enough.
        let moved = FileFingerprint::at(&new_dir, new_name);
        if !moved.as_ref().is_ok_and(|moved| *moved == before) {
            let undo = format!("undo this after the file changed: {what}");
            rename_to_free(&new_dir, new_name, &old_dir, old_name).map_err(cannot(&undo, to))?;
            moved.map_err(failed)?;
            return Err(BoundaryError::Changed(from.to_owned()));
        }
        let synced = disk::sync(&new_dir).and_then(|()| disk::sync(&old_dir));
        synced.map_err(cannot(&format!("sync to disk (it is done): {what}"), to))
    }
}

/// Why a file was not written or deleted, or only in part; `what` and `done` say which.
fn failure(path: &BStr, missed: PlaceError, what: &str, done: &str) -> BoundaryError {
    let shown = escaped(path);
    let (what, source) = match missed {
        PlaceError::Changed => return BoundaryError::Changed(path.to_owned()),
        PlaceError::Failed(error) => return refine(cannot(what, path)(error), path),
        PlaceError::Kept(name, error) => {
            let what = format!("remove {name}, the previous version of {shown} ({done})");
            (what, error)
        }
        PlaceError::NotDurable(error) => (
            format!("sync the directory of {shown} to disk ({done})"),
            error,
        ),
    };
    BoundaryError::Io { what, source }
}
