//! `guard scope import`: proposes a table for the files that a plan names. A person confirms the rows at a terminal;
//! elsewhere guard only prints them.

use std::path::PathBuf;
use std::process::Command;

use gix::bstr::ByteSlice;
use serde_json::json;

use super::design_edit::{finish, print};
use super::output::Output;
use super::person::Person;
use super::repository::repository;
use crate::error::{Error, Result};
use crate::git::{Repository, show_file};
use crate::judge::{self, Proposal};
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
  guard scope import plan.md                          confirm the rows, then write them
  guard scope import plan.md --print                  print the table only
  guard scope import notes.md --to docs/LLD-7.md      write it into another document
  guard scope import --from-changes --to docs/LLD-7.md

guard proposes a row for every path that the plan names. A `?` marks a row to look at: guard writes it only if you keep \
it. The table is then the whole scope of the document, and guard stages it.

Without a terminal, and under an agent or CI, guard prints the table and writes nothing. A row of type `?` \
grants nothing.";

/// What a person can do with the rows.
const QUESTION: &str =
    "`write`, `keep 2 5`, `drop all`, `edit` (in $EDITOR), or anything else to leave: ";

impl ScopeImportArgs {
    pub(super) fn run(&self, output: &mut Output) -> Result<u8> {
        let repo = repository()?;
        let proposal = match &self.plan {
            Some(plan) => judge::rows_of_plan(&repo, plan)?,
            None => judge::rows_of_changes(&repo)?,
        };
        for row in &proposal.left_out {
            output.notes(&[format!("no row can name {}", escaped(&row.path))]);
        }
        if proposal.rows.is_empty() {
            let plan = self.plan.as_deref();
            let what = plan.map_or("the change".to_owned(), show_file);
            return Err(
                Error::new(format!("guard found no path to propose in {what}"))
                    .help("write a design by hand: guard scope new NAME"),
            );
        }
        let person = match self.print || !output.is_human() {
            true => None,
            false => Some(Person::present()),
        };
        match person {
            Some(Ok(mut person)) => self.confirm(&repo, &mut person, proposal.rows, output)?,
            refused => {
                print_table(&proposal, output);
                if let Some(Err(error)) = refused {
                    output.notes(&[format!("guard wrote nothing: {}", error.message)]);
                }
            }
        }
        Ok(0)
    }

    fn confirm(
        &self,
        repo: &Repository,
        person: &mut Person,
        mut rows: Vec<ProposedRow>,
        output: &mut Output,
    ) -> Result<()> {
        let target = self.to.as_ref().or(self.plan.as_ref()).ok_or_else(|| {
            Error::new("there is no document to write the table into").help("name it: --to FILE")
        })?;
        let mut told = String::new();
        loop {
            let question = format!("{}{told}{QUESTION}", listed(&rows));
            let Some(typed) = person.line(&question) else {
                break;
            };
            let (verb, rest) = typed.split_once(' ').unwrap_or((&typed, ""));
            told = match verb {
                "write" => {
                    rows.retain(|row| !row.is_doubtful);
                    if rows.is_empty() {
                        break;
                    }
                    let edit = judge::with_table(repo, target, &rows)?;
                    let commands = match edit.rows.is_empty() {
                        true => Vec::new(),
                        false => finish(repo, &edit)?,
                    };
                    print(output, &edit, &commands);
                    return Ok(());
                }
                "edit" => edited(repo, &mut rows)?,
                "keep" | "drop" => change(&mut rows, verb, rest),
                _ => break,
            };
        }
        output.print_either(
            || json!({"version": 1, "rows": []}),
            |out| writeln!(out, "guard wrote nothing"),
        );
        Ok(())
    }
}

fn print_table(proposal: &Proposal, output: &mut Output) {
    let table = propose::section(&proposal.rows);
    let row = |row: &ProposedRow| {
        json!({
            "path": row.path.to_str_lossy(),
            "from": row.from.as_ref().map(|from| from.to_str_lossy()),
            "type": row.change_type,
            "description": row.description,
            "line": (row.line > 0).then_some(row.line),
            "doubtful": row.is_doubtful,
        })
    };
    output.print_either(
        || json!({"version": 1, "rows": proposal.rows.iter().map(row).collect::<Vec<_>>(), "table": table}),
        |out| write!(out, "{table}"),
    );
}

/// The rows with their numbers.
fn listed(rows: &[ProposedRow]) -> String {
    let mut text = String::new();
    for (number, row) in (1..).zip(rows) {
        let mark = if row.is_doubtful { '?' } else { ' ' };
        let from = row.from.iter().map(|from| format!("{} -> ", escaped(from)));
        let (from, path) = (from.collect::<String>(), escaped(&row.path));
        let (word, about) = (&row.change_type, &row.description);
        let line = match row.line {
            0 => String::new(),
            line => format!(" (line {line})"),
        };
        text.push_str(&format!(
            "{number:>4}{mark} {word:<10} {from}{path}  {about}{line}\n"
        ));
    }
    let doubtful = rows.iter().filter(|row| row.is_doubtful).count();
    text.push_str(&format!(
        "{} rows; guard leaves out {doubtful} marked `?` unless you keep them\n",
        rows.len()
    ));
    text
}

/// Keeps or drops rows by their numbers; the answer says what was wrong.
fn change(rows: &mut Vec<ProposedRow>, verb: &str, words: &str) -> String {
    let numbers: Vec<usize> = match words {
        "all" => (1..=rows.len()).collect(),
        words => words
            .split(' ')
            .filter_map(|word| word.parse().ok())
            .collect(),
    };
    if numbers.len() < words.split(' ').count() || numbers.iter().any(|number| *number > rows.len())
    {
        return format!("name rows by their numbers, such as: {verb} 2 5, or {verb} all\n");
    }
    let mut number = 0;
    rows.retain_mut(|row| {
        number += 1;
        row.is_doubtful &= !numbers.contains(&number);
        verb == "keep" || !numbers.contains(&number)
    });
    String::new()
}

/// Opens the table in the person's editor, and takes the rows that it then has.
fn edited(repo: &Repository, rows: &mut Vec<ProposedRow>) -> Result<String> {
    let variables = ["VISUAL", "EDITOR"].map(|name| std::env::var(name).unwrap_or_default());
    let editor = variables.iter().find(|editor| !editor.trim().is_empty());
    let Some(editor) = editor else {
        return Ok("set $VISUAL or $EDITOR to edit the table\n".to_owned());
    };
    let file = repo.git_dir().join("GUARD_FILES_CHANGED.md");
    let failed = |error: std::io::Error| Error::new(format!("{}: {error}", show_file(&file)));
    const ADVICE: &str =
        "Write a type for the `?` of each row to keep, and remove the rows to drop.";
    let text = format!("{ADVICE}\n\n{}", propose::section(rows));
    std::fs::write(&file, text).map_err(failed)?;
    let mut words = editor.split_whitespace();
    let status = Command::new(words.next().unwrap_or_default())
        .args(words)
        .arg(&file)
        .status();
    let text = std::fs::read_to_string(&file).map_err(failed);
    std::fs::remove_file(&file).map_err(failed)?;
    if !status.is_ok_and(|status| status.success()) {
        return Ok(format!(
            "{} failed; the rows are as before\n",
            escaped(editor.as_str())
        ));
    }
    let (read, faults) = propose::rows_of_table(&text?);
    *rows = read;
    let faults = faults.iter().map(|fault| format!("left out: {fault}\n"));
    Ok(faults.collect())
}
