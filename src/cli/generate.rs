//! `guard generate`: completions, manual pages, and the schema and the reference of `guard.toml`.

use std::io;

use clap::{Command, Subcommand};
use clap_complete::Shell;
use clap_mangen::Man;

use super::output::Output;
use crate::report;
use write_guard_policy::error::{Error, Result};

#[derive(Debug, Subcommand)]
#[command(after_help = "\
Examples:
  guard generate completions bash
  guard generate man > guard.1
  guard generate schema > guard.schema.json")]
pub(super) enum GenerateArgs {
    /// Print the completions for a shell.
    #[command(after_help = "\
Examples:
  guard generate completions bash > ~/.local/share/bash-completion/completions/guard")]
    Completions {
        /// The shell.
        shell: Shell,
    },
    /// Print the manual pages of guard and its commands, one after the other.
    #[command(
        after_help = "Examples:\n  guard generate man | man -l -\n  guard generate man > guard.1"
    )]
    Man,
    /// Print the JSON schema of guard.toml.
    #[command(after_help = "Examples:\n  guard generate schema > guard.schema.json")]
    Schema,
    /// Print the reference of guard.toml as Markdown.
    #[command(after_help = "Examples:\n  guard generate settings > settings.md")]
    Settings,
}

impl GenerateArgs {
    pub(super) fn run(&self, output: &mut Output, mut command: Command) -> Result<u8> {
        let mut text = Vec::new();
        match self {
            GenerateArgs::Completions { shell } => {
                clap_complete::generate(*shell, &mut command, "guard", &mut text);
            }
            GenerateArgs::Man => {
                // Names the verbs in full: guard-scope-show.
                command.build();
                render(&command, &mut text).map_err(failed)?;
            }
            GenerateArgs::Settings => text.extend(report::settings_reference().into_bytes()),
            GenerateArgs::Schema => text.extend(report::schema().map_err(failed)?.into_bytes()),
        }
        output.print(|to| to.out.write_all(&text));
        Ok(0)
    }
}

fn failed(error: io::Error) -> Error {
    Error::new(format!("cannot generate the output: {error}"))
}

/// Appends the page of a command and those of its verbs.
fn render(command: &Command, text: &mut Vec<u8>) -> io::Result<()> {
    let man = Man::new(command.clone()).source(concat!("guard ", env!("CARGO_PKG_VERSION")));
    man.render(text)?;
    let mut verbs = command.get_subcommands();
    verbs.try_for_each(|verb| render(verb, text))
}
