//! Computes the result of git's default merge strategy, with gix and in memory. Attributes and configuration are
//! ignored.
//!
//! Only the given paths are merged, and those that a rename may connect with them. Other renames do not matter: if
//! one side renames a file that the other side left alone, the merge is trivial.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use gix::ObjectId;
use gix::bstr::{BStr, BString, ByteSlice};
use gix::diff::{Rewrites, blob as diff, tree_with_rewrites};
use gix::filter::plumbing as filter;
use gix::merge::plumbing::blob::{
    self as merge, builtin_driver::text, pipeline::WorktreeRoots, platform,
};
use gix::merge::plumbing::tree::{self, Conflict, Resolution, TreatAsUnresolved};
use gix::objs::Write as _;
use gix::objs::tree::{Editor, EntryKind};
use gix::worktree::{Stack, stack};

use super::merge_lines::{self, MergedLines};
use super::{History, Objects, Repository, Tree, changes_between, failed};
use crate::change::{Change, Kind, State};
use crate::error::{Error, Result};

/// Larger files are not merged; people do not edit them line by line.
const MAX_SIZE: u64 = 8 << 20;
/// The total size of all files that may be part of a rename; they are held in memory.
const MAX_ENDS: u64 = 64 << 20;
/// The number of bytes to compare before rename detection gives up.
const MAX_COMPARED: u64 = 512 << 20;
/// The limit of rename detection when merge bases are merged. Git's limit is larger.
const RENAME_LIMIT: usize = 200;
/// The maximum nesting of merge bases that have several merge bases themselves.
const MAX_DEPTH: usize = 8;

/// Merges any two commits of a repository.
pub struct Merges {
    /// The commits whose parents a shallow clone lacks.
    boundary: HashSet<ObjectId>,
}

impl Repository {
    /// Prepares merges in this repository.
    ///
    /// # Errors
    /// The list of shallow commits cannot be read.
    pub(crate) fn merges(&self) -> Result<Merges> {
        let boundary = self.boundary()?;
        Ok(Merges { boundary })
    }
}

/// The old and new state of each path that differs from the base.
type SideChanges = HashMap<BString, (Option<State>, Option<State>)>;

/// What git makes of a path when it merges two commits.
pub struct MergeResult {
    /// Git's result, or in a conflict their whole version.
    pub states: Vec<Option<State>>,
    /// What to compare other versions with: git's result, or in a conflict of lines the results with either side.
    pub contents: Vec<(Kind, Vec<u8>)>,
}

impl Merges {
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
            let history = History::between(objects.clone(), &self.boundary, &heads, parent)?;
            if !history.ahead.is_empty() {
                heads.insert(at, parent);
            }
        }
        Ok(heads)
    }

    /// What git makes of each changed path when it merges two commits.
    ///
    /// # Errors
    /// The commits cannot be merged, or an object cannot be read.
    pub fn results(
        &self,
        objects: &Objects,
        [ours, theirs]: [ObjectId; 2],
        changes: &[Change],
    ) -> Result<Vec<MergeResult>> {
        let objects = objects.writing_to_memory();
        let base = self.base(&objects, [ours, theirs], 0)?;
        let tree = |commit| objects.recorded(commit).map(|recorded| recorded.tree);
        let trees = [tree(ours)?, tree(theirs)?];
        let wanted: HashSet<&BStr> = changes.iter().map(|change| change.path.as_ref()).collect();
        let parts = Parts::of(&objects, base, trees, &wanted)?;
        let merged = merge(&objects, parts.write(&objects)?, parts.rewrites)?;
        let tree = Tree::at(&objects, merged.tree);
        let [ours, theirs] = trees.map(|tree| Tree::at(&objects, tree));
        let mut results = Vec::with_capacity(changes.len());
        for change in changes {
            let path: &BStr = change.path.as_ref();
            let (our, their) = (ours.get(path)?, theirs.get(path)?);
            let is_merged = parts.paths.contains_key(&change.path);
            let conflict = merged.conflicts.get(&change.path).filter(|_| is_merged);
            let is_file = |state: &State| state.kind.is_file();
            let state = match conflict {
                Some(_) if parts.gave_up && their.is_none() => our,
                Some(_) => their,
                None if is_merged => tree.get(path)?,
                // Git merges no links and submodules that both sides changed. Very large files may be merged.
                None if parts.unmerged.contains(&change.path) => {
                    match our.iter().chain(&their).all(is_file) {
                        true => our,
                        false => their,
                    }
                }
                None => {
                    let [ours, theirs] = &parts.sides;
                    let changed = theirs.get(&change.path).or(ours.get(&change.path));
                    changed.map_or(change.old, |(_, new)| *new)
                }
            };
            let read = |state: State| Ok((state.kind, objects.content(Some(state))?));
            let contents = match conflict {
                _ if state == change.new => Vec::new(),
                Some(Some(resolved)) => {
                    let kind = our.or(their).map_or(Kind::File, |state| state.kind);
                    resolved.clone().map(|content| (kind, content)).into()
                }
                Some(None) => our
                    .into_iter()
                    .chain(their)
                    .map(read)
                    .collect::<Result<_>>()?,
                None => state.into_iter().map(read).collect::<Result<_>>()?,
            };
            let states = vec![state];
            results.push(MergeResult { states, contents });
        }
        Ok(results)
    }

    /// The base tree for merging two commits. Like git, it merges several merge bases; without any, it is empty.
    fn base(
        &self,
        objects: &Objects,
        [ours, theirs]: [ObjectId; 2],
        depth: usize,
    ) -> Result<ObjectId> {
        let history = History::between(objects.clone(), &self.boundary, &[ours], theirs)?;
        let tree = |commit| objects.recorded(commit).map(|recorded| recorded.tree);
        let Some((&first, others)) = history.bases.split_first() else {
            return match history.is_cut {
                false => Ok(ObjectId::empty_tree(objects.hash_kind())),
                true => Err(Error::new(
                    "the clone is shallow and lacks the merge base of the commits being merged",
                )
                .help("run `git fetch --unshallow`")),
            };
        };
        let mut base = tree(first)?;
        for &other in others {
            if depth > MAX_DEPTH {
                return Err(Error::new(
                    "too many merge bases have merge bases of their own",
                ));
            }
            let below = self.base(objects, [first, other], depth + 1)?;
            let rewrites = Rewrites {
                limit: RENAME_LIMIT,
                ..Rewrites::default()
            };
            base = merge(objects, [below, base, tree(other)?], Some(rewrites))?.tree;
        }
        Ok(base)
    }
}

