//! Every way to make a commit with real git, the hooks installed.

mod common;

use common::{DESIGN, Output, Repo, SETTINGS, findings, lines};
use serde_json::Value;

/// HEAD holds `src/old.rs` and `src/other.rs`; the design grants changing `src/old.rs` and adding `src/new.rs`.
fn repo() -> Repo {
    let repo = Repo::new();
    fill(&repo);
    repo
}

fn fill(repo: &Repo) {
    repo.stage("src/old.rs", "old\n");
    repo.stage("src/other.rs", "other\n");
    repo.commit("Begin");
    repo.govern(&[("src/old.rs", "Modify", "x"), ("src/new.rs", "Add", "x")]);
    install(repo);
}

fn install(repo: &Repo) {
    repo.install_hook("pre-commit");
    repo.install_hook("pre-merge-commit");
}

fn commit(repo: &Repo, arguments: &[&str]) -> Output {
    let mut all = vec!["commit", "-m", "A change"];
    all.extend(arguments);
    repo.try_git(&all)
}

/// A commit of the staged changes passes.
#[track_caller]
fn passes(repo: &Repo) {
    commit(repo, &[]).exits(0);
}

/// A commit of the staged changes is refused by this rule at this path alone, and HEAD stays.
#[track_caller]
fn refused(repo: &Repo, rule: &str, path: &str) {
    refused_by(repo, &[(rule, path)]);
}

#[track_caller]
fn refused_by(repo: &Repo, errors: &[(&str, &str)]) {
    assert_eq!(error_findings(&repo.json(&["lint"])), errors);
    let head = repo.try_git(&["rev-parse", "HEAD"]).stdout;
    commit(repo, &[]).exits(1).says(errors[0].0);
    assert_eq!(repo.try_git(&["rev-parse", "HEAD"]).stdout, head);
}

fn error_findings(report: &Value) -> Vec<(&str, &str)> {
    let levels = report["findings"].as_array().into_iter().flatten();
    findings(report)
        .into_iter()
        .zip(levels)
        .filter(|(_, finding)| finding["level"] == "error")
        .map(|(named, _)| named)
        .collect()
}

#[test]
fn a_plain_commit() {
    let repo = repo();
    repo.stage("src/new.rs", "new\n");
    repo.stage("src/old.rs", "changed\n");
    passes(&repo);
    repo.stage("src/other.rs", "changed\n");
    refused(&repo, "out-of-scope", "src/other.rs");
}

#[test]
fn a_deletion_before_a_change() {
    let repo = Repo::new();
    for path in ["a", "b", "c", "d/e", "f"] {
        repo.stage(path, "x\n");
    }
    repo.commit("Begin");
    repo.govern(&[
        ("a", "Delete", "x"),
        ("d", "Delete", "x"),
        ("f", "Modify", "x"),
    ]);
    install(&repo);
    repo.git(&["rm", "--quiet", "a", "d/e"]);
    repo.stage("f", "y\n");
    // The row says the file d, and the directory is another thing.
    refused(&repo, "out-of-scope", "d/e");
    repo.git(&["reset", "--quiet", "--", "d/e"]);
    passes(&repo);
    repo.git(&["rm", "--quiet", "c"]);
    refused(&repo, "out-of-scope", "c");
}

#[test]
fn commit_all_judges_what_is_not_staged_yet() {
    let repo = repo();
    repo.write("src/old.rs", "changed\n");
    commit(&repo, &["-a"]).exits(0);
    repo.write("src/other.rs", "changed\n");
    commit(&repo, &["-a"]).exits(1).says("src/other.rs");
    commit(&repo, &[])
        .exits(1)
        .says("no changes added to commit");
}

#[test]
fn commit_path_judges_that_path_alone() {
    let repo = repo();
    repo.stage("src/other.rs", "changed\n");
    repo.stage("src/stray.rs", "stray\n");
    repo.write("src/old.rs", "changed\n");
    commit(&repo, &["--", "src/old.rs"]).exits(0);
    assert_eq!(
        repo.git(&["show", "--format=", "--name-only"]),
        "src/old.rs"
    );
    commit(&repo, &["--", "src/other.rs"])
        .exits(1)
        .says("src/other.rs");
}

#[test]
fn an_amended_commit_is_judged_against_the_commit_that_it_amends() {
    let repo = repo();
    repo.stage("src/new.rs", "new\n");
    passes(&repo);
    repo.stage("src/new.rs", "newer\n");
    commit(&repo, &["--amend"]).exits(0);
    repo.stage("src/stray.rs", "stray\n");
    commit(&repo, &["--amend"]).exits(1).says("src/stray.rs");
}

