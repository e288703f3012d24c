//! docs/dev/assurance.md names what stands behind each promise of SECURITY.md and README.md.
//! `.ci/named-tests` checks that all of it exists.

use std::fs;

use crate::common::SOURCE;

fn page(name: &str) -> String {
    fs::read_to_string(format!("{SOURCE}/{name}")).unwrap()
}

/// The sentences of the list below a heading of the second level, without emphasis.
fn promises(page: &str, heading: &str) -> Vec<String> {
    let (_, section) = page.split_once(&format!("\n## {heading}\n")).unwrap();
    let section = section.split("\n## ").next().unwrap();
    // The list ends at the next paragraph.
    let (_, list) = section.split_once("\n- ").unwrap();
    let list = list.split("\n\n").next().unwrap().replace("\n- ", "\n\0");
    let items = list.split('\0').map(|item| {
        let words: Vec<_> = item.split_whitespace().collect();
        // A link has another target there.
        words
            .join(" ")
            .replace("**", "")
            .replace("[file operations](docs/files.md)", "file operations")
    });
    let sentences = |item: String| -> Vec<String> {
        let ends = item.trim_end_matches('.').split(". ");
        ends.map(str::to_owned).collect()
    };
    items.flat_map(sentences).collect()
}

/// The first words of the promises in a section of docs/dev/assurance.md, which are bold.
fn first_words<'a>(page: &'a str, heading: &str) -> Vec<&'a str> {
    let (_, section) = page.split_once(&format!("\n## {heading}\n")).unwrap();
    let section = section.split("\n## ").next().unwrap();
    section.split("**").skip(1).step_by(2).collect()
}

#[test]
fn every_promise_is_on_the_page_and_nothing_else() {
    let assurance = page("docs/dev/assurance.md");
    for (name, heading, section, at_least) in [
        ("SECURITY.md", "What guard promises", "SECURITY.md", 12),
        ("README.md", "What it refuses", "README", 8),
    ] {
        let promises = promises(&page(name), heading);
        assert!(promises.len() >= at_least, "{promises:#?}");
        let first_words = first_words(&assurance, section);
        for promise in &promises {
            let is_there = first_words.iter().any(|words| promise.starts_with(words));
            assert!(is_there, "docs/dev/assurance.md lacks: {promise}");
        }
        for words in first_words {
            let is_promised = promises.iter().any(|promise| promise.starts_with(words));
            assert!(is_promised, "{name} does not promise: {words}");
        }
    }
}

#[test]
fn no_package_is_for_the_network() {
    let lock = page("Cargo.lock");
    for network in ["reqwest", "curl", "hyper", "rustls", "openssl"] {
        let package = format!("name = \"{network}\"\n");
        assert!(!lock.contains(&package), "{network}");
    }
}
