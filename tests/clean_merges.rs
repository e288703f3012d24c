//! guard does not judge what `git merge` produces on its own. It judges what the committer changes in addition.

use crate::common::{Repo, changed_paths, lines, system};

const ROWS: &[(&str, &str, &str)] = &[("src/mine.rs", "Add", "x")];

/// `src/a.rs`, with another line 70.
fn edited(line: &str) -> String {
    lines(1..=150).replace("number 70\n", line)
}

/// A repository with `src/a.rs` of 150 lines, on `188-work`; the design grants none of it.
fn governed() -> Repo {
    let repo = Repo::new();
    repo.stage("src/a.rs", lines(1..=150));
    repo.stage("old/one.rs", lines(200..=260));
    repo.stage("old/two.rs", lines(300..=360));
    repo.govern(ROWS);
    repo
}

/// The same, but the branch renamed `src/a.rs` and `main` edited it.
fn renamed_and_edited() -> Repo {
    let repo = governed();
    repo.git(&["mv", "src/a.rs", "src/b.rs"]);
    repo.commit("Rename");
    repo.on_main("src/a.rs", edited("number seventy\n"));
    repo
}

/// Runs `git merge --no-commit main` and returns whether it had no conflict.
fn merge(repo: &Repo) -> bool {
    let merged = repo.try_git(&["merge", "--quiet", "--no-commit", "--no-ff", "main"]);
    assert!(merged.code < 2, "{merged:?}");
    merged.code == 0
}

/// Judged before the commit, after it, and in a range.
#[track_caller]
fn judged(repo: &Repo, own: &[&str]) {
    let judge = |arguments: &[&str]| {
        repo.guard(arguments).exits(i32::from(!own.is_empty()));
        let report = repo.json(arguments);
        assert_eq!(changed_paths(&report), own, "{arguments:?}");
    };
    judge(&["lint"]);
    repo.commit("Merge");
    judge(&["lint", "--commit", "HEAD"]);
    let each = repo.json(&["lint", "--range", "HEAD^1..HEAD", "--each-commit"]);
    let head = repo.git(&["rev-parse", "HEAD"]);
    let findings = each["findings"].as_array().unwrap().iter();
    let of_head = findings.filter(|finding| finding["details"]["commit"] == head.as_str());
    let mut found: Vec<&str> = of_head.map(|it| it["path"].as_str().unwrap()).collect();
    found.dedup();
    assert_eq!(found, own, "{each}");
}

#[test]
fn a_file_renamed_on_one_side_and_edited_on_the_other() {
    for own in [&[][..], &["src/b.rs"]] {
        let repo = renamed_and_edited();
        assert!(merge(&repo));
        if !own.is_empty() {
            let merged = repo.git(&["show", ":src/b.rs"]);
            repo.stage("src/b.rs", format!("{merged}\nevil\n"));
        }
        judged(&repo, own);
    }
}

/// git asks a person where to put a file of a renamed directory (merge.directoryRenames=conflict).
#[test]
fn a_file_added_to_a_directory_that_was_renamed() {
    let repo = governed();
    repo.git(&["mv", "old", "new"]);
    repo.commit("Rename");
    let one = lines(200..=260).replace("number 230\n", "number two hundred and thirty\n");
    repo.on_main("old/three.rs", "fn three() {}\n");
    repo.on_main("old/one.rs", one);
    assert!(!merge(&repo));
    repo.git(&["add", "--all"]);
    judged(&repo, &["new/three.rs"]);
}

#[test]
fn the_same_file_added_on_both_sides() {
    for (theirs, own) in [
        ("fn new() {}\n", &[][..]),
        ("fn other() {}\n", &["src/new.rs"]),
    ] {
        let repo = governed();
        repo.stage("src/new.rs", "fn new() {}\n");
        repo.commit("Add");
        repo.on_main("src/new.rs", theirs);
        assert_eq!(merge(&repo), own.is_empty());
        if !own.is_empty() {
            repo.stage("src/new.rs", "fn new() {}\nfn other() {}\n");
        }
        judged(&repo, own);
    }
}

