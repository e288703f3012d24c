//! `guard explain`: the rules and the settings in words; `guard settings`: the settings in force, and where each value
//! comes from.

use std::collections::BTreeSet;

use clap::Command;

use super::options::{DesignArgs, LLD_VARIABLE, repository};
use super::output::Output;
use crate::error::{Error, Result};
use crate::finding::Rule;
use crate::judge;
use crate::report::{Topic, write_settings, write_topic};
use crate::scope::closest::closest_word;

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct ExplainArgs {
    /// The rule to explain, or `settings`; by default, list all rules.
    rule: Option<String>,
}

const EXAMPLES: &str = "\
Examples:
  guard explain                  list every rule
  guard explain out-of-scope     explain one rule, with an example and the fix
  guard explain settings         list every key of guard.toml
  guard explain --format json    print all rules as JSON";

/// The topic that is not a rule.
const SETTINGS: &str = "settings";

impl ExplainArgs {
    pub(super) fn run(&self, output: &mut Output) -> Result<u8> {
        let topic = match self.rule.as_deref() {
            None => Topic::Rules,
            Some(SETTINGS) => Topic::Settings,
            Some(name) => Topic::Rule(Rule::from_id(name).ok_or_else(|| unknown(name))?),
        };
        output.print(|to| write_topic(topic, to));
        Ok(0)
    }
}

fn unknown(name: &str) -> Error {
    let names = Rule::ALL.iter().map(|rule| rule.id()).chain([SETTINGS]);
    let error = Error::new(format!("unknown rule `{}`", name.escape_default()));
    match closest_word(name, names) {
        Some(known) => error.help(format!("did you mean `guard explain {known}`?")),
        None => error.help("to list all rules: guard explain"),
    }
}

#[derive(Debug, clap::Args)]
#[command(after_help = SETTINGS_EXAMPLES)]
pub(super) struct SettingsArgs {
    #[command(flatten)]
    design: DesignArgs,
}

const SETTINGS_EXAMPLES: &str = "\
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
