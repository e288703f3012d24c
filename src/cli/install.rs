//! `guard install` and `guard uninstall`.

use clap::Subcommand;
use serde_json::json;

use super::output::Output;
use super::repository::repository;
use crate::error::Result;
use crate::git::show_file;
use crate::install::git_hooks::{self, HookAction, HookStep};
use crate::install::hook;

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Install {
    #[command(subcommand)]
    what: InstallWhat,
}

#[derive(Debug, Subcommand)]
enum InstallWhat {
    /// Install the hooks that git runs for commits and pushes.
    #[command(after_help = EXAMPLES)]
    Git {
        /// Also install this hook, which runs at every ref update; may be repeated.
        #[arg(long, value_name = "HOOK", value_parser = hook::OPT_IN)]
        with: Vec<String>,
        #[command(flatten)]
        mode: Mode,
    },
}

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Uninstall {
    #[command(subcommand)]
    what: UninstallWhat,
}

#[derive(Debug, Subcommand)]
enum UninstallWhat {
    /// Remove the hooks that git runs for commits and pushes.
    #[command(after_help = EXAMPLES)]
    Git(Mode),
}

#[derive(Debug, clap::Args)]
struct Mode {
    /// Print what would change, and change nothing.
    #[arg(long)]
    dry_run: bool,
}

const EXAMPLES: &str = "\
Examples:
  guard install git --dry-run    print what guard would write, and where
  guard install git              install all hooks except those of --with
  guard install git --with reference-transaction
                                 also judge new commits however they are made
  guard uninstall git            remove what guard wrote, and nothing else

Existing shell scripts stay: guard inserts a marked block at their beginning. guard leaves other existing hooks alone, \
prints the lines to add, and exits with 1.";

impl Install {
    pub(super) fn run(&self, output: &mut Output) -> Result<u8> {
        let InstallWhat::Git { with, mode } = &self.what;
        let steps = git_hooks::install(&repository()?, with, mode.dry_run)?;
        Ok(tell(output, &steps, mode.dry_run))
    }
}

impl Uninstall {
    pub(super) fn run(&self, output: &mut Output) -> Result<u8> {
        let UninstallWhat::Git(mode) = &self.what;
        let steps = git_hooks::uninstall(&repository()?, mode.dry_run)?;
        Ok(tell(output, &steps, mode.dry_run))
    }
}

/// Prints the steps, and returns the exit code.
fn tell(output: &mut Output, steps: &[HookStep], dry_run: bool) -> u8 {
    let refused = steps.iter().any(|step| step.action == HookAction::Refuse);
    let quiet = output.style.quiet;
    let shown = |step: &&HookStep| !quiet || step.action == HookAction::Refuse;
    output.print_either(
        || as_json(steps, dry_run),
        |out| {
            let mut shown = steps.iter().filter(shown);
            shown.try_for_each(|step| out.write_all(as_text(step, dry_run).as_bytes()))
        },
    );
    u8::from(refused)
}

fn as_text(step: &HookStep, dry_run: bool) -> String {
    let changes = matches!(step.action, HookAction::Write | HookAction::Remove);
    let tense = match step.action {
        _ if changes && dry_run => "would be ",
        HookAction::Refuse => "left alone: ",
        _ => "",
    };
    let path = show_file(&step.path);
    let mut text = format!("{}: {tense}{} ({path})\n", step.hook, step.message);
    for line in &step.help {
        text.push_str(&format!("    {line}\n"));
    }
    text
}

fn as_json(steps: &[HookStep], dry_run: bool) -> serde_json::Value {
    let steps: Vec<_> = steps
        .iter()
        .map(|step| {
            json!({
                "hook": step.hook,
                "path": step.path.to_string_lossy(),
                "action": step.action.name(),
                "message": step.message,
                "help": step.help,
            })
        })
        .collect();
    json!({"version": 1, "dry_run": dry_run, "hooks": steps})
}