#[test]
fn the_first_commit_of_a_repository() {
    let repo = Repo::new();
    install(&repo);
    repo.stage("src/main.rs", "x\n");
    // Nothing says what may change.
    commit(&repo, &[]).exits(1).says("no guard.toml");

    repo.git(&["rm", "--quiet", "--cached", "src/main.rs"]);
    repo.stage("guard.toml", SETTINGS);
    repo.design(DESIGN, &[("src/main.rs", "Add", "x")]);
    passes(&repo);
    repo.branch("188-work");
    repo.stage("src/main.rs", "x\n");
    passes(&repo);
}

#[test]
fn an_unborn_branch_with_code_is_judged() {
    let repo = Repo::new();
    install(&repo);
    repo.git(&["symbolic-ref", "HEAD", "refs/heads/188-work"]);
    repo.stage("guard.toml", SETTINGS);
    repo.design(DESIGN, &[("src/main.rs", "Add", "x")]);
    repo.stage("src/main.rs", "x\n");
    let report = repo.json(&["lint"]);
    assert_eq!(report["source"]["base"], Value::Null);
    refused_by(
        &repo,
        &[("scope-amended", DESIGN), ("policy-changed", "guard.toml")],
    );
}

#[test]
fn settings_by_git_minus_c_count() {
    let repo = repo();
    repo.git(&["switch", "--quiet", "--create", "elsewhere"]);
    repo.stage("src/new.rs", "new\n");
    commit(&repo, &[]).exits(1).says("names no issue");
    let choice = format!("branch.elsewhere.guardDesign={DESIGN}");
    repo.try_git(&["-c", &choice, "commit", "-m", "Add it"])
        .exits(0);
}

#[test]
fn a_clean_merge_brings_nothing_of_its_own() {
    let repo = repo();
    repo.git(&["switch", "--quiet", "main"]);
    repo.stage("src/theirs.rs", "theirs\n");
    repo.stage("src/other.rs", "theirs\n");
    repo.commit("Work of others");
    repo.git(&["switch", "--quiet", "188-work"]);
    repo.stage("src/new.rs", "new\n");
    passes(&repo);
    // What main brings is out of this branch's scope, and not this committer's.
    repo.try_git(&["merge", "-m", "Merge", "main"]).exits(0);
    assert_eq!(repo.git(&["rev-list", "--count", "--merges", "HEAD"]), "1");

    // What a merge changes beyond its parents is.
    repo.git(&["switch", "--quiet", "main"]);
    repo.stage("src/theirs.rs", "theirs again\n");
    repo.commit("More work of others");
    repo.git(&["switch", "--quiet", "188-work"]);
    repo.try_git(&["merge", "--no-commit", "main"]).exits(0);
    repo.stage("src/smuggled.rs", "evil\n");
    refused(&repo, "out-of-scope", "src/smuggled.rs");
}

#[test]
fn the_merge_hook_sees_what_an_earlier_hook_staged() {
    let repo = repo();
    repo.install_hook_script(
        "pre-merge-commit",
        &format!(
            "#!/bin/sh\necho evil >src/smuggled.rs && git add src/smuggled.rs\nexec '{}' hook pre-merge-commit\n",
            common::GUARD
        ),
    );
    repo.git(&["switch", "--quiet", "main"]);
    repo.stage("src/theirs.rs", "theirs\n");
    repo.commit("Work of others");
    repo.git(&["switch", "--quiet", "188-work"]);
    repo.try_git(&["merge", "--no-ff", "-m", "Merge", "main"])
        .exits(1)
        .says("src/smuggled.rs is not in the design");
}

#[test]
fn a_conflicted_merge_is_judged_by_what_differs_from_both_sides() {
    let repo = repo();
    repo.git(&["switch", "--quiet", "main"]);
    for path in ["src/old.rs", "src/other.rs", "src/theirs.rs"] {
        repo.stage(path, "theirs\n");
    }
    repo.commit("Work of others");
    repo.git(&["switch", "--quiet", "188-work"]);
    repo.stage("src/old.rs", "ours\n");
    passes(&repo);
    repo.try_git(&["merge", "main"]).exits(1);
    // While a path is unmerged nothing can be judged, as git commits nothing.
    repo.guard(&["lint"])
        .exits(2)
        .says("unresolved conflicts in src/old.rs");
    repo.guard(&["hook", "pre-commit"]).exits(2);

    repo.stage("src/old.rs", "both\n");
    repo.stage("src/other.rs", "neither\n");
    refused(&repo, "out-of-scope", "src/other.rs");
    repo.stage("src/other.rs", "theirs\n");
    passes(&repo);
    assert_eq!(repo.git(&["rev-list", "--count", "--merges", "HEAD"]), "1");
}

