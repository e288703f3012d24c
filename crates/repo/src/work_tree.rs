//! Work trees: which one belongs to the repository, what in it belongs to another repository, the index as `git add --all`
//! would write it, and what else git alone knows about its files.
//!
//! git writes to a copy of the index and to a private object directory. So nothing in the repository changes, and
//! filters and conversions apply as they will for the commit.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use gix::bstr::{BStr, BString, ByteSlice};
use gix::index::entry::{Flags, Mode};
use gix::worktree::stack::state::ignore::Source;

use super::program::{Git, PrivateObjects};
use super::{Index, Repository, Tree, failed, show_file, staged_changes};
use crate::disk::{self, absolute, if_there};
use write_guard_policy::change::Kind;
use write_guard_policy::error::{Error, Result};
use write_guard_policy::finding::Help;
use write_guard_policy::path::{escaped, fold, shell_word};

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

/// The flags for which git does not look at a file.
pub(crate) const HIDING: Flags = Flags::SKIP_WORKTREE.union(Flags::ASSUME_VALID);

impl Repository {
    /// The index after `git add --all`. From now on, this repository also finds the new contents.
    ///
    /// # Errors
    /// The repository is bare, the index has conflicts or is damaged, or git cannot add a file.
    pub fn add_everything(&mut self) -> Result<Index> {
        self.workdir()?;
        let staged = Index::open(self)?;
        let head = self.tree_of(self.head_commit()?)?;
        // Problems in the index must not vanish with removed entries.
        staged_changes(&staged, &head)?;
        let objects = self.repo.objects.store_ref().path().to_owned();
        let private = PrivateObjects::borrowing([objects])?;
        let place = private.file("index");
        for path in self.copy_index(&place)? {
            if head.get(path.as_ref())? != staged.tree()?.get(path.as_ref())? {
                return Err(unclear(path.as_ref()));
            }
        }
        let mut git = self
            .git(&place)?
            .env("GIT_OBJECT_DIRECTORY", private.file("objects"));
        for (key, value) in SETTINGS {
            git = git.set(key, value);
        }
        let added = git.run(["add", "--all", "--sparse"], b"");
        added.map_err(|why| cannot_add(&why))?;

        self.read_from(private)?;
        Index::at(self, &place)
    }

    /// Copies the index, with its time: git compares the times of files with it. A file whose flag hides changes loses
    /// the flag in the copy, and is in the answer.
    fn copy_index(&self, place: &Path) -> Result<Vec<BString>> {
        let index = self.repo.index_or_empty();
        let index = index.map_err(failed("the index cannot be read"))?;
        let mut copy = gix::index::File::clone(&index);
        let mut flagged = Vec::new();
        for (entry, path) in copy.entries_mut_with_paths() {
            // A file that a sparse checkout leaves out may be absent.
            let may_be_absent = entry.flags.contains(Flags::SKIP_WORKTREE);
            if entry.flags.intersects(HIDING)
                && entry.mode != Mode::DIR
                && !(may_be_absent && self.metadata_of(path).is_none())
            {
                entry.flags.remove(HIDING);
                flagged.push(path.to_owned());
            }
        }
        copy.set_path(place);
        self.write_copy(copy, place)
            .map_err(|error| cannot_add(&format!("the index cannot be copied: {error}")))?;
        Ok(flagged)
    }

    /// Writes a copy of the index with the time of the index.
    fn write_copy(&self, mut copy: gix::index::File, place: &Path) -> io::Result<()> {
        copy.write(Default::default()).map_err(io::Error::other)?;
        let file = File::options().write(true).open(place)?;
        match if_there(self.repo.index_path().metadata())? {
            Some(about) => file.set_modified(about.modified()?),
            None => Ok(()),
        }
    }

    /// git in the work tree, with this index.
    fn git(&self, index: &Path) -> Result<Git> {
        let mut git = Git::in_work_tree(self.git_dir(), self.workdir()?, index);
        for hook in self.configured_hooks() {
            git = git.set(&format!("hook.{hook}.enabled"), "false");
        }
        Ok(git)
    }

    /// Stages the file at `path` as it is in the work tree, and nothing else.
    ///
    /// # Errors
    /// git is not there, or refuses.
    pub fn stage_file(&self, path: &BStr) -> Result<()> {
        let arguments = ["--literal-pathspecs", "add", "--"].map(BStr::new);
        let arguments = arguments.into_iter().chain([path]);
        let arguments = arguments.map(|word| word.to_os_str_lossy());
        let staged = self.git(&self.repo.index_path())?.run(arguments, b"");
        staged.map(drop).map_err(|why| {
            Error::new(format!("{} cannot be staged: {why}", escaped(path))).help(Help::run(
                "stage it",
                format_args!("git add -- {}", shell_word(path)),
            ))
        })
    }

