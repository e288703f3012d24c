//! The designs in HEAD judge a request: a request cannot grant itself anything by writing a design.

use crate::common::files::answer_of;
use crate::common::system::{self, symlink};
use crate::common::{DESIGN, GUARD, Repo, lines};

const OWN: &str = "docs/lld/active/LLD-9.md";

fn table(rows: &[(&str, &str)]) -> String {
    let head = "# Plan\n\n## Files Changed\n\n| File | Change Type |\n|---|---|\n";
    let rows = rows
        .iter()
        .map(|(path, kind)| format!("| `{path}` | {kind} |\n"));
    head.to_owned() + &rows.collect::<String>()
}

/// A governed repository with an agent's own design in its work tree that grants everything below `priv`.
fn repo() -> Repo {
    let repo = Repo::new();
    repo.stage("priv/old.py", "old = 1\n");
    repo.stage("src/a.py", "a = 1\n");
    repo.govern(&[("src/a.py", "Modify", "the work")]);
    let own = table(&[("priv/**", "Add/Modify"), ("priv/old.py", "Delete")]);
    repo.put(OWN, own, &[]).works();
    repo
}

/// Every request to change a file that only the agent's own design grants.
const REQUESTS: &[&[&str]] = &[
    &["write", "priv/x.py"],
    &["patch", "priv/old.py", "--search", "1", "--replace", "2"],
    &["delete", "priv/old.py"],
    &["move", "priv/old.py", "priv/new.py"],
];

#[track_caller]
fn must_commit_first(repo: &Repo, arguments: &[&str], variable: Option<&str>) {
    let mut command = repo.command(GUARD);
    command.args(arguments);
    command.envs(variable.map(|value| ("GUARD_LLD", value)));
    let answer = answer_of(&mut command, b"content\n");
    assert_eq!(answer.fails("cannot-judge").code, 2, "{arguments:?}");
    assert!(answer.message().contains(OWN), "{answer:#?}");
    let help = answer.json["error"]["help"].to_string();
    assert!(help.contains("commit the design first"), "{help}");
    let command = format!("git add {OWN} && git commit ");
    assert!(help.contains(&command), "{help}");
    assert_eq!(repo.read("priv/old.py"), b"old = 1\n");
    assert!(!repo.path("priv/x.py").exists() && !repo.path("priv/new.py").exists());
}

#[test]
fn a_design_that_head_lacks_is_refused_by_every_request() {
    let repo = repo();
    let absolute = repo.path(OWN);
    let absolute = absolute.to_str().unwrap();
    for request in REQUESTS {
        for own in [OWN, absolute, "./docs/../docs/lld/active/LLD-9.md"] {
            must_commit_first(&repo, &[request, &["--lld", own][..]].concat(), None);
        }
        must_commit_first(&repo, request, Some(OWN));
        // Also in addition to a valid design.
        let both = ["--lld", DESIGN, "--lld", OWN];
        must_commit_first(&repo, &[request, &both[..]].concat(), None);
    }
    // Nor does a staged one count.
    repo.git(&["add", OWN]);
    for request in REQUESTS {
        must_commit_first(&repo, &[request, &["--lld", OWN][..]].concat(), None);
    }
    repo.git(&["reset", "--quiet", "--", OWN]);
    for arguments in ["priv/x.py", "--content-file src/a.py priv/x.py"] {
        let check = format!("check --lld {OWN} {arguments}");
        repo.tells(&check, 2, "commit the design first");
    }
}

#[test]
fn a_design_that_guard_use_chose_counts_once_it_is_committed() {
    let repo = repo();
    repo.guard(&["use", OWN]).exits(0);
    for request in REQUESTS {
        must_commit_first(&repo, request, None);
    }
    repo.git(&["add", OWN]);
    repo.commit("Add the design");
    repo.put("priv/x.py", "x = 1\n", &[]).works();
}

#[test]
fn a_design_of_the_branch_that_head_lacks_is_not_taken_from_the_work_tree() {
    let repo = repo();
    repo.branch("9-own");
    for request in REQUESTS {
        must_commit_first(&repo, request, None);
    }
    let check = ["check", "priv/x.py"];
    repo.guard(&check).exits(2).says("commit the design first");
}

