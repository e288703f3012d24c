//! Tree objects: look up, list and compare.

use std::cell::{OnceCell, RefCell};
use std::cmp::Ordering;
use std::collections::HashMap;
use std::rc::Rc;
use std::vec::IntoIter;

use gix::ObjectId;
use gix::bstr::{BStr, BString, ByteSlice};
use gix::objs::{TreeRefIter, tree::EntryRef};

use super::{Objects, Repository};
use crate::change::{Change, Kind, State};
use crate::error::{Error, Result};
use crate::path::escaped;

/// Git's default limit (core.maxTreeDepth).
pub(super) const MAX_DEPTH: usize = 2048;
/// A few trees that contain each other repeatedly can expand to more paths than fit into memory.
const MAX_CHANGES: usize = 1_000_000;

/// One entry of a tree, owned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TreeEntry {
    pub(super) name: BString,
    pub(super) is_tree: bool,
    pub(super) state: State,
}

impl TreeEntry {
    pub(super) fn from_ref(entry: EntryRef<'_>) -> TreeEntry {
        TreeEntry {
            name: entry.filename.to_owned(),
            is_tree: entry.mode.is_tree(),
            state: State {
                kind: Kind::from_mode(u32::from(entry.mode.value())),
                id: entry.oid.to_owned(),
            },
        }
    }
}

/// Git sorts a directory as if its name ended with a slash.
pub(super) fn name_order(a: &[u8], a_is_tree: bool, b: &[u8], b_is_tree: bool) -> Ordering {
    let end = |is_tree| if is_tree { &b"/"[..] } else { &b""[..] };
    a.iter()
        .chain(end(a_is_tree))
        .cmp(b.iter().chain(end(b_is_tree)))
}

/// A tree of a commit.
pub struct Tree<'repo> {
    objects: &'repo Objects,
    id: ObjectId,
    /// Directories already read: the next path is often in one of them.
    read: RefCell<HashMap<ObjectId, Rc<LoadedTree>>>,
    /// The way to the last path: paths are often looked up in order, and may be deep.
    way: RefCell<TreePath>,
}

/// The directories on the way to a path.
#[derive(Default)]
struct TreePath {
    /// The innermost directory, with a slash behind.
    path: BString,
    /// For each directory, the length of its path with the slash, and its tree.
    directories: Vec<(usize, ObjectId)>,
}

impl TreePath {
    /// Goes back to the innermost directory that is also on the way to `path`.
    fn go_back_to(&mut self, path: &BStr) -> Option<(usize, ObjectId)> {
        let pairs = self.path.iter().zip(path.iter());
        let common = pairs.take_while(|(one, other)| one == other).count();
        while self.directories.pop_if(|(end, _)| *end > common).is_some() {}
        let last = self.directories.last().copied();
        self.path.truncate(last.map_or(0, |(end, _)| end));
        last
    }

    /// Goes on to a directory below.
    fn go_on(&mut self, path: &[u8], id: ObjectId) {
        let known = self.path.len();
        self.path.extend_from_slice(&path[known..]);
        self.directories.push((self.path.len(), id));
    }
}

/// One tree object in memory.
struct LoadedTree {
    id: ObjectId,
    content: Vec<u8>,
    /// The positions of entries, sorted by name: a design may name every file of a large directory. Of two entries
    /// with the same name, the first counts.
    by_name: OnceCell<Vec<(usize, usize)>>,
}

impl LoadedTree {
    /// The entry of this name.
    fn find(&self, name: &BStr) -> Result<Option<TreeEntry>> {
        let by_name = match self.by_name.get() {
            Some(by_name) => by_name,
            None => {
                let by_name = self.sorted()?;
                self.by_name.get_or_init(|| by_name)
            }
        };
        let at = by_name.partition_point(|at| self.name(at) < name.as_bytes());
        let Some((start, _)) = by_name
            .get(at)
            .filter(|at| self.name(at) == name.as_bytes())
        else {
            return Ok(None);
        };
        let entry = refs(self.id, &self.content[*start..]).next().transpose()?;
        Ok(entry.map(TreeEntry::from_ref))
    }

    /// The positions of each entry and its name, in the order of names.
    fn sorted(&self) -> Result<Vec<(usize, usize)>> {
        let mut found = Vec::new();
        let mut start = 0;
        for entry in refs(self.id, &self.content) {
            let length = entry?.filename.len();
            // Mode, blank, name, NUL, id.
            let mode = self.content[start..].find_byte(b' ').unwrap_or_default();
            let name = start + mode + 1;
            found.push((start, name));
            start = name + length + 1 + self.id.as_bytes().len();
        }
        found.sort_by(|a, b| self.name(a).cmp(self.name(b)));
        Ok(found)
    }

