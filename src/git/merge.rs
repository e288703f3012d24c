//! What git makes of two commits when it merges them, to tell that from what the committer changes.
//!
//! `git merge-tree` runs in a private bare repository that borrows the objects: no attribute, setting or merge driver
//! of the repository acts, and nothing is written to it.

use std::collections::{BTreeMap, HashSet};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::sync::{Mutex, PoisonError};

use gix::ObjectId;
use gix::bstr::{BStr, BString, ByteSlice};
use tempfile::TempDir;

use super::commits::is_new;
use super::program::{Git, PrivateObjects, private_config, told};
use super::{History, Objects, Tree};
use crate::change::{Change, Kind, State};
use crate::error::{Error, Result};

/// What the private repository sets. A commit-graph could tell other parents than the commits do.
const CONFIG: &str = "\tbare = true\n\tattributesFile = /dev/null\n\tcommitGraph = false\n\tfsync = none\n\tlooseCompression = 0\n";

/// How git before 2.38 answers options that it does not know.
const USAGE: i32 = 129;

/// Merges any two commits of a repository.
pub struct Merges {
    /// The commits whose parents a shallow clone lacks.
    boundary: HashSet<ObjectId>,
    /// Where the repository's objects are.
    objects: PathBuf,
    /// Made for the first merge.
    private: Mutex<Option<PrivateRepository>>,
}

struct PrivateRepository {
    directory: PrivateObjects,
    objects: Objects,
}

/// What git makes of a path when it merges two commits.
pub struct MergeResult {
    /// Git's result, or in a conflict their whole version.
    pub states: Vec<Option<State>>,
    /// What to compare other versions with: git's result, or in a conflict of lines the results with either side.
    pub contents: Vec<(Kind, Vec<u8>)>,
}

impl Merges {
    /// Merges commits of the repository with these objects; `boundary` are the commits whose parents a shallow clone
    /// lacks.
    pub(super) fn new(boundary: HashSet<ObjectId>, objects: PathBuf) -> Merges {
        Merges {
            boundary,
            objects,
            private: Mutex::default(),
        }
    }

    /// These parents without those that are ancestors of others, as git drops them. The first one always stays.
    ///
    /// # Errors
    /// A commit is missing or damaged.
    pub fn heads(&self, objects: &Objects, parents: &[ObjectId]) -> Result<Vec<ObjectId>> {
        let mut heads = parents.to_vec();
        for &parent in parents.iter().skip(1) {
            let at = heads.iter().rposition(|&head| head == parent);
            let Some(at) = at.filter(|&at| at > 0) else {
                continue;
            };
            heads.remove(at);
            if is_new(objects, &self.boundary, &heads, parent)? {
                heads.insert(at, parent);
            }
        }
        Ok(heads)
    }

    /// What git makes of each changed path when it merges two commits. `None` with a git before 2.38, which does not
    /// say.
    ///
    /// # Errors
    /// The commits cannot be merged, or an object cannot be read.
    pub fn results(
        &self,
        objects: &Objects,
        [ours, theirs]: [ObjectId; 2],
        changes: &[Change],
    ) -> Result<Option<Vec<MergeResult>>> {
        self.refuse_unknown_base(objects, [ours, theirs])?;
        let (git_dir, merged_objects) = self.private(objects)?;
        let Some(merged) = Merged::of(&git_dir, [ours, theirs])? else {
            return Ok(None);
        };
        let tree = Tree::at(&merged_objects, merged.tree);
        let side = |commit| Tree::of_commit(objects, Some(commit));
        let (ours, theirs) = (side(ours)?, side(theirs)?);
        let read = |state: State| Ok((state.kind, merged_objects.content(Some(state))?));
        let result = |change: &Change| {
            let path: &BStr = change.path.as_ref();
            let Some(stages) = merged.conflicts.get(path) else {
                let state = tree.get(path)?;
                let contents = match state == change.new {
                    true => Vec::new(),
                    false => state.into_iter().map(read).collect::<Result<_>>()?,
                };
                return Ok(MergeResult {
                    states: vec![state],
                    contents,
                });
            };
            let (our, their) = (ours.get(path)?, theirs.get(path)?);
            let contents = match resolved(&git_dir, objects, stages)? {
                _ if their == change.new => Vec::new(),
                Some(contents) => {
                    let kind = our.or(their).map_or(Kind::File, |state| state.kind);
                    contents.map(|content| (kind, content)).into()
                }
                None => {
                    let both = our.into_iter().chain(their);
                    both.map(read).collect::<Result<_>>()?
                }
            };
            Ok(MergeResult {
                states: vec![their],
                contents,
            })
        };
        changes.iter().map(result).collect::<Result<_>>().map(Some)
    }

    /// Without a common commit, git takes everything of both sides as new, which is wrong where a clone only lacks it.
    fn refuse_unknown_base(&self, objects: &Objects, [ours, theirs]: [ObjectId; 2]) -> Result<()> {
        if self.boundary.is_empty() {
            return Ok(());
        }
        let history = History::between(objects, &self.boundary, &[ours], theirs)?;
        match history.bases.is_empty() && history.is_cut {
            true => Err(Error::new(
                "the clone is shallow and lacks the merge base of the commits being merged",
            )
            .help("run `git fetch --unshallow`")),
            false => Ok(()),
        }
    }

