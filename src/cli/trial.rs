//! `guard trial`: what guard would have said to the last changes of the target branch.

use std::fs;

use super::init;
use super::options::repository;
use super::output::Output;
use crate::judge::{self, StandingDesign};
use crate::report;
use crate::setup::{self, draft::STANDING};
use write_guard_policy::error::{Error, Result};
use write_guard_policy::policy;
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
one that `guard init` would write, each with its standing designs.

guard changes nothing. The exit code is 0 whatever it finds, and 2 if it cannot check them.";

impl TrialArgs {
    pub(super) fn run(&self, output: &mut Output) -> Result<u8> {
        let repo = repository()?.remembering();
        let rules = rules_here(&repo)?;
        let most = usize::try_from(self.count).unwrap_or(usize::MAX);
        let trial = judge::trial(&repo, rules.settings, rules.standing, most)?;
        output.print(|to| report::write_trial(&trial, rules.from, to));
        Ok(0)
    }
}

/// What to judge by, and where it is from.
struct TrialRules {
    settings: Settings,
    standing: Vec<StandingDesign>,
    from: &'static str,
}

impl TrialRules {
    fn new(repo: &Repository, settings: Settings, from: &'static str) -> Result<TrialRules> {
        Ok(TrialRules {
            standing: standing_here(repo, &settings)?,
            settings,
            from,
        })
    }
}

/// The settings of the work tree or of HEAD, else those that `guard init` would write; and their standing designs.
fn rules_here(repo: &Repository) -> Result<TrialRules> {
    if let Ok(root) = repo.workdir() {
        let file = root.join(FILE);
        let text = disk::if_there(fs::read(&file))
            .map_err(|error| Error::new(format!("{} cannot be read: {error}", show_file(&file))))?;
        if let Some(text) = text {
            return TrialRules::new(repo, settings::parse(&text)?, "guard.toml of the work tree");
        }
    }
    if let Some(settings) = judge::settings_of(repo, repo.head_commit()?)? {
        return TrialRules::new(repo, settings?, "guard.toml of HEAD");
    }
    let draft = init::drafted(repo)?;
    let settings = settings::parse(draft.text.as_bytes())?;
    let mut rules = TrialRules::new(repo, settings, "what `guard init` would write")?;
    if let Some(text) = draft.standing {
        let path = STANDING.into();
        rules.standing.push(StandingDesign { path, text });
    }
    Ok(rules)
}

/// The standing designs of the work tree; in a bare repository, those of HEAD.
fn standing_here(repo: &Repository, settings: &Settings) -> Result<Vec<StandingDesign>> {
    let head = repo.tree_of(repo.head_commit()?)?;
    let root = repo.workdir().ok();
    let mut paths = match root {
        Some(_) => repo.listed_files()?,
        None => head.files_below("".into())?,
    };
    paths.retain(|path| policy::is_standing(settings, path.as_ref()));
    let mut standing = Vec::new();
    for path in paths {
        let text = match root {
            Some(root) => setup::text(root, &repo.work_tree_file(path.as_ref())?)
                .ok()
                .flatten(),
            None => head
                .read(path.as_ref())?
                .and_then(|text| String::from_utf8(text).ok()),
        };
        standing.extend(text.map(|text| StandingDesign { path, text }));
    }
    Ok(standing)
}
