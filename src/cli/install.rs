//! `guard install` and `guard uninstall`.

use clap::Subcommand;
use serde_json::json;

use super::output::Output;
use super::repository::repository;
use crate::error::Result;
use crate::git::show_file;
use crate::install::git_hooks::{self, Action, Step};
use crate::install::hook;
use crate::report::{Format, document};

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Install {
    #[command(subcommand)]
    what: InstallWhat,
}

#[derive(Debug, Subcommand)]
enum InstallWhat {
    /// The hooks that git runs at a commit and at a push.
    #[command(after_help = EXAMPLES)]
    Git {
        /// Install this hook too, which runs at every change of a ref; may be repeated.
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
    /// The hooks that git runs at a commit and at a push.
    #[command(after_help = EXAMPLES)]
    Git(Mode),
}

#[derive(Debug, clap::Args)]
struct Mode {
    /// Say what would be done, and do nothing.
    #[arg(long)]
    dry_run: bool,
}

const EXAMPLES: &str = "\
Examples:
  guard install git --dry-run     what would be written where
  guard install git               all hooks that guard has but those for --with
  guard install git --with reference-transaction
                                  and the one that judges new commits however they were made
  guard uninstall git             take away what guard wrote, and nothing else

A shell script that is there already stays: guard puts a marked block at its beginning. What guard cannot add
to is left alone; the lines to add are printed, and the exit code is 1.";

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

/// Prints the steps; the exit code.
fn tell(output: &mut Output, steps: &[Step], dry_run: bool) -> u8 {
    let refused = steps.iter().any(|step| step.action == Action::Refuse);
    output.print(|out, format, style| match format {
        Format::Json => out.write_all(document(&as_json(steps, dry_run))?.as_bytes()),
        _ => steps
            .iter()
            .filter(|step| !style.quiet || step.action == Action::Refuse)
            .try_for_each(|step| out.write_all(as_text(step, dry_run).as_bytes())),
    });
    u8::from(refused)
}

fn as_text(step: &Step, dry_run: bool) -> String {
    let changes = matches!(step.action, Action::Write | Action::Remove);
    let tense = match step.action {
        _ if changes && dry_run => "would be ",
        Action::Refuse => "left alone: ",
        _ => "",
    };
    let path = show_file(&step.path);
    let mut text = format!("{}: {tense}{} ({path})\n", step.hook, step.message);
    for line in &step.help {
        text.push_str(&format!("    {line}\n"));
    }
    text
}

fn as_json(steps: &[Step], dry_run: bool) -> serde_json::Value {
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
