//! `guard lint`: judge what would be committed.

use super::{DesignArgs, output::Output, repository};
use crate::error::Result;
use crate::judge;

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    #[command(flatten)]
    design: DesignArgs,
}

const EXAMPLES: &str = "\
Examples:
  guard lint                                judge the index by this branch's design
  guard lint --lld docs/lld/LLD-188.md      judge it by this design
  guard lint --format json                  the same for a program

Nothing is written: not the index, not the work tree, not the git directory.";

impl Args {
    pub(super) fn run(&self, output: &mut Output) -> Result<u8> {
        staged(output, &self.design.options(false))
    }
}

/// Judges the staged changes and prints the report.
pub(super) fn staged(output: &mut Output, options: &judge::Options) -> Result<u8> {
    let repository = repository()?;
    output.seen_from(repository.prefix());
    let report = judge::staged(&repository, options)?;
    output.print(|out, format, style| report.write(format, out, style));
    Ok(report.exit_code())
}
