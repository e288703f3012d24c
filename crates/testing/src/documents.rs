//! The documents of `fixtures`: labelled ones, and plans of frameworks.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::SOURCE;

/// A labelled document of `fixtures/grammar`.
pub struct Labelled {
    pub name: String,
    pub at: String,
    pub text: String,
    /// Lines such as `write src/a.rs`.
    pub labels: Vec<String>,
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
pub fn labelled() -> Vec<Labelled> {
    let mut all: Vec<Labelled> = Vec::new();
    for file in files("fixtures/grammar", "txt") {
        let group = file.file_stem().unwrap().to_str().unwrap();
        let fixture = std::fs::read_to_string(&file).unwrap();
        for document in fixture.split("\n%%% ").skip(1) {
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

/// All documents with the place where each lies: those of `fixtures/grammar`, of `fixtures/labelled`, and the plans.
pub fn corpus() -> Vec<(String, String)> {
    let mut all = Vec::new();
    for file in files("fixtures/plans", "md") {
        let grants = std::fs::read_to_string(file.with_extension("grants")).unwrap();
        let (at, _) = grants.split_once('\n').unwrap();
        let text = std::fs::read_to_string(file).unwrap();
        all.push((at.strip_prefix("at ").unwrap().to_owned(), text));
    }
    for document in labelled() {
        all.push((document.at, document.text));
    }
    for file in files("fixtures/labelled", "md") {
        if file.file_name().is_some_and(|name| name == "README.md") {
            continue;
        }
        // One of them is not UTF-8.
        if let Ok(text) = String::from_utf8(std::fs::read(file).unwrap()) {
            all.push(("docs/plan.md".to_owned(), text));
        }
    }
    all
}
