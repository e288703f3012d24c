//! `guard use`: choose the designs of a branch.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use gix::bstr::{BStr, BString, ByteSlice};
use serde_json::json;

use super::output::Output;
use super::person::is_at_a_terminal;
use super::repository::repository;
use crate::error::{Error, Result};
use crate::git::Repository;
use crate::judge::{self, CHOICE_KEY};
use crate::path::{escaped, shell_word};

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct UseArgs {
    /// The designs to use; by default, print the current choice or list the open plans.
    #[arg(value_name = "FILE", conflicts_with = "clear")]
    files: Vec<PathBuf>,
    /// Remove the choice, so that guard.toml selects the design.
    #[arg(long)]
    clear: bool,
}

const EXAMPLES: &str = "\
Examples:
  guard use docs/lld/LLD-188.md     judge this branch by this design
  guard use specs/7/{plan,tasks}.md judge it by both documents
  guard use                         print the choice, or the plans to choose from
  guard use --clear                 let guard.toml select the design again

guard stores the choice as `branch.NAME.guardDesign` in the repository's git configuration. It applies to this clone and \
all its work trees.";

/// How many open plans to list.
const MOST_LISTED: usize = 20;

impl UseArgs {
    pub(super) fn run(&self, output: &mut Output) -> Result<u8> {
        let repo = repository()?;
        let branch = branch(&repo)?;
        let mut open = Vec::new();
        let told = if self.clear {
            repo.set_branch_values(branch.as_ref(), CHOICE_KEY, &[])?;
            format!(
                "guard.toml selects the design of branch {}",
                escaped(&branch)
            )
        } else if self.files.is_empty() {
            let (told, plans) = current(&repo, branch.as_ref())?;
            open = plans;
            told
        } else {
            choose(&repo, branch.as_ref(), &self.files)?
        };
        let designs = texts(&repository()?.branch_values(branch.as_ref(), CHOICE_KEY));
        let quiet = output.style.quiet;
        let is_human = output.is_human();
        output.print_either(
            || {
                json!({
                    "version": 1,
                    "branch": branch.to_str_lossy(),
                    "design": designs.first(),
                    "designs": designs,
                    "open": open.iter().map(|plan| texts(plan)).collect::<Vec<_>>(),
                })
            },
            |out| match quiet {
                true => Ok(()),
                false => writeln!(out, "{told}"),
            },
        );
        if is_human
            && is_at_a_terminal()
            && let Some(plan) = ask(&open)
        {
            let files: Vec<PathBuf> = plan
                .iter()
                .filter_map(|path| repo.work_tree_file(path.as_ref()).ok())
                .collect();
            let told = choose(&repo, branch.as_ref(), &files)?;
            output.print_either(|| json!({}), |out| writeln!(out, "{told}"));
        }
        Ok(0)
    }
}

fn texts(paths: &[BString]) -> Vec<String> {
    let paths = paths.iter();
    paths.map(|path| path.to_str_lossy().into_owned()).collect()
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
fn choose(repo: &Repository, branch: &BStr, files: &[impl AsRef<Path>]) -> Result<String> {
    let mut paths: Vec<BString> = Vec::new();
    let mut uncommitted = Vec::new();
    let mut grants = 0;
    for file in files {
        let candidate = judge::candidate(repo, file.as_ref())?;
        if paths.contains(&candidate.path) {
            continue;
        }
        grants += candidate.grants;
        if !candidate.committed {
            uncommitted.push(shell_word(&candidate.path).to_string());
        }
        paths.push(candidate.path);
    }
    repo.set_branch_values(branch, CHOICE_KEY, &paths)?;
    let mut told = format!(
        "branch {} is judged by {} ({} granted)",
        escaped(branch),
        shown(&paths),
        match grants {
            1 => "1 path".to_owned(),
            count => format!("{count} paths"),
        }
    );
    if !uncommitted.is_empty() {
        let files = uncommitted.join(" ");
        told.push_str(&format!(
            "\nHEAD does not have it yet, so commit it first: git add {files} && git commit -m \"Add the design\" -- {files}"
        ));
    }
    Ok(told)
}

fn shown(paths: &[BString]) -> String {
    let paths: Vec<String> = paths.iter().map(|path| escaped(path).to_string()).collect();
    paths.join(", ")
}

/// The choice; without one, the design by the settings; without one, the open plans.
fn current(repo: &Repository, branch: &BStr) -> Result<(String, Vec<Vec<BString>>)> {
    let chosen = repo.branch_values(branch, CHOICE_KEY);
    let shown_branch = escaped(branch);
    if !chosen.is_empty() {
        let told = format!("branch {shown_branch} is judged by {}", shown(&chosen));
        return Ok((told, Vec::new()));
    }
    let selected = judge::selected_by_settings(repo);
    if !selected.is_empty() {
        let told = format!(
            "branch {shown_branch} has no choice: guard.toml selects the design {}",
            shown(&selected)
        );
        return Ok((told, Vec::new()));
    }
    let open = judge::open_plans(repo)?;
    let none = format!("branch {shown_branch} has no choice: guard.toml selects the design");
    if open.is_empty() {
        return Ok((none, open));
    }
    let mut told =
        format!("no single design applies to branch {shown_branch}; open plans, newest first:\n");
    for (at, plan) in open.iter().take(MOST_LISTED).enumerate() {
        told.push_str(&format!("{:>4}. guard use {}\n", at + 1, words(plan)));
    }
    if open.len() > MOST_LISTED {
        told.push_str(&format!("      … and {} more\n", open.len() - MOST_LISTED));
    }
    told.push_str("choose one of them with its command");
    Ok((told, open))
}

fn words(plan: &[BString]) -> String {
    let words: Vec<String> = plan
        .iter()
        .map(|path| shell_word(path).to_string())
        .collect();
    words.join(" ")
}

/// The plan whose number a person types; nothing else is a choice.
fn ask(open: &[Vec<BString>]) -> Option<&Vec<BString>> {
    if open.is_empty() {
        return None;
    }
    let mut stdout = io::stdout().lock();
    write!(stdout, "or type its number (Enter to leave it): ").ok()?;
    stdout.flush().ok()?;
    let mut line = String::new();
    io::stdin().read_line(&mut line).ok()?;
    let number: usize = line.trim().parse().ok()?;
    open.iter().take(MOST_LISTED).nth(number.checked_sub(1)?)
}
