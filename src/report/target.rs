//! Where a report goes, in which format, and what it looks like there.

use std::io;

use annotate_snippets::renderer::DEFAULT_EMPHASIS_STYLE;
use gix::bstr::BString;
use serde::Serialize;

use super::{json, texts};

use write_guard_policy::named;

named! {
    /// The report formats.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum Format {
        /// For people, drawn like rustc diagnostics.
        Human = "human",
        /// One line per finding, for editors: `path:line:column: level[rule]: message`.
        Short = "short",
        /// The JSON interface: one indented document.
        Json = "json",
        /// SARIF 2.1.0, as required by GitHub's code scanning.
        Sarif = "sarif",
        /// GitHub's workflow commands, with the report for people.
        Github = "github",
        /// The missing rows as suggestions, for one call of GitHub's API.
        GithubReview = "github-review",
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

    /// Whether the format is for standard output only: guard could not tell such a file from another text.
    pub(crate) fn is_never_a_file(self) -> bool {
        self == Format::Short
    }

    /// Whether the format is for files only: nobody reads a page on a terminal.
    pub(crate) fn is_for_files(self) -> bool {
        self == Format::Html
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
        if self.color {
            format!("{color}{text}{color:#}")
        } else {
            text.to_owned()
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
    /// Writes what has a form for people and one for programs. Nothing in the former is a command to a CI system.
    ///
    /// # Errors
    ///
    /// Those of `out`.
    pub(crate) fn answer<J: Serialize>(
        self,
        human: impl FnOnce(&Style) -> String,
        json: impl FnOnce() -> J,
    ) -> io::Result<()> {
        if self.format != Format::Human {
            return json::write_document(&json(), self.out);
        }
        let text = texts::commands(human(self.style));
        self.out.write_all(text.as_bytes())
    }
}