/// The parts of three trees to merge.
struct Parts {
    /// What each side changes.
    sides: [SideChanges; 2],
    /// The base's, our and their state by path, for paths that both sides changed and ends of renames.
    paths: BTreeMap<BString, [Option<State>; 3]>,
    /// Such paths with links, submodules or very large files.
    unmerged: HashSet<BString>,
    rewrites: Option<Rewrites>,
    /// Whether there was too much to compare for renames.
    gave_up: bool,
}

impl Parts {
    fn of(
        objects: &Objects,
        base: ObjectId,
        sides: [ObjectId; 2],
        wanted: &HashSet<&BStr>,
    ) -> Result<Parts> {
        let side = |tree| -> Result<SideChanges> {
            let changes = changes_between(objects, base, tree)?.into_iter();
            Ok(changes
                .map(|change| (change.path, (change.old, change.new)))
                .collect())
        };
        let [ours, theirs] = sides;
        let sides = [side(ours)?, side(theirs)?];
        let mut paths: BTreeSet<&BString> = BTreeSet::new();
        let mut may_be_renamed = false;
        for (side, other) in [(&sides[0], &sides[1]), (&sides[1], &sides[0])] {
            for (path, (old, new)) in side {
                if wanted.contains::<BStr>(path.as_ref()) {
                    if other.get(path).is_some_and(|(_, other)| other != new) {
                        paths.insert(path);
                    }
                    may_be_renamed |= old.is_none() || new.is_none();
                }
            }
        }
        let ends = match may_be_renamed {
            true => rename_ends(objects, &sides)?,
            false => Some(Vec::new()),
        };
        let gave_up = ends.is_none();
        let ends = ends.unwrap_or_default();
        let rewrites = (!ends.is_empty()).then(|| Rewrites {
            limit: 0,
            ..Rewrites::default()
        });
        paths.extend(ends);
        let [ours, theirs] = &sides;
        let (mut parts, mut unmerged) = (BTreeMap::new(), HashSet::new());
        for path in paths {
            let (our, their) = (ours.get(path), theirs.get(path));
            let base = our.or(their).and_then(|(old, _)| *old);
            let states = [
                base,
                our.map_or(base, |(_, new)| *new),
                their.map_or(base, |(_, new)| *new),
            ];
            let mut is_mergeable = true;
            for state in states.into_iter().flatten() {
                is_mergeable &= state.kind.is_file() && objects.size(state.id)? <= MAX_SIZE;
            }
            match is_mergeable {
                true => drop(parts.insert(path.clone(), states)),
                false => drop(unmerged.insert(path.clone())),
            }
        }
        Ok(Parts {
            paths: parts,
            unmerged,
            rewrites,
            gave_up,
            sides,
        })
    }

