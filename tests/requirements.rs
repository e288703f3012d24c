//! docs/dev/requirements.md names a test for each requirement. Each of these tests exists, and each test that is named
//! after a requirement is on the page.

use std::fs;

use crate::common::SOURCE;

/// The tests that a page names as `file::name`, or as `src/file.rs::name`, and whether each exists.
fn named(page: &str) -> Vec<(String, bool)> {
    let page = fs::read_to_string(format!("{SOURCE}/docs/dev/{page}")).unwrap();
    let spans = page.split('`').skip(1).step_by(2);
    let tests = spans.filter(|span| !span.contains(' ') && !span.ends_with("::"));
    let tests = tests.filter_map(|span| Some((span, span.split_once("::")?)));
    let tests = tests.map(|(span, (file, name))| {
        let file = match file.ends_with(".rs") {
            true => format!("{SOURCE}/{file}"),
            false => format!("{SOURCE}/tests/{file}.rs"),
        };
        let text = fs::read_to_string(file).unwrap_or_default();
        (span.to_owned(), text.contains(&format!("fn {name}(")))
    });
    tests.collect()
}

#[test]
fn every_test_named_on_the_page_exists() {
    for (page, at_least) in [("requirements.md", 60), ("assurance.md", 30)] {
        let named = named(page);
        assert!(named.len() > at_least, "{page}: {named:?}");
        let missing: Vec<_> = named.iter().filter(|(_, exists)| !exists).collect();
        assert!(missing.is_empty(), "{page}: {missing:?}");
    }
}

/// Tests named after requirements (`r000_…`, `r001_…`, `scenario_…`) are all listed on the page.
#[test]
fn every_test_that_is_named_after_a_requirement_is_on_the_page() {
    let named = named("requirements.md");
    let mut missing = Vec::new();
    for entry in fs::read_dir(format!("{SOURCE}/tests")).unwrap() {
        let file = entry.unwrap().path();
        let stem = file.file_stem().unwrap().to_str().unwrap();
        let text = fs::read_to_string(&file).unwrap_or_default();
        let names = text
            .lines()
            .filter_map(|line| line.strip_prefix("fn ")?.split('(').next());
        let cited = ["r000_", "r001_", "r004_", "scenario_", "requirement_"];
        let cited = names.filter(|name| cited.iter().any(|prefix| name.starts_with(prefix)));
        let cited = cited.map(|name| format!("{stem}::{name}"));
        missing.extend(cited.filter(|test| named.iter().all(|(known, _)| known != test)));
    }
    assert!(
        missing.is_empty(),
        "docs/dev/requirements.md lacks: {missing:?}"
    );
}
