//! The index keeps trees beside its entries, and `git commit` writes the trees: guard judges what git writes.

use std::fs;

use gix::ObjectId;
use gix::bstr::ByteSlice;
use write_guard_repo::{Index, Repository};

use crate::common::random::Random;
use crate::common::{self, Repo, changed_paths, findings, lines, raw};

/// A repository with three directories, whose design grants one file.
fn repo() -> Repo {
    let repo = Repo::new();
    repo.write("src/deep/c.rs", lines(1..=300));
    repo.write("src/a.rs", lines(1..=200));
    repo.write("docs/one.txt", "one\n");
    repo.write("docs/two.txt", "two\n");
    repo.write("top.txt", "top\n");
    repo.git(&["add", "--all"]);
    repo.govern(&[("src/a.rs", "Modify", "x")]);
    repo.stage("src/a.rs", lines(1..=201));
    repo
}

/// The tree of the index after `change`, which is then undone.
fn tree_after(repo: &Repo, change: impl FnOnce()) -> ObjectId {
    let saved = fs::read(repo.path(".git/index")).unwrap();
    change();
    let tree = repo.git(&["write-tree"]);
    fs::write(repo.path(".git/index"), saved).unwrap();
    ObjectId::from_hex(tree.trim().as_bytes()).unwrap()
}

/// Rewrites the entry of a directory in the `TREE` extension of the index: the number of its entries, and its tree.
fn forge(repo: &Repo, name: &str, count: Option<u32>, tree: Option<ObjectId>) {
    let file = repo.path(".git/index");
    let mut bytes = fs::read(&file).unwrap();
    let at = bytes.windows(4).rposition(|four| four == b"TREE").unwrap();
    let size = u32::from_be_bytes(bytes[at + 4..at + 8].try_into().unwrap());
    let end = at + 8 + usize::try_from(size).unwrap();
    let mut body = bytes[at + 8..end].to_vec();
    let behind = bytes[end..bytes.len() - 20].to_vec();
    // The name, NUL, the number of entries, a blank, the number of children, a newline, and the tree.
    let start = body.find(format!("{name}\0")).unwrap() + name.len() + 1;
    let blank = start + body[start..].find_byte(b' ').unwrap();
    let line_end = start + body[start..].find_byte(b'\n').unwrap();
    if let Some(tree) = tree {
        body[line_end + 1..line_end + 21].copy_from_slice(tree.as_slice());
    }
    if let Some(count) = count {
        body.splice(start..blank, count.to_string().into_bytes());
    }
    bytes.truncate(at + 4);
    bytes.extend(u32::try_from(body.len()).unwrap().to_be_bytes());
    bytes.extend([body, behind].concat());
    let checksum = raw::checksum(&bytes);
    bytes.extend(checksum.as_slice());
    fs::write(file, bytes).unwrap();
}

/// The paths that guard judges, which are those that git commits.
fn judged(repo: &Repo) -> Vec<String> {
    let report = repo.json(&["lint"]);
    repo.git(&["commit", "--quiet", "--no-verify", "--message", "x"]);
    let paths = repo.git(&["diff", "--name-only", "--no-renames", "HEAD^", "HEAD"]);
    let paths: Vec<String> = paths.lines().map(str::to_owned).collect();
    assert_eq!(changed_paths(&report), paths);
    paths
}

#[track_caller]
fn finds(repo: &Repo, arguments: &[&str], expected: (&str, &str)) {
    let report = repo.json(arguments);
    assert!(findings(&report).contains(&expected), "{report}");
}

#[test]
fn forged_trees_are_judged_because_git_commits_them() {
    let repo = repo();
    let evil = tree_after(&repo, || {
        repo.stage("evil.txt", "evil\n");
        repo.stage("src/deep/c.rs", lines(1..=3));
    });
    repo.git(&["write-tree"]);
    forge(&repo, "", None, Some(evil));
    repo.write("src/deep/c.rs", lines(1..=300));
    assert_eq!(repo.git(&["diff", "--cached", "--name-only"]), "src/a.rs");
    finds(&repo, &["lint"], ("out-of-scope", "evil.txt"));
    finds(&repo, &["lint"], ("destructive-change", "src/deep/c.rs"));
    assert_eq!(judged(&repo).len(), 3);

    // The tree of one directory.
    let repo = self::repo();
    let evil = tree_after(&repo, || repo.stage("docs/evil.txt", "evil\n"));
    let evil = repo.git(&["rev-parse", &format!("{evil}:docs")]);
    let evil = ObjectId::from_hex(evil.trim().as_bytes()).unwrap();
    // src changed, so the root is not valid.
    forge(&repo, "docs", None, Some(evil));
    // `git add --all` leaves the tree of a directory whose entries are as the files.
    for arguments in [&["lint"][..], &["lint", "--worktree"]] {
        finds(&repo, arguments, ("out-of-scope", "docs/evil.txt"));
    }
    assert_eq!(judged(&repo), ["docs/evil.txt", "src/a.rs"]);
}

