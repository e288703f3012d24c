//! `guard scope add`: a person adds rows to the design and stages it.

use std::path::PathBuf;

use super::design_edit::finish;
use super::output::Output;
use super::person::Person;
use super::repository::repository;
use crate::error::{Error, Result};
use crate::judge::{self, Options, RowsToAdd};

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct ScopeAddArgs {
    /// The paths to add; a slash at the end adds everything below a directory.
    #[arg(value_name = "PATH", required_unless_present = "missing")]
    paths: Vec<PathBuf>,
    /// Add every staged path that `guard lint` refuses for lack of a row; every changed path, if nothing is staged.
    #[arg(long)]
    missing: bool,
    /// The type of the rows; by default, what has become of the file: Add, Modify, Delete or Symlink.
    #[arg(long = "type", value_name = "TYPE")]
    change_type: Option<String>,
    /// What the rows say about the change.
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    /// The design to extend; by default, that of this branch.
    #[arg(long, value_name = "FILE")]
    design: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  guard scope add src/b.rs                 add a row to the design of this branch
  guard scope add old.rs --type Delete     let a file go
  guard scope add --missing                add all staged paths that have no row
  guard scope add Cargo.toml --design docs/lld/standing.md

guard adds the row after the last one of the same directory, in the columns of the table, and stages only the design. A \
design without a table gets one, with everything that it grants so far. Commit it before the code. guard writes nothing \
if the design would then grant more than the paths given.

Only a person at a terminal can extend a design this way: guard refuses under an agent or CI.";

impl ScopeAddArgs {
    pub(super) fn run(&self, output: &mut Output) -> Result<u8> {
        Person::present()?;
        let repo = repository()?;
        if let Some(text) = &self.description
            && text.chars().any(char::is_control)
        {
            return Err(Error::new("the description must be one line of text"));
        }
        let wanted = RowsToAdd {
            paths: self.paths.iter().map(|path| repo.request(path)).collect(),
            missing: self.missing,
            change_type: self.change_type.clone(),
            description: self.description.clone(),
            design: self.design.clone(),
        };
        let edit = judge::extend_design(&repo, &wanted, &Options::default())?;
        finish(&repo, &edit, output)?;
        Ok(0)
    }
}
