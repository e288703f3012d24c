//! `guard hook`: what git's hooks and the pre-commit framework call.

use clap::Subcommand;

use super::{DesignArgs, lint, output::Output};
use crate::error::Result;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    name: Name,
}

#[derive(Debug, Subcommand)]
enum Name {
    /// Judge the staged changes before a commit.
    PreCommit(CommitArgs),
    /// Judge what a merge stages of its own before its commit.
    PreMergeCommit(CommitArgs),
}

#[derive(Debug, clap::Args)]
struct CommitArgs {
    #[command(flatten)]
    design: DesignArgs,
}

impl Args {
    pub(super) fn run(&self, output: &mut Output) -> Result<u8> {
        match &self.name {
            Name::PreCommit(args) | Name::PreMergeCommit(args) => {
                lint::staged(output, &args.design.options(true))
            }
        }
    }
}
