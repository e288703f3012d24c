//! Tree objects: look up, list and compare.

use std::cell::RefCell;
use std::cmp::Ordering;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::vec::IntoIter;

use gix::ObjectId;
use gix::attrs::search::{MetadataCollection, Outcome};
use gix::attrs::{Search, StateRef};
use gix::bstr::{BStr, BString, ByteSlice};
use gix::glob::pattern::Case;
use gix::objs::find::Never;
use gix::objs::tree::{Editor, EntryMode, EntryRef};
use gix::objs::{Kind as ObjectKind, TreeRefIter, WriteTo, compute_hash};

use super::{Blobs, Objects};
use crate::change::{Change, Kind, State};
use crate::error::{Error, Result};
use crate::path::{escaped, fold, fold_into};

/// Git's default limit (core.maxTreeDepth).
pub(super) const MAX_DEPTH: usize = 2048;
/// A few trees that contain each other repeatedly can expand to more paths than fit into memory.
const MAX_CHANGES: usize = 1_000_000;

/// One entry of a tree, owned.
#[derive(Clone)]
struct TreeEntry {
    name: BString,
    is_tree: bool,
    state: State,
}

fn state_of(entry: EntryRef<'_>) -> State {
    State {
        kind: Kind::from_mode(u32::from(entry.mode.value())),
        id: entry.oid.to_owned(),
    }
}

/// A tree of a commit.
#[derive(Clone)]
pub struct Tree<'repo> {
    objects: &'repo Objects,
    id: ObjectId,
    /// Directories already read: the next path is often in one of them.
    read: RefCell<HashMap<ObjectId, LoadedTree>>,
}

/// The entries of a tree object, sorted by name: a design may name every file of a large directory.
type LoadedTree = Rc<Vec<TreeEntry>>;

impl<'repo> Tree<'repo> {
    /// The tree with this id.
    pub fn at(objects: &'repo Objects, id: ObjectId) -> Self {
        Tree {
            objects,
            id,
            read: RefCell::default(),
        }
    }

    /// The tree of a commit (empty for `None`), read with a handle that may belong to another thread.
    ///
    /// # Errors
    /// The commit is missing or damaged.
    pub fn of_commit(objects: &'repo Objects, commit: Option<ObjectId>) -> Result<Self> {
        let id = match commit {
            Some(commit) => objects.recorded(commit)?.tree,
            None => ObjectId::empty_tree(objects.hash_kind()),
        };
        Ok(Tree::at(objects, id))
    }

    /// The id of the tree object.
    pub fn id(&self) -> ObjectId {
        self.id
    }

    /// The changes from another tree to this one, as [`changes_between`] finds them.
    ///
    /// # Errors
    /// As for [`changes_between`].
    pub fn changes_since(&self, old: ObjectId) -> Result<Vec<Change>> {
        changes_between(self.objects, old, self.id)
    }

    /// The state at `path`; `None` for nothing or a directory.
    ///
    /// # Errors
    /// A tree is missing or damaged.
    pub fn get(&self, path: &BStr) -> Result<Option<State>> {
        Ok(self
            .find(path)?
            .filter(|entry| !entry.is_tree)
            .map(|entry| entry.state))
    }

    /// Whether `path` is a directory.
    ///
    /// # Errors
    /// As for [`Tree::get`].
    pub fn is_dir(&self, path: &BStr) -> Result<bool> {
        Ok(self.find(path)?.is_some_and(|entry| entry.is_tree))
    }

    fn find(&self, path: &BStr) -> Result<Option<TreeEntry>> {
        let mut id = self.id;
        let mut names = path.split_str("/").peekable();
        while let Some(name) = names.next() {
            let directory = self.directory(id)?;
            // Of two entries with the same name, the first counts.
            let at = directory.partition_point(|entry| entry.name < name);
            let Some(entry) = directory.get(at).filter(|entry| entry.name == name) else {
                return Ok(None);
            };
            match names.peek() {
                None => return Ok(Some(entry.clone())),
                Some(_) if entry.is_tree => id = entry.state.id,
                Some(_) => return Ok(None),
            }
        }
        Ok(None)
    }

    /// Reads one tree object once.
    fn directory(&self, id: ObjectId) -> Result<LoadedTree> {
        if let Some(directory) = self.read.borrow().get(&id) {
            return Ok(Rc::clone(directory));
        }
        let mut content = Vec::new();
        self.objects.tree(id, &mut content)?;
        let mut entries = Vec::new();
        for entry in refs(id, &content) {
            let entry = entry?;
            entries.push(TreeEntry {
                name: entry.filename.to_owned(),
                is_tree: entry.mode.is_tree(),
                state: state_of(entry),
            });
        }
        entries.sort_by(|a, b| a.name.cmp(&b.name));
        let directory = Rc::new(entries);
        self.read.borrow_mut().insert(id, Rc::clone(&directory));
        Ok(directory)
    }

