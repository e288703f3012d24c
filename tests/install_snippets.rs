//! `guard install pre-commit`, `github` and `gitlab`: the file of the documentation, or the lines to add to an existing
//! one.

use std::fs;
use std::path::Path;

use crate::common::{Repo, SOURCE};

const TARGETS: [(&str, &str, &str); 3] = [
    ("pre-commit", ".pre-commit-config.yaml", "pre-commit.yaml"),
    ("github", ".github/workflows/guard.yml", "github.yml"),
    ("gitlab", ".gitlab-ci.yml", "gitlab.yml"),
];

#[test]
fn files_are_written_as_the_documentation_shows_them() {
    let page = fs::read_to_string(Path::new(SOURCE).join("docs/ci.md")).unwrap();
    for (name, file, content) in TARGETS {
        let repo = Repo::new();
        let content = fs::read_to_string(Path::new(SOURCE).join("hooks/ci").join(content)).unwrap();
        // README's file is compared by the tests of its routes.
        if name != "pre-commit" {
            assert!(
                page.contains(&format!("```yaml\n# {file}\n{content}```\n")),
                "{name}"
            );
        }
        repo.tells(&format!("install {name} --dry-run"), 0, "would be written");
        assert!(!repo.path(file).exists());
        repo.tells(&format!("install {name}"), 0, "written")
            .says("the address of guard");
        assert_eq!(repo.text(file), content);
        repo.guard(&["install", name]).exits(0).says("runs guard");
        repo.guard(&["uninstall", name, "--dry-run"])
            .exits(0)
            .says("would be removed");
        repo.guard(&["uninstall", "all"]).exits(0);
        assert!(!repo.path(file).exists());
    }
}

#[test]
fn guards_part_is_added_to_existing_files_and_goes_again() {
    let repo = Repo::new();
    for (name, file, own, part) in [
        (
            "pre-commit",
            ".pre-commit-config.yaml",
            "repos:\n- repo: x\n  rev: v1\n  hooks:\n  - id: x\n",
            "- repo: https://",
        ),
        (
            "gitlab",
            ".gitlab-ci.yml",
            "unit:\n  script:\n  - make\n",
            "guard:\n",
        ),
        (
            "lefthook",
            "lefthook.yml",
            "pre-commit:\n  jobs:\n  - run: x\n",
            "guard hook",
        ),
        (
            "husky",
            ".husky/pre-commit",
            "npm test\n",
            "guard hook pre-commit",
        ),
    ] {
        repo.write(file, own);
        repo.guard(&["install", name]).exits(0);
        let written = repo.text(file);
        assert!(written.contains(part), "{written}");
        repo.tells(&format!("install {name}"), 0, "runs guard");
        repo.guard(&["uninstall", name]).exits(0);
        assert_eq!(repo.text(file), own, "{name}");
    }
    // What guard cannot read stays, and the lines are printed.
    repo.write(".pre-commit-config.yaml", "repos: &all\n- repo: x\n");
    let told = repo.guard(&["install", "pre-commit"]).exits(1);
    told.says("- repo: https://");
    // Who calls guard in another way keeps it.
    repo.write(".gitlab-ci.yml", "x:\n  script: guard lint --ci\n");
    repo.tells("install gitlab", 0, "runs guard");
    repo.tells("uninstall gitlab", 1, "remove the lines");
    repo.guard(&["uninstall", "all"]).exits(0);
}
