//! `guard scope import`: proposes a table for the files that a plan names. A person confirms the rows at a terminal;
//! elsewhere guard only prints them.

use std::path::PathBuf;
use std::process::Command;

use serde_json::json;

use super::design_edit::finish;
use super::output::Output;
use super::person::Person;
use super::repository::repository;
use crate::error::{Error, Result};
use crate::git::Repository;
use crate::judge;
use crate::policy::propose;

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct ScopeImportArgs {
    /// The plan to read, in any form and language.
    #[arg(value_name = "PLAN", required_unless_present = "from_changes")]
    plan: Option<PathBuf>,
    /// Propose the rows that the staged changes need or, if nothing is staged, all changes.
    #[arg(long, conflicts_with = "plan")]
    from_changes: bool,
    /// Write the table into this document; by default, into the plan.
    #[arg(long, value_name = "FILE")]
    to: Option<PathBuf>,
    /// Print the table and write nothing.
    #[arg(long)]
    print: bool,
}

const EXAMPLES: &str = "\
Examples:
  guard scope import plan.md                          edit the rows, then write them
  guard scope import plan.md --print                  print the table only
  guard scope import notes.md --to docs/LLD-7.md      write it into another document
  guard scope import --from-changes --to docs/LLD-7.md

guard proposes a row for every path that the plan names, and opens the table in git's editor. A `?` marks a row to look \
at: guard leaves it out unless you remove the mark. The table is then the whole scope of the document, and guard stages it.

Without a terminal, and under an agent or CI, guard prints the table and writes nothing. A row with a `?` \
grants nothing.";

/// What a person reads above the table.
const ADVICE: &str = "\
guard writes the rows below when you save them and leave the editor. Remove the rows to drop, and the `? ` of
each doubtful row to keep. Remove all rows to write nothing.";

impl ScopeImportArgs {
    pub(super) fn run(&self, output: &mut Output) -> Result<u8> {
        let repo = repository()?;
        let table = propose::section(&match &self.plan {
            Some(plan) => judge::rows_of_plan(&repo, plan)?,
            None => judge::rows_of_changes(&repo)?,
        });
        let person = match self.print || !output.is_human() {
            true => None,
            false => Some(Person::present()),
        };
        if let Some(Ok(_)) = person {
            return self.confirm(&repo, &table, output);
        }
        output.print_either(
            || json!({"version": 1, "table": table}),
            |out| write!(out, "{table}"),
        );
        if let Some(Err(error)) = person {
            output.notes(&[format!("guard wrote nothing: {}", error.message)]);
        }
        Ok(0)
    }

    fn confirm(&self, repo: &Repository, table: &str, output: &mut Output) -> Result<u8> {
        let target = self.to.as_ref().or(self.plan.as_ref()).ok_or_else(|| {
            Error::new("there is no document to write the table into").help("name it: --to FILE")
        })?;
        let text = edited(repo, &format!("{ADVICE}\n\n{table}"))?;
        let (rows, faults) = propose::rows_of_table(&text);
        output.notes(&faults);
        match rows.is_empty() {
            true => output.notes(&["guard wrote nothing".to_owned()]),
            false => finish(repo, &judge::with_table(repo, target, &rows)?, output)?,
        }
        Ok(0)
    }
}

/// The text after a person edited it in the editor that git uses.
fn edited(repo: &Repository, text: &str) -> Result<String> {
    let file = repo.git_dir().join("GUARD_FILES_CHANGED.md");
    let failed = |why: String| {
        Error::new(format!("the editor failed: {why}"))
            .help("choose another one: git config core.editor EDITOR")
    };
    let run = || {
        let found = Command::new("git").args(["var", "GIT_EDITOR"]).output()?;
        let editor = String::from_utf8_lossy(&found.stdout);
        let mut words = editor.split_whitespace();
        std::fs::write(&file, text)?;
        let mut command = Command::new(words.next().unwrap_or("vi"));
        let status = command.args(words).arg(&file).status()?;
        Ok((status, std::fs::read_to_string(&file)?))
    };
    let ended: std::io::Result<_> = run();
    let _ = std::fs::remove_file(&file);
    match ended {
        Ok((status, text)) if status.success() => Ok(text),
        Ok((status, _)) => Err(failed(status.to_string())),
        Err(error) => Err(failed(error.to_string())),
    }
}
