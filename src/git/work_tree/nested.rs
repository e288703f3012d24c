//! Repositories in the work tree. To git, each is a single entry: its current commit.

use std::path::Path;

use gix::ObjectId;
use gix::bstr::BStr;

use super::super::failed;
use crate::error::{Error, Result};
use crate::path::escaped;

/// What a directory is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::git) enum DirectoryKind {
    /// Not a repository: its files belong to the outer one.
    No,
    /// A repository before its first commit.
    Unborn,
    /// A repository at this commit.
    At(ObjectId),
}

/// Whether `directory`, at `path`, is the root of a repository's work tree. Reads only the repository's own
/// configuration file, and runs nothing.
///
/// # Errors
/// It is a repository, but its HEAD cannot be read.
pub(in crate::git) fn look(directory: &Path, path: &BStr) -> Result<DirectoryKind> {
    let dot_git = directory.join(".git");
    if !is_repository(&dot_git) {
        return Ok(DirectoryKind::No);
    }
    let shown = escaped(path);
    let unreadable = |error: gix::Error| {
        failed(format!("the repository in {shown} cannot be read"))(error)
            .help("repair it, or add the directory to .gitignore")
    };
    let repo = gix::open_opts(directory, gix::open::Options::isolated()).map_err(unreadable)?;
    let storage = repo.config_snapshot().string("extensions.refStorage");
    if storage.is_some_and(|storage| !storage.eq_ignore_ascii_case(b"files")) {
        return Err(Error::new(format!(
            "the repository in {shown} uses a ref format that guard cannot read"
        ))
        .help("convert it with `git refs migrate --ref-format=files`"));
    }
    let head = repo.head().map_err(unreadable)?;
    let id = head.id().map(gix::Id::detach);
    Ok(id.map_or(DirectoryKind::Unborn, DirectoryKind::At))
}

/// Whether `.git` is a repository, or a file that names one.
fn is_repository(dot_git: &Path) -> bool {
    let Ok(metadata) = dot_git.metadata() else {
        return false;
    };
    let named;
    let directory = if metadata.is_dir() {
        dot_git
    } else if metadata.is_file() {
        let Ok(path) = gix::discover::path::from_gitdir_file(dot_git) else {
            return false;
        };
        named = path;
        &named
    } else {
        return false;
    };
    // Opening a FIFO would block.
    let is_file = |path: &Path| path.metadata().is_ok_and(|metadata| metadata.is_file());
    is_file(&directory.join("HEAD")) && gix::discover::is_git(dot_git).is_ok()
}
