//! Every path cell of the shared hostile-path corpus, in a one-row table.
#![allow(clippy::unwrap_used, clippy::print_stderr)]

use crate::common::corpus;
use gix::bstr::BStr;
use write_guard::policy::design::{DesignOptions, parse};

const DESIGN: &str = "docs/lld/LLD-188.md";

#[test]
fn every_cell_of_the_corpus_gets_the_decided_verdict() {
    let corpus = corpus::entries();
    let (mut accepted, mut refused, mut other_reason) = (0, 0, 0);
    let mut wrong = Vec::new();
    for entry in corpus.iter().filter(|entry| entry["context"] == "lld-cell") {
        let id = entry["id"].as_str().unwrap();
        let expected = entry["expected"].as_str().unwrap();
        let design = parse(
            BStr::new(DESIGN),
            &corpus::design_with(&corpus::input(entry)),
            &DesignOptions::default(),
        );
        let reasons: Vec<&str> = design.faults.iter().map(|fault| fault.reason).collect();
        let Some(reason) = expected.strip_prefix("reject:") else {
            accepted += 1;
            let paths: Vec<(String, String)> = design
                .grants
                .iter()
                .map(|grant| (grant.kind.name().to_owned(), grant.path.to_string()))
                .collect();
            if paths != corpus::parsed_as(entry) || !reasons.is_empty() {
                wrong.push(format!(
                    "{id} {}: {paths:?}, faults {reasons:?}",
                    entry["input"]
                ));
            }
            continue;
        };
        refused += 1;
        if design.is_usable() || reasons.is_empty() {
            wrong.push(format!(
                "{id} {}: granted {:?}, expected {expected}",
                entry["input"], design.grants
            ));
        } else if !reasons.contains(&reason) {
            other_reason += 1;
            eprintln!(
                "{id} {}: refused as {reasons:?}, the corpus says {reason}",
                entry["input"]
            );
        }
    }
    eprintln!(
        "{accepted} to accept, {refused} to refuse, {} wrong, {other_reason} with another reason",
        wrong.len()
    );
    assert!(accepted + refused >= 63, "the corpus has lost cells");
    assert!(wrong.is_empty(), "{wrong:#?}");
}
