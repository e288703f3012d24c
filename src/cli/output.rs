//! Where output goes: data to stdout and files, errors to stderr, colour only for terminals.

use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anstream::ColorChoice;
use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use gix::bstr::BString;

use super::{CANNOT_JUDGE, file};
use crate::error::{Error, Result};
use crate::git::show_file;
use crate::report::{Format, Style, document, write_error, write_failure, write_notes};

/// Options of every verb that decide how things look.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// How to print.
    #[arg(
        long,
        value_name = "FORMAT",
        env = "GUARD_FORMAT",
        global = true,
        value_parser = format_parser()
    )]
    format: Option<Format>,
    /// Write the report to a file as well, as `sarif=guard.sarif`; repeat it for several.
    ///
    /// `-` in the place of FILE is standard output.
    #[arg(
        long,
        value_name = "FORMAT=FILE",
        env = "GUARD_OUTPUT",
        global = true,
        value_parser = parse_target
    )]
    output: Vec<Target>,
    /// When to use colours; NO_COLOR and CLICOLOR_FORCE count as well.
    #[arg(
        long,
        value_enum,
        default_value_t,
        value_name = "WHEN",
        env = "GUARD_COLOR",
        global = true
    )]
    color: When,
    /// Print nothing but errors.
    #[arg(short, long, global = true, env = "GUARD_QUIET", value_parser = clap::builder::FalseyValueParser::new())]
    quiet: bool,
}

impl Args {
    /// Those of the values that can be read.
    pub(super) fn lenient(format: Option<String>, outputs: &[String]) -> Args {
        Args {
            format: format.and_then(|name| Format::from_name(&name)),
            output: outputs
                .iter()
                .filter_map(|text| parse_target(text).ok())
                .collect(),
            color: When::Never,
            quiet: false,
        }
    }
}

/// The formats by their names.
fn format_parser() -> impl TypedValueParser<Value = Format> {
    PossibleValuesParser::new(Format::ALL.map(Format::name))
        .try_map(|name| Format::from_name(&name).ok_or("there is no such format"))
}

#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum When {
    #[default]
    Auto,
    Always,
    Never,
}

/// A report that was asked for with `--output`.
#[derive(Debug, Clone, PartialEq)]
struct Target {
    format: Format,
    /// `None` is standard output.
    file: Option<PathBuf>,
}

/// What Unix calls standard output; opened by such a name, a file behind it would be written from its beginning.
const STDOUT: [&str; 3] = ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"];

fn parse_target(text: &str) -> Result<Target, String> {
    let (format, file) = text
        .split_once('=')
        .ok_or("wants FORMAT=FILE, such as sarif=guard.sarif")?;
    let format = Format::from_name(format).ok_or_else(|| {
        let names = Format::ALL.map(Format::name).join(", ");
        format!("the format is one of {names}")
    })?;
    let file = match file {
        "" => return Err("the file has no name".to_owned()),
        "-" => None,
        file if cfg!(unix) && STDOUT.contains(&file) => None,
        file => Some(PathBuf::from(file)),
    };
    Ok(Target { format, file })
}

/// The way out for every verb.
pub(super) struct Output {
    pub(super) format: Format,
    pub(super) style: Style,
    error_style: Style,
    files: Vec<(Format, PathBuf)>,
    /// Writing failed: the reader went away, or the disk is full.
    failed: Option<Failed>,
}

/// What could not be written, and why.
struct Failed {
    to: String,
    error: io::Error,
}

impl Output {
    /// # Errors
    ///
    /// Two reports for one place.
    pub(super) fn new(args: &Args, directory: Option<&Path>) -> Result<Output> {
        let style = |color: bool, width| Style {
            color,
            width,
            quiet: args.quiet,
            ..Style::default()
        };
        let wants_color = |choice: ColorChoice| match args.color {
            When::Always => true,
            When::Never => false,
            When::Auto => matches!(choice, ColorChoice::Always | ColorChoice::AlwaysAnsi),
        };
        let (stdout, stderr) = (io::stdout(), io::stderr());
        let (format, files) = targets(args, directory.unwrap_or(".".as_ref()))?;
        Ok(Output {
            format,
            style: style(
                wants_color(anstream::AutoStream::choice(&stdout)),
                width(stdout.is_terminal()),
            ),
            error_style: style(
                wants_color(anstream::AutoStream::choice(&stderr)),
                width(stderr.is_terminal()),
            ),
            files,
            failed: None,
        })
    }

    /// Has the `-->` lines written as seen from a directory below the workspace root.
    pub(super) fn seen_from(&mut self, prefix: Option<BString>) {
        self.style.prefix.clone_from(&prefix);
        self.error_style.prefix = prefix;
    }

    /// Writes a report to stdout and every file with `write`; what goes wrong is told at the end.
    pub(super) fn print(
        &mut self,
        write: impl Fn(&mut dyn Write, Format, &Style) -> io::Result<()>,
    ) {
        let mut stdout = io::stdout().lock();
        let written = write(&mut stdout, self.format, &self.style).and_then(|()| stdout.flush());
        self.note_failure("standard output", written);
        self.write_files(write);
    }

    /// Prints what has a form for people and one for programs, and no other.
    pub(super) fn print_either(
        &mut self,
        verb: &str,
        json: impl Fn() -> serde_json::Value,
        human: impl Fn(&mut dyn Write) -> io::Result<()>,
    ) {
        self.print(|out, format, _| match format {
            Format::Human => human(out),
            Format::Json => out.write_all(document(&json())?.as_bytes()),
            other => Err(other.not_here(verb)),
        });
    }

