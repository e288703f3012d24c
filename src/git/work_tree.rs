//! The index as `git add --all` would write it, and what else git alone knows about files of the work tree.
//!
//! git writes to a copy of the index and to a private object directory. So nothing in the repository changes, and
//! filters and conversions apply as they will for the commit.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use gix::bstr::{BStr, BString, ByteSlice};
use gix::worktree::stack::state::ignore::Source;

use super::index::REBUILD;
use super::private_objects::PrivateObjects;
use super::program::Git;
use super::{Index, Repository, failed, staged_changes};
use crate::error::{Error, Result};
use crate::path::{escaped, shell_word};

/// What would let git hide a change, or leave a file out without an error.
const SETTINGS: &[(&str, &str)] = &[
    ("add.ignoreErrors", "false"),
    ("core.checkStat", "default"),
    ("core.safecrlf", "false"),
    ("core.splitIndex", "false"),
    ("core.trustctime", "true"),
    ("core.untrackedCache", "false"),
    // These files do not last.
    ("core.fsync", "none"),
    ("core.looseCompression", "0"),
];

/// The name of ignore files.
const GITIGNORE: &str = ".gitignore";

impl Repository {
    /// The index after `git add --all`. From now on, this repository also finds the new contents.
    ///
    /// # Errors
    /// The repository is bare, the index has conflicts or is damaged, or git cannot add a file.
    pub(crate) fn add_everything(&mut self) -> Result<Index> {
        self.workdir()?;
        let staged = Index::open(self)?;
        let head = self.tree_of(self.head_commit()?)?;
        // Problems in the index must not vanish with removed entries, nor with cached trees.
        let changes = staged_changes(&staged, &head)?;
        if let Some(path) = staged.contradiction(&changes)? {
            return Err(contradictory(path));
        }
        let mut flagged = Vec::new();
        for entry in staged.flagged()? {
            let state = staged.tree()?.get(entry.path.as_ref())?;
            let is_staged = head.get(entry.path.as_ref())? != state;
            flagged.push((entry, is_staged.then_some(state)));
        }
        let objects = self.repo.objects.store_ref().path().to_owned();
        let private = PrivateObjects::borrowing([objects])?;
        let index = private.file("index");
        copy_index(&self.repo.index_path(), &index)
            .map_err(|error| cannot_add(&format!("the index cannot be copied: {error}")))?;

        let git = |arguments: &[&str], input: &[u8]| {
            let objects = private.file("objects");
            let mut git = self.git(&index)?.env("GIT_OBJECT_DIRECTORY", objects);
            for (key, value) in SETTINGS {
                git = git.set(key, value);
            }
            git.run(arguments, input).map_err(|why| cannot_add(&why))
        };
        let paths = |flag: &str| {
            let is_wanted = |entry: &&super::FlaggedEntry| match flag {
                // A file that a sparse checkout leaves out may be absent.
                "skip-worktree" => entry.flag == flag && self.is_there(entry.path.as_ref()),
                _ => true,
            };
            let wanted = flagged.iter().map(|(entry, _)| entry).filter(is_wanted);
            let paths = wanted.flat_map(|entry| [entry.path.as_slice(), b"\0"]);
            paths.flatten().copied().collect::<Vec<u8>>()
        };
        for flag in ["skip-worktree", "assume-unchanged"] {
            let paths = paths(flag);
            if !paths.is_empty() {
                git(
                    &["update-index", "-z", &format!("--no-{flag}"), "--stdin"],
                    &paths,
                )?;
            }
        }
        git(&["add", "--all", "--sparse"], b"")?;

        self.read_from(private)?;
        let added = Index::at(self, &index)?;
        for (entry, staged) in &flagged {
            if let Some(state) = staged
                && added.tree()?.get(entry.path.as_ref())? != *state
            {
                return Err(unclear(entry.path.as_ref()));
            }
        }
        Ok(added)
    }

    /// git in the work tree, with this index.
    fn git(&self, index: &Path) -> Result<Git> {
        let mut git = Git::in_work_tree(self.git_dir(), self.workdir()?, index);
        for hook in self.configured_hooks() {
            git = git.set(&format!("hook.{hook}.enabled"), "false");
        }
        Ok(git)
    }

    fn is_there(&self, path: &BStr) -> bool {
        let place = self.work_tree_file(path);
        place.is_ok_and(|place| place.symlink_metadata().is_ok())
    }

