//! `guard install` and `guard uninstall`; `guard doctor`, which checks what they did.

use clap::builder::PossibleValuesParser;
use serde_json::json;

use super::options::repository;
use super::output::Output;
use super::person::refuse_agents;
use crate::error::{Error, Result};
use crate::git::show_file;
use crate::setup::agent_hooks::{AGENTS, AgentHooks};
use crate::setup::doctor::examine;
use crate::setup::snippet::{SNIPPETS, Snippet};
use crate::setup::{Check, SetupAction, Status, Step, git_hooks, hook};

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Install {
    /// `git` for the hooks that git runs for commits and pushes, the name of a coding agent, `all` for both, or
    /// `pre-commit`, `github` or `gitlab` for the file that calls guard there.
    #[arg(required = true, value_name = "WHAT", value_parser = whats(), hide_possible_values = true)]
    what: Vec<String>,
    /// Also install this hook of git, which runs at every ref update; may be repeated.
    #[arg(long, value_name = "HOOK", value_parser = [hook::OPT_IN])]
    with: Vec<String>,
    #[command(flatten)]
    mode: Mode,
}

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Uninstall {
    /// `git`, the name of a coding agent, `pre-commit`, `github`, `gitlab`, or `all`.
    #[arg(required = true, value_name = "WHAT", value_parser = whats(), hide_possible_values = true)]
    what: Vec<String>,
    #[command(flatten)]
    mode: Mode,
}

#[derive(Debug, clap::Args)]
struct Mode {
    /// Print what would change, and change nothing.
    #[arg(long)]
    dry_run: bool,
}

impl Mode {
    /// Whether to change nothing; if not, only a person may go on.
    fn dry_run(&self) -> Result<bool> {
        if !self.dry_run {
            refuse_agents("change the hooks of guard")?;
        }
        Ok(self.dry_run)
    }
}

const EXAMPLES: &str = "\
Examples:
  guard install git --dry-run    print what guard would write, and where
  guard install git              install all hooks except those of --with
  guard install git --with reference-transaction
                                 also check new commits however they are made
  guard install claude codex     install the hooks of two coding agents
  guard install all              git, and each agent that is in use here
  guard install github           write a workflow that checks pull requests
  guard uninstall all            remove what guard wrote, and nothing else

Agents: claude, codex, copilot, cursor, gemini, opencode, vscode.

For pre-commit, GitHub and GitLab, guard writes a new file, or adds an entry at the end of a file that has only lists \
and keys. Otherwise it prints the lines to add.

Existing shell scripts stay: guard inserts a marked block at their beginning. guard leaves other existing hooks alone, \
prints the lines to add, and exits with 1.

guard adds its hooks to an agent's settings in this repository, and keeps everything else there. It then sends a call \
that must be denied through the command that it installed. If that call is not denied, guard puts the file back.";

fn whats() -> PossibleValuesParser {
    let agents = AGENTS.iter().map(|agent| agent.name());
    let snippets = SNIPPETS.iter().map(|snippet| snippet.name);
    PossibleValuesParser::new(["git", "all"].into_iter().chain(agents).chain(snippets))
}

/// The chosen agents; with `all`, those that pass.
fn agents(
    what: &[String],
    passes: impl Fn(&AgentHooks) -> bool,
) -> impl Iterator<Item = &'static AgentHooks> {
    let is_all = has(what, "all");
    AGENTS
        .iter()
        .filter(move |agent| has(what, agent.name()) || is_all && passes(agent))
}

fn has(what: &[String], name: &str) -> bool {
    what.iter().any(|word| word == name)
}

impl Install {
    pub(super) fn run(&self, output: &mut Output) -> Result<u8> {
        let (repo, dry_run) = (repository()?, self.mode.dry_run()?);
        let mut steps = Vec::new();
        if has(&self.what, "git") || has(&self.what, "all") {
            steps = git_hooks::install(&repo, &self.with, dry_run)?;
        } else if !self.with.is_empty() {
            return Err(Error::new("--with belongs to the hooks of git")
                .help("guard install git --with HOOK"));
        }
        let root = repo.workdir()?;
        for agent in agents(&self.what, |agent| agent.is_in_use(root)) {
            steps.push(agent.install(&repo, dry_run)?);
        }
        for snippet in SNIPPETS.iter().filter(|one| has(&self.what, one.name)) {
            steps.push(snippet.install(root, dry_run)?);
        }
        Ok(tell(output, &steps, dry_run))
    }
}

impl Uninstall {
    pub(super) fn run(&self, output: &mut Output) -> Result<u8> {
        let (repo, dry_run) = (repository()?, self.mode.dry_run()?);
        let mut steps = Vec::new();
        if has(&self.what, "git") || has(&self.what, "all") {
            steps = git_hooks::uninstall(&repo, dry_run)?;
        }
        let root = repo.workdir()?;
        for agent in agents(&self.what, |agent| root.join(agent.file()).exists()) {
            steps.push(agent.uninstall(&repo, dry_run)?);
        }
        let is_all = has(&self.what, "all");
        let is_ours = |one: &&Snippet| is_all && one.is_written(root);
        for snippet in SNIPPETS
            .iter()
            .filter(|one| has(&self.what, one.name) || is_ours(one))
        {
            steps.push(snippet.uninstall(root, dry_run)?);
        }
        Ok(tell(output, &steps, dry_run))
    }
}

/// Prints the steps, and returns the exit code.
fn tell(output: &mut Output, steps: &[Step], dry_run: bool) -> u8 {
    let refused = steps.iter().any(|step| step.action == SetupAction::Refuse);
    let quiet = output.style.quiet;
    let shown = |step: &&Step| !quiet || step.action == SetupAction::Refuse;
    let shown = steps.iter().filter(shown);
    let text: String = shown.map(|step| step_text(step, dry_run)).collect();
    let json: Vec<_> = steps.iter().map(step_json).collect();
    output.answer(
        &json!({"version": 1, "dry_run": dry_run, "hooks": json}),
        text,
    );
    u8::from(refused)
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

fn step_json(step: &Step) -> serde_json::Value {
    json!({
        "hook": step.hook,
        "path": step.path.to_string_lossy(),
        "action": step.action.name(),
        "message": step.message,
        "help": step.help,
    })
}

#[derive(Debug, clap::Args)]
#[command(after_help = DOCTOR_EXAMPLES)]
pub(super) struct DoctorArgs {}

const DOCTOR_EXAMPLES: &str = "\
Examples:
  guard doctor                  list every check, with the fix for each problem
  guard doctor --quiet          list only problems
  guard doctor --format json    print the checks as JSON

guard also tries a commit that the installed hooks must refuse, in a temporary repository that it removes afterwards. \
The exit code is 1 if a check fails.";

impl DoctorArgs {
    pub(super) fn run(&self, output: &mut Output) -> Result<u8> {
        let checks = examine(repository());
        let worst = checks.iter().map(|check| check.status).max();
        let worst = worst.unwrap_or(Status::Fail);
        let quiet = output.style.quiet;
        let shown = |check: &&Check| !quiet || check.status != Status::Ok;
        let text: String = checks.iter().filter(shown).map(check_text).collect();
        output.answer(
            &json!({"version": 1, "status": worst, "checks": checks}),
            text,
        );
        Ok(u8::from(worst == Status::Fail))
    }
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
