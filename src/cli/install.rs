//! `guard install` and `guard uninstall`; `guard doctor`, which checks what they did.

use clap::builder::PossibleValuesParser;
use serde_json::json;

use super::options::repository;
use super::output::Output;
use crate::agents::Agent;
use crate::approvals::refuse_agents;
use crate::setup::calling_file::FILES;
use crate::setup::doctor::examine;
use crate::setup::{Check, SetupAction, Status, Step, git_hooks, hook};
use write_guard_policy::error::{Error, Result};
use write_guard_repo::show_file;

#[derive(Debug, clap::Args)]
pub(super) struct Install {
    #[command(flatten)]
    pub(super) targets: Targets,
    /// Also install this hook of git, which runs at every ref update; may be repeated.
    #[arg(long, value_name = "HOOK", value_parser = [hook::OPT_IN])]
    pub(super) with: Vec<String>,
}

#[derive(Debug, clap::Args)]
#[command(after_help = about_install())]
pub(super) struct Targets {
    /// `git` for the hooks that git runs for commits and pushes, the name of a coding agent, `all` for both, or
    /// `pre-commit`, `husky`, `lefthook`, `github` or `gitlab` for the files that call guard there.
    #[arg(
        required = true,
        value_name = "WHAT",
        value_parser = whats(),
        hide_possible_values = true
    )]
    what: Vec<String>,
    /// Print what would change, and change nothing.
    #[arg(long)]
    dry_run: bool,
}

fn about_install() -> String {
    let agents: Vec<&str> = Agent::VARIANTS.iter().map(|agent| agent.name()).collect();
    let agents = agents.join(", ");
    format!(
        "\
Examples:
  guard install git              install all hooks except those of --with
  guard install claude codex     install the hooks of two coding agents
  guard install github           write a workflow that checks pull requests
  guard uninstall all            remove what guard wrote, and nothing else

Agents: {agents}.

guard leaves existing hooks of git alone, and prints the lines to add. In the files of others it \
adds its own part and keeps everything else. Before it writes, it sends a call that must be denied \
through the command. If that call is not denied, guard writes nothing."
    )
}

fn whats() -> PossibleValuesParser {
    let mut names: Vec<&str> = FILES.iter().map(|file| file.name).collect();
    names.dedup();
    PossibleValuesParser::new(["git", "all"].into_iter().chain(names))
}

impl Targets {
    fn names(&self, target: &str) -> bool {
        self.what.iter().any(|word| word == target)
    }

    /// Installs, with these additional hooks of git, or without a list uninstalls.
    pub(super) fn carry_out(&self, with: Option<&[String]>, output: &mut Output) -> Result<u8> {
        let repo = repository()?;
        let dry_run = self.dry_run;
        if !dry_run {
            refuse_agents("change the hooks of guard")?;
        }
        let root = repo.workdir()?;
        let mut steps = Vec::new();
        if self.names("git") || self.names("all") {
            steps = match with {
                Some(with) => git_hooks::install(&repo, with, dry_run)?,
                None => git_hooks::uninstall(&repo, dry_run)?,
            };
        } else if with.is_some_and(|with| !with.is_empty()) {
            return Err(Error::new("--with belongs to the hooks of git")
                .help("guard install git --with HOOK"));
        }
        for file in FILES {
            // `all` means the agents and systems that the repository uses.
            let is_used = match with {
                Some(_) => file.has_signs(root),
                None => file.is_written(root),
            };
            if self.names(file.name) || self.names("all") && is_used {
                steps.push(match with {
                    Some(_) => file.install(root, dry_run)?,
                    None => file.uninstall(root, dry_run)?,
                });
            }
        }
        let is_refused = steps.iter().any(|step| step.action == SetupAction::Refuse);
        let text: String = steps
            .iter()
            .filter(|step| !output.style.quiet || step.action == SetupAction::Refuse)
            .map(|step| step_text(step, dry_run))
            .collect();
        let json = json!({"version": 1, "dry_run": dry_run, "hooks": steps});
        output.answer(&json, text);
        Ok(u8::from(is_refused))
    }
}

fn step_text(step: &Step, dry_run: bool) -> String {
    let changes = matches!(step.action, SetupAction::Write | SetupAction::Remove);
    let tense = match step.action {
        _ if changes && dry_run => "would be ",
        SetupAction::Refuse => "left alone: ",
        _ => "",
    };
    let path = show_file(&step.path);
    let mut text = format!("{}: {tense}{} ({path})\n", step.hook, step.message);
    for line in &step.help {
        text.push_str(&format!("    {line}\n"));
    }
    text
}

pub(super) const DOCTOR_EXAMPLES: &str = "\
Examples:
  guard doctor            list every check, with the fix for each problem
  guard doctor --quiet    list only problems

guard also tries a commit that the installed hooks must refuse, in a temporary repository that it \
removes afterwards. The exit code is 1 if a check fails.";

pub(super) fn doctor(output: &mut Output) -> Result<u8> {
    let checks = examine(repository());
    let worst = checks.iter().map(|check| check.status).max();
    let quiet = output.style.quiet;
    let text: String = checks
        .iter()
        .filter(|check| !quiet || check.status != Status::Ok)
        .map(check_text)
        .collect();
    let json = json!({"version": 1, "status": worst, "checks": checks});
    output.answer(&json, text);
    Ok(u8::from(worst == Some(Status::Fail)))
}
fn check_text(check: &Check) -> String {
    let status = check.status.name();
    let message = check.message.replace('\n', "\n      ");
    let mut text = format!("{status:<5} {}: {message}\n", check.name);
    for line in &check.help {
        text.push_str(&format!("      {}\n", &**line));
    }
    text
}
