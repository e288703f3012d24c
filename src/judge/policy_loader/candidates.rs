//! The designs that a person is about to choose for a branch.

use std::path::PathBuf;

use gix::bstr::{BStr, BString};

use super::{Choice, Loader, loader_of_head};
use crate::error::Result;
use crate::git::Repository;
use crate::judge::{Options, named_files};
use crate::policy::Origin;

/// What `guard use` would store, and what that means now.
#[derive(Debug, Clone, Default)]
pub struct CandidateDesigns {
    /// The files, and the directories with a slash at the end.
    pub stored: Vec<BString>,
    /// The number of their grants.
    pub grants: usize,
    /// The files that HEAD lacks, so that they cannot judge commits yet.
    pub uncommitted: Vec<BString>,
}

/// Reads the designs at these paths, which are relative to the current directory. A directory stands for every
/// readable design below it.
///
/// # Errors
/// A path is outside the repository, is missing, is no design by the settings, or grants nothing.
pub fn candidates(repo: &Repository, paths: &[PathBuf]) -> Result<CandidateDesigns> {
    let options = Options::default();
    let mut loader = loader_of_head(repo, &options)?;
    let mut candidates = CandidateDesigns::default();
    for path in paths {
        let path = loader.to_store(named_files::in_repository(repo, path)?)?;
        if !candidates.stored.contains(&path) {
            candidates.stored.push(path);
        }
    }
    let choices = loader.of_the_settings(loader.chosen(candidates.stored.clone())?)?;
    let choices = choices.into_iter().map(|choice| Choice {
        by_hand: true,
        ..choice
    });
    for governing in loader.load_all(choices.collect(), true, false)? {
        candidates.grants += governing.design.grants.len();
        if governing.origin != Origin::Head {
            candidates.uncommitted.push(governing.design.path);
        }
    }
    Ok(candidates)
}

impl Loader<'_> {
    fn to_store(&self, path: BString) -> Result<BString> {
        let is_directory = self.is_directory(BStr::new(&path))?;
        let slash: &[u8] = if is_directory { b"/" } else { b"" };
        Ok([path.as_slice(), slash].concat().into())
    }
}
