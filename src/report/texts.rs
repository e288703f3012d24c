//! Sentences that several formats share.

use super::escape;
use crate::error::Error;
use crate::finding::Finding;
use crate::path::escaped;

/// The finding in one sentence that names its path.
pub(super) fn sentence(finding: &Finding) -> String {
    let message = escape::message(&finding.message);
    match &finding.path {
        Some(path) => {
            let path = escaped(path).to_string();
            if message.contains(&path) {
                message
            } else {
                format!("{path}: {message}")
            }
        }
        None => message,
    }
}

/// The next steps, one per line, safe to show.
pub(super) fn advice(finding: &Finding) -> Vec<String> {
    finding
        .help
        .iter()
        .map(|line| escape::message(line))
        .collect()
}

/// Why there is no verdict, and what to do, in one line.
pub(super) fn cannot_judge(error: &Error) -> String {
    let lines: Vec<_> = std::iter::once(error.message.as_str())
        .chain(error.help.iter().map(|line| &**line))
        .flat_map(|text| text.lines())
        .map(escape::message)
        .collect();
    format!("guard could not judge: {}", lines.join("; "))
}

/// The sentence and the advice of a finding, each on a line of its own.
pub(super) fn in_full(finding: &Finding) -> String {
    let lines: Vec<_> = std::iter::once(sentence(finding))
        .chain(advice(finding))
        .collect();
    lines.join("\n")
}
