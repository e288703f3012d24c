//! `guard lint --ci --pretend` at home says what the job of a pull request would say.

use serde_json::{Value, json};

use crate::common::{DESIGN, Output, Repo, lines};

/// Commits a new last line of a file on a branch.
fn change(repo: &Repo, branch: &str, file: &str) {
    repo.git(&["switch", "--quiet", branch]);
    repo.stage(file, format!("{}from {branch}\n", repo.text(file)));
    repo.commit("Change");
}

/// A repository whose `188-work` has merged `main` once, and changed one file; `main` has then changed another.
fn home(mine: &str, theirs: &str) -> Repo {
    let repo = Repo::new();
    for file in ["src/a.txt", "src/b.txt", "other.txt"] {
        repo.stage(file, lines(1..=20));
    }
    repo.govern(&[("src/a.txt", "Modify", ""), ("src/b.txt", "Modify", "")]);
    change(&repo, "main", "src/b.txt");
    change(&repo, "188-work", mine);
    repo.git(&["merge", "--quiet", "--no-edit", "main"]);
    change(&repo, "main", theirs);
    repo.git(&["switch", "--quiet", "188-work"]);
    // A choice that does not leave this clone.
    let design = "docs/lld/active/LLD-9.md";
    repo.stage(design, "# Nothing\n");
    repo.git(&["config", "branch.188-work.guardDesign", design]);
    repo
}

/// What counts of an answer: the commits of a merge that exists nowhere else have other ids.
fn answer(output: &Output) -> Value {
    let mut report: Value = serde_json::from_str(&output.stdout).unwrap_or_default();
    for design in report["designs"].as_array_mut().into_iter().flatten() {
        design["from"].take();
    }
    let [changes, findings, designs] = ["changes", "findings", "designs"].map(|key| &report[key]);
    json!([output.code, changes, findings, designs])
}

#[test]
fn pretended_requests_get_the_answer_of_a_real_job() {
    for (mine, theirs, code) in [
        ("src/a.txt", "other.txt", 0),
        ("other.txt", "src/a.txt", 1),
        ("src/a.txt", "src/a.txt", 2),
    ] {
        let repo = home(mine, theirs);
        let rev = |name: &str| repo.git(&["rev-parse", name]);
        let (base, head) = (rev("main"), rev("188-work"));
        let pretend = |system: &str| {
            let range = format!("{system}:main..188-work");
            repo.guard(&["lint", "--ci", "--pretend", &range, "--format", "json"])
        };
        repo.git(&["clone", "--quiet", ".", "../clone"]);
        let in_clone = |words: &[&str]| repo.try_git(&[&["-C", "../clone"], words].concat());
        let job = |commit: &str, variables: &[(&str, &str)]| {
            in_clone(&["checkout", "--quiet", "--detach", commit]).exits(0);
            let lint = ["-C", "../clone", "lint", "--ci", "--format", "json"];
            answer(&repo.guard_with(variables, &lint))
        };
        in_clone(&["checkout", "--quiet", "--detach", &base]).exits(0);
        let merged = in_clone(&["merge", "--quiet", "--no-ff", "--no-edit", &head]);
        let github = pretend("github").exits(code);
        if merged.code == 0 {
            let merge = in_clone(&["rev-parse", "HEAD"]).stdout;
            let merge = merge.trim();
            let event = json!({"pull_request": {
                "number": 7,
                "base": {"sha": base, "ref": "main"},
                "head": {"sha": head, "ref": "188-work"},
            }});
            repo.write("../event.json", event.to_string());
            let event = repo.path("../event.json").display().to_string();
            let variables = [
                ("GITHUB_ACTIONS", "true"),
                ("GITHUB_EVENT_NAME", "pull_request"),
                ("GITHUB_EVENT_PATH", &event),
                ("GITHUB_SHA", merge),
                ("GITHUB_HEAD_REF", "188-work"),
                ("GITHUB_BASE_REF", "main"),
            ];
            assert_eq!(answer(&github), job(merge, &variables));
        } else {
            github.says("conflicts with its target");
            in_clone(&["merge", "--abort"]).exits(0);
        }
        let merge_base = repo.git(&["merge-base", &base, &head]);
        let variables = [
            ("GITLAB_CI", "true"),
            ("CI_COMMIT_SHA", &head),
            ("CI_MERGE_REQUEST_IID", "5"),
            ("CI_MERGE_REQUEST_DIFF_BASE_SHA", &merge_base),
            ("CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "main"),
            ("CI_MERGE_REQUEST_SOURCE_BRANCH_NAME", "188-work"),
        ];
        assert_eq!(answer(&pretend("gitlab")), job(&head, &variables));
    }
}

#[test]
fn pretending_writes_nothing_and_names_its_form() {
    let repo = Repo::new();
    repo.govern(&[("src/a.rs", "Add", "")]);
    repo.stage("src/a.rs", "fn a() {}\n");
    repo.commit("Add it");
    let before = repo.digest_tree();
    for system in ["github", "gitlab"] {
        let line = format!("lint --ci --pretend {system}:main..HEAD");
        repo.tells(&line, 0, "1 change within design").says(DESIGN);
    }
    assert_eq!(repo.digest_tree(), before);
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
