//! Every cell of the shared hostile-path corpus, put into a one-row table.
#![allow(clippy::unwrap_used, clippy::print_stderr)]

use std::path::PathBuf;

use gix::bstr::BStr;
use serde_json::Value;
use write_guard::policy::design::{Options, parse};

const DESIGN: &str = "docs/lld/LLD-188.md";

fn corpus() -> Option<Vec<Value>> {
    let shared = std::env::var_os("GUARD_SHARED").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared"),
        PathBuf::from,
    );
    let text = std::fs::read_to_string(shared.join("data/hostile-paths.json")).ok()?;
    Some(serde_json::from_str(&text).unwrap())
}

fn bytes(input: &Value) -> Vec<u8> {
    match input {
        Value::String(text) => text.clone().into_bytes(),
        other => {
            let hex = other["bytes_hex"].as_str().unwrap().as_bytes();
            let digit = |byte: u8| char::from(byte).to_digit(16).unwrap() as u8;
            hex.chunks(2)
                .map(|pair| digit(pair[0]) * 16 + digit(pair[1]))
                .collect()
        }
    }
}

/// A Rename row where the cell points from one path to another, else a Modify row.
fn document(cell: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(cell);
    let kind = if text.contains(" -> ") || text.contains('→') {
        "Rename"
    } else {
        "Modify"
    };
    let mut out = b"# LLD-188\n\n## 2.1 Files Changed\n\n| File | Change Type | Description |\n|---|---|---|\n| ".to_vec();
    out.extend_from_slice(cell);
    out.extend_from_slice(format!(" | {kind} | why |\n").as_bytes());
    out
}

/// `"a"`, `["a", "b"]` or `{"kind": …, "path": …}` as pairs of kind and path.
fn expected_paths(parsed_as: &Value) -> Vec<(String, String)> {
    let one = |value: &Value| match value {
        Value::String(path) => ("file".to_owned(), path.clone()),
        other => (
            other["kind"].as_str().unwrap().to_owned(),
            other["path"].as_str().unwrap().to_owned(),
        ),
    };
    match parsed_as {
        Value::Array(all) => all.iter().map(one).collect(),
        other => vec![one(other)],
    }
}

#[test]
fn every_cell_of_the_corpus_gets_the_decided_verdict() {
    let Some(corpus) = corpus() else {
        eprintln!("skipped: the corpus is not here; set GUARD_SHARED to its folder");
        return;
    };
    let (mut accepted, mut refused, mut other_reason) = (0, 0, 0);
    let mut wrong = Vec::new();
    for entry in corpus.iter().filter(|entry| entry["context"] == "lld-cell") {
        let id = entry["id"].as_str().unwrap();
        let expected = entry["expected"].as_str().unwrap();
        let design = parse(
            BStr::new(DESIGN),
            &document(&bytes(&entry["input"])),
            &Options::default(),
        );
        let reasons: Vec<&str> = design.faults.iter().map(|fault| fault.reason).collect();
        let Some(reason) = expected.strip_prefix("reject:") else {
            accepted += 1;
            let paths: Vec<(String, String)> = design
                .grants
                .iter()
                .map(|grant| (grant.kind.name().to_owned(), grant.path.to_string()))
                .collect();
            if paths != expected_paths(&entry["parsed_as"]) || !reasons.is_empty() {
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
