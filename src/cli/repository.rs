//! The repository that a command is about, and the option `--lld` for the designs that judge it.

use std::path::PathBuf;

use crate::error::Result;
use crate::files;
use crate::git::Repository;
use crate::judge::Options;

/// Adds the approvals of this repository, which count for local commits.
pub(super) fn with_approvals(repo: &Repository, options: Options) -> Result<Options> {
    Ok(Options {
        approvals: files::approvals(repo)?,
        ..options
    })
}

/// The repository of the current directory.
pub(super) fn repository() -> Result<Repository> {
    Repository::open(".".as_ref())
}

/// The variable that names designs for every run, as `--lld` does for one.
pub(super) const LLD_VARIABLE: &str = "GUARD_LLD";

/// Explicitly chosen designs, the same for every verb that judges.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct DesignArgs {
    /// Use this design instead of the one that guard.toml selects; repeat it to combine several.
    ///
    /// GUARD_LLD does the same for every run; it takes a list that is separated as in PATH.
    #[arg(long = "lld", value_name = "FILE")]
    pub(super) lld: Vec<PathBuf>,
}

impl DesignArgs {
    pub(super) fn options(&self, in_hook: bool) -> Options {
        let mut designs = self.lld.clone();
        let mut designs_from = "--lld";
        if designs.is_empty() {
            let value = std::env::var_os(LLD_VARIABLE).unwrap_or_default();
            let listed = std::env::split_paths(&value);
            designs = listed.filter(|path| !path.as_os_str().is_empty()).collect();
            designs_from = LLD_VARIABLE;
        }
        Options {
            designs,
            designs_from,
            in_hook,
            ..Options::default()
        }
    }
}
