//! What people read: one commit for every rule that a commit can break, as the terminal shows it.

use std::fmt::Write as _;

use crate::common::{self, DESIGN, GUARD, Output, Repo, SETTINGS};

/// People do not read longer messages: this many lines fit on most screens.
const SCREEN: usize = 40;

/// The output of `guard lint` at 80 columns. Colour changes nothing but the colour.
#[track_caller]
fn message(repo: &Repo, code: i32) -> String {
    let run = |columns: &str, color: &str| -> Output {
        let mut command = repo.command(GUARD);
        command.args(["lint", "--color", color]);
        common::run(command.env("COLUMNS", columns)).exits(code)
    };
    let narrow = run("80", "never").text();
    let color = run("80", "always").text();
    assert_eq!(without_color(&color), narrow, "colour changes the text");
    assert!(color != narrow, "there is no colour");
    let lines = narrow.lines().count();
    assert!(lines <= SCREEN, "{lines} lines:\n{narrow}");
    has_the_order(&narrow);
    let wide = run("120", "never").text();
    assert!(wide.lines().count() <= lines, "wider is longer:\n{wide}");
    narrow
}

/// Each refusal says what is wrong, where in the design, why or how to mend it, and at the end one command.
#[track_caller]
fn has_the_order(text: &str) {
    let is_command = |line: &&str| {
        let step = line
            .split_once("help:")
            .map_or(*line, |(_, step)| step)
            .trim_start();
        let begins = ["git ", "guard "].iter().any(|name| step.starts_with(name));
        begins || line.contains(": git ") || line.contains(": guard ")
    };
    let refusals = text
        .split("\n\n")
        .flat_map(|block| block.split_inclusive("\npreview:").next());
    let refusals = refusals.filter(|block| {
        ["error[", "guard: error: "]
            .iter()
            .any(|begin| block.starts_with(begin))
    });
    for refusal in refusals {
        let lines: Vec<&str> = refusal
            .lines()
            .skip(1)
            .filter(|line| *line != "preview:")
            .collect();
        let steps = lines.iter().position(|line| line.contains("help: "));
        let (above, steps) = lines.split_at(steps.unwrap_or(lines.len()));
        assert!(
            !steps.iter().any(|line| line.contains(" --> ")),
            "{refusal}"
        );
        assert!(!above.iter().any(is_command), "{refusal}");
        assert_eq!(
            steps.iter().filter(|line| is_command(line)).count(),
            1,
            "{refusal}"
        );
        assert!(is_command(steps.last().unwrap()), "{refusal}");
    }
}

/// The text without `ESC [ … m`.
fn without_color(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out.push_str(part.split_once('m').unwrap().1);
    }
    out
}

fn lines(count: usize, word: &str) -> String {
    (1..=count).map(|i| format!("{word} {i}\n")).collect()
}

