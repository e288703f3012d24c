//! Walks the work tree and computes the index entry of each file.

use std::rc::Rc;

use cap_std::fs::Metadata;
use gix::ObjectId;
use gix::bstr::{BStr, BString, ByteSlice};
use gix::index::entry::{Flags, Mode};
use gix::index::{Entry, State as IndexState};

use super::super::Repository;
use super::super::objects::Blobs;
use super::contents::{Contents, unreadable};
use super::ignored::{self, Around, GitignoreFiles, Ignored};
use super::nested::{self, DirectoryKind};
use super::stat::IndexTime;
use crate::boundary::{Boundary, Listing};
use crate::change::{Kind, State};
use crate::error::{Error, Result};
use crate::path::escaped;
use crate::system;

/// The longest file name on any file system.
const LONGEST: usize = 255;
/// The maximum size of a `.gitignore`, as for git.
const LONGEST_LIST: u64 = 100 << 20;

/// The result of the walk.
#[derive(Default)]
pub(super) struct ScanResult {
    /// For each index entry, its current state.
    pub(super) tracked: Vec<Option<(Mode, ObjectId)>>,
    /// Files that are neither tracked nor ignored.
    pub(super) untracked: Vec<(BString, Mode, ObjectId)>,
    /// Contents that the repository lacks.
    pub(super) held: Blobs,
}

pub(super) struct Scan<'a> {
    repo: &'a Repository,
    root: &'a Boundary,
    index: &'a IndexState,
    fresh: IndexTime,
    ignored: Ignored,
    /// `core.fileMode`: whether the executable bit counts.
    has_modes: bool,
    /// `core.symlinks`: if off, a link is a file with its target.
    has_links: bool,
    /// Directories still to visit; a hostile tree may be deeper than the thread's stack.
    pending: Vec<Directory>,
    contents: Contents<'a>,
    found: ScanResult,
}

/// A directory to visit.
#[derive(Default)]
struct Directory {
    /// Empty for the root.
    path: BString,
    /// Whether git ignores it. Then only tracked files count, and its own ignore patterns do not.
    is_ignored: bool,
    /// The patterns of its parents and, once visited, its own.
    patterns: Around,
}

/// An item in the current directory.
struct DirectoryEntry<'a> {
    inside: &'a Directory,
    listing: &'a Listing,
    name: &'a BStr,
    path: &'a BStr,
    metadata: Metadata,
}

impl DirectoryEntry<'_> {
    /// Git adds only regular files and links; opening anything else might block.
    fn is_special(&self) -> bool {
        !self.metadata.is_file() && !self.metadata.is_symlink()
    }
}

