//! The files of a tree, looked up by path and by the end of a path.

use std::cell::OnceCell;
use std::collections::HashMap;

use bstr::{BStr, BString, ByteSlice};

use super::ResultTree;
use crate::change::Kind;
use crate::design::propose::KnownFiles;
use crate::path::Node;

/// The files of a tree, looked up by path and by the end of a path.
pub struct FilesOfTree<'t> {
    tree: &'t dyn ResultTree,
    /// The paths of the files with each name, listed on first use.
    by_name: OnceCell<HashMap<BString, Vec<BString>>>,
}

impl<'t> FilesOfTree<'t> {
    /// The files of this tree.
    pub fn new(tree: &'t dyn ResultTree) -> Self {
        FilesOfTree {
            tree,
            by_name: OnceCell::new(),
        }
    }

    fn by_name(&self) -> &HashMap<BString, Vec<BString>> {
        self.by_name.get_or_init(|| {
            let mut by_name: HashMap<BString, Vec<BString>> = HashMap::new();
            self.tree.for_each(&mut |path: &BStr, _: Kind| {
                let name = path.rsplit_str("/").next().unwrap_or_default();
                by_name.entry(name.into()).or_default().push(path.into());
            });
            by_name
        })
    }
}

impl KnownFiles for FilesOfTree<'_> {
    fn is_directory(&self, path: &str) -> Option<bool> {
        let node = self.tree.entry(path.into())?;
        Some(node == Node::Directory)
    }

    fn only_file_ending(&self, end: &str) -> Option<String> {
        let name = end.rsplit('/').next()?;
        let inside = format!("/{end}");
        let paths = self.by_name().get(BStr::new(name))?;
        let mut found = paths
            .iter()
            .filter(|path| path.ends_with(inside.as_bytes()));
        match (found.next(), found.next()) {
            (Some(only), None) => only.to_str().ok().map(str::to_owned),
            _ => None,
        }
    }
}
