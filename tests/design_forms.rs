//! Plans as teams write them: every document of `fixtures/plans`, read by the built binary.
//!
//! `NAME.grants` states what a reviewer would let through: `write PATH`, `delete PATH`, `mention PATH`, `unread LINE`,
//! and `refused` for a document that grants nothing. Its first line says where the document lies.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::path::Path;

use crate::common::{DESIGN, Repo, SETTINGS, SOURCE};
use serde_json::Value;

/// One fixture.
struct Plan {
    name: String,
    path: String,
    text: String,
    expected: BTreeSet<String>,
}

fn plans() -> Vec<Plan> {
    let directory = Path::new(SOURCE).join("fixtures/plans");
    let mut names: Vec<String> = std::fs::read_dir(&directory)
        .unwrap()
        .filter_map(|entry| {
            let name = entry.unwrap().file_name().into_string().unwrap();
            name.strip_suffix(".grants").map(str::to_owned)
        })
        .collect();
    names.sort();
    names
        .into_iter()
        .map(|name| {
            let read = |extension: &str| {
                std::fs::read_to_string(directory.join(format!("{name}.{extension}"))).unwrap()
            };
            let grants = read("grants");
            let (at, expected) = grants.split_once('\n').unwrap();
            Plan {
                path: at.strip_prefix("at ").unwrap().to_owned(),
                text: read("md"),
                expected: expected.lines().map(str::to_owned).collect(),
                name,
            }
        })
        .collect()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or("-")
}

/// What `guard scope check` finds in a document.
fn found(repo: &Repo, path: &str) -> BTreeSet<String> {
    let json = repo.json(&["scope", "check", path]);
    let mut found = BTreeSet::new();
    for grant in json["grants"].as_array().unwrap() {
        let actions: Vec<&str> = grant["actions"]
            .as_array()
            .unwrap()
            .iter()
            .map(text)
            .collect();
        let word = if actions.contains(&"delete") {
            "delete"
        } else {
            "write"
        };
        found.insert(format!("{word} {}", text(&grant["path"])));
    }
    if found.is_empty() {
        found.insert("refused".to_owned());
    }
    for mention in json["mentions"].as_array().unwrap() {
        found.insert(format!("mention {}", text(&mention["path"])));
    }
    for problem in json["problems"].as_array().unwrap() {
        if text(&problem["rule"]) == "design-unread" {
            found.insert(format!("unread {}", problem["design"]["line"]));
        }
    }
    found
}

