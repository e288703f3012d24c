//! What keeps guard from judging: it exits with 2, prints nothing on standard output and says what to do.

use std::fs;

use crate::common::{DESIGN, Output, Repo, SETTINGS};

/// A governed repository with one granted change staged.
fn repo() -> Repo {
    let repo = Repo::new();
    repo.stage("src/old.rs", "old\n");
    repo.govern(&[("src/new.rs", "Add", "x"), ("src/old.rs", "Modify", "x")]);
    repo.stage("src/new.rs", "new\n");
    repo
}

/// Runs guard and asserts that it did not judge.
#[track_caller]
fn cannot(repo: &Repo, arguments: &[&str]) -> Output {
    let output = repo.guard(arguments).exits(2);
    assert_eq!(output.stdout, "");
    assert!(!output.stderr.contains("internal error"), "{output:?}");
    output
}

#[test]
fn no_repository() {
    let repo = repo();
    for words in ["lint", "check a", "scope show"] {
        let arguments: Vec<&str> = ["-C", ".."].into_iter().chain(words.split(' ')).collect();
        let told = cannot(&repo, &arguments).says("guard -C DIR");
        told.says("is not in a git repository");
    }
    cannot(&repo, &["-C", "not-there", "lint"]).says("-C not-there");
}

#[test]
fn no_design() {
    let repo = repo();
    repo.branch("no-issue");
    cannot(&repo, &["lint"])
        .says("no design applies: the branch name no-issue contains no issue number")
        .says("choose the design of this work with `guard use`")
        .says("to write a design: guard scope new no-issue --from-changes");
    repo.branch("189-other");
    cannot(&repo, &["lint"])
        .says("no design for issue 189: docs/lld/active/LLD-189.md is not in HEAD")
        .says("guard scope new");
    repo.write("docs/lld/active/LLD-189.md", "# x\n");
    let add = "git add docs/lld/active/LLD-189.md && git commit -m \"Add the design\" -- docs/";
    cannot(&repo, &["lint"]).says(add);
    repo.git(&["switch", "--quiet", "--detach"]);
    cannot(&repo, &["lint"]).says("HEAD is detached, so no branch name gives the path");
}

/// The author of a pull request can change the branch, but chooses nothing in this clone.
#[test]
fn no_design_for_a_range() {
    let repo = repo();
    repo.commit("New");
    let ways = [
        "rename the branch after the issue of its design, as in 188-short-title",
        "or add the trailer `Guard-Design: FILE` to the message of one of its commits",
        "or commit a new design on the branch: the only one that a branch adds applies",
    ];
    for (branch, why) in [
        (
            "no-issue",
            "the branch name no-issue contains no issue number",
        ),
        (
            "189-other",
            "no design for issue 189: docs/lld/active/LLD-189.md is not in the branch",
        ),
        (
            "HEAD",
            "neither the branch name nor a Guard-Design trailer names one",
        ),
    ] {
        match branch {
            "HEAD" => repo.git(&["switch", "--quiet", "--detach"]),
            _ => repo.git(&["switch", "--quiet", "--create", branch]),
        };
        let told = cannot(&repo, &["lint", "--range", "main..HEAD"]).says(why);
        let told = ways.iter().fold(told, |told, way| told.says(way));
        assert!(!told.text().contains("guard use"), "{told:?}");
    }
    repo.branch("188-or-189");
    cannot(&repo, &["lint", "--range", "main..HEAD"])
        .says("contains several issues: 188, 189")
        .says("with the trailer `Guard-Design: FILE`");
    let repo = Repo::new();
    repo.stage("guard.toml", "[lld]\npath = \"docs/{branch}.md\"\n");
    repo.commit("Set guard up");
    repo.branch("work");
    repo.stage("a", "a\n");
    repo.commit("Work");
    cannot(&repo, &["lint", "--range", "main..HEAD"])
        .says("no design for branch work: docs/work.md is not in the branch")
        .says("rename the branch after its design");
}

/// Without a known target branch, guard does not know which designs the branch adds.
#[test]
fn no_design_but_one_that_is_staged_or_no_place_for_one() {
    let repo = repo();
    repo.branch("no-issue");
    repo.stage("docs/lld/active/LLD-9.md", "# x\n");
    cannot(&repo, &["lint"])
        .says("commit the design first, and choose it for this branch:")
        .says("-- docs/lld/active/LLD-9.md && guard use docs/lld/active/LLD-9.md");
    repo.git(&["rm", "--quiet", "--force", "docs/lld/active/LLD-9.md"]);
    repo.git(&["switch", "--quiet", "--detach"]);
    cannot(&repo, &["lint"]).says("switch to a branch first: git switch --create ");
    let repo = Repo::new();
    repo.stage("guard.toml", "[scope]\nprotect = [\"x\"]\n");
    repo.commit("Set guard up");
    repo.stage("a", "a\n");
    let told = cannot(&repo, &["lint"])
        .says("no design applies: guard.toml does not set `[lld] path`")
        .says("choose the design of this work with `guard use`")
        .says("set `[lld] path` in guard.toml, and commit it");
    assert!(!told.text().contains("guard scope new"), "{told:?}");
}

