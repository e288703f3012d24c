//! Checkpoints: what a work tree and its repository hold at one moment. Two of them say what a command did, and the
//! first one brings it back.
//!
//! They are kept in a private repository of the user's cache directory: a command that removes `.git` does not reach
//! it, no clone or backup of the work tree takes it along, and it may be deleted at any time. Only this module starts
//! git for them, with nothing that the repository configures.

mod back;
mod changes;
mod hold;
mod own;
mod record;
mod switches;
mod unchanged;
mod unreached;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use gix::ObjectId;
use gix::bstr::ByteSlice;
use serde::{Deserialize, Serialize};

pub use changes::{Back, CHANGE, ObservedChange};
pub use own::OwnLoss;
pub use unreached::Unreached;

use super::program::{Git, PrivateObjects, private_config};
use super::{Blobs, Repository, Tree, show_file};
use crate::disk::{self, absolute};
use write_guard_policy::error::{Error, Result};

/// What the private repository sets, behind the first lines of `[core]`: contents are kept as they are, and nothing else
/// runs.
const CONFIG: &str = "\
\tbare = false
\tfsmonitor = false
\tattributesFile = /dev/null
\texcludesFile = /dev/null
\tautocrlf = false
\tsafecrlf = false
\tuntrackedCache = false
\tsplitIndex = false
\tfsync = none
\tlooseCompression = 0
[gc]
\tauto = 0
[maintenance]
\tauto = false
[advice]
\taddEmbeddedRepo = false
";
/// Turns off every conversion, in `info/attributes`, which overrides the attributes of the work tree.
const ATTRIBUTES: &str = "* -text -filter -ident -working-tree-encoding\n";

/// What a work tree and its repository held.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// The tree with the files that were not ignored, as they were on disk.
    pub tree: String,
    /// The content of git's `HEAD`.
    head: String,
    /// The commit of every ref but guard's own; symbolic ones are left out.
    refs: BTreeMap<String, String>,
    /// The copy of the index; `None` for no index.
    pub index: Option<String>,
    /// The files that say which hooks run and what git ignores, each with its copy.
    switches: BTreeMap<String, SavedFile>,
    /// Files too large or unreadable to keep, with size and time.
    pub sizes: BTreeMap<String, String>,
    /// The copy of the ignore rules by which it was recorded.
    pub rules: String,
    /// The copy of the list of ignored files and directories.
    ignored: String,
    /// The commits of all stashes, the newest first.
    stashes: Vec<String>,
    /// What guard itself keeps in the repository.
    own: GuardsOwn,
}

/// What guard keeps in a repository, in short.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct GuardsOwn {
    /// The length of the log, and the digest of its end.
    log: Option<(u64, String)>,
    /// The newest snapshot.
    snapshots: Option<String>,
}

/// A checkpoint, and what was seen for the first time with it.
pub struct Recorded {
    /// What there is.
    pub checkpoint: Checkpoint,
    /// The contents that no checkpoint before had; empty without one.
    pub fresh: BTreeSet<ObjectId>,
}

/// The copy of a file outside the work tree's tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct SavedFile {
    copy: String,
    is_executable: bool,
}

/// The checkpoints of one work tree. Other processes wait until it is dropped.
pub struct CheckpointStore<'a> {
    repo: &'a Repository,
    /// The root of the work tree.
    root: PathBuf,
    directory: PathBuf,
    git_dir: PathBuf,
    common_dir: PathBuf,
    _alone: File,
}

impl Checkpoint {
    /// The commit of HEAD; `None` before the first one.
    pub fn head_commit(&self) -> Option<ObjectId> {
        match self.head.strip_prefix("ref: ") {
            Some(name) => id(self.refs.get(name)?),
            None => id(&self.head),
        }
    }

    /// Whether both hold the same, but for what guard itself keeps.
    pub fn holds_the_same(&self, other: &Checkpoint) -> bool {
        let other_but_own = Checkpoint {
            own: self.own.clone(),
            ..other.clone()
        };
        self == other || *self == other_but_own
    }

    /// The content of git's `HEAD`: the name of a branch, or a commit.
    pub fn head(&self) -> &str {
        &self.head
    }

    /// The commits of all stashes, the newest first.
    pub fn stashes(&self) -> impl Iterator<Item = ObjectId> {
        self.stashes.iter().filter_map(|hex| id(hex))
    }

    /// The refs with their targets.
    pub fn refs(&self) -> impl Iterator<Item = (&str, ObjectId)> {
        let refs = self.refs.iter();
        refs.filter_map(|(name, target)| Some((name.as_str(), id(target)?)))
    }
}

