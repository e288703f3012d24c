//! `guard explain`: the rules and the settings in words.

use super::output::Output;
use crate::error::{Error, Result};
use crate::finding::Rule;
use crate::report::{Topic, write_topic};
use crate::suggest::closest_word;

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
