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
        if !self.lld.is_empty() {
            return Options {
                designs: self.lld.clone(),
                designs_from: "--lld",
                in_hook,
                ..Options::default()
            };
        }
        let designs = std::env::var_os(LLD_VARIABLE)
            .map(|value| {
                std::env::split_paths(&value)
                    .filter(|path| !path.as_os_str().is_empty())
                    .collect()
            })
            .unwrap_or_default();
        Options {
            designs,
            designs_from: LLD_VARIABLE,
            in_hook,
            ..Options::default()
        }
    }
}