/// The keys whose values differ, in order, each with both values.
pub fn differing<'a, K: Ord, V: PartialEq>(
    old: &'a BTreeMap<K, V>,
    new: &'a BTreeMap<K, V>,
) -> impl Iterator<Item = (&'a K, Option<&'a V>, Option<&'a V>)> {
    let keys: BTreeSet<&K> = old.keys().chain(new.keys()).collect();
    keys.into_iter()
        .map(|key| (key, old.get(key), new.get(key)))
        .filter(|(_, old_value, new_value)| old_value != new_value)
}

fn id(hex: &str) -> Option<ObjectId> {
    ObjectId::from_hex(hex.as_bytes()).ok()
}

impl Repository {
    /// The work tree of a checkpoint.
    pub fn tree_in(&self, one: &Checkpoint) -> Tree<'_> {
        let none = ObjectId::empty_tree(self.repo.object_hash());
        Tree::at(&self.objects, id(&one.tree).unwrap_or(none))
    }

    /// The trees of the stashes of a checkpoint: of the files, of the index and of the files that git does not track.
    /// Their contents come back with `git stash pop`.
    pub fn stashes_in(&self, one: &Checkpoint) -> Vec<Tree<'_>> {
        let mut trees = Vec::new();
        for stash in one.stashes() {
            let parents = self.commit(stash).map(|found| found.parents);
            let parents = parents.unwrap_or_default().into_iter().skip(1);
            let commits = std::iter::once(stash).chain(parents);
            trees.extend(commits.filter_map(|commit| self.tree_of(Some(commit)).ok()));
        }
        trees
    }
}

