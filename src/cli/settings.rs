//! `guard settings`: the settings in force, and where each value comes from.

use std::collections::BTreeSet;

use clap::Command;

use super::design_args::{DesignArgs, LLD_VARIABLE};
use super::output::Output;
use super::repository::repository;
use crate::error::Result;
use crate::judge;
use crate::report::write_settings;

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct SettingsArgs {
    #[command(flatten)]
    design: DesignArgs,
}

const EXAMPLES: &str = "\
Examples:
  guard settings                  list every key with its value and its line
  guard settings --format json    print the settings as JSON

The settings in force are those of guard.toml in HEAD. `guard explain settings` describes each key.";

impl SettingsArgs {
    pub(super) fn run(&self, output: &mut Output, command: &Command) -> Result<u8> {
        let mut in_force = judge::settings(&repository()?, &self.design.options(false))?;
        let mut names = BTreeSet::from([LLD_VARIABLE.to_owned()]);
        collect(command, &mut names);
        in_force.variables = names
            .into_iter()
            .filter_map(|name| {
                let value = std::env::var_os(&name)?;
                Some((name, value.to_string_lossy().into_owned()))
            })
            .collect();
        output.print(|to| write_settings(&in_force, to));
        Ok(0)
    }
}

/// Adds the names of all variables that options read.
fn collect(command: &Command, names: &mut BTreeSet<String>) {
    let own = command.get_arguments().filter_map(|arg| arg.get_env());
    names.extend(own.map(|name| name.to_string_lossy().into_owned()));
    for verb in command.get_subcommands() {
        collect(verb, names);
    }
}
