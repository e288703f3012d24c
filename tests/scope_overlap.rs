//! `guard scope overlap`: files that several open designs name, on all branches and in the work tree.

use serde_json::Value;

use crate::common::{Repo, run};

const SETTINGS: &str = "[lld]\npath = [\"docs/lld/LLD-{issue}.md\"]\nbase = \"main\"\n\
    done = [\"docs/done/LLD-{issue}.md\"]\n";

/// A design with these rows.
fn table_of(rows: &[(&str, &str)]) -> String {
    let head = "# Work\n\n## Files Changed\n\n| File | Change Type |\n|---|---|\n";
    let rows = rows
        .iter()
        .map(|(file, kind)| format!("| `{file}` | {kind} |\n"));
    head.to_owned() + &rows.collect::<String>()
}

/// Runs a git command that commits, at this time; at the present time by default.
fn git_at(repo: &Repo, time: Option<&str>, arguments: &[&str]) {
    let mut git = repo.command("git");
    git.args(arguments);
    match time {
        Some(time) => git.env("GIT_COMMITTER_DATE", time),
        None => git.env_remove("GIT_COMMITTER_DATE"),
    };
    run(&mut git).exits(0);
}

fn commit(repo: &Repo) {
    git_at(repo, None, &["commit", "--quiet", "-m", "Work"]);
}

/// A branch, the issue of its design, and the rows.
type Planned<'a> = (&'a str, &'a str, &'a [(&'a str, &'a str)]);

