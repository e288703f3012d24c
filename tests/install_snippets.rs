//! `guard install pre-commit`, `github` and `gitlab`: the file of the documentation, or an entry at the end of an
//! existing file where its form shows that this is the place.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::Path;

use crate::common::{self, Repo, SOURCE};

const TARGETS: [(&str, &str, &str); 3] = [
    ("pre-commit", ".pre-commit-config.yaml", "pre-commit.yaml"),
    ("github", ".github/workflows/guard.yml", "github.yml"),
    ("gitlab", ".gitlab-ci.yml", "gitlab.yml"),
];

fn shipped(name: &str) -> String {
    fs::read_to_string(Path::new(SOURCE).join("hooks/ci").join(name)).unwrap()
}

#[test]
fn files_are_written_as_the_documentation_shows_them() {
    let page = fs::read_to_string(Path::new(SOURCE).join("docs/ci.md")).unwrap();
    for (name, file, content) in TARGETS {
        let repo = Repo::new();
        let content = shipped(content);
        // README's file is compared by the tests of its routes.
        if name != "pre-commit" {
            assert!(
                page.contains(&format!("```yaml\n# {file}\n{content}```\n")),
                "{name}"
            );
        }
        repo.guard(&["install", name, "--dry-run"])
            .exits(0)
            .says("would be written");
        assert!(!repo.path(file).exists());
        repo.guard(&["install", name])
            .exits(0)
            .says("written")
            .says("the address of guard");
        assert_eq!(fs::read_to_string(repo.path(file)).unwrap(), content);
        repo.guard(&["install", name]).exits(0).says("runs guard");
        repo.guard(&["uninstall", name, "--dry-run"])
            .exits(0)
            .says("would be removed");
        repo.guard(&["uninstall", "all"]).exits(0);
        assert!(!repo.path(file).exists());
        repo.guard(&["uninstall", name])
            .exits(0)
            .says("there is no such file");
    }
}

/// Installs into a file with this content, and returns the new content, or `None` if guard left it alone. Installing
/// again changes nothing, and uninstalling restores the file.
#[track_caller]
fn extended(name: &str, content: &str) -> Option<String> {
    let (_, file, _) = TARGETS
        .into_iter()
        .find(|(target, ..)| *target == name)
        .unwrap();
    let repo = Repo::new();
    repo.write(file, content);
    let read = || fs::read_to_string(repo.path(file)).unwrap();
    let first = repo.guard(&["install", name]);
    let new = read();
    if new == content {
        first.exits(1).says("left alone");
        return None;
    }
    first.exits(0).says("extended");
    repo.guard(&["install", name]).exits(0);
    assert_eq!(read(), new);
    validate(name, &repo, file);
    repo.guard(&["uninstall", name]).exits(0).says("removed");
    assert_eq!(read().trim_end(), content.trim_end());
    Some(new)
}

/// The tool itself, if it is installed, reads the new file.
fn validate(name: &str, repo: &Repo, file: &str) {
    let (program, arguments) = match name {
        "pre-commit" => ("pre-commit", &["validate-config", file][..]),
        _ => (
            "check-jsonschema",
            &[
                "--no-cache",
                "--builtin-schema",
                "vendor.gitlab-ci",
                "--data-transform",
                "gitlab-ci",
                file,
            ][..],
        ),
    };
    if let Some(program) = common::tool(program) {
        common::run(repo.command(program).args(arguments)).exits(0);
    }
}

#[test]
fn an_entry_goes_to_the_end_of_a_file_in_which_it_fits() {
    let ruff = "repos:\n- repo: https://example.com/ruff\n  rev: v1\n  hooks:\n  - id: ruff\n";
    let own = shipped("pre-commit.yaml");
    let (_, own) = own.split_once("repos:\n").unwrap();
    assert_eq!(
        extended("pre-commit", ruff).unwrap(),
        format!("{ruff}{own}")
    );
    let indented = ruff.replace('\n', "\n  ").replace("  - id", "    - id");
    let new = extended(
        "pre-commit",
        &format!("fail_fast: true\n# all\n{}", indented.trim_end()),
    )
    .unwrap();
    assert!(
        new.contains("\n  - repo: https://example.com/guard "),
        "{new}"
    );
    let job = "stages:\n  - test\n\nunit tests:\n  script:\n    - make\n";
    let new = extended("gitlab", job).unwrap();
    assert_eq!(new, format!("{job}\n{}", shipped("gitlab.yml")));
}

#[test]
fn other_files_are_left_alone_and_the_lines_are_printed() {
    for (name, content) in [
        ("pre-commit", "repos: []\n"),
        ("pre-commit", "repos:\n- repo: x\nfail_fast: true\n"),
        ("pre-commit", "repos:\n"),
        ("pre-commit", "{repos: []}\n"),
        ("github", "name: guard\n"),
        ("gitlab", "guard:\n  script: [make]\n"),
        ("gitlab", "stages: [build]\n"),
        ("gitlab", "stages:\n- build\n"),
        ("gitlab", "{\"unit\": {\"script\": \"make\"}}\n"),
    ] {
        assert_eq!(extended(name, content), None, "{content}");
    }
    let repo = Repo::new();
    repo.write(".pre-commit-config.yaml", "repos: []\n");
    repo.guard(&["install", "pre-commit"])
        .exits(1)
        .says("add this to the list `repos`")
        .says("- repo: https://example.com/guard ");
    // Who calls guard in another way keeps it.
    repo.write(".gitlab-ci.yml", "x:\n  script: guard lint --ci\n");
    repo.guard(&["install", "gitlab"])
        .exits(0)
        .says("runs guard");
    repo.guard(&["uninstall", "gitlab"])
        .exits(1)
        .says("remove the lines");
    repo.guard(&["uninstall", "all"]).exits(0);
}

#[test]
fn doctor_knows_the_jobs() {
    let repo = Repo::new();
    repo.govern(&[("a.txt", "Add", "")]);
    for name in ["github", "gitlab"] {
        repo.guard(&["install", name]).exits(0);
    }
    repo.guard(&["doctor"])
        .says("warn  github: .github/workflows/guard.yml does not name the address of guard yet")
        .says("warn  gitlab: ");
    let file = ".github/workflows/guard.yml";
    let text = fs::read_to_string(repo.path(file)).unwrap();
    repo.write(file, text.replace("your-organisation", "acme"));
    repo.guard(&["doctor"])
        .says("ok    github: .github/workflows/guard.yml runs guard");
}
