//! What can make git show or run something else than people think: for `guard doctor` and `guard init`.

use gix::bstr::{BString, ByteSlice};
use gix::index::entry::Flags;

use super::{Index, Repository, failed};
use crate::error::Result;

/// An entry whose file git does not look at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlaggedEntry {
    /// Its path.
    pub path: BString,
    /// `skip-worktree` or `assume-unchanged`.
    pub flag: &'static str,
}

/// A section `[hook "NAME"]` of git's configuration that is switched off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookSwitch {
    /// The hook, or the event whose hooks it switches off.
    pub name: BString,
    /// What it would run, if it says.
    pub command: Option<BString>,
}

impl Index {
    /// The entries with `skip-worktree` or `assume-unchanged`, in path order.
    pub fn flagged(&self) -> Vec<FlaggedEntry> {
        let flag = |flags: Flags| {
            if flags.contains(Flags::SKIP_WORKTREE) {
                Some("skip-worktree")
            } else if flags.contains(Flags::ASSUME_VALID) {
                Some("assume-unchanged")
            } else {
                None
            }
        };
        self.entries()
            .iter()
            .filter(|entry| !entry.mode.is_sparse())
            .filter_map(|entry| {
                Some(FlaggedEntry {
                    flag: flag(entry.flags)?,
                    path: self.path_of(entry).to_owned(),
                })
            })
            .collect()
    }
}

impl Repository {
    /// The objects that replace refs stand in for, in hexadecimal.
    ///
    /// # Errors
    /// The refs cannot be read.
    pub(crate) fn replaced_objects(&self) -> Result<Vec<BString>> {
        self.refs_below("refs/replace/")
    }

    /// The local branches by their short names.
    ///
    /// # Errors
    /// The refs cannot be read.
    pub(crate) fn local_branches(&self) -> Result<Vec<BString>> {
        self.refs_below("refs/heads/")
    }

    fn refs_below(&self, prefix: &str) -> Result<Vec<BString>> {
        let unreadable = |error: gix::Error| failed("the refs cannot be read", &error);
        let platform = self.repo.references().map_err(unreadable)?;
        let found = platform.prefixed(prefix).map_err(unreadable)?;
        found
            .map(|reference| {
                let reference = reference.map_err(unreadable)?;
                let name = reference.name().as_bstr();
                Ok(BString::from(
                    name.strip_prefix(prefix.as_bytes()).unwrap_or(name),
                ))
            })
            .collect()
    }

    /// The default branch of the remote `origin`, as `origin/HEAD` has it.
    pub(crate) fn default_branch_of_origin(&self) -> Option<BString> {
        let head = self
            .repo
            .try_find_reference("refs/remotes/origin/HEAD")
            .ok()??;
        let target = head.target();
        let name = target.try_name()?.as_bstr();
        Some(name.strip_prefix(b"refs/remotes/origin/")?.into())
    }

    /// The hooks of git's configuration (git 2.54 and newer) that `hook.NAME.enabled=false` switches off.
    pub(crate) fn disabled_hooks(&self) -> Vec<HookSwitch> {
        let config = self.repo.config_snapshot();
        let file = config.plumbing();
        let mut names: Vec<BString> = file
            .sections_by_name("hook")
            .into_iter()
            .flatten()
            .filter_map(|section| Some(section.header().subsection_name()?.to_owned()))
            .collect();
        names.sort();
        names.dedup();
        names
            .into_iter()
            .filter(|name| {
                // A value that is no boolean is an error to git, so nothing is switched off by it.
                matches!(
                    file.boolean_by("hook", Some(name.as_bstr()), "enabled"),
                    Ok(Some(false))
                )
            })
            .map(|name| HookSwitch {
                command: file.string_by("hook", Some(name.as_bstr()), "command"),
                name,
            })
            .collect()
    }
}
