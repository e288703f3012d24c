//! `guard use`: choose the design of a branch.

use std::path::PathBuf;

use gix::bstr::{BStr, BString, ByteSlice};
use serde_json::json;

use super::output::Output;
use super::repository::repository;
use crate::error::{Error, Result};
use crate::git::Repository;
use crate::judge;
use crate::path::escaped;

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct UseArgs {
    /// The design to use; by default, print the current choice.
    #[arg(conflicts_with = "clear")]
    file: Option<PathBuf>,
    /// Remove the choice, so that guard.toml selects the design.
    #[arg(long)]
    clear: bool,
}

const EXAMPLES: &str = "\
Examples:
  guard use docs/lld/LLD-188.md    judge this branch by this design
  guard use                        print the choice
  guard use --clear                let guard.toml select the design again

guard stores the choice as `branch.NAME.guardDesign` in the repository's git configuration. It applies to this clone and \
all its work trees.";

/// The key below `branch.NAME`.
const KEY: &str = "guardDesign";

impl UseArgs {
    pub(super) fn run(&self, output: &mut Output) -> Result<u8> {
        let repo = repository()?;
        let branch = branch(&repo)?;
        let told = if self.clear {
            clear(&repo, branch.as_ref())?
        } else if let Some(file) = &self.file {
            choose(&repo, branch.as_ref(), file)?
        } else {
            current(&repo, branch.as_ref())
        };
        let design = repository()?.branch_value(branch.as_ref(), KEY);
        let quiet = output.style.quiet;
        output.print_either(
            || {
                let (branch, design) = (branch.to_str_lossy(), design.as_ref());
                let design = design.map(|path| path.to_str_lossy());
                json!({"version": 1, "branch": branch, "design": design})
            },
            |out| match quiet {
                true => Ok(()),
                false => writeln!(out, "{told}"),
            },
        );
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

fn choose(repo: &Repository, branch: &BStr, file: &std::path::Path) -> Result<String> {
    let candidate = judge::candidate(repo, file)?;
    repo.set_branch_value(branch, KEY, Some(candidate.path.as_ref()))?;
    let path = escaped(&candidate.path);
    let mut told = format!(
        "branch {} is judged by {path} ({} granted)",
        escaped(branch),
        match candidate.grants {
            1 => "1 path".to_owned(),
            count => format!("{count} paths"),
        }
    );
    if !candidate.committed {
        told.push_str(&format!(
            "\nHEAD does not have it yet, so commit it first: git add {path} && git commit -m \"Add the design\" -- {path}"
        ));
    }
    Ok(told)
}

fn clear(repo: &Repository, branch: &BStr) -> Result<String> {
    repo.set_branch_value(branch, KEY, None)?;
    Ok(format!(
        "guard.toml selects the design of branch {}",
        escaped(branch)
    ))
}

fn current(repo: &Repository, branch: &BStr) -> String {
    match repo.branch_value(branch, KEY) {
        Some(path) => format!("branch {} is judged by {}", escaped(branch), escaped(&path)),
        None => format!(
            "branch {} has no choice: guard.toml selects the design",
            escaped(branch)
        ),
    }
}
