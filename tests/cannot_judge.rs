//! What keeps guard from judging: it exits with 2, prints nothing on standard output and says what to do.

#![allow(clippy::unwrap_used)]

use std::fs;

use crate::common::{self, DESIGN, GUARD, Output, Repo, SETTINGS, run};

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
fn a_bare_repository() {
    let repo = repo();
    repo.git(&["clone", "--quiet", "--bare", ".", "../bare.git"]);
    cannot(&repo, &["-C", "../bare.git", "lint"])
        .says("bare repository")
        .says("run guard in a clone of it");
    cannot(&repo, &["-C", "../bare.git", "check", "a"]).says("bare repository");
}

#[test]
fn no_design() {
    let repo = repo();
    repo.branch("no-issue");
    cannot(&repo, &["lint"])
        .says("no design applies: the branch name no-issue contains no issue number")
        .says("guard scope new NAME")
        .says("188-enforce-paths, or choose one with `guard use`");
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
    repo.write("guard.toml", SETTINGS);
    cannot(&repo, &["lint"]).says("git add guard.toml && git commit");
}

#[test]
fn explicit_design_that_is_no_file_is_an_error() {
    let repo = repo();
    cannot(&repo, &["lint", "--lld", "docs/lld"])
        .says("the design docs/lld is a directory")
        .says("name the Markdown file itself");
    cannot(&repo, &["lint", "--lld", "docs/missing.md"])
        .says("there is no design at docs/missing.md")
        .says("it was chosen by --lld");
    cannot(&repo, &["lint", "--lld", "../elsewhere.md"])
        .says("cannot be the design")
        .says("name a Markdown file inside the repository");
}

