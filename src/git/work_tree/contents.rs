//! The contents of the work tree by id.

use std::io::{self, ErrorKind};

use gix::ObjectId;
use gix::bstr::BStr;

use super::super::Repository;
use super::super::objects::Blobs;
use crate::boundary::Listing;
use crate::error::{Error, Result};
use crate::path::escaped;

/// The limit for changed files in memory.
const MOST: u64 = 256 << 20;

/// Contents that are not in the repository.
pub(super) struct Contents<'a> {
    repo: &'a Repository,
    held: Blobs,
    /// How many bytes may still be read.
    room: u64,
}

impl<'a> Contents<'a> {
    pub(super) fn new(repo: &'a Repository) -> Self {
        Contents {
            repo,
            held: Blobs::new(),
            room: MOST,
        }
    }

    pub(super) fn into_held(self) -> Blobs {
        self.held
    }

    /// The id of a file, or of a link (its target).
    pub(super) fn id(
        &mut self,
        directory: &Listing,
        name: &BStr,
        path: &BStr,
        is_link: bool,
    ) -> Result<ObjectId> {
        let content = if is_link {
            directory.link_target(name)
        } else {
            directory.read(name, self.room)
        };
        let content = content.map_err(|error| unreadable(path, &error))?;
        let hashed = self.repo.blob_id(&content);
        let id = hashed.ok_or_else(|| Error::new(format!("{} cannot be hashed", escaped(path))))?;
        if !self.repo.objects.has(id) && !self.held.contains_key(&id) {
            self.room = self.room.saturating_sub(content.len() as u64);
            self.held.insert(id, content);
        }
        Ok(id)
    }
}

/// The error for a file in the work tree that cannot be read.
pub(super) fn unreadable(path: &BStr, error: &io::Error) -> Error {
    let shown = match path.is_empty() {
        true => "the work tree".to_owned(),
        false => escaped(path).to_string(),
    };
    match error.kind() {
        ErrorKind::FileTooLarge => Error::new(format!(
            "the changed files of the work tree exceed the limit of {} MiB at {shown}",
            MOST >> 20
        ))
        .help("add files that are not for git to .gitignore")
        .help("or add the files and judge the index: guard lint")
        .help("if it is unchanged, refresh the index: git update-index --refresh"),
        ErrorKind::NotFound => Error::new(format!("{shown} was removed while guard read it"))
            .help("run guard again when no other program writes to the work tree"),
        _ => Error::new(format!("{shown} cannot be read: {error}"))
            .help("make it readable, or judge only the staged changes: guard lint"),
    }
}
