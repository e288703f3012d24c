//! `guard status`: where the work on this branch stands.

use super::approve::{held_json, held_line};
use super::output::{CANNOT_JUDGE, Output};
use super::progress::ProgressLine;
use super::repository::{DesignArgs, repository, with_approvals};
use crate::error::Result;
use crate::files::{self, Failure};
use crate::judge;
use crate::report::write_status;

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct StatusArgs {}

const EXAMPLES: &str = "\
Examples:
  guard status                  show where this branch stands
  guard status --format json    print the same as JSON

guard shows the branch, its designs and what selected them, the rows that nothing has changed since the merge base, \
what a commit of the staged changes would say, and what waits for approval. It changes nothing. The exit code is 0, \
also if a commit would be refused, and 2 if guard could not check the staged changes.";

impl StatusArgs {
    pub(super) fn run(&self, output: &mut Output) -> Result<u8> {
        let repo = repository()?;
        // As the hooks will check the commit.
        let design = DesignArgs { lld: Vec::new() };
        let options = with_approvals(&repo, design.options(true))?;
        let waiting = files::pending(&repo).map_err(Failure::into_error)?;
        let waiting = waiting.iter().map(|change| {
            let line = held_line(&repo, change);
            (line, held_json(&repo, change, None))
        });
        let waiting: Vec<_> = waiting.collect();
        let busy = ProgressLine::new("checking the staged changes");
        let status = judge::status(&repo, &options)?;
        drop(busy);
        output.print(|to| write_status(&status, &waiting, to));
        Ok(status.commit.map_or(CANNOT_JUDGE, |_| 0))
    }
}
