//! The options that verbs share. `--format` and `--output`: which reports a verb writes, and where to. `--lld`: the
//! designs that judge the repository.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Arg, ArgAction, ArgMatches, Command};

use crate::judge::Options;
use crate::report::Format;
use write_guard_policy::error::Result;
use write_guard_repo::Repository;

/// The heading in help for the options that every verb has.
pub(super) const GLOBAL: &str = "Global options";

const FORMAT: &str = "format";
const OUTPUT: &str = "output";

/// The formats of a verb, and whether it also writes its report to files.
fn formats_of(verb: &str) -> (&'static [Format], bool) {
    use Format::{Html, Human, Json};
    match verb {
        "lint" => (Format::ALL, true),
        "hook" => (Format::ALL, false),
        "check" | "scope" => (&[Human, Json], true),
        "trial" => (&[Human, Json, Html], true),
        "generate" | "mcp" | "help" => (&[], false),
        _ => (&[Human, Json], false),
    }
}

/// Adds `--format` with the supported formats to a verb, and `--output` if it writes report files.
pub(super) fn with_formats(verb: Command) -> Command {
    let (formats, writes_files) = formats_of(verb.get_name());
    if formats.is_empty() {
        return verb;
    }
    let printed = formats.iter().filter(|format| !format.is_for_files());
    let names = PossibleValuesParser::new(printed.map(|format| format.name()));
    let parser = names.try_map(move |name| format_named(&name, formats));
    let verb = verb.arg(
        Arg::new(FORMAT)
            .long(FORMAT)
            .global(true)
            .help_heading(GLOBAL)
            .value_name("FORMAT")
            .env("GUARD_FORMAT")
            .value_parser(parser)
            .help("The output format"),
    );
    if !writes_files {
        return verb;
    }
    verb.arg(
        Arg::new(OUTPUT)
            .long(OUTPUT)
            .global(true)
            .help_heading(GLOBAL)
            .value_name("FORMAT=FILE")
            .env("GUARD_OUTPUT")
            .action(ArgAction::Append)
            .value_parser(move |text: &str| report_file(text, formats))
            .help("Also write the report to a file, as in `json=guard.json`; may be repeated"),
    )
}

/// A file to write a report to.
pub(super) type ReportFile = (Format, PathBuf);

/// The format of standard output, and the report files of the verb that was called.
pub(super) fn reports(matches: &ArgMatches) -> (Format, Vec<ReportFile>) {
    let mut verb = matches;
    while let Some((_, deeper)) = verb.subcommand() {
        verb = deeper;
    }
    let format = verb.try_get_one(FORMAT).ok().flatten().copied();
    let files = verb.try_get_many::<ReportFile>(OUTPUT).ok().flatten();
    (
        format.unwrap_or(Format::Human),
        files.into_iter().flatten().cloned().collect(),
    )
}

fn format_named(name: &str, formats: &[Format]) -> Result<Format, String> {
    let known = formats.iter().find(|format| format.name() == name);
    known.copied().ok_or_else(|| {
        let names: Vec<_> = formats.iter().map(|format| format.name()).collect();
        format!("unknown format; choose one of {}", names.join(", "))
    })
}

fn report_file(text: &str, formats: &[Format]) -> Result<ReportFile, String> {
    let (name, file) = text
        .split_once('=')
        .ok_or("expected FORMAT=FILE, such as json=guard.json")?;
    let in_files = formats.iter().filter(|format| !format.is_never_a_file());
    let format = format_named(name, &in_files.copied().collect::<Vec<_>>())?;
    match file {
        "" | "-" => Err("expected the name of a file; --format is for standard output".to_owned()),
        file => Ok((format, PathBuf::from(file))),
    }
}

/// The repository of the current directory.
pub(super) fn repository() -> Result<Repository> {
    Repository::open(".".as_ref())
}

/// The variable that names designs for every run, as `--lld` does for one.
const LLD_VARIABLE: &str = "GUARD_LLD";

// Explicitly chosen designs, the same for every verb that judges.
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