#[test]
fn in_a_linked_worktree() {
    let repo = repo();
    repo.git(&["switch", "--quiet", "main"]);
    repo.git(&["worktree", "add", "--quiet", "../linked", "188-work"]);
    let there = |arguments: &[&str]| {
        let mut all = vec!["-C", "../linked"];
        all.extend(arguments);
        repo.try_git(&all)
    };
    repo.write("../linked/src/new.rs", "new\n");
    there(&["add", "."]).exits(0);
    there(&["commit", "-m", "Add it"]).exits(0);
    repo.write("../linked/src/stray.rs", "stray\n");
    there(&["add", "."]).exits(0);
    there(&["commit", "-m", "Add it"])
        .exits(1)
        .says("src/stray.rs is not in the design");
    // The index of the main work tree is another one.
    assert_eq!(repo.json(&["lint"])["summary"]["changes"], 0);
    repo.guard(&["-C", "../linked", "lint"]).exits(1);
}

/// Adds this repository as the submodule `lib` of a new one, ungoverned so far.
fn with_submodule(inner: &Repo) -> Repo {
    let outer = Repo::new();
    let url = inner.root.display().to_string();
    outer.git(&[
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "--quiet",
        "add",
        "--branch",
        "188-work",
        &url,
        "lib",
    ]);
    outer
}

#[test]
fn inside_a_submodule() {
    let inner = repo();
    let outer = with_submodule(&inner);
    outer.commit("Add the library");
    let hooks = inner.path(".git/hooks").display().to_string();
    let there = |arguments: &[&str]| {
        let mut all = vec!["-C", "lib", "-c"];
        let option = format!("core.hooksPath={hooks}");
        all.push(&option);
        all.extend(arguments);
        outer.try_git(&all)
    };
    outer.write("lib/src/new.rs", "new\n");
    there(&["add", "."]).exits(0);
    there(&["commit", "-m", "Add it"]).exits(0);
    outer.write("lib/src/stray.rs", "stray\n");
    there(&["add", "."]).exits(0);
    there(&["commit", "-m", "Add it"])
        .exits(1)
        .says("src/stray.rs is not in the design");
}

#[test]
fn from_a_folder() {
    let repo = repo();
    repo.write("src/new.rs", "new\n");
    repo.write("src/stray.rs", "stray\n");
    repo.try_git(&["-C", "src", "add", "stray.rs"]).exits(0);
    repo.try_git(&["-C", "src", "commit", "-m", "Add it"])
        .exits(1)
        .says("src/stray.rs is not in the design");
    repo.git(&["reset", "--quiet"]);
    repo.try_git(&["-C", "src", "add", "new.rs"]).exits(0);
    repo.try_git(&["-C", "src", "commit", "-m", "Add it"])
        .exits(0);
}

#[test]
fn a_second_commit_on_a_file_that_the_first_one_added() {
    let repo = repo();
    repo.stage("src/new.rs", "new\n");
    passes(&repo);
    // No work base is known, so that Add covers the whole of the work.
    repo.stage("src/new.rs", "newer\n");
    passes(&repo);
}

#[test]
fn with_a_work_base_an_add_row_covers_only_what_the_base_lacks() {
    let repo = Repo::new();
    repo.stage("src/old.rs", "old\n");
    repo.stage("guard.toml", format!("{SETTINGS}base = \"main\"\n"));
    repo.design(
        DESIGN,
        &[("src/new.rs", "Add", "x"), ("src/old.rs", "Add", "x")],
    );
    repo.commit("Begin");
    repo.branch("188-work");
    install(&repo);
    repo.stage("src/new.rs", "new\n");
    passes(&repo);
    repo.stage("src/new.rs", "newer\n");
    passes(&repo);
    repo.stage("src/old.rs", "changed\n");
    refused(&repo, "action-not-granted", "src/old.rs");
}

