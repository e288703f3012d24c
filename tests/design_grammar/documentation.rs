//! `docs/designs.md`: each example says what it allows, and the first page is short.

use std::path::Path;

use super::{design, deviations, none_deviates};
use crate::common::SOURCE;

fn page() -> String {
    std::fs::read_to_string(Path::new(SOURCE).join("docs/designs.md")).unwrap()
}

/// The documentation's examples: place, text and labels of each fenced block, from the line behind it.
fn examples(document: &str) -> Vec<(String, String, Vec<String>)> {
    let mut examples = Vec::new();
    let mut lines = document.lines();
    while let Some(line) = lines.next() {
        // A fence of four backticks holds an example with a fence of its own.
        let Some(fence) = line.strip_suffix("markdown") else {
            continue;
        };
        if fence.len() < 3 || fence.bytes().any(|byte| byte != b'`') {
            continue;
        }
        let text: Vec<&str> = lines.by_ref().take_while(|line| *line != fence).collect();
        let said = lines.clone().find(|line| !line.is_empty()).unwrap();
        let at = if said.contains("`tasks.md`") {
            "specs/001-x/tasks.md"
        } else {
            "docs/plans/plan.md"
        };
        let labels = match said.split_once("llows: ") {
            Some((_, allowed)) => allowed
                .trim_end_matches('.')
                .split("; ")
                .map(|grant| {
                    grant
                        .replace("add and modify ", "write ")
                        .replace("add or modify ", "change ")
                        .replace('`', "")
                })
                .collect(),
            None if said == "Allows nothing." => Vec::new(),
            None => panic!("no line says what this example allows: {text:#?}"),
        };
        examples.push((at.to_owned(), format!("{}\n", text.join("\n")), labels));
    }
    examples
}

#[test]
fn examples_of_the_documentation_allow_what_it_says() {
    let examples = examples(&page());
    assert!(examples.len() >= 8, "the examples are gone");
    none_deviates(examples.into_iter().map(|(at, text, labels)| {
        let deviations = deviations(&design(&at, &text), &labels);
        (text, deviations)
    }));
}

#[test]
fn the_table_is_described_in_at_most_seven_hundred_words() {
    let page = page();
    let (first, _) = page.split_once("\n## Lists and plans\n").unwrap();
    let words = first
        .split_whitespace()
        .filter(|word| word.contains(char::is_alphanumeric));
    assert!(words.count() <= 700);
}
