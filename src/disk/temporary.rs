//! A new file that takes its name in one step.
//!
//! On Linux it has no name until it is whole and on disk, so that a crash leaves nothing; from then until it replaces
//! the old one, and elsewhere from the beginning, it is called `.guard-….tmp`.

use std::hash::{BuildHasher, RandomState};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use cap_std::fs::{Dir, File, OpenOptions};

use crate::system;

/// How many names are tried; each has 64 random bits.
const ATTEMPTS: u32 = 8;

/// Writes the content of a file; called again where the first way of making the file fails.
pub(crate) type WriteContent<'a> = &'a dyn Fn(&mut dyn Write) -> io::Result<()>;

/// Puts content in the place of a file, by a new one with the permission bits `mode`: it is on disk then and seen, but
/// the directory is not on disk yet.
///
/// # Errors
/// Those of the file system; the old content is still there.
pub(crate) fn put(
    dir: &Dir,
    name: &Path,
    content: WriteContent<'_>,
    mode: Option<u32>,
) -> io::Result<()> {
    let temporary = write_new(dir, content, mode)?;
    dir.rename(&temporary, dir, name).inspect_err(|_| {
        // The error of the rename is the one to tell.
        let _ = dir.remove_file(&temporary);
    })
}

/// Writes a new file, whole and on disk, and returns the temporary name that it has.
///
/// # Errors
/// Those of the file system; then there is no such file.
pub(crate) fn write_new(
    dir: &Dir,
    content: WriteContent<'_>,
    mode: Option<u32>,
) -> io::Result<String> {
    // Not every file system has files without a name, and without /proc they cannot get one.
    if let Ok(name) = write_unnamed(dir, content, mode) {
        return Ok(name);
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    system::create_with_mode(&mut options, first_mode(mode));
    let (name, mut file) = with_free_name(|name| dir.open_with(name, &options))?;
    match fill(&mut file, content, mode) {
        Ok(()) => Ok(name),
        Err(error) => {
            let _ = dir.remove_file(&name);
            Err(error)
        }
    }
}

/// Writes a file that has no name until it is whole, and returns the name that it has then.
fn write_unnamed(dir: &Dir, content: WriteContent<'_>, mode: Option<u32>) -> io::Result<String> {
    let mut file = system::unnamed_file(dir, first_mode(mode))?;
    fill(&mut file, content, mode)?;
    let (name, ()) = with_free_name(|name| system::name_file(&file, dir, name))?;
    Ok(name)
}

/// The permission bits until the content is there: what is to be private is private from the beginning.
fn first_mode(mode: Option<u32>) -> u32 {
    if mode.is_some() { 0o600 } else { 0o666 }
}

fn fill(file: &mut File, content: WriteContent<'_>, mode: Option<u32>) -> io::Result<()> {
    let mut buffered = BufWriter::new(&mut *file);
    content(&mut buffered)?;
    buffered.flush()?;
    drop(buffered);
    // Afterwards: writing takes set-user-ID away.
    if let Some(mode) = mode {
        system::set_mode(file, mode)?;
    }
    file.sync_all()
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
