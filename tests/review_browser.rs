//! The review page in a real browser: nothing runs, nothing is loaded, axe finds no violation.
//!
//! With `GUARD_SCREENSHOTS` set to a directory, also takes the pictures of the documentation (`.ci/screenshots`).

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::common::clients::{node_packages, program};
use crate::common::{Repo, reviews, run_with_input, skip};

/// Where Linux distributions put Chromium, and where `tests/run` does.
const CHROMIUM: [&str; 4] = [
    "/usr/bin/chromium",
    "/usr/bin/chromium-browser",
    "/usr/bin/google-chrome",
    concat!(env!("CARGO_MANIFEST_DIR"), "/target/node/chromium"),
];

fn chromium() -> Option<&'static str> {
    let found = CHROMIUM.into_iter().find(|path| Path::new(path).exists());
    if found.is_none() {
        skip("Chromium is not installed; tests/run installs it if node is there");
    }
    found
}

/// What is wrong with the pages of these repositories.
#[track_caller]
fn problems(reviews: &[(&str, &Repo)], screenshots: Option<PathBuf>) -> Option<Vec<String>> {
    let (packages, chromium) = (node_packages()?, chromium()?);
    let mut pages = Vec::new();
    for (name, repo) in reviews {
        let file = repo.path("../review.html");
        let output = repo.guard(&["review", "--file", "../review.html"]);
        assert!(output.code < 2, "{}", output.stderr);
        pages.push(json!({ "name": name, "file": file }));
    }
    let input = json!({
        "packages": packages, "chromium": chromium, "pages": pages, "screenshots": screenshots,
    });
    let mut node = program(reviews[0].1, "node", "review_page.mjs");
    let output = run_with_input(&mut node, input.to_string().as_bytes()).exits(0);
    let found: Value = serde_json::from_str(&output.stdout).unwrap();
    let found = found.as_array().unwrap().iter();
    Some(found.map(|one| one.as_str().unwrap().to_owned()).collect())
}

#[test]
fn accepted_refused_and_large_reviews_are_accessible_and_load_nothing() {
    let screenshots = std::env::var_os("GUARD_SCREENSHOTS").map(PathBuf::from);
    if let Some(directory) = &screenshots {
        assert!(directory.is_absolute() && directory.is_dir());
    }
    let (refused, large) = (reviews::refused(), reviews::large(300));
    let mut all = vec![("refused", &refused), ("large", &large)];
    let accepted = reviews::accepted();
    all.extend(accepted.as_ref().map(|repo| ("accepted", repo)));
    let Some(problems) = problems(&all, screenshots) else {
        return;
    };
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn hostile_names_and_contents_run_nothing() {
    let hostile = reviews::hostile();
    let Some(problems) = problems(&[("hostile", &hostile)], None) else {
        return;
    };
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
