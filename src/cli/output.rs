//! Where output goes: data to stdout, errors to stderr, colour only for terminals.

use std::io::{self, ErrorKind, IsTerminal, Write};
use std::process::ExitCode;

use anstream::ColorChoice;
use clap::ValueEnum;

use super::CANNOT_JUDGE;
use crate::error::Error;
use crate::report::{Format, Style, write_error, write_notes};

/// Options of every verb that decide how things look.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// How to print.
    #[arg(
        long,
        value_enum,
        default_value_t,
        value_name = "FORMAT",
        env = "GUARD_FORMAT",
        global = true
    )]
    format: FormatName,
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

#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum FormatName {
    #[default]
    Human,
    Json,
}

#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum When {
    #[default]
    Auto,
    Always,
    Never,
}

/// The way out for every verb.
pub(super) struct Output {
    pub(super) format: Format,
    pub(super) style: Style,
    error_style: Style,
    /// Writing failed: the reader went away, or the disk is full.
    failed: Option<io::Error>,
}

impl Output {
    pub(super) fn new(args: &Args) -> Output {
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
        let width = |is_terminal: bool| match terminal_size::terminal_size() {
            Some((width, _)) if is_terminal => usize::from(width.0),
            _ => Style::default().width,
        };
        Output {
            format: match args.format {
                FormatName::Human => Format::Human,
                FormatName::Json => Format::Json,
            },
            style: style(
                wants_color(anstream::AutoStream::choice(&stdout)),
                width(stdout.is_terminal()),
            ),
            error_style: style(
                wants_color(anstream::AutoStream::choice(&stderr)),
                width(stderr.is_terminal()),
            ),
            failed: None,
        }
    }

    /// Prints to stdout with `write`; what goes wrong is told at the end.
    pub(super) fn print(
        &mut self,
        write: impl FnOnce(&mut dyn Write, Format, &Style) -> io::Result<()>,
    ) {
        let mut stdout = io::stdout().lock();
        let written = write(&mut stdout, self.format, &self.style).and_then(|()| stdout.flush());
        self.failed = written.err();
    }

    /// Prints remarks to stderr, where data goes to stdout.
    pub(super) fn notes(&self, notes: &[String]) {
        if !self.error_style.quiet {
            // There is nowhere left to tell that stderr cannot be written.
            let _ = write_notes(notes, &mut io::stderr().lock(), &self.error_style);
        }
    }

    /// Prints an error to stderr.
    pub(super) fn error(&self, error: &Error) {
        // There is nowhere left to tell that stderr cannot be written.
        let _ = write_error(error, &mut io::stderr().lock(), &self.error_style);
    }

    /// The exit code, unless the verdict could not be told. A reader that went away has seen what it wanted.
    pub(super) fn finish(self, code: u8) -> ExitCode {
        match &self.failed {
            Some(error) if error.kind() != ErrorKind::BrokenPipe => {
                self.error(&Error::new(format!(
                    "the report cannot be written: {error}"
                )));
                ExitCode::from(CANNOT_JUDGE)
            }
            _ => ExitCode::from(code),
        }
    }
}
