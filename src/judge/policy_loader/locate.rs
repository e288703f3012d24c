//! Locates the documents of a branch for those who look at designs rather than changes: `guard scope check`, `guard scope
//! add` and `guard use`. They also see what only the index or the work tree has.

use std::path::PathBuf;

use gix::bstr::{BStr, BString};

use super::select::Choice;
use super::{Loader, of_head};
use crate::judge::Options;
use crate::judge::facts::JudgementFacts;
use crate::judge::tree_view::in_repository;
use write_guard_policy::error::{Error, Result};
use write_guard_policy::policy::{self, ChosenBy, DonePlan, Stage};
use write_guard_policy::scope::path_placeholders;
use write_guard_policy::scope::settings::{self, Settings};
use write_guard_repo::{Repository, Tree};

impl Loader<'_, '_> {
    /// Documents of this branch that only the work tree has.
    pub(super) fn uncommitted(&self) -> Vec<Choice> {
        let names = self.names().unwrap_or_default();
        let entries = policy::filled_patterns(&self.policy.settings, &names).into_iter();
        let tries = entries.flat_map(|entry| entry.tries);
        let paths = tries.flat_map(|pattern| path_placeholders::literal_paths(&pattern));
        paths
            .filter(|path| {
                let file = self.file(BStr::new(path.as_str()));
                file.is_some_and(|file| file.is_file())
            })
            .map(|path| Choice::new(path, ChosenBy::WorkTree, false))
            .collect()
    }
}

/// The documents to lint, usable or not.
pub(in crate::judge) struct LocatedDesigns {
    /// HEAD's settings or, if it has none, those about to be committed.
    pub(in crate::judge) settings: Settings,
    /// The designs of this branch, or why there is none.
    pub(in crate::judge) own: Result<Vec<Choice>>,
    pub(in crate::judge) standing: Vec<Choice>,
    /// Those named by flag or variable.
    pub(in crate::judge) by_hand: Vec<BString>,
    /// The plans that would be among them, but are done.
    pub(in crate::judge) done: Vec<DonePlan>,
}

/// Locates the designs of the branch in HEAD, index and work tree, without reading them.
///
/// # Errors
/// Settings that cannot be used, or an object that cannot be read.
pub(in crate::judge) fn locate(repo: &Repository, options: &Options) -> Result<LocatedDesigns> {
    locate_with(repo, None, options, &[])
}

/// The same with `tree` as what the next commit has, and with those of `others` that are done.
///
/// # Errors
/// As for [`locate`].
pub(in crate::judge) fn locate_with(
    repo: &Repository,
    tree: Option<Tree<'_>>,
    options: &Options,
    others: &[BString],
) -> Result<LocatedDesigns> {
    let result = tree.map_or_else(|| repo.tree_of(None), Ok)?;
    let facts = JudgementFacts::new(repo, Stage::Commit, repo.head_commit()?, result)?;
    let mut loader = Loader::new(&facts, options)?;
    // Before the first settings are committed, the coming ones apply.
    let file = BStr::new(settings::FILE);
    if !loader.configured
        && let Some(text) = facts
            .result
            .read(file)?
            .or_else(|| loader.in_work_tree(file))
    {
        loader.policy.settings = settings::parse(&text)?;
        loader.configured = true;
    }
    let own = loader.choices();
    let standing = loader.standing(own.as_deref().unwrap_or_default())?;
    let mut own = own.and_then(|own| loader.own_open_ones(own));
    let standing = loader.open_ones(standing)?;
    for other in others {
        loader.is_open(other)?;
    }
    if own.as_ref().is_ok_and(Vec::is_empty) {
        let uncommitted = loader.uncommitted();
        own = if uncommitted.is_empty() && standing.is_empty() {
            Err(loader.no_design())
        } else {
            Ok(uncommitted)
        };
    }
    Ok(LocatedDesigns {
        settings: loader.policy.settings,
        own,
        standing,
        by_hand: loader.by_hand,
        done: loader.done.into_inner(),
    })
}

/// Reads the designs at these paths, which are relative to the current directory. A directory stands for every
/// readable design below it.
///
/// # Errors
/// A path is outside the repository, is missing, is no design by the settings, or grants nothing.
pub fn candidates(repo: &Repository, paths: &[PathBuf]) -> Result<Vec<BString>> {
    let facts = of_head(repo)?;
    let options = Options::default();
    let mut loader = Loader::new(&facts, &options)?;
    let mut stored = Vec::new();
    for path in paths {
        // A shell completes a directory with a slash.
        let path: PathBuf = path.components().collect();
        let mut path = in_repository(repo, &path)?;
        let file = loader.file(path.as_ref());
        if loader.base().is_dir(path.as_ref())? || file.is_some_and(|file| file.is_dir()) {
            path.push(b'/');
        }
        if !stored.contains(&path) {
            stored.push(path);
        }
    }
    let choices = loader.of_the_settings(loader.chosen(stored.clone())?)?;
    let choices = loader.open_ones(choices)?;
    if choices.is_empty()
        && let Some(done) = loader.done.borrow().first()
    {
        return Err(Error::new(done.statement()).help("choose a plan whose work is still to do"));
    }
    // The work tree may have what HEAD lacks.
    loader.by_hand = choices.iter().map(|choice| choice.path.clone()).collect();
    loader.load_all(choices, true)?;
    Ok(stored)
}
