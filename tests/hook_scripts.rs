//! The scripts of `hooks/` as git hooks.

use crate::common::{self, Output, Repo, SOURCE};

/// git that finds the built guard on `PATH`.
fn with_guard(repo: &Repo, arguments: &[&str]) -> Output {
    common::run(repo.with_guard_on_path("git").args(arguments))
}

/// A governed repository with the scripts of `hooks/` installed.
fn shim_repo() -> Repo {
    let repo = Repo::new();
    repo.stage("src/kept.rs", "fn kept() {}\n");
    repo.govern(&[("src/utils/lld.rs", "Add", "path enforcement")]);
    for name in ["pre-commit", "pre-merge-commit"] {
        let script = std::fs::read_to_string(format!("{SOURCE}/hooks/{name}"));
        repo.install_hook_script(name, &script.unwrap());
    }
    repo
}

#[test]
fn hook_scripts_judge_commits_and_merges() {
    let repo = shim_repo();
    let commit = || with_guard(&repo, &["commit", "--message", "Change"]);
    repo.stage("src/core/lld.rs", "fn enforce() {}\n");
    let refused = commit().exits(1).says("out-of-scope");
    refused.says("src/utils/lld.rs");
    std::fs::create_dir(repo.path("src/utils")).unwrap();
    repo.git(&["mv", "src/core/lld.rs", "src/utils/lld.rs"]);
    commit().exits(0);

    // A merged file equals neither side, but the committer wrote none of its lines.
    let edit = |old: char, new: &str| {
        let lines = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
        repo.stage("shared.txt", lines.replace(old, new));
        repo.commit("Change a line");
    };
    edit('5', "5");
    repo.git(&["branch", "other"]);
    edit('1', "one");
    repo.git(&["branch", "before"]);
    repo.git(&["switch", "--quiet", "other"]);
    edit('9', "nine");
    repo.git(&["switch", "--quiet", "188-work"]);
    let merge = || with_guard(&repo, &["merge", "--no-ff", "--message", "Merge", "other"]);
    merge().exits(0);
    // The output of a merge driver is in neither parent, and no row names the file.
    repo.git(&["reset", "--quiet", "--hard", "before"]);
    repo.git(&["config", "merge.own.driver", "echo own >%A"]);
    repo.write(".git/info/attributes", "shared.txt merge=own\n");
    merge().exits(1).says("out-of-scope").says("shared.txt");
}

#[test]
fn hook_scripts_refuse_if_guard_is_missing() {
    let repo = shim_repo();
    let empty = repo.path("../empty");
    std::fs::create_dir(&empty).unwrap();
    for hook in ["pre-commit", "pre-merge-commit"] {
        let mut shell = repo.command("sh");
        shell.arg(repo.path(".git/hooks").join(hook));
        let output = common::run(shell.env("PATH", &empty)).exits(2);
        assert_eq!(output.stdout, "");
        output
            .says("guard: not found on PATH")
            .says("install guard");
    }
}
