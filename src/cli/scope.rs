//! `guard scope`: what the designs grant, and whether they are in order.

use std::path::PathBuf;

use clap::Subcommand;

use super::design_args::DesignArgs;
use super::repository::repository;
use super::{output::Output, progress};
use crate::error::Result;
use crate::judge::{self, DocumentChoice};
use crate::report::{write_prompt, write_scope, write_scope_check};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  guard scope show                  what may be changed, and by which line\n  guard scope prompt >> prompt.md   the same for an agent\n  guard scope check                 lint the designs"
)]
pub(super) struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// List every grant with the line that gives it.
    #[command(after_help = SHOW_EXAMPLES)]
    Show(ShowArgs),
    /// Print the section for an agent's prompt that names what may be written.
    #[command(after_help = PROMPT_EXAMPLES)]
    Prompt(ShowArgs),
    /// Lint design documents.
    #[command(after_help = CHECK_EXAMPLES)]
    Check(CheckArgs),
}

const SHOW_EXAMPLES: &str = "\
Examples:
  guard scope show
  guard scope show --lld docs/lld/LLD-188.md --format json";

const PROMPT_EXAMPLES: &str = "\
Examples:
  guard scope prompt >> prompt.md
  guard scope prompt --format json          each path with its actions, and the section as `text`

Listed tests that exist are marked DO NOT MODIFY unless their row says Modify.";

const CHECK_EXAMPLES: &str = "\
Examples:
  guard scope check                         the designs of this branch, as they are on disk
  guard scope check docs/lld/LLD-188.md     this document
  guard scope check --all                   every tracked design
  guard scope check --staged                the designs that the next commit would change

Exit codes: 0 nothing at level error, 1 a fault, 2 nothing could be read.
The rows of a design whose work is finished are not held against the files.";

#[derive(Debug, clap::Args)]
struct ShowArgs {
    #[command(flatten)]
    design: DesignArgs,
}

#[derive(Debug, clap::Args)]
struct CheckArgs {
    /// Documents; without any, the designs of this branch.
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Every tracked file that the settings take for a design.
    #[arg(long, conflicts_with = "files")]
    all: bool,
    /// Read what is staged; files that are no designs are left out.
    #[arg(long)]
    staged: bool,
    #[command(flatten)]
    design: DesignArgs,
}

impl Args {
    pub(super) fn run(&self, output: &mut Output) -> Result<u8> {
        match &self.verb {
            Verb::Show(args) => {
                let listing = judge::scope(&repository()?, &args.design.options(false))?;
                output.print(|out, format, style| write_scope(&listing, format, out, style));
                Ok(0)
            }
            Verb::Prompt(args) => {
                let section = judge::prompt(&repository()?, &args.design.options(false))?;
                output.print(|out, format, _| write_prompt(&section, format, out));
                output.notes(&section.remarks());
                Ok(0)
            }
            Verb::Check(args) => {
                let choice = DocumentChoice {
                    files: args.files.clone(),
                    all: args.all,
                    staged: args.staged,
                };
                let options = args.design.options(false);
                let busy = progress::Busy::new("checking the designs");
                let listing = judge::check_documents(&repository()?, &choice, &options)?;
                drop(busy);
                output.print(|out, format, style| write_scope_check(&listing, format, out, style));
                Ok(listing.exit_code())
            }
        }
    }
}
