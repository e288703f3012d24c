//! The grammar of designs, held by documents that were labelled from it: every document of `fixtures/grammar`, every
//! example of `docs/designs.md`, each word of the grammar, and small changes of every plan.

mod documentation;
mod mutations;
mod typed_tables;
mod words;

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use gix::bstr::BStr;
use write_guard::design::{Design, Problem, parse};
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

/// Files of a folder below the package with this extension, sorted.
fn files(folder: &str, extension: &str) -> BTreeSet<PathBuf> {
    let entries = std::fs::read_dir(Path::new(SOURCE).join(folder)).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    paths
        .filter(|path| path.extension().is_some_and(|found| found == extension))
        .collect()
}

/// The documents of `fixtures/grammar`. Its README describes the format.
fn labelled() -> Vec<Labelled> {
    let mut all: Vec<Labelled> = Vec::new();
    for file in files("fixtures/grammar", "txt") {
        let group = file.file_stem().unwrap().to_str().unwrap();
        let text = std::fs::read_to_string(&file).unwrap();
        for document in text.split("\n%%% ").skip(1) {
            let (head, rest) = document.split_once('\n').unwrap();
            let (name, at) = head
                .split_once(" at ")
                .unwrap_or((head, "docs/plans/plan.md"));
            let (text, labels) = rest.split_once("\n%%%\n").unwrap();
            let labels = labels
                .lines()
                .filter(|line| !line.starts_with('#') && !line.is_empty());
            all.push(Labelled {
                name: format!("{group}/{name}"),
                at: at.to_owned(),
                text: format!("{text}\n"),
                labels: labels.map(str::to_owned).collect(),
            });
        }
    }
    all
}

/// The plans of frameworks, with the place where each lies.
fn plans() -> impl Iterator<Item = (String, String)> {
    files("fixtures/plans", "md").into_iter().map(|file| {
        let grants = std::fs::read_to_string(file.with_extension("grants")).unwrap();
        let (at, _) = grants.split_once('\n').unwrap();
        let text = std::fs::read_to_string(file).unwrap();
        (at.strip_prefix("at ").unwrap().to_owned(), text)
    })
}

/// All documents: place and text.
fn corpus() -> Vec<(String, String)> {
    let grammar = labelled().into_iter();
    let grammar = grammar.map(|document| (document.at, document.text));
    plans().chain(grammar).collect()
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
    none_deviates(corpus().into_iter().map(|(at, text)| {
        let expected = granted(&design(&at, &text));
        let crlf = format!("\u{feff}{}", text.replace('\n', "\r\n"));
        let same = granted(&design(&at, &crlf)) == expected;
        let difference = if same { "" } else { "    CRLF reads otherwise" };
        (text, difference.to_owned())
    }));
}
