//! `guard scope import`: proposes a table for the files of a plan, and writes it once a person confirms.

use crate::common::{DESIGN, Repo, SETTINGS};

const PLAN: &str = "docs/plans/loader.md";

const TEXT: &str = "# Split the loader

The loader in `src/slow.rs` is slow.

### Task 1: The cache

**Files:**
- Create: `src/cache.rs`
- Modify: `src/loader.rs:94` (two calls)
- Do not touch `src/kept.rs`

### Task 2: The rest

- [ ] Delete `src/old.rs`
- [ ] Rename `src/from.rs` to `src/to.rs`
";

fn repo() -> Repo {
    let repo = Repo::new();
    repo.stage("guard.toml", SETTINGS);
    for path in ["slow", "loader", "kept", "old", "from"] {
        repo.stage(format!("src/{path}.rs"), "x\n");
    }
    repo.stage(PLAN, TEXT);
    repo.commit("Begin");
    repo.branch("188-work");
    repo
}

/// Type and path of each row that guard prints.
fn proposed(repo: &Repo, plan: &str) -> Vec<String> {
    let table = repo.guard(&["scope", "import", plan]).exits(0).stdout;
    let mut rows = Vec::new();
    for line in table.lines() {
        let Some(row) = line.strip_prefix("| `") else {
            continue;
        };
        let (path, row) = row.split_once("` | ").unwrap();
        let (change, _) = row.split_once(" | ").unwrap();
        rows.push(format!("{change} {path}"));
    }
    rows
}

#[test]
fn what_head_has_and_a_type_word_give_the_type_of_a_row() {
    let repo = repo();
    assert_eq!(
        proposed(&repo, PLAN),
        [
            "Modify src/slow.rs",
            "Add src/cache.rs",
            "Modify src/loader.rs",
            "Delete src/old.rs",
            "Modify src/from.rs",
            "Add src/to.rs",
        ]
    );
    // An existing file is not added, and HEAD says what exists: neither the index nor the work tree does.
    repo.write(PLAN, "**Files:**\n- Create: `src/old.rs`\n");
    assert_eq!(proposed(&repo, PLAN), ["Modify src/old.rs"]);
    repo.git(&["rm", "--quiet", "--cached", "src/old.rs"]);
    repo.write("src/new.rs", "x\n");
    repo.write(PLAN, "Change `src/old.rs` and `src/new.rs`.\n");
    assert_eq!(
        proposed(&repo, PLAN),
        ["Modify src/old.rs", "Add src/new.rs"]
    );
}

#[test]
fn print_writes_nothing_and_its_table_is_a_design() {
    let repo = repo();
    let before = repo.digest_tree();
    let printed = repo.guard(&["scope", "import", PLAN, "--print"]).exits(0);
    let table = &printed.stdout;
    assert!(table.starts_with("## Files Changed\n\n| File | Change Type | Description |\n"));
    for row in [
        "| `src/loader.rs` | Modify | Modify: src/loader.rs:94 (two calls) |\n",
        "| `src/slow.rs` | Modify | The loader in src/slow.rs is slow. |\n",
        "\nNot proposed, since the text says otherwise:\n\n- `src/kept.rs` (line 10): Do not touch src/kept.rs\n",
    ] {
        assert!(table.contains(row), "{table}");
    }
    // A pipe and an agent get the same, with the reason.
    let piped = repo.guard(&["scope", "import", PLAN]).exits(0);
    assert_eq!(&piped.says("guard wrote nothing").stdout, table);
    let agent = repo.guard_with(&[("CLAUDECODE", "1")], &["scope", "import", PLAN]);
    assert_eq!(&agent.exits(0).says("CLAUDECODE").stdout, table);
    let json = repo.json(&["scope", "import", PLAN]);
    assert!(table.starts_with(json["table"].as_str().unwrap()));
    assert_eq!(json["not_proposed"][0]["path"], "src/kept.rs");
    assert_eq!(repo.digest_tree(), before);
    // As it is, `scope check` accepts it, and what the text denies is not in it.
    repo.stage(DESIGN, table);
    repo.tells(
        &format!("scope check --staged {DESIGN}"),
        0,
        "nothing to correct in 1 design",
    );
    let shown = repo.json(&["scope", "check", "--staged", DESIGN]);
    let mut paths = Vec::new();
    for grant in shown["grants"].as_array().unwrap() {
        paths.push(grant["path"].as_str().unwrap());
    }
    assert_eq!(
        paths,
        [
            "src/slow.rs",
            "src/cache.rs",
            "src/loader.rs",
            "src/old.rs",
            "src/from.rs",
            "src/to.rs"
        ]
    );
}