#[test]
fn two_designs_without_a_choice() {
    let repo = Repo::new();
    repo.stage("guard.toml", "[lld]\npath = \"docs/{issue}-*.md\"\n");
    repo.design("docs/188-a.md", &[("a", "Add", "x")]);
    repo.design("docs/188-b.md", &[("b", "Add", "x")]);
    repo.commit("Begin");
    repo.branch("188-work");
    repo.stage("a", "a\n");
    cannot(&repo, &["lint"])
        .says("more than one design applies: docs/188-a.md, docs/188-b.md")
        .says("guard use FILE");
    // Choosing one, or both, resolves it.
    repo.guard(&["lint", "--lld", "docs/188-a.md"]).exits(0);
    repo.guard(&["lint", "--lld", "docs/188-b.md"]).exits(1);
    repo.guard(&["lint", "--lld", "docs/188-a.md", "--lld", "docs/188-b.md"])
        .exits(0);
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
fn designs_that_cannot_be_read() {
    for (text, says) in [
        (&b""[..], "design-no-table"),
        (b"# x\n\n\xff\xfe\n", "UTF-8"),
        (b"# x\n\n## Files Changed\n\n", "design-no-table"),
        (b"# x\r\r\n\r\r\n## Files Changed\r\r\n", "LLD-188.md"),
    ] {
        cannot(&with_design(text), &["lint"]).says(says);
    }
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
fn an_index_with_a_mode_that_git_does_not_write() {
    for mode in [0o100664, 0o100600, 0o100755 | 0o4000, 0o644, 0, 0o170000] {
        let repo = repo();
        let blob = repo.blob(b"x\n");
        repo.stage_raw(&[(mode, blob, b"src/new.rs")]);
        let output = silent(repo.guard(&["lint"]));
        assert!(
            output.stderr.contains("index"),
            "{mode:o}: {}",
            output.stderr
        );
    }
}

/// Removes a loose object.
fn lose(repo: &Repo, id: &str) {
    fs::remove_file(repo.path(format!(".git/objects/{}/{}", &id[..2], &id[2..]))).unwrap();
}

#[test]
fn a_missing_or_damaged_object() {
    let repo = repo();
    repo.stage("src/old.rs", "changed\n");
    let id = repo.git(&["rev-parse", ":src/old.rs"]);
    lose(&repo, &id);
    cannot(&repo, &["lint"]).says(&id);
    // Damage is as bad.
    repo.write(format!(".git/objects/{}/{}", &id[..2], &id[2..]), "garbage");
    cannot(&repo, &["lint"]);

    for object in [
        "HEAD:src/old.rs",
        "HEAD:src",
        "HEAD^{tree}",
        "HEAD",
        "HEAD:guard.toml",
        "HEAD:docs/lld/active/LLD-188.md",
    ] {
        let repo = self::repo();
        repo.stage("src/old.rs", "changed\n");
        let id = repo.git(&["rev-parse", object]);
        lose(&repo, &id);
        let output = cannot(&repo, &["lint"]);
        assert!(
            output.stderr.contains(&id[..7]),
            "{object}: {}",
            output.stderr
        );
    }
}

#[test]
fn a_damaged_head() {
    for head in ["", "garbage\n", "ref: refs/heads/../../x\n"] {
        let repo = repo();
        repo.write(".git/HEAD", head);
        cannot(&repo, &["lint"]);
    }
    let repo = repo();
    repo.write(".git/refs/heads/188-work", "garbage\n");
    cannot(&repo, &["lint"]).says("HEAD");
    repo.write(".git/refs/heads/188-work", format!("{}\n", "1".repeat(40)));
    cannot(&repo, &["lint"]);
}

#[test]
fn refs_in_a_format_that_guard_does_not_read() {
    let repo = Repo::init(&["--ref-format=reftable"]);
    repo.stage("a", "a\n");
    for arguments in [&["lint"][..], &["check", "a"], &["scope", "show"]] {
        cannot(&repo, arguments)
            .says("keeps its refs as reftable")
            .says("git refs migrate --ref-format=files");
    }
}

#[test]
fn a_repository_format_of_the_future() {
    let repo = repo();
    repo.git(&["config", "core.repositoryFormatVersion", "1"]);
    repo.git(&["config", "extensions.somethingNew", "true"]);
    repo.try_git(&["status"]).exits(128);
    cannot(&repo, &["lint"]);
}

#[cfg(unix)]
#[test]
fn repository_of_another_user_is_refused() {
    let repo = repo();
    let nobody = Some(65534);
    if let Err(error) = std::os::unix::fs::chown(repo.path(".git"), nobody, nobody) {
        return common::skip(&format!("only root gives files away: {error}"));
    }
    std::os::unix::fs::chown(&repo.root, nobody, nobody).unwrap();
    for arguments in [&["lint"][..], &["check", "a"], &["scope", "show"]] {
        cannot(&repo, arguments)
            .says("belongs to another user")
            .says("git config --global --add safe.directory");
    }
    // guard's advice works from any directory, also for git.
    let message = cannot(&repo, &["-C", "src", "lint"]).text();
    let advice = message.split("git config").nth(1).unwrap().trim();
    run(repo
        .command("sh")
        .args(["-c", &format!("git config {advice}")]))
    .exits(0);
    repo.guard(&["lint"]).exits(0);
    repo.guard(&["-C", "src", "lint"]).exits(0);
    repo.try_git(&["status"]).exits(0);
}

#[test]
fn first_commit_has_no_earlier_policy() {
    let repo = Repo::new();
    repo.stage("src/old.rs", "old\n");
    repo.commit("Before guard");
    repo.govern(&[("src/new.rs", "Add", "x")]);
    let root = repo.git(&["rev-list", "--max-parents=0", "HEAD"]);
    let message = cannot(&repo, &["lint", "--commit", root.trim()])
        .says("has no parent with a guard.toml")
        .says("--lld FILE")
        .text();
    assert!(!message.contains("HEAD"), "{message}");
}

#[test]
fn a_quarantine_without_its_other_variables_is_named() {
    let repo = repo();
    let missing = repo.path("no-such-directory");
    silent(run(repo
        .command(common::GUARD)
        .arg("lint")
        .env("GIT_QUARANTINE_PATH", &missing)))
    .says("no-such-directory cannot be read")
    .says("GIT_OBJECT_DIRECTORY");
    run(repo
        .command(common::GUARD)
        .arg("lint")
        .env("GIT_QUARANTINE_PATH", repo.path(".git/objects"))
        .env("GIT_ALTERNATE_OBJECT_DIRECTORIES", ""))
    .exits(0);
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

#[test]
fn an_unreadable_choice_of_designs_in_the_environment() {
    let repo = repo();
    silent(run(repo
        .command(common::GUARD)
        .arg("lint")
        .env("GUARD_LLD", "docs/missing.md")))
    .says("it was chosen by GUARD_LLD");
    silent(run(repo
        .command(common::GUARD)
        .arg("lint")
        .env("GIT_CONFIG_PARAMETERS", "not quoted")))
    .says("GIT_CONFIG_PARAMETERS");
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
