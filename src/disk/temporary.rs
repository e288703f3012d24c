//! Creates new files atomically.
//!
//! On Linux a new file has no name until it is complete and on disk, so a crash leaves nothing. From then until it
//! replaces the old file, and elsewhere from the start, its name is `.guard-….tmp`.

use std::hash::{BuildHasher, RandomState};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use cap_std::fs::{Dir, File, OpenOptions};

use crate::system;

/// How many names to try; each has 64 random bits.
const ATTEMPTS: u32 = 8;

/// Writes the content of a file; called again if the first method of creating the file fails.
pub(crate) type WriteContent<'a> = &'a dyn Fn(&mut dyn Write) -> io::Result<()>;

/// Replaces a file by a new one with the permission bits `mode`. Syncs the file but not the directory.
///
/// # Errors
/// A file system error; the old content is unchanged.
pub(crate) fn put(
    dir: &Dir,
    name: &Path,
    content: WriteContent<'_>,
    mode: Option<u32>,
) -> io::Result<()> {
    let temporary = write_new(dir, content, mode)?;
    dir.rename(&temporary, dir, name).inspect_err(|_| {
        // Report the error of the rename.
        let _ = dir.remove_file(&temporary);
    })
}

/// Writes and syncs a new file; returns its temporary name.
///
/// # Errors
/// A file system error; then no file exists.
pub(crate) fn write_new(
    dir: &Dir,
    content: WriteContent<'_>,
    mode: Option<u32>,
) -> io::Result<String> {
    let unnamed = || {
        let mut file = system::unnamed_file(dir, first_mode(mode))?;
        fill(&mut file, content, mode)?;
        Ok::<File, io::Error>(file)
    };
    // Not every file system supports unnamed files, and naming one needs /proc.
    if let Ok(file) = unnamed() {
        file.sync_all()?;
        if let Ok((name, ())) = with_free_name(|name| system::name_file(&file, dir, name)) {
            return Ok(name);
        }
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    system::create_with_mode(&mut options, first_mode(mode));
    let (name, mut file) = with_free_name(|name| dir.open_with(name, &options))?;
    let written = fill(&mut file, content, mode).and_then(|()| file.sync_all());
    written.inspect_err(|_| {
        // Report the error of the write.
        let _ = dir.remove_file(&name);
    })?;
    Ok(name)
}

/// The permission bits while writing: private content is never readable by others.
fn first_mode(mode: Option<u32>) -> u32 {
    if mode.is_some() { 0o600 } else { 0o666 }
}

fn fill(file: &mut File, content: WriteContent<'_>, mode: Option<u32>) -> io::Result<()> {
    let mut buffered = BufWriter::new(&mut *file);
    content(&mut buffered)?;
    buffered.flush()?;
    drop(buffered);
    // Set afterwards, because writing clears set-user-ID.
    if let Some(mode) = mode {
        system::set_mode(file, mode)?;
    }
    Ok(())
}

/// Calls `create` with temporary names until one is free.
///
/// # Errors
/// Those of `create`.
pub(crate) fn with_free_name<T>(create: impl Fn(&str) -> io::Result<T>) -> io::Result<(String, T)> {
    let mut number = 0;
    loop {
        number += 1;
        let name = format!(".guard-{:016x}.tmp", RandomState::new().hash_one(number));
        match create(&name) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && number < ATTEMPTS => {}
            result => return Ok((name, result?)),
        }
    }
}