type Files<'a> = &'a [(&'a str, &'a str)];
type Rows<'a> = &'a [(&'a str, &'a str, &'a str)];

const READER: Rows<'_> = &[("src/a.rs", "Add", "the reader")];

/// A governed repository whose first commit holds `files`.
fn repo(files: Files<'_>, rows: Rows<'_>) -> Repo {
    let repo = Repo::new();
    stage(&repo, files);
    repo.govern(rows);
    repo
}

fn stage(repo: &Repo, files: Files<'_>) {
    files.iter().for_each(|(path, text)| repo.stage(path, text));
}

/// On a branch of its own, above a commit of `files` and, if there are rows, a design.
fn branch(files: Files<'_>, rows: Rows<'_>) -> Repo {
    let repo = Repo::new();
    stage(&repo, files);
    if !rows.is_empty() {
        repo.design(DESIGN, rows);
    }
    repo.commit("Begin");
    repo.branch("188-work");
    repo
}

/// To renew the recorded messages: `INSTA_UPDATE=always cargo test messages`.
#[test]
fn each_message_is_as_recorded() {
    let settings = |more: &str| format!("{SETTINGS}{more}");
    let x: Files<'_> = &[("src/a.rs", "x\n")];
    let raw = |repo: &Repo, mode, content: &[u8], path: &[u8]| {
        repo.stage_raw(&[(mode, repo.blob(content), path)]);
    };
    let mut all = String::new();
    let mut case = |name: &str, code, repo: Repo, change: &dyn Fn(&Repo)| {
        change(&repo);
        write!(all, "======== {name}\n{}\n", message(&repo, code)).unwrap();
    };
    case("accepted", 0, repo(&[], READER), &|repo| stage(repo, x));

    let rows: Rows<'_> = &[("src/utils/lld.rs", "Add", "path enforcement")];
    case("out-of-scope-closest", 1, repo(&[], rows), &|repo| {
        repo.stage("src/core/lld.rs", "x\n");
    });
    case("out-of-scope-nothing-close", 1, repo(&[], rows), &|repo| {
        repo.stage("Makefile", "all:\n");
    });
    let old = repo(
        &[("src/old.rs", &lines(30, "fn"))],
        &[("lib/other.py", "Add", "x")],
    );
    case("out-of-scope-rename", 1, old, &|repo| {
        repo.git(&["mv", "src/old.rs", "src/new.rs"]);
    });
    let design = "# A feature\n\n## Files Changed\n\n| # | Action | File | Why |\n|---|---|---|---|\n| 1 | Modify | `src/a.rs` | as discussed |\n";
    let own_columns = branch(&[("guard.toml", SETTINGS), (DESIGN, design)], &[]);
    case("out-of-scope-own-columns", 1, own_columns, &|repo| {
        repo.stage("src/we`ird|name.rs", "x\n");
    });

    case("action-not-granted-modify", 1, repo(x, READER), &|repo| {
        repo.git(&["config", "branch.188-work.remote", "."]);
        repo.git(&["update-ref", "refs/remotes/origin/HEAD", "HEAD"]);
        repo.stage("src/a.rs", "y\n");
    });
    let rows: Rows<'_> = &[("src/a.rs", "Modify", "the reader")];
    case("action-not-granted-delete", 1, repo(x, rows), &|repo| {
        repo.git(&["rm", "--quiet", "src/a.rs"]);
    });
    let added = repo(&[], READER);
    case("action-not-granted-delete-of-add", 1, added, &|repo| {
        stage(repo, x);
        repo.commit("Add");
        repo.git(&["rm", "--quiet", "src/a.rs"]);
    });
    let directory = repo(x, &[("src/", "Modify (Directory)", "everywhere")]);
    case("action-not-granted-directory", 1, directory, &|repo| {
        repo.stage("src/b.rs", "x\n");
    });

    let large = repo(&[("src/a.rs", &lines(200, "old"))], rows);
    case("destructive-replace", 1, large, &|repo| {
        repo.stage("src/a.rs", lines(150, "new"));
    });
    let always = settings("[scope]\nalways = [\"docs/notes/**\"]\n");
    let notes = lines(200, "old");
    let notes = branch(
        &[("guard.toml", &always), ("docs/notes/a.txt", &notes)],
        READER,
    );
    case("destructive-delete", 1, notes, &|repo| {
        repo.git(&["rm", "--quiet", "docs/notes/a.txt"]);
    });
    let table = repo(
        &[("data/table.csv", &lines(200, "1,2"))],
        &[("data/table.csv", "Modify", "new figures")],
    );
    case("destructive-conversion", 1, table, &|repo| {
        let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08\nsize 4\n";
        repo.stage("data/table.csv", pointer);
    });
    case("destructive-design", 1, repo(&[], READER), &|repo| {
        repo.git(&["rm", "--quiet", DESIGN]);
    });

    let protect = settings("[scope]\nprotect = [\"migrations/**\"]\n");
    let migrations = branch(
        &[("guard.toml", &protect), ("migrations/1.sql", "x\n")],
        &[("migrations/1.sql", "Modify", "x")],
    );
    case("protected-path-setting", 1, migrations, &|repo| {
        repo.stage("migrations/1.sql", "y\n");
    });
    let protect = settings("[scope]\nprotect-tests = \"always\"\n");
    let tests = branch(
        &[("guard.toml", &protect), ("tests/test_a.py", "x\n")],
        &[("tests/test_a.py", "Add", "the contract")],
    );
    case("protected-path-test", 1, tests, &|repo| {
        repo.stage("tests/test_a.py", "y\n");
    });
    let link = repo(&[], &[("link", "Symlink", "x")]);
    case("outside-workspace", 1, link, &|repo| {
        raw(repo, 0o120_000, b"../../etc/passwd", b"link");
    });
    let directory: Rows<'_> = &[("src/", "Add (Directory)", "x")];
    case("unsafe-path", 1, repo(&[], directory), &|repo| {
        raw(repo, 0o100_644, b"[core]\n", b"src/.GIT/config");
    });

    case("scope-amended-rows", 1, repo(&[], READER), &|repo| {
        repo.design(DESIGN, &[READER[0], ("src/b.rs", "Add", "the writer")]);
        repo.stage("src/b.rs", "x\n");
    });
    let only_settings = || branch(&[("guard.toml", SETTINGS)], &[]);
    case("scope-amended-new", 1, only_settings(), &|repo| {
        repo.design(DESIGN, READER);
        stage(repo, x);
    });
    case("policy-changed", 1, repo(&[], READER), &|repo| {
        repo.stage("guard.toml", settings("[scope]\nalways = [\"**\"]\n"));
        stage(repo, x);
    });
    case("policy-changed-broken", 1, repo(&[], READER), &|repo| {
        repo.stage("guard.toml", "[lld]\npaht = \"x.md\"\n");
    });
    case("submodule-changed", 1, repo(&[], READER), &|repo| {
        let id = gix::ObjectId::from_hex(b"1234567890123456789012345678901234567890").unwrap();
        repo.stage_raw(&[(0o160_000, id, b"vendor/lib")]);
    });
    let attributes = repo(&[], &[(".gitattributes", "Add", "x")]);
    case("hidden-change", 0, attributes, &|repo| {
        repo.stage(".gitattributes", "*.rs -diff\n");
    });
    case("portable-name", 0, repo(x, directory), &|repo| {
        raw(repo, 0o100_644, b"x\n", b"src/A.rs");
    });

    let bad_row = repo(&[], &[READER[0], ("src/b.rs", "Frobnicate", "x")]);
    case("design-bad-row", 0, bad_row, &|repo| stage(repo, x));
    let prose = "# A feature\n\nSome prose.\n";
    let unusable = branch(&[("guard.toml", SETTINGS), (DESIGN, prose)], &[]);
    case("unusable-design", 2, unusable, &|repo| stage(repo, x));
    case("no-design", 2, only_settings(), &|repo| stage(repo, x));
    case("no-issue", 2, repo(&[], READER), &|repo| {
        repo.git(&["switch", "--quiet", "main"]);
        stage(repo, x);
    });
    case("no-settings", 2, Repo::new(), &|repo| stage(repo, x));
    case("two-candidates", 2, Repo::new(), &|repo| {
        repo.stage("guard.toml", "[lld]\npath = \"docs/LLD-{issue}*.md\"\n");
        repo.design("docs/LLD-188-a.md", &[("src/a.rs", "Add", "x")]);
        repo.design("docs/LLD-188-b.md", &[("src/b.rs", "Add", "x")]);
        repo.commit("Designs");
        repo.branch("188-work");
        stage(repo, x);
    });

    for rule in
        "out-of-scope action-not-granted destructive-change protected-path outside-workspace \
        unsafe-path scope-amended policy-changed submodule-changed design-no-table"
            .split_whitespace()
    {
        assert!(all.contains(&format!("\nerror[{rule}]: ")), "{rule}");
    }
    insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!("messages", all);
    });
}

