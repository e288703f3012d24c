//! A walk over the work tree, and what the index would make of each file.

use cap_std::fs::Metadata;
use gix::ObjectId;
use gix::bstr::{BStr, BString, ByteSlice};
use gix::index::Entry;
use gix::index::entry::{Flags, Mode};
use gix::worktree::Stack;
use gix::worktree::stack::state::ignore::Source;

use super::super::objects::Blobs;
use super::super::{Index, Repository, failed};
use super::contents::{Contents, unreadable};
use super::nested::{self, Nested};
use super::stat::Fresh;
use crate::error::{Error, Result};
use crate::path::boundary::{Boundary, Listing};
use crate::path::show;

/// No file system has longer names.
const LONGEST: usize = 255;

/// What was found.
#[derive(Default)]
pub(super) struct Found {
    /// For each entry of the index what is there now.
    pub(super) tracked: Vec<Option<(Mode, ObjectId)>>,
    /// What is not in the index, and not ignored.
    pub(super) untracked: Vec<(BString, Mode, ObjectId)>,
    /// Contents that the repository lacks.
    pub(super) held: Blobs,
}

pub(super) struct Scan<'a> {
    repo: &'a Repository,
    root: &'a Boundary,
    index: &'a Index,
    fresh: Fresh,
    ignored: Stack,
    /// `core.fileMode`: whether the executable bit of a file means something.
    has_modes: bool,
    /// `core.symlinks`: without it a link is a file that holds its target.
    has_links: bool,
    /// Directories that are still to be looked into: a hostile tree may be deeper than a thread's stack.
    pending: Vec<BString>,
    contents: Contents<'a>,
    found: Found,
}

/// Something in an open directory.
struct Here<'a> {
    directory: &'a Listing,
    name: &'a BStr,
    path: &'a BStr,
    metadata: Metadata,
}

impl Here<'_> {
    /// Git adds nothing but regular files and links; anything else might wait for a reader.
    fn is_special(&self) -> bool {
        !self.metadata.is_file() && !self.metadata.is_symlink()
    }
}

impl<'a> Scan<'a> {
    pub(super) fn new(
        repo: &'a Repository,
        root: &'a Boundary,
        index: &'a Index,
        fresh: Fresh,
    ) -> Result<Scan<'a>> {
        let config = repo.repo.config_snapshot();
        Ok(Scan {
            repo,
            root,
            index,
            fresh,
            ignored: ignored(repo, index)?,
            has_modes: config.boolean("core.fileMode").unwrap_or(cfg!(unix)),
            has_links: config.boolean("core.symlinks").unwrap_or(true),
            pending: vec![BString::default()],
            found: Found {
                tracked: vec![None; index.entries().len()],
                ..Found::default()
            },
            contents: Contents::new(repo),
        })
    }

    /// Looks at the whole work tree.
    pub(super) fn run(mut self) -> Result<Found> {
        while let Some(path) = self.pending.pop() {
            self.directory(path.as_bstr())?;
        }
        for (entry, now) in self.index.entries().iter().zip(&mut self.found.tracked) {
            if now.is_none() && stays_unseen(entry, self.index.path_of(entry)) {
                *now = Some((entry.mode, entry.id));
            }
        }
        self.found.held = self.contents.into_held();
        Ok(self.found)
    }

    fn directory(&mut self, path: &BStr) -> Result<()> {
        let failed = |error| unreadable(path, &error);
        let directory = self.root.list(path).map_err(failed)?;
        let names = directory.names().map_err(failed)?;
        refuse_special_ignore_file(&directory, &names, path)?;
        for name in &names {
            // As git has it: `.git` is never part of a work tree.
            if name == ".git" {
                continue;
            }
            let mut below = path.to_owned();
            if !below.is_empty() {
                below.push(b'/');
            }
            below.extend_from_slice(name);
            let metadata = directory.metadata(name.as_bstr());
            let Some(metadata) = metadata.map_err(|error| unreadable(below.as_bstr(), &error))?
            else {
                continue;
            };
            let here = Here {
                directory: &directory,
                name: name.as_bstr(),
                path: below.as_bstr(),
                metadata,
            };
            let tracked = self.index.state.entry_index_by_path(here.path).ok();
            match tracked {
                _ if here.metadata.is_dir() => self.subdirectory(below, tracked)?,
                Some(at) => self.tracked(at, &here)?,
                None => self.untracked(&here)?,
            }
        }
        Ok(())
    }

    fn subdirectory(&mut self, path: BString, tracked: Option<usize>) -> Result<()> {
        let entry = tracked.map(|at| (at, &self.index.entries()[at]));
        if let Some((at, entry)) = entry.filter(|(_, entry)| entry.mode.is_submodule()) {
            let now = match self.nested(path.as_bstr())? {
                Nested::At(id) => id,
                // Not checked out.
                Nested::No | Nested::Unborn => entry.id,
            };
            self.found.tracked[at] = Some((Mode::COMMIT, now));
            return Ok(());
        }
        if self.index.has_entry_below(path.as_bstr()) {
            self.pending.push(path);
            return Ok(());
        }
        if self.is_ignored(path.as_bstr(), Mode::DIR)? {
            return Ok(());
        }
        match self.nested(path.as_bstr())? {
            Nested::No => self.pending.push(path),
            Nested::At(id) => self.found.untracked.push((path, Mode::COMMIT, id)),
            Nested::Unborn => {
                return Err(Error::new(format!(
                    "{} is a repository without a commit, which git cannot add",
                    show(&path)
                ))
                .help("commit in it, remove its .git, or let git ignore the directory"));
            }
        }
        Ok(())
    }

    fn tracked(&mut self, at: usize, here: &Here<'_>) -> Result<()> {
        let entry = &self.index.entries()[at];
        if here.is_special() {
            return Err(Error::new(format!(
                "{} is tracked by git, but is neither a file nor a link now, which git cannot add",
                show(here.path)
            ))
            .help("take the file back with `git restore`, or delete what is there"));
        }
        let mode = self.mode(here, Some(entry));
        let is_added = !entry.flags.contains(Flags::INTENT_TO_ADD);
        let is_same = is_added && mode == entry.mode;
        let id = if is_same && self.fresh.is_unchanged(&entry.stat, &here.metadata) {
            entry.id
        } else {
            self.content(here)?
        };
        self.found.tracked[at] = Some((mode, id));
        Ok(())
    }

    fn untracked(&mut self, here: &Here<'_>) -> Result<()> {
        let mode = self.mode(here, None);
        if here.is_special() || self.is_ignored(here.path, mode)? {
            return Ok(());
        }
        let id = self.content(here)?;
        self.found.untracked.push((here.path.to_owned(), mode, id));
        Ok(())
    }

    /// The mode that git would record.
    fn mode(&self, here: &Here<'_>, entry: Option<&Entry>) -> Mode {
        let before = entry.map(|entry| entry.mode);
        let stands_for_link = !self.has_links && before == Some(Mode::SYMLINK);
        if here.metadata.is_symlink() || stands_for_link {
            Mode::SYMLINK
        } else if !self.has_modes {
            match before {
                Some(Mode::FILE_EXECUTABLE) => Mode::FILE_EXECUTABLE,
                _ => Mode::FILE,
            }
        } else if is_executable(&here.metadata) {
            Mode::FILE_EXECUTABLE
        } else {
            Mode::FILE
        }
    }

    fn content(&mut self, here: &Here<'_>) -> Result<ObjectId> {
        let is_link = here.metadata.is_symlink();
        self.contents
            .id(here.directory, here.name, here.path, is_link)
    }

    fn nested(&self, path: &BStr) -> Result<Nested> {
        nested::look(&self.root.absolute(path), path)
    }

    fn is_ignored(&mut self, path: &BStr, mode: Mode) -> Result<bool> {
        let platform = self
            .ignored
            .at_entry(path, Some(mode), &self.repo.repo.objects);
        let platform = platform.map_err(|error| {
            Error::new(format!(
                "what git ignores around {} cannot be read: {error}",
                show(path)
            ))
            .help("make the .gitignore files on its way readable")
        })?;
        Ok(platform.is_excluded())
    }
}

