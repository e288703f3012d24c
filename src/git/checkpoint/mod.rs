//! Checkpoints: what a work tree and its repository hold at one moment. Two of them say what a command did, and the
//! first one brings it back.
//!
//! They are kept in a private repository of the user's cache directory: a command that removes `.git` does not reach
//! it, no clone or backup of the work tree takes it along, and it may be deleted at any time. Only this module starts
//! git for them, with nothing that the repository configures.

mod back;
mod record;
mod switches;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use gix::ObjectId;
use gix::bstr::BString;
use serde::{Deserialize, Serialize};

use super::program::{Git, object_directory, private_config};
use super::{Blobs, Objects, Repository, Tree};
use crate::change::{Kind, State};
use crate::disk;
use crate::disk::absolute;
use crate::error::{Error, Result};

/// What the private repository sets: contents are kept as they are, and nothing else runs.
const CONFIG: &str = "\tbare = false\n\thooksPath = /dev/null\n\tfsmonitor = false\n\tattributesFile = /dev/null\n\texcludesFile = /dev/null\n\tautocrlf = false\n\tsafecrlf = false\n\tuntrackedCache = false\n\tsplitIndex = false\n\tfsync = none\n\tlooseCompression = 0\n[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n[advice]\n\taddEmbeddedRepo = false\n";
/// Begins the name of a change.
pub const CHANGE: &str = "cp-";
/// Turns off every conversion; the attributes of the work tree come after it.
const ATTRIBUTES: &str = "* -text -filter -ident -working-tree-encoding\n";

/// The directories of a store.
const DIRECTORIES: [&str; 7] = [
    "objects/info",
    "refs",
    "info",
    "copies",
    "both/info",
    "sessions",
    "changes",
];

/// What a work tree and its repository held.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// The tree with the files that were not ignored, as they were on disk.
    tree: String,
    /// The content of git's `HEAD`.
    head: String,
    /// The commit of HEAD.
    head_commit: Option<String>,
    /// Every ref but guard's own, with its target.
    refs: BTreeMap<String, String>,
    /// The commits of the newest stash: its contents come back with `git stash pop`.
    stash: Vec<String>,
    /// The copy of the index; `None` for no index.
    index: Option<String>,
    /// The files that say which hooks run and what git ignores, each with its copy.
    switches: BTreeMap<String, Option<SavedFile>>,
    /// Files too large or unreadable to keep, with size and time.
    sizes: BTreeMap<String, String>,
    /// The copy of the ignore rules.
    rules: String,
}

/// A change that was observed and reported.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ObservedChange {
    /// What there was before.
    pub before: Checkpoint,
    /// What there was afterwards.
    pub after: Checkpoint,
    /// The paths of the report.
    pub paths: Vec<String>,
}

/// The copy of a file outside the work tree's tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct SavedFile {
    copy: String,
    is_executable: bool,
}

/// The checkpoints of one work tree. Other processes wait until it is dropped.
pub struct CheckpointStore {
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
        id(self.head_commit.as_deref()?)
    }

    /// The tree of the work tree.
    pub fn tree(&self) -> Option<ObjectId> {
        id(&self.tree)
    }

    /// The refs with their targets; symbolic ones are left out.
    pub fn refs(&self) -> impl Iterator<Item = (&str, ObjectId)> {
        let parsed = |(name, target): (_, &String)| Some((name, id(target)?));
        self.refs
            .iter()
            .filter_map(move |(name, target)| parsed((name.as_str(), target)))
    }

    /// The commits of the newest stash.
    pub fn stash(&self) -> impl Iterator<Item = ObjectId> {
        self.stash.iter().filter_map(|commit| id(commit))
    }

    /// Whether both have the same ignore rules.
    pub fn has_rules_of(&self, other: &Checkpoint) -> bool {
        self.rules == other.rules
    }

    /// Whether the index may differ.
    pub fn has_other_index(&self, other: &Checkpoint) -> bool {
        self.index != other.index
    }

    /// The files that only differ in size or time, with the states that stand for them.
    pub fn sized<'a>(
        &'a self,
        repo: &'a Repository,
    ) -> impl Iterator<Item = (BString, State, String)> + 'a {
        self.sizes.iter().filter_map(|(path, size)| {
            let id = repo.blob_id(size.as_bytes()).ok()?;
            let state = State {
                kind: Kind::File,
                id,
            };
            Some((path.as_str().into(), state, size.clone()))
        })
    }

    /// The copies that it needs.
    pub fn copies(&self) -> impl Iterator<Item = &str> {
        let switches = self.switches.values().flatten();
        let own = [Some(&self.rules), self.index.as_ref()];
        let copies = switches.map(|saved| &saved.copy);
        copies.chain(own.into_iter().flatten()).map(String::as_str)
    }
}

