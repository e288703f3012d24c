//! `guard scope`: lists what the designs grant, lints them, writes them, and adds rows to them.

use std::path::PathBuf;

use clap::Subcommand;

use super::repository::{DesignArgs, repository};
use super::scope_edit::{ScopeAddArgs, ScopeImportArgs, ScopeNewArgs};
use super::{output::Output, progress};
use crate::error::{Error, Result};
use crate::judge::{self, DocumentChoice};
use crate::report::{write_prompt, write_scope, write_scope_check};

#[derive(Debug, Subcommand)]
#[command(
    after_help = "Examples:\n  guard scope show                   list the allowed paths, each with its line\n  guard scope prompt >> prompt.md    tell an agent what it may write\n  guard scope check                  lint the designs of this branch\n  guard scope new hotfix             write a design for this branch\n  guard scope add src/b.rs           add a row to the design\n  guard scope import plan.md         propose a table for the files of a plan"
)]
pub(super) enum ScopeArgs {
    /// List every allowed path with its line in the design.
    #[command(after_help = SHOW_EXAMPLES)]
    Show(DesignArgs),
    /// Print the allowed paths as a section for an agent's prompt.
    #[command(after_help = PROMPT_EXAMPLES)]
    Prompt(DesignArgs),
    /// Lint design documents.
    #[command(after_help = CHECK_EXAMPLES)]
    Check(ScopeCheckArgs),
    /// Add rows to the design and stage it, at a terminal.
    Add(ScopeAddArgs),
    /// Write a design for this branch and stage it.
    New(ScopeNewArgs),
    /// Propose a table for the files that a plan names; at a terminal, write it.
    Import(ScopeImportArgs),
}

const SHOW_EXAMPLES: &str = "\
Examples:
  guard scope show
  guard scope show --lld docs/lld/LLD-188.md --format json";

const PROMPT_EXAMPLES: &str = "\
Examples:
  guard scope prompt >> prompt.md
  guard scope prompt --format json    also print each path with its actions

The section marks an existing test DO NOT MODIFY unless its row says Modify.";

const CHECK_EXAMPLES: &str = "\
Examples:
  guard scope check                          lint this branch's designs on disk
  guard scope check docs/lld/LLD-188.md      lint this document
  guard scope check --all                    lint every tracked design
  guard scope check --staged                 lint the staged designs

The exit code is 0 if there is no finding at level error, 1 if there is one, and 2 if guard could not read a document. \
guard does not compare the rows of a finished design with the files.";

#[derive(Debug, clap::Args)]
pub(super) struct ScopeCheckArgs {
    /// The documents to lint; by default, the designs of this branch.
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Lint every tracked design.
    #[arg(long, conflicts_with = "files")]
    all: bool,
    /// Lint the staged versions, and skip files that are not designs.
    #[arg(long)]
    staged: bool,
    #[command(flatten)]
    design: DesignArgs,
}

impl ScopeArgs {
    pub(super) fn run(&self, output: &mut Output) -> Result<u8> {
        match self {
            ScopeArgs::Show(args) => {
                let listing = judge::scope(&repository()?, &args.options(false))?;
                output.print(|to| write_scope(&listing, to));
                Ok(0)
            }
            ScopeArgs::Prompt(args) => {
                let section = judge::prompt(&repository()?, &args.options(false))?;
                let section = section.ok_or_else(|| {
                    Error::new("no design applies, so there are no paths to list")
                        .help("name a design: guard scope prompt --lld FILE")
                })?;
                output.print(|to| write_prompt(&section, to));
                output.notes(&section.notes);
                Ok(0)
            }
            ScopeArgs::Add(args) => args.run(output),
            ScopeArgs::New(args) => args.run(output),
            ScopeArgs::Import(args) => args.run(output),
            ScopeArgs::Check(args) => {
                let choice = DocumentChoice {
                    files: args.files.clone(),
                    all: args.all,
                    staged: args.staged,
                };
                let options = args.design.options(false);
                let busy = progress::ProgressLine::new("checking the designs");
                let listing = judge::check_documents(&repository()?, &choice, &options)?;
                drop(busy);
                output.print(|to| write_scope_check(&listing, to));
                Ok(listing.exit_code())
            }
        }
    }
}
