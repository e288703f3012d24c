//! `guard install pre-commit`, `github` and `gitlab`: the file of the documentation, or the lines to add to an existing
//! one.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use crate::common::pages::page;
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

/// The program behind an address may be anything, so the commit that writes it needs a row, as the advice says.
#[test]
fn address_that_replaces_the_one_of_the_documentation_needs_a_row() {
    for (name, file, _) in TARGETS {
        let repo = Repo::new();
        repo.stage("src/a.rs", "fn a() {}\n");
        repo.commit("Start");
        repo.guard(&["init"]).exits(0);
        repo.git(&["add", "--all"]);
        repo.commit("Set guard up");
        let advice = "a design has to name the file in the commit that writes the address";
        repo.tells(&format!("install {name}"), 0, advice)
            .says("guard scope new --from-changes");
        repo.git(&["add", "--all"]);
        repo.guard(&["lint"]).exits(0);
        repo.commit("Call guard");
        repo.branch("7-address");
        let written = repo.text(file);
        let real = written
            .replace("https://example.com/guard", "https://git.acme.test/guard")
            .replace("your-organisation/guard", "acme/guard");
        assert_ne!(real, written, "{name}");
        repo.stage(file, real);
        repo.tells("lint", 1, "it takes guard from another address");
        repo.guard(&["scope", "new", "--from-changes"]).exits(0);
        let design = "docs/lld/active/LLD-7.md";
        repo.git(&["commit", "--quiet", "-m", "Add the design", "--", design]);
        repo.tells("lint", 0, design);
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

/// The actions of other projects in a workflow: the name, the version and the text behind the `@`.
fn actions(workflow: &str) -> Vec<(&str, &str, &str)> {
    let uses = workflow
        .lines()
        .filter_map(|line| line.split_once("uses: "));
    let others =
        uses.filter(|(_, action)| !action.starts_with("./") && !action.starts_with("your-"));
    let split = others.map(|(_, action)| {
        let (name, pin) = action.split_once('@').unwrap();
        let (commit, version) = pin.split_once(" # ").unwrap_or((pin, ""));
        (name, version, commit)
    });
    split.collect()
}

/// A tag can be moved. What `guard install github` writes names the commits that guard's own workflows run.
#[test]
fn workflows_pin_each_action_by_one_commit() {
    let mut known = HashMap::new();
    for (file, count) in [
        (".github/workflows/ci.yml", 10),
        (".github/workflows/release.yml", 14),
        ("hooks/ci/github.yml", 3),
    ] {
        let workflow = page(file);
        let actions = actions(&workflow);
        assert!(actions.len() >= count, "{file}: {actions:?}");
        for (name, version, commit) in actions {
            let is_hex = commit.bytes().all(|byte| byte.is_ascii_hexdigit());
            assert!(commit.len() == 40 && is_hex, "{file}: {name}@{commit}");
            assert!(version.starts_with('v'), "{file}: {name} # {version}");
            let pin = (version.to_owned(), commit.to_owned());
            let known = known.entry(name.to_owned()).or_insert(pin.clone());
            assert_eq!(*known, pin, "{file}: {name}");
        }
    }
}