/// The keys whose values differ, in order, each with both values.
pub fn differing<'a, K: Ord, V: PartialEq>(
    old: &'a BTreeMap<K, V>,
    new: &'a BTreeMap<K, V>,
) -> impl Iterator<Item = (&'a K, Option<&'a V>, Option<&'a V>)> {
    let keys: BTreeSet<&K> = old.keys().chain(new.keys()).collect();
    let both = keys
        .into_iter()
        .map(|key| (key, old.get(key), new.get(key)));
    both.filter(|(_, old, new)| old != new)
}

fn id(hex: &str) -> Option<ObjectId> {
    ObjectId::from_hex(hex.as_bytes()).ok()
}

impl Repository {
    /// The work tree of a checkpoint.
    pub(crate) fn tree_in(&self, one: &Checkpoint) -> Tree<'_> {
        let none = ObjectId::empty_tree(self.repo.object_hash());
        Tree::at(&self.objects, one.tree().unwrap_or(none))
    }
}

impl CheckpointStore {
    /// Opens the checkpoints of a work tree, or begins them.
    ///
    /// # Errors
    /// The work tree is the home directory, or the cache directory cannot be written.
    pub fn open(repo: &Repository) -> Result<CheckpointStore> {
        let root = absolute(repo.own_workdir()?);
        let home = std::env::home_dir().filter(|home| !home.as_os_str().is_empty());
        if home.as_deref().map(absolute) == Some(root.clone()) {
            return Err(Error::new(
                "the repository is the home directory, which guard does not copy into checkpoints",
            )
            .help("work in a repository of its own"));
        }
        let cache = cache_directory()
            .ok_or_else(|| Error::new("there is no directory for checkpoints: HOME is not set"))?;
        let git_dir = absolute(repo.git_dir());
        let key = format!("{}\n{}", root.display(), git_dir.display());
        let directory = cache.join(repo.blob_id(key.as_bytes())?.to_string());
        if directory.starts_with(&root) {
            return Err(Error::new(format!(
                "the cache directory {} is in the work tree, where checkpoints would be copied into each other",
                super::show_file(&cache)
            ))
            .help("set XDG_CACHE_HOME to a directory elsewhere"));
        }
        let begin = || -> io::Result<File> {
            disk::create_private_directory(&directory)?;
            let lock = disk::open_private_append(&directory.join("lock"))?;
            lock.lock()?;
            Ok(lock)
        };
        let store = CheckpointStore {
            _alone: begin().map_err(|error| unusable(&directory, &error))?,
            common_dir: absolute(repo.common_dir()),
            root,
            directory,
            git_dir,
        };
        store.begin(repo)?;
        Ok(store)
    }

    fn begin(&self, repo: &Repository) -> Result<()> {
        if self.directory.join("config").exists() {
            return Ok(());
        }
        let mut config = private_config(repo.repo.object_hash(), CONFIG);
        for key in ["fileMode", "symlinks", "ignoreCase"] {
            let known = repo.repo.config_snapshot();
            if let Some(value) = known.boolean(format!("core.{key}").as_str()) {
                config.push_str(&format!("[core]\n\t{key} = {value}\n"));
            }
        }
        for name in DIRECTORIES {
            fs::create_dir_all(self.directory.join(name))
                .map_err(|error| unusable(&self.directory, &error))?;
        }
        self.save("HEAD", b"ref: refs/heads/none\n")?;
        self.save("info/attributes", ATTRIBUTES.as_bytes())?;
        self.save("root", self.root.to_string_lossy().as_bytes())?;
        let own = object_directory(&self.directory.join("objects"))?;
        let both = own + &object_directory(&self.common_dir.join("objects"))?;
        self.save("both/info/alternates", both.as_bytes())?;
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

    /// Where callers keep what belongs to the checkpoints.
    pub fn file(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }

    /// Replaces a file of the store, if it holds something else.
    ///
    /// # Errors
    /// A file system error.
    pub fn write(&self, name: &str, content: &[u8]) -> io::Result<()> {
        let path = self.directory.join(name);
        if fs::read(&path).is_ok_and(|known| known == content) {
            return Ok(());
        }
        let temporary = path.with_extension("new");
        fs::write(&temporary, content)?;
        fs::rename(temporary, path)
    }

    fn save(&self, name: &str, content: &[u8]) -> Result<()> {
        self.write(name, content)
            .map_err(|error| unusable(&self.directory, &error))
    }

    /// The repository that also reads the contents of checkpoints, and these blobs.
    ///
    /// # Errors
    /// It cannot be opened.
    pub fn repository(&self, blobs: Blobs) -> Result<Repository> {
        let mut repo = Repository::open(&self.root)?;
        let objects = gix::odb::at(self.directory.join("both"), repo.repo.object_hash())
            .map_err(|error| unusable(&self.directory, &error))?;
        repo.repo.objects = gix::odb::memory::Proxy::from(objects);
        repo.objects = Objects::new(repo.repo.objects.clone()).holding(blobs);
        Ok(repo)
    }

    /// Keeps a change, and names it.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn report(&self, repo: &Repository, change: &ObservedChange) -> Result<String> {
        let text = serde_json::to_vec(change).unwrap_or_default();
        // No snapshot has such a name.
        let name = format!("{CHANGE}{}", repo.blob_id(&text)?.to_hex_with_len(8));
        self.save(&format!("changes/{name}"), &text)?;
        Ok(name)
    }

