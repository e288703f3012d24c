//! What several formats share: the order of findings, sentences, and paths in addresses.

use std::cmp::Reverse;
use std::fmt::Write as _;

use gix::bstr::BStr;

use super::escape;
use crate::error::Error;
use crate::finding::{Anchor, Finding};
use crate::path::escaped;
use crate::verdict::Verdict;

/// What a run of guard found.
#[derive(Clone, Copy)]
pub(super) struct RunResult<'a> {
    /// The verdict, or the faults behind the failure.
    pub(super) verdict: &'a Verdict,
    /// Why there is no verdict.
    pub(super) failure: Option<&'a Error>,
}

/// The finding in one sentence that names its path.
pub(super) fn sentence(finding: &Finding) -> String {
    let message = escape::message(&finding.message);
    let path = finding.path.as_ref().map(|path| escaped(path).to_string());
    match path.filter(|path| !message.contains(path)) {
        Some(path) => format!("{path}: {message}"),
        None => message,
    }
}

/// The next steps, one per line, safe to show.
pub(super) fn advice(finding: &Finding) -> Vec<String> {
    let lines = finding.help.iter();
    lines.map(|line| escape::message(line)).collect()
}

/// Why there is no verdict, and what to do, in one line.
pub(super) fn cannot_judge(error: &Error) -> String {
    let lines: Vec<_> = std::iter::once(error.message.as_str())
        .chain(error.help.iter().map(|line| &**line))
        .flat_map(|text| text.lines())
        .map(escape::message)
        .collect();
    format!("guard could not check: {}", lines.join("; "))
}

/// The sentence and the advice of a finding, each on a line of its own.
pub(super) fn in_full(finding: &Finding) -> String {
    let lines: Vec<_> = std::iter::once(sentence(finding))
        .chain(advice(finding))
        .collect();
    lines.join("\n")
}

/// The order of findings in every format: most severe first, then by commit, path, rule and place.
pub(super) fn ordered(findings: &[Finding]) -> Vec<&Finding> {
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

/// `design:line`.
pub(super) fn place(anchor: &Anchor) -> String {
    format!("{}:{}", escaped(&anchor.path), anchor.line)
}

/// `1 change`, `2 changes`.
pub(crate) fn plural(count: usize, word: &str) -> String {
    let s = if count == 1 { "" } else { "s" };
    format!("{count} {word}{s}")
}

/// The counts that are not zero, such as `1 error, 2 notes`.
pub(super) fn remarks(counts: &[(usize, &str)]) -> String {
    let there = counts.iter().filter(|(count, _)| *count > 0);
    let words: Vec<_> = there.map(|(count, word)| plural(*count, word)).collect();
    words.join(", ")
}

/// The path as a relative reference (RFC 3986), percent-encoded except for unreserved characters and `/`.
pub(crate) fn uri(path: &BStr) -> String {
    let mut out = String::with_capacity(path.len());
    for &byte in path.iter() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                out.push(char::from(byte));
            }
            _ => {
                // Writing to a string cannot fail.
                let _ = write!(out, "%{byte:02X}");
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_becomes_a_relative_reference() {
        assert_eq!(uri("src/a b%[é].rs".into()), "src/a%20b%25%5B%C3%A9%5D.rs");
        assert_eq!(uri("c:/x?y#z".into()), "c%3A/x%3Fy%23z");
    }
}
