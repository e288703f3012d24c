//! Writes results: one file per format. The caller chooses a [`Target`].

mod check;
mod diagnostic;
mod explain;
mod github;
mod gitlab;
mod html;
mod human;
mod json;
mod junit;
mod markdown;
mod place;
mod preview;
mod sarif;
mod scope;
mod settings;
mod status;
mod texts;
mod trial;

use std::io::{self, Write as _};

use annotate_snippets::renderer::DEFAULT_EMPHASIS_STYLE;
use gix::bstr::BString;
use serde::Serialize;

pub use check::{write_check, write_check_end, write_check_error, write_check_result};
pub use explain::{Topic, write_topic};
pub(crate) use human::summary;
pub use human::{write_error, write_notes};
pub(crate) use json::document;
pub(crate) use preview::{gutter, painted, push_change};
pub use scope::{prompt_text, write_prompt, write_scope, write_scope_check};
pub use settings::{schema, settings_reference, write_settings};
pub use status::write_status;
pub(crate) use texts::{plural, uri};
pub(crate) use trial::write_trial;

use crate::error::Error;
use crate::finding::{Level, Rule};
use crate::verdict::Verdict;
use texts::RunResult;

/// Writes a verdict, one finding after the other.
///
/// # Errors
///
/// Those of `out`.
pub fn write(verdict: &Verdict, to: Target<'_>) -> io::Result<()> {
    let failure = None;
    write_run(RunResult { verdict, failure }, to)
}

/// Writes that guard could not check, in a form that readers of the format cannot mistake for a verdict.
///
/// # Errors
///
/// Those of `out`.
pub fn write_failure(error: &Error, to: Target<'_>) -> io::Result<()> {
    let verdict = &Verdict {
        findings: error.problems.clone(),
        texts: error.texts.clone(),
        ..Verdict::default()
    };
    let failure = Some(error);
    write_run(RunResult { verdict, failure }, to)
}

/// Reports for people are written in one piece; the formats that list everything write each finding as they make it.
fn write_run(run: RunResult<'_>, to: Target<'_>) -> io::Result<()> {
    let mut out = io::BufWriter::with_capacity(BUFFER, to.out);
    match to.format {
        Format::Json => json::report(run, &mut out)?,
        Format::Jsonl => json::lines(run, &mut out)?,
        Format::Sarif => sarif::report(run, &mut out)?,
        Format::Gitlab => gitlab::report(run, &mut out)?,
        Format::Junit => junit::report(run, &mut out)?,
        Format::Human => out.write_all(human::report(run, to.style).as_bytes())?,
        Format::Github => out.write_all(github::report(run, to.style).as_bytes())?,
        Format::Markdown => out.write_all(markdown::report(run).as_bytes())?,
        Format::Html => out.write_all(html::report(run).as_bytes())?,
    }
    out.flush()
}

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
        let mut all = Format::ALL.iter().copied();
        all.find(|format| format.name() == name)
    }
}

/// The appearance of [`Format::Human`] and of the part for people in [`Format::Github`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Style {
    /// Whether to write ANSI colours.
    pub color: bool,
    /// The width of the terminal; quoted lines are cut to it.
    pub width: usize,
    /// Whether to print only errors, without notes and summary.
    pub quiet: bool,
    /// The current directory below the workspace root. The `-->` lines are relative to it, so that terminals and
    /// editors can open them; all other paths are relative to the workspace.
    pub prefix: Option<BString>,
}

impl Default for Style {
    /// No colours, 80 columns.
    fn default() -> Self {
        Style {
            color: false,
            width: 80,
            quiet: false,
            prefix: None,
        }
    }
}

impl Style {
    /// `text` in a colour, if colours are on.
    pub(super) fn paint(&self, color: anstyle::Style, text: &str) -> String {
        match self.color {
            true => format!("{color}{text}{color:#}"),
            false => text.to_owned(),
        }
    }