    /// The change with this name.
    ///
    /// # Errors
    /// There is none any more.
    pub fn observed(&self, name: &str) -> Result<ObservedChange> {
        let is_name = name
            .strip_prefix(CHANGE)
            .is_some_and(|id| id.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let text = is_name.then(|| fs::read(self.directory.join("changes").join(name)).ok());
        let change = text
            .flatten()
            .and_then(|text| serde_json::from_slice(&text).ok());
        change.ok_or_else(|| {
            Error::new(format!(
                "guard knows no change {}",
                crate::path::escaped(name)
            ))
            .help("changes of commands are kept until the session of the agent ends")
            .help("what only the work tree had is a snapshot: guard snapshot list")
        })
    }

    /// Deletes all checkpoints.
    pub fn forget(&self) {
        self.forget_tree();
        for name in ["config", "index", "objects", "copies", "changes"] {
            let path = self.directory.join(name);
            // What stays behind is overwritten or not used.
            let _ = fs::remove_file(&path).or_else(|_| fs::remove_dir_all(&path));
        }
    }

    /// Deletes the copies that no checkpoint needs.
    pub fn forget_copies(&self, is_needed: impl Fn(&str) -> bool) {
        let copies = fs::read_dir(self.directory.join("copies"));
        for copy in copies.into_iter().flatten().flatten() {
            if !is_needed(&copy.file_name().to_string_lossy()) {
                let _ = fs::remove_file(copy.path());
            }
        }
    }

    /// Keeps a copy of a content; its name is the answer.
    fn keep(&self, repo: &Repository, content: &[u8]) -> Result<String> {
        let name = repo.blob_id(content)?.to_string();
        if !self.copy(&name).exists() {
            self.save(&format!("copies/{name}"), content)?;
        }
        Ok(name)
    }

    /// The file of a copy.
    fn copy(&self, name: &str) -> PathBuf {
        self.directory.join("copies").join(name)
    }

    fn read_copy(&self, name: &str) -> Result<Vec<u8>> {
        fs::read(self.copy(name)).map_err(|error| unusable(&self.directory, &error))
    }

    /// Runs git on the private repository. Its index and objects are the store's own; `borrows` also finds the objects
    /// of the work tree's repository.
    fn git(&self, borrows: bool, arguments: &[&str], input: &[u8]) -> Result<Vec<u8>> {
        self.git_in(&self.directory, borrows, arguments, input)
    }

    fn git_in(
        &self,
        git_dir: &Path,
        borrows: bool,
        arguments: &[&str],
        input: &[u8],
    ) -> Result<Vec<u8>> {
        let git = self.program(git_dir, borrows);
        git.run(arguments, input).map_err(|why| self.failed(&why))
    }

    fn program(&self, git_dir: &Path, borrows: bool) -> Git {
        let mut git = Git::isolated(git_dir)
            .in_directory(&self.root)
            .env("GIT_WORK_TREE", &self.root);
        for who in ["AUTHOR", "COMMITTER"] {
            git = git
                .env(&format!("GIT_{who}_NAME"), "guard")
                .env(&format!("GIT_{who}_EMAIL"), "guard@localhost");
        }
        match borrows {
            true => git.borrows(&self.common_dir.join("objects")),
            false => git,
        }
    }

    fn failed(&self, why: &str) -> Error {
        Error::new(format!("guard could not record the work tree: {why}"))
            .help("guard needs git on the PATH, and a work tree that it can read")
            .help(format!(
                "a person may delete the checkpoints: {}",
                super::show_file(&self.directory)
            ))
    }
}

/// The directory of all checkpoints of the user.
fn cache_directory() -> Option<PathBuf> {
    let variables = ["XDG_CACHE_HOME", "LOCALAPPDATA"];
    let named = variables.iter().find_map(std::env::var_os);
    let named = named.map(PathBuf::from).filter(|path| path.is_absolute());
    let cache = named.or_else(|| Some(std::env::home_dir()?.join(".cache")))?;
    let cache = cache.ancestors().find_map(|path| {
        Some(
            path.canonicalize()
                .ok()?
                .join(cache.strip_prefix(path).ok()?),
        )
    });
    Some(cache?.join("guard"))
}

fn unusable(directory: &Path, error: &dyn std::fmt::Display) -> Error {
    Error::new(format!(
        "the checkpoints in {} cannot be used: {error}",
        super::show_file(directory)
    ))
    .help("the directory must be writable and have space; a person may delete it")
}
