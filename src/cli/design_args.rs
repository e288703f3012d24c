//! The option `--lld` and its variable.

use std::path::PathBuf;

use crate::judge::Options;

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
        let (mut designs, mut designs_from) = (self.lld.clone(), "--lld");
        if designs.is_empty() {
            let listed = std::env::var_os(LLD_VARIABLE).unwrap_or_default();
            let listed = std::env::split_paths(&listed);
            designs.extend(listed.filter(|path| !path.as_os_str().is_empty()));
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