#[test]
fn for_a_plan_without_paths_the_empty_table_is_printed() {
    let repo = repo();
    repo.write(PLAN, "# Plan\n\nMake it fast.\n");
    repo.tells(&format!("scope import {PLAN}"), 0, "no path to propose");
}

#[test]
fn large_and_binary_plans_are_refused() {
    let repo = Repo::new();
    repo.write("plan.md", "x\n".repeat(600_000));
    repo.tells("scope import plan.md", 2, "larger than 1 MB");
    repo.write("plan.md", b"\xff\xfe");
    repo.tells("scope import plan.md", 2, "UTF-8");
    repo.guard(&["scope", "import", "none.md"]).exits(2);
    repo.guard(&["scope", "import", "."]).exits(2);
    // A large plan takes no more than linear time.
    let items = (0..5_000).map(|n| format!("- Create: `src/f{n}.rs`\n"));
    let items: String = items.collect();
    repo.stage("src/a.txt", "x\n");
    repo.commit("A directory");
    repo.write("plan.md", format!("**Files:**\n{items}"));
    assert_eq!(proposed(&repo, "plan.md").len(), 5_000);
    for part in ["(", "a/b.rs(", "a: ", "`a/b`->"] {
        let text = format!("**Files:** {}`src/a.rs`\n", part.repeat(20_000));
        repo.write("plan.md", text);
        // `a/b` is no file, and a description has the beginning of its line only.
        let found = proposed(&repo, "plan.md");
        assert_eq!(found, ["Add src/a.rs"], "{part}");
    }
}

mod at_a_terminal {
    use super::*;
    use crate::common::terminal::{End, Session, driver, guard_at_terminal};

    /// Runs `guard scope import` in a terminal, and answers its questions one after the other.
    fn import(repo: &Repo, arguments: &[&str], answers: &[&str]) -> Option<Session> {
        let arguments = [&["scope", "import"], arguments].concat();
        let mut asked = Vec::new();
        for answer in answers {
            asked.push(("Type `yes`", *answer));
        }
        let driver = driver(repo)?;
        Some(guard_at_terminal(driver, &arguments, &asked, End::Wait))
    }

    /// What the staged version of a document grants.
    fn granted(repo: &Repo, path: &str) -> Vec<String> {
        repo.git(&["commit", "--quiet", "-m", "Table", "--", path]);
        let shown = repo.json(&["scope", "show", "--lld", path]);
        let grants = shown["grants"].as_array().unwrap().iter();
        let paths = grants.map(|grant| grant["path"].as_str().unwrap().to_owned());
        let mut paths: Vec<String> = paths.collect();
        paths.sort();
        paths
    }

    #[test]
    fn confirmed_rows_are_written_into_the_plan_and_staged_alone() {
        let repo = repo();
        repo.stage("other.txt", "staged before\n");
        let Some(session) = import(&repo, &[PLAN], &["yes\n"]) else {
            return;
        };
        session
            .exits(0)
            .says(&format!("git commit -m \"Extend the design\" -- {PLAN}"))
            .says(&format!("guard use {PLAN}"));
        let text = repo.text(PLAN);
        assert!(text.starts_with(TEXT) && !text.contains("kept.rs` |"));
        assert!(text.contains("| `src/cache.rs` | Add | Create: src/cache.rs |\n"));
        let staged = repo.git(&["diff", "--cached", "--name-only"]);
        assert_eq!(staged, format!("{PLAN}\nother.txt"));
        let rows = ["cache", "from", "loader", "old", "slow", "to"];
        assert_eq!(
            granted(&repo, PLAN),
            rows.map(|name| format!("src/{name}.rs"))
        );
    }

    #[test]
    fn rows_are_confirmed_one_by_one() {
        let repo = repo();
        let answers = ["each\n", "no\n", "yes\n", "\n", "y\n", "yess\n", "yes\n"];
        let Some(session) = import(&repo, &[PLAN], &answers) else {
            return;
        };
        session
            .exits(0)
            .says("line 3: | `src/slow.rs` | Modify |")
            .says("Not proposed, since the text says otherwise:");
        assert_eq!(
            granted(&repo, PLAN),
            ["src/cache.rs", "src/old.rs", "src/to.rs"]
        );
    }

