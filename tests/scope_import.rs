//! `guard scope import`: proposes a table for the files of a plan, and writes it once a person confirms.

#![allow(clippy::unwrap_used)]

use std::fs;

use crate::common::{DESIGN, GUARD, Repo, SETTINGS, findings, run};

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

/// Path, type and `?` of each row that guard prints.
fn proposed(repo: &Repo, arguments: &[&str]) -> Vec<(String, String, bool)> {
    let arguments = [&["scope", "import"], arguments].concat();
    let table = repo.guard(&arguments).exits(0).stdout;
    let rows = table.lines().filter(|line| line.contains("| `"));
    rows.map(|row| {
        let cells: Vec<&str> = row.trim_start_matches("? ").split(" | ").collect();
        let path = cells[0].trim_matches(['|', ' ', '`']);
        (path.to_owned(), cells[1].to_owned(), row.starts_with('?'))
    })
    .collect()
}

/// The rows of one document in a repository that has none of its files.
#[track_caller]
fn proposes(text: &str, expected: &[&str]) {
    let repo = Repo::new();
    repo.write("plan.md", text);
    let rows = proposed(&repo, &["plan.md"]);
    let rows: Vec<String> = rows
        .into_iter()
        .map(|(path, word, is_doubtful)| {
            format!("{}{word} {path}", if is_doubtful { "? " } else { "" })
        })
        .collect();
    assert_eq!(rows, expected, "{text}");
}

#[test]
fn verb_and_existence_give_the_type() {
    let repo = repo();
    let rows = proposed(&repo, &[PLAN]);
    let row = |path: &str| {
        let row = rows.iter().find(|(found, ..)| found == path).unwrap();
        (row.1.as_str(), row.2)
    };
    assert_eq!(row("src/cache.rs"), ("Add", false));
    assert_eq!(row("src/loader.rs"), ("Modify", false));
    assert_eq!(row("src/old.rs"), ("Delete", false));
    assert_eq!(row("src/from.rs"), ("Delete", true));
    assert_eq!(row("src/to.rs"), ("Add", true));
    assert_eq!(row("src/slow.rs"), ("Modify", true));
    assert_eq!(row("src/kept.rs"), ("Modify", true));
    assert_eq!(rows.len(), 7, "{rows:?}");
    // An existing file is not added.
    repo.write(PLAN, "**Files:**\n- Create: `src/old.rs`\n");
    assert_eq!(
        proposed(&repo, &[PLAN]),
        [("src/old.rs".to_owned(), "Modify".to_owned(), false)]
    );
}

#[test]
fn every_form_of_naming_files_is_read() {
    for (text, expected) in [
        (
            "---\nfiles_modified:\n  - src/a.ts # new\n  - \"src/b.ts\"\n---\n",
            &["Add src/a.ts", "Add src/b.ts"][..],
        ),
        (
            "<task><files>src/a.ts, src/b.ts</files></task>\n",
            &["Add src/a.ts", "Add src/b.ts"],
        ),
        (
            "**Files:** `a.rs`, `b.rs` (new); `c.rs`.\n",
            &["Add a.rs", "Add b.rs", "Add c.rs"],
        ),
        (
            "## Files to Modify\n\n1. `src/a.rs` - why\n",
            &["Add src/a.rs"],
        ),
        (
            "- [ ] T012 [P] Create the model in src/models/task.py\n",
            &["Add src/models/task.py"],
        ),
        (
            "- [ ] Add page app/[id]/(auth)/page.tsx\n",
            &["Add app/[id]/(auth)/page.tsx"],
        ),
        (
            "- Affected code: src/a.ts, src/b.ts\n",
            &["Add src/a.ts", "Add src/b.ts"],
        ),
        (
            "- Affected code:\n  - `src/a.ts` (new)\n",
            &["Add src/a.ts"],
        ),
        ("#### [MODIFY] [a.rs](src/a.rs)\n", &["Modify src/a.rs"]),
        (
            "| Action | File |\n|-|-|\n| NEW | `src/a.rs` |\n| Deleted | `src/b.rs` |\n",
            &["Add src/a.rs", "Delete src/b.rs"],
        ),
        (
            "```\nsrc/\n├── a.rs  # NEW\n├── b.rs\n└── old/  # DELETE\n    └── c.rs\n```\n",
            &[
                "Add src/a.rs",
                "Add src/b.rs",
                "Delete src/old/",
                "Add src/old/c.rs",
            ],
        ),
        (
            "**Files to create:**\n\n```\nsrc/a.rs\nsrc/b.rs (new)\n```\n",
            &["Add src/a.rs", "Add src/b.rs"],
        ),
        ("**Deleted Files:**\n- `src/a.rs`\n", &["Delete src/a.rs"]),
    ] {
        let repo = Repo::new();
        repo.write("plan.md", text);
        let rows = proposed(&repo, &["plan.md"]).into_iter();
        let rows: Vec<String> = rows
            .map(|(path, word, _)| format!("{word} {path}"))
            .collect();
        assert_eq!(rows, expected, "{text}");
    }
}