#[test]
fn cleanly_merged_file_next_to_a_conflict_is_not_judged() {
    let repo = renamed_and_edited();
    let one = |line: &str| lines(200..=260).replace("number 230\n", line);
    repo.stage("old/one.rs", one("ours\n"));
    repo.commit("Edit");
    repo.on_main("old/one.rs", one("theirs\n"));
    assert!(!merge(&repo));
    repo.stage("old/one.rs", one("both\n"));
    judged(&repo, &["old/one.rs"]);
}

/// Each conflict may be resolved by one of the sides, and the lines that git merged stay as they are.
#[test]
fn conflicts_may_be_resolved_by_one_side_of_each() {
    for resolution in ["ours\n", "theirs\n", "evil\n"] {
        let repo = governed();
        let end = |line: &str| edited(line) + "end\n";
        let first = |text: String| text.replace("number 1\n", "number one\n");
        repo.stage("src/a.rs", first(edited("ours\n")));
        repo.commit("Edit");
        repo.on_main("src/a.rs", end("theirs\n"));
        assert!(!merge(&repo));
        repo.stage("src/a.rs", first(end(resolution)));
        match resolution {
            "evil\n" => judged(&repo, &["src/a.rs"]),
            _ => judged(&repo, &[]),
        }
    }
}

/// Attributes and git settings do not affect what counts as the committer's change.
#[test]
fn attributes_and_settings_do_not_affect_merges() {
    let repo = renamed_and_edited();
    assert!(merge(&repo));
    let evil = format!("touch '{}'; exit 1", repo.path("../ran").display());
    for (key, value) in [
        ("merge.renames", "false"),
        ("merge.renameLimit", "1"),
        ("diff.renames", "false"),
        ("diff.algorithm", "patience"),
        ("merge.renormalize", "true"),
        ("merge.default", "evil"),
        ("merge.evil.driver", &evil),
        ("filter.evil.smudge", &evil),
        ("filter.evil.clean", &evil),
        ("diff.evil.textconv", &evil),
        ("merge.conflictStyle", "diff3"),
    ] {
        repo.git(&["config", key, value]);
    }
    let attributes = "* merge=evil filter=evil diff=evil\n";
    repo.write(".git/info/attributes", attributes);
    repo.guard(&["lint"]).exits(0);
    assert!(changed_paths(&repo.json(&["lint"])).is_empty());
    assert!(!repo.path("../ran").exists(), "a driver ran");
}

/// With two merge bases, git merges those first.
#[test]
fn a_rename_and_an_edit_across_two_merge_bases() {
    let repo = governed();
    repo.stage("src/mine.rs", "fn mine() {}\n");
    repo.commit("Work");
    repo.git(&["branch", "earlier"]);
    repo.on_main("old/two.rs", lines(300..=361));
    repo.git(&["merge", "--quiet", "--no-edit", "main"]);
    repo.git(&["switch", "--quiet", "main"]);
    repo.git(&["merge", "--quiet", "--no-edit", "earlier"]);
    repo.git(&["switch", "--quiet", "188-work"]);
    repo.git(&["mv", "src/a.rs", "src/b.rs"]);
    repo.commit("Rename");
    repo.on_main("src/a.rs", edited("number seventy\n"));
    let bases = repo.git(&["merge-base", "--all", "main", "HEAD"]);
    assert_eq!(bases.lines().count(), 2);
    assert!(merge(&repo));
    judged(&repo, &[]);
}

/// `src/core.py` of 150 lines on `stale`, and of 500 on the branch.
fn grown() -> Repo {
    let repo = Repo::new();
    repo.stage("src/core.py", lines(1..=150));
    repo.govern(ROWS);
    repo.git(&["branch", "stale"]);
    repo.stage("src/core.py", lines(1..=500));
    repo.stage("src/new.py", lines(1..=20));
    repo.commit("Grow");
    repo
}

#[test]
fn ancestor_that_git_keeps_as_parent_excuses_nothing() {
    let repo = grown();
    repo.git(&["checkout", "--quiet", "stale", "--", "src"]);
    repo.write(".git/MERGE_HEAD", repo.git(&["rev-parse", "stale"]) + "\n");
    repo.write(".git/MERGE_MODE", "no-ff");
    judged(&repo, &["src/core.py"]);
    repo.git(&["rev-parse", "HEAD^2"]);
}

