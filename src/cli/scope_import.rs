//! `guard scope import`: proposes a table for the files that a plan names. A person confirms the rows at a terminal;
//! elsewhere guard only prints them.

use std::path::PathBuf;
use std::process::Command;

use serde_json::json;

use super::design_edit::{finish, tell_left_out};
use super::output::Output;
use super::person::Person;
use super::repository::repository;
use crate::error::{Error, Result};
use crate::git::{Repository, show_file};
use crate::judge;
use crate::path::escaped;
use crate::policy::propose::{self, ProposedRow};

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
        let (rows, left_out) = match &self.plan {
            Some(plan) => judge::rows_of_plan(&repo, plan)?,
            None => judge::rows_of_changes(&repo)?,
        };
        tell_left_out(&left_out, output);
        if rows.is_empty() {
            let plan = self.plan.as_deref();
            let what = plan.map_or("the change".to_owned(), show_file);
            return Err(
                Error::new(format!("guard found no path to propose in {what}"))
                    .help("write a design by hand: guard scope new NAME"),
            );
        }
        let rows: Vec<String> = rows.iter().map(ProposedRow::text).collect();
        let table = propose::section(&rows);
        let refused = match self.print || !output.is_human() {
            true => None,
            false => match Person::present() {
                Ok(_) => return self.confirm(&repo, &table, output),
                Err(error) => Some(error),
            },
        };
        output.print_either(
            || json!({"version": 1, "table": table}),
            |out| write!(out, "{table}"),
        );
        if let Some(error) = refused {
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
    let failed = |error: std::io::Error| Error::new(format!("{}: {error}", show_file(&file)));
    let found = Command::new("git").args(["var", "GIT_EDITOR"]).output();
    let found = found.map(|found| String::from_utf8_lossy(&found.stdout).into_owned());
    let editor = found.unwrap_or_default();
    let mut words = editor.split_whitespace();
    std::fs::write(&file, text).map_err(failed)?;
    let mut command = Command::new(words.next().unwrap_or("vi"));
    let ended = command.args(words).arg(&file).status();
    let text = std::fs::read_to_string(&file).map_err(failed);
    std::fs::remove_file(&file).map_err(failed)?;
    match ended {
        Ok(status) if status.success() => text,
        _ => Err(
            Error::new(format!("the editor failed: {}", escaped(editor.trim())))
                .help("choose another one: git config core.editor EDITOR"),
        ),
    }
}