    /// `text` as the title of what follows.
    pub(super) fn title(&self, text: &str) -> String {
        self.paint(DEFAULT_EMPHASIS_STYLE, text)
    }
}

/// The size of the buffer for reports that are written piece by piece.
pub(super) const BUFFER: usize = 64 * 1024;

/// Where one report goes.
pub struct Target<'a> {
    /// The bytes of the report.
    pub out: &'a mut dyn io::Write,
    /// The form of the report.
    pub format: Format,
    /// The appearance of a report for people.
    pub style: &'a Style,
}

impl Target<'_> {
    /// Writes what has a form for people and one for programs, and no other.
    ///
    /// # Errors
    ///
    /// Those of `out`, and `Unsupported` for a format that is neither human nor JSON.
    pub(crate) fn answer<J: Serialize>(
        self,
        human: impl FnOnce(&Style) -> String,
        json: impl FnOnce() -> J,
    ) -> io::Result<()> {
        match self.format {
            Format::Human => self.say(human),
            Format::Json => json::write_document(&json(), self.out),
            other => {
                let message = format!(
                    "--format {} is not supported here (supported: human, json)",
                    other.name()
                );
                Err(io::Error::new(io::ErrorKind::Unsupported, message))
            }
        }
    }

    /// Writes text for people, in which nothing is a command to a CI system.
    pub(super) fn say(self, text: impl FnOnce(&Style) -> String) -> io::Result<()> {
        let text = texts::commands(text(self.style));
        self.out.write_all(text.as_bytes())
    }
}

/// How many bytes of a file to inspect.
pub(crate) const RECOGNISED_FROM: u64 = 64 * 1024;

/// Whether a file that starts with `start` is a guard report in this format.
pub(crate) fn is_report(format: Format, start: &[u8]) -> bool {
    // A character cut at the end is lost alone.
    let text = String::from_utf8_lossy(start);
    let text = text.as_ref();
    let begins = |with: &[&str]| with.iter().any(|with| text.starts_with(with));
    let names_rule = |before: &str, after: &str| {
        let rest = text.split_once(before).map(|(_, rest)| rest);
        let name = rest.and_then(|rest| rest.split_once(after));
        name.is_some_and(|(name, _)| Rule::from_id(name).is_some() || name == "guard")
    };
    match format {
        // A finding, or the first line of lint, check, scope show and scope prompt.
        Format::Human => {
            let mut levels = Level::VARIANTS.iter();
            begins(&["guard: ", "allowed ", "refused ", "granted ("])
                || begins(&["You may change only these files"])
                || levels.any(|level| text.starts_with(level.name())) && names_rule("[", "]: ")
        }
        Format::Json => {
            let keys = [
                "verdict", "error", "results", "designs", "grants", "findings", "target",
            ];
            let first = text.strip_prefix("{\n  \"version\": 1,\n  \"");
            let key = first.and_then(|rest| rest.split_once('"'));
            key.is_some_and(|(key, _)| keys.contains(&key))
        }
        Format::Jsonl => begins(&[
            "{\"type\":\"finding\",\"rule\":",
            "{\"type\":\"result\",\"requested_path\":",
            "{\"type\":\"summary\",\"version\":1,",
            "{\"type\":\"error\",",
        ]),
        Format::Sarif => {
            begins(&["{\n  \"$schema\": \""]) && text.contains("\n          \"name\": \"guard\",")
        }
        Format::Github => begins(&["::stop-commands::"]),
        Format::Gitlab => {
            text.trim_end() == "[]"
                || begins(&["[\n  {\n    \"description\": \""])
                    && names_rule("\n    \"check_name\": \"", "\"")
        }
        Format::Junit => {
            begins(&["<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"guard\" "])
        }
        Format::Markdown => begins(&["### guard: "]),
        Format::Html => begins(&[html::BEGINNING]),
    }
}

#[cfg(test)]
mod tests;