    /// The private repository, and a handle to its objects.
    fn private(&self, objects: &Objects) -> Result<(PathBuf, Objects)> {
        let mut private = self.private.lock().unwrap_or_else(PoisonError::into_inner);
        let known = match private.take() {
            Some(known) => known,
            None => self.begin(objects.hash_kind())?,
        };
        let known = private.insert(known);
        Ok((known.directory.file(""), known.objects.clone()))
    }

    fn begin(&self, hash: gix::hash::Kind) -> Result<PrivateRepository> {
        let directory = PrivateObjects::borrowing([self.objects.clone()])?;
        let config = private_config(hash, CONFIG);
        let shallow = self.boundary.iter().map(|id| format!("{id}\n"));
        let write = || {
            fs::create_dir(directory.file("refs"))?;
            fs::write(directory.file("config"), config)?;
            if !self.boundary.is_empty() {
                fs::write(directory.file("shallow"), shallow.collect::<String>())?;
            }
            fs::write(directory.file("HEAD"), "ref: refs/heads/none\n")
        };
        write().map_err(|error: std::io::Error| cannot(&error.to_string()))?;
        let objects = Objects::new(directory.open(hash)?);
        Ok(PrivateRepository { directory, objects })
    }
}

/// A file that both sides changed or added, with each conflict resolved by our side, and by theirs; `None` if there are
/// no lines to merge.
fn resolved(
    git_dir: &Path,
    objects: &Objects,
    stages: &[Option<State>; 3],
) -> Result<Option<[Vec<u8>; 2]>> {
    let is_file = |state: &Option<State>| state.is_none_or(|state| state.kind.is_file());
    let [_, Some(_), Some(_)] = stages else {
        return Ok(None);
    };
    if !stages.iter().all(is_file) {
        return Ok(None);
    }
    let directory = TempDir::new_in(git_dir).map_err(|error| cannot(&error.to_string()))?;
    let names = ["base", "ours", "theirs"].map(|name| directory.path().join(name));
    for (name, state) in names.iter().zip(stages) {
        let content = objects.content(*state)?;
        fs::write(name, content).map_err(|error| cannot(&error.to_string()))?;
    }
    let [base, ours, theirs] = &names;
    let merge = |side: &str| {
        let arguments = ["merge-file", "--quiet", "--stdout", side].map(AsRef::as_ref);
        let files = [ours.as_os_str(), base.as_os_str(), theirs.as_os_str()];
        let merged = git(git_dir, arguments.into_iter().chain(files), b"")?;
        // Binary files are not merged.
        Ok(merged.status.success().then_some(merged.stdout))
    };
    match merge("--ours")? {
        Some(ours) => Ok(merge("--theirs")?.map(|theirs| [ours, theirs])),
        None => Ok(None),
    }
}

fn git(
    git_dir: &Path,
    arguments: impl IntoIterator<Item = impl AsRef<OsStr>>,
    input: &[u8],
) -> Result<Output> {
    let output = Git::isolated(git_dir).output(arguments, input);
    output.map_err(|why| cannot(&why))
}

/// The result of a merge.
struct Merged {
    tree: ObjectId,
    /// The base's, our and their version of each path in conflict.
    conflicts: BTreeMap<BString, [Option<State>; 3]>,
}

impl Merged {
    /// Merges two commits; `None` if git cannot do it without a work tree.
    fn of(git_dir: &Path, [ours, theirs]: [ObjectId; 2]) -> Result<Option<Merged>> {
        let arguments = [
            "merge-tree",
            "--write-tree",
            "--allow-unrelated-histories",
            "--no-messages",
            "-z",
            &ours.to_string(),
            &theirs.to_string(),
        ];
        let output = git(git_dir, arguments, b"")?;
        match output.status.code() {
            // 1 means conflicts.
            Some(0 | 1) => {
                let merged = Merged::parse(&output.stdout);
                merged
                    .map(Some)
                    .ok_or_else(|| cannot("git's answer is unknown"))
            }
            Some(USAGE) => Ok(None),
            _ => Err(cannot(&told(&output))),
        }
    }

    /// The tree, then for each version of a path in conflict `<mode> <id> <stage>` and after a tab the path, each with
    /// a NUL behind.
    fn parse(output: &[u8]) -> Option<Merged> {
        let mut parts = output.split(|&byte| byte == 0);
        let tree = ObjectId::from_hex(parts.next()?).ok()?;
        let mut conflicts: BTreeMap<BString, [Option<State>; 3]> = BTreeMap::new();
        for part in parts.filter(|part| !part.is_empty()) {
            let (about, path) = part.split_once_str("\t")?;
            let about: Vec<&str> = about.to_str().ok()?.split(' ').collect();
            let [mode, id, stage] = about[..] else {
                return None;
            };
            let state = State {
                kind: Kind::from_mode(u32::from_str_radix(mode, 8).ok()?),
                id: ObjectId::from_hex(id.as_bytes()).ok()?,
            };
            let stage = stage.parse::<usize>().ok()?.checked_sub(1)?;
            *conflicts.entry(path.into()).or_default().get_mut(stage)? = Some(state);
        }
        Some(Merged { tree, conflicts })
    }
}

fn cannot(why: &str) -> Error {
    Error::new(format!("the parents cannot be merged: {why}"))
        .help("guard needs git on the PATH to tell what a merge took over from what the committer changed")
}