#[test]
fn no_settings() {
    let repo = Repo::new();
    repo.stage("a", "a\n");
    let told = cannot(&repo, &["lint"]).says("HEAD has no guard.toml");
    told.says("guard init");
    repo.commit("Begin");
    repo.branch("work");
    repo.stage("a", "b\n");
    repo.commit("Work");
    cannot(&repo, &["lint", "--range", "main..HEAD"])
        .says("the merge base has no guard.toml, so no document is a design")
        .says("if the target branch has one, rebase onto it or merge it")
        .says("otherwise set guard up on the target branch first: guard init");
}

#[test]
fn explicit_design_that_is_no_file_is_an_error() {
    let repo = repo();
    for design in ["docs/lld", "docs/missing.md"] {
        cannot(&repo, &["lint", "--lld", design])
            .says(&format!("there is no design at {design}"))
            .says("it was chosen by --lld");
    }
    cannot(&repo, &["lint", "--lld", "../elsewhere.md"])
        .says("cannot be the design")
        .says("name a Markdown file inside the repository");
}

#[test]
fn unusable_design_reports_every_fault_with_its_line() {
    let repo = Repo::new();
    repo.govern(&[
        ("../../etc/passwd", "Modify", "x"),
        ("src/a b\\c.rs", "Frobnicate", "x"),
        ("path/to/file", "Add", "x"),
    ]);
    repo.stage("src/new.rs", "new\n");
    cannot(&repo, &["lint"])
        .says("the design docs/lld/active/LLD-188.md cannot be used")
        .says("error[design-outside]")
        .says("LLD-188.md:7:3")
        .says("LLD-188.md:8:")
        .says("LLD-188.md:9:3")
        .says("Frobnicate");
    cannot(&repo, &["check", "src/new.rs"]).says("LLD-188.md:7:3");
    cannot(&repo, &["scope", "show"]).says("LLD-188.md:7:3");
}

#[test]
fn broken_settings_are_named_with_their_line_and_repaired_by_a_commit_that_passes() {
    let repo = Repo::new();
    repo.stage("guard.toml", "[lld]\npath = \n");
    repo.design(DESIGN, &[("src/new.rs", "Add", "x")]);
    repo.commit("Break it");
    repo.branch("188-work");
    repo.install_hook("pre-commit");
    repo.stage("src/new.rs", "new\n");
    for arguments in [&["lint"][..], &["check", "a"], &["scope", "show"]] {
        cannot(&repo, arguments).says("guard.toml:2:");
    }
    let commit = |arguments: &[&str]| repo.try_git(&[&["commit", "-m", "x"], arguments].concat());
    commit(&[]).exits(1).says("guard.toml:2:");
    repo.stage("guard.toml", SETTINGS);
    // They may not change together with code.
    commit(&[]).exits(1).says("policy-changed");
    commit(&["--", "guard.toml"]).exits(0);
    commit(&[]).exits(0);
}

#[test]
fn settings_are_not_broken_by_a_commit() {
    let repo = repo();
    repo.git(&["reset", "--quiet"]);
    repo.stage("guard.toml", "[lld]\npth = \"x\"\n");
    let refused = repo.guard(&["lint"]).exits(1).says("policy-changed");
    refused.says("the new guard.toml cannot be used");
}

#[test]
fn a_damaged_index() {
    let repo = repo();
    let index = repo.path(".git/index");
    let good = fs::read(&index).unwrap();
    let end = good.len();
    for length in [1, 11, 12, 40, end / 2, end - 21, end - 1] {
        fs::write(&index, &good[..length]).unwrap();
        let told = cannot(&repo, &["lint"]).says("git read-tree HEAD");
        told.says(".git/index is damaged");
    }
    // What git reads all the same is in cached_trees: guard computes no checksum, as git does not either.
    fs::write(&index, &good).unwrap();
    repo.guard(&["lint"]).exits(0);
    // git treats an empty file as an empty index, which deletes everything. guard judges it like that or refuses.
    fs::write(&index, b"").unwrap();
    assert_ne!(repo.guard(&["lint"]).code, 0);
}

#[test]
fn unreadable_git_file_is_named() {
    for file in ["packed-refs", "objects/info/alternates"] {
        let repo = repo();
        let path = repo.path(".git").join(file);
        let _ = fs::remove_file(&path);
        fs::create_dir_all(&path).unwrap();
        cannot(&repo, &["lint"]).says(file);
    }
}

/// A thread that the system cannot start is a panic of the standard library.
#[test]
fn a_panic_exits_with_2() {
    let stack = [("RUST_MIN_STACK", "9000000000000000")];
    let output = repo().guard_with(&stack, &["lint", "--worktree"]).exits(2);
    assert_eq!(output.stdout, "");
    output.says("nothing was checked: panicked");
}
