//! Help, and usage errors.

use clap::Command;
use clap::builder::Styles;

use super::output::CANNOT_JUDGE;
use write_guard_policy::error::{Error, FailureKind};

/// The commands that `guard --help` describes.
const FIRST: [&str; 11] = [
    "init", "install", "doctor", "lint", "status", "scope", "use", "approve", "review", "trial",
    "explain",
];

/// The others.
const OTHERS: &str = "
Files:     check, read, write, patch, delete, move, snapshot
Machines:  exec, hook, mcp, generate
More:      uninstall, settings, audit, help

`guard help all` describes every command, `guard help COMMAND` one of them.";

#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  guard help all\n  guard help scope add")]
pub(super) struct HelpArgs {
    /// The command; `all` for a list of every command.
    #[arg(value_name = "COMMAND")]
    words: Vec<String>,
}

impl HelpArgs {
    /// Prints help; `all` has the whole command line.
    pub(super) fn run(&self, all: Command) -> u8 {
        let (command, words) = match &self.words[..] {
            [word] if word == "all" => (all, &[][..]),
            words => (in_short(all), words),
        };
        let words = words.iter().map(String::as_str);
        let line = ["guard"].into_iter().chain(words).chain(["--help"]);
        let printed = command.try_get_matches_from(line);
        printed.map_or_else(|error| print(&error), |_| CANNOT_JUDGE)
    }
}

/// The command line, whose help describes the first commands and only names the others.
pub(super) fn in_short(command: Command) -> Command {
    let header = Styles::styled();
    let header = header.get_header();
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{header}Commands:{header:#}\n\
         {{subcommands}}\n{OTHERS}\n\n{header}Options:{header:#}\n{{options}}{{after-help}}"
    );
    let command = command.mut_subcommands(|verb| {
        if FIRST.contains(&verb.get_name()) {
            verb
        } else {
            verb.hide(true)
        }
    });
    command.help_template(template)
}

/// Prints what clap calls an error, help and the version included, and returns the exit code.
pub(super) fn print(error: &clap::Error) -> u8 {
    // Nothing helps a closed stderr.
    let _ = error.print();
    u8::try_from(error.exit_code()).unwrap_or(CANNOT_JUDGE)
}

/// A usage error that guard finds itself.
pub(super) fn usage(message: impl Into<String>) -> Error {
    let mut error = Error::new(message);
    error.kind = FailureKind::Usage;
    error
}
