//! The options that verbs share. `--format` and `--output`: which reports a verb writes, and where to. `--lld`: the
//! designs that judge the repository. The options of a verb are defined only when it is called, because defining those of
//! all verbs took longer than parsing.

use std::ops::Deref;
use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, Resettable, TypedValueParser};
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, Subcommand};

use crate::error::{Error, Result};
use crate::files;
use crate::git::Repository;
use crate::judge::Options;
use crate::report::Format;

const FORMAT: &str = "format";
const OUTPUT: &str = "output";

/// The formats of verbs that have no findings to report.
const ANSWERS: &[Format] = &[Format::Human, Format::Json];
/// Those of `guard check`, which answers one path after the other.
const CHECKS: &[Format] = &[Format::Human, Format::Json, Format::Jsonl];

/// Those of `guard trial`.
const TRIAL: &[Format] = &[Format::Human, Format::Json, Format::Html];

/// The formats of a verb, and whether it also writes its report to files.
fn formats_of(verb: &str) -> (&'static [Format], bool) {
    match verb {
        "lint" => (Format::ALL, true),
        "hook" => (Format::ALL, false),
        "check" => (CHECKS, true),
        "scope" => (ANSWERS, true),
        "trial" => (TRIAL, true),
        "generate" | "mcp" | "help" => (&[], false),
        _ => (ANSWERS, false),
    }
}

/// The options of a verb, with those that every verb of its kind has.
#[derive(Debug)]
pub(super) struct Deferred<T>(T);

impl<T> Deref for Deferred<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: FromArgMatches> FromArgMatches for Deferred<T> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        T::from_arg_matches(matches).map(Deferred)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        self.0.update_from_arg_matches(matches)
    }
}

/// The verb with its options. Its description stays: that of a group of options would replace it.
fn defined(verb: Command, define: fn(Command) -> Command) -> Command {
    let (about, long_about) = (verb.get_about().cloned(), verb.get_long_about().cloned());
    let verb = with_formats(define(verb));
    verb.about(Resettable::from(about))
        .long_about(Resettable::from(long_about))
}

impl<T: Args> Args for Deferred<T> {
    fn augment_args(verb: Command) -> Command {
        verb.defer(|verb| defined(verb, T::augment_args))
    }

    fn augment_args_for_update(verb: Command) -> Command {
        Self::augment_args(verb)
    }
}

impl<T: Subcommand> Subcommand for Deferred<T> {
    fn augment_subcommands(verb: Command) -> Command {
        verb.defer(|verb| defined(verb, T::augment_subcommands))
    }

    fn augment_subcommands_for_update(verb: Command) -> Command {
        Self::augment_subcommands(verb)
    }

    fn has_subcommand(name: &str) -> bool {
        T::has_subcommand(name)
    }
}

/// Adds `--format` with the supported formats to a verb, and `--output` if it writes report files.
fn with_formats(verb: Command) -> Command {
    let (formats, writes_files) = formats_of(verb.get_name());
    if formats.is_empty() {
        return verb;
    }
    let printed = formats.iter().filter(|format| !format.is_for_files());
    let names = PossibleValuesParser::new(printed.map(|format| format.name()));
    let parser = names.try_map(|name| Format::from_name(&name).ok_or("unknown format"));
    let verb = verb.arg(
        Arg::new(FORMAT)
            .long(FORMAT)
            .global(true)
            .value_name("FORMAT")
            .env("GUARD_FORMAT")
            .value_parser(parser)
            .help("The output format"),
    );
    if !writes_files {
        return verb;
    }
    let help = format!(
        "Also write the report to a file, as in `{}`; may be repeated",
        example(formats)
    );
    verb.arg(
        Arg::new(OUTPUT)
            .long(OUTPUT)
            .global(true)
            .value_name("FORMAT=FILE")
            .env("GUARD_OUTPUT")
            .action(ArgAction::Append)
            .value_parser(move |text: &str| parse(text, formats))
            .long_help(format!(
                "{help}.\n\nThe file must be new, or an earlier guard report in the same format. guard never \
                 overwrites a tracked file, a design, guard.toml, or a file below .git or .guard. `-` is standard \
                 output."
            ))
            .help(help),
    )
}

/// An example of `--output`.
fn example(formats: &[Format]) -> &'static str {
    match formats.contains(&Format::Sarif) {
        true => "sarif=guard.sarif",
        false => "json=guard.json",
    }
}

