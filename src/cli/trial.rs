//! `guard trial`: what guard would have said to the last changes of the target branch.

use std::fs;

use super::init;
use super::options::repository;
use super::output::Output;
use crate::judge;
use crate::report;
use write_guard_policy::error::{Error, Result};
use write_guard_policy::scope::settings::{self, FILE, Settings};
use write_guard_repo::disk;
use write_guard_repo::{Repository, show_file};

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct TrialArgs {
    /// The number of changes to check.
    #[arg(
        value_name = "N",
        default_value_t = 50,
        value_parser = clap::value_parser!(u32).range(1..)
    )]
    count: u32,
}

const EXAMPLES: &str = "\
Examples:
  guard trial                             check the last 50 changes of the target branch
  guard trial --output html=trial.html    write a page with every finding

Each commit or merge of the branch counts as one change, compared with its first parent and \
checked as a pull request. guard uses the guard.toml of the work tree, else that of HEAD, else the \
one that `guard init` would write.

guard changes nothing. The exit code is 0 whatever it finds, and 2 if it cannot check them.";

impl TrialArgs {
    pub(super) fn run(&self, output: &mut Output) -> Result<u8> {
        let repo = repository()?.remembering();
        let (settings, from) = settings_here(&repo)?;
        let most = usize::try_from(self.count).unwrap_or(usize::MAX);
        let trial = judge::trial(&repo, &settings, most)?;
        output.print(|to| report::write_trial(&trial, from, to));
        Ok(0)
    }
}

/// The settings of the work tree or of HEAD, else those that `guard init` would write; and where they are from.
fn settings_here(repo: &Repository) -> Result<(Settings, &'static str)> {
    if let Ok(root) = repo.workdir() {
        let file = root.join(FILE);
        let text = disk::if_there(fs::read(&file))
            .map_err(|error| Error::new(format!("{} cannot be read: {error}", show_file(&file))))?;
        if let Some(text) = text {
            return Ok((settings::parse(&text)?, "guard.toml of the work tree"));
        }
    }
    if let Some(settings) = judge::settings_of(repo, repo.head_commit()?)? {
        return Ok((settings?, "guard.toml of HEAD"));
    }
    let text = init::drafted(repo)?.text;
    let settings = settings::parse(text.as_bytes())?;
    Ok((settings, "what `guard init` would write"))
}
