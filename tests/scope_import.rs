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

/// Type and path of each row that guard prints, after a `?` if it is doubtful.
fn proposed(repo: &Repo, plan: &str) -> Vec<String> {
    let table = repo.guard(&["scope", "import", plan]).exits(0).stdout;
    let rows = table.lines().filter(|line| line.contains("| `"));
    rows.map(|row| {
        let (mark, row) = row.split_once("| `").unwrap();
        let (path, row) = row.split_once("` | ").unwrap();
        let (change, _) = row.split_once(" | ").unwrap();
        format!("{mark}{change} {path}")
    })
    .collect()
}

#[test]
fn existence_gives_the_type_of_what_only_text_names() {
    let repo = repo();
    let mut rows = proposed(&repo, PLAN);
    rows.sort();
    assert_eq!(
        rows,
        [
            "? Add src/to.rs",
            "? Modify src/from.rs",
            "? Modify src/kept.rs",
            "? Modify src/slow.rs",
            "Add src/cache.rs",
            "Delete src/old.rs",
            "Modify src/loader.rs",
        ]
    );
    // An existing file is not added.
    repo.write(PLAN, "**Files:**\n- Create: `src/old.rs`\n");
    assert_eq!(proposed(&repo, PLAN), ["Modify src/old.rs"]);
}

#[test]
fn print_writes_nothing_and_a_question_mark_grants_nothing() {
    let repo = repo();
    let before = repo.digest_tree();
    let printed = repo.guard(&["scope", "import", PLAN, "--print"]).exits(0);
    let table = &printed.stdout;
    assert!(table.starts_with("## Files Changed\n\n| File | Change Type | Description |\n"));
    for row in [
        "| `src/loader.rs` | Modify | two calls |\n",
        "? | `src/from.rs` | Modify | Rename src/from.rs to src/to.rs |",
        "? | `src/slow.rs` | Modify | The loader in src/slow.rs is slow. |",
    ] {
        assert!(table.contains(row), "{table}");
    }
    // A pipe and an agent get the same, with the reason.
    let piped = repo.guard(&["scope", "import", PLAN]).exits(0);
    assert_eq!(&piped.says("guard wrote nothing").stdout, table);
    let agent = repo.guard_with(&[("CLAUDECODE", "1")], &["scope", "import", PLAN]);
    assert_eq!(&agent.exits(0).says("CLAUDECODE").stdout, table);
    assert_eq!(repo.digest_tree(), before);
    // Pasted as it is, only the certain rows count.
    repo.stage(DESIGN, table);
    let shown = repo.json(&["scope", "check", "--staged", DESIGN]);
    let paths = shown["grants"]
        .as_array()
        .unwrap()
        .iter()
        .map(|grant| &grant["path"]);
    let paths: Vec<_> = paths.collect();
    assert_eq!(paths, ["src/cache.rs", "src/loader.rs", "src/old.rs"]);
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
    repo.write("plan.md", format!("**Files:**\n{items}"));
    assert_eq!(proposed(&repo, "plan.md").len(), 5_000);
    for part in ["(", "a/b.rs(", "a: ", "`a/b`->"] {
        let text = format!("**Files:** {}`src/a.rs`\n", part.repeat(20_000));
        repo.write("plan.md", text);
        let found = proposed(&repo, "plan.md");
        assert!(found.iter().any(|row| row.ends_with(" src/a.rs")), "{part}");
    }
}

#[cfg(unix)]
mod at_a_terminal {
    use super::*;
    use crate::common::terminal::{End, Session, driver, guard_at_terminal};

    /// Runs `guard scope import` in a terminal, and answers the question whether to write the rows.
    fn import(repo: &Repo, arguments: &[&str], answer: &str) -> Option<Session> {
        let arguments = [&["scope", "import"], arguments].concat();
        let answers = [("Type `yes`", answer)];
        Some(guard_at_terminal(
            driver(repo)?,
            &arguments,
            &answers,
            End::Wait,
        ))
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
        let Some(session) = import(&repo, &[PLAN], "yes\n") else {
            return;
        };
        session
            .exits(0)
            .says(&format!("git commit -m \"Extend the design\" -- {PLAN}"))
            .says(&format!("guard use {PLAN}"));
        let text = repo.text(PLAN);
        assert!(text.starts_with(TEXT) && !text.contains("kept.rs` |"));
        assert!(text.contains("| `src/cache.rs` | Add | … |\n"));
        let staged = repo.git(&["diff", "--cached", "--name-only"]);
        assert_eq!(staged, format!("{PLAN}\nother.txt"));
        // Those that guard is not sure of are left out.
        let rows = ["cache", "loader", "old"];
        assert_eq!(
            granted(&repo, PLAN),
            rows.map(|name| format!("src/{name}.rs"))
        );
    }

    #[test]
    fn plan_stays_as_it_is_without_consent_or_rows() {
        let repo = repo();
        for answer in ["y\n", "no\n", "\n"] {
            let Some(session) = import(&repo, &[PLAN], answer) else {
                return;
            };
            session.exits(0).says("guard wrote nothing");
            assert_eq!(repo.git(&["status", "--porcelain"]), "");
        }
        repo.write("guess.md", "The loader in `src/slow.rs` is slow.\n");
        let driver = driver(&repo).unwrap();
        let line = ["scope", "import", "guess.md"];
        guard_at_terminal(driver, &line, &[], End::Wait)
            .exits(0)
            .says("guard wrote nothing");
    }

    #[test]
    fn table_goes_into_another_document_that_has_none() {
        let repo = repo();
        let Some(session) = import(&repo, &[PLAN, "--into", DESIGN], "yes\n") else {
            return;
        };
        let shown = session
            .exits(0)
            .says("git commit -m \"Add the design\"")
            .shown;
        // The branch selects it.
        assert!(!shown.contains("guard use"), "{shown}");
        assert_eq!(granted(&repo, DESIGN).len(), 3);
        let again = import(&repo, &[PLAN, "--into", DESIGN], "yes\n").unwrap();
        again.exits(2).says("already exists");
        assert_eq!(repo.text(PLAN), TEXT);
        let outside = import(&repo, &[PLAN, "--into", "../out.md"], "yes\n").unwrap();
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
        let Some(session) = import(&repo, &[tasks, "--into", files], "yes\n") else {
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
        repo.write("a|b.rs", "");
        repo.commit("Hostile");
        let Some(session) = import(&repo, &[PLAN, "--into", "design.md"], "yes\n") else {
            return;
        };
        session.exits(0);
        let text = repo.text("design.md");
        assert!(text.contains("| `a\\|b.rs` | Modify |"), "{text}");
        assert!(!text.contains("| Delete |"), "{text}");
        let granted = granted(&repo, "design.md");
        assert_eq!(granted, ["a|b.rs", "src/ok.rs"]);
    }
}