/// A report that a command line requests; without a file, on standard output.
pub(super) type Wanted = (Format, Option<PathBuf>);

/// The reports of the verb that was called.
pub(super) fn wanted(matches: &ArgMatches) -> Vec<Wanted> {
    let mut verb = matches;
    while let Some((_, deeper)) = verb.subcommand() {
        verb = deeper;
    }
    let format = verb.try_get_one(FORMAT).ok().flatten().copied();
    let output = verb.try_get_many::<Wanted>(OUTPUT).ok().flatten();
    let format = format.map(|format| (format, None));
    format
        .into_iter()
        .chain(output.into_iter().flatten().cloned())
        .collect()
}

/// The reports of those values that are valid for the verb.
pub(super) fn wanted_leniently(
    verb: &str,
    format: Option<&str>,
    outputs: &[String],
) -> Vec<Wanted> {
    let (formats, writes_files) = formats_of(verb);
    let format = format.and_then(Format::from_name);
    let format = format.filter(|format| formats.contains(format) && !format.is_for_files());
    let outputs = outputs.iter().filter(|_| writes_files);
    format
        .map(|format| (format, None))
        .into_iter()
        .chain(outputs.filter_map(|text| parse(text, formats).ok()))
        .collect()
}

/// Names of standard output on Unix. Opening such a name would overwrite a redirected file from its beginning.
const STDOUT: [&str; 3] = ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"];

fn parse(text: &str, formats: &[Format]) -> Result<Wanted, String> {
    let (format, file) = text
        .split_once('=')
        .ok_or_else(|| format!("expected FORMAT=FILE, such as {}", example(formats)))?;
    let known = formats.iter().find(|known| known.name() == format);
    let format = *known.ok_or_else(|| {
        let names: Vec<_> = formats.iter().map(|format| format.name()).collect();
        format!("unknown format; choose one of {}", names.join(", "))
    })?;
    let is_stdout = file == "-" || cfg!(unix) && STDOUT.contains(&file);
    match file {
        "" => Err("the file name is empty".to_owned()),
        _ if format.is_for_files() && is_stdout => {
            let name = format.name();
            Err(format!(
                "{name} is for files only, as in {name}=review.{name}"
            ))
        }
        file => Ok((format, (!is_stdout).then(|| PathBuf::from(file)))),
    }
}

/// The format of standard output, and the files with theirs.
///
/// # Errors
/// Two reports would go to standard output.
pub(super) fn destinations(wanted: Vec<Wanted>) -> Result<(Format, Vec<(Format, PathBuf)>)> {
    let mut stdout = None;
    let mut files = Vec::new();
    for (format, file) in wanted {
        match file {
            Some(file) => files.push((format, file)),
            None if stdout.is_none() => stdout = Some(format),
            None => {
                return Err(Error::new("two reports would go to standard output").help(
                    "--format and --output FORMAT=- both write to standard output: use only one of them",
                ));
            }
        }
    }
    Ok((stdout.unwrap_or(Format::Human), files))
}

/// Adds the approvals of this repository, which count for local commits.
pub(super) fn with_approvals(repo: &Repository, options: Options) -> Result<Options> {
    Ok(Options {
        approvals: files::approvals(repo)?,
        ..options
    })
}

/// The repository of the current directory.
pub(super) fn repository() -> Result<Repository> {
    Repository::open(".".as_ref())
}

/// The variable that names designs for every run, as `--lld` does for one.
pub(super) const LLD_VARIABLE: &str = "GUARD_LLD";

/// Explicitly chosen designs, the same for every verb that judges.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct DesignArgs {
    /// Use this design instead of the one that guard.toml selects; repeat it to combine several.
    ///
    /// GUARD_LLD does the same for every run; it takes a list that is separated as in PATH.
    #[arg(long = "lld", value_name = "FILE")]
    pub(super) lld: Vec<PathBuf>,
}

impl DesignArgs {
    pub(super) fn options(&self, in_hook: bool) -> Options {
        let mut designs = self.lld.clone();
        let mut designs_from = "--lld";
        if designs.is_empty() {
            let value = std::env::var_os(LLD_VARIABLE).unwrap_or_default();
            let listed = std::env::split_paths(&value);
            designs = listed.filter(|path| !path.as_os_str().is_empty()).collect();
            designs_from = LLD_VARIABLE;
        }
        Options {
            designs,
            designs_from,
            in_hook,
            ..Options::default()
        }
    }
}