impl<'a> CheckpointStore<'a> {
    /// Opens the checkpoints of a work tree, or begins them. Those of sessions without a call for a long time are
    /// deleted.
    ///
    /// # Errors
    /// The cache directory is in the work tree, or cannot be written.
    pub fn open(repo: &'a Repository) -> Result<CheckpointStore<'a>> {
        let root = absolute(repo.own_workdir()?);
        let git_dir = absolute(repo.git_dir());
        let cache = cache_directory()
            .ok_or_else(|| Error::new("there is no directory for checkpoints: HOME is not set"))?;
        let key = format!("{}\n{}", root.display(), git_dir.display());
        let directory = cache.join(repo.blob_id(key.as_bytes())?.to_string());
        let made = disk::create_private_directory(&directory);
        made.map_err(|error| unusable(&directory, &error))?;
        let directory = absolute(&directory);
        if directory.starts_with(&root) {
            let cache = show_file(&cache);
            let message = format!("the cache directory {cache} is in the work tree");
            return Err(Error::new(message)
                .help("if the repository is the home directory, work in a repository of its own")
                .help("otherwise, set XDG_CACHE_HOME to a directory elsewhere"));
        }
        let lock = disk::open_private_append(&directory.join("lock"));
        let lock = lock.and_then(|lock| lock.lock().map(|()| lock));
        let store = CheckpointStore {
            _alone: lock.map_err(|error| unusable(&directory, &error))?,
            common_dir: absolute(repo.common_dir()),
            repo,
            root,
            directory,
            git_dir,
        };
        store.forget_idle();
        store.begin()?;
        Ok(store)
    }

    fn begin(&self) -> Result<()> {
        if self.file("config").exists() {
            return Ok(());
        }
        let repo = &self.repo.repo;
        let mut config = private_config(repo.object_hash(), CONFIG);
        for key in ["fileMode", "symlinks", "ignoreCase"] {
            let known = repo.config_snapshot();
            if let Some(value) = known.boolean(format!("core.{key}").as_str()) {
                config.push_str(&format!("[core]\n\t{key} = {value}\n"));
            }
        }
        for name in [
            "objects",
            "refs",
            "info",
            "copies",
            "checkpoints",
            "sessions",
            "changes",
        ] {
            let made = fs::create_dir_all(self.file(name));
            made.map_err(|error| unusable(&self.directory, &error))?;
        }
        self.save("HEAD", b"ref: refs/heads/none\n")?;
        self.save("info/attributes", ATTRIBUTES.as_bytes())?;
        self.save("root", self.root.to_string_lossy().as_bytes())?;
        // The last file says that all are there.
        self.save("config", config.as_bytes())
    }

    /// Whether there are checkpoints of a work tree around this directory, whose repository may be gone.
    pub fn is_there_for(directory: &Path) -> bool {
        let stores = cache_directory().and_then(|cache| fs::read_dir(cache).ok());
        let mut stores = stores.into_iter().flatten().flatten();
        stores.any(|store| {
            let root = fs::read_to_string(store.path().join("root"));
            root.is_ok_and(|root| absolute(directory).starts_with(root))
        })
    }

    /// Notes that a session that is nowhere observed was asked about; true for the first time.
    pub fn note_unobserved(session: &str) -> bool {
        let Some(cache) = cache_directory() else {
            return false;
        };
        let name = write_guard_policy::sha256::sha256(session.as_bytes());
        let place = cache.join("unobserved").join(name.to_string());
        let made = disk::create_private_directory(disk::directory_of(&place));
        made.is_ok() && File::create_new(place).is_ok()
    }

    fn file(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }

    /// Replaces a file of the store.
    fn save(&self, name: &str, content: &[u8]) -> Result<()> {
        let path = self.file(name);
        let temporary = path.with_extension("new");
        fs::write(&temporary, content)
            .and_then(|()| fs::rename(temporary, path))
            .map_err(|error| unusable(&self.directory, &error))
    }

    /// The repository that also reads the contents of checkpoints, and these blobs.
    ///
    /// # Errors
    /// It cannot be opened.
    pub fn repository(&self, blobs: Blobs) -> Result<Repository> {
        let mut repo = Repository::open(&self.root)?;
        let both = [self.file("objects"), self.common_dir.join("objects")];
        repo.read_from(PrivateObjects::borrowing(both)?)?;
        repo.objects = repo.objects.holding(blobs);
        Ok(repo)
    }

    /// The file that notes below the git directory which session is observed.
    fn note(&self) -> PathBuf {
        self.git_dir.join("guard").join("observed")
    }

    fn files(&self, directory: &str) -> impl Iterator<Item = PathBuf> {
        let entries = fs::read_dir(self.file(directory)).into_iter();
        entries.flatten().flatten().map(|entry| entry.path())
    }

    /// Keeps a copy of a content; its name is the answer.
    fn keep(&self, content: &[u8]) -> Result<String> {
        let name = self.repo.blob_id(content)?.to_string();
        if !self.file("copies").join(&name).exists() {
            self.save(&format!("copies/{name}"), content)?;
        }
        Ok(name)
    }

    /// The content of a saved file; empty if there was none.
    fn content_of(&self, saved: Option<&SavedFile>) -> Result<Vec<u8>> {
        match saved {
            Some(saved) => self.read_copy(&saved.copy),
            None => Ok(Vec::new()),
        }
    }

    fn read_copy(&self, name: &str) -> Result<Vec<u8>> {
        fs::read(self.file("copies").join(name)).map_err(|error| unusable(&self.directory, &error))
    }

    /// Runs git on the private repository. Its index and objects are the store's own; `borrows` also finds the objects
    /// of the work tree's repository.
    fn git<T: AsRef<OsStr>>(
        &self,
        borrows: bool,
        arguments: impl IntoIterator<Item = T>,
        input: &[u8],
    ) -> Result<Vec<u8>> {
        let git = self.program(&self.directory, borrows);
        git.run(arguments, input).map_err(|why| self.failed(&why))
    }

    fn program(&self, git_dir: &Path, borrows: bool) -> Git {
        let git = Git::isolated(git_dir)
            .in_directory(&self.root)
            .env("GIT_WORK_TREE", &self.root)
            .set("core.hooksPath", "/dev/null")
            .by_guard();
        if borrows {
            git.borrows(&self.common_dir.join("objects"))
        } else {
            git
        }
    }

    fn failed(&self, why: &str) -> Error {
        let directory = show_file(&self.directory);
        Error::new(format!("guard could not record the work tree: {why}"))
            .help("guard needs git on the PATH, and a work tree that it can read")
            .help(format!("a person may delete the checkpoints: {directory}"))
    }
}

/// The directory of all checkpoints of the user.
fn cache_directory() -> Option<PathBuf> {
    let variables = ["XDG_CACHE_HOME", "LOCALAPPDATA"];
    let named = variables.iter().find_map(std::env::var_os);
    let named = named.map(PathBuf::from).filter(|path| path.is_absolute());
    let cache = named.or_else(|| Some(std::env::home_dir()?.join(".cache")));
    Some(cache?.join("guard"))
}

/// Whether git reads ignore rules from a file of this name.
fn has_rules(path: &[u8]) -> bool {
    path.rsplit_str("/").next() == Some(b".gitignore")
}

fn unusable(directory: &Path, error: &dyn std::fmt::Display) -> Error {
    let shown = show_file(directory);
    Error::new(format!(
        "the checkpoints in {shown} cannot be used: {error}"
    ))
    .help("the directory must be writable and have space; a person may delete it")
}