#[test]
fn doubt_and_denial_in_any_language_get_a_question_mark() {
    for line in [
        "- Avoid touching `src/a.rs`",
        "- Hands off `src/a.rs`",
        "- `src/a.rs` stays untouched",
        "- Keep: `src/a.rs`",
        "- Read `src/a.rs`",
        "- probably `src/a.rs`",
        "- `src/a.rs` or equivalent (if it exists)",
        "- Nicht ändern `src/a.rs`",
        "- Ne pas modifier `src/a.rs`",
        "- 不要修改 `src/a.rs`",
        "- 変更しない：src/a.rsを参照",
        "The loader calls `src/a.rs`.",
    ] {
        let path = "src/a.rs";
        let repo = Repo::new();
        repo.write("plan.md", format!("**Files:**\n\n{line}\n"));
        let rows = proposed(&repo, &["plan.md"]);
        assert_eq!(rows.len(), 1, "{line}: {rows:?}");
        assert_eq!((rows[0].0.as_str(), rows[0].2), (path, true), "{line}");
    }
    for heading in [
        "Out of scope",
        "Deferred",
        "Rollback",
        "Alternatives considered",
        "References",
    ] {
        proposes(
            &format!("## {heading}\n\n**Files:**\n- Modify: `src/a.rs`\n"),
            &["? Modify src/a.rs"],
        );
    }
    // What the grammar grants is certain, wherever else the path is named.
    proposes(
        "The API of `src/a.rs` is old.\n\n**Files:**\n- Modify: `src/a.rs`\n",
        &["Modify src/a.rs"],
    );
}

#[test]
fn quotes_samples_and_words_that_are_no_paths_propose_nothing() {
    for text in [
        "> **Files:**\n> - Create: `src/a.rs`\n",
        "```js\n// src/a.js\nimport x from './b.js'\n```\n",
        "````markdown\n**Files:**\n- Create: `src/a.rs`\n````\n",
        "<!-- <files>src/a.rs</files> -->\n",
        "Use and/or read/write, v1.2, https://a.b/c.rs and `GET /api/x`.\n",
        "- ~~Create `src/a.rs`~~\n",
        "- Create `../other/a.rs`, `~/.cache/a.json`, `C:\\a.rs` and `src/<name>.rs`\n",
    ] {
        let repo = Repo::new();
        repo.write("plan.md", text);
        repo.guard(&["scope", "import", "plan.md"])
            .exits(2)
            .says("no path");
    }
}

#[test]
fn print_writes_nothing_and_a_question_mark_grants_nothing() {
    let repo = repo();
    let before = repo.digest_tree();
    let printed = repo.guard(&["scope", "import", PLAN, "--print"]).exits(0);
    assert!(
        printed
            .stdout
            .starts_with("## Files Changed\n\n| File | Change Type | Description |\n")
    );
    assert!(
        printed
            .stdout
            .contains("| `src/loader.rs` | Modify | Task 1: The cache |\n"),
        "{}",
        printed.stdout
    );
    assert!(
        printed
            .stdout
            .contains("? | `src/from.rs` | Delete | Task 2: The rest: ")
    );
    assert!(
        printed.stdout.contains(
            "? | `src/slow.rs` | Modify | Split the loader: The loader in src/slow.rs is slow. |"
        ),
        "{}",
        printed.stdout
    );
    // A pipe and an agent get the same, with the reason.
    let piped = repo
        .guard(&["scope", "import", PLAN])
        .exits(0)
        .says("guard wrote nothing");
    assert_eq!(piped.stdout, printed.stdout);
    let agent = run(repo
        .command(GUARD)
        .args(["scope", "import", PLAN])
        .env("CLAUDECODE", "1"));
    assert_eq!(agent.exits(0).says("CLAUDECODE").stdout, printed.stdout);
    assert_eq!(repo.digest_tree(), before);
    // Pasted as it is, only the certain rows count.
    repo.stage(DESIGN, printed.stdout);
    let shown = repo.json(&["scope", "check", "--staged", DESIGN]);
    let grants = shown["grants"].as_array().unwrap();
    assert!(
        grants
            .iter()
            .all(|grant| grant["path"] != "src/slow.rs" && grant["path"] != "src/kept.rs")
    );
    assert_eq!(grants.len(), 3, "{grants:?}");
}

