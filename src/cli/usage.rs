//! Help, and usage errors. Those reach programs, too: the requested reports say that guard judged nothing. Otherwise
//! their readers would find none, or the report of an earlier run.

use std::ffi::OsString;

use clap::Command;
use clap::builder::Styles;

use super::files;
use super::options::wanted_leniently;
use super::output::{CANNOT_JUDGE, Output, OutputArgs};
use crate::error::Error;
use crate::files::FailureKind;

/// The commands that `guard --help` describes.
const FIRST: [&str; 11] = [
    "init", "install", "doctor", "lint", "status", "scope", "use", "approve", "review", "trial",
    "explain",
];

/// The others.
const OTHERS: &str = "
Files:     check, read, write, patch, delete, move, snapshot
Machines:  hook, mcp, generate
More:      uninstall, settings, audit, help

`guard help all` describes every command, `guard help COMMAND` one of them.";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct HelpArgs {
    /// The command; `all` for a list of every command.
    #[arg(value_name = "COMMAND")]
    words: Vec<String>,
}

const EXAMPLES: &str = "\
Examples:
  guard help              describe the commands that people need first
  guard help all          describe every command
  guard help scope add    print the options of one command";

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
    let is_first = |verb: &Command| FIRST.contains(&verb.get_name());
    let command = command.mut_subcommands(|verb| match is_first(&verb) {
        true => verb,
        false => verb.hide(true),
    });
    command.help_template(template)
}

/// Prints what clap calls an error, help and the version included, and returns the exit code.
pub(super) fn print(error: &clap::Error) -> u8 {
    // Nothing helps a closed stderr.
    let _ = error.print();
    u8::try_from(error.exit_code()).unwrap_or(CANNOT_JUDGE)
}

/// Options of every verb that take a value.
const WITH_VALUE: [&str; 4] = ["-C", "--format", "--output", "--color"];

/// What begins the advice of clap.
const TIP: &str = "  tip: ";

/// A usage error that guard finds itself.
pub(super) fn usage(message: impl Into<String>) -> Error {
    let mut error = Error::new(message);
    error.kind = Some(FailureKind::Usage.name());
    error
}

/// Writes `error`, which is already on stderr, to the reports that the arguments name.
pub(super) fn tell(arguments: &[OsString], error: &clap::Error, command: &Command) {
    let asked = Asked::of(arguments);
    let verb = asked.verb.as_str();
    // Hooks answer on the protocols of their callers.
    if verb == "hook" {
        return;
    }
    if let Some(directory) = asked.directory
        && std::env::set_current_dir(directory).is_err()
    {
        return;
    }
    let error = in_own_words(error, command.find_subcommand(verb).map(|_| verb));
    let wanted = wanted_leniently(verb, asked.format.as_deref(), &asked.outputs);
    let Ok(mut output) = Output::new(&OutputArgs::default(), wanted) else {
        return;
    };
    if files::has_typed_errors(verb) {
        files::answer_failure(&mut output, &error.into());
    } else {
        output.reports(&error);
    }
}

/// The error in guard's own form; `verb` is one that guard has.
fn in_own_words(error: &clap::Error, verb: Option<&str>) -> Error {
    let text = error.render().to_string();
    let lines = text.lines().take_while(|line| !line.is_empty());
    let message = lines.map(str::trim).collect::<Vec<_>>().join(" ");
    let mut error = usage(message.strip_prefix("error: ").unwrap_or(&message));
    for tip in text.lines().filter_map(|line| line.strip_prefix(TIP)) {
        error = error.help(tip);
    }
    let of = verb.map_or_else(String::new, |verb| format!(" {verb}"));
    error.help(format!("for all options: guard{of} --help"))
}

/// What a command line that cannot be parsed asks for.
#[derive(Default)]
struct Asked {
    verb: String,
    directory: Option<String>,
    format: Option<String>,
    outputs: Vec<String>,
}

impl Asked {
    fn of(arguments: &[OsString]) -> Asked {
        let mut asked = Asked::default();
        let mut words = arguments.iter().skip(1).map(|word| word.to_str());
        while let Some(word) = words.next().flatten().filter(|word| *word != "--") {
            let (name, value) = match word.split_once('=') {
                Some((name, value)) if name.starts_with("--") => (name, Some(value)),
                _ if WITH_VALUE.contains(&word) => (word, words.next().flatten()),
                _ => (word, None),
            };
            let value = value.map(str::to_owned);
            match name {
                "-C" => asked.directory = value,
                "--format" => asked.format = value,
                "--output" => asked.outputs.extend(value),
                name if asked.verb.is_empty() && !name.starts_with('-') => {
                    name.clone_into(&mut asked.verb)
                }
                _ => {}
            }
        }
        asked.format = asked.format.or_else(|| std::env::var("GUARD_FORMAT").ok());
        if asked.outputs.is_empty() {
            asked.outputs.extend(std::env::var("GUARD_OUTPUT").ok());
        }
        asked
    }
}