    /// The paths of the files that git tracks, or would add.
    ///
    /// # Errors
    /// git is not there, or fails.
    pub fn listed_files(&self) -> Result<Vec<BString>> {
        let arguments = ["ls-files", "-zco", "--exclude-standard"];
        let listed = self.git(&self.repo.index_path())?.run(arguments, b"");
        let listed =
            listed.map_err(|why| Error::new(format!("the files cannot be listed: {why}")))?;
        let paths = listed.split_str("\0").filter(|path| !path.is_empty());
        Ok(paths.map(BString::from).collect())
    }

    /// Whether git ignores a file, which need not exist, and does not track it. Rules that only the index has, as in a
    /// sparse checkout, ignore nothing.
    ///
    /// # Errors
    /// The index or the configured patterns cannot be read.
    pub fn is_ignored(&self, path: &BStr) -> Result<bool> {
        for end in path.find_iter("/").chain([0]) {
            let directory = self.work_tree_file(path[..end].as_bstr())?;
            let about = directory.symlink_metadata();
            let rules = directory.join(".gitignore").symlink_metadata();
            // What is behind a link is not git's, and opening a FIFO would block.
            if about.is_ok_and(|about| !about.is_dir()) || rules.is_ok_and(|rules| !rules.is_file())
            {
                return Ok(false);
            }
        }
        // A large index takes most of the time.
        if !self.is_excluded(path, &gix::index::State::new(self.repo.object_hash()))? {
            return Ok(false);
        }
        let index = self.repo.index_or_empty();
        let index = index.map_err(failed("the index cannot be read"))?;
        let is_tracked = index.path_is_directory(path) || index.entry_by_path(path).is_some();
        Ok(!is_tracked && self.is_excluded(path, &index)?)
    }

