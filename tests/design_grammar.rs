//! The grammar of designs, held by documents that were labelled from it: every document of `fixtures/grammar`, every
//! example of `docs/designs.md`, each word of the grammar, and small changes of every plan.
#![allow(clippy::unwrap_used)]

mod documentation;
mod mutations;
mod typed_tables;
mod words;

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use gix::bstr::BStr;
use write_guard::design::{Design, parse};
use write_guard::scope::settings::Settings;
use write_guard::scope::{Grant, GrantKind};

use crate::common::SOURCE;

/// A labelled document.
struct Labelled {
    name: String,
    at: String,
    text: String,
    /// Lines such as `write src/a.rs`.
    labels: Vec<String>,
}

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
    design
        .grants
        .iter()
        .map(|grant| {
            let slash = if grant.kind == GrantKind::Directory {
                "/"
            } else {
                ""
            };
            format!("{} {}{slash}", actions(grant), grant.path)
        })
        .collect()
}

/// Files of a folder below the package with this extension, sorted.
fn files(folder: &str, extension: &str) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(Path::new(SOURCE).join(folder))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|found| found == extension))
        .collect();
    files.sort();
    files
}

/// The documents of `fixtures/grammar`. Its README describes the format.
fn labelled() -> Vec<Labelled> {
    let mut all: Vec<Labelled> = Vec::new();
    for file in files("fixtures/grammar", "txt") {
        let group = file.file_stem().unwrap().to_str().unwrap();
        let text = std::fs::read_to_string(&file).unwrap();
        let (_, documents) = text.split_once("\n%%% ").unwrap();
        for document in documents.split("\n%%% ") {
            let (head, rest) = document.split_once('\n').unwrap();
            let (name, at) = head
                .split_once(" at ")
                .unwrap_or((head, "docs/plans/plan.md"));
            let (text, labels) = rest.split_once("\n%%%\n").unwrap();
            all.push(Labelled {
                name: format!("{group}/{name}"),
                at: at.to_owned(),
                text: format!("{text}\n"),
                labels: labels
                    .lines()
                    .filter(|line| !line.starts_with('#') && !line.is_empty())
                    .map(str::to_owned)
                    .collect(),
            });
        }
    }
    all
}

/// The plans of frameworks, with the place where each lies.
fn plans() -> Vec<(String, String)> {
    files("fixtures/plans", "md")
        .into_iter()
        .map(|file| {
            let grants = std::fs::read_to_string(file.with_extension("grants")).unwrap();
            let (at, _) = grants.split_once('\n').unwrap();
            let text = std::fs::read_to_string(file).unwrap();
            (at.strip_prefix("at ").unwrap().to_owned(), text)
        })
        .collect()
}

/// All documents: place and text.
fn corpus() -> Vec<(String, String)> {
    let grammar = labelled().into_iter();
    let grammar = grammar.map(|document| (document.at, document.text));
    plans().into_iter().chain(grammar).collect()
}

/// How the grants of a document differ from its labels, one line per difference.
fn deviations(design: &Design, labels: &[String]) -> String {
    let mut out = String::new();
    let mut beyond = granted(design);
    let lines: Vec<&str> = design.text.lines().collect();
    let faults = design.faults.iter().map(|fault| {
        let line = fault.anchor.as_ref().map_or(0, |anchor| anchor.line);
        format!("fault {} {line}", fault.reason)
    });
    let exact = labels.iter().filter(|label| label.starts_with("fault "));
    if exact.clone().next().is_some() && !exact.eq(&faults.clone().collect::<Vec<_>>()) {
        writeln!(out, "    faults: {:?}", faults.collect::<Vec<_>>()).unwrap();
    }
    for label in labels {
        let (word, rest) = label.split_once(' ').unwrap_or((label, ""));
        let missing = match word {
            "fault" => false,
            "silent" => !design.faults.is_empty(),
            "report" => !design.faults.iter().any(|fault| {
                let line = fault.anchor.as_ref().map_or(0, |anchor| anchor.line);
                rest.is_empty() || lines.get(line - 1).is_some_and(|line| line.contains(rest))
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
    none_deviates(corpus().into_iter().map(|(at, text)| {
        let expected = granted(&design(&at, &text));
        let crlf = format!("\u{feff}{}", text.replace('\n', "\r\n"));
        let same = granted(&design(&at, &crlf)) == expected;
        let difference = if same { "" } else { "    CRLF reads otherwise" };
        (text, difference.to_owned())
    }));
}

#[test]
fn doubled_carriage_returns_grant_nothing() {
    for (at, text) in corpus() {
        let design = design(&at, &text.replace('\n', "\r\r\n"));
        assert!(design.grants.is_empty(), "{text}");
    }
}
