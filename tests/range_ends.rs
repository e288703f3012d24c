//! Authors of a change cannot choose what it is judged against, and cannot hide anything in objects that git would not
//! write.

use write_guard_repo::{PushSide, Repository};

use crate::common::Repo;

const ROWS: &[(&str, &str, &str)] = &[("src/a.rs", "Modify", "the core")];

/// `main` with settings and a design; `188-work` has a commit outside of it.
fn refused() -> Repo {
    let repo = Repo::new();
    repo.stage("src/a.rs", "fn a() {}\n");
    repo.govern(ROWS);
    repo.stage("src/rogue.rs", "fn rogue() {}\n");
    repo.commit("Rogue");
    repo
}

/// `--range "$BASE..HEAD"` with a variable that is not set.
#[test]
fn range_without_a_start_is_refused() {
    let repo = refused();
    for range in ["..HEAD", "...HEAD", "..", "..."] {
        repo.tells(&format!("lint --range {range}"), 2, "has no start");
    }
    repo.tells("lint --range main..", 1, "src/rogue.rs");
}

/// git takes the tag and warns; the author of the change may have made the tag.
#[test]
fn tag_is_not_used_as_a_branch() {
    let repo = refused();
    repo.git(&["update-ref", "refs/remotes/origin/main", "main"]);
    for name in ["main", "origin/main"] {
        let range = format!("{name}..HEAD");
        repo.git(&["tag", name, "HEAD"]);
        repo.guard(&["lint", "--range", &range])
            .exits(2)
            .says(&format!("{name} is ambiguous: refs/tags/{name} or refs/"));
        repo.git(&["tag", "--delete", name]);
        // A tag of the same commit makes no difference.
        repo.git(&["tag", name, "main"]);
        repo.tells(&format!("lint --range {range}"), 1, "src/rogue.rs");
        repo.git(&["tag", "--delete", name]);
    }
    repo.git(&["tag", "main", "HEAD"]);
    repo.tells("lint --range refs/heads/main..HEAD", 1, "src/rogue.rs");
}

/// A branch older than the first `guard.toml`, whose own trailer names its own design.
#[test]
fn branch_older_than_the_settings_is_refused() {
    let repo = Repo::new();
    repo.stage("src/a.rs", "fn a() {}\n");
    let before = repo.commit("Before");
    repo.govern(ROWS);
    repo.git(&["switch", "--quiet", "--create", "old", &before]);
    repo.design("docs/mine.md", &[("src/rogue.rs", "Add", "mine")]);
    repo.stage("src/rogue.rs", "fn rogue() {}\n");
    repo.commit("Rogue\n\nGuard-Design: docs/mine.md");
    repo.guard(&["lint", "--range", "main..HEAD"])
        .exits(2)
        .says("the merge base has no guard.toml, but the target branch")
        .says("or name the branch that this work goes to instead, as in BRANCH..HEAD");
    let range = format!("{before}..HEAD");
    // A target without settings, such as a release branch, asks for none.
    repo.guard(&["lint", "--range", &range])
        .exits(0)
        .says("this work began before guard.toml, which main has")
        .says("to check everything before it goes there, merge or rebase");
    repo.git(&["merge", "--quiet", "--no-edit", "main"]);
    repo.tells("lint --range main..HEAD", 2, "does not match `[lld] path`");
}

/// In such a tree, looking up a path and listing the tree find different files.
#[test]
fn a_tree_that_git_would_not_write_is_refused() {
    let repo = refused();
    let main = repo.git(&["rev-parse", "main"]);
    let of = |path: &str| repo.git(&["rev-parse", &format!("main:{path}")]);
    let (docs, src, settings) = (of("docs"), of("src"), of("guard.toml"));
    let other = repo.git(&["hash-object", "-w", "--stdin"]);
    let plain = [
        ("40000", "docs", &docs),
        ("100644", "guard.toml", &settings),
        ("40000", "src", &src),
    ];
    let judge = |entries: &[(&str, &str, &String)]| {
        let mut bytes = Vec::new();
        for (mode, name, id) in entries {
            bytes.extend(format!("{mode} {name}\0").bytes());
            let id = gix::ObjectId::from_hex(id.as_bytes()).unwrap();
            bytes.extend(id.as_bytes());
        }
        let write = ["hash-object", "-t", "tree", "-w", "--literally", "--stdin"];
        let tree = repo.git_with_input(&write, &bytes);
        let commit = repo.git(&["commit-tree", "-p", &main, "-m", "Strange", tree.trim()]);
        let range = format!("main..{commit}");
        let output = repo.guard(&["lint", "--range", &range, "--each-commit"]);
        let alone = repo.guard(&["lint", "--commit", &commit]);
        assert_eq!(alone.code, output.code, "{alone:?}");
        output
    };
    judge(&plain).exits(0);
    let with = |at: usize, entry| {
        let mut entries = plain.to_vec();
        entries.insert(at, entry);
        entries
    };
    let second = with(1, ("100644", "guard.toml", &other));
    let directory = with(2, ("40000", "guard.toml", &docs));
    let unsorted = vec![plain[2], plain[1], plain[0]];
    let no_name = with(3, ("100644", "src/a.rs", &other));
    for (entries, name, why) in [
        (second, "guard.toml", "duplicate or unsorted entry"),
        (directory, "guard.toml", "both a file and a directory"),
        (unsorted, "guard.toml", "duplicate or unsorted entry"),
        (no_name, "src/a.rs", "is not a file name"),
    ] {
        judge(&entries)
            .exits(2)
            .says(&format!("is damaged: `{name}` "))
            .says(why);
    }
}