    /// Writes the three trees to memory.
    fn write(&self, objects: &Objects) -> Result<[ObjectId; 3]> {
        let odb = objects.odb()?;
        let mut trees = [ObjectId::empty_tree(objects.hash_kind()); 3];
        for (at, tree) in trees.iter_mut().enumerate() {
            let mut editor = Editor::new(gix::objs::Tree::empty(), odb, objects.hash_kind());
            for (path, states) in &self.paths {
                let Some(state) = states[at] else { continue };
                let kind = match state.kind {
                    Kind::Executable => EntryKind::BlobExecutable,
                    _ => EntryKind::Blob,
                };
                editor
                    .upsert(path.split_str("/").map(ByteSlice::as_bstr), kind, state.id)
                    .map_err(cannot)?;
            }
            *tree = editor.write(|tree| odb.write(tree)).map_err(cannot)?;
        }
        Ok(trees)
    }
}

/// The paths that a rename may connect, if it would carry along an edit of the other side; `None` if there is too much
/// to compare.
fn rename_ends<'a>(
    objects: &Objects,
    sides: &'a [SideChanges; 2],
) -> Result<Option<Vec<&'a BString>>> {
    let file = |state: &Option<State>| state.filter(|state| state.kind.is_file());
    let mut ends = Vec::new();
    let (mut compared, mut total) = (0_u64, 0_u64);
    for (side, other) in [(&sides[0], &sides[1]), (&sides[1], &sides[0])] {
        let mut sources = Vec::new();
        for (path, (old, new)) in side {
            if let Some(old) = file(old)
                && new.is_none()
                && other.contains_key(path)
            {
                let size = objects.size(old.id)?;
                if size <= MAX_SIZE {
                    sources.push(size);
                    ends.push(path);
                    total += size;
                }
            }
        }
        if sources.is_empty() {
            continue;
        }
        let mut added = HashSet::new();
        for (path, (old, new)) in side {
            let Some(new) = file(new).filter(|_| old.is_none()) else {
                continue;
            };
            let size = objects.size(new.id)?;
            // At least half of the larger one must remain.
            let alike = |&&source: &&u64| size <= 2 * source && source <= 2 * size;
            let mut is_end = false;
            for source in sources.iter().filter(alike) {
                is_end = true;
                compared += size + source;
            }
            if is_end {
                added.insert(new.id);
                ends.push(path);
                total += size;
            }
            if compared > MAX_COMPARED || total > MAX_ENDS {
                return Ok(None);
            }
        }
        // A file that was moved unchanged has another origin.
        for (path, (old, new)) in side {
            if let Some(old) = file(old)
                && new.is_none()
                && !other.contains_key(path)
                && added.contains(&old.id)
            {
                ends.push(path);
            }
        }
    }
    Ok(Some(ends))
}

/// The result of a merge.
struct Merged {
    tree: ObjectId,
    /// The paths with conflicts, and in a conflict of lines the results with our and their side.
    conflicts: HashMap<BString, Option<[Vec<u8>; 2]>>,
}

fn merge(
    objects: &Objects,
    [base, ours, theirs]: [ObjectId; 3],
    rewrites: Option<Rewrites>,
) -> Result<Merged> {
    let hash = objects.hash_kind();
    // Without attributes there are no merge drivers and no filters.
    let no_attributes = || {
        let state = stack::State::AttributesStack(stack::state::Attributes::default());
        let case = gix::glob::pattern::Case::Sensitive;
        Stack::new("", state, case, Vec::new(), Vec::new())
    };
    let no_filter = || {
        filter::Pipeline::new(
            gix::command::Context::default(),
            hash,
            filter::pipeline::Options::default(),
        )
    };
    let mut compare = diff::Platform::new(
        diff::platform::Options {
            algorithm: Some(diff::Algorithm::Histogram),
            skip_internal_diff_if_external_is_configured: false,
        },
        diff::Pipeline::new(
            diff::pipeline::WorktreeRoots::default(),
            no_filter(),
            Vec::new(),
            diff::pipeline::Options {
                large_file_threshold_bytes: MAX_SIZE,
                ..diff::pipeline::Options::default()
            },
        ),
        diff::pipeline::Mode::ToGit,
        no_attributes(),
    );
    let mut contents = merge::Platform::new(
        merge::Pipeline::new(
            WorktreeRoots::default(),
            no_filter(),
            merge::pipeline::Options {
                large_file_threshold_bytes: MAX_SIZE,
            },
        ),
        merge::pipeline::Mode::ToGit,
        no_attributes(),
        Vec::new(),
        platform::Options::default(),
    );
    let options = tree::Options {
        rewrites,
        blob_merge: platform::merge::Options {
            text: text::Options {
                // Git's default for merges.
                diff_algorithm: diff::Algorithm::Histogram,
                ..text::Options::default()
            },
            ..platform::merge::Options::default()
        },
        ..tree::Options::default()
    };
    let odb = objects.odb()?;
    let mut outcome = gix::merge::plumbing::tree(
        &base,
        &ours,
        &theirs,
        text::Labels::default(),
        odb,
        |content| odb.write_buf(gix::objs::Kind::Blob, content),
        &mut gix::diff::tree::State::default(),
        &mut compare,
        &mut contents,
        options,
    )
    .map_err(cannot)?;
    let mut conflicts = HashMap::new();
    for conflict in &outcome.conflicts {
        let lines = merge_conflict(objects, conflict)?;
        let is_mended = match &lines {
            Some(MergedLines::Clean(content)) => {
                put(objects, conflict, content, &mut outcome.tree)?
            }
            _ => false,
        };
        if is_left(conflict) && !(is_mended && is_of_content(conflict)) {
            let resolved = match lines {
                Some(MergedLines::Conflict(resolved)) => Some(resolved),
                _ => None,
            };
            let all = locations(conflict).into_iter();
            conflicts.extend(all.map(|path| (path, resolved.clone())));
        }
    }
    let tree = outcome.tree.write(|tree| odb.write(tree)).map_err(cannot)?;
    Ok(Merged { tree, conflicts })
}