impl<'a> Scan<'a> {
    pub(super) fn new(
        repo: &'a Repository,
        root: &'a Boundary,
        index: &'a IndexState,
        fresh: IndexTime,
    ) -> Result<Scan<'a>> {
        let config = repo.repo.config_snapshot();
        Ok(Scan {
            repo,
            root,
            index,
            fresh,
            ignored: Ignored::new(repo)?,
            has_modes: system::HAS_MODES && config.boolean("core.fileMode").unwrap_or(true),
            has_links: config.boolean("core.symlinks").unwrap_or(true),
            pending: vec![Directory::default()],
            found: ScanResult {
                tracked: vec![None; index.entries().len()],
                ..ScanResult::default()
            },
            contents: Contents::new(repo),
        })
    }

    /// Walks the whole work tree.
    pub(super) fn run(mut self) -> Result<ScanResult> {
        while let Some(next) = self.pending.pop() {
            self.directory(next)?;
        }
        for (entry, now) in self.index.entries().iter().zip(&mut self.found.tracked) {
            if now.is_none() && stays_unseen(entry, entry.path(self.index)) {
                *now = Some((entry.mode, entry.id));
            }
        }
        self.found.held = self.contents.into_held();
        Ok(self.found)
    }

    fn directory(&mut self, mut inside: Directory) -> Result<()> {
        let path = inside.path.clone();
        let failed = |error| unreadable(path.as_bstr(), &error);
        let listing = self.root.list(path.as_bstr()).map_err(failed)?;
        let names = listing.names().map_err(failed)?;
        if !inside.is_ignored
            && let Some(content) = self.ignore_file(&listing, path.as_bstr())?
        {
            let patterns = GitignoreFiles::new(path.as_bstr(), &content, &inside.patterns)?;
            inside.patterns = Some(Rc::new(patterns));
        }
        for name in &names {
            // As for git, `.git` is never part of a work tree.
            if name == ".git" {
                continue;
            }
            let below = join(path.as_bstr(), name.as_bstr());
            let metadata = listing.metadata(name.as_bstr());
            let Some(metadata) = metadata.map_err(|error| unreadable(below.as_bstr(), &error))?
            else {
                continue;
            };
            let here = DirectoryEntry {
                inside: &inside,
                listing: &listing,
                name: name.as_bstr(),
                path: below.as_bstr(),
                metadata,
            };
            let tracked = self.index.entry_index_by_path(here.path).ok();
            match tracked {
                _ if here.metadata.is_dir() => self.subdirectory(&here, tracked)?,
                Some(at) => self.tracked(at, &here)?,
                None => self.untracked(&here)?,
            }
        }
        Ok(())
    }

    /// The `.gitignore` of a directory; as for git, a link does not count. If a sparse checkout omits the file, the
    /// index has it.
    fn ignore_file(&self, listing: &Listing, directory: &BStr) -> Result<Option<Vec<u8>>> {
        let name = BStr::new(ignored::FILE);
        let path = join(directory, name);
        let failed = |error| {
            Error::new(format!("{} cannot be read: {error}", escaped(&path)))
                .help("make it readable: it contains ignore patterns")
        };
        let Some(metadata) = listing.metadata(name).map_err(failed)? else {
            let entry = self.index.entry_by_path(path.as_bstr());
            let left_out = entry.filter(|entry| entry.flags.contains(Flags::SKIP_WORKTREE));
            return match left_out {
                Some(entry) => self.repo.objects.file(Some(state_of(entry))),
                None => Ok(None),
            };
        };
        if metadata.is_file() {
            return listing.read(name, LONGEST_LIST).map(Some).map_err(failed);
        }
        if metadata.is_symlink() || metadata.is_dir() {
            return Ok(None);
        }
        // Opening a FIFO would block.
        Err(
            Error::new(format!("{} is neither a file nor a link", escaped(&path)))
                .help("remove it"),
        )
    }

    fn subdirectory(&mut self, here: &DirectoryEntry<'_>, tracked: Option<usize>) -> Result<()> {
        let entry = tracked.map(|at| (at, &self.index.entries()[at]));
        if let Some((at, entry)) = entry.filter(|(_, entry)| entry.mode.is_submodule()) {
            let now = match self.nested(here.path)? {
                DirectoryKind::At(id) => id,
                // Not checked out.
                DirectoryKind::No | DirectoryKind::Unborn => entry.id,
            };
            self.found.tracked[at] = Some((Mode::COMMIT, now));
            return Ok(());
        }
        let is_ignored = self.is_ignored(here);
        let below = Directory {
            path: here.path.to_owned(),
            is_ignored,
            patterns: here.inside.patterns.clone(),
        };
        let inside = join(here.path, BStr::new(""));
        let tracked_inside = self.index.prefixed_entries(inside.as_bstr());
        if tracked_inside.is_some_and(|entries| !entries.is_empty()) {
            self.pending.push(below);
            return Ok(());
        }
        if is_ignored {
            return Ok(());
        }
        match self.nested(here.path)? {
            DirectoryKind::No => self.pending.push(below),
            DirectoryKind::At(id) => self.found.untracked.push((below.path, Mode::COMMIT, id)),
            DirectoryKind::Unborn => {
                return Err(Error::new(format!(
                    "{} is a repository without commits, which git cannot add",
                    escaped(here.path)
                ))
                .help("commit in it, remove its .git, or add the directory to .gitignore"));
            }
        }
        Ok(())
    }

    fn is_ignored(&self, here: &DirectoryEntry<'_>) -> bool {
        let (patterns, is_dir) = (&here.inside.patterns, here.metadata.is_dir());
        here.inside.is_ignored || self.ignored.is_ignored(patterns, here.path, is_dir)
    }

    fn tracked(&mut self, at: usize, here: &DirectoryEntry<'_>) -> Result<()> {
        let entry = &self.index.entries()[at];
        if here.is_special() {
            return Err(Error::new(format!(
                "{} is tracked, but is now neither a file nor a link, which git cannot add",
                escaped(here.path)
            ))
            .help("restore the file with `git restore`, or delete it"));
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

    fn untracked(&mut self, here: &DirectoryEntry<'_>) -> Result<()> {
        let mode = self.mode(here, None);
        if here.is_special() || self.is_ignored(here) {
            return Ok(());
        }
        let id = self.content(here)?;
        self.found.untracked.push((here.path.to_owned(), mode, id));
        Ok(())
    }

    /// The mode that git would record.
    fn mode(&self, here: &DirectoryEntry<'_>, entry: Option<&Entry>) -> Mode {
        let before = entry.map(|entry| entry.mode);
        let stands_for_link = !self.has_links && before == Some(Mode::SYMLINK);
        let is_executable = match self.has_modes {
            true => is_executable(&here.metadata),
            false => before == Some(Mode::FILE_EXECUTABLE),
        };
        if here.metadata.is_symlink() || stands_for_link {
            Mode::SYMLINK
        } else if is_executable {
            Mode::FILE_EXECUTABLE
        } else {
            Mode::FILE
        }
    }

    fn content(&mut self, here: &DirectoryEntry<'_>) -> Result<ObjectId> {
        let is_link = here.metadata.is_symlink();
        self.contents
            .id(here.listing, here.name, here.path, is_link)
    }

    fn nested(&self, path: &BStr) -> Result<DirectoryKind> {
        nested::look(&self.root.absolute(path), path)
    }
}

fn join(directory: &BStr, name: &BStr) -> BString {
    let slash: &[u8] = if directory.is_empty() { b"" } else { b"/" };
    [directory.as_bytes(), slash, name].concat().into()
}

/// Whether a missing path counts as unchanged: files that a sparse checkout omits, and names that no work tree can
/// contain.
fn stays_unseen(entry: &Entry, path: &BStr) -> bool {
    entry.mode.is_sparse()
        || entry.flags.contains(Flags::SKIP_WORKTREE)
        || path
            .split_str("/")
            .any(|name| name.eq_ignore_ascii_case(b".git") || name.len() > LONGEST)
}

fn is_executable(metadata: &Metadata) -> bool {
    system::mode(metadata).is_some_and(|mode| mode & 0o100 != 0)
}

/// What an entry would commit.
pub(super) fn state_of(entry: &Entry) -> State {
    State {
        kind: Kind::from_mode(entry.mode.bits()),
        id: entry.id,
    }
}
