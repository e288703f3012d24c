//! Where output goes: data to stdout and files, errors to stderr, colour only for terminals.

use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use anstream::{AutoStream, ColorChoice};
use gix::bstr::BString;
use serde_json::Value;

use super::options::{GLOBAL, ReportFile};
use super::report_file;
use crate::report::{Format, Style, Target, write_error, write_failure, write_notes};
use write_guard_policy::error::Error;
use write_guard_policy::measure::Precision;
use write_guard_repo::disk;
use write_guard_repo::show_file;

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
    #[arg(
        short,
        long,
        global = true,
        env = "GUARD_QUIET",
        value_parser = clap::builder::FalseyValueParser::new()
    )]
    quiet: bool,
}

/// The output of every verb.
pub(super) struct Output {
    pub(super) format: Format,
    pub(super) style: Style,
    error_style: Style,
    files: Vec<ReportFile>,
    /// Whether only the owner may read the files.
    private: bool,
    /// What could not be written first, and why, such as a full disk.
    failed: Option<(String, io::Error)>,
}

impl Output {
    pub(crate) fn new(args: &OutputArgs, (format, files): (Format, Vec<ReportFile>)) -> Output {
        let style = |choice: ColorChoice, is_terminal| Style {
            color: match args.color {
                clap::ColorChoice::Auto => choice != ColorChoice::Never,
                chosen => chosen == clap::ColorChoice::Always,
            },
            width: width(is_terminal),
            quiet: args.quiet,
            ..Style::default()
        };
        let out = io::stdout();
        let err = io::stderr();
        Output {
            format,
            style: style(AutoStream::choice(&out), out.is_terminal()),
            error_style: style(AutoStream::choice(&err), err.is_terminal()),
            files,
            private: false,
            failed: None,
        }
    }

    /// Which losses the reports need: only those for programs print the share of every change.
    pub(super) fn precision(&self) -> Precision {
        let mut files = self.files.iter();
        if self.is_human() && files.all(|(format, _)| *format == Format::Human) {
            Precision::Verdict
        } else {
            Precision::Exact
        }
    }

    /// Whether one of the reports is a review page.
    pub(super) fn has_page(&self) -> bool {
        self.files.iter().any(|(format, _)| *format == Format::Html)
    }

    /// Whether one of the reports suggests the missing rows.
    pub(super) fn has_suggestions(&self) -> bool {
        let mut formats = self
            .files
            .iter()
            .map(|(format, _)| *format)
            .chain([self.format]);
        formats.any(|format| format == Format::GithubReview)
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
        self.write_stdout(&write);
        self.write_files(write);
    }

    /// Whether stdout is for a person.
    pub(super) fn is_human(&self) -> bool {
        self.format == Format::Human
    }

    fn write_stdout(&mut self, write: impl FnOnce(Target<'_>) -> io::Result<()>) {
        let mut stdout = io::stdout().lock();
        let format = self.format;
        let style = &self.style;
        let out = &mut stdout;
        let written = write(Target { out, format, style }).and_then(|()| stdout.flush());
        self.note_failure("standard output", written);
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

    /// Prints an answer to stderr, where stdout belongs to another program: for people, or as one line of JSON.
    pub(super) fn beside_program(&self, json: &Value, text: &str) {
        let text = if self.is_human() {
            text.to_owned()
        } else {
            format!("{json}\n")
        };
        // If stderr cannot be written, there is nowhere left to report it.
        let _ = io::stderr().lock().write_all(text.as_bytes());
    }

    /// Prints an error where stdout belongs to another program.
    pub(super) fn error_beside_program(&self, error: &Error) {
        self.tell(error);
    }

    /// Prints notes to stderr, apart from the data on stdout.
    pub(crate) fn notes(&self, notes: &[String]) {
        if !self.error_style.quiet {
            // If stderr cannot be written, there is nowhere left to report it.
            let _ = write_notes(notes, &mut io::stderr().lock(), &self.error_style);
        }
    }

    /// Prints an error to stderr, and to the files and machine formats. Otherwise their readers would take no output, or
    /// the report of an earlier run, for the answer.
    pub(super) fn error(&mut self, error: &Error) {
        self.tell(error);
        if !self.is_human() {
            self.write_stdout(|to| write_failure(error, to));
        }
        self.write_files(|to| write_failure(error, to));
    }

    fn tell(&self, error: &Error) {
        // If stderr cannot be written, there is nowhere left to report it.
        let _ = write_error(error, &mut io::stderr().lock(), &self.error_style);
    }

    fn write_files(&mut self, write: impl Fn(Target<'_>) -> io::Result<()>) {
        let style = &Style {
            quiet: self.style.quiet,
            ..Style::default()
        };
        for (format, path) in std::mem::take(&mut self.files) {
            let mode = self.private.then_some(disk::PRIVATE);
            let mut report = Vec::new();
            let out = &mut report;
            let written = write(Target { out, format, style })
                .and_then(|()| report_file::replace(&path, format, &report, mode));
            self.note_failure(&show_file(&path), written);
        }
    }

    /// Remembers the first failure. A broken pipe is not one: the reader has seen enough.
    fn note_failure(&mut self, to: &str, written: io::Result<()>) {
        if let Err(error) = written
            && error.kind() != ErrorKind::BrokenPipe
            && self.failed.is_none()
        {
            self.failed = Some((to.to_owned(), error));
        }
    }

    /// The exit code; 2 if the answer could not be written.
    pub(super) fn finish(self, code: u8) -> ExitCode {
        let Some((to, error)) = &self.failed else {
            return ExitCode::from(code);
        };
        let mut failure = Error::new(format!("the report cannot be written to {to}: {error}"));
        if error.kind() == ErrorKind::AlreadyExists {
            failure =
                failure.help("name a new file, or an earlier guard report in the same format");
        }
        self.tell(&failure);
        ExitCode::from(CANNOT_JUDGE)
    }
}

/// The width of the output: the terminal's, else the variable `COLUMNS`, else 80.
fn width(is_terminal: bool) -> usize {
    let terminal = terminal_size::terminal_size().filter(|_| is_terminal);
    let terminal = terminal.map(|(width, _)| usize::from(width.0));
    let columns = terminal.or_else(|| std::env::var("COLUMNS").ok()?.parse().ok());
    // Fewer columns are unreadable; no terminal has more.
    columns.map_or(Style::default().width, |columns| columns.clamp(40, 1000))
}
