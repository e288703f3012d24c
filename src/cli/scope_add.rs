//! `guard scope add`: a person adds rows to the design and stages it.

use std::collections::HashSet;
use std::path::PathBuf;

use gix::bstr::{BString, ByteSlice};
use serde_json::json;

use super::design_edit::write;
use super::output::Output;
use super::person::Person;
use super::repository::repository;
use crate::error::{Error, Result};
use crate::judge::{self, Options, RowsToAdd};
use crate::path::escaped;

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
        let (edit, granted) = judge::extend_design(&repo, &wanted, &Options::default())?;
        let commands = match edit.after == edit.design.text {
            true => Vec::new(),
            false => write(&repo, &edit)?,
        };
        let known: HashSet<&str> = edit.design.text.lines().collect();
        let rows = (1..).zip(edit.after.lines());
        let rows = rows.filter(|(_, line)| line.starts_with('|') && !known.contains(line));
        let rows: Vec<(usize, &str)> = rows.collect();
        let path = &edit.design.path;
        let text = told(path, &granted, &rows, &commands);
        let quiet = output.style.quiet;
        output.print_either(
            || {
                json!({
                    "version": 1,
                    "design": path.to_str_lossy(),
                    "rows": rows.iter().map(|(line, text)| json!({"line": line, "text": text})).collect::<Vec<_>>(),
                    "granted": granted.iter().map(|path| path.to_str_lossy()).collect::<Vec<_>>(),
                    "next": commands.first(),
                    "choose": commands.get(1),
                })
            },
            |out| match quiet {
                true => Ok(()),
                false => out.write_all(text.as_bytes()),
            },
        );
        Ok(0)
    }
}

fn told(
    design: &BString,
    granted: &[BString],
    rows: &[(usize, &str)],
    commands: &[String],
) -> String {
    let design = escaped(design);
    let granted = granted.iter().map(escaped);
    let mut text: String = granted
        .map(|path| format!("{design} has a row for {path} already\n"))
        .collect();
    if commands.is_empty() {
        return text + "nothing to add\n";
    }
    text += &format!("added to {design} and staged:\n");
    for (line, row) in rows {
        text += &format!("  {line:>4}: {}\n", escaped(*row));
    }
    text + &format!("commit it before the code:\n  {}\n", commands.join("\n  "))
}
