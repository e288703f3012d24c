//! Locates the documents to lint, usable or not.

use gix::bstr::{BStr, BString};

use super::choose::choice;
use super::{Choice, Loader, PolicyInputs};
use crate::error::Result;
use crate::git::{Repository, Tree};
use crate::judge::Options;
use crate::judge::tree_view::GitTree;
use crate::policy::settings::{self, Settings};
use crate::policy::{Stage, design_selection, path_placeholders};

/// The documents to lint, usable or not.
pub(in crate::judge) struct LocatedDesigns {
    /// HEAD's settings or, if it has none, those about to be committed.
    pub(in crate::judge) settings: Settings,
    /// The designs of this branch, or why there is none.
    pub(in crate::judge) own: Result<Vec<Choice>>,
    pub(in crate::judge) standing: Vec<Choice>,
    /// Those named by flag or variable.
    pub(in crate::judge) by_hand: Vec<BString>,
    pub(in crate::judge) notes: Vec<String>,
}

/// Locates the designs of the branch in HEAD, index and work tree, without reading them.
///
/// # Errors
/// Settings that cannot be used, or an object that cannot be read.
pub(in crate::judge) fn locate(
    repo: &Repository,
    tree: Option<&Tree<'_>>,
    options: &Options,
) -> Result<LocatedDesigns> {
    let proposal = tree.map_or(GitTree::Changes(&[]), GitTree::Tree);
    let head = repo.head_commit()?;
    let inputs = PolicyInputs::uncommitted(repo, Stage::Commit, head, proposal)?;
    let mut loader = Loader::new(repo, inputs, options)?;
    loader.take_coming_settings()?;
    let mut own = loader.choices();
    let standing = loader.standing(own.as_deref().unwrap_or_default())?;
    if own.as_ref().is_ok_and(Vec::is_empty) {
        let uncommitted = loader.uncommitted();
        own = match uncommitted.is_empty() && standing.is_empty() {
            true => Err(loader.no_design()),
            false => Ok(uncommitted),
        };
    }
    Ok(LocatedDesigns {
        settings: loader.settings,
        own,
        standing,
        by_hand: loader.by_hand,
        notes: loader.notes,
    })
}

impl Loader<'_> {
    /// Before the first settings are committed, the coming ones apply.
    fn take_coming_settings(&mut self) -> Result<()> {
        if self.configured {
            return Ok(());
        }
        let file = BStr::new(settings::FILE);
        if let Some(bytes) = self.proposed(file)?.or_else(|| self.in_work_tree(file)) {
            self.settings = settings::parse(&bytes)?;
            self.configured = true;
        }
        Ok(())
    }

    /// Documents of this branch that only the work tree has.
    pub(super) fn uncommitted(&self) -> Vec<Choice> {
        let names = self.names().unwrap_or_default();
        let is_there = |path: &String| {
            let file = self.file(BStr::new(path.as_str()));
            file.is_some_and(|file| file.is_file())
        };
        let on_disk = |pattern: &String| -> Vec<String> {
            let paths = path_placeholders::literal_paths(pattern);
            paths.into_iter().filter(is_there).collect()
        };
        design_selection::filled(&self.settings, &names)
            .iter()
            .filter_map(|entry| {
                entry
                    .tries
                    .iter()
                    .map(on_disk)
                    .find(|found| !found.is_empty())
            })
            .flatten()
            .map(|path| choice(path.into(), "work tree"))
            .collect()
    }
}