#[test]
fn each_refused_write_ends_with_one_command() {
    let repo = repo(
        &[("src/a.rs", &lines(200, "old"))],
        &[("src/a.rs", "Modify", "the reader")],
    );
    repo.write("new", lines(150, "new"));
    for path in [
        "src/b.rs",
        "src/a.rs",
        "guard.toml",
        ".env",
        "../x",
        ".git/config",
    ] {
        let mut write = repo.command(GUARD);
        write.args(["write", path, "--content-file", "new"]);
        let text = common::run(write.env("COLUMNS", "80")).exits(1).text();
        has_the_order(&text);
        assert!(text.starts_with("guard: error: "), "{text}");
    }
    let missing = repo.guard(&["read", "src/none.rs"]).exits(1).text();
    has_the_order(&missing);
    assert!(!missing.contains("another"), "{missing}");
}

#[test]
fn nothing_staged_prints_one_line() {
    let repo = repo(&[], &[("src/a.rs", "Add", "the reader")]);
    assert_eq!(
        repo.guard(&["lint"]).exits(0).text(),
        "guard: accepted: nothing to check\n"
    );
    assert_eq!(repo.guard(&["lint", "-q"]).exits(0).text(), "");
}

#[test]
fn many_paths_out_of_scope_stay_readable() {
    let repo = repo(&[], &[("lib/other.py", "Add", "x")]);
    for i in 1..=8 {
        repo.stage(format!("src/{i}.rs"), "x\n");
    }
    let text = repo.guard(&["lint"]).exits(1).text();
    assert_eq!(
        text.matches(".rs is not in the design\n").count(),
        8,
        "{text}"
    );
    // Five in full, three in one line.
    assert_eq!(text.matches("add this row").count(), 5, "{text}");
    assert!(text.lines().count() <= 66, "{text}");
}