/// On an older branch, settings that only observe judge from the first: they refuse nothing.
#[test]
fn branch_older_than_observing_settings_is_judged_by_them() {
    let repo = Repo::new();
    repo.stage("src/a.rs", "fn a() {}\n");
    let before = repo.commit("Before");
    repo.guard(&["init", "--observe"]).exits(0);
    repo.git(&["add", "--all"]);
    repo.commit("Observe");
    repo.git(&["switch", "--quiet", "--create", "old", &before]);
    repo.stage("src/rogue.rs", "fn rogue() {}\n");
    repo.commit("Rogue");
    repo.guard(&["lint", "--range", "main..HEAD"]).exits(0);
}

/// A branch that begins to observe cannot pass over the settings that the target branch has.
#[test]
fn first_settings_that_observe_apply_at_once_only_where_no_other_branch_has_any() {
    let repo = Repo::new();
    repo.stage("src/a.rs", "fn a() {}\n");
    let before = repo.commit("Before");
    repo.guard(&["init", "--observe"]).exits(0);
    repo.git(&["add", "--all"]);
    repo.stage("src/more.rs", "fn more() {}\n");
    repo.guard(&["lint"]).exits(0);
    let settings = repo.text("guard.toml");
    repo.git(&["reset", "--quiet", "--hard"]);
    repo.govern(ROWS);
    repo.git(&["switch", "--quiet", "--create", "old", &before]);
    repo.stage("guard.toml", settings);
    repo.stage("src/more.rs", "fn more() {}\n");
    repo.tells("lint", 2, "HEAD has no guard.toml");
    // A reviewer sees the settings that a range brings, and they judge it.
    repo.commit("Observe");
    let range = format!("{before}..HEAD");
    repo.guard(&["lint", "--range", &range]).exits(0);
}

/// What the frameworks set for a push, without one of them.
#[test]
fn variables_of_a_framework_name_the_commits_that_are_pushed() {
    let repo = refused();
    repo.add_server();
    repo.git(&["push", "--quiet", "origin", "main"]);
    repo.git(&["remote", "set-head", "origin", "main"]);
    let from = ("PRE_COMMIT_FROM_REF", "main");
    let to = ("PRE_COMMIT_TO_REF", "HEAD");
    let remote = ("PRE_COMMIT_REMOTE_BRANCH", "refs/heads/188-work");
    let local = ("PRE_COMMIT_LOCAL_BRANCH", "refs/heads/188-work");
    let name = ("PRE_COMMIT_REMOTE_NAME", "origin");
    for (variables, code, part) in [
        (&[from, to][..], 1, "src/rogue.rs"),
        (&[from, to, remote, local, name], 1, "src/rogue.rs"),
        // The first push of a repository, and one that deletes.
        (&[remote, local, name], 1, "src/rogue.rs"),
        (&[remote, local], 1, "src/rogue.rs"),
        (&[remote, name], 0, ""),
        // Nothing is staged.
        (&[from], 0, ""),
        (&[to], 0, ""),
        (&[(from.0, ""), to, (remote.0, "")], 0, ""),
        (&[("PRE_COMMIT_FROM_REF", "none"), to], 2, "none"),
        (&[("PRE_COMMIT_FROM_REF", "HEAD"), to], 2, "HEAD..HEAD"),
    ] {
        let output = repo.guard_with(variables, &["hook", "framework"]);
        assert_eq!(output.code, code, "{variables:?}: {output:?}");
        assert!(output.text().contains(part), "{variables:?}: {output:?}");
    }
}

#[test]
fn the_target_branch_of_a_server_may_have_no_commit_yet() {
    let target = |repo: &Repo, base: Option<&str>, side: PushSide<'_>| {
        let git = Repository::open(&repo.path("")).unwrap();
        let found = git.target(base, side).unwrap();
        found.map(|found| (found.name.to_string(), found.tip.is_some()))
    };
    let main = |has_tip: bool| Some(("main".to_owned(), has_tip));
    let repo = Repo::init(&["--initial-branch=main"]);
    let origin = PushSide::Local("origin");
    assert_eq!(target(&repo, None, PushSide::Server), main(false));
    // What a remote's branch was made for is unknown without its commit.
    let head = "refs/remotes/origin/HEAD";
    assert_eq!(target(&repo, None, origin), None);
    repo.git(&["symbolic-ref", head, "refs/remotes/origin/main"]);
    assert_eq!(target(&repo, None, origin), None);
    let repo = refused();
    repo.git(&["switch", "--quiet", "main"]);
    assert_eq!(target(&repo, None, PushSide::Server), main(true));
    repo.git(&["symbolic-ref", head, "refs/remotes/origin/main"]);
    repo.git(&["update-ref", "refs/remotes/origin/main", "main"]);
    assert_eq!(target(&repo, None, origin), main(true));
    // The settings go first, if the branch exists.
    let work = Some(("188-work".to_owned(), true));
    assert_eq!(target(&repo, Some("188-work"), PushSide::Server), work);
    assert_eq!(target(&repo, Some("none"), PushSide::Server), main(true));
    assert_eq!(target(&repo, Some("188-work"), origin), main(true));
}
