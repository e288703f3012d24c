//! `guard scope new`: a person writes a design for the branch.

use super::design_edit::finish;
use super::output::Output;
use super::person::refuse_agents_and_ci;
use super::repository::repository;
use crate::error::Result;
use crate::judge;

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct ScopeNewArgs {
    /// What fills the placeholder of `[lld] path` where the branch name does not.
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// Write the rows that the staged changes need or, if nothing is staged, all changes.
    #[arg(long)]
    from_changes: bool,
}

const EXAMPLES: &str = "\
Examples:
  guard scope new                          write the design of this branch
  guard scope new hotfix --from-changes    write one for what has changed so far

guard writes the design at the place that `[lld] path` in guard.toml names, stages it, and prints the commands that \
commit and choose it. `guard scope add` adds rows. It never overwrites a file, and refuses to write under an agent or CI.";

impl ScopeNewArgs {
    pub(super) fn run(&self, output: &mut Output) -> Result<u8> {
        refuse_agents_and_ci()?;
        let repo = repository()?;
        let rows = match self.from_changes {
            true => judge::rows_of_changes(&repo)?,
            false => Vec::new(),
        };
        let edit = judge::new_design(&repo, self.name.as_deref(), &rows)?;
        finish(&repo, &edit, output)?;
        Ok(0)
    }
}
