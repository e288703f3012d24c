//! Where a machine-readable report shows a finding, and what identifies it in the next one.
//!
//! Review tools need a line that exists in the result. Findings on deleted files, impossible names or documents are
//! placed in the design or, without one, in `guard.toml`.

use std::collections::{HashMap, HashSet};

use gix::ObjectId;
use gix::bstr::{BStr, BString, ByteSlice};

use write_guard_policy::finding::{Finding, Rule};
use write_guard_policy::scope::settings;
use write_guard_policy::sha256::sha256;
use write_guard_policy::verdict::Verdict;

/// A line in a file of the result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ReportPlace {
    /// The path in the repository.
    pub path: BString,
    /// The line, from 1.
    pub line: usize,
}

impl ReportPlace {
    pub(super) fn top(path: BString) -> ReportPlace {
        ReportPlace { path, line: 1 }
    }
}

/// Chooses the place of each finding: the changed file, else its line in the design, or a substitute.
pub(super) fn places(verdict: &Verdict) -> impl Fn(&Finding) -> ReportPlace + '_ {
    let changes = verdict.changes.iter();
    let exist = changes.filter(|change| change.action != "delete");
    let exist: HashSet<_> = exist.map(|change| &change.path).collect();
    let mut designs = verdict.designs.iter().map(|design| &design.path);
    let design = designs.find(|path| is_plain(path.as_bstr())).cloned();
    let substitute = design.unwrap_or_else(|| settings::FILE.into());
    move |finding| {
        if let Some(path) = &finding.path
            && !is_about_document(finding.rule)
            && is_plain(path.as_bstr())
            && exist.contains(path)
        {
            return ReportPlace::top(path.clone());
        }
        match &finding.design {
            Some(anchor) if is_plain(anchor.path.as_bstr()) => ReportPlace {
                path: anchor.path.clone(),
                line: anchor.line.max(1),
            },
            _ => ReportPlace::top(substitute.clone()),
        }
    }
}

/// Whether the path is valid on every system: UTF-8, with components that are neither empty nor dots.
fn is_plain(path: &BStr) -> bool {
    path.is_utf8()
        && path
            .split_str("/")
            .all(|segment| !matches!(segment, b"" | b"." | b".."))
}

fn is_about_document(rule: Rule) -> bool {
    rule.is_about_design() || matches!(rule, Rule::ScopeAmended | Rule::RowUntouched)
}

/// A distinct hash per finding, in the given order, which identifies the same finding across runs.
///
/// It covers the rule, the path and the document, or without a path the message, because lines and figures change
/// between runs. Equal ones are numbered. SHA-256 prevents names crafted to make a viewer confuse two findings.
pub(super) fn hashes(findings: &[&Finding]) -> Vec<ObjectId> {
    let mut seen: HashMap<ObjectId, usize> = HashMap::new();
    findings
        .iter()
        .map(|finding| {
            let mut key = key(finding);
            let count = seen.entry(sha256(&key)).or_default();
            key.extend_from_slice(count.to_string().as_bytes());
            *count += 1;
            sha256(&key)
        })
        .collect()
}

/// NUL cannot be part of a path, a rule or a message.
fn key(finding: &Finding) -> Vec<u8> {
    let none = BString::default();
    let document = finding.design.as_ref().map_or(&none, |at| &at.path);
    let path = finding.path.as_ref().unwrap_or(&none);
    let message = match finding.path {
        Some(_) if !finding.rule.is_about_design() => "",
        _ => finding.message.as_str(),
    };
    [
        finding.rule.id().as_bytes(),
        path,
        document,
        message.as_bytes(),
        b"",
    ]
    .join(&0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use write_guard_policy::finding::Rule;

    fn finding(rule: Rule, path: &str, message: &str) -> Finding {
        Finding::new(rule, path, message)
    }

    #[test]
    fn a_finding_keeps_its_hash_when_its_figures_change() {
        let before = finding(Rule::DestructiveChange, "a", "would lose 60 of 120 lines");
        let after = finding(Rule::DestructiveChange, "a", "would lose 61 of 121 lines");
        assert_eq!(hashes(&[&before]), hashes(&[&after]));
    }

    #[test]
    fn rule_path_document_and_count_make_the_difference() {
        let one = finding(Rule::OutOfScope, "a", "m");
        let other_rule = finding(Rule::UnsafePath, "a", "m");
        let other_path = finding(Rule::OutOfScope, "b", "m");
        let mut all = hashes(&[&one, &one, &other_rule, &other_path]);
        all.sort();
        all.dedup();
        assert_eq!(all.len(), 4);
    }

    #[test]
    fn rows_of_a_document_differ_by_their_message() {
        let one = finding(Rule::DesignBadRow, "d.md", "`a b` holds a blank");
        let two = finding(Rule::DesignBadRow, "d.md", "`c d` holds a blank");
        assert_ne!(hashes(&[&one]), hashes(&[&two]));
    }
}