/// What git ignores: by `.gitignore` files, `.git/info/exclude` and `core.excludesFile`.
fn ignored(repo: &Repository, index: &Index) -> Result<Stack> {
    let unreadable = |error: gix::Error| failed("what git ignores cannot be read", &error);
    let mut own = repo.repo.clone();
    own.set_workdir(Some(repo.workdir()?.to_owned()))
        .map_err(unreadable)?;
    let source = Source::WorktreeThenIdMappingIfNotSkipped;
    let stack = own.excludes(&index.state, None, source);
    Ok(stack.map_err(unreadable)?.detach())
}

/// Whether an entry is as it was although nothing was seen at its path: files that a sparse checkout leaves out, and
/// what no work tree can hold.
fn stays_unseen(entry: &Entry, path: &BStr) -> bool {
    entry.mode.is_sparse()
        || entry.flags.contains(Flags::SKIP_WORKTREE)
        || path
            .split_str("/")
            .any(|name| name.eq_ignore_ascii_case(b".git") || name.len() > LONGEST)
}

/// To open a FIFO would be to wait.
fn refuse_special_ignore_file(directory: &Listing, names: &[BString], path: &BStr) -> Result<()> {
    let name = BStr::new(".gitignore");
    if names
        .binary_search_by(|other| other.as_bstr().cmp(name))
        .is_err()
    {
        return Ok(());
    }
    let metadata = directory.metadata(name);
    let metadata = metadata.map_err(|error| unreadable(path, &error))?;
    let is_plain =
        |metadata: &Metadata| metadata.is_file() || metadata.is_symlink() || metadata.is_dir();
    if metadata.as_ref().is_none_or(is_plain) {
        return Ok(());
    }
    let around = if path.is_empty() { "" } else { "/" };
    Err(Error::new(format!(
        "{}{around}.gitignore is neither a file nor a link",
        show(path)
    ))
    .help("remove it"))
}

#[cfg(unix)]
fn is_executable(metadata: &Metadata) -> bool {
    use cap_std::fs::MetadataExt;
    metadata.mode() & 0o100 != 0
}

#[cfg(not(unix))]
fn is_executable(_metadata: &Metadata) -> bool {
    false
}
