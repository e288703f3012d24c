//! The grammar of designs, held by documents that were labelled from it: every document of `fixtures/grammar`, every
//! example of `docs/designs.md`, each word of the grammar, and small changes of every plan.

mod documentation;
mod headings;
mod mutations;
mod typed_tables;
mod words;

use std::collections::BTreeSet;
use std::fmt::Write;

use gix::bstr::BStr;
use write_guard::design::{Design, Problem, parse};
use write_guard::scope::settings::Settings;
use write_guard::scope::{Grant, GrantKind};

use crate::common::documents::{corpus, labelled};

fn design(at: &str, text: &str) -> Design {
    parse(BStr::new(at), text.as_bytes(), &Settings::default())
}

/// The actions of a grant in the words of the labels.
fn actions(grant: &Grant) -> String {
    let names: Vec<_> = grant.actions.names().collect();
    match names.join(" ").as_str() {
        "add modify" => "write".to_owned(),
        other => other.to_owned(),
    }
}

/// `write src/a.rs` for each grant; a directory ends in a slash.
fn granted(design: &Design) -> BTreeSet<String> {
    let grants = design.grants.iter();
    let label = |grant: &Grant| {
        let end = if grant.kind == GrantKind::Directory {
            "/"
        } else {
            ""
        };
        format!("{} {}{end}", actions(grant), grant.path)
    };
    grants.map(label).collect()
}

/// How the grants of a document differ from its labels, one line per difference.
fn deviations(design: &Design, labels: &[String]) -> String {
    let mut out = String::new();
    let mut beyond = granted(design);
    let lines: Vec<&str> = design.text.lines().collect();
    let line = |fault: &Problem| fault.anchor.as_ref().map_or(0, |anchor| anchor.line);
    let faults = design.faults.iter();
    let faults = faults.map(|fault| format!("fault {} {}", fault.reason, line(fault)));
    let faults: Vec<String> = faults.collect();
    let exact = labels.iter().filter(|label| label.starts_with("fault "));
    if exact.clone().next().is_some() && !exact.eq(&faults) {
        writeln!(out, "    faults: {faults:?}").unwrap();
    }
    for label in labels {
        let (word, rest) = label.split_once(' ').unwrap_or((label, ""));
        let missing = match word {
            "fault" => false,
            "silent" => !design.faults.is_empty(),
            "report" => !design.faults.iter().any(|fault| {
                let line = lines.get(line(fault) - 1);
                rest.is_empty() || line.is_some_and(|line| line.contains(rest))
            }),
            "mention" => !design.mentions.iter().any(|mention| mention.path == rest),
            "change" => !["add", "modify", "write"]
                .iter()
                .any(|word| beyond.remove(&format!("{word} {rest}"))),
            "add" | "modify" | "write" | "delete" | "symlink" | "submodule" => {
                !beyond.remove(label)
            }
            _ => panic!("{label} is no label"),
        };
        if missing {
            writeln!(out, "    missing: {label}").unwrap();
        }
    }
    for grant in beyond {
        writeln!(out, "    BEYOND: {grant}").unwrap();
    }
    out
}

/// Fails with the deviations of all documents, if there are any.
#[track_caller]
fn none_deviates(found: impl IntoIterator<Item = (String, String)>) {
    let mut count = 0;
    let mut wrong = String::new();
    for (name, deviations) in found {
        if !deviations.is_empty() {
            count += 1;
            writeln!(wrong, "{name}\n{deviations}").unwrap();
        }
    }
    assert!(wrong.is_empty(), "{count} deviate\n\n{wrong}");
}

#[test]
fn documents_grant_what_their_labels_grant() {
    let documents = labelled();
    assert!(documents.len() >= 250, "the fixtures are gone");
    none_deviates(documents.into_iter().map(|document| {
        let design = design(&document.at, &document.text);
        let deviations = deviations(&design, &document.labels);
        (document.name, deviations)
    }));
}

#[test]
fn line_endings_and_a_byte_order_mark_change_no_grant() {
    // Others have such marks of their own.
    let plain = corpus().into_iter();
    let plain = plain.filter(|(_, text)| !text.contains(['\r', '\u{feff}', '\0']));
    none_deviates(plain.map(|(at, text)| {
        let expected = granted(&design(&at, &text));
        let crlf = format!("\u{feff}{}", text.replace('\n', "\r\n"));
        let same = granted(&design(&at, &crlf)) == expected;
        let difference = if same { "" } else { "    CRLF reads otherwise" };
        (text, difference.to_owned())
    }));
}
