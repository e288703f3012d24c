//! The order of findings.

use std::cmp::Reverse;

use crate::finding::Finding;

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
