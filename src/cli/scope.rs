//! `guard scope`: what the designs grant.

use clap::Subcommand;

use super::{DesignArgs, output::Output, repository};
use crate::error::Result;
use crate::judge;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// List every grant with the line that gives it.
    #[command(after_help = EXAMPLES)]
    Show(ShowArgs),
}

const EXAMPLES: &str = "\
Examples:
  guard scope show
  guard scope show --lld docs/lld/LLD-188.md --format json";

#[derive(Debug, clap::Args)]
struct ShowArgs {
    #[command(flatten)]
    design: DesignArgs,
}

impl Args {
    pub(super) fn run(&self, output: &mut Output) -> Result<u8> {
        let Verb::Show(args) = &self.verb;
        let report = judge::scope(&repository()?, &args.design.options(false))?;
        output.print(|out, format, style| report.write(format, out, style));
        Ok(0)
    }
}
