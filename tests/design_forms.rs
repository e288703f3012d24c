//! Plans as teams write them: every document of `fixtures/plans`, read by the built binary.
//!
//! `NAME.grants` states what a reviewer would let through: `write PATH`, `delete PATH`, `mention PATH`, and `refused` for a
//! document that grants nothing. Its first line says where the document lies.

use std::collections::BTreeSet;
use std::path::Path;

use crate::common::{DESIGN, Repo, SETTINGS, SOURCE, assert_says};
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
fn forms_are_a_union_and_quoted_or_removed_ones_declare_nothing() {
    let repo = Repo::new();
    for (document, expected) in [
        (
            "---\nfiles_modified: []\n---\n\n**Files:**\n- `a.rs`, `b.rs`",
            &["write a.rs", "write b.rs"][..],
        ),
        (
            "---\nfiles_modified: [a.rs]\nmust_haves:\n  artifacts:\n    - path: c.rs\n---\n\n**Files:**\n- `b.rs`\n\n<files>d.rs</files>\n\n<details>\n\n**Files:**\n\n- `e.rs`\n\n</details>",
            &["write a.rs", "write b.rs"],
        ),
        (
            "**Files:**\n- `a.rs`\n\n````markdown\n**Files:**\n- Create: `b.rs`\n\n```text\nsrc/\n├── c.rs # NEW\n```\n````\n\n> **Files:**\n> - `d.rs`",
            &["write a.rs"],
        ),
        (
            "## Files to modify\n\n|File|Change|\n|---|---|\n|`x.rs`|x|\n|`README.md`|x|\n\n**Files to delete:**\n\n- `y.rs`",
            &["write x.rs", "write README.md", "delete y.rs"],
        ),
        (
            "## Files to modify\n\n|File|Change|\n|---|---|\n|`../../x.rs`|x|\n|`README.md`|x|",
            &["write README.md"],
        ),
        (
            "**Files to modify:**\n\n|File|Change|\n|---|---|\n|`x.rs`|x|",
            &["refused"],
        ),
        (
            "**Files** (all in `src/commands/`):\n- `index.ts`",
            &["refused"],
        ),
        (
            "## File Locations\n\nAll in `src/commands/`:\n\n- `index.ts`",
            &["refused"],
        ),
    ] {
        repo.write("plan.md", format!("{document}\n"));
        let expected = expected.iter().map(|&label| label.to_owned()).collect();
        assert_eq!(found(&repo, "plan.md"), expected, "{document}");
    }
}

#[test]
fn a_table_with_types_stays_the_whole_scope_and_lint_says_once_what_it_leaves_out() {
    let repo = Repo::new();
    repo.stage("guard.toml", SETTINGS);
    let front = "---\nallowed_files: [c.rs]\n---\n";
    let table = "| File | Change Type |\n|---|---|\n| `a.rs` | Add |\n";
    let lists = "**Files:**\n- `b.rs`\n";
    repo.stage(
        DESIGN,
        format!("{front}## Files Changed\n\n{table}\n{lists}"),
    );
    repo.commit("Begin");
    repo.branch("188-work");
    repo.stage("a.rs", "x\n");
    let lint = repo.guard(&["lint"]).exits(0).text();
    assert_eq!(lint.matches("design-bad-row").count(), 1, "{lint}");
    assert_says(
        &lint,
        &[
            "the table on line 6 is the whole scope, so it leaves out `c.rs` (line 2), `b.rs` (line 11)",
        ],
    );
    assert_eq!(found(&repo, DESIGN), ["write a.rs".to_owned()].into());
    for path in ["b.rs", "c.rs"] {
        repo.stage(path, "x\n");
        repo.guard(&["lint"]).exits(1).says(path);
        repo.git(&["rm", "--quiet", "--cached", path]);
    }
}

#[test]
fn every_grant_says_which_form_it_came_from() {
    let repo = Repo::new();
    repo.write(
        "tasks.md",
        "---\nfiles_modified: [a.rs]\n---\n\n**Files:**\n- `b.rs`\n\n## Files to Create\n\n- `c.rs`\n\n## New Files\n\n| File | Why |\n|---|---|\n| `d.rs` | x |\n",
    );
    let json = repo.json(&["scope", "show", "--lld", "tasks.md"]);
    let grants = json["grants"].as_array().unwrap().iter();
    let forms: Vec<String> = grants
        .map(|grant| format!("{} {}", text(&grant["path"]), text(&grant["form"])))
        .collect();
    assert_eq!(
        forms,
        [
            "a.rs front-matter",
            "b.rs label-list",
            "c.rs heading-list",
            "d.rs table"
        ]
    );
    let shown = repo.guard(&["scope", "show", "--lld", "tasks.md"]);
    shown.exits(0).says("heading-list");
}
