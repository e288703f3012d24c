//! Finds the process documents that most commits touch, such as the state of a framework or a changelog.

use std::collections::HashMap;

use super::designs::is_plain;

/// With fewer commits, "most" says little.
const FEWEST_COMMITS: usize = 10;

/// More would open too much at once.
const MOST_DOCUMENTS: usize = 5;

/// Parts of the names of data files that hold the state of work.
const STATES: &[&str] = &["changelog", "progress", "sprint", "state", "status", "todo"];

/// The documents that more than half of the latest commits touch, each with their number, the highest first.
pub(super) fn process_documents<'a>(
    files: &[String],
    touched: &'a [Vec<String>],
) -> Vec<(&'a str, usize)> {
    let commits = touched.len();
    if commits < FEWEST_COMMITS {
        return Vec::new();
    }
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for path in touched.iter().flatten() {
        *counts.entry(path).or_default() += 1;
    }
    let is_there = |path: &str| {
        let found = files.binary_search_by(|file| file.as_str().cmp(path));
        found.is_ok()
    };
    let mut found: Vec<(&str, usize)> = counts
        .into_iter()
        .filter(|(path, count)| {
            count * 2 > commits && is_document(path) && is_plain(path) && is_there(path)
        })
        .collect();
    found.sort_by(|(a, most), (b, fewer)| fewer.cmp(most).then(a.cmp(b)));
    found.truncate(MOST_DOCUMENTS);
    found
}

fn is_document(path: &str) -> bool {
    let (directories, name) = path.rsplit_once('/').unwrap_or(("", path));
    let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
    let stem = stem.to_lowercase();
    match extension {
        "md" | "rst" | "txt" | "adoc" => true,
        "json" | "jsonl" | "yaml" | "yml" => {
            directories != ".github/workflows" && STATES.iter().any(|state| stem.contains(state))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_that_most_commits_touch() {
        let files = ["CHANGELOG.md", "README.md", "src/a.rs", "x/state.json"];
        let owned = |names: &[&str]| -> Vec<String> {
            names.iter().map(|name| (*name).to_owned()).collect()
        };
        let commit = |at: usize| match at {
            0..4 => owned(&["CHANGELOG.md", "README.md", "src/a.rs", "gone.md"]),
            4..7 => owned(&["CHANGELOG.md", "src/a.rs", "x/state.json", "gone.md"]),
            _ => owned(&["src/a.rs", "x/state.json", "gone.md", "a\n.md"]),
        };
        let touched: Vec<_> = (0..11).map(commit).collect();
        assert_eq!(process_documents(&owned(&files), &touched[..9]), []);
        assert_eq!(
            process_documents(&owned(&files), &touched),
            [("CHANGELOG.md", 7), ("x/state.json", 7)]
        );
    }
}
