//! Sees without git that nothing in a small work tree has changed since git was last asked. Starting git and waiting for
//! it would take most of the time of a checkpoint, and most commands change nothing.
//!
//! Nothing has changed if every name in the work tree is one of
//!
//! - a file or link that the private index has as a plain entry, and that git would take as unchanged without reading it:
//!   its times to the nanosecond, inode, owner, group, size, type and executable bit are those of the entry, and it was
//!   modified in a second before the one in which the index was written. In the same second, a file may change and keep
//!   its time; git then reads it. Where a file system counts only seconds, it may count every other one;
//! - a file, link or directory that git listed as ignored. An ignore file that is itself ignored, as in many caches, must
//!   have the content that it had;
//! - a directory above one of them, or one that stood there when git was asked and that git did not list;
//!
//! and every entry and every ignored name was met. Then git would say the same again: what it ignores follows from these
//! names and from the ignore rules, which are among them. In any other case guard asks git.
//!
//! The list of ignored names belongs to one private index, by its checksum. It is deleted before git is asked or the rules
//! of the user change, and written when the index is up to date with what git found. It is not written if
//!
//! - an ignore file has changed: git read the rules before guard added that file;
//! - an ignore file that is itself ignored may have changed while git read it;
//! - a name has left the index: git may now list an ignored directory whose files it listed before.
//!
//! A file that changes while git looks has other times than its entry, and a name that appears is not on the list.

// Comparing files with the index is this module's subject.
#![allow(clippy::disallowed_methods)]

use std::collections::{HashMap, HashSet};
use std::fs::{self, DirEntry, FileType};
use std::io::ErrorKind;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{SystemTime, UNIX_EPOCH};

use gix::ObjectId;
use gix::bstr::{BStr, BString, ByteSlice};
use gix::index::Entry;
use gix::index::entry::stat::Options;
use gix::index::entry::{Flags, Mode, Stage};

use super::{CheckpointStore, has_rules, unusable};
use crate::system;
use crate::work_tree::HIDING;
use write_guard_policy::change::blob_id;
use write_guard_policy::error::Result;

/// The file with what git said: the checksum of the index, and names that end with NUL, each behind a letter.
const LIST: &str = "listed";
/// The letter of an ignored name, as in the output of `git status`.
const IGNORED: u8 = b'!';
/// The letter of an ignore file that is itself ignored; the id of its content comes first.
const RULES: u8 = b'r';
/// The letter of a directory that git does not ignore.
const SEEN: u8 = b'/';

/// No file system counts the time in larger steps, in seconds: within one, a file may change twice and keep its time.
const STEP: i64 = 2;

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
pub(super) struct LastAnswer {
    index: gix::index::File,
    ignored: Vec<BString>,
    /// The ignore files among them, with their contents.
    rules: HashMap<BString, ObjectId>,
    seen: HashSet<BString>,
}

