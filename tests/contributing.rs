//! The pages and scripts for contributors name files that exist, and guard's own designs name files, not folders.

use std::fs;
use std::path::Path;

use regex_lite::Regex;
use write_guard_policy::design;
use write_guard_policy::scope::GrantKind;
use write_guard_policy::scope::settings::Settings;

use crate::common::SOURCE;
use crate::common::pages::{page, pages_in};

/// The folders whose names stand for this repository wherever a text has them.
const FOLDERS: &[&str] = &[
    r"\.ci",
    r"\.github",
    "benches",
    "crates",
    "docs/dev",
    "examples",
    "fixtures",
    "fuzz",
    "hooks",
    "packaging",
];

/// Those that paths in examples also have.
const FOLDERS_OF_EXAMPLES: &[&str] = &["docs", "src", "tests"];

/// The paths of files below these folders that a text names. A pattern such as `src/*` names none.
fn paths_in<'a>(text: &'a str, folders: &[&str]) -> Vec<&'a str> {
    let folders = folders.join("|");
    let path = Regex::new(&format!(
        r#"(?:^|[\s`"'(=#])((?:{folders})/[A-Za-z0-9/._-]*[A-Za-z0-9])"#
    ));
    let found = path.unwrap();
    let found = found.captures_iter(text);
    found.map(|found| found.get(1).unwrap().as_str()).collect()
}

/// Those that neither the repository has nor a run makes.
fn missing(paths: Vec<&str>) -> Vec<&str> {
    let ignored = page(".gitignore");
    let is_there = |path: &str| {
        Path::new(SOURCE).join(path).exists()
            || ignored.lines().any(|line| line == format!("/{path}"))
    };
    paths.into_iter().filter(|path| !is_there(path)).collect()
}

/// Every file below a folder, by its path in the repository.
fn files_below(folder: &str) -> Vec<String> {
    let mut files = Vec::new();
    for entry in fs::read_dir(Path::new(SOURCE).join(folder)).unwrap() {
        let entry = entry.unwrap();
        let path = format!("{folder}/{}", entry.file_name().into_string().unwrap());
        if entry.file_type().unwrap().is_dir() {
            files.extend(files_below(&path));
        } else {
            files.push(path);
        }
    }
    files
}

#[test]
fn files_that_pages_for_contributors_name_exist() {
    let sources = [files_below("src"), files_below("crates")].concat();
    let mut pages = pages_in("docs/dev");
    pages.push(("CONTRIBUTING.md".to_owned(), page("CONTRIBUTING.md")));
    for (name, page) in pages {
        let mut folders = FOLDERS.to_vec();
        if name != "docs/dev/grammar.md" {
            folders.extend(FOLDERS_OF_EXAMPLES);
        }
        let paths = paths_in(&page, &folders);
        match name.as_str() {
            "docs/dev/architecture.md" => assert!(paths.len() >= 15, "{paths:?}"),
            "CONTRIBUTING.md" => assert!(paths.len() >= 10, "{paths:?}"),
            _ => {}
        }
        assert_eq!(missing(paths), [""; 0], "{name}");
        // A file of sources by its name alone.
        let spans = page.split('`').skip(1).step_by(2);
        for span in spans.filter(|span| span.ends_with(".rs") && !span.contains(['/', ' '])) {
            let end = format!("/{span}");
            assert!(
                sources.iter().any(|file| file.ends_with(&end)),
                "{name}: {span}"
            );
        }
    }
}

#[test]
fn files_that_scripts_name_exist() {
    let mut scripts = files_below(".ci");
    scripts.extend(files_below(".github"));
    scripts.extend(["fuzz/run", "tests/run", "benches/compare/run"].map(str::to_owned));
    let folders = [FOLDERS, FOLDERS_OF_EXAMPLES].concat();
    let mut count = 0;
    for script in scripts {
        let text = page(&script);
        let paths = paths_in(&text, &folders);
        count += paths.len();
        assert_eq!(missing(paths), [""; 0], "{script}");
    }
    assert!(count >= 50, "{count}");
}

#[test]
fn files_that_comments_name_exist() {
    let sources = [
        files_below("src"),
        files_below("crates"),
        files_below("tests"),
    ]
    .concat();
    let mut count = 0;
    for source in sources.iter().filter(|file| file.ends_with(".rs")) {
        let text = page(source);
        let comments = text
            .lines()
            .filter_map(|line| line.split_once("// ").or_else(|| line.split_once("//! ")));
        for (_, comment) in comments {
            let paths = paths_in(comment, FOLDERS);
            count += paths.len();
            assert_eq!(missing(paths), [""; 0], "{source}");
        }
    }
    assert!(count >= 20, "{count}");
}

#[test]
fn own_designs_name_files() {
    let designs = [pages_in("docs/design"), pages_in("docs/design/done")].concat();
    assert!(!designs.is_empty());
    for (name, text) in designs {
        let design = design::parse(name.as_str().into(), text.as_bytes(), &Settings::default());
        assert!(design.faults.is_empty(), "{name}: {:#?}", design.faults);
        assert!(!design.grants.is_empty(), "{name}");
        for grant in design.grants {
            assert_eq!(grant.kind, GrantKind::File, "{name}: {}", grant.path);
        }
    }
}
