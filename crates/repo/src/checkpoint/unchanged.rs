//! Sees without git that nothing in a small work tree has changed since git was last asked. Starting git and waiting for
//! it would take most of the time of a checkpoint, and most commands change nothing.
//!
//! Nothing has changed if every name in the work tree is one of
//!
//! - a file or link that the private index has as a plain entry, and that git would take as unchanged without reading it:
//!   its times to the nanosecond, inode, owner, group, size, type and executable bit are those of the entry, and it was
//!   modified in a second before the one in which the index was written. In the same second, a file may change and keep
//!   its time; git then reads it. Where a file system counts only seconds, it may count every other one;
//! - a file, link or directory that git listed as ignored;
//! - a directory above one of them, or one that stood there when git was asked and that git did not list;
//!
//! and every entry and every ignored name was met. Then git would say the same again: what it ignores follows from these
//! names and from the ignore rules, which are entries, too. In any other case guard asks git.
//!
//! The list of ignored names belongs to one private index, by its checksum. It is deleted before git is asked or the rules
//! of the user change, and written when the index is up to date with what git found. It is not written if
//!
//! - an ignore file has changed: git read the rules before guard added that file;
//! - an ignore file is itself ignored: no entry tells when it changes;
//! - a name has left the index: git may now list an ignored directory whose files it listed before.
//!
//! A file that changes while git looks has other times than its entry, and a name that appears is not on the list.

// Comparing files with the index is this module's subject.
#![allow(clippy::disallowed_methods)]

use std::collections::HashSet;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::thread;

use gix::ObjectId;
use gix::bstr::{BStr, BString, ByteSlice};
use gix::index::Entry;
use gix::index::entry::stat::Options;
use gix::index::entry::{Flags, Mode, Stage, Stat};
use gix::index::fs::Metadata;

use super::{CheckpointStore, unusable};
use crate::system;
use crate::work_tree::HIDING;
use write_guard_policy::error::Result;

/// The file with what git said: the checksum of the index, and names that end with NUL, each behind a letter.
const LIST: &str = "listed";
/// The letter of an ignored name, as in the output of `git status`.
const IGNORED: u8 = b'!';
/// The letter of a directory that git does not ignore.
const SEEN: u8 = b'/';

/// The largest index, of about 10,000 files: with more of them, git is faster, and starting it hardly matters.
const LARGEST_INDEX: u64 = 1 << 20;

/// With another value of these settings, git compares names and modes in other ways.
const COMPARING: [(&str, bool); 4] = [
    ("core.fileMode", true),
    ("core.symlinks", true),
    ("core.ignoreCase", false),
    ("core.precomposeUnicode", false),
];

/// What guard sees itself.
#[derive(Default)]
pub(super) struct OwnLook {
    /// What git ignores, if nothing has changed; otherwise git must be asked.
    pub(super) unchanged: Option<Vec<BString>>,
    /// The directories with nothing that git has named. They stood there before git is asked: those that it does not list
    /// then are not ignored.
    seen: Vec<BString>,
}

/// What git said when it was last asked.
struct LastAnswer {
    index: gix::index::File,
    ignored: Vec<BString>,
    seen: HashSet<BString>,
}

impl CheckpointStore<'_> {
    /// Compares the work tree with what git said last.
    pub(super) fn look(&self) -> OwnLook {
        let mut look = OwnLook::default();
        let Some(last) = self.last_answer() else {
            return look;
        };
        let root = self.root.as_path();
        // Half of the time goes into the names, and the other half into the files.
        let is_unchanged = thread::scope(|scope| {
            let files = scope.spawn(|| last.has_all_files(root));
            let has_all_names = last.has_all_names(root, &mut look.seen);
            has_all_names.is_some() && files.join().unwrap_or(false)
        });
        if is_unchanged && look.seen.iter().all(|path| last.seen.contains(path)) {
            look.unchanged = Some(last.ignored);
        }
        look
    }

    /// Deletes what git said: it is about to be asked again, or to be given other rules.
    pub(super) fn forget_answer(&self) -> Result<()> {
        match fs::remove_file(self.file(LIST)) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(unusable(&self.directory, &error))
            }
            _ => Ok(()),
        }
    }

    /// Keeps what git said, if guard may look itself the next time. The private index must be up to date.
    pub(super) fn keep_answer(&self, ignored: &[BString], look: &OwnLook) -> Result<()> {
        if !self.may_look() {
            return Ok(());
        }
        let mut list = self.index_checksum()?;
        let ignored = ignored.iter().map(|path| (IGNORED, path));
        for (letter, path) in ignored.chain(look.seen.iter().map(|path| (SEEN, path))) {
            list.push(letter);
            list.extend_from_slice(path);
            list.push(0);
        }
        self.save(LIST, &list)
    }

    /// Whether git compares files as guard does here, and the index is small.
    fn may_look(&self) -> bool {
        let config = self.repo.repo.config_snapshot();
        let mut comparing = COMPARING.iter();
        system::TELLS_CHANGES
            && comparing.all(|(key, plain)| config.boolean(*key).is_none_or(|set| set == *plain))
            && fs::metadata(self.file("index")).is_ok_and(|about| about.len() <= LARGEST_INDEX)
    }

    fn last_answer(&self) -> Option<LastAnswer> {
        if !self.may_look() {
            return None;
        }
        let list = fs::read(self.file(LIST)).ok()?;
        let hash = self.repo.repo.object_hash();
        let file = self.file("index");
        let index = gix::index::File::at(file, hash, true, Default::default()).ok()?;
        let mut last = LastAnswer {
            ignored: Vec::new(),
            seen: HashSet::new(),
            index,
        };
        for line in list
            .strip_prefix(last.index.checksum()?.as_bytes())?
            .split_str("\0")
        {
            match line {
                [IGNORED, path @ ..] => last.ignored.push(path.into()),
                [SEEN, path @ ..] => drop(last.seen.insert(path.into())),
                _ => {}
            }
        }
        Some(last)
    }
}

