//! `guard use`: choose the designs of a branch.

use std::path::PathBuf;

use gix::bstr::{BStr, BString, ByteSlice};
use serde_json::json;

use super::options::repository;
use super::output::Output;
use super::person;
use crate::error::{Error, Result};
use crate::git::Repository;
use crate::judge::{self, CHOICE_KEY};
use crate::path::{escaped, escaped_list, shell_word};
use crate::report::plural;

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct UseArgs {
    /// The designs to use, or directories of designs; by default, print the current choice.
    #[arg(value_name = "FILE|DIR", conflicts_with = "clear")]
    paths: Vec<PathBuf>,
    /// Remove the choice, so that guard.toml selects the design.
    #[arg(long)]
    clear: bool,
}

const EXAMPLES: &str = "\
Examples:
  guard use docs/lld/LLD-188.md         check this branch against this design
  guard use .planning/phases/03-login   check it against the designs of one directory
  guard use                             print the choice
  guard use --clear                     let guard.toml select the design again

A design must match `[lld] path` or `standing` in guard.toml. If it matches `standing`, the other designs of that \
pattern no longer join. guard stores the choice as `branch.NAME.guardDesign` in the repository's git configuration. It \
applies to this clone and all its work trees.

Only a person can choose a design: guard refuses under an agent.";

impl UseArgs {
    pub(super) fn run(&self, output: &mut Output) -> Result<u8> {
        let repo = repository()?;
        let branch = branch(&repo)?;
        if self.clear || !self.paths.is_empty() {
            person::refuse_agents("choose the designs of a branch")?;
        }
        let told = if self.clear {
            repo.set_branch_values(branch.as_ref(), CHOICE_KEY, &[])?;
            format!(
                "guard.toml selects the design of branch {}",
                escaped(&branch)
            )
        } else if self.paths.is_empty() {
            current(&repo, branch.as_ref())
        } else {
            choose(&repo, branch.as_ref(), &self.paths)?
        };
        let designs = repository()?.branch_values(branch.as_ref(), CHOICE_KEY);
        let designs: Vec<_> = designs.iter().map(|path| path.to_str_lossy()).collect();
        let json = json!({
            "version": 1,
            "branch": branch.to_str_lossy(),
            "design": designs.first(),
            "designs": designs,
        });
        output.report_done(&json, &format!("{told}\n"));
        Ok(0)
    }
}

/// The branch that HEAD is on.
fn branch(repo: &Repository) -> Result<BString> {
    match repo.branch()? {
        Some(branch) if branch.source == "HEAD" => Ok(branch.name),
        _ => Err(
            Error::new("HEAD is detached, but guard keeps the choice per branch")
                .help("switch to a branch first: git switch -c NAME")
                .help("or name the design for one run: guard lint --lld FILE"),
        ),
    }
}

/// Stores the choice, once every design is usable.
fn choose(repo: &Repository, branch: &BStr, paths: &[PathBuf]) -> Result<String> {
    let candidates = judge::candidates(repo, paths)?;
    repo.set_branch_values(branch, CHOICE_KEY, &candidates.stored)?;
    let mut told = format!(
        "branch {} is checked against {} ({} allowed)",
        escaped(branch),
        escaped_list(&candidates.stored),
        plural(candidates.grants, "path")
    );
    if !candidates.uncommitted.is_empty() {
        let files = candidates.uncommitted.iter();
        let files: Vec<_> = files.map(|path| shell_word(path).to_string()).collect();
        let files = files.join(" ");
        told.push_str(&format!(
            "\nHEAD does not have it yet, so commit it first: git add {files} && git commit -m \"Add the design\" -- {files}"
        ));
    }
    Ok(told)
}

/// The choice.
fn current(repo: &Repository, branch: &BStr) -> String {
    let chosen = repo.branch_values(branch, CHOICE_KEY);
    let branch = escaped(branch);
    match chosen.is_empty() {
        true => format!("branch {branch} has no choice: guard.toml selects the design"),
        false => format!(
            "branch {branch} is checked against {}",
            escaped_list(&chosen)
        ),
    }
}
