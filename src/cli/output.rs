//! Where output goes: data to stdout and files, errors to stderr, colour only for terminals.

use std::io::{self, ErrorKind, IsTerminal, Write};
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anstream::{AutoStream, ColorChoice};
use clap::builder::{PossibleValuesParser, Resettable, TypedValueParser};
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, Subcommand};
use gix::bstr::BString;
use serde_json::Value;

use super::report_file;
use crate::disk;
use crate::error::{Error, Result};
use crate::git::show_file;
use crate::measure::Precision;
use crate::report::{Format, Style, Target, write_error, write_failure, write_notes};

/// The exit code if guard could not check, or the command line was wrong.
pub(super) const CANNOT_JUDGE: u8 = 2;

/// Reports panics, which are faults of guard, and then does this.
pub(super) fn on_panic(what: &'static str, then: fn()) {
    std::panic::set_hook(Box::new(move |panic| {
        let text = format!("guard: internal error{what}: {panic}\nguard: please report this\n");
        let _ = io::stderr().lock().write_all(text.as_bytes());
        then();
    }));
}

/// The heading in help for the options that every verb has.
pub(super) const GLOBAL: &str = "Global options";

/// Options of every verb that control how output looks.
#[derive(Debug, Default, clap::Args)]
#[command(next_help_heading = GLOBAL)]
pub(super) struct OutputArgs {
    /// When to use colours; `auto` obeys NO_COLOR and CLICOLOR_FORCE.
    #[arg(
        long,
        value_enum,
        default_value_t,
        value_name = "WHEN",
        env = "GUARD_COLOR",
        global = true
    )]
    color: clap::ColorChoice,
    /// Print only errors.
    #[arg(short, long, global = true, env = "GUARD_QUIET", value_parser = clap::builder::FalseyValueParser::new())]
    quiet: bool,
}

/// The output of every verb.
pub(super) struct Output {
    pub(super) format: Format,
    pub(super) style: Style,
    error_style: Style,
    files: Vec<(Format, PathBuf)>,
    /// Whether only the owner may read the files.
    private: bool,
    /// What could not be written first, and why, such as a full disk.
    failed: Option<(String, io::Error)>,
    /// What guard did or refused to do: no failure to report it changes that.
    settled: Option<String>,
}

impl Output {
    /// # Errors
    ///
    /// Two reports would go to standard output.
    pub(super) fn new(args: &OutputArgs, wanted: Vec<Wanted>) -> Result<Output> {
        let style = |choice: ColorChoice, is_terminal| Style {
            color: match args.color {
                clap::ColorChoice::Always => true,
                clap::ColorChoice::Never => false,
                clap::ColorChoice::Auto => {
                    matches!(choice, ColorChoice::Always | ColorChoice::AlwaysAnsi)
                }
            },
            width: width(is_terminal),
            quiet: args.quiet,
            ..Style::default()
        };
        let (stdout, stderr) = (io::stdout(), io::stderr());
        let (format, files) = destinations(wanted)?;
        Ok(Output {
            format,
            style: style(AutoStream::choice(&stdout), stdout.is_terminal()),
            error_style: style(AutoStream::choice(&stderr), stderr.is_terminal()),
            files,
            private: false,
            failed: None,
            settled: None,
        })
    }

    /// Which losses the reports need: only those for programs print the share of every change.
    pub(super) fn precision(&self) -> Precision {
        let mut files = self.files.iter();
        match self.is_human() && files.all(|(format, _)| *format == Format::Human) {
            true => Precision::Verdict,
            false => Precision::Exact,
        }
    }

    /// Whether one of the reports is a review page.
    pub(super) fn has_page(&self) -> bool {
        self.files.iter().any(|(format, _)| *format == Format::Html)
    }

    /// Adds a file to write a report to; a private one is for the owner only.
    pub(super) fn add_file(&mut self, format: Format, path: PathBuf, private: bool) {
        self.private = private;
        self.files.push((format, path));
    }

    /// Makes the paths in `-->` lines relative to a directory below the workspace root.
    pub(super) fn seen_from(&mut self, prefix: Option<BString>) {
        self.style.prefix.clone_from(&prefix);
        self.error_style.prefix = prefix;
    }

