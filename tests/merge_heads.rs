//! Which commits count as parents of the commit in progress. `git merge` names them in `GITHEAD_*` for the
//! pre-merge-commit hook, but any caller can set such variables.

use crate::common::commits::repo;
use crate::common::frameworks::{frameworks, local_config};
use crate::common::{self, GUARD, Output, Repo};

/// Stages a file that no row grants, and names a commit with that file as if it were being merged.
fn stage_stray(repo: &Repo) -> String {
    repo.stage("src/stray.rs", "stray\n");
    let tree = repo.git(&["write-tree"]);
    let evil = repo.git(&["commit-tree", &tree, "-m", "Holds it"]);
    format!("GITHEAD_{evil}")
}

fn commit_with(repo: &Repo, variables: &[(&str, &str)]) -> Output {
    let mut git = repo.command("git");
    git.args(["commit", "--message", "No merge"]);
    git.envs(variables.iter().copied());
    common::run(&mut git)
}

fn install(repo: &Repo, hook: &str, entry: &str) {
    repo.install_hook_script(hook, &format!("#!/bin/sh\nexec '{GUARD}' hook {entry}\n"));
}

/// `main` gets a file that the branch's design does not name.
fn work_of_others(repo: &Repo) {
    repo.git(&["switch", "--quiet", "main"]);
    repo.stage("src/theirs.rs", "theirs\n");
    repo.git(&["commit", "--quiet", "--no-verify", "-m", "Work of others"]);
    repo.git(&["switch", "--quiet", "188-work"]);
    repo.stage("src/new.rs", "new\n");
    repo.git(&["commit", "--quiet", "--no-verify", "-m", "Own work"]);
}

fn merge(repo: &Repo) -> Output {
    repo.try_git(&["merge", "--no-ff", "--message", "Merge", "main"])
}

#[test]
fn githead_does_not_turn_a_commit_into_a_merge() {
    for (hook, entry) in [
        ("pre-commit", "pre-commit"),
        ("pre-commit", "framework"),
        ("prepare-commit-msg", "prepare-commit-msg \"$@\""),
    ] {
        let repo = repo();
        install(&repo, hook, entry);
        let head = repo.git(&["rev-parse", "HEAD"]);
        let githead = stage_stray(&repo);
        let tricks: [&[(&str, &str)]; 3] = [
            &[(&githead, "evil")],
            &[(&githead, "evil"), ("GIT_REFLOG_ACTION", "merge evil")],
            &[(&githead, "evil"), ("PREK_HOOK_STAGE", "pre-merge-commit")],
        ];
        for trick in tricks {
            commit_with(&repo, trick).exits(1).says("src/stray.rs");
            // As after `git merge`.
            repo.git(&["update-ref", "ORIG_HEAD", "HEAD"]);
            commit_with(&repo, trick).exits(1).says("src/stray.rs");
            repo.git(&["update-ref", "-d", "ORIG_HEAD"]);
        }
        assert_eq!(repo.git(&["rev-parse", "HEAD"]), head, "{entry}");
    }
}

#[test]
fn githead_does_not_turn_a_commit_into_a_merge_under_a_framework() {
    for (name, program) in frameworks() {
        let repo = repo();
        repo.stage(".pre-commit-config.yaml", local_config());
        repo.commit("Add the framework");
        for hook in ["pre-commit", "pre-merge-commit"] {
            let install = ["install", "--overwrite", "--hook-type", hook];
            common::run(repo.command(&program).args(install)).exits(0);
        }
        let githead = stage_stray(&repo);
        repo.git(&["update-ref", "ORIG_HEAD", "HEAD"]);
        let stage = ("PREK_HOOK_STAGE", "pre-merge-commit");
        for variables in [&[(&*githead, "evil")][..], &[(&*githead, "evil"), stage]] {
            commit_with(&repo, variables).exits(1).says("src/stray.rs");
        }
        // A real merge still passes.
        repo.git(&["reset", "--quiet", "--hard"]);
        work_of_others(&repo);
        merge(&repo).exits(0);
        let merges = repo.git(&["rev-list", "--count", "--merges", "HEAD"]);
        assert_eq!(merges, "1", "{name}");
    }
}

#[test]
fn a_clean_merge_passes_in_either_form_of_the_merge_hook() {
    for entry in ["pre-merge-commit", "framework"] {
        let repo = repo();
        install(&repo, "pre-merge-commit", entry);
        work_of_others(&repo);
        merge(&repo).exits(0);
        assert_eq!(repo.git(&["rev-list", "--count", "--merges", "HEAD"]), "1");
    }
}

#[test]
fn merge_hook_trusts_githead_only_during_a_merge() {
    let repo = repo();
    let githead = stage_stray(&repo);
    for _ in 0..2 {
        let hook = repo.guard_with(&[(&githead, "evil")], &["hook", "pre-merge-commit"]);
        hook.exits(1).says("src/stray.rs");
        // The last merge or reset was in another place.
        repo.git(&["update-ref", "ORIG_HEAD", "main^"]);
    }
}

/// `git merge` runs commit-msg when it has written the commits that it really merges.
#[test]
fn commit_msg_hook_judges_a_merge_by_its_real_parents() {
    for has_commit_msg in [false, true] {
        let repo = repo();
        work_of_others(&repo);
        let githead = stage_stray(&repo);
        repo.git(&["reset", "--quiet", "--hard"]);
        // An earlier program of the merge hook stages what the variable excuses.
        let evil = githead.strip_prefix("GITHEAD_").unwrap();
        let script = format!(
            "#!/bin/sh\ngit checkout --quiet {evil} -- src/stray.rs\nexec '{GUARD}' hook pre-merge-commit\n"
        );
        repo.install_hook_script("pre-merge-commit", &script);
        if has_commit_msg {
            install(&repo, "commit-msg", "commit-msg \"$@\"");
        }
        let mut git = repo.command("git");
        git.args(["merge", "--no-ff", "--message", "Merge", "main"]);
        git.env(&githead, "evil");
        let merged = common::run(&mut git);
        assert_eq!(merged.code, i32::from(has_commit_msg), "{merged:?}");
        if has_commit_msg {
            merged.says("src/stray.rs");
        }
    }
}
