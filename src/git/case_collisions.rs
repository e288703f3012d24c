//! The paths of a tree that collide with given paths on a case-insensitive file system, without reading the whole tree.

use std::collections::HashMap;

use gix::ObjectId;
use gix::bstr::{BStr, BString, ByteSlice};

use super::tree::{self, TreeEntry};
use super::{Objects, Tree};
use crate::change::Kind;
use crate::error::Result;
use crate::path::{fold, fold_into};

/// Visits every entry whose case-folded path equals or contains one of `paths`, and everything below a directory
/// spelled like one of them.
///
/// # Errors
/// A tree is missing or damaged.
pub fn visit_case_collisions<'a>(
    tree: &Tree<'_>,
    paths: impl Iterator<Item = &'a BStr>,
    visit: &mut dyn FnMut(&BStr, Kind),
) -> Result<()> {
    let folded: Vec<BString> = paths.map(fold).collect();
    // The directories to look into, each with the rest of every wanted path. A hostile tree may be deeper than the
    // thread's stack.
    let mut open = vec![OpenDirectory {
        id: tree.id(),
        path: BString::default(),
        wanted: folded.iter().map(|path| path.as_bstr()).collect(),
    }];
    while let Some(directory) = open.pop() {
        look_into(tree.objects(), directory, &mut open, visit)?;
    }
    Ok(())
}

/// A directory on the way to wanted paths.
struct OpenDirectory<'a> {
    id: ObjectId,
    /// Its path, with a slash behind; empty for the root.
    path: BString,
    /// The rest of each folded path.
    wanted: Vec<&'a BStr>,
}

fn look_into<'a>(
    objects: &Objects,
    directory: OpenDirectory<'a>,
    open: &mut Vec<OpenDirectory<'a>>,
    visit: &mut dyn FnMut(&BStr, Kind),
) -> Result<()> {
    // Nothing is left where a path ends.
    let mut by_name: HashMap<&BStr, Vec<&'a BStr>> = HashMap::new();
    for ahead in directory.wanted {
        let (first, rest) = ahead.split_once_str("/").unwrap_or((ahead, b""));
        by_name.entry(first.into()).or_default().push(rest.into());
    }
    let mut path = directory.path;
    let length = path.len();
    let (mut content, mut folded) = (Vec::new(), BString::default());
    objects.tree(directory.id, &mut content)?;
    for entry in tree::refs(directory.id, &content) {
        let entry = entry?;
        fold_into(entry.filename, &mut folded);
        let Some(rests) = by_name.get(folded.as_bstr()) else {
            continue;
        };
        let entry = TreeEntry::from_ref(entry);
        path.extend_from_slice(&entry.name);
        if !entry.is_tree {
            visit(path.as_ref(), entry.state.kind);
        } else if rests.iter().any(|rest| rest.is_empty()) {
            let mut below = Vec::new();
            let mut walk = tree::TreeWalk::new(objects, &mut below);
            walk.path = path.clone();
            walk.path.push(b'/');
            walk.pair(None, Some(entry.state.id))?;
            for file in below {
                visit(
                    file.path.as_ref(),
                    file.new.map_or(Kind::DIRECTORY, |state| state.kind),
                );
            }
        } else {
            visit(path.as_ref(), Kind::DIRECTORY);
            path.push(b'/');
            open.push(OpenDirectory {
                id: entry.state.id,
                path: path.clone(),
                wanted: rests.clone(),
            });
        }
        path.truncate(length);
    }
    Ok(())
}