    /// Writes a report to stdout and to every file with `write`. `finish` reports failures.
    pub(super) fn print(&mut self, write: impl Fn(Target<'_>) -> io::Result<()>) {
        self.stream(&write);
        self.write_files(write);
    }

    /// Whether stdout is for a person.
    pub(super) fn is_human(&self) -> bool {
        self.format == Format::Human
    }

    /// Whether answers can be printed one by one: not in one document, and not to files.
    pub(super) fn is_stream(&self) -> bool {
        matches!(self.format, Format::Human | Format::Jsonl) && self.files.is_empty()
    }

    /// Prints to stdout only, such as one of several answers. Returns whether anybody still reads it.
    pub(super) fn stream(&mut self, write: impl FnOnce(Target<'_>) -> io::Result<()>) -> bool {
        let (mut stdout, format, style) = (io::stdout().lock(), self.format, &self.style);
        let out = &mut stdout;
        let written = write(Target { out, format, style }).and_then(|()| stdout.flush());
        let is_read = written.is_ok();
        self.note_failure("standard output", written);
        is_read
    }

    /// Prints an answer that has only a human and a JSON form.
    pub(super) fn answer(&mut self, json: &Value, text: impl AsRef<[u8]>) {
        self.print(|to| match to.format {
            Format::Human => to.out.write_all(text.as_ref()),
            _ => to.answer(|_| String::new(), || json),
        });
    }

    /// The same for what guard did: with `--quiet`, only programs learn it.
    pub(super) fn report_done(&mut self, json: &Value, text: &str) {
        self.answer(json, if self.style.quiet { "" } else { text });
    }

    /// Prints notes to stderr, apart from the data on stdout.
    pub(super) fn notes(&self, notes: &[String]) {
        if !self.error_style.quiet {
            // If stderr cannot be written, there is nowhere left to report it.
            let _ = write_notes(notes, &mut io::stderr().lock(), &self.error_style);
        }
    }

    /// Prints an error to stderr, and to the files and machine formats. Otherwise their readers would take no output, or
    /// the report of an earlier run, for the answer.
    pub(super) fn error(&mut self, error: &Error) {
        self.tell(error);
        self.reports(error);
    }

    /// Prints an error to stderr only.
    pub(super) fn tell(&self, error: &Error) {
        // If stderr cannot be written, there is nowhere left to report it.
        let _ = write_error(error, &mut io::stderr().lock(), &self.error_style);
    }

    /// The part of [`Output::error`] that is for programs.
    pub(super) fn reports(&mut self, error: &Error) {
        let write = |to: Target<'_>| write_failure(error, to);
        if !self.is_human() {
            self.stream(write);
        }
        self.write_files(write);
    }

    fn write_files(&mut self, write: impl Fn(Target<'_>) -> io::Result<()>) {
        let style = &Style {
            quiet: self.style.quiet,
            ..Style::default()
        };
        for (format, path) in std::mem::take(&mut self.files) {
            let mode = self.private.then_some(disk::PRIVATE);
            let write = |out: &mut dyn Write| write(Target { out, format, style });
            let written = report_file::replace(&path, format, &write, mode);
            self.note_failure(&show_file(&path), written);
        }
        if self.format == Format::Github
            && let Some(summary) = step_summary()
        {
            let format = Format::Markdown;
            let write = |out: &mut dyn Write| write(Target { out, format, style });
            let written = report_file::append(&summary, &write);
            self.note_failure("the file of GITHUB_STEP_SUMMARY", written);
        }
    }

    /// Remembers the first failure. A broken pipe is not one: the reader has seen enough.
    fn note_failure(&mut self, to: &str, written: io::Result<()>) {
        match written {
            Err(error) if error.kind() != ErrorKind::BrokenPipe && self.failed.is_none() => {
                self.failed = Some((to.to_owned(), error));
            }
            _ => {}
        }
    }

    /// Says what guard did or refused to do, for a caller that does not get the answer.
    pub(super) fn settle(&mut self, what: impl Into<String>) {
        self.settled = Some(what.into());
    }

    /// The exit code; 2 if the verdict could not be written, unless it is about a change that is done or refused.
    pub(super) fn finish(self, code: u8) -> ExitCode {
        let Some((to, error)) = &self.failed else {
            return ExitCode::from(code);
        };
        let failure = Error::new(format!("the report cannot be written to {to}: {error}"));
        let mut failure = match error.kind() {
            ErrorKind::Unsupported => Error::new(error.to_string()),
            ErrorKind::AlreadyExists => {
                failure.help("name a new file, or an earlier guard report in the same format")
            }
            _ => failure,
        };
        let code = match &self.settled {
            Some(what) => {
                failure = failure.help(what.as_str());
                code
            }
            None => CANNOT_JUDGE,
        };
        self.tell(&failure);
        ExitCode::from(code)
    }
}

/// Prints an error that comes before there is an [`Output`].
pub(super) fn usage_error(error: &Error) {
    // If stderr cannot be written, there is nowhere left to report it.
    let _ = write_error(error, &mut io::stderr().lock(), &Style::default());
}

/// The file from which GitHub reads the summary of a step.
fn step_summary() -> Option<PathBuf> {
    std::env::var_os("GITHUB_STEP_SUMMARY")
        .filter(|path| !path.is_empty())
        .map(|path| Path::new(&path).to_owned())
}

/// The width of the output: the terminal's, else the variable `COLUMNS`, else 80.
fn width(is_terminal: bool) -> usize {
    let terminal = terminal_size::terminal_size().filter(|_| is_terminal);
    let terminal = terminal.map(|(width, _)| usize::from(width.0));
    let columns = terminal.or_else(|| std::env::var("COLUMNS").ok()?.parse().ok());
    // Fewer columns are unreadable; no terminal has more.
    columns.map_or(Style::default().width, |columns| columns.clamp(40, 1000))
}

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
