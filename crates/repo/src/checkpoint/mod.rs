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
use std::ffi::OsStr;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::Duration;

use gix::ObjectId;
use gix::bstr::ByteSlice;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::program::{Git, PrivateObjects, private_config};
use super::{Blobs, Repository, Tree, show_file};
use crate::disk::{self, absolute};
use write_guard_policy::error::{Error, Result};
use write_guard_policy::path::escaped;

/// What the private repository sets: contents are kept as they are, and nothing else runs.
const CONFIG: &str = "\tbare = false\n\tfsmonitor = false\n\tattributesFile = /dev/null\n\texcludesFile = /dev/null\n\tautocrlf = false\n\tsafecrlf = false\n\tuntrackedCache = false\n\tsplitIndex = false\n\tfsync = none\n\tlooseCompression = 0\n[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n[advice]\n\taddEmbeddedRepo = false\n";
/// Begins the name of a change.
pub const CHANGE: &str = "cp-";
/// Turns off every conversion; the attributes of the work tree come after it.
const ATTRIBUTES: &str = "* -text -filter -ident -working-tree-encoding\n";

/// After this time without a call, a session has ended.
const IDLE: Duration = Duration::from_secs(24 * 60 * 60);

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

    /// The trees of the newest stash of a checkpoint: their contents come back with `git stash pop`.
    pub fn stash_in(&self, one: &Checkpoint) -> Vec<Tree<'_>> {
        let tip = one.refs.get("refs/stash");
        let tip = tip.and_then(|tip| self.commit(id(tip)?).ok());
        let commits = tip.map(|tip| [Some(tip.id), tip.parents.get(2).copied()]);
        let commits = commits.into_iter().flatten().flatten();
        let trees = commits.map(|commit| self.tree_of(Some(commit)));
        trees.filter_map(Result::ok).collect()
    }
}

impl<'a> CheckpointStore<'a> {
    /// Opens the checkpoints of a work tree, or begins them. Those of sessions without a call for a long time are
    /// deleted.
    ///
    /// # Errors
    /// The cache directory is in the work tree, or cannot be written.
    pub fn open(repo: &'a Repository) -> Result<CheckpointStore<'a>> {
        let (root, git_dir) = (absolute(repo.own_workdir()?), absolute(repo.git_dir()));
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
        for name in ["objects", "refs", "info", "copies", "sessions", "changes"] {
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

    /// Keeps a change, and names it.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn report(&self, change: &ObservedChange) -> Result<String> {
        let text = serde_json::to_vec(change).unwrap_or_default();
        // No snapshot has such a name.
        let name = format!("{CHANGE}{}", self.repo.blob_id(&text)?.to_hex_with_len(8));
        self.save(&format!("changes/{name}"), &text)?;
        Ok(name)
    }

    /// The change with this name.
    ///
    /// # Errors
    /// There is none any more.
    pub fn observed(&self, name: &str) -> Result<ObservedChange> {
        let id = name.strip_prefix(CHANGE).unwrap_or("/");
        let is_name = id.bytes().all(|byte| byte.is_ascii_hexdigit());
        let text = fs::read(self.file("changes").join(name)).ok();
        let text = text.filter(|_| is_name);
        let change = text.and_then(|text| serde_json::from_slice(&text).ok());
        change.ok_or_else(|| {
            Error::new(format!("guard knows no change {}", escaped(name)))
                .help("changes of commands are kept until the session of the agent ends")
                .help("what only the work tree had is a snapshot: guard snapshot list")
        })
    }

    /// The notes of a session; the default for a new one.
    ///
    /// # Errors
    /// They cannot be read, or are gone although the git directory has a note of the session.
    pub fn session<T: Default + DeserializeOwned>(&self, id: &str) -> Result<T> {
        let file = self.file("sessions").join(id);
        if let Ok(text) = fs::read(&file) {
            return serde_json::from_slice(&text).map_err(|error| {
                Error::new(format!("the notes of the session are damaged: {error}"))
                    .help(format!("a person may delete {}", show_file(&file)))
            });
        }
        let note = self.note();
        if fs::read_to_string(&note).is_ok_and(|known| known == id) {
            let _ = fs::remove_file(&note);
            return Err(Error::new("the checkpoints of this session are gone")
                .help("if a command removed them, tell the user what it changed"));
        }
        Ok(T::default())
    }

    /// Keeps the notes of a session, and deletes the copies that no session and no change needs.
    ///
    /// # Errors
    /// They cannot be written.
    pub fn keep_session(&self, id: &str, notes: &impl Serialize) -> Result<()> {
        let text = serde_json::to_vec(notes).unwrap_or_default();
        self.save(&format!("sessions/{id}"), &text)?;
        let note = self.note();
        disk::create_private_directory(disk::directory_of(&note))
            .and_then(|()| fs::write(&note, id))
            .map_err(|error| unusable(&note, &error))?;
        let mut needed = Vec::new();
        for place in self.files("sessions").chain(self.files("changes")) {
            needed.extend(fs::read(place).unwrap_or_default());
        }
        for copy in self.files("copies") {
            let name = copy.file_name().unwrap_or_default();
            if !needed.contains_str(name.as_encoded_bytes()) {
                let _ = fs::remove_file(copy);
            }
        }
        Ok(())
    }

    /// Ends a session. The last one takes all checkpoints along.
    pub fn end_session(&self, id: &str) {
        let _ = fs::remove_file(self.file("sessions").join(id));
        let _ = fs::remove_file(self.note());
        if self.files("sessions").next().is_none() {
            self.forget();
        }
    }

    /// Ends the sessions without a call for a long time.
    fn forget_idle(&self) {
        for session in self.files("sessions") {
            let modified = session.metadata().and_then(|about| about.modified());
            let age = modified.ok().and_then(|at| at.elapsed().ok());
            if age.is_some_and(|age| age > IDLE) {
                self.end_session(&session.file_name().unwrap_or_default().to_string_lossy());
            }
        }
    }

    fn forget(&self) {
        // What stays behind is overwritten or not used.
        for name in ["config", "index", "tree", "objects", "copies", "changes"] {
            let path = self.file(name);
            let _ = fs::remove_file(&path).or_else(|_| fs::remove_dir_all(&path));
        }
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

fn unusable(directory: &Path, error: &dyn std::fmt::Display) -> Error {
    let shown = show_file(directory);
    Error::new(format!(
        "the checkpoints in {shown} cannot be used: {error}"
    ))
    .help("the directory must be writable and have space; a person may delete it")
}
