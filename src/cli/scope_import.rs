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
  guard scope import plan.md           edit the rows, then write them into the plan
  guard scope import plan.md --print   print the table only
  guard scope import --from-changes --to docs/LLD-7.md

guard proposes a row for every path that the plan names, and opens the table in git's editor. It leaves out the rows \
that still have a `?` in front. The table is then the whole scope of the document, and guard stages it. Without a \
terminal, and under an agent or CI, guard prints the table and writes nothing.";

/// What a person reads above the table.
const ADVICE: &str = "Remove the rows to drop, and the `? ` of each doubtful row to keep.";

impl ScopeImportArgs {
    pub(super) fn run(&self, output: &mut Output) -> Result<u8> {
        let repo = repository()?;
        let rows = match &self.plan {
            Some(plan) => judge::rows_of_plan(&repo, plan)?,
            None => judge::rows_of_changes(&repo)?,
        };
        if rows.is_empty() {
            return Err(Error::new("guard found no path to propose")
                .help("write a design by hand: guard scope new NAME"));
        }
        let table = propose::section(&rows);
        let is_printed = self.print || !output.is_human();
        let refused = match is_printed {
            true => None,
            false => Person::present().err(),
        };
        if is_printed || refused.is_some() {
            let json = || json!({"version": 1, "table": table});
            output.print_either(json, |out| write!(out, "{table}"));
            let note = |error: Error| format!("guard wrote nothing: {}", error.message);
            output.notes(&Vec::from_iter(refused.map(note)));
            return Ok(0);
        }
        let target = self.to.as_ref().or(self.plan.as_ref()).ok_or_else(|| {
            Error::new("there is no document to write the table into").help("name it: --to FILE")
        })?;
        let text = edited(&repo, &format!("{ADVICE}\n\n{table}"))?;
        let rows = text.lines().filter(|line| line.starts_with("| `"));
        let rows: Vec<String> = rows.map(str::to_owned).collect();
        match rows.is_empty() {
            true => output.notes(&["guard wrote nothing".to_owned()]),
            false => finish(&repo, &judge::with_table(&repo, target, &rows)?, output)?,
        }
        Ok(0)
    }
}

/// The text after a person edited it in the editor that git uses.
fn edited(repo: &Repository, text: &str) -> Result<String> {
    let file = repo.git_dir().join("GUARD_FILES_CHANGED.md");
    let run = || {
        let found = Command::new("git").args(["var", "GIT_EDITOR"]).output()?;
        let editor = String::from_utf8_lossy(&found.stdout);
        let mut words = editor.split_whitespace();
        std::fs::write(&file, text)?;
        let mut command = Command::new(words.next().unwrap_or("vi"));
        match command.args(words).arg(&file).status()? {
            status if status.success() => std::fs::read_to_string(&file),
            status => Err(std::io::Error::other(status.to_string())),
        }
    };
    let text = run();
    let _ = std::fs::remove_file(&file);
    text.map_err(|error| {
        Error::new(format!("the editor failed: {error}"))
            .help("choose another one: git config core.editor EDITOR")
    })
}
