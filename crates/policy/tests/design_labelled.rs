//! Documents that were labelled from the grammar before the reader existed: `fixtures/labelled`, one per way to write a
//! row, or to take one back.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};

use bstr::BStr;
use serde::Deserialize;
use write_guard_policy::design::{Design, parse};
use write_guard_policy::scope::settings::Settings;
use write_guard_policy::scope::{Grant, GrantKind};

use write_guard_testing::SOURCE;

#[derive(Deserialize)]
struct Label {
    place: String,
    dimension: String,
    /// `add+modify src/a.rs`; a slash ends a directory.
    grants: BTreeSet<String>,
    refused: BTreeSet<String>,
    #[serde(default)]
    forbidden: BTreeSet<String>,
    why: String,
}

fn folder() -> PathBuf {
    Path::new(SOURCE).join("fixtures/labelled")
}

fn labels() -> BTreeMap<String, Label> {
    let text = std::fs::read_to_string(folder().join("labels.toml")).unwrap();
    toml::from_str(&text).unwrap()
}

fn read(name: &str) -> Design {
    let bytes = std::fs::read(folder().join(format!("{name}.md"))).unwrap();
    parse(BStr::new("docs/plan.md"), &bytes, &Settings::default())
}

fn label_of(grant: &Grant) -> String {
    let actions: Vec<_> = grant.actions.names().collect();
    let end = match grant.kind {
        GrantKind::Directory => "/",
        GrantKind::File | GrantKind::Glob => "",
    };
    format!("{} {}{end}", actions.join("+"), grant.path)
}

#[test]
fn labelled_documents_grant_exactly_what_their_labels_say() {
    let mut wrong = String::new();
    let labels = labels();
    assert!(labels.len() >= 300, "the fixtures are gone");
    for (name, label) in &labels {
        let design = read(name);
        let granted: BTreeSet<String> = design.grants.iter().map(label_of).collect();
        let denials = design.denials.iter();
        let denied: BTreeSet<String> = denials.map(|denial| denial.path.to_string()).collect();
        let missing: Vec<_> = label.grants.difference(&granted).collect();
        let beyond: Vec<_> = granted.difference(&label.grants).collect();
        let is_denied = label.forbidden.is_subset(&denied);
        if !missing.is_empty() || !beyond.is_empty() || !is_denied {
            let why = &label.why;
            writeln!(
                wrong,
                "{name}: missing {missing:?}, beyond {beyond:?} ({why})"
            )
            .unwrap();
            for fault in &design.faults {
                writeln!(wrong, "    {}: {}", fault.reason, fault.message).unwrap();
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn every_place_of_a_row_has_documents_for_every_way_to_take_it_back() {
    let mut counts: BTreeMap<(String, String), usize> = BTreeMap::new();
    for label in labels().into_values() {
        *counts.entry((label.place, label.dimension)).or_default() += 1;
    }
    for place in [
        "typed-table",
        "table",
        "heading-list",
        "list",
        "front-matter",
    ] {
        for dimension in [
            "type", "note", "remark", "heading", "cell", "language", "hidden",
        ] {
            let count = counts.get(&(place.to_owned(), dimension.to_owned()));
            assert!(
                count.is_some_and(|count| *count >= 2),
                "{place}, {dimension}"
            );
        }
    }
}

#[test]
fn refused_paths_stand_in_their_document() {
    for (name, label) in labels() {
        let bytes = std::fs::read(folder().join(format!("{name}.md"))).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        for path in label.refused {
            let end = path.rsplit('/').find(|part| !part.is_empty()).unwrap();
            assert!(text.contains(end), "{name}: {path}");
        }
    }
}