#[test]
fn plans_are_read_as_their_reviewers_read_them() {
    let repo = Repo::new();
    let plans = plans();
    assert!(plans.len() >= 20, "the fixtures are gone");
    for plan in &plans {
        repo.write(&plan.path, &plan.text);
    }
    let mut wrong = String::new();
    for plan in &plans {
        let found = found(&repo, &plan.path);
        // A path that is granted may be mentioned elsewhere.
        let granted = |line: &str| {
            line.strip_prefix("mention ").is_some_and(|path| {
                ["write", "delete"]
                    .iter()
                    .any(|word| found.contains(&format!("{word} {path}")))
            })
        };
        let missing: Vec<_> = plan.expected.difference(&found).collect();
        let beyond: Vec<_> = found
            .difference(&plan.expected)
            .filter(|line| !granted(line))
            .collect();
        if !missing.is_empty() || !beyond.is_empty() {
            wrong.push_str(&format!(
                "{}: missing {missing:#?}, beyond {beyond:#?}\n",
                plan.name
            ));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// What each document grants, mentions and leaves unread.
#[track_caller]
pub(crate) fn reads(documents: &[(&str, &[&str])]) {
    let repo = Repo::new();
    let mut wrong = String::new();
    for (document, expected) in documents {
        repo.write("plan.md", document);
        let found = found(&repo, "plan.md");
        let expected: BTreeSet<String> = expected.iter().map(|&line| line.to_owned()).collect();
        if found != expected {
            wrong.push_str(&format!(
                "{document}\nfound {found:#?}\nexpected {expected:#?}\n"
            ));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn tags_and_front_matter_are_a_union() {
    reads(&[
        (
            "---\nfiles_modified: []\n---\n\n<task>\n    <files>a.rs, b.rs</files>\n</task>\n",
            &["write a.rs", "write b.rs"],
        ),
        (
            "---\nfiles_modified: [a.rs]\nmust_haves:\n  artifacts:\n    - path: c.rs\n---\n\n<task>\n<files>\n  - b.rs\n</files>\n</task>\n\n<files>d.rs</files>\n\n<details>\n<task><files>e.rs</files></task>\n</details>\n",
            &["write a.rs", "write b.rs"],
        ),
    ]);
}

#[test]
fn quoted_plans_declare_nothing() {
    reads(&[(
        "**Files:** `a.rs`\n\n````markdown\n**Files:**\n- Create: `b.rs`\n\n```text\nsrc/\n├── c.rs # NEW\n```\n````\n\n> **Files:** `d.rs`\n",
        &["write a.rs"],
    )]);
}

#[test]
fn paths_that_start_elsewhere_are_refused_together() {
    let table = |row: &str| {
        format!(
            "**Files to modify:**\n\n| File | Change |\n|---|---|\n| {row} | x |\n| `README.md` | x |\n"
        )
    };
    reads(&[
        (&table("`../../x.rs`"), &["refused"]),
        (&table("`x.rs`"), &["write x.rs", "write README.md"]),
        (
            "**Files** (all in `src/commands/`):\n- `index.ts`\n",
            &["refused", "unread 1"],
        ),
        (
            "## File Locations\n\nAll in `src/commands/`:\n\n- `index.ts`\n",
            &["refused"],
        ),
    ]);
}

#[test]
fn a_table_with_types_stays_the_whole_scope_and_lint_says_once_what_it_leaves_out() {
    let repo = Repo::new();
    repo.stage("guard.toml", SETTINGS);
    repo.stage(
        DESIGN,
        "## Files Changed\n\n| File | Change Type |\n|---|---|\n| `a.rs` | Add |\n\n**Files:**\n- `b.rs`\n\n**Files:** `c.rs`\n",
    );
    repo.commit("Begin");
    repo.branch("188-work");
    repo.stage("a.rs", "x\n");
    let lint = repo.guard(&["lint"]).exits(0).text();
    assert_eq!(lint.matches("design-unread").count(), 1, "{lint}");
    assert!(
        lint.contains("leaves out `b.rs` (line 8), `c.rs` (line 10)"),
        "{lint}"
    );
    let found = found(&repo, DESIGN);
    let expected = ["write a.rs", "unread 8"].map(str::to_owned);
    assert_eq!(found, expected.into());
    repo.stage("b.rs", "x\n");
    repo.guard(&["lint"]).exits(1).says("b.rs");
}

#[test]
fn every_grant_says_which_form_it_came_from() {
    let repo = Repo::new();
    repo.write(
        "tasks.md",
        "---\nfiles_modified: [a.rs]\n---\n\n<task>\n<files>b.rs</files>\n</task>\n\n**Files:**\n- `c.rs`\n\n**Files:** `d.rs`\n\n## Files to Create\n\n- `e.rs`\n\n## New Files\n\n| File | Why |\n|---|---|\n| `f.rs` | x |\n\n#### [MODIFY] g.rs\n\n```\nsrc/\n├── h.rs # NEW\n```\n\n## Tasks\n\n- [ ] Create src/i.rs\n",
    );
    let json = repo.json(&["scope", "show", "--lld", "tasks.md"]);
    let forms: Vec<(&str, &str)> = json["grants"]
        .as_array()
        .unwrap()
        .iter()
        .map(|grant| (text(&grant["path"]), text(&grant["form"])))
        .collect();
    assert_eq!(
        forms,
        [
            ("a.rs", "front-matter"),
            ("b.rs", "files-tag"),
            ("c.rs", "label-list"),
            ("d.rs", "label-line"),
            ("e.rs", "heading-list"),
            ("f.rs", "table"),
            ("g.rs", "file-heading"),
            ("src/h.rs", "tree"),
            ("src/i.rs", "task-line"),
        ]
    );
    repo.guard(&["scope", "show", "--lld", "tasks.md"])
        .exits(0)
        .says("files-tag");
}
