//! An approval counts once, and until it expires.

use super::*;

#[test]
fn an_approval_counts_once() {
    let Some(repo) = listed() else { return };
    let one = signed(&repo, "person", approval(&repo, &old(), &new()));
    let first = land(&repo, &new(), &[&one]);
    passes(&repo);
    // Back again, which takes consent too, and the copy of the first in a second commit.
    let back = signed(&repo, "person", approval(&repo, &new(), &old()));
    land(&repo, &old(), &[&back]);
    passes(&repo);
    land(&repo, &new(), &[&one]);
    let why = format!("it counts once, and did in commit {}", &first[..12]);
    range(&repo, &["--each-commit"])
        .exits(1)
        .says("destructive-change")
        .says(&why);
    // Another consent to the same step is one.
    repo.git(&["reset", "--quiet", "--hard", "HEAD~"]);
    let again = Approval {
        id: "another".to_owned(),
        ..approval(&repo, &old(), &new())
    };
    land(&repo, &new(), &[&signed(&repo, "person", again)]);
    passes(&repo);
    // Nor does it count a second time when the first commit is in main.
    repo.git(&["switch", "--quiet", "main"]);
    repo.git(&["merge", "--quiet", "188-work"]);
    land(&repo, &old(), &[]);
    repo.git(&["branch", "--quiet", "--force", "188-work", "main"]);
    repo.git(&["switch", "--quiet", "188-work"]);
    land(&repo, &new(), &[&one]);
    stays(&repo, &[], &why);
    stays(&repo, &["--each-commit"], &why);
    unwrapped(&repo, &["lint", "--commit", "188-work"])
        .exits(1)
        .says(&why);
}

#[test]
fn an_approval_that_a_squash_brought_to_main_is_used_up() {
    let Some(repo) = listed() else { return };
    let one = signed(&repo, "person", approval(&repo, &old(), &new()));
    land(&repo, &new(), &[&one]);
    land(&repo, &edited(&new(), 0), &[]);
    repo.git(&["switch", "--quiet", "main"]);
    let line = format!("{TRAILER}: {}", one.to_trailer_value());
    for message in [
        // As a forge and as `git merge --squash` write it.
        format!("Change (#1)\n\n* Change\n\n{line}\n\n* More\n\nReviewed-by: X <x@y>"),
        format!("Squashed commit of the following:\n\ncommit 1\n\n    Change\n\n    {line}\n\nEnd"),
    ] {
        repo.stage(FILE, new());
        repo.commit(&message);
        land(&repo, &old(), &[]);
        repo.git(&["branch", "--quiet", "--force", "188-work", "main"]);
        repo.git(&["switch", "--quiet", "188-work"]);
        land(&repo, &new(), &[&one]);
        stays(&repo, &[], "it counts once, and did in commit");
        stays(
            &repo,
            &["--each-commit"],
            "it counts once, and did in commit",
        );
        repo.git(&["switch", "--quiet", "main"]);
        repo.git(&["reset", "--quiet", "--hard", "HEAD~2"]);
    }
}

#[test]
fn a_branch_from_before_does_not_bring_back_what_main_took_back() {
    let Some(repo) = listed() else { return };
    let one = signed(&repo, "person", approval(&repo, &old(), &new()));
    land(&repo, &new(), &[&one]);
    // Main takes the change over; the branch still has the commit of its own.
    repo.git(&["switch", "--quiet", "main"]);
    repo.stage("README.md", "More.\n");
    repo.commit("Go on");
    let taken = land(&repo, &new(), &[&one]);
    passes(&repo);
    land(&repo, &old(), &[]);
    let why = format!("it counts once, and did in commit {}", &taken[..12]);
    stays(&repo, &[], &why);
    stays(&repo, &["--each-commit"], &why);
}

#[test]
fn expiry_is_told_by_when_the_change_was_made() {
    let Some(repo) = listed() else { return };
    let one = signed(&repo, "person", approval(&repo, &old(), &new()));
    repo.stage(FILE, new());
    let message = format!("Change\n\n{TRAILER}: {}", one.to_trailer_value());
    for (author, committer, code) in [
        ("2026-01-14T23:59:59Z", "2026-01-14T23:59:59Z", 0),
        // A rebase long after.
        ("2026-01-14T23:59:59Z", "2027-01-01T00:00:00Z", 0),
        ("2026-01-15T00:00:00Z", "2026-01-01T00:00:00Z", 1),
    ] {
        let mut git = repo.command("git");
        git.env("GIT_AUTHOR_DATE", author)
            .env("GIT_COMMITTER_DATE", committer)
            .args(["commit", "--quiet", "-m", &message]);
        common::run(&mut git).exits(0);
        range(&repo, &[]).exits(code);
        range(&repo, &["--each-commit"]).exits(code);
        repo.git(&["reset", "--quiet", "--soft", "HEAD~"]);
    }
}
