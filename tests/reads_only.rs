//! `lint`, `check` and `scope show` change nothing, and give the same answer at any time and in any directory.

use crate::common::{self, GUARD, Repo, findings, lines, run};

/// A repository in which every part of guard reports something.
fn busy() -> Repo {
    let repo = Repo::new();
    for path in [
        "src/state.rs",
        "src/store.rs",
        "src/moved.rs",
        "src/gone.rs",
    ] {
        repo.stage(path, lines(1..=200) + path);
    }
    repo.commit("Begin");
    repo.govern(&[
        ("src/state.rs", "Modify", "x"),
        ("src/*_test.rs", "Add", "x"),
        ("docs/guide/", "Add", "x"),
        ("old/name.rs", "Exists", "x"),
        ("../outside", "Add", "x"),
    ]);
    repo.stage("src/state.rs", lines(500..=700));
    repo.stage("src/b_test.rs", "x\n");
    repo.git(&["mv", "src/moved.rs", "src/target.rs"]);
    repo.git(&["rm", "--quiet", "src/gone.rs"]);
    repo.stage(".gitattributes", "*.rs -diff\n");
    repo.stage(
        "guard.toml",
        format!("{}missing = \"skip\"\n", common::SETTINGS),
    );
    let blob = repo.blob(b"../../outside");
    repo.stage_raw(&[
        (0o120000, blob, b"src/link"),
        (0o120000, blob, b"LINK"),
        (0o100644, blob, b"link"),
        (0o100644, blob, b".git/hooks/pre-commit"),
        (0o100644, blob, b"a\nb\xff"),
        (0o100644, blob, "src/\u{202e}x".as_bytes()),
        (0o160000, blob, b"vendor/lib"),
    ]);
    for number in 0..80 {
        repo.stage(format!("stray/{number}.rs"), lines(1..=number + 1));
    }
    // Unstaged changes must not matter and must stay.
    repo.write("src/store.rs", "not staged\n");
    repo.write("untracked", "x\n");
    repo
}

const VERBS: [&[&str]; 12] = [
    &["status"],
    &["lint"],
    &["lint", "--format", "json"],
    &["lint", "--color", "always"],
    &["lint", "--quiet"],
    &["hook", "pre-commit"],
    &[
        "check",
        "src/state.rs",
        "src/sate.rs",
        "../x",
        "src/a_test.rs",
    ],
    &["scope", "show"],
    &["scope", "show", "--format", "json"],
    &["lint", "--worktree"],
    &["scope", "check", "--all"],
    &["scope", "check", "--staged"],
];

#[test]
fn no_byte_changes() {
    let repo = busy();
    let before = repo.digest_tree();
    for arguments in VERBS {
        repo.guard(arguments);
    }
    repo.guard(&["check", "src/state.rs", "--content-file", "untracked"]);
    // Nor if guard cannot judge.
    repo.guard(&["lint", "--lld", "missing.md"]).exits(2);
    repo.guard(&["scope", "show", "--lld", "src"]).exits(2);
    assert_eq!(repo.digest_tree(), before);
}

#[test]
fn a_read_only_repository_can_be_judged() {
    let repo = busy();
    let before = repo.guard(&["lint"]).stdout;
    let unstaged = repo.guard(&["lint", "--worktree"]).stdout;
    // git would write locks and caches here.
    run(repo.command("chmod").args(["-R", "a-w", "."])).exits(0);
    assert_eq!(repo.guard(&["lint"]).exits(1).stdout, before);
    let now = repo.guard(&["lint", "--worktree"]).exits(1).stdout;
    assert_eq!(now, unstaged);
    run(repo.command("chmod").args(["-R", "u+w", "."])).exits(0);
}

#[test]
fn several_runs_print_the_same_bytes() {
    let repo = busy();
    let report = repo.json(&["lint"]);
    assert!(findings(&report).len() > 80, "{report:#}");
    for arguments in [VERBS[0], VERBS[1], VERBS[5], VERBS[7]] {
        let first = repo.guard(arguments);
        for (locale, zone) in [
            ("C", "UTC"),
            ("tr_TR.UTF-8", "Asia/Kathmandu"),
            ("nonsense", ":bad"),
        ] {
            let mut guard = repo.command(GUARD);
            guard.args(arguments).env("TERM", "dumb").env("LINES", "5");
            guard.env("LC_ALL", locale).env("LANG", locale);
            guard.env("TZ", zone).env("PWD", "/nowhere");
            let output = run(&mut guard);
            assert_eq!(output.stdout, first.stdout, "{arguments:?}, {locale}");
            assert_eq!(output.stderr, first.stderr);
            assert_eq!(output.code, first.code);
        }
    }
}

#[test]
fn a_program_gets_the_same_answer_in_every_directory() {
    let repo = busy();
    for arguments in [
        &["lint", "--format", "json"][..],
        &["scope", "show", "--format", "json"],
    ] {
        let first = repo.guard(arguments);
        for directory in ["src", "docs/lld/active", "stray"] {
            let mut guard = repo.command(GUARD);
            let output = run(guard.current_dir(repo.path(directory)).args(arguments));
            assert_eq!(output.stdout, first.stdout, "in {directory}");
            let mut moved = vec!["-C", directory];
            moved.extend(arguments);
            assert_eq!(repo.guard(&moved).stdout, first.stdout, "-C {directory}");
        }
    }
    // Paths are relative to the current directory, as for git.
    let mut answers = Vec::new();
    for (directory, up) in [(".", ""), ("src", "../"), ("docs/lld/active", "../../../")] {
        let paths = ["src/state.rs", "src/sate.rs", "../x"].map(|path| format!("{up}{path}"));
        let mut check = vec!["-C", directory, "check"];
        check.extend(paths.iter().map(String::as_str));
        let mut report = repo.json(&check);
        for (result, path) in report["results"]
            .as_array_mut()
            .unwrap()
            .iter_mut()
            .zip(paths)
        {
            assert_eq!(result["requested_path"].take(), path);
            result["reason"].take();
        }
        answers.push(report);
    }
    assert_eq!(answers[0]["results"][2]["rule"], "outside-workspace");
    assert_eq!([&answers[0], &answers[0]], [&answers[1], &answers[2]]);
}