#[test]
fn changes_propose_their_rows() {
    let repo = repo();
    repo.write("src/loader.rs", "changed\n");
    fs::remove_file(repo.path("src/old.rs")).unwrap();
    repo.write("src/new.rs", "new\n");
    repo.write(DESIGN, "# A design\n");
    let rows = |repo: &Repo| {
        let rows = proposed(repo, &["--from-changes"]);
        let rows = rows
            .into_iter()
            .map(|(path, word, _)| format!("{word} {path}"));
        rows.collect::<Vec<_>>()
    };
    assert_eq!(
        rows(&repo),
        [
            "Modify src/loader.rs",
            "Add src/new.rs",
            "Delete src/old.rs"
        ]
    );
    repo.git(&["add", "src/new.rs"]);
    assert_eq!(rows(&repo), ["Add src/new.rs"]);
}

#[test]
fn large_and_binary_plans_are_refused() {
    let repo = Repo::new();
    repo.write("plan.md", "x\n".repeat(600_000));
    repo.guard(&["scope", "import", "plan.md"])
        .exits(2)
        .says("larger than 1 MB");
    repo.write("plan.md", b"\xff\xfe");
    repo.guard(&["scope", "import", "plan.md"])
        .exits(2)
        .says("UTF-8");
    repo.guard(&["scope", "import", "none.md"]).exits(2);
    repo.guard(&["scope", "import", "."]).exits(2);
    // A large plan takes no more than linear time.
    let items: String = (0..5_000)
        .map(|n| format!("- Create: `src/f{n}.rs`\n"))
        .collect();
    repo.write("plan.md", format!("**Files:**\n{items}"));
    assert_eq!(proposed(&repo, &["plan.md"]).len(), 5_000);
    for (part, count) in [
        ("(", 100_000),
        ("a/b.rs(", 20_000),
        ("a: ", 30_000),
        ("> ", 1_000),
        ("`a/b`->", 20_000),
    ] {
        let text = format!("**Files:** {}`src/a.rs`\n", part.repeat(count));
        repo.write("plan.md", text);
        let found = proposed(&repo, &["plan.md"]);
        assert!(found.iter().any(|(path, ..)| path == "src/a.rs"), "{part}");
    }
}

#[cfg(unix)]
mod at_a_terminal {
    use std::process::Command;

    use super::*;
    use crate::common::terminal::{End, Session, driver, guard_at_terminal};

    /// A terminal whose editor runs this sed script on the table.
    fn editor(repo: &Repo, script: &str) -> Option<Command> {
        repo.write("../edit.sh", format!("sed -i -e '{script}' \"$1\"\n"));
        let mut driver = driver(repo)?;
        driver.env(
            "GIT_EDITOR",
            format!("sh {}", repo.path("../edit.sh").display()),
        );
        Some(driver)
    }

    fn import(repo: &Repo, arguments: &[&str], script: &str) -> Option<Session> {
        let arguments = [&["scope", "import"], arguments].concat();
        let driver = editor(repo, script)?;
        Some(guard_at_terminal(driver, &arguments, &[], End::Wait))
    }

    /// What the staged version of a document grants.
    fn granted(repo: &Repo, path: &str) -> Vec<String> {
        repo.git(&["commit", "--quiet", "-m", "Table", "--", path]);
        let shown = repo.json(&["scope", "show", "--lld", path]);
        let mut paths: Vec<String> = shown["grants"]
            .as_array()
            .unwrap()
            .iter()
            .map(|grant| grant["path"].as_str().unwrap().to_owned())
            .collect();
        paths.sort();
        paths
    }

    /// Keeps all rows.
    const ALL: &str = "s/^? //";

    #[test]
    fn confirmed_rows_are_written_into_the_plan_and_staged_alone() {
        let repo = repo();
        repo.stage("other.txt", "staged before\n");
        let script = "/src.loader.rs\\|src.kept.rs/d; s/^? //; /slow/s/Modify/Delete/";
        let Some(session) = import(&repo, &[PLAN], script) else {
            return;
        };
        session
            .exits(0)
            .says(&format!("git commit -m \"Extend the design\" -- {PLAN}"))
            .says(&format!("guard use {PLAN}"));
        let text = fs::read_to_string(repo.path(PLAN)).unwrap();
        assert!(text.starts_with(TEXT) && !text.contains("kept.rs` |"));
        assert!(text.contains("| `src/cache.rs` | Add | Task 1: The cache |\n"));
        assert!(text.contains("| `src/slow.rs` | Delete |"));
        assert_eq!(
            repo.git(&["diff", "--cached", "--name-only"]),
            format!("{PLAN}\nother.txt")
        );
        assert_eq!(
            granted(&repo, PLAN),
            [
                "src/cache.rs",
                "src/from.rs",
                "src/old.rs",
                "src/slow.rs",
                "src/to.rs"
            ]
        );
    }

