//! Findings to bytes: one file a format.
//!
//! A [`Report`] knows no format, no terminal and no environment: the caller
//! fills it in, chooses a [`Format`] and a [`Style`], and gets bytes. Nothing
//! here decides a verdict beyond counting levels.

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
mod place;
mod prompt;
mod recognise;
mod sarif;
mod schema;
mod scope;
mod settings;
mod snippet;

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io::{self, Write as _};

use gix::bstr::BString;
use serde::Serialize;

pub use check::{CheckReport, CheckResult};
pub use error::{write_error, write_notes};
pub use explain::{Topic, write_topic};
pub(crate) use json::document;
pub use prompt::PromptReport;
pub(crate) use recognise::{RECOGNISED_FROM, is_report};
pub use schema::schema;
pub use scope::{Mention, ScopeGrant, ScopeReport};
pub use settings::{ChosenDesigns, SettingsReport};

use crate::error::Error;
use crate::finding::{Finding, Level};
use crate::path::show;

/// The texts of the documents that findings point into, by repository-relative path.
pub type Texts = BTreeMap<BString, String>;

/// Bytes that are written at a time.
const BUFFER: usize = 64 * 1024;

/// What one run judged and what it found.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// Where the changes came from.
    pub source: Source,
    /// The designs whose grants were in force.
    pub designs: Vec<DesignUsed>,
    /// What was found, in any order.
    pub findings: Vec<Finding>,
    /// Every change that was judged, in any order.
    pub changes: Vec<ChangeLine>,
    /// Remarks on how the run came to judge what it judged, one sentence each,
    /// such as a design that was read from the work tree.
    pub notes: Vec<String>,
    /// The documents to quote; a finding whose document is missing here is
    /// shown with its place only.
    pub texts: Texts,
}

/// Where changes come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SourceKind {
    /// The index against its parents.
    #[default]
    Index,
    /// Commits, against a merge base.
    Range,
    /// The work tree against the parents of the next commit, as if everything in it were added.
    WorkTree,
    /// One operation that was asked for.
    Request,
}

impl SourceKind {
    /// The word used in JSON: `index`, `range`, `worktree`, `request`.
    pub fn name(self) -> &'static str {
        match self {
            SourceKind::Index => "index",
            SourceKind::Range => "range",
            SourceKind::WorkTree => "worktree",
            SourceKind::Request => "request",
        }
    }
}

/// What was judged, and against what.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Source {
    /// Where the changes came from.
    pub kind: SourceKind,
    /// The commit judged against, in hexadecimal; `None` where there is none yet.
    pub base: Option<String>,
    /// The last commit of a range, in hexadecimal.
    pub head: Option<String>,
    /// The branch; `None` if detached.
    pub branch: Option<BString>,
}

/// A design whose grants were in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DesignUsed {
    /// Repository-relative path.
    pub path: BString,
    /// The version read: `HEAD`, `work tree` or a commit in hexadecimal.
    pub from: String,
    /// What chose it, such as `--lld` or `branch name`.
    pub selected_by: String,
    /// How many grants it holds.
    pub grants: usize,
}

/// One change as it was measured.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ChangeLine {
    /// The path.
    pub path: BString,
    /// The old path if the change is the new end of a rename.
    pub from: Option<BString>,
    /// `add`, `modify`, `delete`, `type-change`.
    pub action: &'static str,
    /// `NEW`, `MODIFY`, `REPLACE`, `DELETE`.
    pub class: &'static str,
    /// Lines before; `None` where lines mean nothing (no old version, binary, submodule).
    pub original_lines: Option<usize>,
    /// Lines after; `None` as above.
    pub new_lines: Option<usize>,
    /// The share of the old lines that is lost, 0 to 1; `None` as above.
    pub lost_share: Option<f64>,
    /// Whether an approval covers exactly this change.
    pub approved: bool,
    /// The unified preview, for people.
    pub preview: Option<String>,
    /// The content that would be lost, for people.
    pub deleted: Option<String>,
}

/// The answer of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// No finding at level error.
    Accepted,
    /// At least one.
    Refused,
}

impl Verdict {
    /// The word used in every format: `accepted`, `refused`.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Accepted => "accepted",
            Verdict::Refused => "refused",
        }
    }
}

/// How many of what.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Counts {
    /// Findings that refuse.
    pub errors: usize,
    /// Findings worth a look.
    pub warnings: usize,
    /// Findings for information.
    pub notes: usize,
    /// Changes judged.
    pub changes: usize,
    /// Changes that an approval covers.
    pub approved: usize,
}

/// The formats a report can be written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// For people, drawn as rustc draws its diagnostics.
    Human,
    /// The JSON interface: indented, one document, a line feed at the end.
    Json,
    /// JSON Lines: one finding a line, then the summary.
    Jsonl,
    /// SARIF 2.1.0, as GitHub's code scanning wants it.
    Sarif,
    /// GitHub's workflow commands, around the report for people.
    Github,
    /// GitLab's Code Quality report.
    Gitlab,
    /// JUnit's XML.
    Junit,
    /// Markdown for a comment or a job's summary.
    Markdown,
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

    /// The word used on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Format::Human => "human",
            Format::Json => "json",
            Format::Jsonl => "jsonl",
            Format::Sarif => "sarif",
            Format::Github => "github",
            Format::Gitlab => "gitlab",
            Format::Junit => "junit",
            Format::Markdown => "markdown",
        }
    }

    /// The error of a report that has no such format.
    pub(crate) fn not_here(self, verb: &str) -> io::Error {
        let name = self.name();
        let message = format!("{verb} has no format {name}, only human and json");
        io::Error::new(io::ErrorKind::Unsupported, message)
    }
}

