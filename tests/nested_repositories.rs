//! A repository inside the work tree has its own designs, settings and signers. Requests to the outer one end at its
//! boundary.

use std::fs;

use crate::common::files::answer_of;
use crate::common::{GUARD, Repo};

/// A repository whose design grants everything below `src`, with a repository in `src/sub` that has its own policy.
fn repo() -> Repo {
    let repo = Repo::new();
    repo.stage("src/a.py", "a = 1\n");
    repo.govern(&[
        ("src/**", "Add/Modify", "the work"),
        ("src/sub/a.py", "Delete", "x"),
    ]);
    nested(&repo, "src/sub");
    repo
}

/// Makes a repository with one commit.
fn nested(repo: &Repo, at: &str) {
    repo.write(format!("{at}/a.py"), "a = 1\n");
    repo.write(format!("{at}/guard.toml"), "[lld]\nmissing = \"skip\"\n");
    repo.git(&["-C", at, "init", "--quiet", "--template="]);
    repo.git(&["-C", at, "add", "."]);
    repo.git(&["-C", at, "commit", "--quiet", "-m", "Begin"]);
}

/// Every request about a path, as arguments.
fn requests(path: &str) -> Vec<Vec<&str>> {
    vec![
        vec!["write", path],
        vec!["read", path],
        vec!["patch", path, "--search", "1", "--replace", "2"],
        vec!["delete", path],
        vec!["move", path, "src/new.py"],
        vec!["move", "src/a.py", path],
        vec!["write", "src/new.py", "--content-file", path],
        vec!["patch", "src/a.py", "--edits", path],
    ]
}

/// Asserts that every verb and `guard check` refuse `path`.
#[track_caller]
fn is_outside(repo: &Repo, path: &str, nested: &str) {
    let says = format!(" belongs to the separate repository {nested}");
    for request in requests(path) {
        let refused = answer_of(repo.command(GUARD).args(&request), b"content\n");
        assert_eq!(refused.fails("security").code, 1, "{request:?}");
        assert_eq!(refused.rule(), "outside-workspace", "{request:?}");
        assert!(refused.message().contains(&says), "{refused:#?}");
    }
    let result = &repo.json(&["check", path])["results"][0];
    assert_eq!(result["rule"], "outside-workspace");
    let reason = result["reason"].as_str().unwrap();
    assert!(reason.contains(&says), "{reason}");
    assert!(!repo.path("src/new.py").exists());
    assert_eq!(repo.read("src/a.py"), b"a = 1\n");
}

#[test]
fn a_nested_repository_is_outside_the_workspace_of_requests() {
    let repo = repo();
    let absolute = repo.path("src/sub/a.py");
    let absolute = absolute.to_str().unwrap();
    for path in ["src/sub/a.py", "src/sub/x/new.py", "src/sub", absolute] {
        is_outside(&repo, path, "src/sub");
    }
    assert_eq!(repo.read("src/sub/a.py"), b"a = 1\n");
    // A name with the same beginning.
    repo.put("src/subway.py", "x\n", &[]).works();
    repo.put("src/sub.py", "x\n", &[]).works();
    // Without the index, guard cannot tell.
    fs::write(repo.path(".git/index"), "damaged").unwrap();
    let refused = repo.put("src/b.py", "b = 1\n", &[]);
    assert_eq!(refused.fails("cannot-judge").code, 2);
}

#[test]
fn the_refusal_names_a_command_that_judges_inside() {
    let repo = repo();
    let refused = repo.put("src/sub/x/new.py", "x\n", &[]);
    let help = refused.fails("security").json["error"]["help"].to_string();
    assert!(help.contains("guard -C src/sub check x/new.py"), "{help}");
    repo.guard(&["-C", "src/sub", "check", "x/new.py"]).exits(0);
    // As the workspace, the nested repository is an ordinary one.
    let mut inside = repo.command(GUARD);
    inside.args(["-C", "src/sub", "write", "a.py"]);
    answer_of(&mut inside, b"a = 2\n").works();
    assert_eq!(repo.read("src/sub/a.py"), b"a = 2\n");
}

#[test]
fn any_entry_named_dot_git_makes_a_repository() {
    let repo = repo();
    // A linked work tree inside the main one.
    repo.git(&["worktree", "add", "--quiet", "src/tree"]);
    is_outside(&repo, "src/tree/a.py", "src/tree");
    repo.write("src/file/.git", "gitdir: ../../elsewhere\n");
    repo.write("src/broken/.git", "not what git expects");
    fs::create_dir_all(repo.path("src/empty/.git")).unwrap();
    for at in ["src/file", "src/broken", "src/empty"] {
        is_outside(&repo, &format!("{at}/a.py"), at);
    }
}

#[test]
fn a_link_into_a_nested_repository_leads_outside() {
    use crate::common::system::symlink;
    let repo = repo();
    symlink("sub", repo.path("src/way")).unwrap();
    symlink("sub/a.py", repo.path("src/file.py")).unwrap();
    symlink("../a.py", repo.path("src/sub/back.py")).unwrap();
    is_outside(&repo, "src/way/a.py", "src/sub");
    is_outside(&repo, "src/way/new.py", "src/sub");
    is_outside(&repo, "src/file.py", "src/sub");
    // guard judges the target of a path, and this one leads back.
    repo.put("src/sub/back.py", "a = 2\n", &[]).works();
    assert_eq!(repo.read("src/a.py"), b"a = 2\n");
}

#[test]
fn submodule_that_is_not_checked_out_is_outside_too() {
    let repo = repo();
    let commit = repo.git(&["rev-parse", "HEAD"]);
    let entry = format!("160000,{commit},src/gone");
    repo.git(&["update-index", "--add", "--cacheinfo", &entry]);
    let gone = ["src/gone/x/y.py", "src/gone"];
    for path in gone {
        is_outside(&repo, path, "src/gone");
    }
    // On a case-insensitive file system this is the same directory.
    repo.put("src/GONE/a.py", "x\n", &[]).fails("security");
    repo.commit("Record a submodule");
    // Not even if the index no longer lists it.
    repo.git(&["rm", "--quiet", "--cached", "src/gone"]);
    for path in gone {
        is_outside(&repo, path, "src/gone");
    }
    let refused = repo.put("src/gone/a.py", "x\n", &[]);
    let help = refused.json["error"]["help"].to_string();
    assert!(help.contains("check it out"), "{help}");
    repo.git(&["commit", "--quiet", "--no-verify", "-m", "Forget it"]);
    repo.put("src/gone/a.py", "x\n", &[]).works();
}

#[test]
fn bare_repositories_are_outside_and_cannot_be_created() {
    let repo = repo();
    repo.git(&["init", "--quiet", "--bare", "--template=", "src/bare.git"]);
    is_outside(&repo, "src/bare.git/hooks/pre-commit", "src/bare.git");
    // Regardless of the file: git run there would obey its `config`.
    let files = ["HEAD", "objects/x", "refs/heads/main"];
    for last in 0..3 {
        let mut order = files;
        order.swap(last, 2);
        let at = format!("src/bare{last}");
        let path = |name: &str| format!("{at}/{name}");
        repo.put(&path("config"), "[core]\n\tfsmonitor = id\n", &[])
            .works();
        repo.put(&path(order[0]), "x\n", &[]).works();
        repo.put(&path(order[1]), "x\n", &[]).works();
        is_outside(&repo, &path(order[2]), &at);
        repo.put(&path("other"), "x\n", &[]).works();
    }
}