#[test]
fn a_cached_tree_that_counts_foreign_entries_is_damage() {
    for count in [0, 1, 2, 4, 5, 99] {
        let repo = repo();
        forge(&repo, "docs", Some(count), None);
        repo.guard(&["lint"]).exits(2).says("is damaged");
    }
    let repo = repo();
    repo.git(&["write-tree"]);
    forge(&repo, "", Some(6), None);
    repo.guard(&["lint"]).exits(2).says("entries in the root");
}

#[test]
fn a_cached_tree_that_is_not_in_the_repository_is_made_of_the_entries() {
    let repo = repo();
    same_tree(&repo);
    let missing = ObjectId::from_hex(b"0123456789012345678901234567890123456789").unwrap();
    for name in ["", "docs", "deep"] {
        forge(&repo, "", None, Some(missing));
        forge(&repo, name, None, Some(missing));
        assert_eq!(findings(&repo.json(&["lint"])), []);
        same_tree(&repo);
    }
    assert_eq!(judged(&repo), ["src/a.rs"]);
}

#[test]
fn trees_are_what_git_writes_in_every_format_of_the_index() {
    for options in [
        &["update-index", "--index-version", "2"][..],
        &["update-index", "--index-version", "3"],
        &["update-index", "--index-version", "4"],
        &["update-index", "--split-index"],
        &["update-index", "--force-write-index", "--untracked-cache"],
        &["sparse-checkout", "set", "--cone", "--sparse-index", "src"],
    ] {
        let repo = repo();
        repo.git(options);
        repo.write("src/new/x.rs", "x\n");
        repo.git(&["add", "--intent-to-add", "src/new/x.rs"]);
        same_tree(&repo);
        repo.git(&["rm", "--quiet", "--cached", "src/new/x.rs"]);
        repo.git(&["rm", "--quiet", "--cached", "src/deep/c.rs"]);
        repo.stage("src/new/y.rs", "y\n");
        same_tree(&repo);
    }
}

#[test]
fn conflicts_are_told_as_such_and_do_not_hide_the_scope() {
    let repo = repo();
    let blob = repo.blob(b"x\n");
    let stages = |path: &str| {
        let lines = (1..=3).map(|stage| format!("100644 {blob} {stage}\t{path}\n"));
        let lines: String = lines.collect();
        repo.git_with_input(&["update-index", "--index-info"], lines.as_bytes());
    };
    repo.git(&["rm", "--quiet", "--cached", "docs/one.txt"]);
    stages("docs/one.txt");
    let conflict = repo.guard(&["lint"]).exits(2);
    conflict.says("unresolved conflicts in docs/one.txt");
    repo.guard(&["scope", "show"]).exits(0).says("src/a.rs");
    // A file that the other side has as a directory is no damage.
    repo.git(&["rm", "--quiet", "-r", "--cached", "docs"]);
    stages("docs");
    let theirs = format!("100644 {blob} 3\tdocs/two.txt\n");
    repo.git_with_input(&["update-index", "--index-info"], theirs.as_bytes());
    let conflict = repo.guard(&["lint"]).exits(2);
    conflict.says("unresolved conflicts in docs");
}

