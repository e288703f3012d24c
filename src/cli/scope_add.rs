//! `guard scope add`: a person adds rows to the design and stages it.

// Replaces the design in the work tree.
#![allow(clippy::disallowed_methods)]

use std::path::PathBuf;

use gix::bstr::{BString, ByteSlice};
use serde_json::json;

use super::output::Output;
use super::person::Person;
use super::repository::repository;
use crate::error::{Error, Result};
use crate::git::{Index, Repository};
use crate::judge::{self, ExtendedDesign, Options, RowsToAdd};
use crate::path::{escaped, shell_word};
use crate::{disk, system};

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct ScopeAddArgs {
    /// The paths to add; a slash at the end adds everything below a directory.
    #[arg(value_name = "PATH", required_unless_present = "missing")]
    paths: Vec<PathBuf>,
    /// Add every staged path that `guard lint` refuses for lack of a row.
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

guard adds the row after the last one of the same directory, in the columns and words of the table, and stages only the \
design. Commit it before the code. guard writes nothing if the design would then grant more than the paths given.

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
        let extended = judge::extend_design(&repo, &wanted, &Options::default())?;
        if !extended.rows.is_empty() {
            write(&repo, &extended)?;
        }
        let word = shell_word(&extended.path);
        let command = format!("git commit -m \"Extend the design\" -- {word}");
        let quiet = output.style.quiet;
        output.print_either(
            || {
                let rows = extended.rows.iter();
                json!({
                    "version": 1,
                    "design": extended.path.to_str_lossy(),
                    "rows": rows.map(|row| json!({"line": row.line, "text": row.text})).collect::<Vec<_>>(),
                    "granted": extended.granted.iter().map(|path| path.to_str_lossy()).collect::<Vec<_>>(),
                    "next": (!extended.rows.is_empty()).then_some(&command),
                })
            },
            |out| match quiet {
                true => Ok(()),
                false => write!(out, "{}", told(&extended, &command)),
            },
        );
        Ok(0)
    }
}

fn told(extended: &ExtendedDesign, command: &str) -> String {
    let design = escaped(&extended.path);
    let mut text = String::new();
    for path in &extended.granted {
        text.push_str(&format!("{design} grants {} already\n", escaped(path)));
    }
    if extended.rows.is_empty() {
        text.push_str("nothing to add\n");
        return text;
    }
    text.push_str(&format!("added to {design} and staged:\n"));
    for row in &extended.rows {
        text.push_str(&format!("  {:>4}: {}\n", row.line, row.text));
    }
    text.push_str(&format!("commit it before the code:\n  {command}\n"));
    text
}

/// Replaces the design in the work tree and stages it.
fn write(repo: &Repository, extended: &ExtendedDesign) -> Result<()> {
    let path = &extended.path;
    let failed = |why: String| Error::new(format!("{} cannot be written: {why}", escaped(path)));
    let file = repo.work_tree_file(path.as_ref())?;
    let metadata = file
        .symlink_metadata()
        .map_err(|error| failed(error.to_string()))?;
    let now = std::fs::read(&file).map_err(|error| failed(error.to_string()))?;
    if now != extended.before {
        return Err(
            failed("another program has just changed it".to_owned()).help("run the command again")
        );
    }
    disk::replace(&file, &extended.after, system::std_mode(&metadata))
        .map_err(|error| failed(error.to_string()))?;
    repo.stage_file(path.as_ref())?;
    let staged = Index::open(repo)?.tree()?.read(path.as_ref())?;
    if staged.is_some_and(|staged| judge::is_same_design(&staged, &extended.after)) {
        return Ok(());
    }
    let path: &BString = path;
    Err(Error::new(format!(
        "git staged {} with another content, by a filter of the repository",
        escaped(path)
    ))
    .help(format!(
        "look at it before you commit: git diff --cached -- {}",
        shell_word(path)
    )))
}