#[test]
fn the_work_base_of_a_clone_is_the_remotes_default_branch() {
    let origin = Repo::new();
    origin.stage("src/old.rs", "old\n");
    origin.stage("guard.toml", SETTINGS);
    origin.design(
        DESIGN,
        &[("src/new.rs", "Add", "x"), ("src/old.rs", "Add", "x")],
    );
    origin.commit("Begin");
    let url = origin.root.display().to_string();
    let repo = Repo::new();
    repo.git(&["remote", "add", "origin", &url]);
    repo.git(&["fetch", "--quiet", "origin"]);
    repo.git(&["remote", "set-head", "origin", "main"]);
    repo.git(&["switch", "--quiet", "--create", "188-work", "origin/main"]);
    install(&repo);
    repo.stage("src/new.rs", "new\n");
    passes(&repo);
    repo.stage("src/new.rs", "newer\n");
    passes(&repo);
    repo.stage("src/old.rs", "changed\n");
    refused(&repo, "action-not-granted", "src/old.rs");
}

#[test]
fn a_commit_of_the_design_alone() {
    let repo = repo();
    repo.design(
        DESIGN,
        &[
            ("src/old.rs", "Modify", "x"),
            ("src/new.rs", "Add", "x"),
            ("src/other.rs", "Modify", "x"),
        ],
    );
    passes(&repo);
    repo.stage("src/other.rs", "changed\n");
    passes(&repo);
}

#[test]
fn a_design_that_grants_more_together_with_code() {
    let repo = repo();
    repo.design(
        DESIGN,
        &[
            ("src/old.rs", "Modify", "x"),
            ("src/new.rs", "Add", "x"),
            ("src/other.rs", "Modify", "x"),
        ],
    );
    repo.stage("src/other.rs", "changed\n");
    refused(&repo, "scope-amended", DESIGN);
    commit(&repo, &[]).says(&format!("git commit -m \"Amend the design\" -- {DESIGN}"));
    // The advice works.
    commit(&repo, &["--", DESIGN]).exits(0);
    passes(&repo);
}

#[test]
fn a_design_that_grants_no_more_may_come_with_code() {
    let repo = repo();
    repo.design(
        DESIGN,
        &[
            ("src/old.rs", "Modify", "said better"),
            ("src/new.rs", "Add", "x"),
        ],
    );
    repo.stage("src/new.rs", "new\n");
    passes(&repo);
}

#[test]
fn the_first_commit_of_a_design_with_its_code() {
    let repo = Repo::new();
    repo.stage("guard.toml", SETTINGS);
    repo.commit("Begin");
    repo.branch("188-work");
    install(&repo);
    repo.design(DESIGN, &[("src/new.rs", "Add", "x")]);
    repo.stage("src/new.rs", "new\n");
    refused(&repo, "scope-amended", DESIGN);
    commit(&repo, &["--", DESIGN]).exits(0);
    passes(&repo);
}

#[test]
fn the_commit_that_adds_guard() {
    let repo = Repo::new();
    repo.stage("src/main.rs", "x\n");
    repo.commit("Begin");
    repo.branch("188-work");
    install(&repo);
    repo.stage("src/main.rs", "y\n");
    commit(&repo, &[]).exits(1).says("guard init");
    repo.git(&["reset", "--quiet", "--hard"]);
    repo.stage("guard.toml", SETTINGS);
    repo.design(DESIGN, &[("src/main.rs", "Modify", "x")]);
    repo.stage(
        ".pre-commit-config.yaml",
        "repos:\n- repo: local\n  hooks:\n  - id: guard\n",
    );
    passes(&repo);
}

#[test]
fn settings_together_with_code() {
    let repo = repo();
    repo.stage("guard.toml", format!("{SETTINGS}missing = \"skip\"\n"));
    repo.stage("src/old.rs", "changed\n");
    refused(&repo, "policy-changed", "guard.toml");
    commit(&repo, &["--", "guard.toml"]).exits(0);
    passes(&repo);
}

#[test]
fn settings_cannot_open_what_is_committed_with_them() {
    let repo = repo();
    repo.stage(
        "guard.toml",
        format!("{SETTINGS}[scope]\nalways = [\"**\"]\n[rules]\npolicy-changed = \"off\"\n"),
    );
    repo.stage("src/other.rs", "changed\n");
    refused_by(
        &repo,
        &[
            ("policy-changed", "guard.toml"),
            ("out-of-scope", "src/other.rs"),
        ],
    );
}