    fn name(&self, (_, start): &(usize, usize)) -> &[u8] {
        let rest = &self.content[*start..];
        &rest[..rest.find_byte(0).unwrap_or(rest.len())]
    }
}

impl Repository {
    /// The tree of a commit; the empty tree for `None`.
    ///
    /// # Errors
    /// The commit or its tree is missing or damaged.
    pub(crate) fn tree_of(&self, commit: Option<ObjectId>) -> Result<Tree<'_>> {
        Tree::of_commit(&self.objects, commit)
    }
}

impl<'repo> Tree<'repo> {
    /// The tree with this id.
    pub fn at(objects: &'repo Objects, id: ObjectId) -> Self {
        Tree {
            objects,
            id,
            read: RefCell::default(),
            way: RefCell::default(),
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

    /// The handle that finds its objects.
    pub(super) fn objects(&self) -> &'repo Objects {
        self.objects
    }

    /// The id of the tree object.
    pub fn id(&self) -> ObjectId {
        self.id
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

    pub(super) fn find(&self, path: &BStr) -> Result<Option<TreeEntry>> {
        let mut way = self.way.borrow_mut();
        let (mut start, mut id) = way.go_back_to(path).unwrap_or((0, self.id));
        while let Some(slash) = path[start..].find_byte(b'/') {
            let end = start + slash;
            match self.directory(id)?.find(path[start..end].as_bstr())? {
                Some(entry) if entry.is_tree => id = entry.state.id,
                _ => return Ok(None),
            }
            start = end + 1;
            way.go_on(&path[..start], id);
        }
        self.directory(id)?.find(path[start..].as_bstr())
    }

    /// Reads one tree object once.
    fn directory(&self, id: ObjectId) -> Result<Rc<LoadedTree>> {
        if let Some(directory) = self.read.borrow().get(&id) {
            return Ok(Rc::clone(directory));
        }
        let mut content = Vec::new();
        self.objects.tree(id, &mut content)?;
        let directory = Rc::new(LoadedTree {
            id,
            content,
            by_name: OnceCell::new(),
        });
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
        let states = self.states()?.into_iter();
        Ok(states.map(|(path, state)| (path, state.kind)).collect())
    }

    /// Every file with its state, in git's order.
    pub(super) fn states(&self) -> Result<Vec<(BString, State)>> {
        let changes = self.walk_below(BStr::new(""))?;
        let file = |change: Change| Some((change.path, change.new?));
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
        let mut sink = Vec::new();
        let mut walk = TreeWalk::new(self.objects, &mut sink);
        if !prefix.is_empty() {
            walk.path.extend_from_slice(prefix);
            walk.path.push(b'/');
        }
        walk.pair(None, Some(id))?;
        Ok(sink)
    }
}

/// The changes from one tree to another, in path order, without rename detection.
///
/// # Errors
/// A tree is missing or damaged; a new tree is not in git's order, so that lookups and listings would disagree; or
/// more than a million paths change.
pub fn changes_between(objects: &Objects, old: ObjectId, new: ObjectId) -> Result<Vec<Change>> {
    let mut sink = Vec::new();
    let mut walk = TreeWalk::new(objects, &mut sink);
    walk.is_bounded = true;
    walk.pair(Some(old), Some(new))?;
    Ok(sink)
}

/// Walks over two trees and collects the differences below `path`.
pub(super) struct TreeWalk<'a> {
    objects: &'a Objects,
    pub(super) path: BString,
    sink: &'a mut Vec<Change>,
    old: Vec<u8>,
    new: Vec<u8>,
    /// Whether to check the order of new trees and limit the number of changes.
    is_bounded: bool,
}

impl<'a> TreeWalk<'a> {
    pub(super) fn new(objects: &'a Objects, sink: &'a mut Vec<Change>) -> Self {
        TreeWalk {
            objects,
            path: BString::default(),
            sink,
            old: Vec::new(),
            new: Vec::new(),
            is_bounded: false,
        }
    }

