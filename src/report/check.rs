//! The report of `guard check`: may this path be written?

use std::io;

use annotate_snippets::renderer::{DEFAULT_ERROR_STYLE, DEFAULT_NOTE_STYLE};
use gix::bstr::{BString, ByteSlice};
use serde::Serialize;

use super::escape::message;
use super::human::paint;
use super::json::{document, path};
use super::scope::place;
use super::{Format, Style, escape};
use crate::finding::{Anchor, Rule};
use crate::path::show;

/// The answers, in the order in which they were asked for.
#[derive(Debug, Clone, Default)]
pub struct CheckReport {
    /// One a path.
    pub results: Vec<CheckResult>,
    /// Remarks on how the answers came about.
    pub notes: Vec<String>,
}

/// The answer for one path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckResult {
    /// The path as it was asked for.
    pub requested_path: BString,
    /// What it resolves to, relative to the workspace; `None` where it leaves it.
    pub path: Option<BString>,
    /// Whether it may be written.
    pub allowed: bool,
    /// The closest path that would be allowed; only where `allowed` is false.
    pub closest_match: Option<BString>,
    /// Why, in one sentence without a final full stop; names in it are escaped.
    pub reason: String,
    /// The rule that refuses.
    pub rule: Option<Rule>,
    /// The design's line that grants the path, or that the refusal refers to.
    pub design: Option<Anchor>,
}

#[derive(Serialize)]
struct CheckJson<'a> {
    version: u32,
    results: Vec<ResultJson<'a>>,
    notes: &'a [String],
}

#[derive(Serialize)]
struct ResultJson<'a> {
    requested_path: String,
    path: Option<String>,
    allowed: bool,
    closest_match: Option<String>,
    reason: &'a str,
    rule: Option<&'static str>,
}

impl CheckReport {
    /// 1 if any path is refused, else 0.
    pub fn exit_code(&self) -> u8 {
        u8::from(self.results.iter().any(|result| !result.allowed))
    }

    /// Writes the report in one piece; quiet leaves out what is allowed.
    ///
    /// # Errors
    ///
    /// Those of `out`, and `Unsupported` for a format that is neither human nor JSON.
    pub fn write(&self, format: Format, out: &mut dyn io::Write, style: &Style) -> io::Result<()> {
        let text = match format {
            Format::Human => self
                .results
                .iter()
                .filter(|result| !(style.quiet && result.allowed))
                .map(|result| escape::commands(human(result, style)))
                .collect(),
            Format::Json => self.json()?,
            other => return Err(other.not_here("guard check")),
        };
        out.write_all(text.as_bytes())
    }

    fn json(&self) -> io::Result<String> {
        document(&CheckJson {
            version: 1,
            results: self
                .results
                .iter()
                .map(|result| ResultJson {
                    requested_path: path(result.requested_path.as_bstr()),
                    path: result.path.as_ref().map(|p| path(p.as_bstr())),
                    allowed: result.allowed,
                    closest_match: result.closest_match.as_ref().map(|p| path(p.as_bstr())),
                    reason: &result.reason,
                    rule: result.rule.map(Rule::id),
                })
                .collect(),
            notes: &self.notes,
        })
    }
}

fn human(result: &CheckResult, style: &Style) -> String {
    let asked = show(&result.requested_path).to_string();
    let resolved = match &result.path {
        Some(path) if *path != result.requested_path => {
            format!(" = {}", show(path))
        }
        _ => String::new(),
    };
    let place = match &result.design {
        Some(at) => format!(" ({})", place(&at.path, at.line)),
        None => String::new(),
    };
    if result.allowed {
        let word = paint(DEFAULT_NOTE_STYLE, "allowed", style);
        return format!("{word} {asked}{resolved}{place}\n");
    }
    let word = paint(DEFAULT_ERROR_STYLE, "refused", style);
    let reason = message(&result.reason);
    let closest = match &result.closest_match {
        Some(path) => format!("; closest: {}", show(path)),
        None => String::new(),
    };
    let rule = match result.rule {
        Some(rule) => format!(" [{}]", rule.id()),
        None => String::new(),
    };
    format!("{word} {asked}{resolved}: {reason}{closest}{place}{rule}\n")
}
