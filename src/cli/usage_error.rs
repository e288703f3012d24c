//! Usage errors for programs: the requested reports say that guard judged nothing. Otherwise their readers would find
//! none, or the report of an earlier run.

use std::ffi::OsString;

use clap::Command;

use super::files;
use super::formats::wanted_leniently;
use super::output::{Output, OutputArgs};
use crate::error::Error;
use crate::files::FailureKind;

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
