//! Usage errors for programs: the requested reports say that guard judged nothing. Otherwise their readers would find
//! none, or the report of an earlier run.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Command;

use super::files;
use super::output::{self, Output};
use crate::error::Error;
use crate::gate::FailureKind;

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
    let asked = asked(arguments);
    // Hooks answer on the protocols of their callers.
    if asked.verb.as_deref() == Some("hook") {
        return;
    }
    if let Some(directory) = &asked.directory
        && std::env::set_current_dir(directory).is_err()
    {
        return;
    }
    let verb = asked.verb.as_deref();
    let error = told(
        error,
        verb.filter(|verb| command.find_subcommand(verb).is_some()),
    );
    let Ok(mut output) = Output::new(&output::OutputArgs::plain(), &asked.wanted, None) else {
        return;
    };
    if verb.is_some_and(files::has_typed_errors) {
        files::answer_failure(&mut output, &error.into());
    } else if output.admit_files().is_ok() {
        output.reports(&error);
    }
}

/// The error in guard's own form; `verb` is one that guard has.
fn told(error: &clap::Error, verb: Option<&str>) -> Error {
    let text = error.render().to_string();
    let lines = text.lines().take_while(|line| !line.is_empty());
    let message: Vec<&str> = lines.map(str::trim).collect();
    let message = message.join(" ");
    let message = message.strip_prefix("error: ").unwrap_or(&message);
    let mut error = usage(message);
    for tip in text.lines().filter_map(|line| line.strip_prefix(TIP)) {
        error = error.help(tip);
    }
    let of = verb.map_or_else(String::new, |verb| format!(" {verb}"));
    error.help(format!("for all options: guard{of} --help"))
}

/// What a command line that cannot be parsed asks for.
struct Asked {
    verb: Option<String>,
    directory: Option<PathBuf>,
    wanted: output::WantedFormats,
}

fn asked(arguments: &[OsString]) -> Asked {
    let mut words = arguments.iter().skip(1).map(|word| word.to_str());
    let (mut verb, mut directory) = (None, None);
    let (mut format, mut outputs) = (None, Vec::new());
    while let Some(word) = words.next() {
        let Some(word) = word.filter(|word| *word != "--") else {
            break;
        };
        let (name, value) = match word.split_once('=') {
            Some((name, value)) if name.starts_with("--") => (name, Some(value)),
            _ if WITH_VALUE.contains(&word) => (word, words.next().flatten()),
            _ => (word, None),
        };
        match (name, value) {
            ("-C", Some(value)) => directory = Some(PathBuf::from(value)),
            ("--format", Some(value)) => format = Some(value.to_owned()),
            ("--output", Some(value)) => outputs.push(value.to_owned()),
            (name, _) if verb.is_none() && !name.starts_with('-') => verb = Some(name.to_owned()),
            _ => {}
        }
    }
    let variable = |name| std::env::var(name).ok();
    let format = format.or_else(|| variable("GUARD_FORMAT"));
    if outputs.is_empty() {
        outputs.extend(variable("GUARD_OUTPUT"));
    }
    let of = verb.as_deref().unwrap_or_default();
    let wanted = output::WantedFormats::lenient(of, format, &outputs);
    Asked {
        verb,
        directory,
        wanted,
    }
}
