//! A governed repository with guard's hooks installed, and checks that its commits pass or are refused.

use serde_json::Value;

use super::{Output, Repo, findings};

/// HEAD holds `src/old.rs` and `src/other.rs`; the design grants changing `src/old.rs` and adding `src/new.rs`.
pub fn repo() -> Repo {
    let repo = Repo::new();
    fill(&repo);
    repo
}

pub fn fill(repo: &Repo) {
    repo.stage("src/old.rs", "old\n");
    repo.stage("src/other.rs", "other\n");
    repo.commit("Begin");
    repo.govern(&[("src/old.rs", "Modify", "x"), ("src/new.rs", "Add", "x")]);
    install(repo);
}

pub fn install(repo: &Repo) {
    repo.install_hook("pre-commit");
    repo.install_hook("pre-merge-commit");
}

pub fn commit(repo: &Repo, arguments: &[&str]) -> Output {
    let mut all = vec!["commit", "-m", "A change"];
    all.extend(arguments);
    repo.try_git(&all)
}

/// Asserts that a commit of the staged changes passes.
#[track_caller]
pub fn passes(repo: &Repo) {
    commit(repo, &[]).exits(0);
}

/// Asserts that only this rule refuses a commit of the staged changes, only at this path, and HEAD stays.
#[track_caller]
pub fn refused(repo: &Repo, rule: &str, path: &str) {
    refused_by(repo, &[(rule, path)]);
}

#[track_caller]
pub fn refused_by(repo: &Repo, errors: &[(&str, &str)]) {
    assert_eq!(error_findings(&repo.json(&["lint"])), errors);
    let head = repo.try_git(&["rev-parse", "HEAD"]).stdout;
    commit(repo, &[]).exits(1).says(errors[0].0);
    assert_eq!(repo.try_git(&["rev-parse", "HEAD"]).stdout, head);
}

pub fn error_findings(report: &Value) -> Vec<(&str, &str)> {
    let levels = report["findings"].as_array().into_iter().flatten();
    let all = findings(report).into_iter().zip(levels);
    let errors = all.filter(|(_, finding)| finding["level"] == "error");
    errors.map(|(named, _)| named).collect()
}

/// Adds this repository as the submodule `lib` of a new one, ungoverned so far.
pub fn with_submodule(inner: &Repo) -> Repo {
    let outer = Repo::new();
    let url = inner.root.display().to_string();
    let add = "-c protocol.file.allow=always submodule --quiet add --branch 188-work";
    let add: Vec<&str> = add.split(' ').chain([&*url, "lib"]).collect();
    outer.git(&add);
    outer
}

/// `guard lint --ci` as a GitHub job for a pull request to `main`, with HEAD checked out.
#[track_caller]
pub fn lint_pull_request(repo: &Repo, base: &str, head: &str) -> Output {
    let event = serde_json::json!({"pull_request": {
        "number": 7,
        "base": {"sha": base, "ref": "main"},
        "head": {"sha": head, "ref": "188-work"},
    }});
    repo.write("../event.json", event.to_string());
    let mut guard = repo.command(super::GUARD);
    guard
        .args(["lint", "--ci"])
        .env("GITHUB_ACTIONS", "true")
        .env("GITHUB_EVENT_NAME", "pull_request")
        .env("GITHUB_EVENT_PATH", repo.path("../event.json"))
        .env("GITHUB_SHA", repo.git(&["rev-parse", "HEAD"]));
    super::run(&mut guard)
}
