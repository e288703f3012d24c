//! The current branch, also with a detached HEAD.

use std::borrow::Cow;
use std::fs;

use gix::bstr::{BStr, BString, ByteSlice, ByteVec};

use super::program::{Git, told};
use super::{Repository, failed, show_file};
use crate::error::{Error, Result};

/// CI variables with the branch of a pull request, most specific first.
const CI_VARIABLES: &[&str] = &[
    "GITHUB_HEAD_REF",
    "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME",
    "CI_COMMIT_BRANCH",
    "BITBUCKET_BRANCH",
    "SYSTEM_PULLREQUEST_SOURCEBRANCH",
    "BUILDKITE_BRANCH",
    "CHANGE_BRANCH",
];

/// A branch and how it was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Branch {
    /// The short name, such as `188-enforce-paths`.
    pub name: BString,
    /// `HEAD`, `rebase`, or the name of the CI variable.
    pub source: &'static str,
}

impl Repository {
    /// The branch of HEAD. With a detached HEAD, that of the current rebase or of the CI variables.
    ///
    /// # Errors
    /// HEAD cannot be read.
    pub(crate) fn branch(&self) -> Result<Option<Branch>> {
        // What the branch points to does not matter here.
        let head = self
            .repo
            .find_reference("HEAD")
            .map_err(failed("HEAD cannot be read"))?;
        let branch = |name: &[u8], source| Branch {
            name: name.into(),
            source,
        };
        if let Some(name) = head.target().try_name() {
            return Ok(Some(branch(name.shorten(), "HEAD")));
        }
        for file in ["rebase-merge/head-name", "rebase-apply/head-name"] {
            if let Ok(content) = fs::read(self.git_dir().join(file)) {
                let name = content.trim();
                // git writes "detached HEAD" if the rebase did not start on a branch.
                if let Some(name) = name.strip_prefix(b"refs/heads/") {
                    return Ok(Some(branch(name, "rebase")));
                }
            }
        }
        Ok(CI_VARIABLES.iter().find_map(|&variable| {
            let value = Vec::from_os_string(std::env::var_os(variable)?).ok()?;
            let name = value.strip_prefix(b"refs/heads/").unwrap_or(&value);
            (!name.is_empty()).then(|| branch(name, variable))
        }))
    }

    /// The values of `branch.<branch>.<key>`.
    pub(crate) fn branch_values(&self, branch: &BStr, key: &str) -> Vec<BString> {
        let config = self.repo.config_snapshot();
        let values = config.plumbing().strings_by("branch", Some(branch), key);
        values.unwrap_or_default()
    }

    /// Sets the values of `branch.<branch>.<key>` in the repository's own file, or removes the key if there are none.
    ///
    /// # Errors
    /// git is not there, another process holds the lock, or the file cannot be read or written.
    pub(crate) fn set_branch_values(
        &self,
        branch: &BStr,
        key: &str,
        values: &[BString],
    ) -> Result<()> {
        let file = self.common_dir().join("config");
        let failed = |why: &str| {
            let shown = show_file(&file);
            Error::new(format!("{shown} cannot be changed: {why}"))
                .help(format!("if no git command is running, remove {shown}.lock"))
        };
        let name = [b"branch.", branch.as_bytes(), b".", key.as_bytes()].concat();
        let change = |action: &str, value: Option<&BString>| {
            let mut arguments = vec![
                "config".into(),
                "--file".into(),
                file.clone(),
                action.into(),
            ];
            for part in [Some(name.as_bstr()), value.map(|value| value.as_ref())] {
                let part = part.map(gix::path::from_bstr).transpose();
                let part = part.map_err(|error| failed(&error.to_string()))?;
                arguments.extend(part.map(Cow::into_owned));
            }
            let output = Git::isolated(self.git_dir()).output(arguments, b"");
            let output = output.map_err(|why| failed(&why))?;
            match output.status.code() {
                Some(0) => Ok(()),
                // There was nothing to remove.
                Some(5) if value.is_none() => Ok(()),
                _ => Err(failed(&told(&output))),
            }
        };
        let Some((first, others)) = values.split_first() else {
            return change("--unset-all", None);
        };
        change("--replace-all", Some(first))?;
        others
            .iter()
            .try_for_each(|value| change("--add", Some(value)))
    }

    /// The branch whose designs hold here: usually that of HEAD.
    ///
    /// # Errors
    /// HEAD cannot be read.
    pub(crate) fn design_branch(&self) -> Result<Option<BString>> {
        let own = self.branch()?.map(|branch| branch.name);
        Ok(own.map(|own| self.inherited_branch(own.as_ref()).unwrap_or(own)))
    }

    /// The branch of the main work tree, if an agent made this linked one beside it: such a branch is new and named
    /// after the work tree, so it selects no design, unless a person chose one for it.
    fn inherited_branch(&self, name: &BStr) -> Option<BString> {
        let is_linked = self.git_dir() != self.common_dir();
        if !is_linked || !name.starts_with(b"worktree-") {
            return None;
        }
        let head = fs::read(self.common_dir().join("HEAD")).ok()?;
        let main = head.trim().strip_prefix(b"ref: refs/heads/")?;
        let is_chosen = !self.branch_values(name, "guardDesign").is_empty();
        // Repositories with reftables keep HEAD elsewhere.
        (!is_chosen && main != b".invalid").then(|| main.into())
    }
}