    /// Stages the file at `path` as it is in the work tree, and nothing else.
    ///
    /// # Errors
    /// git is not there, or refuses.
    pub(crate) fn stage_file(&self, path: &BStr) -> Result<()> {
        let failed = |why: String| {
            Error::new(format!("{} cannot be staged: {why}", escaped(path)))
                .help(format!("stage it: git add -- {}", shell_word(path)))
        };
        let name = gix::path::from_bstr(path).map_err(|error| failed(error.to_string()))?;
        let arguments = ["--literal-pathspecs", "add", "--"].map(AsRef::as_ref);
        let arguments = arguments.into_iter().chain([name.as_os_str()]);
        let staged = self.git(&self.repo.index_path())?.run(arguments, b"");
        staged.map(drop).map_err(failed)
    }

    /// The paths of the files that git tracks, or would add.
    ///
    /// # Errors
    /// git is not there, or fails.
    pub(crate) fn listed_files(&self) -> Result<Vec<BString>> {
        let arguments = [
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
        ];
        let listed = self.git(&self.repo.index_path())?.run(arguments, b"");
        let listed =
            listed.map_err(|why| Error::new(format!("the files cannot be listed: {why}")))?;
        let paths = listed.split_str("\0").filter(|path| !path.is_empty());
        Ok(paths.map(BString::from).collect())
    }

    /// Whether git ignores a file, which need not exist, and does not track it.
    ///
    /// # Errors
    /// The index or the configured patterns cannot be read.
    pub(crate) fn is_ignored(&self, path: &BStr) -> Result<bool> {
        let index = self.repo.index_or_empty();
        let index = index.map_err(failed("the index cannot be read"))?;
        let inside = BString::from([path.as_bytes(), b"/"].concat());
        let below = index.prefixed_entries(inside.as_bstr());
        if index.entry_by_path(path).is_some() || below.is_some_and(|entries| !entries.is_empty()) {
            return Ok(false);
        }
        for end in path.find_iter("/").chain([0]) {
            let directory = self.work_tree_file(path[..end].as_bstr())?;
            let is = |place: &Path, kind: fn(&fs::Metadata) -> bool| {
                place.symlink_metadata().map_or(true, |about| kind(&about))
            };
            // What is behind a link is not git's, and opening a FIFO would block.
            if !is(&directory, fs::Metadata::is_dir)
                || !is(&directory.join(GITIGNORE), fs::Metadata::is_file)
            {
                return Ok(false);
            }
        }
        let unreadable = "the ignore patterns cannot be read";
        let rules = self.repo.excludes(&index, None, Source::default());
        let mut rules = rules.map_err(failed(unreadable))?;
        let found = rules.at_entry(path, None);
        let found = found.map_err(|error| Error::new(format!("{unreadable}: {error}")))?;
        Ok(found.is_excluded())
    }
}

/// `core.excludesFile`; empty means none, and unset means git's default.
pub(super) fn excludes_file(repo: &Repository) -> Result<Option<PathBuf>> {
    const KEY: &str = "core.excludesFile";
    match repo.config(KEY) {
        Some(value) if value.trim().is_empty() => Ok(None),
        Some(_) => repo.config_path(KEY),
        None => Ok(gix::path::env::xdg_config("ignore", &mut |name| {
            std::env::var_os(name).filter(|value| !value.is_empty())
        })),
    }
}

/// Copies an index, with its time: git compares the times of files with it.
fn copy_index(index: &Path, copy: &Path) -> io::Result<()> {
    let time = match index.metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        about => about?.modified()?,
    };
    fs::copy(index, copy)?;
    File::options().write(true).open(copy)?.set_modified(time)
}

fn cannot_add(why: &str) -> Error {
    Error::new(format!("git cannot add the work tree: {why}"))
        .help("make the file readable, or add it to .gitignore")
        .help("or check only the staged changes: guard lint")
}

fn contradictory(path: &BStr) -> Error {
    let path = escaped(path);
    Error::new(format!(
        "the index contradicts itself: its cached tree has another version of {path} than its entry"
    ))
    .help(REBUILD)
}

/// A file with an assume-unchanged or skip-worktree flag is judged in its current state. If different content is also
/// staged, the path has two candidates: git would commit the staged one now and the other one after the flag is
/// removed.
fn unclear(path: &BStr) -> Error {
    let word = shell_word(path);
    Error::new(format!(
        "{} is staged and flagged assume-unchanged or skip-worktree, but the work tree differs",
        escaped(path)
    ))
    .help(format!(
        "remove the flag: git update-index --no-assume-unchanged --no-skip-worktree {word}"
    ))
}