    /// Compares two directories, either of which may be missing. Nested ones are on a separate stack, because a
    /// hostile tree may be deeper than the thread's stack.
    pub(super) fn pair(&mut self, old: Option<ObjectId>, new: Option<ObjectId>) -> Result<()> {
        let start = self.path.len();
        let mut levels = Vec::new();
        if old != new {
            levels.push(self.level(old, new)?);
        }
        while let Some(level) = levels.last_mut() {
            self.path.truncate(level.prefix);
            let Some((old, new)) = level.changed.next() else {
                levels.pop();
                continue;
            };
            let Some(named) = old.as_ref().or(new.as_ref()) else {
                continue;
            };
            self.path.extend_from_slice(&named.name);
            let state = |entry: Option<TreeEntry>| entry.map(|entry| entry.state);
            let is_tree = named.is_tree;
            let (old, new) = (state(old), state(new));
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
                let id = |state: State| state.id;
                levels.push(self.level(old.map(id), new.map(id))?);
            } else {
                if self.is_bounded && self.sink.len() >= MAX_CHANGES {
                    return Err(Error::new(format!("more than {MAX_CHANGES} paths change"))
                        .help("judge a smaller range"));
                }
                self.sink.push(Change {
                    path: self.path.clone(),
                    old,
                    new,
                    renamed: None,
                });
            }
        }
        self.path.truncate(start);
        Ok(())
    }

    fn level(&mut self, old: Option<ObjectId>, new: Option<ObjectId>) -> Result<DirectoryPair> {
        let read = |id: Option<ObjectId>, buffer: &mut Vec<u8>| match id {
            Some(id) => self.objects.tree(id, buffer),
            None => {
                buffer.clear();
                Ok(())
            }
        };
        read(old, &mut self.old)?;
        read(new, &mut self.new)?;
        // A tree in memory was made in order.
        let is_foreign = |id: &ObjectId| self.is_bounded && !self.objects.holds_tree(*id);
        if let Some(id) = new.filter(is_foreign) {
            refuse_disorder(id, &self.new)?;
        }
        Ok(DirectoryPair {
            changed: differences((old, &self.old), (new, &self.new))?.into_iter(),
            prefix: self.path.len(),
        })
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
        let is_after = last.is_none_or(|last| {
            name_order(last.filename, last.mode.is_tree(), name, is_tree).is_lt()
        });
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

/// A pair of directories being compared.
struct DirectoryPair {
    changed: IntoIter<Pair>,
    /// The length of their path.
    prefix: usize,
}

/// Two entries of the same name and kind, or one alone.
type Pair = (Option<TreeEntry>, Option<TreeEntry>);

/// The entries that differ between two directories, given by id and content.
fn differences(
    old: (Option<ObjectId>, &[u8]),
    new: (Option<ObjectId>, &[u8]),
) -> Result<Vec<Pair>> {
    let mut changed = Vec::new();
    let (mut olds, mut news) = (listed(old), listed(new));
    let (mut old, mut new) = (olds.next().transpose()?, news.next().transpose()?);
    loop {
        let order = match (old, new) {
            (None, None) => return Ok(changed),
            (None, Some(_)) => Ordering::Greater,
            (Some(_), None) => Ordering::Less,
            (Some(a), Some(b)) => entry_order(a, b),
        };
        let own = |entry: Option<EntryRef<'_>>| entry.map(TreeEntry::from_ref);
        if order == Ordering::Equal {
            if old != new {
                changed.push((own(old), own(new)));
            }
        } else if order == Ordering::Less {
            changed.push((own(old), None));
        } else {
            changed.push((None, own(new)));
        }
        if order != Ordering::Greater {
            old = olds.next().transpose()?;
        }
        if order != Ordering::Less {
            new = news.next().transpose()?;
        }
    }
}

fn entry_order(a: EntryRef<'_>, b: EntryRef<'_>) -> Ordering {
    let (a_is_tree, b_is_tree) = (a.mode.is_tree(), b.mode.is_tree());
    if a_is_tree == b_is_tree && a.filename == b.filename {
        return Ordering::Equal;
    }
    name_order(a.filename, a_is_tree, b.filename, b_is_tree)
}

/// The entries of one tree object; none without an object.
fn listed((id, content): (Option<ObjectId>, &[u8])) -> impl Iterator<Item = Result<EntryRef<'_>>> {
    let entries = id.map(|id| refs(id, content));
    entries.into_iter().flatten()
}

/// The entries of a tree object, from its content.
pub(super) fn refs(id: ObjectId, content: &[u8]) -> impl Iterator<Item = Result<EntryRef<'_>>> {
    TreeRefIter::from_bytes(content, id.kind()).map(move |entry| {
        entry.map_err(|error| Error::new(format!("tree {id} is damaged: {error}")))
    })
}
