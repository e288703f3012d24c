//! Paths that designs forbid, through every verb: the front matter's lists and rows that say DO NOT MODIFY.

use crate::common::Repo;

const TABLE: &str =
    "# Tasks\n\n## Files Changed\n\n| File | Change Type |\n|---|---|\n| `src/` | Modify |\n";

/// A design of two documents: one with the table, the other with a list of what is forbidden.
fn repo() -> Repo {
    let repo = Repo::new();
    let path = "path = \"specs/{branch}/{proposal,tasks}.md\"\nbase = \"main\"\n";
    repo.stage("guard.toml", format!("[lld]\n{path}"));
    let proposal = "---\nforbidden_paths:\n  - src/keys.rs\n  - src/old/\n---\n# Proposal\n";
    repo.stage("specs/one/proposal.md", proposal);
    repo.stage("specs/one/tasks.md", TABLE);
    for path in ["src/a.rs", "src/keys.rs", "src/old/b.rs"] {
        repo.stage(path, "a\n");
    }
    repo.commit("Begin");
    repo.branch("one");
    repo
}

#[test]
fn the_front_matter_of_one_document_counts_beside_the_table_of_another() {
    let repo = repo();
    for (path, allowed) in [
        ("src/a.rs", true),
        ("src/keys.rs", false),
        ("src/old/b.rs", false),
    ] {
        let answer = repo.json(&["check", path]);
        let answer = &answer["results"][0];
        assert_eq!(answer["allowed"], allowed, "{answer}");
        if !allowed {
            assert_eq!(answer["rule"], "protected-path");
            repo.put(path, "b\n", &[]).fails("refused");
            repo.stage(path, "b\n");
            repo.tells("lint", 1, "forbidden by the front matter");
            repo.git(&["reset", "--quiet", "--hard"]);
        }
    }
    repo.stage("src/a.rs", "b\n");
    repo.guard(&["lint"]).exits(0);
    let refusal = repo.json(&["check", "src/keys.rs"]);
    assert_eq!(
        refusal["results"][0]["closest_match"],
        serde_json::Value::Null
    );
}

#[test]
fn the_finding_points_at_the_line_that_forbids() {
    let repo = repo();
    repo.stage("src/old/b.rs", "b\n");
    let report = repo.json(&["lint"]);
    let at = &report["findings"][0]["design"];
    assert_eq!(at["path"], "specs/one/proposal.md");
    assert_eq!((&at["line"], &at["column"]), (&4.into(), &5.into()));
}

#[test]
fn scope_and_prompt_list_what_is_forbidden() {
    let repo = repo();
    let scope = repo.json(&["scope", "show"]);
    assert_eq!(scope["grants"].as_array().map(Vec::len), Some(1));
    let paths = scope["denials"].as_array().unwrap().iter();
    let paths: Vec<_> = paths
        .map(|one| (one["path"].as_str(), one["kind"].as_str()))
        .collect();
    let expected = [("src/keys.rs", "file"), ("src/old", "directory")];
    assert_eq!(paths, expected.map(|(path, kind)| (Some(path), Some(kind))));
    repo.guard(&["scope", "show"])
        .exits(0)
        .says("forbidden (2 paths):");
    let prompt = repo.guard(&["scope", "prompt"]);
    prompt
        .exits(0)
        .says("- src/old/  # DO NOT MODIFY anything below\n");
}

/// A design may be amended whatever it forbids; whether a pattern forbids anything shows only later.
#[test]
fn prompt_leaves_out_a_denial_that_is_not_in_force() {
    let repo = repo();
    let denied = ["specs/one/tasks.md", "src/keys.rs", "src/[xy]*.rs"];
    let list = denied.map(|path| format!("  - \"{path}\"\n")).concat();
    let front = format!("---\nforbidden_paths:\n{list}---\n# Proposal\n");
    repo.stage("specs/one/proposal.md", front);
    repo.commit("Forbid more");
    let listed = |verb: &str| -> Vec<bool> {
        let text = repo.guard(&["scope", verb]).exits(0).text();
        let is_listed = |path: &str| {
            let mut lines = text.lines();
            lines.any(|line| line.contains(path) && !line.contains("from "))
        };
        denied.map(is_listed).to_vec()
    };
    assert_eq!(listed("show"), [true, true, true]);
    assert_eq!(listed("prompt"), [false, true, true]);
}

#[test]
fn forbidden_grants_are_not_listed() {
    let repo = repo();
    let rows = "| `src/keys.rs` | Modify |\n| `src/old/b.rs` | Delete |\n";
    repo.stage("specs/one/tasks.md", format!("{TABLE}{rows}"));
    repo.commit("Allow what is forbidden");
    for arguments in [&["scope", "show"], &["scope", "check"]] {
        let scope = repo.json(arguments);
        let grants = scope["grants"].as_array().unwrap().iter();
        let paths: Vec<_> = grants
            .map(|grant| grant["path"].as_str().unwrap())
            .collect();
        assert_eq!(paths, ["src"], "{arguments:?}");
    }
    let prompt = repo.guard(&["scope", "prompt"]);
    assert!(!prompt.exits(0).text().contains("src/keys.rs  # modify"));
}
