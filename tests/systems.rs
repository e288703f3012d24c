//! Every test is built on every system. A test that needs what a system lacks says so, and is counted there as ignored; no
//! file is switched off as a whole.

use std::fs;
use std::path::{Path, PathBuf};

use regex_lite::Regex;

use crate::common::SOURCE;
use crate::common::pages::page;
use crate::common::system::in_shell;

/// The folders of tests. Those of the packages also have unit tests beside the code.
const FOLDERS: [&str; 4] = ["tests", "crates/policy", "crates/repo", "src"];

/// The forms of helpers, one per system.
const FORMS: &str = "tests/common/system/mod.rs";

/// The most tests that Windows or macOS may lack.
const MOST: usize = 60;

/// A condition under which tests are ignored.
struct Lacking {
    condition: &'static str,
    /// How the reasons end.
    reason: &'static str,
    on_macos: bool,
}

const LACKING: [Lacking; 2] = [
    Lacking {
        condition: "not(unix)",
        reason: "Windows ",
        on_macos: false,
    },
    Lacking {
        condition: "not(target_os = \"linux\")",
        reason: "only Linux ",
        on_macos: true,
    },
];

/// Each file with tests, by its path in the repository.
fn files() -> Vec<(String, String)> {
    let mut open: Vec<PathBuf> = FOLDERS.map(|folder| Path::new(SOURCE).join(folder)).into();
    let mut files = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let name = in_shell(path.strip_prefix(SOURCE).unwrap());
                files.push((name, fs::read_to_string(&path).unwrap()));
            }
        }
    }
    files
}

/// What of a file are tests: the unit tests come last in a file of code.
fn tests_in<'a>(name: &str, text: &'a str) -> &'a str {
    let is_of_tests = name.starts_with("tests/") || name.contains("/tests");
    if is_of_tests {
        return text;
    }
    let begin = text.find("#[cfg(test)]\nmod tests {");
    begin.map_or("", |begin| &text[begin..])
}

/// Each line that leaves tests or helpers out of the build of a system.
fn left_out(name: &str, tests: &str) -> Vec<String> {
    let systems = ["unix", "windows", "target_", "linux", "macos"];
    let is_attribute =
        |line: &&str| line.trim_start().starts_with("#[cfg(") || line.starts_with("#![cfg(");
    let lines = tests.lines().filter(is_attribute);
    let names_one = |line: &&str| systems.iter().any(|system| line.contains(system));
    lines
        .filter(names_one)
        .map(|line| format!("{name}: {line}"))
        .collect()
}

#[test]
fn no_test_is_left_out_of_the_build_of_a_system() {
    let mut wrong = Vec::new();
    for (name, text) in files() {
        if name != FORMS {
            wrong.extend(left_out(&name, tests_in(&name, &text)));
        }
    }
    assert_eq!(
        wrong, [""; 0],
        "ignore the one test that cannot run, with the reason"
    );
}

/// On a test that `.ci/long` runs with `--ignored`, on every system.
const SLOW: &str = r#"#[ignore = "slow: .ci/long"]"#;

#[test]
fn few_tests_are_ignored_and_each_names_what_its_system_lacks() {
    let attribute = Regex::new(r#"#\[cfg_attr\(\s*(.+?),\s*ignore = "(.*?)",?\s*\)\]"#).unwrap();
    let (mut windows, mut macos) = (0, 0);
    for (name, text) in files() {
        let tests = tests_in(&name, &text);
        for found in attribute.captures_iter(tests) {
            let [condition, reason] = [1, 2].map(|at| found.get(at).unwrap().as_str());
            let lacking = LACKING
                .iter()
                .find(|lacking| lacking.condition == condition);
            let lacking =
                lacking.unwrap_or_else(|| panic!("{name}: {condition} is not in LACKING"));
            let has_form = reason.starts_with("needs ")
                && reason.contains(&format!(", which {}", lacking.reason));
            assert!(
                has_form,
                "{name}: {reason}: needs …, which {}…",
                lacking.reason
            );
            windows += 1;
            macos += usize::from(lacking.on_macos);
        }
        let elsewhere = tests.replace(SLOW, "");
        let unnamed = Regex::new(r"#\[ignore\b").unwrap();
        assert!(
            !unnamed.is_match(&elsewhere),
            "{name}: name the system and the reason"
        );
    }
    println!("ignored on Windows: {windows}, on macOS: {macos}");
    assert!(windows <= MOST && macos <= MOST, "{windows}, {macos}");
    let told = format!("Windows lacks {windows} tests, and macOS {macos}");
    let page = page("docs/dev/architecture.md").replace('\n', " ");
    assert!(
        page.contains(&told),
        "docs/dev/architecture.md does not say: {told}"
    );
}