#[test]
fn heads_design_counts_with_a_note_if_the_work_tree_differs() {
    let widened = table(&[("src/a.py", "Modify"), ("priv/**", "Add/Modify")]);
    let note = "is read from HEAD; the work tree has a different version";
    let by_hand: &[&str] = &["--lld", DESIGN];
    for arguments in [by_hand, &[]] {
        let repo = repo();
        repo.write(DESIGN, &widened);
        repo.write("content", "a = 2\n");
        let run = |words: &[&str]| repo.guard(&[words, arguments].concat());
        let write = |path| run(&["write", path, "--content-file", "content"]);
        write("priv/x.py").exits(1).says(note);
        assert!(!repo.path("priv/x.py").exists());
        write("src/a.py").exits(0).says(note);
        run(&["read", "src/a.py"])
            .exits(0)
            .says(note)
            .says("a = 2\n");
        run(&["check", "priv/x.py"]).exits(1).says(note);
        run(&["check", "src/a.py"]).exits(0).says(note);
    }
    // Line endings that git converts do not count as another version.
    let repo = repo();
    repo.write(DESIGN, repo.text(DESIGN).replace('\n', "\r\n"));
    let report = repo.json(&["check", "src/a.py"]);
    assert_eq!(report["notes"], serde_json::json!([]));
}

#[test]
fn a_design_that_is_a_link_judges_no_request() {
    let repo = repo();
    repo.write("../elsewhere.md", table(&[("priv/**", "Add")]));
    for (link, target) in [
        ("docs/lld/active/LLD-a.md", "LLD-9.md"),
        ("docs/lld/active/LLD-b.md", "LLD-188.md"),
        ("docs/lld/active/LLD-c.md", "../../../../elsewhere.md"),
    ] {
        symlink(target, repo.path(link)).unwrap();
        for is_committed in [false, true] {
            if is_committed {
                repo.git(&["add", link]);
                repo.commit("Add a link");
            }
            let refused = repo.put("priv/x.py", "x\n", &["--lld", link]);
            let message = refused.fails("cannot-judge").message();
            let reason = "not committed as a regular file";
            assert!(message.contains(reason), "{message}");
        }
    }
}

/// It would make guard wait for a writer.
#[test]
#[cfg_attr(not(unix), ignore = "needs a FIFO, which Windows lacks")]
fn a_fifo_in_the_place_of_a_design_is_not_opened() {
    let repo = repo();
    let design = repo.path(DESIGN);
    std::fs::remove_file(&design).unwrap();
    system::fifo(&design);
    repo.put("src/a.py", "a = 2\n", &[]).works();
}

#[test]
fn hooks_and_ci_refuse_a_design_that_head_lacks() {
    let repo = repo();
    repo.stage("src/a.py", "a = 2\n");
    // As on GitHub, for a push of the last commit.
    let ci = |words: &[&str]| repo.guard_with(&[("CI", "true")], words).exits(2);
    ci(&["lint", "--ci", "--lld", OWN]);
    ci(&["hook", "pre-commit", "--lld", OWN]).says("commit the design first");
    // A manual lint may use an uncommitted design, with a note.
    for arguments in [&["lint"][..], &["scope", "show"]] {
        let looked = repo.guard(&[arguments, &["--lld", OWN]].concat());
        assert_ne!(looked.code, 2, "{looked:?}");
        looked.says("is read from the work tree: HEAD does not have it");
    }
}

#[test]
fn the_log_names_the_designs_of_every_operation() {
    let repo = Repo::new();
    repo.stage("docs/all.md", table(&[("CHANGELOG.md", "Add/Modify")]));
    repo.stage("src/a.py", lines(1..=200));
    let rows = [("src/a.py", "Modify", "x"), ("src/b.py", "Add", "x")];
    repo.govern_with("standing = [\"docs/all.md\"]\n", &rows);
    let blob = |path: &str| repo.git(&["rev-parse", &format!("HEAD:{path}")]);
    let expected = [(DESIGN, blob(DESIGN)), ("docs/all.md", blob("docs/all.md"))];
    // Not the version in the work tree.
    repo.write(DESIGN, table(&[("priv/**", "Add")]));
    repo.put("src/b.py", "b = 1\n", &[]).works();
    repo.put("priv/x.py", "x\n", &[]).fails("refused");
    repo.put("../x.py", "x\n", &[]).fails("security");
    repo.put("src/a.py", "nothing\n", &[]).fails("held");
    let records = repo.records();
    assert_eq!(records.len(), 5);
    for record in &records {
        for (at, (path, blob)) in expected.iter().enumerate() {
            assert_eq!(record["designs"][at]["path"], *path, "{record}");
            assert_eq!(record["designs"][at]["blob"], **blob, "{record}");
        }
    }
}
