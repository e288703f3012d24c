//! The pages of the documentation.

use std::fs;
use std::path::Path;

use super::SOURCE;

/// The text of a page, by its path in the repository.
pub fn page(name: &str) -> String {
    fs::read_to_string(Path::new(SOURCE).join(name)).unwrap()
}

/// The pages of a folder, each with its path in the repository. A folder that is missing has none.
pub fn pages_in(folder: &str) -> Vec<(String, String)> {
    let Ok(entries) = fs::read_dir(Path::new(SOURCE).join(folder)) else {
        return Vec::new();
    };
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let names = names.filter(|name| name.ends_with(".md"));
    let paths = names.map(|name| format!("{folder}/{name}"));
    paths.map(|path| (path.clone(), page(&path))).collect()
}

/// The lines of the fenced blocks of a language below a heading of the second level.
pub fn blocks(page: &str, heading: &str, language: &str) -> Vec<String> {
    let (_, section) = page.split_once(&format!("\n## {heading}\n")).unwrap();
    let section = section.split("\n## ").next().unwrap();
    let fence = format!("```{language}\n");
    let blocks = section.split(&fence).skip(1);
    let lines = blocks.flat_map(|rest| rest.split("```").next().unwrap().lines());
    lines.map(str::to_owned).collect()
}

/// Compares a file with what it should hold, from which `WRITE_DOCS` writes it anew.
#[track_caller]
pub fn assert_current(name: &str, current: &str) {
    if std::env::var_os("WRITE_DOCS").is_some() {
        fs::write(Path::new(SOURCE).join(name), current).unwrap();
    }
    assert!(
        page(name) == current,
        "{name} is out of date; to renew it: WRITE_DOCS=1 cargo test --test main is_current"
    );
}