/// How [`Format::Human`], and the part for people of [`Format::Github`], is
/// drawn; the other formats do not look at it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Style {
    /// Whether to write ANSI colours.
    pub color: bool,
    /// Columns of the terminal; quoted lines are trimmed to it.
    pub width: usize,
    /// Only findings at level error, no notes and no summary.
    pub quiet: bool,
    /// The current directory below the workspace root. The `-->` lines are
    /// written relative to it, so that terminals and editors can open them;
    /// all other paths stay relative to the workspace.
    pub prefix: Option<BString>,
}

impl Default for Style {
    /// Plain, 80 columns.
    fn default() -> Self {
        Style {
            color: false,
            width: 80,
            quiet: false,
            prefix: None,
        }
    }
}

impl Report {
    /// Refused if anything was found at level error.
    pub fn verdict(&self) -> Verdict {
        if self.counts().errors > 0 {
            Verdict::Refused
        } else {
            Verdict::Accepted
        }
    }

    /// The figures of the summary.
    pub fn counts(&self) -> Counts {
        let at = |level| self.findings.iter().filter(|f| f.level == level).count();
        Counts {
            errors: at(Level::Error),
            warnings: at(Level::Warning),
            notes: at(Level::Note),
            changes: self.changes.len(),
            approved: self.changes.iter().filter(|c| c.approved).count(),
        }
    }

    /// 0 for accepted, 1 for refused. A run that could not judge has no
    /// report and exits 2; that is the caller's.
    pub fn exit_code(&self) -> u8 {
        match self.verdict() {
            Verdict::Accepted => 0,
            Verdict::Refused => 1,
        }
    }

    /// Writes the report, one finding after the other.
    ///
    /// # Errors
    ///
    /// Those of `out`.
    pub fn write(&self, format: Format, out: &mut dyn io::Write, style: &Style) -> io::Result<()> {
        write(self, None, format, out, style)
    }

    /// The changes in the order in which every format lists them: by path.
    fn ordered_changes(&self) -> Vec<&ChangeLine> {
        let mut changes: Vec<_> = self.changes.iter().collect();
        changes.sort_by(|a, b| (&a.path, a.action).cmp(&(&b.path, b.action)));
        changes
    }
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
    let report = Report {
        findings: error.problems.clone(),
        texts: error.texts.clone(),
        ..Report::default()
    };
    write(&report, Some(error), format, out, style)
}

/// Writes a report, or the faults behind `failure`. What people read is short, and is made in one piece; the formats
/// that list everything write each finding as they make it.
fn write(
    report: &Report,
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
                None => human::report(report, style),
            };
            out.write_all(text.as_bytes())?;
        }
        Format::Json => match failure {
            Some(error) => json::failure(error, &mut out)?,
            None => json::report(report, &mut out)?,
        },
        Format::Jsonl => jsonl::report(report, failure, &mut out)?,
        Format::Sarif => sarif::report(report, failure, &mut out)?,
        Format::Github => out.write_all(github::report(report, failure, style)?.as_bytes())?,
        Format::Gitlab => gitlab::report(report, failure, &mut out)?,
        Format::Junit => junit::report(report, failure, &mut out)?,
        Format::Markdown => out.write_all(markdown::report(report, failure).as_bytes())?,
    }
    out.flush()
}

/// The finding in one sentence that names its path.
fn sentence(finding: &Finding) -> String {
    let message = escape::message(&finding.message);
    match &finding.path {
        Some(path) => {
            let path = show(path).to_string();
            if message.contains(&path) {
                message
            } else {
                format!("{path}: {message}")
            }
        }
        None => message,
    }
}

/// The next steps, one a line, safe to show.
fn advice(finding: &Finding) -> Vec<String> {
    finding
        .help
        .iter()
        .map(|line| escape::message(line))
        .collect()
}

/// Why there is no verdict and what to do, in one line.
fn cannot_judge(error: &Error) -> String {
    let lines: Vec<_> = [&error.message]
        .into_iter()
        .chain(&error.help)
        .flat_map(|text| text.lines())
        .map(escape::message)
        .collect();
    format!("guard could not judge: {}", lines.join("; "))
}

/// The order in which every format lists findings: the most serious first,
/// then by commit, path, rule and place.
fn ordered(findings: &[Finding]) -> Vec<&Finding> {
    fn key(f: &Finding) -> impl Ord + '_ {
        let place = f.design.as_ref().map(|at| (&at.path, at.span.start));
        (
            Reverse(f.level),
            f.commit,
            &f.path,
            f.rule,
            place,
            &f.message,
        )
    }
    let mut findings: Vec<_> = findings.iter().collect();
    findings.sort_by(|a, b| key(a).cmp(&key(b)));
    findings
}

#[cfg(test)]
mod tests;
