//! Asks a person about a change, with quotes from it.

use std::fmt::Write as _;

use super::files::extension_lines;
use super::person::Person;
use crate::gate::{Answer, Question};
use crate::path::escaped;
use crate::report::{Style, painted};

/// The prefix of quoted content, which distinguishes it from guard's own words.
pub(super) const GUTTER: &str = "  | ";

/// Asks about one held or destructive change.
pub(super) fn ask(person: &mut Person, question: &Question, style: &Style) -> Answer {
    let mut text = String::new();
    if let Some(problem) = &question.problem {
        let help = problem
            .help
            .iter()
            .map(|line| &**line)
            .collect::<Vec<_>>()
            .join("; ");
        let _ = writeln!(text, "\nguard: {}: {help}", problem.message);
    }
    let analysis = &question.analysis;
    // Writing to a string cannot fail.
    let _ = match (&question.finding, question.strategy) {
        (Some(finding), _) => writeln!(text, "guard: {}", finding.message),
        (None, Some(way)) => writeln!(
            text,
            "guard: with {}, {} loses nothing that needs approval",
            way.name(),
            escaped(&analysis.path)
        ),
        (None, None) => Ok(()),
    };
    for line in question.extension.iter().flat_map(extension_lines) {
        let _ = writeln!(text, "{line}");
    }
    push_quoted(
        &mut text,
        "The change",
        Some(&painted(&analysis.diff_preview, style)),
    );
    push_quoted(
        &mut text,
        "What would be lost",
        analysis.deleted_content.as_deref(),
    );
    let mut whole = String::new();
    push_quoted(
        &mut whole,
        "The change",
        Some(&painted(&question.whole, style)),
    );
    person.ask(&text, &whole, &question.word, &question.others)
}

pub(super) fn push_quoted(text: &mut String, title: &str, quoted: Option<&str>) {
    let quoted = quoted.unwrap_or_default();
    if quoted.is_empty() {
        return;
    }
    text.push_str(&format!("\n{title}:\n"));
    for line in quoted.lines() {
        text.push_str(&format!("{GUTTER}{line}\n"));
    }
}