    #[test]
    fn plan_stays_as_it_is_without_rows_or_if_the_editor_fails() {
        let repo = repo();
        for script in ["/^[?|]/d", "s/^| /- /"] {
            let Some(session) = import(&repo, &[PLAN], script) else {
                return;
            };
            session.exits(0).says("guard wrote nothing");
            assert_eq!(repo.git(&["status", "--porcelain"]), "");
        }
        import(&repo, &[PLAN], "no command")
            .unwrap()
            .exits(2)
            .says("the editor failed");
        assert_eq!(repo.git(&["status", "--porcelain"]), "");
        assert!(!repo.path(".git/GUARD_FILES_CHANGED.md").exists());
    }

    #[test]
    fn table_goes_into_another_document_that_has_none() {
        let repo = repo();
        let Some(session) = import(
            &repo,
            &[PLAN, "--to", DESIGN],
            "s/^? //; /cache\\|loader\\|old.rs\\|slow\\|kept/d",
        ) else {
            return;
        };
        let shown = session
            .exits(0)
            .says("git commit -m \"Add the design\"")
            .shown;
        // The branch selects it.
        assert!(!shown.contains("guard use"), "{shown}");
        assert_eq!(granted(&repo, DESIGN), ["src/from.rs", "src/to.rs"]);
        import(&repo, &[PLAN, "--to", DESIGN], "")
            .unwrap()
            .exits(2)
            .says("already exists")
            .says("guard scope add");
        assert_eq!(fs::read_to_string(repo.path(PLAN)).unwrap(), TEXT);
        let outside = import(&repo, &[PLAN, "--to", "../out.md"], "").unwrap();
        assert_eq!(outside.code, 2);
        assert!(!repo.path("../out.md").exists());
    }

    #[test]
    fn rows_of_changes_need_a_document() {
        let repo = repo();
        repo.write("src/loader.rs", "changed\n");
        let Some(session) = import(&repo, &["--from-changes"], "") else {
            return;
        };
        session.exits(2).says("--to FILE");
        import(&repo, &["--from-changes", "--to", DESIGN], "")
            .unwrap()
            .exits(0);
        assert_eq!(granted(&repo, DESIGN), ["src/loader.rs"]);
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
        let Some(session) = import(&repo, &[PLAN, "--to", "design.md"], ALL) else {
            return;
        };
        session.exits(0);
        let text = fs::read_to_string(repo.path("design.md")).unwrap();
        assert!(text.contains("| `a\\|b.rs` | Modify |"), "{text}");
        assert!(!text.contains("| Delete |"), "{text}");
        let granted = granted(&repo, "design.md");
        assert_eq!(granted, ["a|b.rs", "src/ok.rs", "src/x.rs"]);
    }

    #[test]
    fn agents_are_refused_at_a_terminal_too() {
        let repo = repo();
        let Some(mut driver) = editor(&repo, ALL) else {
            return;
        };
        driver.env("CODEX_THREAD_ID", "x");
        guard_at_terminal(driver, &["scope", "import", PLAN], &[], End::Wait)
            .exits(0)
            .says("CODEX_THREAD_ID")
            .says("| `src/cache.rs` | Add |");
        assert_eq!(repo.git(&["status", "--porcelain"]), "");
    }

    #[test]
    fn written_table_judges_the_work() {
        let repo = repo();
        let Some(session) = import(&repo, &[PLAN, "--to", DESIGN], "/kept/d; s/^? //") else {
            return;
        };
        session.exits(0);
        repo.git(&["commit", "--quiet", "-m", "Table", "--", DESIGN]);
        repo.stage("src/cache.rs", "new\n");
        repo.git(&["rm", "--quiet", "src/old.rs"]);
        repo.git(&["mv", "src/from.rs", "src/to.rs"]);
        repo.guard(&["lint"]).exits(0);
        repo.stage("src/kept.rs", "changed\n");
        let report = repo.json(&["lint"]);
        assert_eq!(findings(&report), [("out-of-scope", "src/kept.rs")]);
    }
}