#[test]
fn file_with_a_conflict_has_our_content_or_else_the_last_one() {
    let repo = repo();
    repo.stage("docs/after.txt", "after\n");
    let blobs = ["base\n", "ours\n", "theirs\n"].map(|content| repo.blob(content.as_bytes()));
    for (stages, expected) in [
        (&[1, 2, 3][..], 2),
        (&[1, 2], 2),
        (&[2, 3], 2),
        (&[1, 3], 3),
        (&[1], 1),
        (&[3], 3),
    ] {
        let remove = format!("0 {} 0\tdocs/one.txt\n", "0".repeat(40));
        let entries = stages
            .iter()
            .map(|&stage| format!("100644 {} {stage}\tdocs/one.txt\n", blobs[stage - 1]));
        let input = entries.fold(remove, |all, one| all + &one);
        repo.git_with_input(&["update-index", "--index-info"], input.as_bytes());
        let git = Repository::open(&repo.path("")).unwrap();
        let index = Index::open(&git).unwrap();
        assert_eq!(index.unmerged(), ["docs/one.txt"], "{stages:?}");
        let tree = index.tree().unwrap();
        let found = tree.get("docs/one.txt".into()).unwrap().unwrap();
        assert_eq!(found.id, blobs[expected - 1], "{stages:?}");
        assert!(tree.get("docs/after.txt".into()).unwrap().is_some());
    }
}

/// guard's tree of the index, and git's; guard looks first, because git writes the trees.
#[track_caller]
fn same_tree(repo: &Repo) {
    let git = Repository::open(&repo.path("")).unwrap();
    let tree = Index::open(&git).unwrap().tree().unwrap().id().to_string();
    assert_eq!(tree, repo.git(&["write-tree"]).trim());
}

#[test]
fn offsets_for_threads_must_lead_to_the_same_entries() {
    let repo = repo();
    let blob = repo.blob(b"x\n");
    let listing: String = (0..25_000)
        .map(|n| format!("100644 {blob}\tmany/{:03}/{n:05}.txt\n", n / 100))
        .collect();
    repo.git_with_input(&["update-index", "--index-info"], listing.as_bytes());
    repo.git(&["config", "index.threads", "4"]);
    repo.git(&["update-index", "--force-write-index"]);
    let file = repo.path(".git/index");
    let good = fs::read(&file).unwrap();
    let find = |name: &[u8]| good.windows(4).rposition(|four| four == name);
    let (Some(table), Some(end)) = (find(b"IEOT"), find(b"EOIE")) else {
        common::skip("this git writes no offsets for threads");
        return;
    };
    same_tree(&repo);
    // The offset of the second block, its count, and where the extensions begin.
    for at in [table + 8 + 4 + 8 + 3, table + 8 + 4 + 8 + 7, end + 8 + 3] {
        let mut bad = good.clone();
        bad[at] ^= 8;
        fs::write(&file, bad).unwrap();
        repo.guard(&["lint"]).exits(2).says("is damaged");
    }
}

#[test]
fn a_damaged_index_is_refused_or_judged_as_git_commits_it() {
    let rounds = match std::env::var_os("GUARD_LONG") {
        Some(_) => 10_000,
        None => 400,
    };
    let repo = repo();
    repo.stage("docs/one.txt", "changed\n");
    let file = repo.path(".git/index");
    let mut kinds = vec![fs::read(&file).unwrap()];
    repo.git(&["write-tree"]);
    kinds.push(fs::read(&file).unwrap());
    repo.git(&["update-index", "--index-version", "4"]);
    kinds.push(fs::read(&file).unwrap());
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let (mut equal, mut refused) = (0, 0);
    for round in 0..rounds {
        let mut bytes = kinds[random.below(kinds.len())].clone();
        let at = random.below(bytes.len());
        match random.below(4) {
            0 => bytes[at] ^= 1 << random.below(8),
            1 => bytes[at] = 0,
            2 => bytes[at] = b'/',
            _ => drop(bytes.remove(at)),
        }
        fs::write(&file, &bytes).unwrap();
        let git = Repository::open(&repo.path("")).unwrap();
        let tree = Index::open(&git).and_then(|index| {
            let is_whole = index.unmerged().is_empty();
            Ok(is_whole.then_some(index.tree()?.id()))
        });
        // Git itself may crash, and then leaves its lock behind.
        drop(fs::remove_file(repo.path(".git/index.lock")));
        let written = repo.command("git").arg("write-tree").output().unwrap();
        match tree {
            // Git may still refuse, for an object that is missing.
            Ok(Some(tree)) if written.status.success() => {
                let written = String::from_utf8(written.stdout).unwrap();
                assert_eq!(tree.to_string(), written.trim(), "round {round}, byte {at}");
                equal += 1;
            }
            Ok(_) => {}
            Err(_) => refused += 1,
        }
    }
    println!("{equal} of {rounds} are the trees that git writes, {refused} are refused");
    assert!(equal * 10 > rounds && refused * 10 > rounds);
}
