//! Verdicts to bytes: one file per format.
//!
//! Nothing here knows a terminal or the environment: the caller chooses a [`Format`] and a [`Style`].

mod check;
mod error;
mod escape;
mod explain;
mod github;
mod gitlab;
mod help;
mod human;
mod identity;
mod json;
mod jsonl;
mod junit;
mod markdown;
mod order;
mod place;
mod preview;
mod prompt;
mod recognise;
mod reference;
mod sarif;
mod schema;
mod scope;
mod settings;
mod snippet;
mod style;
mod texts;

use std::io::{self, Write as _};

pub use check::write_check;
pub use error::{write_error, write_notes};
pub use explain::{Topic, write_topic};
pub(crate) use json::document;
pub(crate) use preview::painted;
pub use prompt::write_prompt;
pub(crate) use recognise::{RECOGNISED_FROM, is_report};
pub use reference::settings_reference;
pub use schema::schema;
pub use scope::{write_scope, write_scope_check};
pub use settings::write_settings;
pub use style::Style;

use crate::error::Error;
use crate::verdict::Verdict;

/// Bytes that are written at a time.
const BUFFER: usize = 64 * 1024;

named! {
    /// The formats a report can be written in.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    #[non_exhaustive]
pub enum Format {
        /// For people, drawn as rustc draws its diagnostics.
        Human = "human",
        /// The JSON interface: indented, one document, a line feed at the end.
        Json = "json",
        /// JSON Lines: one finding a line, then the summary.
        Jsonl = "jsonl",
        /// SARIF 2.1.0, as GitHub's code scanning wants it.
        Sarif = "sarif",
        /// GitHub's workflow commands, around the report for people.
        Github = "github",
        /// GitLab's Code Quality report.
        Gitlab = "gitlab",
        /// JUnit's XML.
        Junit = "junit",
        /// Markdown for a comment or a job's summary.
        Markdown = "markdown",
    }
}

impl Format {
    /// Every format, in the order in which help lists them.
    pub const ALL: [Format; 8] = [
        Format::Human,
        Format::Json,
        Format::Jsonl,
        Format::Sarif,
        Format::Github,
        Format::Gitlab,
        Format::Junit,
        Format::Markdown,
    ];

    /// The format of this name.
    pub fn from_name(name: &str) -> Option<Format> {
        Format::ALL.into_iter().find(|format| format.name() == name)
    }
}

/// Writes what has a form for people and one for programs, and no other.
///
/// # Errors
///
/// Those of `out`, and `Unsupported` for a format that is neither human nor JSON.
pub(crate) fn write_answer(
    format: Format,
    out: &mut dyn io::Write,
    human: impl FnOnce() -> String,
    json: impl FnOnce() -> serde_json::Value,
) -> io::Result<()> {
    let text = match format {
        Format::Human => escape::commands(human()),
        Format::Json => document(&json())?,
        other => {
            let message = format!(
                "there is no format {} here, only human and json",
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

/// Writes that guard could not judge, in a form that no reader of the format
/// takes for a verdict.
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

/// Writes a verdict, or the faults behind `failure`. What people read is short and is made in one piece; the formats
/// that list everything write each finding as they make it.
fn write_either(
    verdict: &Verdict,
    failure: Option<&Error>,
    format: Format,
    out: &mut dyn io::Write,
    style: &Style,
) -> io::Result<()> {
    let mut out = io::BufWriter::with_capacity(BUFFER, out);
    match format {
        Format::Human => {
            let text = match failure {
                Some(error) => error::text(error, style),
                None => human::report(verdict, style),
            };
            out.write_all(text.as_bytes())?;
        }
        Format::Json => match failure {
            Some(error) => json::failure(error, &mut out)?,
            None => json::report(verdict, &mut out)?,
        },
        Format::Jsonl => jsonl::report(verdict, failure, &mut out)?,
        Format::Sarif => sarif::report(verdict, failure, &mut out)?,
        Format::Github => out.write_all(github::report(verdict, failure, style)?.as_bytes())?,
        Format::Gitlab => gitlab::report(verdict, failure, &mut out)?,
        Format::Junit => junit::report(verdict, failure, &mut out)?,
        Format::Markdown => out.write_all(markdown::report(verdict, failure).as_bytes())?,
    }
    out.flush()
}

#[cfg(test)]
mod tests;
