//! `guard generate`: completions, manual pages, and the schema and the reference of `guard.toml`.

use std::fs;
use std::path::{Path, PathBuf};

use clap::{Command, Subcommand};
use clap_complete::Shell;
use clap_mangen::Man;

use super::output::Output;
use crate::error::{Error, Result};
use crate::git::show_file;
use crate::report;

#[derive(Debug, Subcommand)]
#[command(
    after_help = "Examples:\n  guard generate completions bash\n  guard generate man --dir ~/.local/share/man/man1\n  guard generate schema > guard.schema.json"
)]
pub(super) enum GenerateArgs {
    /// Print the completions for a shell.
    #[command(after_help = COMPLETIONS_EXAMPLES)]
    Completions {
        /// The shell.
        shell: Shell,
    },
    /// Print the manual pages of guard and its commands.
    #[command(after_help = MAN_EXAMPLES)]
    Man {
        /// Write one file per page to this directory; guard creates it if necessary.
        #[arg(long, value_name = "DIR")]
        dir: Option<PathBuf>,
    },
    /// Print the JSON schema of guard.toml.
    #[command(after_help = "Examples:\n  guard generate schema > guard.schema.json")]
    Schema,
    /// Print the reference of guard.toml as Markdown.
    #[command(after_help = "Examples:\n  guard generate settings > settings.md")]
    Settings,
}

const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  guard generate completions bash > ~/.local/share/bash-completion/completions/guard
  guard generate completions fish > ~/.config/fish/completions/guard.fish
  guard generate completions zsh > ~/.zfunc/_guard";

const MAN_EXAMPLES: &str = "\
Examples:
  guard generate man --dir ~/.local/share/man/man1
  guard generate man | man -l -";

impl GenerateArgs {
    pub(super) fn run(&self, output: &mut Output, mut command: Command) -> Result<u8> {
        match self {
            GenerateArgs::Completions { shell } => {
                let mut script = Vec::new();
                clap_complete::generate(*shell, &mut command, "guard", &mut script);
                output.print(|to| to.out.write_all(&script));
            }
            GenerateArgs::Man { dir } => {
                let pages = pages(command)?;
                match dir {
                    Some(dir) => write(dir, &pages)?,
                    None => output.print(|to| {
                        pages
                            .iter()
                            .try_for_each(|(_, page)| to.out.write_all(page))
                    }),
                }
            }
            GenerateArgs::Settings => {
                let reference = report::settings_reference();
                output.print(|to| to.out.write_all(reference.as_bytes()));
            }
            GenerateArgs::Schema => {
                let schema = report::schema().map_err(failed)?;
                output.print(|to| to.out.write_all(schema.as_bytes()));
            }
        }
        Ok(0)
    }
}

fn failed(error: std::io::Error) -> Error {
    Error::new(format!("cannot generate the output: {error}"))
}

/// Every manual page by file name, the one of guard itself first.
fn pages(mut command: Command) -> Result<Vec<(String, Vec<u8>)>> {
    // Names the verbs in full: guard-scope-show.
    command.build();
    let mut pages = Vec::new();
    collect(command, &mut pages)?;
    Ok(pages)
}

fn collect(command: Command, pages: &mut Vec<(String, Vec<u8>)>) -> Result<()> {
    let verbs: Vec<Command> = command.get_subcommands().cloned().collect();
    let man = Man::new(command).source(concat!("guard ", env!("CARGO_PKG_VERSION")));
    let mut page = Vec::new();
    man.render(&mut page).map_err(failed)?;
    pages.push((man.get_filename(), page));
    verbs.into_iter().try_for_each(|verb| collect(verb, pages))
}

fn write(dir: &Path, pages: &[(String, Vec<u8>)]) -> Result<()> {
    let cannot =
        |path: &Path, error| Error::new(format!("{} cannot be written: {error}", show_file(path)));
    fs::create_dir_all(dir).map_err(|error| cannot(dir, error))?;
    for (name, page) in pages {
        let path = dir.join(name);
        fs::write(&path, page).map_err(|error| cannot(&path, error))?;
    }
    Ok(())
}