    /// Refuses the formats that a verb with a form for people and one for programs has not: before it does anything,
    /// for afterwards it would be told as undone.
    ///
    /// # Errors
    ///
    /// Another format is asked for, on standard output or in a file.
    pub(super) fn only_human_and_json(&self, verb: &str) -> Result<()> {
        let files = self.files.iter().map(|(format, _)| *format);
        match [self.format]
            .into_iter()
            .chain(files)
            .find(|format| !matches!(format, Format::Human | Format::Json))
        {
            Some(format) => Err(Error::new(format.not_here(verb).to_string())),
            None => Ok(()),
        }
    }

    /// Prints remarks to stderr, where data goes to stdout.
    pub(super) fn notes(&self, notes: &[String]) {
        if !self.error_style.quiet {
            // There is nowhere left to tell that stderr cannot be written.
            let _ = write_notes(notes, &mut io::stderr().lock(), &self.error_style);
        }
    }

    /// Prints an error to stderr, and to the files and machine formats, whose readers would take nothing, or the
    /// report of an earlier run, for an answer.
    pub(super) fn error(&mut self, error: &Error) {
        // There is nowhere left to tell that stderr cannot be written.
        let _ = write_error(error, &mut io::stderr().lock(), &self.error_style);
        self.reports(error);
    }

    /// The part of [`Output::error`] that is for programs.
    pub(super) fn reports(&mut self, error: &Error) {
        if self.format != Format::Human {
            let mut stdout = io::stdout().lock();
            let written = write_failure(error, self.format, &mut stdout, &self.style)
                .and_then(|()| stdout.flush());
            self.note_failure("standard output", written);
        }
        self.write_files(|out, format, style| write_failure(error, format, out, style));
    }

    fn write_files(&mut self, write: impl Fn(&mut dyn Write, Format, &Style) -> io::Result<()>) {
        let style = Style {
            quiet: self.style.quiet,
            ..Style::default()
        };
        for (format, path) in std::mem::take(&mut self.files) {
            let mut report = Vec::new();
            let written =
                write(&mut report, format, &style).and_then(|()| file::replace(&path, &report));
            self.note_failure(&show_file(&path), written);
        }
        if self.format == Format::Github
            && let Some(summary) = step_summary()
        {
            let mut report = Vec::new();
            let written = write(&mut report, Format::Markdown, &style)
                .and_then(|()| file::append(&summary, &report));
            self.note_failure("the file of GITHUB_STEP_SUMMARY", written);
        }
    }

    /// Remembers the first failure; a reader that went away has seen what it wanted.
    fn note_failure(&mut self, to: &str, written: io::Result<()>) {
        match written {
            Err(error) if error.kind() != ErrorKind::BrokenPipe && self.failed.is_none() => {
                let to = to.to_owned();
                self.failed = Some(Failed { to, error });
            }
            _ => {}
        }
    }

    /// The exit code, unless the verdict could not be told.
    pub(super) fn finish(self, code: u8) -> ExitCode {
        let Some(Failed { to, error }) = &self.failed else {
            return ExitCode::from(code);
        };
        let error = match error.kind() {
            ErrorKind::Unsupported => Error::new(error.to_string()),
            _ => Error::new(format!("the report cannot be written to {to}: {error}")),
        };
        let _ = write_error(&error, &mut io::stderr().lock(), &self.error_style);
        ExitCode::from(CANNOT_JUDGE)
    }
}

/// Prints an error that comes before there is an [`Output`].
pub(super) fn usage_error(error: &Error) {
    // There is nowhere left to tell that stderr cannot be written.
    let _ = write_error(error, &mut io::stderr().lock(), &Style::default());
}

/// The format of standard output, and the files with theirs.
///
/// Files are compared as they will be found from `directory`.
fn targets(args: &Args, directory: &Path) -> Result<(Format, Vec<(Format, PathBuf)>)> {
    let mut stdout: Vec<_> = args.format.into_iter().collect();
    let mut files: Vec<(Format, PathBuf)> = Vec::new();
    for target in &args.output {
        match &target.file {
            None => stdout.push(target.format),
            Some(file)
                if files
                    .iter()
                    .any(|(_, other)| file::is_same(directory, other, file)) =>
            {
                let file = show_file(file);
                return Err(Error::new(format!("--output names {file} twice"))
                    .help("give each report a file of its own"));
            }
            Some(file) => files.push((target.format, file.clone())),
        }
    }
    if stdout.len() > 1 {
        return Err(Error::new("two reports are to go to standard output")
            .help("--format and --output FORMAT=- both mean standard output: give one of them"));
    }
    Ok((stdout.pop().unwrap_or(Format::Human), files))
}

/// Where GitHub takes the summary of a step from.
fn step_summary() -> Option<PathBuf> {
    std::env::var_os("GITHUB_STEP_SUMMARY")
        .filter(|path| !path.is_empty())
        .map(|path| Path::new(&path).to_owned())
}

/// The columns to draw for: the terminal's; where there is none, those of the variable `COLUMNS`, else 80.
fn width(is_terminal: bool) -> usize {
    let terminal = || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    let variable = || std::env::var("COLUMNS").ok()?.parse().ok();
    let columns = if is_terminal {
        terminal().or_else(variable)
    } else {
        variable()
    };
    // Nothing can be read in fewer columns, and nobody has more.
    columns.map_or(Style::default().width, |columns| columns.clamp(40, 1000))
}
