//! Criss-cross merges have several merge bases. None of them hides a loss against another.

use crate::common::{Repo, changed_paths, lines, run};

/// Runs git at a time of day.
fn git_at(repo: &Repo, hour: u32, arguments: &[&str]) {
    let date = format!("2026-01-02T{hour:02}:00:00Z");
    let mut git = repo.command("git");
    for who in ["AUTHOR", "COMMITTER"] {
        git.env(format!("GIT_{who}_DATE"), &date);
    }
    run(git.args(arguments)).exits(0);
}

/// `main` changes files. The branch merges that and changes them again, and `main` merges the branch's earlier commit. So
/// the change in `main`, made at `hour`, and the branch's commit, made at 3, are both merge bases.
fn criss_cross(hour: u32, in_main: &[(&str, String)], in_merge: impl FnOnce(&Repo)) -> Repo {
    let repo = Repo::new();
    for name in ["src/a.rs", "src/b.rs"] {
        repo.stage(name, lines(1..=150));
    }
    repo.govern(&[("src/new.rs", "Add", "x"), ("src/b.rs", "Modify", "x")]);
    repo.stage("src/new.rs", "fn new() {}\n");
    git_at(&repo, 3, &["commit", "--quiet", "-m", "Work"]);
    repo.git(&["branch", "earlier"]);
    repo.git(&["switch", "--quiet", "main"]);
    for (name, content) in in_main {
        repo.stage(name, content);
    }
    git_at(&repo, hour, &["commit", "--quiet", "-m", "Fix"]);
    repo.git(&["switch", "--quiet", "188-work"]);
    git_at(&repo, 6, &["merge", "--quiet", "--no-commit", "main"]);
    in_merge(&repo);
    git_at(&repo, 6, &["commit", "--quiet", "--no-edit"]);
    repo.git(&["switch", "--quiet", "main"]);
    git_at(&repo, 7, &["merge", "--quiet", "--no-edit", "earlier"]);
    repo.git(&["switch", "--quiet", "188-work"]);
    let bases = repo.git(&["merge-base", "--all", "main", "HEAD"]);
    assert_eq!(bases.lines().count(), 2, "a criss-cross");
    repo
}

/// `main` fixes `src/a.rs` and `src/b.rs`, and the branch keeps the old `path`.
fn reverted(hour: u32, path: &str) -> Repo {
    let fixed = lines(1..=150).replace("number 100", "number 100, checked");
    let in_main = ["src/a.rs", "src/b.rs"].map(|name| (name, fixed.clone()));
    criss_cross(hour, &in_main, |repo| {
        repo.git(&["checkout", "--quiet", "earlier", "--", path]);
    })
}

/// Either merge base may be the newer one.
const HOURS: [u32; 2] = [2, 4];

#[track_caller]
fn changes(repo: &Repo, expected: &[&str]) {
    let report = repo.json(&["lint", "--range", "main..HEAD"]);
    assert_eq!(changed_paths(&report), expected, "{report}");
}

#[test]
fn a_revert_of_a_fix_is_seen_from_every_merge_base() {
    for hour in HOURS {
        let repo = reverted(hour, "src/a.rs");
        let refused = repo.guard(&["lint", "--range", "main..HEAD"]).exits(1);
        let refused = refused.says("error[out-of-scope]: src/a.rs");
        refused.says("there are 2 merge bases");
        // Not src/b.rs: it differs from one merge base, but equals main's version.
        changes(&repo, &["src/a.rs"]);
    }
}

#[test]
fn loss_is_measured_against_the_merge_base_that_loses_most() {
    for hour in HOURS {
        let repo = criss_cross(hour, &[("src/b.rs", lines(1..=600))], |repo| {
            repo.stage("src/b.rs", lines(1..=150) + "last\n");
        });
        let refused = repo.guard(&["lint", "--range", "main..188-work"]).exits(1);
        refused.says("error[destructive-change]: src/b.rs");
    }
}

#[test]
fn a_criss_cross_without_a_revert_is_accepted() {
    for hour in HOURS {
        // The new file is unchanged since the previous commit.
        let repo = reverted(hour, "src/new.rs");
        repo.guard(&["lint", "--range", "main..HEAD"]).exits(0);
        changes(&repo, &[]);
    }
}
