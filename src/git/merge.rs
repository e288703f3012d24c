//! What git makes of two commits when it merges them, to tell that from what the committer changes.
//!
//! `git merge-tree` runs in a private bare repository that borrows the objects: no attribute, setting or merge driver
//! of the repository acts, and nothing is written to it.

use std::collections::HashSet;
use std::fs;
use std::path::PathBuf;
use std::slice;

use gix::ObjectId;
use gix::bstr::{BStr, BString, ByteSlice};

use super::commits::is_new;
use super::program::{Git, PrivateObjects, private_config, told};
use super::{History, Objects, Tree};
use crate::change::{Change, Kind, State};
use crate::error::{Error, Result};

/// What the private repository sets. A commit-graph could tell other parents than the commits do.
const CONFIG: &str = "\tbare = true\n\tattributesFile = /dev/null\n\tcommitGraph = false\n\tfsync = none\n\tlooseCompression = 0\n";

/// How git answers options that it does not know.
const USAGE: i32 = 129;

/// Merges any two commits of a repository.
pub struct Merges {
    /// The commits whose parents a shallow clone lacks.
    boundary: HashSet<ObjectId>,
    /// Where the repository's objects are.
    objects: PathBuf,
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
        Merges { boundary, objects }
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

    /// The commit that merges two others, as a host makes it for a pull request, and the directory with its objects.
    /// `None` with a git before 2.38.
    ///
    /// # Errors
    /// The commits conflict or cannot be merged.
    pub(super) fn commit(
        &self,
        objects: &Objects,
        parents: [ObjectId; 2],
    ) -> Result<Option<(ObjectId, PrivateObjects)>> {
        let merge = self.begin(objects, parents)?;
        let Some(merged) = merge.run(&[])? else {
            return Ok(None);
        };
        if !merged.conflicts.is_empty() {
            return Err(
                Error::new("the branch conflicts with its target, so no job runs for it")
                    .help("merge the target into the branch, or rebase the branch"),
            );
        }
        let [ours, theirs] = parents;
        let who = "guard <guard@localhost> 0 +0000";
        let commit = format!(
            "tree {}\nparent {ours}\nparent {theirs}\nauthor {who}\ncommitter {who}\n\nMerge\n",
            merged.tree
        );
        let arguments = ["hash-object", "-t", "commit", "-w", "--stdin"];
        let written = Git::isolated(&merge.private.file(""))
            .run(arguments, commit.as_bytes())
            .map_err(|why| cannot(&why))?;
        let id = ObjectId::from_hex(written.trim()).map_err(|_| cannot("no commit"))?;
        Ok(Some((id, merge.private)))
    }

    /// What git makes of each changed path when it merges two commits. `None` with a git before 2.38, which does not
    /// say.
    ///
    /// # Errors
    /// The commits cannot be merged, or an object cannot be read.
    pub fn results(
        &self,
        objects: &Objects,
        parents: [ObjectId; 2],
        changes: &[Change],
    ) -> Result<Option<Vec<MergeResult>>> {
        let merge = self.begin(objects, parents)?;
        let Some(merged) = merge.run(&[])? else {
            return Ok(None);
        };
        let objects = Objects::new(merge.private.open(objects.hash_kind())?);
        let tree = Tree::at(&objects, merged.tree);
        let [ours, theirs] = parents.map(|parent| Tree::of_commit(&objects, Some(parent)));
        let (ours, theirs) = (ours?, theirs?);
        let mut sides = Vec::new();
        if !merged.conflicts.is_empty() {
            for (side, commit) in ["ours", "theirs"].into_iter().zip(parents) {
                sides.push(match merge.run(&["-X", side])? {
                    Some(resolved) => Tree::at(&objects, resolved.tree),
                    // Git before 2.43 resolves nothing.
                    None => Tree::of_commit(&objects, Some(commit))?,
                });
            }
        }
        let result = |change: &Change| {
            let path: &BStr = change.path.as_ref();
            let (whole, mut parts) = match merged.conflicts.contains(path) {
                true => (&theirs, sides.as_slice()),
                false => (&tree, slice::from_ref(&tree)),
            };
            let state = whole.get(path)?;
            // A file of a renamed directory is where neither side has it: a person says where it belongs.
            if parts.len() > 1 && state.is_none() && ours.get(path)?.is_none() {
                parts = &[];
            }
            let mut contents = Vec::new();
            for part in parts.iter().filter(|_| state != change.new) {
                if let Some(state) = part.get(path)? {
                    contents.push((state.kind, objects.content(Some(state))?));
                }
            }
            Ok(MergeResult {
                states: vec![state],
                contents,
            })
        };
        changes.iter().map(result).collect::<Result<_>>().map(Some)
    }

    /// Prepares a merge. Without a common commit, git takes everything of both sides as new, which is wrong where a
    /// clone only lacks it.
    fn begin(&self, objects: &Objects, parents: [ObjectId; 2]) -> Result<Merge> {
        if !self.boundary.is_empty() {
            let history = History::between(objects, &self.boundary, &parents[..1], parents[1])?;
            if history.bases.is_empty() && history.is_cut {
                return Err(Error::new(
                    "the clone is shallow and lacks the merge base of the commits being merged",
                )
                .help("run `git fetch --unshallow`"));
            }
        }
        let private = PrivateObjects::borrowing([self.objects.clone()])?;
        let shallow: String = self.boundary.iter().map(|id| format!("{id}\n")).collect();
        let write = || {
            fs::create_dir(private.file("refs"))?;
            fs::write(
                private.file("config"),
                private_config(objects.hash_kind(), CONFIG),
            )?;
            if !shallow.is_empty() {
                fs::write(private.file("shallow"), shallow)?;
            }
            fs::write(private.file("HEAD"), "ref: refs/heads/none\n")
        };
        write().map_err(|error: std::io::Error| cannot(&error.to_string()))?;
        Ok(Merge { private, parents })
    }
}

/// A merge of two commits in a private repository.
struct Merge {
    private: PrivateObjects,
    parents: [ObjectId; 2],
}

/// The result of a merge.
struct Merged {
    tree: ObjectId,
    conflicts: HashSet<BString>,
}

impl Merge {
    /// Merges with these options; `None` if git does not know them.
    fn run(&self, options: &[&str]) -> Result<Option<Merged>> {
        let [ours, theirs] = self.parents.map(|parent| parent.to_string());
        let always = [
            "merge-tree",
            "--write-tree",
            "--allow-unrelated-histories",
            "--no-messages",
            "--name-only",
            "-z",
        ];
        let arguments = [&always, options, &[&ours, &theirs]].concat();
        let output = Git::isolated(&self.private.file("")).output(arguments, b"");
        let output = output.map_err(|why| cannot(&why))?;
        match output.status.code() {
            // 1 means conflicts.
            Some(0 | 1) => {}
            Some(USAGE) => return Ok(None),
            _ => return Err(cannot(&told(&output))),
        }
        // The tree and the paths in conflict, each with a NUL behind.
        let mut parts = output.stdout.split_str("\0");
        let tree = parts.next().and_then(|id| ObjectId::from_hex(id).ok());
        Ok(Some(Merged {
            tree: tree.ok_or_else(|| cannot("git's answer is unknown"))?,
            conflicts: parts
                .filter(|path| !path.is_empty())
                .map(BString::from)
                .collect(),
        }))
    }
}

fn cannot(why: &str) -> Error {
    Error::new(format!("the parents cannot be merged: {why}"))
        .help("guard needs git on the PATH to tell what a merge took over from what the committer changed")
}
