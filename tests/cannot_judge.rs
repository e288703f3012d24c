//! What keeps guard from judging: it exits with 2, prints nothing on standard output and says what to do.

#![allow(clippy::unwrap_used)]

use std::fs;

use crate::common::{DESIGN, GUARD, Output, Repo, SETTINGS, run};

/// A governed repository with one granted change staged.
fn repo() -> Repo {
    let repo = Repo::new();
    repo.stage("src/old.rs", "old\n");
    repo.govern(&[("src/new.rs", "Add", "x"), ("src/old.rs", "Modify", "x")]);
    repo.stage("src/new.rs", "new\n");
    repo
}

/// A repository with this design on its branch, and code staged.
fn with_design(text: impl AsRef<[u8]>) -> Repo {
    let repo = Repo::new();
    repo.stage("guard.toml", SETTINGS);
    repo.stage(DESIGN, text);
    repo.commit("Begin");
    repo.branch("188-work");
    repo.stage("src/new.rs", "new\n");
    repo
}

/// Runs guard and asserts that it did not judge.
#[track_caller]
fn cannot(repo: &Repo, arguments: &[&str]) -> Output {
    silent(repo.guard(arguments))
}

#[track_caller]
fn silent(output: Output) -> Output {
    let output = output.exits(2);
    assert_eq!(output.stdout, "");
    assert!(
        !output.stderr.contains("internal error"),
        "{}",
        output.stderr
    );
    output
}

#[test]
fn no_repository() {
    let repo = repo();
    for arguments in [
        &["-C", "..", "lint"][..],
        &["-C", "..", "check", "a"],
        &["-C", "..", "scope", "show"],
    ] {
        cannot(&repo, arguments)
            .says("is not in a git repository")
            .says("guard -C DIR");
    }
    cannot(&repo, &["-C", "not-there", "lint"]).says("-C not-there");
}

#[test]
fn no_design() {
    let repo = repo();
    repo.branch("no-issue");
    cannot(&repo, &["lint"])
        .says("no design applies: the branch name no-issue contains no issue number")
        .says("choose a design with `guard use`")
        .says("guard scope new NAME");
    repo.branch("189-other");
    cannot(&repo, &["lint"])
        .says("no design for issue 189: docs/lld/active/LLD-189.md is not in HEAD")
        .says("guard scope new");
    repo.write("docs/lld/active/LLD-189.md", "# x\n");
    cannot(&repo, &["lint"]).says(
        "git add docs/lld/active/LLD-189.md && git commit -m \"Add the design\" -- docs/lld/active/LLD-189.md",
    );
    repo.git(&["switch", "--quiet", "--detach"]);
    cannot(&repo, &["lint"]).says("HEAD is detached, so no branch name gives the path");
}

#[test]
fn no_settings() {
    let repo = Repo::new();
    repo.stage("a", "a\n");
    cannot(&repo, &["lint"])
        .says("HEAD has no guard.toml")
        .says("guard init");
}

#[test]
fn explicit_design_that_is_no_file_is_an_error() {
    let repo = repo();
    cannot(&repo, &["lint", "--lld", "docs/lld"])
        .says("there is no design at docs/lld")
        .says("it was chosen by --lld");
    cannot(&repo, &["lint", "--lld", "docs/missing.md"])
        .says("there is no design at docs/missing.md")
        .says("it was chosen by --lld");
    cannot(&repo, &["lint", "--lld", "../elsewhere.md"])
        .says("cannot be the design")
        .says("name a Markdown file inside the repository");
}

#[test]
fn unusable_design_reports_every_fault_with_its_line() {
    let repo = with_design(
        "# x\n\n### 2.1 Files Changed\n\n| File | Change Type | Description |\n|---|---|---|\n\
         | `../../etc/passwd` | Modify | x |\n| `src/a b\\c.rs` | Frobnicate | x |\n| `path/to/file` | Add | x |\n",
    );
    let output = cannot(&repo, &["lint"])
        .says("the design docs/lld/active/LLD-188.md cannot be used")
        .says("error[design-outside]")
        .says("LLD-188.md:7:3")
        .says("LLD-188.md:8:")
        .says("LLD-188.md:9:3");
    assert!(output.stderr.contains("Frobnicate"), "{}", output.stderr);
    cannot(&repo, &["check", "src/new.rs"]).says("LLD-188.md:7:3");
    cannot(&repo, &["scope", "show"]).says("LLD-188.md:7:3");
}

#[test]
fn broken_settings_with_their_line_and_column() {
    let repo = Repo::new();
    repo.stage("guard.toml", "[lld]\npath = \n");
    repo.commit("Break it");
    repo.stage("a", "a\n");
    for arguments in [&["lint"][..], &["check", "a"], &["scope", "show"]] {
        cannot(&repo, arguments).says("guard.toml:2:");
    }
}

#[test]
fn broken_settings_are_repaired_by_a_commit_that_passes() {
    let repo = Repo::new();
    repo.stage("guard.toml", "[lld\n");
    repo.design(DESIGN, &[("src/new.rs", "Add", "x")]);
    repo.commit("Break it");
    repo.branch("188-work");
    repo.install_hook("pre-commit");
    repo.stage("src/new.rs", "new\n");
    repo.try_git(&["commit", "-m", "Code"])
        .exits(1)
        .says("guard.toml:1:");
    repo.stage("guard.toml", SETTINGS);
    // They may not change together with code.
    repo.try_git(&["commit", "-m", "Both"])
        .exits(1)
        .says("policy-changed");
    repo.try_git(&["commit", "-m", "Repair", "--", "guard.toml"])
        .exits(0);
    repo.try_git(&["commit", "-m", "Code"]).exits(0);
}

#[test]
fn settings_are_not_broken_by_a_commit() {
    let repo = repo();
    repo.git(&["reset", "--quiet"]);
    repo.stage("guard.toml", "[lld]\npth = \"x\"\n");
    repo.guard(&["lint"])
        .exits(1)
        .says("policy-changed")
        .says("the new guard.toml cannot be used");
}

#[test]
fn a_damaged_index() {
    let repo = repo();
    let index = repo.path(".git/index");
    let good = fs::read(&index).unwrap();
    let says = |bytes: &[u8]| {
        fs::write(&index, bytes).unwrap();
        let output = cannot(&repo, &["lint"]).says("git read-tree HEAD");
        assert!(
            output.stderr.contains(".git/index is damaged"),
            "{}",
            output.stderr
        );
    };
    for length in [
        1,
        11,
        12,
        40,
        good.len() / 2,
        good.len() - 21,
        good.len() - 1,
    ] {
        says(&good[..length]);
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
#[cfg(unix)]
#[test]
fn a_panic_exits_with_2() {
    let repo = repo();
    let mut lint = repo.command(GUARD);
    lint.args(["lint", "--worktree"]);
    let output = run(lint.env("RUST_MIN_STACK", "9000000000000000")).exits(2);
    assert_eq!(output.stdout, "");
    assert!(
        output.stderr.contains("nothing was checked: panicked"),
        "{output:?}"
    );
}
