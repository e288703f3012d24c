//! GitHub's workflow commands: annotations at lines of the pull request.
//!
//! The log also contains the report for people, between two lines that turn command processing off and on, so names
//! in it cannot be commands. The token that ends the block is a hash of the block, so nothing in the block can
//! contain it.
//!
//! GitHub shows ten annotations per level and step and drops others silently, so the tenth says how many more there
//! are.

use super::human;
use super::place::ReportPlaces;
use super::target::Style;
use super::texts;
use super::texts::{RunResult, cannot_judge, in_full, ordered};
use crate::finding::{Finding, Level};
use crate::path::escaped;
use crate::sha256::sha256;

/// The maximum annotations per level.
const MOST: usize = 10;

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
    let places = ReportPlaces::new(verdict);
    let findings = ordered(&verdict.findings);
    for (level, command, plural) in [
        (Level::Error, "error", "errors"),
        (Level::Warning, "warning", "warnings"),
        (Level::Note, "notice", "notes"),
    ] {
        if style.quiet && level != Level::Error {
            continue;
        }
        let of_level: Vec<_> = findings.iter().filter(|f| f.level == level).collect();
        // The failure above counts as one of the errors.
        let most = MOST - usize::from(failure.is_some() && level == Level::Error);
        let shown = match of_level.len() {
            count if count > most => most - 1,
            count => count,
        };
        for finding in &of_level[..shown] {
            out.push_str(&annotation(&places, command, finding));
        }
        let more = of_level.len() - shown;
        if more > 0 {
            out.push_str(&format!(
                "::{command} title=guard::and {more} more {plural}, see the log\n"
            ));
        }
    }
    out
}

fn annotation(places: &ReportPlaces<'_>, command: &str, finding: &Finding) -> String {
    let place = places.place(finding);
    let file = property(&escaped(&place.path).to_string());
    let title = property(&format!("guard: {}", finding.rule.id()));
    let message = data(&in_full(finding));
    let (line, column) = (place.line, place.column);
    format!("::{command} file={file},line={line},col={column},title={title}::{message}\n")
}

/// Escapes the text after the second `::`.
fn data(text: &str) -> String {
    let text = text
        .replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A");
    // Azure and TeamCity accept commands anywhere in a line.
    texts::brackets(text, "\\u{5b}")
}

/// Escapes the value of a property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
