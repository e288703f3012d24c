//! Several changes that become durable together: all contents are synced before the first file is in place, and each
//! directory is synced once. A file that is replaced or removed keeps a temporary name until then.

use std::collections::{BTreeMap, HashMap};
use std::io;

use cap_std::fs::Dir;
use gix::bstr::{BStr, BString};

use super::effect::{not_removed, not_written};
use super::file_fingerprint::FileFingerprint;
use super::place::{InPlace, Place, PlaceError};
use super::{Boundary, BoundaryError, BoundaryResult, OpenedFile, os, split};
use crate::disk::{self, NewFile};

/// Changes that belong together. They are done only after [`EffectGroup::finish`].
pub struct EffectGroup<'b> {
    boundary: &'b Boundary,
    /// What is written, but not in place.
    new: BTreeMap<BString, (Dir, NewFile)>,
    begun: Vec<Begun>,
}

/// A change that is in place.
struct Begun {
    path: BString,
    dir: Dir,
    placed: InPlace,
    removes: bool,
}

impl Boundary {
    /// Begins a group of changes.
    pub fn group(&self) -> EffectGroup<'_> {
        EffectGroup {
            boundary: self,
            new: BTreeMap::new(),
            begun: Vec::new(),
        }
    }
}

impl EffectGroup<'_> {
    /// Writes the content for a file that was `before`, or nothing, without putting it in place.
    ///
    /// # Errors
    /// As for [`Boundary::replace`].
    pub fn write(
        &mut self,
        path: &BStr,
        before: Option<&OpenedFile>,
        content: &[u8],
    ) -> BoundaryResult<()> {
        let (dir, _) = self.boundary.directory_to_write(path, before)?;
        let mode = before.and_then(|entry| entry.mode);
        let new = disk::begin_new(&dir, &|out| out.write_all(content), mode)
            .map_err(|error| not_written(path, PlaceError::Failed(error)))?;
        self.new.insert(path.to_owned(), (dir, new));
        Ok(())
    }

    /// Syncs all contents.
    ///
    /// # Errors
    /// A system error; no file is in place then.
    pub fn sync(&self) -> BoundaryResult<()> {
        self.new.iter().try_for_each(|(path, (_, new))| {
            let failed = |error| not_written(path.as_ref(), PlaceError::Failed(error));
            new.sync().map_err(failed)
        })
    }

    /// Puts the content in place that was written before.
    ///
    /// # Errors
    /// As for [`Boundary::replace`].
    pub fn replace(
        &mut self,
        path: &BStr,
        before: Option<&OpenedFile>,
        content: &[u8],
    ) -> BoundaryResult<()> {
        let failed = |error| not_written(path, PlaceError::Failed(error));
        let Some((dir, new)) = self.new.remove(path) else {
            return Err(failed(io::ErrorKind::NotFound.into()));
        };
        let (_, name) = split(path);
        let name = os(name).map_err(failed)?;
        let mode = before.and_then(|entry| entry.mode);
        let new = new
            .into_name(&dir, &|out| out.write_all(content), mode)
            .map_err(failed)?;
        let place = Place { dir: &dir, name };
        let placed = match before {
            Some(entry) => match FileFingerprint::of(entry) {
                Ok(before) => place.put(new, &before),
                Err(error) => {
                    let _ = dir.remove_file(&new);
                    Err(PlaceError::Failed(error))
                }
            },
            None => place.put_new(new),
        };
        let placed = placed.map_err(|missed| not_written(path, missed))?;
        self.note(path, dir, placed, false);
        Ok(())
    }

    /// Removes the file that was `before`.
    ///
    /// # Errors
    /// As for [`Boundary::remove`].
    pub fn remove(&mut self, path: &BStr, before: &OpenedFile) -> BoundaryResult<()> {
        let (dir, name, before) = self.boundary.file_to_remove(path, before)?;
        let place = Place { dir: &dir, name };
        let placed = place.put_aside(&before);
        let placed = placed.map_err(|missed| not_removed(path, missed))?;
        self.note(path, dir, placed, true);
        Ok(())
    }

    fn note(&mut self, path: &BStr, dir: Dir, placed: InPlace, removes: bool) {
        self.begun.push(Begun {
            path: path.to_owned(),
            dir,
            placed,
            removes,
        });
    }

    /// Syncs each directory once, and removes the old files.
    ///
    /// # Errors
    /// The first one, after all changes have been ended.
    pub fn finish(mut self) -> BoundaryResult<()> {
        let mut synced: HashMap<BString, Result<(), (io::ErrorKind, String)>> = HashMap::new();
        for one in &self.begun {
            let (parent, _) = split(one.path.as_ref());
            if !synced.contains_key(parent) {
                let told = |error: io::Error| (error.kind(), error.to_string());
                let result = disk::sync(&one.dir).map_err(told);
                synced.insert(parent.to_owned(), result);
            }
        }
        let mut first: Option<BoundaryError> = None;
        for one in std::mem::take(&mut self.begun) {
            let path: &BStr = one.path.as_ref();
            let (parent, name) = split(path);
            let synced = synced.get(parent).cloned().unwrap_or(Ok(()));
            let synced = synced.map_err(|(kind, text)| io::Error::new(kind, text));
            let end = |name| {
                let place = Place {
                    dir: &one.dir,
                    name,
                };
                place.end(one.placed, synced)
            };
            let ended = os(name).map_err(PlaceError::Failed).and_then(end);
            if let Err(missed) = ended {
                let error = match one.removes {
                    true => not_removed(path, missed),
                    false => not_written(path, missed),
                };
                first.get_or_insert(error);
            }
        }
        first.map_or(Ok(()), Err)
    }
}

impl Drop for EffectGroup<'_> {
    /// What never got into place leaves nothing behind.
    fn drop(&mut self) {
        for (_, (dir, new)) in std::mem::take(&mut self.new) {
            new.discard(&dir);
        }
    }
}
