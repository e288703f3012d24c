//! `guard use`: choose the designs of a branch.

use std::path::PathBuf;

use gix::bstr::{BString, ByteSlice};
use serde_json::json;

use super::options::repository;
use super::output::Output;
use crate::approvals::refuse_agents;
use crate::judge::{self, CHOICE_KEY};
use write_guard_policy::error::{Error, Result};
use write_guard_policy::path::{escaped, escaped_list};
use write_guard_repo::Repository;

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
  guard use docs/lld/LLD-188.md    check this branch against this design
  guard use --clear                let guard.toml select the design again

A design must match `[lld] path` or `standing` in guard.toml. guard stores the choice as \
`branch.NAME.guardDesign` in the repository's git configuration. Only a person can choose a \
design: guard refuses under an agent.";

impl UseArgs {
    pub(super) fn run(&self, output: &mut Output) -> Result<u8> {
        let repo = repository()?;
        let branch = branch(&repo)?;
        if self.clear || !self.paths.is_empty() {
            refuse_agents("choose the designs of a branch")?;
            let stored = if self.clear {
                Vec::new()
            } else {
                judge::candidates(&repo, &self.paths)?
            };
            repo.set_branch_values(branch.as_ref(), CHOICE_KEY, &stored)?;
        }
        let designs = repository()?.branch_values(branch.as_ref(), CHOICE_KEY);
        let name = escaped(&branch);
        let list = escaped_list(&designs);
        let told = if designs.is_empty() {
            format!("guard.toml selects the design of branch {name}\n")
        } else {
            format!("branch {name} is checked against {list}\n")
        };
        let designs: Vec<_> = designs.iter().map(|path| path.to_str_lossy()).collect();
        let json = json!({
            "version": 1,
            "branch": branch.to_str_lossy(),
            "design": designs.first(),
            "designs": designs,
        });
        output.report_done(&json, &told);
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