/// A repository whose branches have these designs.
fn repo(designs: &[Planned<'_>]) -> Repo {
    let repo = Repo::new();
    repo.stage("guard.toml", SETTINGS);
    repo.stage("src/a.rs", "a\n");
    commit(&repo);
    for (branch, issue, rows) in designs {
        repo.git(&["switch", "--quiet", "-c", branch, "main"]);
        repo.stage(format!("docs/lld/LLD-{issue}.md"), table_of(rows));
        commit(&repo);
    }
    repo.git(&["switch", "--quiet", "main"]);
    repo
}

/// Each overlap: its path, its level, and the designs with the types of their rows.
fn found(report: &Value) -> Vec<String> {
    let overlaps = report["overlaps"].as_array().unwrap().iter();
    let line = |overlap: &Value| {
        let claims = overlap["claims"].as_array().unwrap().iter();
        let claims = claims.map(|claim| {
            let design = claim["design"].as_str().unwrap();
            let design = design.rsplit('/').next().unwrap().trim_end_matches(".md");
            format!("{design} {}", claim["type"].as_str().unwrap())
        });
        let claims: Vec<String> = claims.collect();
        let text = |key: &str| overlap[key].as_str().unwrap();
        format!("{} {}: {}", text("level"), text("path"), claims.join(", "))
    };
    overlaps.map(line).collect()
}

#[test]
fn files_that_two_branches_plan_to_change_are_listed_with_their_rows() {
    let repo = repo(&[
        (
            "7-a",
            "7",
            &[
                ("src/a.rs", "Modify"),
                ("src/new.rs", "Add"),
                ("lib/x.rs", "Add"),
            ],
        ),
        (
            "8-b",
            "8",
            &[
                ("src/a.rs", "Modify"),
                ("src/new.rs", "Add"),
                ("src/other.rs", "Add"),
            ],
        ),
        ("9-c", "9", &[("lib/", "Modify"), ("src/*.md", "Modify")]),
    ]);
    let report = repo.json(&["scope", "overlap"]);
    let expected = [
        "note lib/x.rs: LLD-7 Add, LLD-9 Modify",
        "note src/a.rs: LLD-7 Modify, LLD-8 Modify",
        "warning src/new.rs: LLD-7 Add, LLD-8 Add",
    ];
    assert_eq!(found(&report), expected, "{report}");
    let human = repo.guard(&["scope", "overlap"]).exits(0).stdout;
    for part in [
        "src/new.rs (warning: several designs add it)",
        "docs/lld/LLD-8.md:7  Modify  8-b  today",
        "lib/x.rs (note)",
        "Modify by `lib/`",
        "3 paths named by more than one of 3 open designs in 4 branches",
    ] {
        assert!(human.contains(part), "{part} in {human}");
    }
    // Only two of them.
    let two = repo.json(&["scope", "overlap", "7-a", "9-c"]);
    assert_eq!(found(&two), &expected[..1], "{two}");
    repo.guard(&["scope", "overlap", "none"]).exits(2);
}

#[test]
fn merged_done_and_old_designs_and_the_same_design_elsewhere_do_not_count() {
    let rows: &[(&str, &str)] = &[("src/a.rs", "Modify")];
    let repo = repo(&[("7-a", "7", rows), ("8-b", "8", rows)]);
    assert_eq!(found(&repo.json(&["scope", "overlap"])).len(), 1);
    // The same design on a second branch, in another version.
    repo.git(&["branch", "--quiet", "-D", "8-b"]);
    repo.git(&["switch", "--quiet", "-c", "7-again", "7-a"]);
    repo.stage(
        "docs/lld/LLD-7.md",
        table_of(&[("src/a.rs", "Modify"), ("b.rs", "Add")]),
    );
    commit(&repo);
    assert_eq!(found(&repo.json(&["scope", "overlap"])), [""; 0]);
    // Merged, and then done.
    repo.git(&["switch", "--quiet", "-c", "9-c", "main"]);
    repo.stage("docs/lld/LLD-9.md", table_of(rows));
    commit(&repo);
    repo.git(&["switch", "--quiet", "main"]);
    git_at(
        &repo,
        None,
        &["merge", "--quiet", "--no-ff", "--no-edit", "9-c"],
    );
    let expected = ["note src/a.rs: LLD-7 Modify, LLD-9 Modify"];
    assert_eq!(found(&repo.json(&["scope", "overlap"])), expected);
    repo.stage("docs/done/LLD-9.md", "done\n");
    commit(&repo);
    assert_eq!(found(&repo.json(&["scope", "overlap"])), [""; 0]);
    // A branch that nobody has touched for long.
    repo.git(&["switch", "--quiet", "-c", "10-d", "main"]);
    repo.stage("docs/lld/LLD-10.md", table_of(rows));
    let long_ago = Some("2020-01-01T00:00:00Z");
    git_at(&repo, long_ago, &["commit", "--quiet", "-m", "Plan"]);
    assert_eq!(found(&repo.json(&["scope", "overlap"])), [""; 0]);
    assert_eq!(found(&repo.json(&["scope", "overlap", "--all"])).len(), 1);
}

#[test]
fn done_work_may_be_noted_where_a_pattern_with_wildcards_says() {
    let rows: &[(&str, &str)] = &[("src/a.rs", "Modify")];
    let repo = repo(&[("7-a", "7", rows), ("8-b", "8", rows)]);
    let settings = SETTINGS.replace("docs/done/", "docs/done/*/");
    for (path, content, count) in [
        ("guard.toml", settings.as_str(), 1),
        ("docs/done/2026/LLD-80.md", "done\n", 1),
        ("docs/done/LLD-8.md", "done\n", 1),
        ("docs/done/2026/LLD-8.md", "done\n", 0),
    ] {
        repo.stage(path, content);
        commit(&repo);
        let report = repo.json(&["scope", "overlap"]);
        assert_eq!(found(&report).len(), count, "{path}: {report}");
    }
}

/// What lies in `.git` is no document of the work tree, even where a pattern covers it.
#[test]
fn designs_of_the_work_tree_are_found_in_every_directory_but_that_of_git() {
    let repo = Repo::new();
    let settings = "[lld]\npath = [\"{branch}/plan.md\"]\nstanding = \"always/plan.md\"\n";
    repo.stage("guard.toml", settings);
    commit(&repo);
    let rows = table_of(&[("src/a.rs", "Modify")]);
    for directory in ["one", "two", "always", ".git"] {
        repo.write(format!("{directory}/plan.md"), &rows);
        repo.write(format!("{directory}/notes.md"), &rows);
    }
    let report = repo.json(&["scope", "overlap"]);
    let claims = report["overlaps"][0]["claims"].as_array().unwrap().iter();
    let designs: Vec<&str> = claims
        .map(|claim| claim["design"].as_str().unwrap())
        .collect();
    assert_eq!(designs, ["one/plan.md", "two/plan.md"], "{report}");
}

#[test]
fn the_work_tree_counts_and_says_so_where_work_begins() {
    let repo = repo(&[("8-b", "8", &[("src/a.rs", "Modify"), ("b.rs", "Add")])]);
    repo.git(&["switch", "--quiet", "-c", "7-a"]);
    repo.write("docs/lld/LLD-7.md", table_of(&[("src/a.rs", "Modify")]));
    let report = repo.json(&["scope", "overlap"]);
    assert_eq!(
        found(&report),
        ["note src/a.rs: LLD-7 Modify, LLD-8 Modify"]
    );
    assert_eq!(
        report["overlaps"][0]["claims"][0]["branches"][0],
        "the work tree"
    );
    let note = "another open design names src/a.rs, too: guard scope overlap";
    let check = repo.guard(&["scope", "check", "--lld", "docs/lld/LLD-7.md"]);
    check.exits(0).says(note);
    repo.git(&["add", "docs"]);
    commit(&repo);
    repo.guard(&["status"]).exits(0).says(note);
    repo.guard(&["review", "--file", "../page.html"]).exits(0);
    assert!(
        repo.text("../page.html")
            .contains("another open design names")
    );
    // What is wrong with another branch stops nothing.
    let tip = repo.git(&["rev-parse", "8-b:docs/lld/LLD-8.md"]);
    let object = repo.path(".git/objects").join(&tip[..2]).join(&tip[2..]);
    std::fs::remove_file(object).unwrap();
    repo.guard(&["status"]).exits(0).says("cannot be compared");
    repo.guard(&["scope", "overlap"]).exits(2);
    // Not where the other branch is merged.
    repo.git(&["branch", "--quiet", "-D", "8-b"]);
    assert!(!repo.guard(&["status"]).text().contains("scope overlap"));
}

/// Only what this branch's own design shares with another one is news to its author.
#[test]
fn status_is_silent_about_what_two_other_designs_share() {
    let shared: &[(&str, &str)] = &[("src/a.rs", "Modify")];
    let repo = repo(&[
        ("7-a", "7", &[("own.rs", "Add"), ("own.rs", "Modify")]),
        ("8-b", "8", shared),
        ("9-c", "9", shared),
    ]);
    assert_eq!(found(&repo.json(&["scope", "overlap"])).len(), 1);
    for (branch, is_told) in [("7-a", false), ("8-b", true)] {
        repo.git(&["switch", "--quiet", branch]);
        let told = repo.guard(&["status"]).exits(0).text();
        assert_eq!(
            told.contains("another open design names"),
            is_told,
            "{told}"
        );
    }
}

#[test]
fn only_new_text_makes_a_design_the_work_of_a_branch() {
    let rows: &[(&str, &str)] = &[("src/a.rs", "Modify")];
    let repo = repo(&[("7-a", "7", rows), ("8-b", "8", rows)]);
    repo.git(&["merge", "--quiet", "--no-edit", "8-b"]);
    repo.git(&["branch", "--quiet", "-D", "8-b"]);
    let design = "docs/lld/LLD-8.md";
    let branches = |name: &str, report: &Value| {
        let claims = report["overlaps"][0]["claims"].as_array().unwrap().iter();
        let mut all = claims.flat_map(|claim| claim["branches"].as_array().unwrap());
        all.any(|branch| branch == name)
    };
    repo.git(&["switch", "--quiet", "-c", "mode", "main"]);
    repo.git(&["update-index", "--chmod=+x", design]);
    commit(&repo);
    repo.git(&["switch", "--quiet", "--force", "-c", "link", "main"]);
    let target = repo.blob(b"LLD-7.md");
    repo.stage_raw(&[(0o120_000, target, design.as_bytes())]);
    commit(&repo);
    repo.git(&["switch", "--quiet", "--force", "-c", "text", "main"]);
    repo.stage(design, table_of(&[("src/a.rs", "Modify"), ("b.rs", "Add")]));
    commit(&repo);
    repo.git(&["switch", "--quiet", "main"]);
    let report = repo.json(&["scope", "overlap"]);
    for (name, is_named) in [("text", true), ("mode", false), ("link", false)] {
        assert_eq!(branches(name, &report), is_named, "{name}: {report}");
    }
}
