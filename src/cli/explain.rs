//! `guard explain`: the rules and the settings in words.

use super::output::Output;
use crate::error::{Error, Result};
use crate::finding::Rule;
use crate::report::{Topic, write_topic};
use crate::suggest::closest_word;

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The name of a rule, or `settings`; without one, all rules in a line each.
    rule: Option<String>,
}

const EXAMPLES: &str = "\
Examples:
  guard explain                    every rule in a line
  guard explain out-of-scope       one rule: what, why, an example, the fix
  guard explain settings           every key of guard.toml
  guard explain --format json      all rules with their texts, for a program";

/// The topic that is not a rule.
const SETTINGS: &str = "settings";

impl Args {
    pub(super) fn run(&self, output: &mut Output) -> Result<u8> {
        let topic = match self.rule.as_deref() {
            None => Topic::Rules,
            Some(SETTINGS) => Topic::Settings,
            Some(name) => Topic::Rule(Rule::from_id(name).ok_or_else(|| unknown(name))?),
        };
        output.print(|out, format, style| write_topic(topic, format, out, style));
        Ok(0)
    }
}

fn unknown(name: &str) -> Error {
    let names = Rule::ALL.iter().map(|rule| rule.id()).chain([SETTINGS]);
    let error = Error::new(format!("there is no rule `{}`", name.escape_default()));
    match closest_word(name, names) {
        Some(known) => error.help(format!("did you mean `guard explain {known}`?")),
        None => error.help("`guard explain` lists every rule"),
    }
}
