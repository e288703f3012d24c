//! `docs/designs.md` and `docs/dev/grammar.md`: each example says what it allows. The page for users is short.

use std::fmt::Write;
use std::path::Path;

use super::{design, deviations, none_deviates};
use write_guard_policy::design::Design;
use write_guard_policy::scope::GrantKind;
use write_guard_testing::SOURCE;

fn page(name: &str) -> String {
    std::fs::read_to_string(Path::new(SOURCE).join(name)).unwrap()
}

/// A fenced block of Markdown, and what the lines below it say.
struct Example {
    /// The heading above it.
    section: String,
    text: String,
    /// Lines such as `write src/a.rs`.
    allowed: Vec<String>,
    mentioned: Vec<String>,
    forbidden: Vec<String>,
    /// The reasons of the faults.
    reported: Vec<String>,
}

/// The examples of a page.
fn examples(page: &str) -> Vec<Example> {
    let mut examples = Vec::new();
    let mut section = "";
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if line.starts_with("## ") {
            section = line;
        }
        // A fence of four backticks holds an example with a fence of its own.
        let Some(fence) = line.strip_suffix("markdown") else {
            continue;
        };
        if fence.len() < 3 || fence.bytes().any(|byte| byte != b'`') {
            continue;
        }
        let text: Vec<&str> = lines.by_ref().take_while(|line| *line != fence).collect();
        let said = lines.clone().skip_while(|line| line.is_empty());
        let mut example = Example {
            section: section.to_owned(),
            text: format!("{}\n", text.join("\n")),
            allowed: Vec::new(),
            mentioned: Vec::new(),
            forbidden: Vec::new(),
            reported: Vec::new(),
        };
        let mut says_what_it_allows = false;
        for line in said.take_while(|line| !line.is_empty()) {
            says_what_it_allows |= line.starts_with("Allows");
            let (word, values) = line.split_once(": ").unwrap_or((line, ""));
            let list = match word {
                "Allows nothing." => continue,
                "Allows" => &mut example.allowed,
                "Mentions" => &mut example.mentioned,
                "Forbids" => &mut example.forbidden,
                "Reports" => &mut example.reported,
                _ => panic!("{line} says nothing about this example: {text:#?}"),
            };
            for value in values.trim_end_matches('.').split("; ") {
                list.push(value.replace("add and modify ", "write ").replace('`', ""));
            }
        }
        assert!(
            says_what_it_allows,
            "no line says what this allows: {text:#?}"
        );
        examples.push(example);
    }
    examples
}

/// The design that an example is.
fn read(example: &Example) -> Design {
    design("docs/plans/plan.md", &example.text)
}

#[test]
fn examples_of_the_page_for_users_allow_what_it_says() {
    let examples = examples(&page("docs/designs.md"));
    assert!(examples.len() >= 4, "the examples are gone");
    none_deviates(examples.into_iter().map(|example| {
        let deviations = deviations(&read(&example), &example.allowed);
        (example.text, deviations)
    }));
}

/// The productions of the grammar, each with a section of its own.
const PRODUCTIONS: [&str; 14] = [
    "Places",
    "Headings",
    "Labels",
    "Tables",
    "Columns",
    "List items",
    "Front matter",
    "Types",
    "Notes",
    "Remarks",
    "Paths",
    "Exclusion",
    "Hidden text",
    "Failing closed",
];

#[test]
fn examples_of_the_grammar_allow_mention_forbid_and_report_what_it_says() {
    let page = page("docs/dev/grammar.md");
    let examples = examples(&page);
    for production in PRODUCTIONS {
        let heading = format!("## {production}");
        let mut sections = examples.iter().map(|example| &example.section);
        assert!(sections.any(|section| *section == heading), "{production}");
    }
    none_deviates(examples.into_iter().map(|example| {
        let design = read(&example);
        let mut wrong = deviations(&design, &example.allowed);
        let mentions = design.mentions.iter();
        let denials = design.denials.iter().map(|denial| {
            let is_directory = denial.kind == GrantKind::Directory;
            let end = if is_directory { "/" } else { "" };
            format!("{}{end}", denial.path)
        });
        let mut reasons: Vec<_> = design
            .faults
            .iter()
            .map(|fault| fault.reason.to_owned())
            .collect();
        reasons.sort();
        let mut reported = example.reported.clone();
        reported.sort();
        for (what, found, expected) in [
            (
                "mentions",
                mentions.map(|mention| mention.path.to_string()).collect(),
                &example.mentioned,
            ),
            ("forbids", denials.collect::<Vec<_>>(), &example.forbidden),
            ("reports", reasons, &reported),
        ] {
            if found != *expected {
                writeln!(wrong, "    {what}: {found:?}").unwrap();
            }
        }
        (example.text, wrong)
    }));
}

#[test]
fn the_page_for_users_has_at_most_nine_hundred_words() {
    let page = page("docs/designs.md");
    let words = page
        .split_whitespace()
        .filter(|word| word.contains(char::is_alphanumeric));
    let words = words.count();
    assert!(words <= 900, "{words}");
}