    #[test]
    fn plan_stays_as_it_is_without_consent_or_rows() {
        let repo = repo();
        for answers in [
            &["y\n"][..],
            &["no\n"],
            &["\n"],
            &["YES please\n"],
            &["each\n", "no\n", "no\n", "no\n", "no\n", "no\n", "no\n"],
        ] {
            let Some(session) = import(&repo, &[PLAN], answers) else {
                return;
            };
            session.exits(0).says("guard wrote nothing");
            assert_eq!(repo.git(&["status", "--porcelain"]), "");
        }
        repo.write("guess.md", "The loader is slow.\n");
        let driver = driver(&repo).unwrap();
        let line = ["scope", "import", "guess.md"];
        guard_at_terminal(driver, &line, &[], End::Wait)
            .exits(0)
            .says("no path to propose");
    }

    #[test]
    fn table_goes_into_another_document_that_has_none() {
        let repo = repo();
        let Some(session) = import(&repo, &[PLAN, "--into", DESIGN], &["yes\n"]) else {
            return;
        };
        let shown = session
            .exits(0)
            .says("git commit -m \"Add the design\"")
            .shown;
        // The branch selects it.
        assert!(!shown.contains("guard use"), "{shown}");
        assert_eq!(granted(&repo, DESIGN).len(), 6);
        let again = import(&repo, &[PLAN, "--into", DESIGN], &["yes\n"]).unwrap();
        again.exits(2).says("already exists");
        assert_eq!(repo.text(PLAN), TEXT);
        let outside = import(&repo, &[PLAN, "--into", "../out.md"], &["yes\n"]).unwrap();
        assert_eq!(outside.code, 2);
        assert!(!repo.path("../out.md").exists());
    }

    /// spec-kit writes its plan and its tasks anew; the table beside them stays.
    #[test]
    fn table_beside_the_plan_is_part_of_the_design_of_its_directory() {
        let repo = Repo::new();
        let path = "specs/{branch}/{spec,plan,tasks,files}.md";
        repo.stage("guard.toml", format!("[lld]\npath = \"{path}\"\n"));
        repo.stage("src/form.rs", "fn form() {}\n");
        let tasks = "specs/004-login/tasks.md";
        repo.stage(
            tasks,
            "# Tasks\n\nThe form is in `src/form.rs`.\n\n**Files:**\n- Create: `src/login.rs`\n",
        );
        repo.commit("Begin");
        repo.branch("feature/004-login");
        let files = "specs/004-login/files.md";
        let Some(session) = import(&repo, &[tasks, "--into", files], &["yes\n"]) else {
            return;
        };
        // Once it is committed, the branch selects it with the others.
        let shown = session.exits(0).says("Add the design").shown;
        assert!(!shown.contains("guard use"), "{shown}");
        repo.git(&["commit", "--quiet", "-m", "Add the design", "--", files]);
        repo.stage(tasks, "# Tasks, written anew\n");
        repo.stage("src/login.rs", "fn login() {}\n");
        repo.guard(&["lint"]).exits(0);
        repo.stage("src/other.rs", "fn other() {}\n");
        repo.tells("lint", 1, "src/other.rs is not in the design")
            .says(files);
    }

    #[test]
    fn hostile_paths_never_leave_their_row() {
        let repo = repo();
        let hostile = "# Plan\n\n**Files:**\n- Create: `a|b.rs`\n- Create: `c` | Delete | x | `d\n\
                       - Create: `src/x\u{7}.rs`\n- Create: `src/\u{202e}sr.rs`\n- Create: `src/ok.rs`\n\
                       - Create: `guard.toml`\n- Create: `src/x.rs\n| y.rs`\n";
        repo.stage(PLAN, hostile);
        repo.stage("a|b.rs", "x\n");
        repo.commit("Hostile");
        let Some(session) = import(&repo, &[PLAN, "--into", "design.md"], &["yes\n"]) else {
            return;
        };
        session.exits(0);
        let text = repo.text("design.md");
        assert!(text.contains("| `a\\|b.rs` | Modify |"), "{text}");
        assert!(!text.contains("| Delete |"), "{text}");
        let granted = granted(&repo, "design.md");
        // A code span with a slash and an extension is a path, blanks or not.
        assert_eq!(granted, ["a|b.rs", "src/ok.rs", "src/x.rs | y.rs"]);
    }
}

#[test]
fn what_a_sentence_leaves_alone_or_only_considers_is_not_proposed() {
    let repo = repo();
    let text = "# Plan

- Modify `src/loader.rs`: two calls
- We leave `src/kept.rs` alone.
- Alternative considered: delete `src/old.rs` and begin anew.
- Rejected: rename `src/from.rs`
";
    repo.stage(PLAN, text);
    repo.commit("Change the plan");
    assert_eq!(proposed(&repo, PLAN), ["Modify src/loader.rs"]);
}