    /// The content of the file at `path`; `None` if it is not a regular file.
    ///
    /// # Errors
    /// As for [`Tree::get`], or the blob cannot be read.
    pub fn read(&self, path: &BStr) -> Result<Option<Vec<u8>>> {
        self.objects.file(self.get(path)?)
    }

    /// The content of what is at `path`, such as the target of a link; `None` if nothing is there.
    ///
    /// # Errors
    /// As for [`Tree::read`].
    pub fn content(&self, path: &BStr) -> Result<Option<Vec<u8>>> {
        let state = self.get(path)?;
        state.map(|_| self.objects.content(state)).transpose()
    }

    /// The paths of all files below the directory `prefix` (empty for the root), in git's order.
    ///
    /// # Errors
    /// A tree is missing or damaged.
    pub fn files_below(&self, prefix: &BStr) -> Result<Vec<BString>> {
        let changes = self.walk_below(prefix)?;
        Ok(changes.into_iter().map(|change| change.path).collect())
    }

    /// Every file with its kind, in git's order.
    ///
    /// # Errors
    /// A tree is missing or damaged.
    pub fn files(&self) -> Result<Vec<(BString, Kind)>> {
        let changes = self.walk_below(BStr::new(""))?;
        let file = |change: Change| Some((change.path, change.new?.kind));
        Ok(changes.into_iter().filter_map(file).collect())
    }

    /// Everything below the directory `prefix`, as additions.
    fn walk_below(&self, prefix: &BStr) -> Result<Vec<Change>> {
        let id = if prefix.is_empty() {
            self.id
        } else {
            match self.find(prefix)? {
                Some(entry) if entry.is_tree => entry.state.id,
                _ => return Ok(Vec::new()),
            }
        };
        let mut walk = TreeWalk::new(self.objects);
        if !prefix.is_empty() {
            walk.path.extend_from_slice(prefix);
            walk.path.push(b'/');
        }
        walk.pair(walk.nothing(), id)?;
        Ok(walk.sink)
    }

    /// Whether the `.gitattributes` files of this tree give `path` the filter `lfs`. Other attributes, such as
    /// `.git/info/attributes`, do not count.
    ///
    /// # Errors
    /// A tree or a `.gitattributes` is missing or damaged.
    pub fn is_kept_by_lfs(&self, path: &BStr) -> Result<bool> {
        let mut known = MetadataCollection::default();
        let mut search = Search::default();
        let directories = path.find_iter("/").map(|slash| path[..=slash].as_bytes());
        // Files in deeper directories win. Macros may only be defined in the root.
        for directory in std::iter::once(&b""[..]).chain(directories) {
            let file = [directory, b".gitattributes"].concat();
            let Some(content) = self.read(file.as_bstr())? else {
                continue;
            };
            let source = PathBuf::from(file.to_str_lossy().into_owned());
            let is_top = directory.is_empty();
            search
                .add_patterns_buffer(&content, source, Some(Path::new("")), &mut known, is_top)
                .map_err(|error| {
                    Error::new(format!("{} cannot be read: {error}", file.as_bstr()))
                })?;
        }
        let mut outcome = Outcome::default();
        outcome.initialize_with_selection(&known, ["filter"]);
        search.pattern_matching_relative_path(path, Case::Sensitive, Some(false), &mut outcome);
        Ok(outcome.iter_selected().any(
            |found| matches!(found.assignment.state, StateRef::Value(name) if name.as_bstr() == "lfs"),
        ))
    }

    /// Visits every entry whose case-folded path equals or contains one of `paths`, and everything below a directory
    /// spelled like one of them, without reading the whole tree.
    ///
    /// # Errors
    /// A tree is missing or damaged.
    pub fn visit_case_collisions<'a>(
        &self,
        paths: impl Iterator<Item = &'a BStr>,
        visit: &mut dyn FnMut(&BStr, Kind),
    ) -> Result<()> {
        let folded: Vec<BString> = paths.map(fold).collect();
        // Directories to look into, with the rest of every wanted path. A hostile tree may be deeper than the thread's
        // stack.
        let wanted: Vec<&BStr> = folded.iter().map(|path| path.as_bstr()).collect();
        let mut open = vec![(self.id, BString::default(), wanted)];
        let mut name = BString::default();
        while let Some((id, mut path, wanted)) = open.pop() {
            // Nothing is left where a path ends.
            let mut by_name: HashMap<&BStr, Vec<&BStr>> = HashMap::new();
            for ahead in wanted {
                let (first, rest) = ahead.split_once_str("/").unwrap_or((ahead, b""));
                by_name.entry(first.into()).or_default().push(rest.into());
            }
            let length = path.len();
            for entry in self.directory(id)?.iter() {
                fold_into(entry.name.as_ref(), &mut name);
                let Some(rests) = by_name.get(name.as_bstr()) else {
                    continue;
                };
                path.truncate(length);
                path.extend_from_slice(&entry.name);
                if !entry.is_tree {
                    visit(path.as_ref(), entry.state.kind);
                } else if rests.iter().any(|rest| rest.is_empty()) {
                    for file in self.walk_below(path.as_ref())? {
                        let kind = file.new.map_or(Kind::DIRECTORY, |state| state.kind);
                        visit(file.path.as_ref(), kind);
                    }
                } else {
                    visit(path.as_ref(), Kind::DIRECTORY);
                    let below = [path.as_slice(), b"/"].concat().into();
                    open.push((entry.state.id, below, rests.clone()));
                }
            }
        }
        Ok(())
    }
}

