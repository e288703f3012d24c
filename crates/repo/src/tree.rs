//! Tree objects: look up, list and compare.

use std::cell::RefCell;
use std::cmp::Ordering;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use gix::ObjectId;
use gix::attrs::search::{MetadataCollection, Outcome};
use gix::attrs::{Search, StateRef};
use gix::bstr::{BStr, BString, ByteSlice};
use gix::glob::pattern::Case;
use gix::objs::find::Never;
use gix::objs::tree::{Editor, EntryMode, EntryRef};
use gix::objs::{Kind as ObjectKind, TreeRefIter, WriteTo, compute_hash};

use super::{Blobs, Objects};
use write_guard_policy::change::{Change, Kind, State};
use write_guard_policy::error::{Error, Result};
use write_guard_policy::path::{escaped, fold, fold_into};

/// Git's default limit (core.maxTreeDepth).
pub(super) const MAX_DEPTH: usize = 2048;
/// A few trees that contain each other repeatedly can expand to more paths than fit into memory.
const MAX_CHANGES: usize = 1_000_000;

/// The state of an entry; a directory has [`Kind::DIRECTORY`].
fn state_of(entry: EntryRef<'_>) -> State {
    let kind = if entry.mode.is_tree() {
        Kind::DIRECTORY
    } else {
        Kind::from_mode(u32::from(entry.mode.value()))
    };
    let id = entry.oid.to_owned();
    State { kind, id }
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
type LoadedTree = Rc<Vec<(BString, State)>>;

impl<'repo> Tree<'repo> {
    /// The tree with this id.
    pub fn at(objects: &'repo Objects, id: ObjectId) -> Self {
        Tree {
            objects,
            id,
            read: RefCell::default(),
        }
    }

    /// The id of the tree object.
    pub fn id(&self) -> ObjectId {
        self.id
    }

    /// Where its objects are.
    pub(super) fn objects(&self) -> &'repo Objects {
        self.objects
    }

    /// The state at `path`; `None` for nothing or a directory.
    ///
    /// # Errors
    /// A tree is missing or damaged.
    pub fn get(&self, path: &BStr) -> Result<Option<State>> {
        let found = self.find(path)?;
        Ok(found.filter(|state| state.kind != Kind::DIRECTORY))
    }

    /// Whether `path` is a directory.
    ///
    /// # Errors
    /// As for [`Tree::get`].
    pub fn is_dir(&self, path: &BStr) -> Result<bool> {
        Ok(self.directory_at(path)?.is_some())
    }

    /// The id of the tree object of a directory (empty for the root); `None` if it is none.
    ///
    /// # Errors
    /// As for [`Tree::get`].
    pub fn directory_id(&self, path: &BStr) -> Result<Option<ObjectId>> {
        if path.is_empty() {
            Ok(Some(self.id))
        } else {
            self.directory_at(path)
        }
    }

    fn directory_at(&self, path: &BStr) -> Result<Option<ObjectId>> {
        let found = self.find(path)?;
        Ok(found.and_then(|state| (state.kind == Kind::DIRECTORY).then_some(state.id)))
    }

    fn find(&self, path: &BStr) -> Result<Option<State>> {
        let mut found = State {
            kind: Kind::DIRECTORY,
            id: self.id,
        };
        for name in path.split_str("/") {
            if found.kind != Kind::DIRECTORY {
                return Ok(None);
            }
            let directory = self.directory(found.id)?;
            // Of two entries with the same name, the first counts.
            let at = directory.partition_point(|(entry, _)| entry < name);
            match directory.get(at) {
                Some((entry, state)) if entry == name => found = *state,
                _ => return Ok(None),
            }
        }
        Ok(Some(found))
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
            entries.push((entry.filename.to_owned(), state_of(entry)));
        }
        entries.sort_by(|(a, _), (b, _)| a.cmp(b));
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
        let entries = self.entries_below(prefix)?;
        Ok(entries.into_iter().map(|(path, _)| path).collect())
    }

    /// The same, each with its kind.
    ///
    /// # Errors
    /// A tree is missing or damaged.
    pub fn entries_below(&self, prefix: &BStr) -> Result<Vec<(BString, Kind)>> {
        let (directory, below) = if prefix.is_empty() {
            (Some(self.id), BString::default())
        } else {
            (
                self.directory_at(prefix)?,
                [prefix.as_bytes(), b"/"].concat().into(),
            )
        };
        let Some(directory) = directory else {
            return Ok(Vec::new());
        };
        let nothing = ObjectId::empty_tree(self.objects.hash_kind());
        let changes = walk(self.objects, below, nothing, directory, false)?;
        let entries = changes
            .into_iter()
            .filter_map(|change| Some((change.path, change.new?.kind)));
        Ok(entries.collect())
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
        let mut selected = outcome.iter_selected();
        Ok(selected.any(|found| match found.assignment.state {
            StateRef::Value(filter) => filter.as_bstr() == "lfs",
            _ => false,
        }))
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
        while let Some((id, mut path, remaining)) = open.pop() {
            // Nothing is left where a path ends.
            let mut by_name: HashMap<&BStr, Vec<&BStr>> = HashMap::new();
            for ahead in remaining {
                let (first, rest) = ahead.split_once_str("/").unwrap_or((ahead, b""));
                by_name.entry(first.into()).or_default().push(rest.into());
            }
            let length = path.len();
            for (entry, state) in self.directory(id)?.iter() {
                fold_into(entry.as_ref(), &mut name);
                let Some(rests) = by_name.get(name.as_bstr()) else {
                    continue;
                };
                path.truncate(length);
                path.extend_from_slice(entry);
                if state.kind == Kind::DIRECTORY && rests.iter().any(|rest| rest.is_empty()) {
                    for (file, kind) in self.entries_below(path.as_ref())? {
                        visit(file.as_ref(), kind);
                    }
                    continue;
                }
                visit(path.as_ref(), state.kind);
                if state.kind == Kind::DIRECTORY {
                    let below = [path.as_slice(), b"/"].concat().into();
                    open.push((state.id, below, rests.clone()));
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
    walk(objects, BString::default(), old, new, true)
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
        let Some(new) = change.new else {
            continue;
        };
        if let Ok(mode) = EntryMode::try_from(new.kind.mode()) {
            let names = change.path.split_str("/").map(ByteSlice::as_bstr);
            let _ = editor.upsert(names, mode.kind(), new.id);
        }
    }
    let mut trees = Blobs::new();
    let root = editor.write(|tree| {
        let mut content = Vec::new();
        tree.write_to(&mut content)
            .map_err(|error| error.to_string())?;
        let id = compute_hash(hash, ObjectKind::Tree, &content);
        let id = id.map_err(|error| error.to_string())?;
        trees.insert(id, content);
        Ok(id)
    });
    let root = root.map_err(|why: String| Error::new(format!("a tree cannot be made: {why}")))?;
    Ok((objects.holding(trees), root))
}

/// The changes from one directory to another, in git's order; `path` is theirs, with a slash behind. Where it is bounded, new trees must be in order,
/// and the number of changes has a limit. Nested directories wait in a list, because a hostile tree may be deeper than
/// the thread's stack.
fn walk(
    objects: &Objects,
    path: BString,
    old: ObjectId,
    new: ObjectId,
    is_bounded: bool,
) -> Result<Vec<Change>> {
    let nothing = ObjectId::empty_tree(objects.hash_kind());
    let [old, new] = [old, new].map(|id| {
        (id != nothing).then_some(State {
            kind: Kind::DIRECTORY,
            id,
        })
    });
    let mut open = Vec::new();
    if old != new {
        open.push(Change::new(path, old, new));
    }
    let mut changes = Vec::new();
    let mut old_tree = Vec::new();
    let mut new_tree = Vec::new();
    while let Some(change) = open.pop() {
        let sides = [change.old, change.new];
        let mut kinds = sides.iter().flatten().map(|side| side.kind);
        if kinds.all(|kind| kind != Kind::DIRECTORY) {
            if is_bounded && changes.len() >= MAX_CHANGES {
                return Err(Error::new(format!("more than {MAX_CHANGES} paths change"))
                    .help("check fewer commits at once"));
            }
            changes.push(change);
            continue;
        }
        if change.path.find_iter("/").count() > MAX_DEPTH {
            let message = format!("directories are nested more than {MAX_DEPTH} deep");
            return Err(Error::new(message));
        }
        let [old_id, new_id] = sides.map(|side| side.map_or(nothing, |side| side.id));
        objects.tree(old_id, &mut old_tree)?;
        objects.tree(new_id, &mut new_tree)?;
        // A tree in memory was made in order.
        if is_bounded && !objects.holds(new_id) {
            refuse_disorder(new_id, &new_tree)?;
        }
        let start = open.len();
        differences(
            &change.path,
            refs(old_id, &old_tree),
            refs(new_id, &new_tree),
            &mut open,
        )?;
        open[start..].reverse();
    }
    Ok(changes)
}

/// Refuses a tree with a path as a name, or with a fault that [`fault_in`] finds.
fn refuse_disorder(id: ObjectId, content: &[u8]) -> Result<()> {
    let fault = fault_in(id, content, |name| {
        !name.is_empty() && !name.contains(&b'/')
    })?;
    let Some((name, why)) = fault else {
        return Ok(());
    };
    let message = format!("tree {id} is damaged: `{}` {why}", escaped(&name));
    Err(Error::new(message).help("run `git fsck` and redo the commit"))
}

/// Finds a name in a tree that is no name, unsorted or duplicate, also once as file and once as directory; and says why
/// git would not write it.
pub(super) fn fault_in(
    id: ObjectId,
    content: &[u8],
    is_name: impl Fn(&BStr) -> bool,
) -> Result<Option<(BString, &'static str)>> {
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
        let why = match () {
            () if !is_name(name) => "is not a file name",
            () if is_tree && files.last() == Some(&name) => "is both a file and a directory",
            () if !is_after => "is a duplicate or unsorted entry",
            () => "",
        };
        if !why.is_empty() {
            return Ok(Some((name.to_owned(), why)));
        }
        if !is_tree {
            files.push(name);
        }
        last = Some(entry);
    }
    Ok(None)
}

/// Adds the entries that differ between two directories at `path`, each directory with a slash behind; a file and a directory of one name are two changes.
fn differences<'a>(
    path: &[u8],
    mut olds: impl Iterator<Item = Result<EntryRef<'a>>>,
    mut news: impl Iterator<Item = Result<EntryRef<'a>>>,
    changes: &mut Vec<Change>,
) -> Result<()> {
    let mut next_old = olds.next().transpose()?;
    let mut next_new = news.next().transpose()?;
    loop {
        let order = match (next_old, next_new) {
            (None, None) => return Ok(()),
            (None, Some(_)) => Ordering::Greater,
            (Some(_), None) => Ordering::Less,
            (Some(a), Some(b)) => a.cmp(&b),
        };
        let old = next_old.filter(|_| order.is_le());
        let new = next_new.filter(|_| order.is_ge());
        if old != new
            && let Some(entry) = old.or(new)
        {
            let [old, new] = [old, new].map(|side| side.map(state_of));
            // Two modes may mean the same kind.
            if old != new {
                let end: &[u8] = if entry.mode.is_tree() { b"/" } else { b"" };
                let path = [path, entry.filename.as_bytes(), end].concat();
                changes.push(Change::new(path, old, new));
            }
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