/// The same loss in a request, before the commit and in a range: each message names the command that approves it.
#[test]
fn destructive_change_names_the_command_that_approves_it() {
    let repo = repo(
        &[("src/a.rs", &lines(200, "old"))],
        &[("src/a.rs", "Modify", "the reader")],
    );
    repo.write("new", lines(150, "new"));
    let unwrapped = |arguments: &[&str]| {
        let mut guard = repo.command(GUARD);
        common::run(guard.env("COLUMNS", "1000").args(arguments)).exits(1)
    };
    unwrapped(&["write", "src/a.rs", "--content-file", "new"]);
    let id = repo.json(&["pending"])["held"][0]["id"].clone();
    let approve = format!("guard approve {}", id.as_str().unwrap());
    unwrapped(&["write", "src/a.rs", "--content-file", "new"]).says(&approve);
    repo.stage("src/a.rs", lines(150, "new"));
    unwrapped(&["lint"])
        .says("list it in `[destructive] exempt`\n")
        .says("a person can approve it at a terminal: guard approve --staged\n");
    repo.commit("Rewrite");
    let range =
        unwrapped(&["lint", "--range", "main..188-work"]).says("guard approve --staged --sign KEY");
    assert!(!range.text().contains("git restore"), "{}", range.text());
}

#[test]
fn places_are_relative_to_the_current_directory() {
    let repo = repo(&[("src/x.rs", "x\n")], &[("src/utils/lld.rs", "Add", "x")]);
    repo.stage("src/core/lld.rs", "x\n");
    repo.tells("-C src lint", 1, "--> ../docs/lld/active/LLD-188.md:");
}

#[test]
fn columns_variable_must_be_a_number() {
    let repo = repo(&[], &[("src/utils/lld.rs", "Add", "path enforcement")]);
    repo.stage("Makefile", "all:\n");
    let plain = repo.guard(&["lint"]).text();
    for columns in ["", "wide", "-1"] {
        let output = common::run(repo.command(GUARD).arg("lint").env("COLUMNS", columns));
        assert_eq!(output.text(), plain, "{columns}");
    }
}
