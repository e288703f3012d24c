//! Prints errors on stderr, for people.

use std::io;

use annotate_snippets::renderer::{DEFAULT_ERROR_STYLE, DEFAULT_HELP_STYLE};

use super::escape;
use super::escape::message;
use super::help::help_blocks;
use super::human::{findings, notes, report};
use super::style::{Style, paint};
use crate::error::Error;
use crate::verdict::Verdict;

/// The width of `  help: `.
const HELP_INDENT: &str = "        ";

/// Writes notes, one per line.
///
/// # Errors
///
/// Those of `out`.
pub fn write_notes(lines: &[String], out: &mut dyn io::Write, style: &Style) -> io::Result<()> {
    out.write_all(escape::commands(notes(lines, style)).as_bytes())
}

/// Writes the error with the faults behind it and its help.
///
/// # Errors
///
/// Those of `out`.
pub fn write_error(error: &Error, out: &mut dyn io::Write, style: &Style) -> io::Result<()> {
    out.write_all(text(error, style).as_bytes())
}

/// The report for people: the error if there is one, else the verdict.
pub(super) fn or_report(verdict: &Verdict, failure: Option<&Error>, style: &Style) -> String {
    match failure {
        Some(error) => text(error, style),
        None => report(verdict, style),
    }
}

pub(super) fn text(error: &Error, style: &Style) -> String {
    let mut text = findings(&error.problems, &[], &error.texts, style);
    let label = format!("guard: {}", paint(DEFAULT_ERROR_STYLE, "error", style));
    let mut lines = error.message.lines();
    text.push_str(&format!(
        "{label}: {}\n",
        message(lines.next().unwrap_or_default())
    ));
    for line in lines {
        text.push_str(&format!("       {}\n", escape::text(line)));
    }
    let width = style.width.saturating_sub(HELP_INDENT.len());
    for help in help_blocks(&error.help, width) {
        let label = paint(DEFAULT_HELP_STYLE, "help", style);
        let help = help.replace('\n', &format!("\n{HELP_INDENT}"));
        text.push_str(&format!("  {label}: {help}\n"));
    }
    escape::commands(text)
}
