//! `guard lint --ci --pretend` at home says what the job of a pull request would say.

use std::path::Path;

use serde_json::{Value, json};

use crate::common::random::Random;
use crate::common::{self, DESIGN, GUARD, Output, Repo};

/// What may change, and one file that may not.
const FILES: [&str; 4] = ["src/a.txt", "src/b.txt", "src/large.txt", "other.txt"];

fn lines(random: &mut Random, count: usize) -> String {
    let line = |_| format!("line {}\n", random.below(1000));
    (0..count).map(line).collect()
}

/// Commits a change of one of the files on the current branch.
fn change(repo: &Repo, random: &mut Random) {
    let file = FILES[random.below(FILES.len())];
    match random.below(6) {
        0 if repo.path(file).exists() => {
            repo.git(&["rm", "--quiet", file]);
        }
        1 => repo.stage(file, "the same on each branch\n"),
        _ => {
            let text = std::fs::read_to_string(repo.path(file)).unwrap_or_default();
            let count = 1 + random.below(60);
            let at = random.below(2) * text.len();
            let new = lines(random, count);
            repo.stage(file, format!("{}{new}{}", &text[..at], &text[at..]));
        }
    }
    repo.git(&[
        "commit",
        "--quiet",
        "--allow-empty",
        "--no-verify",
        "-m",
        "Change",
    ]);
}

/// A repository with work on `188-work`, and main beside it.
fn home(random: &mut Random) -> Repo {
    let repo = Repo::new();
    for file in FILES {
        let count = if file.contains("large") { 150 } else { 20 };
        repo.stage(file, lines(random, count));
    }
    let rows = [
        ("src/a.txt", "Modify", ""),
        ("src/b.txt", "Modify", ""),
        ("src/large.txt", "Modify", ""),
    ];
    repo.govern(&rows);
    for _ in 0..3 + random.below(5) {
        match random.below(3) {
            0 => {
                repo.git(&["switch", "--quiet", "main"]);
                change(&repo, random);
                repo.git(&["switch", "--quiet", "188-work"]);
            }
            1 => {
                if repo
                    .try_git(&["merge", "--quiet", "--no-edit", "main"])
                    .code
                    != 0
                {
                    repo.git(&["merge", "--abort"]);
                }
            }
            _ => change(&repo, random),
        }
    }
    change(&repo, random);
    repo
}

/// The answer of a job with these variables, in a clone that has this commit checked out.
fn job(repo: &Repo, clone: &str, commit: &str, variables: &[(&str, &str)]) -> Output {
    repo.git(&["-C", clone, "checkout", "--quiet", "--detach", commit]);
    let mut guard = repo.command(GUARD);
    guard.args(["-C", clone, "lint", "--ci", "--format", "json"]);
    common::run(guard.envs(variables.iter().copied()))
}

/// What counts of an answer: the commits of a merge that exists nowhere else have other ids.
fn answer(output: &Output) -> Value {
    let mut report: Value = serde_json::from_str(&output.stdout).unwrap_or_default();
    for design in report["designs"].as_array_mut().into_iter().flatten() {
        design["from"].take();
    }
    let error = output.stderr.lines().next().filter(|_| report.is_null());
    json!([
        output.code,
        report["changes"],
        report["findings"],
        report["designs"],
        error
    ])
}

#[test]
fn pretended_requests_get_the_answer_of_a_real_job() {
    let count = if std::env::var_os("GUARD_LONG").is_some() {
        300
    } else {
        6
    };
    let (mut refused, mut accepted) = (0, 0);
    for seed in 0..count {
        let repo = home(&mut Random(seed * 7919 + 1));
        // A choice that does not leave this clone.
        repo.stage("docs/lld/active/LLD-9.md", "# Nothing\n");
        repo.git(&[
            "config",
            "branch.188-work.guardDesign",
            "docs/lld/active/LLD-9.md",
        ]);
        let rev = |name: &str| repo.git(&["rev-parse", name]);
        let (base, head) = (rev("main"), rev("188-work"));
        let pretend = |system: &str| {
            let range = format!("{system}:main..188-work");
            repo.guard(&["lint", "--ci", "--pretend", &range, "--format", "json"])
        };
        repo.git(&["clone", "--quiet", ".", "../clone"]);
        let in_clone =
            |arguments: &[&str]| repo.try_git(&[&["-C", "../clone"], arguments].concat());
        in_clone(&["checkout", "--quiet", "--detach", &base]).exits(0);
        let merged = in_clone(&["merge", "--quiet", "--no-ff", "--no-edit", &head]);
        let github = pretend("github");
        if merged.code == 0 {
            let merge = in_clone(&["rev-parse", "HEAD"]).stdout;
            let event = json!({"pull_request": {
                "number": 7,
                "base": {"sha": base, "ref": "main"},
                "head": {"sha": head, "ref": "188-work"},
            }});
            std::fs::write(repo.path("../event.json"), event.to_string()).unwrap();
            let event = repo.path("../event.json").display().to_string();
            let real = job(
                &repo,
                "../clone",
                merge.trim(),
                &[
                    ("GITHUB_ACTIONS", "true"),
                    ("GITHUB_EVENT_NAME", "pull_request"),
                    ("GITHUB_EVENT_PATH", &event),
                    ("GITHUB_SHA", merge.trim()),
                    ("GITHUB_HEAD_REF", "188-work"),
                    ("GITHUB_BASE_REF", "main"),
                ],
            );
            assert_eq!(answer(&github), answer(&real), "seed {seed}");
            refused += usize::from(real.code == 1);
            accepted += usize::from(real.code == 0);
        } else {
            github.exits(2).says("conflicts with its target");
            in_clone(&["merge", "--abort"]).exits(0);
        }
        let merge_base = repo.git(&["merge-base", &base, &head]);
        let real = job(
            &repo,
            "../clone",
            &head,
            &[
                ("GITLAB_CI", "true"),
                ("CI_COMMIT_SHA", &head),
                ("CI_MERGE_REQUEST_IID", "5"),
                ("CI_MERGE_REQUEST_DIFF_BASE_SHA", &merge_base),
                ("CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "main"),
                ("CI_MERGE_REQUEST_SOURCE_BRANCH_NAME", "188-work"),
            ],
        );
        assert_eq!(answer(&pretend("gitlab")), answer(&real), "seed {seed}");
    }
    assert!(
        refused > 0 && accepted > 0,
        "{refused} refused, {accepted} accepted"
    );
}

#[test]
fn pretending_writes_nothing_and_names_its_form() {
    let repo = Repo::new();
    repo.govern(&[("src/a.rs", "Add", "")]);
    repo.stage("src/a.rs", "fn a() {}\n");
    repo.commit("Add it");
    let before = repo.digest_tree();
    for system in ["github", "gitlab"] {
        let range = format!("{system}:main..HEAD");
        let told = repo.guard(&["lint", "--ci", "--pretend", &range]).exits(0);
        told.says("1 change within design").says(DESIGN);
    }
    assert_eq!(repo.digest_tree(), before);
    assert!(Path::new(&repo.path(DESIGN)).exists());
    for (value, part) in [
        ("main..HEAD", "is not of the form SYSTEM:A..B"),
        ("jenkins:main..HEAD", "is not of the form SYSTEM:A..B"),
        ("github:main", "is not a range"),
        ("github:main..nowhere", "nowhere"),
    ] {
        repo.tells(&format!("lint --ci --pretend {value}"), 2, part);
    }
    repo.tells("lint --pretend github:main..HEAD", 2, "--ci");
}
