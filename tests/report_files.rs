//! `--output`: which files a report may replace.

use std::fs;

use crate::common::system;
use crate::common::{DESIGN, Repo};
use write_guard::Format;

/// The names of all formats that files have.
fn formats() -> impl Iterator<Item = &'static str> {
    let all = Format::ALL.iter().map(|format| format.name());
    all.filter(|name| *name != "short")
}

/// A repository whose staged change is refused, with files that no report may replace.
fn repo() -> Repo {
    let repo = Repo::new();
    repo.stage("src/large.py", "x = 1\n");
    repo.stage("tracked.json", "{}\n");
    repo.govern(&[("src/large.py", "Modify", "x")]);
    repo.stage("other.py", "x\n");
    repo.write(".guard/allowed_signers", "a signer\n");
    repo.write("mine.txt", "mine\n");
    repo
}

#[test]
fn report_replaces_only_earlier_reports() {
    let repo = repo();
    repo.write("../outside.txt", "outside\n");
    for (path, why) in [
        ("src/large.py", "git tracks it"),
        ("tracked.json", "git tracks it"),
        ("guard.toml", "it configures guard"),
        (".guard/allowed_signers", "it configures guard"),
        (".guard/new", "it configures guard"),
        (DESIGN, "it is a design"),
        ("docs/lld/active/LLD-999.md", "it is a design"),
        (".git/config", "it is inside a git directory"),
        ("src/../.git/new", "it is inside a git directory"),
        ("mine.txt", "is not a"),
        ("../outside.txt", "is not a"),
    ] {
        for format in formats() {
            let before = fs::read(repo.path(path)).ok();
            let output = format!("{format}={path}");
            repo.tells(&format!("lint --output {output}"), 2, why);
            assert_eq!(fs::read(repo.path(path)).ok(), before, "{output}");
        }
    }
    // A deleted file is still tracked.
    fs::remove_file(repo.path("tracked.json")).unwrap();
    repo.tells("lint --output json=tracked.json", 2, "git tracks it");
    assert!(!repo.path("tracked.json").exists());
}

/// Verdicts, failures, and the answers of the other verbs.
#[test]
fn a_report_replaces_an_earlier_report_in_its_format() {
    let repo = repo();
    let accepted = Repo::new();
    accepted.govern(&[("a", "Add", "a")]);
    for format in formats() {
        let output = format!("{format}=report");
        for (repo, arguments, code) in [
            (&repo, &["lint"][..], 1),
            (&repo, &["lint", "--quiet"], 1),
            (&repo, &["lint", "--lld", "none.md"], 2),
            (&accepted, &["lint"], 0),
            (&accepted, &["lint", "--quiet"], 0),
        ] {
            for _ in 0..2 {
                let arguments = [arguments, &["--output", &output]].concat();
                let result = repo.guard(&arguments);
                assert_eq!(result.code, code, "{arguments:?}\n{}", result.text());
            }
        }
        for other in formats().filter(|other| *other != format) {
            repo.guard(&["lint", "--output", &format!("{other}=report")])
                .exits(2)
                .says("is not a");
        }
        fs::remove_file(repo.path("report")).unwrap();
        fs::remove_file(accepted.path("report")).unwrap();
    }
    for format in ["human", "json"] {
        for (line, code) in [
            ("check src/large.py", 0),
            ("scope show", 0),
            ("scope prompt", 0),
            ("scope check", 0),
            ("scope check none.md", 2),
        ] {
            for _ in 0..2 {
                let line = format!("{line} --output {format}=report");
                repo.tells(&line, code, "");
            }
            fs::remove_file(repo.path("report")).unwrap();
        }
    }
}

/// `mktemp` makes an empty file.
#[test]
fn an_empty_file_may_become_a_report() {
    let repo = repo();
    repo.write("../empty", "");
    repo.guard(&["lint", "--output", "sarif=../empty"]).exits(1);
    assert!(repo.text("../empty").contains("\"runs\""));
}

/// In CI, the judged change made the links of the work tree.
#[test]
fn a_report_does_not_follow_or_replace_a_link() {
    let repo = repo();
    repo.write("../precious", "old");
    for (name, target) in [("a.json", "../precious"), ("b.json", "../not-there")] {
        system::symlink(target, repo.path(name)).unwrap();
        repo.guard(&["lint", "--output", &format!("json={name}")])
            .exits(2)
            .says("it is a link");
        assert!(fs::symlink_metadata(repo.path(name)).unwrap().is_symlink());
    }
    // A parent directory that is a link counts as its target.
    system::symlink(".git", repo.path("reports")).unwrap();
    repo.guard(&["lint", "--output", "json=reports/new.json"])
        .exits(2)
        .says("it is inside a git directory");
    assert_eq!(repo.text("../precious"), "old");
    assert!(!repo.path("../not-there").exists());
    assert!(!repo.path(".git/new.json").exists());
}
