//! Identifies the same finding across runs.

use std::collections::HashMap;
use std::io;

use gix::ObjectId;
use gix::bstr::BString;

use crate::finding::Finding;

/// A distinct hash per finding, in the given order.
///
/// It covers the rule, the path and the document, or without a path the message, because lines and figures change
/// between runs. Equal ones are numbered. SHA-256 prevents names crafted to make a viewer confuse two findings.
///
/// # Errors
///
/// None with SHA-256; the hasher's interface has one.
pub(super) fn hashes(findings: &[&Finding]) -> io::Result<Vec<ObjectId>> {
    let mut seen: HashMap<ObjectId, usize> = HashMap::new();
    let mut hashes = Vec::with_capacity(findings.len());
    for finding in findings {
        let mut key = key(finding);
        let count = seen.entry(digest(&key)?).or_default();
        key.extend_from_slice(count.to_string().as_bytes());
        *count += 1;
        hashes.push(digest(&key)?);
    }
    Ok(hashes)
}

/// The SHA-256 in hexadecimal.
pub(super) fn sha256(bytes: &[u8]) -> io::Result<String> {
    digest(bytes).map(|id| id.to_string())
}

fn digest(bytes: &[u8]) -> io::Result<ObjectId> {
    let id = crate::sha256::sha256(bytes);
    id.ok_or_else(|| io::Error::other("no SHA-256"))
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
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::finding::Rule;

    fn finding(rule: Rule, path: &str, message: &str) -> Finding {
        Finding::new(rule, path, message)
    }

    #[test]
    fn a_finding_keeps_its_hash_when_its_figures_change() {
        let before = finding(Rule::DestructiveChange, "a", "would lose 60 of 120 lines");
        let after = finding(Rule::DestructiveChange, "a", "would lose 61 of 121 lines");
        assert_eq!(hashes(&[&before]).unwrap(), hashes(&[&after]).unwrap());
    }

    #[test]
    fn rule_path_document_and_count_make_the_difference() {
        let one = finding(Rule::OutOfScope, "a", "m");
        let other_rule = finding(Rule::UnsafePath, "a", "m");
        let other_path = finding(Rule::OutOfScope, "b", "m");
        let mut all = hashes(&[&one, &one, &other_rule, &other_path]).unwrap();
        all.sort();
        all.dedup();
        assert_eq!(all.len(), 4);
    }

    #[test]
    fn rows_of_a_document_differ_by_their_message() {
        let one = finding(Rule::DesignBadRow, "d.md", "`a b` holds a blank");
        let two = finding(Rule::DesignBadRow, "d.md", "`c d` holds a blank");
        assert_ne!(hashes(&[&one]).unwrap(), hashes(&[&two]).unwrap());
    }

    #[test]
    fn the_digest_is_the_one_of_the_standard() {
        // FIPS 180-2, appendix B.1.
        assert_eq!(
            sha256(b"abc").unwrap(),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }
}
