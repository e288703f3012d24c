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

use super::{History, Objects, Repository, Tree, changes_between, failed, merge_lines};
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

impl Merges {
    /// Of the changes in a merge of two commits, the paths whose new state git produces without a conflict.
    ///
    /// # Errors
    /// The commits have no single merge base, or an object cannot be read.
    pub fn clean(
        &self,
        objects: &Objects,
        [ours, theirs]: [ObjectId; 2],
        changes: &[Change],
    ) -> Result<HashSet<BString>> {
        let objects = objects.writing_to_memory();
        let base = self.base(&objects, [ours, theirs], 0)?;
        let tree = |commit| objects.recorded(commit).map(|recorded| recorded.tree);
        let (ours, theirs) = (tree(ours)?, tree(theirs)?);
        let wanted: HashSet<&BStr> = changes.iter().map(|change| change.path.as_ref()).collect();
        let parts = Parts::of(&objects, base, [ours, theirs], &wanted)?;
        let merged = merge(&objects, parts.write(&objects)?, parts.rewrites)?;
        let tree = Tree::at(&objects, merged.tree);
        let mut clean = HashSet::new();
        for change in changes {
            let path = &change.path;
            if change.new.is_some()
                && parts.paths.contains_key(path)
                && !merged.conflicts.contains(path)
                && tree.get(path.as_ref())? == change.new
            {
                clean.insert(path.clone());
            }
        }
        Ok(clean)
    }

    /// The base tree for merging two commits. Like git, it merges two merge bases. Conflicts, or more than two merge
    /// bases, are an error.
    fn base(
        &self,
        objects: &Objects,
        [ours, theirs]: [ObjectId; 2],
        depth: usize,
    ) -> Result<ObjectId> {
        let history = History::between(objects.clone(), &self.boundary, &[ours], theirs)?;
        let unusable = || Error::new("there is no single merge base");
        if history.is_cut || depth > MAX_DEPTH {
            return Err(unusable());
        }
        let tree = |commit| objects.recorded(commit).map(|recorded| recorded.tree);
        match history.bases[..] {
            [base] => tree(base),
            [one, other] => {
                let base = self.base(objects, [one, other], depth + 1)?;
                let rewrites = Rewrites {
                    limit: RENAME_LIMIT,
                    ..Rewrites::default()
                };
                let merged = merge(objects, [base, tree(one)?, tree(other)?], Some(rewrites))?;
                match merged.conflicts.is_empty() {
                    true => Ok(merged.tree),
                    false => Err(unusable()),
                }
            }
            _ => Err(unusable()),
        }
    }
}

/// The parts of three trees to merge.
struct Parts {
    /// The base's, our and their state by path.
    paths: BTreeMap<BString, [Option<State>; 3]>,
    rewrites: Option<Rewrites>,
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
        for side in &sides {
            for (path, (old, new)) in side {
                if wanted.contains::<BStr>(path.as_ref()) {
                    paths.insert(path);
                    may_be_renamed |= old.is_none() || new.is_none();
                }
            }
        }
        let ends = match may_be_renamed {
            true => rename_ends(objects, &sides)?,
            false => None,
        };
        let rewrites = ends.as_ref().map(|_| Rewrites {
            limit: 0,
            ..Rewrites::default()
        });
        paths.extend(ends.into_iter().flatten());
        let [ours, theirs] = &sides;
        let mut parts = BTreeMap::new();
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
            if is_mergeable {
                parts.insert(path.clone(), states);
            }
        }
        Ok(Parts {
            paths: parts,
            rewrites,
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

/// The paths that a rename may connect, if it would carry along an edit of the other side; `None` if there is none or
/// too much to compare.
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
    Ok((!ends.is_empty()).then_some(ends))
}

/// The result of a merge.
struct Merged {
    tree: ObjectId,
    /// The paths with conflicts.
    conflicts: HashSet<BString>,
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
    let mut conflicts = HashSet::new();
    for conflict in &outcome.conflicts {
        let is_mended = merge_lines(objects, conflict, &mut outcome.tree)?;
        if is_left(conflict) && !(is_mended && is_of_content(conflict)) {
            conflicts.extend(locations(conflict));
        }
    }
    let tree = outcome.tree.write(|tree| odb.write(tree)).map_err(cannot)?;
    Ok(Merged { tree, conflicts })
}

/// Where both sides changed the content, puts git's merge into the tree. Returns whether git can merge it.
fn merge_lines(objects: &Objects, conflict: &Conflict, tree: &mut Editor<'_>) -> Result<bool> {
    let (Some(merged), [Some(base), Some(ours), Some(theirs)]) =
        (conflict.content_merge(), conflict.entries())
    else {
        return Ok(false);
    };
    let mut contents = [Vec::new(), Vec::new(), Vec::new()];
    for (content, entry) in contents.iter_mut().zip([base, ours, theirs]) {
        if !entry.mode.is_blob() {
            return Ok(false);
        }
        objects.blob(entry.id, content)?;
    }
    let Some(content) = merge_lines::merge(contents.each_ref().map(Vec::as_slice)) else {
        return Ok(false);
    };
    let id = objects
        .odb()?
        .write_buf(gix::objs::Kind::Blob, &content)
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