#[test]
fn file_that_the_other_side_did_not_change_is_not_taken_from_it() {
    let repo = grown();
    repo.git(&["switch", "--quiet", "stale"]);
    repo.stage("src/theirs.py", "theirs\n");
    repo.commit("Theirs");
    repo.git(&["switch", "--quiet", "188-work"]);
    repo.git(&["merge", "--quiet", "--no-commit", "--no-ff", "stale"]);
    repo.git(&["checkout", "--quiet", "stale", "--", "src/core.py"]);
    judged(&repo, &["src/core.py"]);
}

/// Both sides edited the file, far from each other.
#[test]
fn their_version_of_a_cleanly_merged_file_and_parts_of_it_are_judged() {
    let repo = Repo::new();
    repo.stage("src/core.py", lines(1..=150));
    repo.govern(&[("src/core.py", "Modify", "x")]);
    repo.stage("src/core.py", lines(1..=551));
    repo.commit("Grow");
    let theirs = lines(1..=150).replace("number 1\n", "number one\n");
    repo.on_main("src/core.py", theirs.clone());
    assert!(merge(&repo));
    // The first line of ours, the lines that only ours has dropped.
    let mixed = lines(1..=150).replace("number 150\n", "number 150\nnumber 151\n");
    for content in [mixed, theirs.clone() + "mine\n", theirs] {
        repo.stage("src/core.py", content);
        let report = repo.json(&["lint"]);
        assert_eq!(report["findings"][0]["rule"], "destructive-change");
    }
    judged(&repo, &["src/core.py"]);
}

#[test]
fn rename_of_theirs_does_not_drop_an_edit_of_ours() {
    let repo = governed();
    repo.stage("src/a.rs", lines(1..=200));
    repo.commit("Edit");
    repo.git(&["switch", "--quiet", "main"]);
    repo.git(&["mv", "src/a.rs", "src/b.rs"]);
    repo.commit("Rename");
    repo.git(&["switch", "--quiet", "188-work"]);
    assert!(merge(&repo));
    repo.git(&["checkout", "--quiet", "main", "--", "src/b.rs"]);
    judged(&repo, &["src/b.rs"]);
}

/// Without a common commit, everything of theirs is new.
#[test]
fn unrelated_history_may_be_merged() {
    let repo = governed();
    repo.git(&["switch", "--quiet", "--orphan", "other"]);
    repo.stage("lib/x.rs", lines(1..=20));
    repo.commit("Other");
    repo.git(&["switch", "--quiet", "188-work"]);
    let merge = "merge --quiet --no-commit --allow-unrelated-histories other";
    repo.git(&merge.split(' ').collect::<Vec<_>>());
    judged(&repo, &[]);
}

/// Git would take everything of both sides as new where a clone only lacks the common commit.
#[test]
fn merge_in_a_shallow_clone_needs_the_common_commit() {
    let repo = governed();
    repo.on_main("src/theirs.rs", lines(1..=20));
    repo.git(&["switch", "--quiet", "--create", "old", "main~"]);
    for name in ["one", "two", "three"] {
        repo.stage(format!("lib/{name}.rs"), lines(1..=20));
        repo.commit("Old work");
    }
    repo.git(&["switch", "--quiet", "188-work"]);
    repo.git(&["merge", "--quiet", "--no-ff", "--no-edit", "main"]);
    repo.git(&["merge", "--quiet", "--no-ff", "--no-edit", "old"]);
    repo.on_main("src/more.rs", lines(1..=20));
    let url = system::address(&repo.root);
    // With three commits, the clone has the common one, and not where the other branch began.
    for (depth, has_common) in [("1", false), ("3", true), ("20", true)] {
        let to = format!("../depth-{depth}");
        let clone = ["clone", "--quiet", "--no-single-branch", "--depth", depth];
        repo.git(&[&clone[..], &[&url, &to]].concat());
        let merge = "merge --quiet --no-commit --allow-unrelated-histories origin/main";
        let merge: Vec<&str> = merge.split(' ').collect();
        repo.git(&[&["-C", &to][..], &merge].concat());
        let lint = repo.guard(&["-C", &to, "lint"]);
        if has_common {
            lint.exits(0);
        } else {
            lint.exits(2)
                .says("lacks the merge base of the commits being merged")
                .says("git fetch --unshallow");
        }
    }
}