/// Merges the lines of a file that both sides changed or added, as git does; `None` if there are none to merge.
fn merge_conflict(objects: &Objects, conflict: &Conflict) -> Result<Option<MergedLines>> {
    let (Some(_), [base, Some(ours), Some(theirs)]) =
        (conflict.content_merge(), conflict.entries())
    else {
        return Ok(None);
    };
    let mut contents = [Vec::new(), Vec::new(), Vec::new()];
    for (content, entry) in contents.iter_mut().zip([base, Some(ours), Some(theirs)]) {
        let Some(entry) = entry else { continue };
        if !entry.mode.is_blob() {
            return Ok(None);
        }
        objects.blob(entry.id, content)?;
    }
    Ok(merge_lines::merge(contents.each_ref().map(Vec::as_slice)))
}

/// Puts git's merge of a file into the tree. Returns whether the file is there.
fn put(
    objects: &Objects,
    conflict: &Conflict,
    content: &[u8],
    tree: &mut Editor<'_>,
) -> Result<bool> {
    let Some(merged) = conflict.content_merge() else {
        return Ok(false);
    };
    let id = objects
        .odb()?
        .write_buf(gix::objs::Kind::Blob, content)
        .map_err(cannot)?;
    let mut is_there = false;
    for path in locations(conflict) {
        let names = || path.split_str("/").map(ByteSlice::as_bstr);
        let Some(entry) = tree.get(names()) else {
            continue;
        };
        // A conflict may be reported twice.
        if [merged.merged_blob_id, id].contains(&entry.oid) {
            let kind = entry.mode.kind();
            tree.upsert(names(), kind, id).map_err(cannot)?;
            is_there = true;
        }
    }
    Ok(is_there)
}

/// Whether only the content is in conflict.
fn is_of_content(conflict: &Conflict) -> bool {
    matches!(
        conflict.resolution,
        Ok(
            Resolution::OursModifiedTheirsModifiedThenBlobContentMerge { .. }
                | Resolution::OursModifiedTheirsRenamedAndChangedThenRename {
                    final_location: None,
                    ..
                }
        )
    )
}

/// Whether git leaves the conflict to the user. By default a directory rename is a conflict.
fn is_left(conflict: &Conflict) -> bool {
    conflict.is_unresolved(TreatAsUnresolved::git())
        || matches!(
            conflict.resolution,
            Ok(Resolution::SourceLocationAffectedByRename { .. })
        )
}

/// All paths of a conflict.
fn locations(conflict: &Conflict) -> Vec<BString> {
    let ends = |change: &tree_with_rewrites::Change| {
        [
            change.location().to_owned(),
            change.source_location().to_owned(),
        ]
    };
    let mut all: Vec<BString> = [ends(&conflict.ours), ends(&conflict.theirs)].concat();
    match &conflict.resolution {
        Ok(Resolution::SourceLocationAffectedByRename { final_location }) => {
            all.push(final_location.clone());
        }
        Ok(Resolution::OursModifiedTheirsRenamedAndChangedThenRename {
            final_location, ..
        }) => {
            all.extend(final_location.clone());
        }
        _ => {}
    }
    all
}

fn cannot(error: gix::Error) -> Error {
    failed("the parents cannot be merged")(error)
}