#[test]
fn a_submodule_needs_a_row_of_its_own() {
    let inner = repo();
    let outer = with_submodule(&inner);
    outer.git(&["rm", "--quiet", "--cached", "lib", ".gitmodules"]);
    outer.govern(&[("lib", "Add", "x"), (".gitmodules", "Add", "x")]);
    install(&outer);
    outer.git(&["add", "lib", ".gitmodules"]);
    let report = outer.json(&["lint"]);
    assert!(error_findings(&report).contains(&("submodule-changed", "lib")));
    commit(&outer, &[])
        .exits(1)
        .says("| `lib` | Submodule |")
        .says("the submodule lib is added at");

    outer.design(
        DESIGN,
        &[("lib", "Submodule", "x"), (".gitmodules", "Add", "x")],
    );
    commit(&outer, &["--", DESIGN]).exits(0);
    passes(&outer);

    // Another place to fetch from is a change of the submodule.
    let other = "[submodule \"lib\"]\n\tpath = lib\n\turl = https://example.org/other\n\tbranch = 188-work\n";
    outer.stage(".gitmodules", other);
    passes(&outer);
    outer.design(DESIGN, &[(".gitmodules", "Modify", "x")]);
    commit(&outer, &["--", DESIGN]).exits(0);
    outer.stage(".gitmodules", other.replace("other", "evil"));
    refused(&outer, "submodule-changed", ".gitmodules");
}

#[test]
fn removing_the_last_submodule_leaves_an_empty_gitmodules_behind() {
    let inner = repo();
    let outer = with_submodule(&inner);
    outer.govern(&[("lib", "Delete", "x"), (".gitmodules", "Modify", "x")]);
    install(&outer);
    outer.git(&["rm", "--quiet", "lib"]);
    assert_eq!(outer.git(&["show", ":.gitmodules"]), "");
    passes(&outer);
}

#[test]
fn a_submodule_that_git_is_told_to_ignore_is_seen() {
    let repo = repo();
    let commit = repo.git(&["rev-parse", "HEAD"]);
    repo.stage(
        "src/new.rs",
        "[submodule \"src/sub\"]\n\tpath = src/sub\n\turl = ./x\n\tignore = all\n",
    );
    repo.git(&["config", "diff.ignoreSubmodules", "all"]);
    repo.git(&[
        "update-index",
        "--add",
        "--cacheinfo",
        &format!("160000,{commit},src/sub"),
    ]);
    refused(&repo, "submodule-changed", "src/sub");
}

#[test]
fn an_executable_bit_is_a_modification() {
    let repo = repo();
    repo.git(&["update-index", "--chmod=+x", "src/other.rs"]);
    refused(&repo, "out-of-scope", "src/other.rs");
    repo.git(&["update-index", "--chmod=-x", "src/other.rs"]);
    repo.git(&["update-index", "--chmod=+x", "src/old.rs"]);
    assert_eq!(repo.json(&["lint"])["changes"][0]["action"], "modify");
    passes(&repo);
}

#[test]
fn a_symbolic_link_needs_a_row_of_its_own() {
    let repo = repo();
    let target = repo.blob(b"old.rs");
    repo.stage_raw(&[(0o120000, target, b"src/new.rs")]);
    refused(&repo, "action-not-granted", "src/new.rs");
    repo.design(DESIGN, &[("src/new.rs", "Symlink", "x")]);
    repo.git(&["reset", "--quiet", "--", "src/new.rs"]);
    passes(&repo);
    repo.stage_raw(&[(0o120000, target, b"src/new.rs")]);
    passes(&repo);
}

#[test]
fn a_file_that_becomes_a_link_is_destroyed() {
    let repo = repo();
    let target = repo.blob(b"other.rs");
    repo.stage_raw(&[(0o120000, target, b"src/old.rs")]);
    let report = repo.json(&["lint"]);
    assert_eq!(report["changes"][0]["action"], "type-change");
    refused_by(
        &repo,
        &[
            ("action-not-granted", "src/old.rs"),
            ("destructive-change", "src/old.rs"),
        ],
    );
}

#[test]
fn a_rename_is_explained_and_its_loss_is_measured_across_it() {
    let repo = Repo::new();
    repo.stage("src/state.rs", lines(1..=200));
    repo.commit("Begin");
    repo.govern(&[("src/state.rs` -> `src/store.rs", "Rename", "x")]);
    install(&repo);
    repo.git(&["mv", "src/state.rs", "src/store.rs"]);
    // 110 of 200 lines stay.
    repo.stage("src/store.rs", lines(1..=110));
    let report = repo.json(&["lint"]);
    let new = &report["changes"][1];
    assert_eq!(new["path"], "src/store.rs");
    assert_eq!(new["from"], "src/state.rs");
    assert_eq!(new["original_lines"], 200);
    assert_eq!(new["lost_share"], 0.45);
    assert_eq!(error_findings(&report), []);
    passes(&repo);
}

