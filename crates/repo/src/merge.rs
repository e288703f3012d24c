//! What git makes of two commits when it merges them, to tell that from what the committer changes.
//!
//! `git merge-tree` runs in a private bare repository that borrows the objects: no attribute, setting or merge driver
//! of the repository acts, and nothing is written to it.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::slice;

use gix::ObjectId;
use gix::bstr::{BStr, BString, ByteSlice};

use super::program::{Git, PrivateObjects, private_config, told};
use super::{Objects, Range, Repository, Tree};
use write_guard_policy::change::{Change, Kind, State};
use write_guard_policy::error::{Error, Result};

/// What the private repository sets. A commit-graph could tell other parents than the commits do.
const CONFIG: &str = "\
\tbare = true
\tattributesFile = /dev/null
\tcommitGraph = false
\tfsync = none
\tlooseCompression = 0
";

/// Prints the tree, and the paths in conflict.
const MERGE: [&str; 6] = [
    "merge-tree",
    "--write-tree",
    "--allow-unrelated-histories",
    "--no-messages",
    "--name-only",
    "-z",
];

/// How git answers options that it does not know.
const USAGE: i32 = 129;

/// What git makes of a path when it merges two commits.
pub struct MergeResult {
    /// Git's result, or in a conflict their whole version.
    pub states: Vec<Option<State>>,
    /// What to compare other versions with: git's result, or in a conflict of lines the results with either side.
    pub contents: Vec<(Kind, Vec<u8>)>,
}

impl Repository {
    /// Merges two commits as a host does for a pull request. Writes nothing to the repository; from now on, this finds
    /// the result.
    ///
    /// # Errors
    /// The commits conflict or cannot be merged.
    pub fn merge_of(&mut self, parents: [ObjectId; 2]) -> Result<ObjectId> {
        let private = begin(self.objects(), parents)?;
        let (tree, conflicts) = merge(&private, parents, &[])?;
        if !conflicts.is_empty() {
            return Err(
                Error::new("the branch conflicts with its target, so no job runs for it")
                    .help("merge the target into the branch, or rebase the branch"),
            );
        }
        let [tree, ours, theirs] = [tree, parents[0], parents[1]].map(|id| id.to_string());
        let arguments = [
            "commit-tree",
            &tree,
            "-p",
            &ours,
            "-p",
            &theirs,
            "-m",
            "Merge",
        ];
        let git = Git::isolated(&private.file("")).by_guard();
        let written = git.run(arguments, b"");
        let written = written.map_err(|why| cannot(&why))?;
        let id = ObjectId::from_hex(written.trim()).map_err(|_| cannot("no commit"))?;
        self.read_from(private)?;
        Ok(id)
    }
}

/// What git makes of each changed path when it merges two commits.
///
/// # Errors
/// The commits cannot be merged, or an object cannot be read.
pub fn merge_results(
    objects: &Objects,
    parents: [ObjectId; 2],
    changes: &[Change],
) -> Result<Vec<MergeResult>> {
    let private = begin(objects, parents)?;
    let (tree, conflicts) = merge(&private, parents, &[])?;
    let objects = objects.reading(private.open(objects.hash_kind())?);
    let tree = Tree::at(&objects, tree);
    let [ours, theirs] = parents.map(|parent| Tree::of_commit(&objects, Some(parent)));
    let ours = ours?;
    let theirs = theirs?;
    let mut sides = Vec::new();
    if !conflicts.is_empty() {
        for (option, side) in [("ours", &ours), ("theirs", &theirs)] {
            sides.push(match merge(&private, parents, &["-X", option]) {
                Ok((resolved, _)) => Tree::at(&objects, resolved),
                // Git before 2.43 resolves nothing.
                Err(_) => side.clone(),
            });
        }
    }
    let mut results = Vec::with_capacity(changes.len());
    for change in changes {
        let path: &BStr = change.path.as_ref();
        let (whole, mut parts) = if conflicts.contains(path) {
            (&theirs, sides.as_slice())
        } else {
            (&tree, slice::from_ref(&tree))
        };
        let state = whole.get(path)?;
        // A file of a renamed directory is where neither side has it: a person says where it belongs.
        if parts.len() > 1 && state.is_none() && ours.get(path)?.is_none() {
            parts = &[];
        }
        let mut contents = Vec::new();
        for part in parts.iter().filter(|_| state != change.new) {
            if let Some(resolved) = part.get(path)? {
                contents.push((resolved.kind, objects.content(Some(resolved))?));
            }
        }
        results.push(MergeResult {
            states: vec![state],
            contents,
        });
    }
    Ok(results)
}

/// Prepares a merge in a private repository. Without a common commit, git takes everything of both sides as new, which
/// is wrong where a clone only lacks it.
fn begin(objects: &Objects, parents: [ObjectId; 2]) -> Result<PrivateObjects> {
    let boundary = objects.boundary();
    if !boundary.is_empty() {
        let range = Range::between(objects, &parents[..1], parents[1])?;
        if range.base.is_none() && range.is_uncertain {
            return Err(Error::new(
                "the clone is shallow and lacks the merge base of the commits being merged",
            )
            .help("run `git fetch --unshallow`"));
        }
    }
    let private = PrivateObjects::borrowing([objects.odb()?.store_ref().path().to_owned()])?;
    let shallow: String = boundary.iter().map(|id| format!("{id}\n")).collect();
    let config = private_config(objects.hash_kind(), CONFIG);
    set_up(&private, &config, &shallow).map_err(|error| cannot(&error.to_string()))?;
    Ok(private)
}

/// Writes what makes a directory with objects a repository, which ends at the same commits as a shallow clone.
fn set_up(private: &PrivateObjects, config: &str, shallow: &str) -> io::Result<()> {
    fs::create_dir(private.file("refs"))?;
    fs::write(private.file("config"), config)?;
    if !shallow.is_empty() {
        fs::write(private.file("shallow"), shallow)?;
    }
    fs::write(private.file("HEAD"), "ref: refs/heads/none\n")
}

/// Merges two commits with these options: the tree, and the paths in conflict.
fn merge(
    private: &PrivateObjects,
    parents: [ObjectId; 2],
    options: &[&str],
) -> Result<(ObjectId, HashSet<BString>)> {
    let [ours, theirs] = parents.map(|parent| parent.to_string());
    let arguments = MERGE.into_iter().chain(options.iter().copied());
    let arguments = arguments.chain([ours.as_str(), &theirs]);
    let output = Git::isolated(&private.file("")).output(arguments, b"");
    let output = output.map_err(|why| cannot(&why))?;
    match output.status.code() {
        // 1 means conflicts.
        Some(0 | 1) => {}
        Some(USAGE) => return Err(cannot("this git is older than 2.40")),
        _ => return Err(cannot(&told(&output))),
    }
    // Each has a NUL behind.
    let mut parts = output.stdout.split_str("\0");
    let tree = parts.next().and_then(|id| ObjectId::from_hex(id).ok());
    let tree = tree.ok_or_else(|| cannot("git's answer is unknown"))?;
    let conflicts = parts.filter(|path| !path.is_empty());
    Ok((tree, conflicts.map(BString::from).collect()))
}

fn cannot(why: &str) -> Error {
    Error::new(format!("the parents cannot be merged: {why}")).help(
        "guard needs git 2.40 or newer on the PATH to tell what a merge took over from what \
         the committer changed",
    )
}