    /// Whether the patterns of the work tree and of this index exclude a path.
    fn is_excluded(&self, path: &BStr, index: &gix::index::State) -> Result<bool> {
        let unreadable = "the ignore patterns cannot be read";
        let rules = self.repo.excludes(index, None, Source::default());
        let mut rules = rules.map_err(failed(unreadable))?;
        let found = rules.at_entry(path, None).map(|found| found.is_excluded());
        found.map_err(|error| Error::new(format!("{unreadable}: {error}")))
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

fn cannot_add(why: &str) -> Error {
    Error::new(format!("git cannot add the work tree: {why}"))
        .help("make the file readable, or add it to .gitignore")
        .help(Help::run("or check only the staged changes", "guard lint"))
}

/// A file with an assume-unchanged or skip-worktree flag is judged in its current state. If content is also staged, the
/// path has two candidates: git would commit the staged one now and the other one after the flag is removed.
fn unclear(path: &BStr) -> Error {
    let shown = escaped(path);
    let word = shell_word(path);
    let command = "git update-index --no-assume-unchanged --no-skip-worktree";
    let flags = "assume-unchanged or skip-worktree";
    Error::new(format!("{shown} is staged and flagged {flags}"))
        .help(format!("remove the flag: {command} {word}"))
}

/// Git's name for a linked work tree, under `worktrees/`, which stays when it moves; `None` for the main one.
pub type WorkTree = Option<String>;

impl Repository {
    /// The current work tree.
    pub fn work_tree(&self) -> WorkTree {
        let own = absolute(self.git_dir());
        let is_linked = own != absolute(self.common_dir());
        let name = own.file_name().filter(|_| is_linked);
        name.map(|name| name.to_string_lossy().into_owned())
    }

    /// The location of a work tree; `None` if it is gone or unknown.
    pub fn place_of(&self, work_tree: &WorkTree) -> Option<PathBuf> {
        if *work_tree == self.work_tree() {
            return self.workdir().ok().map(absolute);
        }
        let common = absolute(self.common_dir());
        let place = match work_tree {
            Some(name) => {
                let mut linked = self.repo.worktrees().ok()?.into_iter();
                let found = linked.find(|one| one.id().is_ok_and(|id| id == name))?;
                found.base().ok()?
            }
            // With a separate git directory, only its own work tree knows the location.
            None if common.ends_with(".git") => disk::directory_of(&common).to_owned(),
            None => return None,
        };
        place.join(".git").exists().then(|| absolute(&place))
    }

    /// The root of the work tree, if it contains `.git` or git registered it for a linked work tree or a submodule.
    /// Requests write nowhere else: otherwise `GIT_WORK_TREE=/x` would make `/x` the workspace. `GIT_DIR` may not name
    /// another repository than that of the current directory.
    ///
    /// # Errors
    /// It is another directory, or the repository is bare.
    pub fn own_workdir(&self) -> Result<&Path> {
        let root = self.workdir()?;
        let is_elsewhere = std::env::var_os("GIT_DIR").is_some() && !stands_in(root);
        if owns(root, self.git_dir()) && !is_elsewhere {
            return Ok(root);
        }
        let root = show_file(root);
        let own = show_file(self.git_dir());
        let message = format!("the work tree {root} does not belong to the repository {own}");
        Err(Error::new(message).help(
            "run guard in the directory that contains .git, without GIT_WORK_TREE, GIT_DIR and \
             core.worktree",
        ))
    }

    /// The submodule at or around a path, by HEAD's tree or the index. Case is ignored for the index: on some file
    /// systems `SUB/a` is below `sub`.
    ///
    /// # Errors
    /// HEAD's tree or the index cannot be read.
    pub fn submodule_of(&self, head: &Tree<'_>, path: &BStr) -> Result<Option<BString>> {
        for end in path.find_iter("/").chain([path.len()]) {
            let above = path[..end].as_bstr();
            let found = head.get(above)?;
            if found.is_some_and(|found| found.kind == Kind::Submodule) {
                return Ok(Some(above.to_owned()));
            }
        }
        let folded = fold(path);
        for link in self.index_gitlinks()? {
            let rest = folded.strip_prefix(fold(link.as_ref()).as_bytes());
            if rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/")) {
                return Ok(Some(link.clone()));
            }
        }
        Ok(None)
    }

    /// The submodules of the index, including conflicts; read once, because requests ask for many paths.
    fn index_gitlinks(&self) -> Result<&[BString]> {
        if let Some(known) = self.gitlinks.get() {
            return Ok(known);
        }
        let links = Index::open(self)?.gitlinks().to_vec();
        Ok(self.gitlinks.get_or_init(|| links))
    }
}

/// Whether `root` is the closest directory above the current one that contains `.git`.
fn stands_in(root: &Path) -> bool {
    std::env::current_dir().is_ok_and(|here| {
        let mut above = here.ancestors();
        let closest = above.find(|directory| directory.join(".git").exists());
        closest.is_some_and(|closest| absolute(closest) == absolute(root))
    })
}

/// Whether a directory is a linked work tree of the repository with this common directory, as git registered it.
pub(super) fn is_linked_work_tree(directory: &Path, common_dir: &Path) -> bool {
    let dot_git = directory.join(".git");
    // Opening a FIFO would block.
    if !dot_git.is_file() {
        return false;
    }
    pointed_to(&dot_git, "gitdir: ").is_some_and(|git_dir| {
        git_dir.starts_with(common_dir.join("worktrees")) && owns(directory, &git_dir)
    })
}

/// Whether git itself made `root` the work tree of `git_dir`.
fn owns(root: &Path, git_dir: &Path) -> bool {
    let dot_git = root.join(".git");
    let Ok(found) = fs::symlink_metadata(&dot_git) else {
        return false;
    };
    let dot_git = absolute(&dot_git);
    let git_dir = absolute(git_dir);
    if !found.is_file() {
        return dot_git == git_dir;
    }
    if pointed_to(&dot_git, "gitdir: ") != Some(git_dir.clone()) {
        return false;
    }
    // A linked work tree is registered in its own git directory.
    let registered = git_dir.join("gitdir");
    if registered.exists() {
        return pointed_to(&registered, "") == Some(dot_git);
    }
    // The `.git` directory of another work tree is excluded; a separate git directory or a submodule's has another
    // name.
    git_dir.file_name().is_some_and(|name| name != ".git")
}

/// The path in the first line of a file, after `prefix`, relative to the file's directory.
fn pointed_to(file: &Path, prefix: &str) -> Option<PathBuf> {
    let text = fs::read_to_string(file).ok()?;
    let path = text.lines().next()?.strip_prefix(prefix)?;
    Some(absolute(&file.parent()?.join(path)))
}

/// Whether a directory has a repository with a commit.
pub(super) fn has_commit(directory: &Path) -> bool {
    let dot_git = directory.join(".git");
    let git_dir = if dot_git.is_file() {
        gix::discover::path::from_gitdir_file(&dot_git).unwrap_or_default()
    } else {
        dot_git
    };
    // Opening a FIFO would block.
    if !git_dir.join("HEAD").is_file() {
        return false;
    }
    match gix::open_opts(directory, gix::open::Options::isolated()) {
        Ok(repo) => repo.head_id().is_ok(),
        Err(_) => false,
    }
}