#[test]
fn a_rename_without_a_row_says_where_the_file_came_from() {
    let repo = Repo::new();
    repo.stage("src/state.rs", lines(1..=200));
    repo.commit("Begin");
    repo.govern(&[("src/store.rs", "Add", "x")]);
    install(&repo);
    repo.git(&["mv", "src/state.rs", "src/store.rs"]);
    repo.guard(&["lint"])
        .exits(1)
        .says("src/state.rs (renamed to src/store.rs) is not in the design");
    refused(&repo, "out-of-scope", "src/state.rs");
}

#[test]
fn a_replacement_does_not_hide_behind_a_rename() {
    let repo = Repo::new();
    repo.stage("src/state.rs", lines(1..=200));
    repo.commit("Begin");
    repo.govern(&[("src/state.rs` -> `src/store.rs", "Rename", "x")]);
    install(&repo);
    repo.git(&["mv", "src/state.rs", "src/store.rs"]);
    // Half of the lines are gone, and what is left is still similar enough to be the same file.
    repo.stage("src/store.rs", lines(101..=200));
    let report = repo.json(&["lint"]);
    assert_eq!(report["changes"][1]["class"], "REPLACE");
    refused(&repo, "destructive-change", "src/store.rs");
}

#[test]
fn an_intent_to_add_is_no_change() {
    let repo = repo();
    repo.write("src/stray.rs", "stray\n");
    repo.git(&["add", "--intent-to-add", "src/stray.rs"]);
    repo.stage("src/new.rs", "new\n");
    assert_eq!(repo.json(&["lint"])["summary"]["changes"], 1);
    passes(&repo);
}

#[test]
fn nothing_staged_is_accepted() {
    let repo = repo();
    let report = repo.json(&["lint"]);
    assert_eq!(report["verdict"], "accepted");
    assert_eq!(report["summary"]["changes"], 0);
    commit(&repo, &["--allow-empty"]).exits(0);
}

/// Judges the same two changes, one granted, in a repository of another format.
#[track_caller]
fn judges_as_ever(repo: &Repo) {
    repo.stage("src/new.rs", "new\n");
    repo.git(&["rm", "--quiet", "--cached", "src/other.rs"]);
    refused(repo, "out-of-scope", "src/other.rs");
    repo.git(&["reset", "--quiet", "--", "src/other.rs"]);
    passes(repo);
}

#[test]
fn a_sha_256_repository() {
    let repo = Repo::init(&["--object-format=sha256"]);
    fill(&repo);
    judges_as_ever(&repo);
}

#[test]
fn an_index_of_version_4() {
    let repo = repo();
    repo.git(&["update-index", "--index-version", "4"]);
    judges_as_ever(&repo);
}

#[test]
fn a_split_index() {
    let repo = repo();
    repo.git(&["update-index", "--split-index"]);
    judges_as_ever(&repo);
}

#[test]
fn a_sparse_index() {
    let repo = repo();
    repo.stage("docs/far/away/a", "a\n");
    repo.stage("docs/far/b", "b\n");
    repo.commit("Add more");
    repo.git(&["sparse-checkout", "set", "--cone", "--sparse-index", "src"]);
    assert!(repo.git(&["ls-files", "--sparse"]).contains("docs/"));
    judges_as_ever(&repo);
}

#[test]
fn an_index_without_a_checksum() {
    let repo = repo();
    repo.git(&["config", "index.skipHash", "true"]);
    judges_as_ever(&repo);
}

#[test]
fn a_separate_git_directory() {
    let repo = repo();
    repo.git(&["init", "--quiet", "--separate-git-dir=../git"]);
    judges_as_ever(&repo);
}

#[test]
fn replace_refs_and_attributes_hide_nothing() {
    let repo = repo();
    repo.stage("src/stray.rs", "stray\n");
    // To git, HEAD's tree is now the index: it shows no staged change.
    let staged = repo.git(&["write-tree"]);
    let head = repo.git(&["rev-parse", "HEAD^{tree}"]);
    repo.git(&["replace", &head, &staged]);
    repo.write(".git/info/attributes", "* -diff\n");
    assert_eq!(repo.git(&["diff", "--cached", "--name-only"]), "");
    assert_eq!(
        error_findings(&repo.json(&["lint"])),
        [("out-of-scope", "src/stray.rs")]
    );
}
