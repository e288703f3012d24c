//! Which untracked files git ignores (gitignore(5)).

use std::path::{Path, PathBuf};
use std::rc::Rc;

use gix::bstr::{BStr, ByteSlice};
use gix::glob::pattern::Case;
use gix::ignore::Search;
use gix::ignore::search::Ignore;

use super::super::{Repository, show_file};
use crate::error::{Error, Result};

/// The name of ignore files in the work tree.
pub(super) const FILE: &str = ".gitignore";

/// As for git, a pattern may start with `$`.
const PARSE: Ignore = Ignore {
    support_precious: false,
};

/// The patterns outside the work tree: `.git/info/exclude` and `core.excludesFile`.
pub(super) struct Ignored {
    everywhere: Search,
    case: Case,
}

/// The `.gitignore` of a directory and of its parents.
pub(super) struct GitignoreFiles {
    around: Around,
    own: Search,
}

/// The nearest `.gitignore` upwards, if any.
pub(super) type Around = Option<Rc<GitignoreFiles>>;

impl Ignored {
    /// # Errors
    /// A file that the configuration names cannot be read.
    pub(super) fn new(repo: &Repository) -> Result<Ignored> {
        let config = repo.repo.config_snapshot();
        let case = match config.boolean("core.ignoreCase") {
            Some(true) => Case::Fold,
            _ => Case::Sensitive,
        };
        let (git_dir, file) = (repo.repo.common_dir(), excludes_file(repo)?);
        let everywhere = Search::from_git_dir(git_dir, file.clone(), &mut Vec::new(), PARSE);
        let everywhere = everywhere.map_err(|error| {
            let own = git_dir.join("info").join("exclude");
            // The error does not say which of the two it is about.
            let is_unreadable = |path: &PathBuf| path.exists() && std::fs::read(path).is_err();
            let mut files = [Some(own.clone()), file].into_iter().flatten();
            let culprit = files.find(is_unreadable);
            Error::new(format!(
                "cannot read ignore patterns: {}: {error}",
                show_file(&culprit.unwrap_or(own))
            ))
            .help("make .git/info/exclude and the core.excludesFile readable")
        })?;
        Ok(Ignored { everywhere, case })
    }

    /// Whether a pattern for `path` itself ignores it; the caller handles ignored parent directories. The nearest
    /// file decides, and in it the last match.
    pub(super) fn is_ignored(&self, nearest: &Around, path: &BStr, is_dir: bool) -> bool {
        let mut next = nearest.as_deref();
        while let Some(patterns) = next {
            if let Some(says) = self.says(&patterns.own, path, is_dir) {
                return says;
            }
            next = patterns.around.as_deref();
        }
        self.says(&self.everywhere, path, is_dir).unwrap_or(false)
    }

    fn says(&self, search: &Search, path: &BStr, is_dir: bool) -> Option<bool> {
        let found = search.pattern_matching_relative_path(path, Some(is_dir), self.case)?;
        Some(!found.pattern.is_negative())
    }
}

impl GitignoreFiles {
    /// The patterns of a `.gitignore` with this content in `directory`.
    ///
    /// # Errors
    /// The name of the directory is invalid on this platform.
    pub(super) fn new(directory: &BStr, content: &[u8], around: &Around) -> Result<GitignoreFiles> {
        let unusable = |error: String| Error::new(format!("cannot read ignore patterns: {error}"));
        let directory =
            gix::path::from_bstr(directory).map_err(|error| unusable(error.to_string()))?;
        let mut own = Search::default();
        own.add_patterns_buffer(content, directory.join(FILE), Some(Path::new("")), PARSE)
            .map_err(|error| unusable(error.to_string()))?;
        Ok(GitignoreFiles {
            around: around.clone(),
            own,
        })
    }
}

/// `core.excludesFile`; empty means none, and unset means git's default.
pub(in crate::git) fn excludes_file(repo: &Repository) -> Result<Option<PathBuf>> {
    const KEY: &str = "core.excludesFile";
    match repo.config(KEY) {
        Some(value) if value.trim().is_empty() => Ok(None),
        Some(_) => repo.config_path(KEY),
        None => Ok(gix::path::env::xdg_config("ignore", &mut |name| {
            std::env::var_os(name).filter(|value| !value.is_empty())
        })),
    }
}
