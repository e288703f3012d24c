//! GitHub's workflow commands: annotations at lines of the pull request.
//!
//! The log also contains the report for people, between two lines that turn command processing off and on, so names
//! in it cannot be commands. The token that ends the block is a hash of the block, so nothing in the block can
//! contain it.
//!
//! GitHub shows ten annotations per level and step; the log has all.

use super::human;
use super::place::{ReportPlace, places};
use super::target::Style;
use super::texts::{self, RunResult, cannot_judge, in_full, ordered};
use write_guard_policy::finding::{Finding, Level};
use write_guard_policy::path::escaped;
use write_guard_policy::sha256::sha256;

pub(super) fn report(run: RunResult<'_>, style: &Style) -> String {
    let RunResult { verdict, failure } = run;
    let text = human::report(run, style);
    let token = sha256(text.as_bytes());
    let mut out = format!("::stop-commands::{token}\n{text}::{token}::\n");
    if let Some(error) = failure {
        let title = property("guard could not check");
        let message = data(&cannot_judge(error));
        out.push_str(&format!("::error title={title}::{message}\n"));
    }
    let place = places(verdict);
    for finding in ordered(&verdict.findings) {
        if !style.quiet || finding.level == Level::Error {
            out.push_str(&annotation(&place(finding), finding));
        }
    }
    out
}

fn annotation(place: &ReportPlace, finding: &Finding) -> String {
    let command = match finding.level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Note => "notice",
    };
    let file = property(&escaped(&place.path).to_string());
    let title = property(&format!("guard: {}", finding.rule.id()));
    let message = data(&in_full(finding));
    let line = place.line;
    format!("::{command} file={file},line={line},title={title}::{message}\n")
}

/// Escapes the text after the second `::`.
fn data(text: &str) -> String {
    let text = text
        .replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A");
    // Azure and TeamCity accept commands anywhere in a line.
    texts::brackets(text)
}

/// Escapes the value of a property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
