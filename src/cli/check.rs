//! `guard check`: may these paths be written, and with this content?

use std::path::PathBuf;

use super::files::read_file;
use super::{DesignArgs, output::Output, repository, with_approvals};
use crate::error::Result;
use crate::judge;

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Paths, absolute or relative to the workspace's root.
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<std::ffi::OsString>,
    /// Judge also whether the path may get this file's content.
    #[arg(long, value_name = "FILE")]
    content_file: Option<PathBuf>,
    #[command(flatten)]
    design: DesignArgs,
}

const EXAMPLES: &str = "\
Examples:
  guard check src/utils/lld.py
  guard check src/state.py --content-file /tmp/new.py
  guard check --format json -- -odd-name.py

Designs and settings are read from HEAD. Nothing is written.";

impl Args {
    pub(super) fn run(&self, output: &mut Output) -> Result<u8> {
        let content = self.content_file.as_deref().map(read_file).transpose()?;
        let repo = repository()?;
        let options = with_approvals(&repo, self.design.options(false))?;
        let report = judge::check_paths(&repo, &self.paths, content.as_deref(), &options)?;
        output.print(|out, format, style| report.write(format, out, style));
        Ok(report.exit_code())
    }
}