impl LastAnswer {
    /// Whether all names below `root` are known, and all known names are there. `seen` gets the directories that hold none
    /// of them.
    fn has_all_names(&self, root: &Path, seen: &mut Vec<BString>) -> Option<()> {
        let mut names = Names::of(self)?;
        let mut directories = vec![String::new()];
        while let Some(directory) = directories.pop() {
            for entry in fs::read_dir(root.join(&directory)).ok()? {
                let entry = entry.ok()?;
                let kind = entry.file_type().ok()?;
                let mut path = directory.clone();
                path.push_str(entry.file_name().to_str()?);
                if path == ".git" {
                    continue;
                }
                if kind.is_dir() {
                    path.push('/');
                }
                if names.expected.remove(BStr::new(&path)) {
                    // git lists no pipes.
                    if !kind.is_dir() && !kind.is_file() && !kind.is_symlink() {
                        return None;
                    }
                } else if !kind.is_dir() || path.ends_with("/.git/") {
                    return None;
                } else {
                    if !names.above.contains(BStr::new(&path)) {
                        seen.push(path.as_str().into());
                    }
                    directories.push(path);
                }
            }
        }
        names.expected.is_empty().then_some(())
    }

    /// Whether git would take the files of all entries as unchanged, and not read them.
    fn has_all_files(&self, root: &Path) -> bool {
        let mut entries = self.index.entries().iter();
        entries.all(|entry| self.has_file(entry, root).unwrap_or(false))
    }

    fn has_file(&self, entry: &Entry, root: &Path) -> Option<bool> {
        const ALL: Options = Options {
            trust_ctime: true,
            check_stat: true,
            use_nsec: true,
            use_stdev: false,
        };
        let Entry { stat, mode, .. } = entry;
        let place = root.join(entry.path(&self.index).to_path().ok()?);
        let about = Metadata::from_path_no_follow(&place).ok()?;
        let step = if stat.mtime.nsecs == 0 { 2 } else { 0 };
        let is_racy = i64::from(stat.mtime.secs) + step >= self.index.timestamp().unix_seconds();
        // git notes no size for a file that it must read.
        let no_size = stat.size == 0 && entry.id != ObjectId::empty_blob(entry.id.kind());
        Some(
            !is_racy
                && !no_size
                && Stat::from_fs(&about).is_ok_and(|now| now.matches(stat, ALL))
                && mode.change_to_match_fs(&about, true, true).is_none(),
        )
    }
}

/// The names to meet in the work tree. Those of directories end with `/`.
struct Names<'a> {
    expected: HashSet<&'a BStr>,
    /// The directories above them.
    above: HashSet<&'a BStr>,
}

impl<'a> Names<'a> {
    /// The names of the index and the ignored ones; `None` if some are in both, or not plain.
    fn of(last: &'a LastAnswer) -> Option<Names<'a>> {
        const NOT_PLAIN: Flags = HIDING.union(Flags::INTENT_TO_ADD);
        let mut names = Names {
            expected: HashSet::new(),
            above: HashSet::new(),
        };
        for entry in last.index.entries() {
            let is_file = matches!(
                entry.mode,
                Mode::FILE | Mode::FILE_EXECUTABLE | Mode::SYMLINK
            );
            if !is_file || entry.stage() != Stage::Unconflicted || entry.flags.intersects(NOT_PLAIN)
            {
                return None;
            }
            names.expect(entry.path(&last.index))?;
        }
        for path in &last.ignored {
            names.expect(path.as_ref())?;
        }
        Some(names)
    }

    fn expect(&mut self, path: &'a BStr) -> Option<()> {
        if !self.expected.insert(path) {
            return None;
        }
        let mut above = path.trim_end_with(|c| c == '/');
        while let Some(end) = above.rfind_byte(b'/') {
            // Those above it are known, too.
            if !self.above.insert(path[..=end].as_bstr()) {
                break;
            }
            above = &above[..end];
        }
        Some(())
    }
}

// Elsewhere, git is always asked.
#[cfg(all(test, unix))]
#[allow(clippy::unwrap_used)]
mod tests;