/// Whether one of the trees has this state at the path.
///
/// # Errors
/// A tree is missing or damaged.
pub fn is_in_any(trees: &[Tree<'_>], path: &BStr, state: Option<State>) -> Result<bool> {
    for tree in trees {
        if tree.get(path)? == state {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The changes from one tree to another, in path order, without rename detection.
///
/// # Errors
/// A tree is missing or damaged; a new tree is not in git's order, so that lookups and listings would disagree; or
/// more than a million paths change.
pub fn changes_between(objects: &Objects, old: ObjectId, new: ObjectId) -> Result<Vec<Change>> {
    let mut walk = TreeWalk::new(objects);
    walk.is_bounded = true;
    walk.pair(old, new)?;
    Ok(walk.sink)
}

/// The tree of nothing but the new sides of these changes, and a handle that finds it. A path that no tree can have is
/// left out: its name alone is refused.
///
/// # Errors
/// A tree cannot be hashed.
pub fn tree_of_changes(objects: &Objects, changes: &[Change]) -> Result<(Objects, ObjectId)> {
    let hash = objects.hash_kind();
    let mut editor = Editor::new(gix::objs::Tree::empty(), &Never, hash);
    for change in changes {
        let new = change.new.and_then(|new| {
            let mode = EntryMode::try_from(new.kind.mode()).ok()?;
            Some((mode.kind(), new.id))
        });
        if let Some((kind, id)) = new {
            let names = change.path.split_str("/").map(ByteSlice::as_bstr);
            let _ = editor.upsert(names, kind, id);
        }
    }
    let mut trees = Blobs::new();
    let root = editor.write(|tree| {
        let mut content = Vec::new();
        let cannot = |error: String| Error::new(format!("a tree cannot be made: {error}"));
        tree.write_to(&mut content)
            .map_err(|error| cannot(error.to_string()))?;
        let id = compute_hash(hash, ObjectKind::Tree, &content);
        let id = id.map_err(|error| cannot(error.to_string()))?;
        trees.insert(id, content);
        Ok(id)
    })?;
    Ok((objects.holding(trees), root))
}

/// Walks over two trees and collects the differences below `path`.
struct TreeWalk<'a> {
    objects: &'a Objects,
    path: BString,
    sink: Vec<Change>,
    old: Vec<u8>,
    new: Vec<u8>,
    /// Whether to check the order of new trees and limit the number of changes.
    is_bounded: bool,
}

impl<'a> TreeWalk<'a> {
    fn new(objects: &'a Objects) -> Self {
        TreeWalk {
            objects,
            path: BString::default(),
            sink: Vec::new(),
            old: Vec::new(),
            new: Vec::new(),
            is_bounded: false,
        }
    }

    /// The directory that is compared where there is none.
    fn nothing(&self) -> ObjectId {
        ObjectId::empty_tree(self.objects.hash_kind())
    }

    /// Compares two directories. Nested ones are on a separate stack, because a hostile tree may be deeper than the
    /// thread's stack.
    fn pair(&mut self, old: ObjectId, new: ObjectId) -> Result<()> {
        let start = self.path.len();
        let mut levels = Vec::new();
        if old != new {
            levels.push(self.level(old, new)?);
        }
        while let Some(level) = levels.last_mut() {
            self.path.truncate(level.1);
            let Some(Difference {
                name,
                is_tree,
                sides,
            }) = level.0.next()
            else {
                levels.pop();
                continue;
            };
            self.path.extend_from_slice(&name);
            let [old, new] = sides;
            // Two modes may mean the same kind.
            if old == new {
                continue;
            }
            if is_tree {
                if levels.len() > MAX_DEPTH {
                    return Err(Error::new(format!(
                        "directories are nested more than {MAX_DEPTH} deep"
                    )));
                }
                self.path.push(b'/');
                let id = |side: Option<State>| side.map_or_else(|| self.nothing(), |side| side.id);
                let (old, new) = (id(old), id(new));
                levels.push(self.level(old, new)?);
            } else {
                if self.is_bounded && self.sink.len() >= MAX_CHANGES {
                    return Err(Error::new(format!("more than {MAX_CHANGES} paths change"))
                        .help("check fewer commits at once"));
                }
                self.sink.push(Change::new(self.path.clone(), old, new));
            }
        }
        self.path.truncate(start);
        Ok(())
    }

    /// What differs between two directories, and the length of their path.
    fn level(&mut self, old: ObjectId, new: ObjectId) -> Result<(IntoIter<Difference>, usize)> {
        self.objects.tree(old, &mut self.old)?;
        self.objects.tree(new, &mut self.new)?;
        // A tree in memory was made in order.
        if self.is_bounded && !self.objects.holds(new) {
            refuse_disorder(new, &self.new)?;
        }
        let changed = differences(refs(old, &self.old), refs(new, &self.new))?;
        Ok((changed.into_iter(), self.path.len()))
    }
}

/// Refuses a tree with a path as a name, or with a fault that [`check_order`] finds.
fn refuse_disorder(id: ObjectId, content: &[u8]) -> Result<()> {
    let is_name = |name: &BStr| !name.is_empty() && !name.contains(&b'/');
    let Err((name, why)) = check_order(id, content, is_name)? else {
        return Ok(());
    };
    let message = format!("tree {id} is damaged: `{}` {why}", escaped(&name));
    Err(Error::new(message).help("run `git fsck` and redo the commit"))
}

/// Finds a name in a tree that is no name, unsorted or duplicate, also once as file and once as directory; and says why
/// git would not write it.
pub(super) fn check_order(
    id: ObjectId,
    content: &[u8],
    is_name: impl Fn(&BStr) -> bool,
) -> Result<std::result::Result<(), (BString, &'static str)>> {
    let mut last: Option<EntryRef<'_>> = None;
    // Files whose names are prefixes of the following names: a directory of the same name would sort after those.
    let mut files: Vec<&BStr> = Vec::new();
    for entry in refs(id, content) {
        let entry = entry?;
        let name = entry.filename;
        let is_tree = entry.mode.is_tree();
        let is_after = last.is_none_or(|last| last < entry);
        while files.last().is_some_and(|file| !name.starts_with(file)) {
            files.pop();
        }
        let why = if !is_name(name) {
            "is not a file name"
        } else if is_tree && files.last() == Some(&name) {
            "is both a file and a directory"
        } else if !is_after {
            "is a duplicate or unsorted entry"
        } else {
            ""
        };
        if !why.is_empty() {
            return Ok(Err((name.to_owned(), why)));
        }
        if !is_tree {
            files.push(name);
        }
        last = Some(entry);
    }
    Ok(Ok(()))
}

/// Two entries of the same name and kind, or one alone.
struct Difference {
    name: BString,
    is_tree: bool,
    sides: [Option<State>; 2],
}

/// The entries that differ between two directories.
fn differences<'a>(
    mut olds: impl Iterator<Item = Result<EntryRef<'a>>>,
    mut news: impl Iterator<Item = Result<EntryRef<'a>>>,
) -> Result<Vec<Difference>> {
    let mut changed = Vec::new();
    let (mut next_old, mut next_new) = (olds.next().transpose()?, news.next().transpose()?);
    loop {
        let order = match (next_old, next_new) {
            (None, None) => return Ok(changed),
            (None, Some(_)) => Ordering::Greater,
            (Some(_), None) => Ordering::Less,
            (Some(a), Some(b)) => a.cmp(&b),
        };
        let old = next_old.filter(|_| order.is_le());
        let new = next_new.filter(|_| order.is_ge());
        if let Some(entry) = old.or(new).filter(|_| old != new) {
            changed.push(Difference {
                name: entry.filename.to_owned(),
                is_tree: entry.mode.is_tree(),
                sides: [old, new].map(|entry| entry.map(state_of)),
            });
        }
        if old.is_some() {
            next_old = olds.next().transpose()?;
        }
        if new.is_some() {
            next_new = news.next().transpose()?;
        }
    }
}

/// The entries of a tree object, from its content.
pub(super) fn refs(id: ObjectId, content: &[u8]) -> impl Iterator<Item = Result<EntryRef<'_>>> {
    TreeRefIter::from_bytes(content, id.kind()).map(move |entry| {
        entry.map_err(|error| Error::new(format!("tree {id} is damaged: {error}")))
    })
}
