//! Writes results: one file per format. The caller chooses a [`Format`] and a [`Style`].

mod check;
mod diagnostic;
mod escape;
mod explain;
mod github;
mod gitlab;
mod html;
mod human;
mod identity;
mod json;
mod junit;
mod markdown;
mod place;
mod preview;
mod prompt;
mod recognise;
mod reference;
mod sarif;
mod schema;
mod scope;
mod settings;
mod status;
mod style;
mod texts;
mod trial;

use std::io::{self, Write as _};

use serde::Serialize;

pub use check::{write_check, write_check_end, write_check_error, write_check_result};
pub use explain::{Topic, write_topic};
pub(crate) use human::{plural, summary};
pub use human::{write_error, write_notes};
pub(crate) use json::document;
pub(crate) use preview::{gutter, painted, push_change};
pub use prompt::{prompt_text, write_prompt};
pub(crate) use recognise::{RECOGNISED_FROM, is_report};
pub use reference::settings_reference;
pub use schema::schema;
pub use scope::{write_scope, write_scope_check};
pub use settings::write_settings;
pub use status::write_status;
pub use style::Style;
pub(crate) use texts::uri;
pub(crate) use trial::write_trial;

use crate::error::Error;
use crate::verdict::Verdict;

/// The size of the write buffer.
const BUFFER: usize = 64 * 1024;

named! {
    /// The report formats.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum Format {
        /// For people, drawn like rustc diagnostics.
        Human = "human",
        /// The JSON interface: one indented document.
        Json = "json",
        /// JSON Lines: one finding or answer per line, then the summary.
        Jsonl = "jsonl",
        /// SARIF 2.1.0, as required by GitHub's code scanning.
        Sarif = "sarif",
        /// GitHub's workflow commands, with the report for people.
        Github = "github",
        /// GitLab's Code Quality report.
        Gitlab = "gitlab",
        /// JUnit XML.
        Junit = "junit",
        /// Markdown for a comment or a job summary.
        Markdown = "markdown",
        /// The review page: one HTML file.
        Html = "html",
    }
}

impl Format {
    /// Every format, in the order of the help.
    pub const ALL: &[Format] = Format::VARIANTS;

    /// Whether the format is for files only: nobody reads a page on a terminal.
    pub(crate) fn is_for_files(self) -> bool {
        self == Format::Html
    }

    /// The format with this name.
    pub fn from_name(name: &str) -> Option<Format> {
        Format::ALL
            .iter()
            .copied()
            .find(|format| format.name() == name)
    }
}

/// Writes what has a form for people and one for programs, and no other.
///
/// # Errors
///
/// Those of `out`, and `Unsupported` for a format that is neither human nor JSON.
pub(crate) fn write_answer<J: Serialize>(
    format: Format,
    out: &mut dyn io::Write,
    human: impl FnOnce() -> String,
    json: impl FnOnce() -> J,
) -> io::Result<()> {
    let text = match format {
        Format::Human => escape::commands(human()),
        Format::Json => document(&json())?,
        other => {
            let message = format!(
                "--format {} is not supported here (supported: human, json)",
                other.name()
            );
            return Err(io::Error::new(io::ErrorKind::Unsupported, message));
        }
    };
    out.write_all(text.as_bytes())
}

/// Writes a verdict, one finding after the other.
///
/// # Errors
///
/// Those of `out`.
pub fn write(
    verdict: &Verdict,
    format: Format,
    out: &mut dyn io::Write,
    style: &Style,
) -> io::Result<()> {
    write_either(verdict, None, format, out, style)
}

/// Writes that guard could not check, in a form that readers of the format cannot mistake for a verdict.
///
/// # Errors
///
/// Those of `out`.
pub fn write_failure(
    error: &Error,
    format: Format,
    out: &mut dyn io::Write,
    style: &Style,
) -> io::Result<()> {
    let problems = Verdict {
        findings: error.problems.clone(),
        texts: error.texts.clone(),
        ..Verdict::default()
    };
    write_either(&problems, Some(error), format, out, style)
}

/// Writes a verdict, or the faults behind `failure`. Reports for people are written in one piece; the formats that
/// list everything write each finding as they make it.
fn write_either(
    verdict: &Verdict,
    failure: Option<&Error>,
    format: Format,
    out: &mut dyn io::Write,
    style: &Style,
) -> io::Result<()> {
    let mut out = io::BufWriter::with_capacity(BUFFER, out);
    match format {
        Format::Human => out.write_all(human::or_report(verdict, failure, style).as_bytes())?,
        Format::Json => match failure {
            Some(error) => json::failure(error, &mut out)?,
            None => json::report(verdict, &mut out)?,
        },
        Format::Jsonl => json::lines(verdict, failure, &mut out)?,
        Format::Sarif => sarif::report(verdict, failure, &mut out)?,
        Format::Github => out.write_all(github::report(verdict, failure, style)?.as_bytes())?,
        Format::Gitlab => gitlab::report(verdict, failure, &mut out)?,
        Format::Junit => junit::report(verdict, failure, &mut out)?,
        Format::Markdown => out.write_all(markdown::report(verdict, failure).as_bytes())?,
        Format::Html => out.write_all(html::report(verdict, failure)?.as_bytes())?,
    }
    out.flush()
}

#[cfg(test)]
mod tests;
