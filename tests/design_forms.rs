//! Plans as teams write them: every document of `fixtures/plans`, read by the built binary.
//!
//! `NAME.grants` states what a reviewer would let through: `write PATH`, `delete PATH`, `mention PATH`, `unread LINE`,
//! and `refused` for a document that grants nothing. Its first line says where the document lies.

use std::collections::BTreeSet;
use std::path::Path;

use crate::common::{DESIGN, Repo, SETTINGS, SOURCE, assert_says, table};
use serde_json::Value;

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or("-")
}

/// What `guard scope check` finds in a document.
fn found(repo: &Repo, path: &str) -> BTreeSet<String> {
    let json = repo.json(&["scope", "check", path]);
    let mut found = BTreeSet::new();
    for grant in json["grants"].as_array().unwrap() {
        let actions = grant["actions"].as_array().unwrap();
        let is_delete = actions.iter().any(|action| action == "delete");
        let word = if is_delete { "delete" } else { "write" };
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
    let directory = Path::new(SOURCE).join("fixtures/plans");
    let (mut count, mut wrong) = (0, String::new());
    for entry in std::fs::read_dir(&directory).unwrap() {
        let file = entry.unwrap().path();
        if file
            .extension()
            .is_none_or(|extension| extension != "grants")
        {
            continue;
        }
        count += 1;
        let grants = std::fs::read_to_string(&file).unwrap();
        let (at, expected) = grants.split_once('\n').unwrap();
        let at = at.strip_prefix("at ").unwrap();
        let expected: BTreeSet<String> = expected.lines().map(str::to_owned).collect();
        repo.write(at, std::fs::read(file.with_extension("md")).unwrap());
        let found = found(&repo, at);
        // A path that is granted may be mentioned elsewhere.
        let is_granted = |line: &str| {
            let path = line.strip_prefix("mention ");
            let granted = |path| ["write", "delete"].map(|word| format!("{word} {path}"));
            path.is_some_and(|path| granted(path).iter().any(|line| found.contains(line)))
        };
        let missing: Vec<_> = expected.difference(&found).collect();
        let beyond = found.difference(&expected);
        let beyond: Vec<_> = beyond.filter(|line| !is_granted(line)).collect();
        if !missing.is_empty() || !beyond.is_empty() {
            wrong.push_str(&format!("{at}: missing {missing:#?}, beyond {beyond:#?}\n"));
        }
    }
    assert!(count >= 20, "the fixtures are gone");
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn forms_are_a_union_and_quoted_or_relative_ones_declare_nothing() {
    let repo = Repo::new();
    // `¦` ends a line.
    for [document, expected] in table(
        "---¦files_modified: []¦---¦¦<task>¦    <files>a.rs, b.rs</files>¦</task> | write a.rs, write b.rs
         ---¦files_modified: [a.rs]¦must_haves:¦  artifacts:¦    - path: c.rs¦---¦¦<task>¦<files>¦  - b.rs¦</files>¦</task>¦¦<files>d.rs</files>¦¦<details>¦<task><files>e.rs</files></task>¦</details> | write a.rs, write b.rs
         **Files:** `a.rs`¦¦````markdown¦**Files:**¦- Create: `b.rs`¦¦```text¦src/¦├── c.rs # NEW¦```¦````¦¦> **Files:** `d.rs` | write a.rs
         **Files to modify:**¦¦|File|Change|¦|---|---|¦|`x.rs`|x|¦|`README.md`|x| | write x.rs, write README.md
         **Files to modify:**¦¦|File|Change|¦|---|---|¦|`../../x.rs`|x|¦|`README.md`|x| | refused
         **Files** (all in `src/commands/`):¦- `index.ts` | refused, unread 1
         ## File Locations¦¦All in `src/commands/`:¦¦- `index.ts` | refused",
    ) {
        repo.write("plan.md", document.replace('¦', "\n") + "\n");
        let expected: BTreeSet<String> = expected.split(", ").map(str::to_owned).collect();
        assert_eq!(found(&repo, "plan.md"), expected, "{document}");
    }
}

#[test]
fn a_table_with_types_stays_the_whole_scope_and_lint_says_once_what_it_leaves_out() {
    let repo = Repo::new();
    repo.stage("guard.toml", SETTINGS);
    let table = "| File | Change Type |\n|---|---|\n| `a.rs` | Add |\n";
    let lists = "**Files:**\n- `b.rs`\n\n**Files:** `c.rs`\n";
    repo.stage(DESIGN, format!("## Files Changed\n\n{table}\n{lists}"));
    repo.commit("Begin");
    repo.branch("188-work");
    repo.stage("a.rs", "x\n");
    let lint = repo.guard(&["lint"]).exits(0).text();
    assert_eq!(lint.matches("design-unread").count(), 1, "{lint}");
    assert_says(&lint, &["leaves out `b.rs` (line 8), `c.rs` (line 10)"]);
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
    let grants = json["grants"].as_array().unwrap().iter();
    let forms = grants.map(|grant| format!("{} {}", text(&grant["path"]), text(&grant["form"])));
    let expected = "a.rs front-matter, b.rs files-tag, c.rs label-list, d.rs label-line, e.rs heading-list, f.rs table, \
        g.rs file-heading, src/h.rs tree, src/i.rs task-line";
    assert_eq!(forms.collect::<Vec<_>>().join(", "), expected);
    let shown = repo.guard(&["scope", "show", "--lld", "tasks.md"]);
    shown.exits(0).says("files-tag");
}
