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
    let wanted = folded.iter().map(|path| path.as_bstr()).collect();
    level(
        tree.objects(),
        tree.id(),
        &mut BString::default(),
        wanted,
        visit,
    )
}

/// One directory; `wanted` holds the rest of each folded path.
fn level(
    objects: &Objects,
    id: ObjectId,
    path: &mut BString,
    wanted: Vec<&BStr>,
    visit: &mut dyn FnMut(&BStr, Kind),
) -> Result<()> {
    // Nothing is left where a path ends.
    let mut by_name: HashMap<&BStr, Vec<&BStr>> = HashMap::new();
    for ahead in wanted {
        let (first, rest) = ahead.split_once_str("/").unwrap_or((ahead, b""));
        by_name.entry(first.into()).or_default().push(rest.into());
    }
    let length = path.len();
    let (mut content, mut folded) = (Vec::new(), BString::default());
    objects.tree(id, &mut content)?;
    for entry in tree::refs(id, &content) {
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
            level(objects, entry.state.id, path, rests.clone(), visit)?;
        }
        path.truncate(length);
    }
    Ok(())
}