impl CheckpointStore<'_> {
    /// Deletes what git said: it is about to be asked again, or to be given other rules.
    pub(super) fn forget_answer(&self) -> Result<()> {
        match fs::remove_file(self.file(LIST)) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(unusable(&self.directory, &error))
            }
            _ => Ok(()),
        }
    }

    /// Keeps what git said, if guard may look itself the next time. The private index must be up to date. `asked` is a
    /// moment before git was asked.
    pub(super) fn keep_answer(
        &self,
        ignored: &[BString],
        look: &OwnLook,
        asked: SystemTime,
    ) -> Result<()> {
        if !self.may_look() {
            return Ok(());
        }
        let mut list = self.index_checksum()?;
        for path in ignored {
            if has_rules(path) {
                let Some(content) = self.settled(path.as_ref(), asked) else {
                    return Ok(());
                };
                list.push(RULES);
                list.extend_from_slice(format!("{content} ").as_bytes());
            } else {
                list.push(IGNORED);
            }
            list.extend_from_slice(path);
            list.push(0);
        }
        for path in &look.seen {
            list.push(SEEN);
            list.extend_from_slice(path);
            list.push(0);
        }
        self.save(LIST, &list)
    }

    /// The content of a file that has been there since before git was asked.
    fn settled(&self, path: &BStr, asked: SystemTime) -> Option<ObjectId> {
        let place = self.root.join(path.to_path().ok()?);
        let about = fs::symlink_metadata(&place).ok()?;
        let changed = i64::from(system::index_stat(&about)?.ctime.secs);
        let asked = asked.duration_since(UNIX_EPOCH).ok()?.as_secs();
        let asked = i64::try_from(asked).ok()?;
        if !about.is_file() || changed + STEP >= asked {
            return None;
        }
        content_of(&place, self.repo.repo.object_hash())
    }

    /// Whether git compares files as guard does here, and the index is small.
    fn may_look(&self) -> bool {
        let config = self.repo.repo.config_snapshot();
        let mut comparing = COMPARING.iter();
        system::TELLS_CHANGES
            && comparing.all(|(key, plain)| config.boolean(*key).is_none_or(|set| set == *plain))
            && fs::metadata(self.file("index")).is_ok_and(|about| about.len() <= LARGEST_INDEX)
    }

    /// What git said last, if guard may look itself whether it still holds.
    pub(super) fn last_answer(&self) -> Option<LastAnswer> {
        if !self.may_look() {
            return None;
        }
        let list = fs::read(self.file(LIST)).ok()?;
        let hash = self.repo.repo.object_hash();
        let file = self.file("index");
        let index = gix::index::File::at(file, hash, true, Default::default()).ok()?;
        let mut last = LastAnswer {
            ignored: Vec::new(),
            rules: HashMap::new(),
            seen: HashSet::new(),
            index,
        };
        for line in list
            .strip_prefix(last.index.checksum()?.as_bytes())?
            .split_str("\0")
        {
            match line {
                [IGNORED, path @ ..] => last.ignored.push(path.into()),
                [RULES, line @ ..] => {
                    let (content, path) = line.split_once_str(" ")?;
                    let content = ObjectId::from_hex(content).ok()?;
                    last.rules.insert(path.into(), content);
                    last.ignored.push(path.into());
                }
                [SEEN, path @ ..] => drop(last.seen.insert(path.into())),
                _ => {}
            }
        }
        Some(last)
    }
}

impl LastAnswer {
    /// Compares the work tree with it. Another thread begins, and this one takes part after what it does `meanwhile`.
    pub(super) fn look<T>(self, root: &Path, meanwhile: impl FnOnce() -> T) -> (OwnLook, T) {
        let mut look = OwnLook::default();
        let Some(known) = Known::of(&self) else {
            return (look, meanwhile());
        };
        let walk = Walk {
            root,
            known: &known,
            next: AtomicUsize::new(0),
        };
        let (parts, done) = thread::scope(|scope| {
            let other = scope.spawn(|| walk.take_part());
            let done = meanwhile();
            let own = walk.take_part();
            ([own, other.join().unwrap_or_default()], done)
        });
        let is_same = parts.iter().all(|part| part.is_same);
        let met: usize = parts.iter().map(|part| part.met).sum();
        look.seen = parts.into_iter().flat_map(|part| part.seen).collect();
        let has_all = is_same && met == known.to_meet;
        if has_all && look.seen.iter().all(|path| self.seen.contains(path)) {
            look.unchanged = Some(self.ignored);
        }
        (look, done)
    }
}

/// What is known of a name. Those of directories end with `/`.
enum Name<'a> {
    /// A file or link of the index.
    Entry(&'a Entry),
    Ignored,
    /// An ignore file that is itself ignored, with its content.
    Rules(ObjectId),
    /// A directory above others.
    Above,
}

/// The names to meet in the work tree.
struct Known<'a> {
    index: &'a gix::index::File,
    names: HashMap<&'a BStr, Name<'a>>,
    /// The root, and the directories above others.
    directories: Vec<&'a BStr>,
    /// The number of names that are entries or ignored.
    to_meet: usize,
}

impl<'a> Known<'a> {
    /// The names of the index and the ignored ones; `None` if some are in both, or not plain.
    fn of(last: &'a LastAnswer) -> Option<Known<'a>> {
        const NOT_PLAIN: Flags = HIDING.union(Flags::INTENT_TO_ADD);
        let entries = last.index.entries();
        let to_meet = entries.len() + last.ignored.len();
        let mut known = Known {
            index: &last.index,
            names: HashMap::with_capacity(to_meet),
            directories: vec![BStr::new("")],
            to_meet,
        };
        for entry in entries {
            let is_file = matches!(
                entry.mode,
                Mode::FILE | Mode::FILE_EXECUTABLE | Mode::SYMLINK
            );
            if !is_file || entry.stage() != Stage::Unconflicted || entry.flags.intersects(NOT_PLAIN)
            {
                return None;
            }
            known.add(entry.path(&last.index), Name::Entry(entry))?;
        }
        for path in &last.ignored {
            let rules = last.rules.get(path).copied();
            known.add(path.as_ref(), rules.map_or(Name::Ignored, Name::Rules))?;
        }
        Some(known)
    }

    fn add(&mut self, path: &'a BStr, name: Name<'a>) -> Option<()> {
        if self.names.insert(path, name).is_some() {
            return None;
        }
        let mut above = path.trim_end_with(|c| c == '/');
        while let Some(end) = above.rfind_byte(b'/') {
            let directory = path[..=end].as_bstr();
            // Those above a known one are known, too.
            if self.names.insert(directory, Name::Above).is_some() {
                break;
            }
            self.directories.push(directory);
            above = &above[..end];
        }
        Some(())
    }
}

/// A comparison of the work tree with what is known, in which threads take directory by directory.
struct Walk<'a> {
    root: &'a Path,
    known: &'a Known<'a>,
    /// The next of the known directories.
    next: AtomicUsize,
}

