//! Settings that make git show or run something unexpected, for `guard doctor` and `guard init`.

use gix::bstr::{BString, ByteSlice};

use super::{Repository, failed};
use crate::error::Result;

/// A disabled section `[hook "NAME"]` of git's configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookSwitch {
    /// The hook or the event that it disables.
    pub name: BString,
    /// The command, if any.
    pub command: Option<BString>,
}

impl Repository {
    /// The objects that replace refs replace, in hexadecimal.
    ///
    /// # Errors
    /// The refs cannot be read.
    pub(crate) fn replaced_objects(&self) -> Result<Vec<BString>> {
        self.refs_below("refs/replace/")
    }

    /// The short names of local branches.
    ///
    /// # Errors
    /// The refs cannot be read.
    pub(crate) fn local_branches(&self) -> Result<Vec<BString>> {
        self.refs_below("refs/heads/")
    }

    fn refs_below(&self, prefix: &str) -> Result<Vec<BString>> {
        let unreadable = failed("the refs cannot be read");
        let platform = self.repo.references().map_err(&unreadable)?;
        let found = platform.prefixed(prefix).map_err(&unreadable)?;
        found
            .map(|reference| {
                let reference = reference.map_err(&unreadable)?;
                let name = reference.name().as_bstr();
                Ok(BString::from(
                    name.strip_prefix(prefix.as_bytes()).unwrap_or(name),
                ))
            })
            .collect()
    }

    /// The default branch of the remote `origin`, from `origin/HEAD`.
    pub(crate) fn default_branch_of_origin(&self) -> Option<BString> {
        let name = self.points_to("refs/remotes/origin/HEAD")?;
        Some(name.strip_prefix(b"refs/remotes/origin/")?.into())
    }

    /// The names of hooks in git's configuration (git 2.54 and newer).
    pub(super) fn configured_hooks(&self) -> Vec<BString> {
        let config = self.repo.config_snapshot();
        let sections = config.plumbing().sections_by_name("hook");
        let mut names: Vec<BString> = sections
            .into_iter()
            .flatten()
            .filter_map(|section| Some(section.header().subsection_name()?.to_owned()))
            .collect();
        names.sort();
        names.dedup();
        names
    }

    /// The hooks in git's configuration that `hook.NAME.enabled=false` disables.
    pub(crate) fn disabled_hooks(&self) -> Vec<HookSwitch> {
        let config = self.repo.config_snapshot();
        let file = config.plumbing();
        self.configured_hooks()
            .into_iter()
            .filter(|name| {
                // A value that is not a boolean is an error for git and disables nothing.
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
