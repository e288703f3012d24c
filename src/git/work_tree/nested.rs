//! Repositories in the work tree: to git each is one entry, the commit that it is at.

use std::path::Path;

use gix::ObjectId;
use gix::bstr::BStr;

use super::super::failed;
use crate::error::{Error, Result};
use crate::path::show;

/// What a directory is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DirectoryKind {
    /// No repository: its files are part of the one around it.
    No,
    /// A repository before its first commit.
    Unborn,
    /// A repository at this commit.
    At(ObjectId),
}

/// Looks whether `directory`, which is at `path`, is the top of a repository's work tree. Of its configuration nothing but its own file
/// counts, and nothing is run.
///
/// # Errors
/// It is one, but what HEAD is cannot be read.
pub(super) fn look(directory: &Path, path: &BStr) -> Result<DirectoryKind> {
    let dot_git = directory.join(".git");
    if !is_repository(&dot_git) {
        return Ok(DirectoryKind::No);
    }
    let shown = show(path);
    let unreadable = |error: gix::Error| {
        failed(&format!("the repository in {shown} cannot be read"), &error)
            .help("repair it, or let git ignore the directory")
    };
    let repo = gix::open_opts(directory, gix::open::Options::isolated()).map_err(unreadable)?;
    let storage = repo.config_snapshot().string("extensions.refStorage");
    if storage.is_some_and(|storage| !storage.eq_ignore_ascii_case(b"files")) {
        return Err(Error::new(format!(
            "the repository in {shown} keeps its refs in a way that guard cannot read"
        ))
        .help("convert it with `git refs migrate --ref-format=files`"));
    }
    let head = repo.head().map_err(unreadable)?;
    if head.is_unborn() {
        return Ok(DirectoryKind::Unborn);
    }
    match head.id() {
        Some(id) => Ok(DirectoryKind::At(id.detach())),
        None => Ok(DirectoryKind::Unborn),
    }
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
    // A FIFO would wait for a writer.
    let is_file = |path: &Path| path.metadata().is_ok_and(|metadata| metadata.is_file());
    is_file(&directory.join("HEAD")) && gix::discover::is_git(dot_git).is_ok()
}