/// What a thread saw in its directories.
#[derive(Default)]
struct WalkedPart {
    /// Whether all names are known, and all files are as the index has them.
    is_same: bool,
    /// The number of names that are entries or ignored.
    met: usize,
    /// The directories with nothing that git has named.
    seen: Vec<BString>,
}

impl Walk<'_> {
    fn take_part(&self) -> WalkedPart {
        let mut part = WalkedPart::default();
        part.is_same = self.compare(&mut part).is_some();
        part
    }

    /// Looks into directories until none is left; `None` as soon as a name or file is not as it was.
    fn compare(&self, part: &mut WalkedPart) -> Option<()> {
        let mut unknown: Vec<String> = Vec::new();
        let mut path = String::new();
        loop {
            path.clear();
            if let Some(directory) = unknown.pop() {
                path.push_str(&directory);
            } else {
                let next = self.next.fetch_add(1, Ordering::Relaxed);
                let Some(directory) = self.known.directories.get(next) else {
                    return Some(());
                };
                path.push_str(directory.to_str().ok()?);
            }
            let above = path.len();
            for entry in fs::read_dir(self.root.join(&path)).ok()? {
                let entry = entry.ok()?;
                let kind = entry.file_type().ok()?;
                path.truncate(above);
                path.push_str(entry.file_name().to_str()?);
                if path == ".git" {
                    continue;
                }
                if kind.is_dir() {
                    path.push('/');
                }
                match self.known.names.get(BStr::new(&path)) {
                    Some(Name::Entry(known)) if self.is_as_in(known, &entry)? => part.met += 1,
                    Some(Name::Ignored) if is_listed(kind) => part.met += 1,
                    Some(Name::Rules(content))
                        if kind.is_file()
                            && content_of(&entry.path(), content.kind())? == *content =>
                    {
                        part.met += 1;
                    }
                    Some(Name::Above) => {}
                    None if kind.is_dir() && !path.ends_with("/.git/") => {
                        part.seen.push(path.as_str().into());
                        unknown.push(path.clone());
                    }
                    _ => return None,
                }
            }
        }
    }

    /// Whether git would take the file of an entry as unchanged, and not read it.
    fn is_as_in(&self, known: &Entry, file: &DirEntry) -> Option<bool> {
        const ALL: Options = Options {
            trust_ctime: true,
            check_stat: true,
            use_nsec: true,
            use_stdev: false,
        };
        let Entry { stat, mode, .. } = known;
        // Relative to its open directory, which saves half of the time.
        let about = file.metadata().ok()?;
        let step = if stat.mtime.nsecs == 0 { STEP } else { 0 };
        let written = self.known.index.timestamp().unix_seconds();
        let is_racy = i64::from(stat.mtime.secs) + step >= written;
        // git notes no size for a file that it must read.
        let no_size = stat.size == 0 && known.id != ObjectId::empty_blob(known.id.kind());
        let has_mode = match *mode {
            Mode::SYMLINK => about.is_symlink(),
            Mode::FILE_EXECUTABLE => about.is_file() && system::is_executable(&about),
            _ => about.is_file() && !system::is_executable(&about),
        };
        let now = system::index_stat(&about)?;
        Some(!is_racy && !no_size && has_mode && now.matches(stat, ALL))
    }
}

/// Whether git lists such a name: it lists no pipes.
fn is_listed(kind: FileType) -> bool {
    kind.is_dir() || kind.is_file() || kind.is_symlink()
}

/// The name of a file's content.
fn content_of(file: &Path, hash: gix::hash::Kind) -> Option<ObjectId> {
    blob_id(hash, &fs::read(file).ok()?).ok()
}

// Elsewhere, git is always asked.
#[cfg(all(test, unix))]
#[allow(clippy::unwrap_used)]
mod tests;
