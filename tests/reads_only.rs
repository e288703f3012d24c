//! `lint`, `check` and `scope show` change nothing, and give the same answer at any time and in any directory.

use crate::common::{Repo, SETTINGS, findings, lines, run};

/// A repository in which every part of guard reports something.
fn busy() -> Repo {
    let repo = Repo::new();
    for name in ["state", "store", "moved", "gone"] {
        repo.stage(format!("src/{name}.rs"), lines(1..=200) + name);
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
    repo.stage("guard.toml", format!("{SETTINGS}missing = \"skip\"\n"));
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

const VERBS: [&str; 12] = [
    "status",
    "lint",
    "hook pre-commit",
    "scope show",
    "lint --format json",
    "scope show --format json",
    "lint --color always",
    "lint --quiet",
    "check src/state.rs src/sate.rs ../x src/a_test.rs",
    "lint --worktree",
    "scope check --all",
    "scope check --staged",
];

#[test]
fn no_byte_changes() {
    let repo = busy();
    let before = repo.digest_tree();
    for line in VERBS {
        repo.guard(&line.split(' ').collect::<Vec<_>>());
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
    for line in &VERBS[..4] {
        let arguments: Vec<&str> = line.split(' ').collect();
        let first = repo.guard(&arguments);
        for (locale, zone) in [("tr_TR.UTF-8", "Asia/Kathmandu"), ("nonsense", ":bad")] {
            let output = repo.guard_with(
                &[
                    ("LC_ALL", locale),
                    ("LANG", locale),
                    ("TZ", zone),
                    ("TERM", "dumb"),
                    ("LINES", "5"),
                    ("PWD", "/nowhere"),
                ],
                &arguments,
            );
            let both = [output, repo.guard(&arguments)];
            for again in both {
                assert_eq!(again.text(), first.text(), "{line}, {locale}");
                assert_eq!(again.code, first.code);
            }
        }
    }
}

#[test]
fn a_program_gets_the_same_answer_in_every_directory() {
    let repo = busy();
    for line in &VERBS[4..6] {
        let in_directory = |directory: &str| {
            let line = format!("-C {directory} {line}");
            repo.guard(&line.split(' ').collect::<Vec<_>>()).stdout
        };
        for directory in ["src", "docs/lld/active", "stray"] {
            assert_eq!(in_directory(directory), in_directory("."), "{directory}");
        }
    }
    // Paths are relative to the current directory, as for git.
    let mut answers = Vec::new();
    for (directory, up) in [(".", ""), ("src", "../"), ("docs/lld/active", "../../../")] {
        let paths = ["src/state.rs", "src/sate.rs", "../x"].map(|path| format!("{up}{path}"));
        let mut check = vec!["-C", directory, "check"];
        check.extend(paths.iter().map(String::as_str));
        let mut report = repo.json(&check);
        let results = report["results"].as_array_mut().unwrap();
        for (result, path) in results.iter_mut().zip(paths) {
            assert_eq!(result["requested_path"].take(), path);
            result["reason"].take();
        }
        answers.push(report);
    }
    assert_eq!(answers[0]["results"][2]["rule"], "outside-workspace");
    assert_eq!([&answers[0], &answers[0]], [&answers[1], &answers[2]]);
}
