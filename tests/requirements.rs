//! docs/dev/requirements.md names a test for each requirement. Each of these tests exists.

#![allow(clippy::unwrap_used)]

use std::fs;

use crate::common::SOURCE;

/// The tests that the page names as `file::name`.
fn named(page: &str) -> Vec<(&str, &str)> {
    let is_word = |text: &str| {
        !text.is_empty()
            && text
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    page.split('`')
        .skip(1)
        .step_by(2)
        .filter_map(|span| span.split_once("::"))
        .filter(|(file, name)| is_word(file) && is_word(name))
        .collect()
}

#[test]
fn every_test_named_on_the_page_exists() {
    let page = fs::read_to_string(format!("{SOURCE}/docs/dev/requirements.md")).unwrap();
    let named = named(&page);
    assert!(named.len() > 60, "only {} tests are named", named.len());
    let missing: Vec<String> = named
        .iter()
        .filter(|(file, name)| {
            let tests = fs::read_to_string(format!("{SOURCE}/tests/{file}.rs")).unwrap_or_default();
            !tests.contains(&format!("fn {name}("))
        })
        .map(|(file, name)| format!("{file}::{name}"))
        .collect();
    assert!(missing.is_empty(), "these tests do not exist: {missing:?}");
}

/// Tests named after requirements (`r000_…`, `r001_…`, `scenario_…`) are all listed on the page.
#[test]
fn every_test_that_is_named_after_a_requirement_is_on_the_page() {
    let page = fs::read_to_string(format!("{SOURCE}/docs/dev/requirements.md")).unwrap();
    let named = named(&page);
    let mut missing = Vec::new();
    for entry in fs::read_dir(format!("{SOURCE}/tests")).unwrap() {
        let file = entry.unwrap().path();
        if file.extension().is_none_or(|extension| extension != "rs") {
            continue;
        }
        let stem = file.file_stem().unwrap().to_str().unwrap();
        let text = fs::read_to_string(&file).unwrap();
        for name in text.lines().filter_map(|line| {
            let name = line.strip_prefix("fn ")?.split('(').next()?;
            let is_cited = ["r000_", "r001_", "r004_", "scenario_", "requirement_"]
                .iter()
                .any(|prefix| name.starts_with(prefix));
            is_cited.then_some(name)
        }) {
            if !named.contains(&(stem, name)) {
                missing.push(format!("{stem}::{name}"));
            }
        }
    }
    assert!(
        missing.is_empty(),
        "docs/dev/requirements.md lacks: {missing:?}"
    );
}
