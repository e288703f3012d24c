//! `guard explain`: the rules in words; `guard settings`: the settings in force, and where each value
//! comes from.

use super::options::{DesignArgs, repository};
use super::output::Output;
use crate::judge;
use crate::report::{write_rules, write_settings};
use write_guard_policy::error::{Error, Result};
use write_guard_policy::finding::Help;
use write_guard_policy::finding::Rule;

#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  guard explain\n  guard explain out-of-scope")]
pub(super) struct ExplainArgs {
    /// The rule to explain; by default, list all rules.
    rule: Option<String>,
}

impl ExplainArgs {
    pub(super) fn run(&self, output: &mut Output) -> Result<u8> {
        let rule = self.rule.as_deref();
        let rule = rule.map(|name| Rule::from_id(name).ok_or_else(|| unknown(name)));
        let rule = rule.transpose()?;
        output.print(|to| write_rules(rule, to));
        Ok(0)
    }
}

fn unknown(name: &str) -> Error {
    Error::new(format!("unknown rule `{}`", name.escape_default()))
        .help(Help::run("to list all rules", "guard explain"))
}

pub(super) const SETTINGS_EXAMPLES: &str = "\
Examples:
  guard settings

The settings in force are those of guard.toml in HEAD. `guard generate settings` describes each \
key.";

pub(super) fn settings(output: &mut Output, design: &DesignArgs) -> Result<u8> {
    let mut in_force = judge::settings(&repository()?, &design.options(false))?;
    let variables = std::env::vars_os();
    let variables = variables.filter_map(|(name, value)| {
        let name = name.into_string().ok()?;
        let value = value.to_string_lossy().into_owned();
        name.starts_with("GUARD_").then_some((name, value))
    });
    in_force.variables = variables.collect();
    in_force.variables.sort();
    output.print(|to| write_settings(&in_force, to));
    Ok(0)
}
