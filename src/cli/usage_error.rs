//! Usage errors of `guard lint`: the requested reports say that guard judged nothing. Otherwise their readers would find
//! none, or the report of an earlier run.

use std::ffi::OsString;
use std::path::PathBuf;

use super::output::{self, Output};
use crate::error::Error;

/// Options of every verb that take a value.
const WITH_VALUE: [&str; 4] = ["-C", "--format", "--output", "--color"];

/// Writes `error`, which is already on stderr, to the reports that the arguments name.
pub(super) fn tell(arguments: &[OsString], error: &clap::Error) {
    let Some((directory, wanted)) = asked(arguments) else {
        return;
    };
    if let Some(directory) = &directory
        && std::env::set_current_dir(directory).is_err()
    {
        return;
    }
    let text = error.render().to_string();
    let first = text.lines().next().unwrap_or_default();
    let message = first.strip_prefix("error: ").unwrap_or(first);
    let error = Error::new(message).help("for all options: guard lint --help");
    if let Ok(mut output) = Output::new(&output::OutputArgs::plain(), &wanted, None)
        && output.admit_files().is_ok()
    {
        output.reports(&error);
    }
}

/// The directory and the reports of `guard lint`; `None` for other verbs.
fn asked(arguments: &[OsString]) -> Option<(Option<PathBuf>, output::WantedFormats)> {
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
            (name, _) if verb.is_none() && !name.starts_with('-') => verb = Some(name),
            _ => {}
        }
    }
    let variable = |name| std::env::var(name).ok();
    let format = format.or_else(|| variable("GUARD_FORMAT"));
    if outputs.is_empty() {
        outputs.extend(variable("GUARD_OUTPUT"));
    }
    (verb == Some("lint")).then(|| (directory, output::WantedFormats::lenient(format, &outputs)))
}
