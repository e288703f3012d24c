//! What a model reads about a denial: what is wrong, what to do next, and what will not help.

use std::fmt::Write;

use crate::files::{Failure, FailureKind};
use crate::finding::Help;
use crate::path::escaped;

/// About how many bytes a model reads with attention.
const LENGTH: usize = 600;

/// A failure after a verdict, with its rule and the closest path.
pub(crate) fn told(verdict: &str, failure: &Failure) -> String {
    let mut text = format!("{verdict}: {}", failure.message);
    if let Some(finding) = &failure.finding {
        let _ = write!(text, " [{}]", finding.rule.id());
        if let Some(closest) = &finding.closest {
            let _ = write!(text, "\nClosest path in the design: {}", escaped(closest));
            if let Some((path, line)) = finding.design_line() {
                let _ = write!(text, " ({}:{line})", escaped(path));
            }
        }
    }
    text
}

/// The reason for a denial of a tool.
pub(crate) fn of(tool: &str, changes_files: bool, failure: &Failure) -> String {
    let tool = escaped(tool);
    let verdict = match (failure.kind, failure.kind.exit_code()) {
        (FailureKind::Held, _) => format!("guard: {tool} waits for approval"),
        (_, 1) => format!("guard refused {tool}"),
        _ => format!("guard could not check {tool}"),
    };
    let mut text = told(&verdict, failure);
    let wants_row = failure.help.iter().any(Help::is_row);
    let end = match (failure.kind, changes_files) {
        (FailureKind::Refused, true) if wants_row => {
            "Nothing was written. Ask the user before you add the row. Until it is committed, guard refuses another try or another tool, too."
        }
        (FailureKind::Held, _) => {
            "If it is approved, guard writes it: read the file again instead of repeating the call."
        }
        (FailureKind::Refused, true) => {
            "Nothing was written. guard refuses another try or another tool for this change, too."
        }
        (_, true) => "Nothing was written.",
        (_, false) => "Nothing was read.",
    };
    for help in &failure.help {
        if text.len() + help.len() + end.len() > LENGTH {
            break;
        }
        let _ = write!(text, "\n{}", help.trim_end());
    }
    text.push('\n');
    text.push_str(end);
    text
}
