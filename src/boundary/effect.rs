//! Replaces, removes and moves files inside the boundary, only while the file is what the caller saw.

use std::io;
use std::path::Path;

use cap_std::fs::Dir;
use gix::bstr::BStr;

use super::file::{check_regular, refine};
use super::file_fingerprint::FileFingerprint;
use super::place::{Place, PlaceError, rename_to_free};
use super::{Boundary, BoundaryError, BoundaryResult, OpenedFile, os, split};
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
        self.put(path, before, content, before.and_then(|entry| entry.mode))
    }

    /// Creates a file that was removed, with its permission bits.
    ///
    /// # Errors
    /// As for [`Boundary::replace`].
    pub fn recreate(&self, path: &BStr, content: &[u8], mode: Option<u32>) -> BoundaryResult<()> {
        self.put(path, None, content, mode)
    }

    fn put(
        &self,
        path: &BStr,
        before: Option<&OpenedFile>,
        content: &[u8],
        mode: Option<u32>,
    ) -> BoundaryResult<()> {
        let (dir, name) = self.directory_to_write(path, before)?;
        let place = Place { dir: &dir, name };
        let replaced = match before {
            Some(entry) => FileFingerprint::of(entry)
                .map_err(PlaceError::Failed)
                .and_then(|before| place.replace(content, mode, &before)),
            None => place.create(content, mode),
        };
        replaced.map_err(|missed| not_written(path, missed))
    }

    /// The directory of a file to write, which is created for a new file, and the name in it.
    pub(super) fn directory_to_write<'p>(
        &self,
        path: &'p BStr,
        before: Option<&OpenedFile>,
    ) -> BoundaryResult<(Dir, &'p Path)> {
        let (parent, name) = split(path);
        let failed = |error| not_written(path, PlaceError::Failed(error));
        let dir = match before {
            Some(_) => self.directory(parent),
            None => self.create_directory(parent),
        };
        let dir = match dir {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(BoundaryError::Changed(path.to_owned()));
            }
            dir => dir.map_err(failed)?,
        };
        Ok((dir, os(name).map_err(failed)?))
    }

    /// Removes the regular file that was `before` and makes that durable.
    ///
    /// # Errors
    /// [`BoundaryError::Changed`] if the file changed meanwhile; it is not a regular file with one name; or a system
    /// error. If only a later step failed, the error says that the file is gone.
    pub fn remove(&self, path: &BStr, before: &OpenedFile) -> BoundaryResult<()> {
        let (dir, name, before) = self.file_to_remove(path, before)?;
        let place = Place { dir: &dir, name };
        place
            .remove(&before)
            .map_err(|missed| not_removed(path, missed))
    }

    /// The directory and the name of a file to remove, and what it has to be.
    pub(super) fn file_to_remove<'p>(
        &self,
        path: &'p BStr,
        before: &OpenedFile,
    ) -> BoundaryResult<(Dir, &'p Path, FileFingerprint)> {
        let failed = |error| not_removed(path, PlaceError::Failed(error));
        let (dir, name) = self.parent(path)?;
        let name = os(name).map_err(failed)?;
        let metadata = dir.symlink_metadata(name).map_err(failed)?;
        check_regular(&metadata, path)?;
        let before = FileFingerprint::of(before).map_err(failed)?;
        Ok((dir, name, before))
    }

    /// Renames the regular file that was `before` and makes that durable. Missing directories are created.
    ///
    /// # Errors
    /// As for [`Boundary::remove`]; or `to` already exists. If only a later step failed, the error says that the file
    /// is moved.
    pub fn rename(&self, from: &BStr, before: &OpenedFile, to: &BStr) -> BoundaryResult<()> {
        let what = || format!("move {} to {}", escaped(from), escaped(to));
        let failed = || BoundaryError::io(what());
        let changed = || Err(BoundaryError::Changed(from.to_owned()));
        let (old_dir, old_name) = self.parent(from)?;
        let (new_parent, new_name) = split(to);
        let new_dir = self
            .create_directory(new_parent)
            .map_err(|error| refine(failed()(error), to))?;
        let old_name = os(old_name).map_err(failed())?;
        check_regular(&old_dir.symlink_metadata(old_name).map_err(failed())?, from)?;
        let new_name = os(new_name).map_err(failed())?;
        let before = FileFingerprint::of(before).map_err(failed())?;
        if FileFingerprint::at(&old_dir, old_name).map_err(failed())? != before {
            return changed();
        }
        rename_to_free(&old_dir, old_name, &new_dir, new_name).map_err(failed())?;
        // A program with the file open now saves it under the new name, so one check is enough.
        match FileFingerprint::at(&new_dir, new_name) {
            Ok(moved) if moved == before => {}
            moved => {
                rename_to_free(&new_dir, new_name, &old_dir, old_name).map_err(
                    BoundaryError::io(format!("undo this after the file changed: {}", what())),
                )?;
                moved.map_err(failed())?;
                return changed();
            }
        }
        disk::sync(&new_dir)
            .and_then(|()| disk::sync(&old_dir))
            .map_err(BoundaryError::io(format!(
                "sync to disk (it is done): {}",
                what()
            )))
    }
}

/// Why a file was not written, or only in part.
pub(super) fn not_written(path: &BStr, missed: PlaceError) -> BoundaryError {
    let shown = escaped(path);
    match missed {
        PlaceError::Changed => BoundaryError::Changed(path.to_owned()),
        PlaceError::Failed(error) => {
            refine(BoundaryError::io(format!("write {shown}"))(error), path)
        }
        PlaceError::Kept(name, error) => BoundaryError::io(format!(
            "remove {name}, the previous version of {shown} (the new one is written)"
        ))(error),
        PlaceError::NotDurable(error) => {
            BoundaryError::io(format!("sync {shown} to disk (it is written)"))(error)
        }
    }
}

/// The same for a removal.
pub(super) fn not_removed(path: &BStr, missed: PlaceError) -> BoundaryError {
    let shown = escaped(path);
    match missed {
        PlaceError::Changed => BoundaryError::Changed(path.to_owned()),
        PlaceError::Failed(error) => BoundaryError::io(format!("delete {shown}"))(error),
        PlaceError::Kept(name, error) => BoundaryError::io(format!(
            "remove {name}, the previous version of {shown} (the deletion is done)"
        ))(error),
        PlaceError::NotDurable(error) => {
            BoundaryError::io(format!("sync the deletion of {shown} to disk (it is done)"))(error)
        }
    }
}
