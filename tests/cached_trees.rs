//! The index keeps trees beside its entries, and `git commit` writes the trees: guard judges what git writes.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::fs;

use gix::ObjectId;
use write_guard::git::{Index, Repository};

use crate::common::random::Random;
use crate::common::{self, Repo, findings, lines, raw};

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

/// An entry of the `TREE` extension: name, entries, children, tree.
type Cached = (String, i64, usize, Option<ObjectId>);

/// The index file before and after its `TREE` extension, and the extension.
fn parts(repo: &Repo) -> (Vec<u8>, Vec<Cached>, Vec<u8>) {
    let bytes = fs::read(repo.path(".git/index")).unwrap();
    let at = bytes.windows(4).rposition(|four| four == b"TREE").unwrap();
    let size = u32::from_be_bytes(bytes[at + 4..at + 8].try_into().unwrap());
    let end = at + 8 + usize::try_from(size).unwrap();
    let mut rest = &bytes[at + 8..end];
    let mut cached = Vec::new();
    while !rest.is_empty() {
        let name_end = rest.iter().position(|&byte| byte == 0).unwrap();
        let line_end = rest.iter().position(|&byte| byte == b'\n').unwrap();
        let numbers = std::str::from_utf8(&rest[name_end + 1..line_end]).unwrap();
        let (entries, children) = numbers.split_once(' ').unwrap();
        let name = String::from_utf8(rest[..name_end].to_vec()).unwrap();
        let entries: i64 = entries.parse().unwrap();
        rest = &rest[line_end + 1..];
        let id = (entries >= 0).then(|| {
            let id = ObjectId::from_bytes_or_panic(&rest[..20]);
            rest = &rest[20..];
            id
        });
        cached.push((name, entries, children.parse().unwrap(), id));
    }
    (bytes[..at].to_vec(), cached, bytes[end..].to_vec())
}

/// Rewrites the `TREE` extension.
fn forge(repo: &Repo, change: impl FnOnce(&mut Vec<Cached>)) {
    let (mut bytes, mut cached, behind) = parts(repo);
    change(&mut cached);
    let mut body = Vec::new();
    for (name, entries, children, id) in cached {
        body.extend(format!("{name}\0{entries} {children}\n").into_bytes());
        body.extend(id.iter().flat_map(|id| id.as_slice()));
    }
    bytes.extend(b"TREE");
    bytes.extend(u32::try_from(body.len()).unwrap().to_be_bytes());
    bytes.extend(body);
    bytes.extend(&behind[..behind.len() - 20]);
    let checksum = raw::checksum(&bytes);
    bytes.extend(checksum.as_slice());
    fs::write(repo.path(".git/index"), bytes).unwrap();
}

/// The paths that guard judges, which are those that git commits.
fn judged(repo: &Repo) -> Vec<String> {
    let report = repo.json(&["lint"]);
    let changes = report["changes"].as_array().unwrap().iter();
    let judged = changes.map(|change| change["path"].as_str().unwrap().to_owned());
    let judged: Vec<String> = judged.collect();
    repo.git(&["commit", "--quiet", "--no-verify", "--message", "x"]);
    let paths = repo.git(&["diff", "--name-only", "--no-renames", "HEAD^", "HEAD"]);
    assert_eq!(judged, paths.lines().collect::<Vec<_>>());
    judged
}

#[test]
fn forged_trees_are_judged_because_git_commits_them() {
    let repo = repo();
    let evil = tree_after(&repo, || {
        repo.stage("evil.txt", "evil\n");
        repo.stage("src/deep/c.rs", lines(1..=3));
    });
    repo.git(&["write-tree"]);
    forge(&repo, |cached| cached[0].3 = Some(evil));
    repo.write("src/deep/c.rs", lines(1..=300));
    assert_eq!(repo.git(&["diff", "--cached", "--name-only"]), "src/a.rs");
    let report = repo.json(&["lint"]);
    let found = findings(&report);
    for expected in [
        ("out-of-scope", "evil.txt"),
        ("destructive-change", "src/deep/c.rs"),
    ] {
        assert!(found.contains(&expected), "{found:?}");
    }
    assert_eq!(judged(&repo).len(), 3);

    // The tree of one directory.
    let repo = self::repo();
    let evil = tree_after(&repo, || repo.stage("docs/evil.txt", "evil\n"));
    let evil = repo.git(&["rev-parse", &format!("{evil}:docs")]);
    let evil = ObjectId::from_hex(evil.trim().as_bytes()).unwrap();
    forge(&repo, |cached| {
        assert_eq!(cached[0].1, -1, "src changed, so the root is not valid");
        let docs = cached.iter_mut().find(|one| one.0 == "docs").unwrap();
        docs.3 = Some(evil);
    });
    // `git add --all` leaves the tree of a directory whose entries are as the files.
    for arguments in [&["lint"][..], &["lint", "--worktree"]] {
        let report = repo.json(arguments);
        let found = findings(&report);
        assert!(
            found.contains(&("out-of-scope", "docs/evil.txt")),
            "{found:?}"
        );
    }
    assert_eq!(judged(&repo), ["docs/evil.txt", "src/a.rs"]);
}

#[test]
fn a_cached_tree_that_counts_foreign_entries_is_damage() {
    for count in [0, 1, 2, 4, 5, 99] {
        let repo = repo();
        forge(&repo, |cached| {
            cached.iter_mut().find(|one| one.0 == "docs").unwrap().1 = count
        });
        let output = repo.guard(&["lint"]).exits(2);
        assert!(
            output.text().contains("is damaged"),
            "{count}: {}",
            output.text()
        );
    }
    let repo = repo();
    repo.git(&["write-tree"]);
    forge(&repo, |cached| cached[0].1 -= 1);
    repo.guard(&["lint"]).exits(2).says("entries in the root");
}

#[test]
fn a_cached_tree_that_is_not_in_the_repository_is_made_of_the_entries() {
    let repo = repo();
    same_tree(&repo);
    let missing = ObjectId::from_hex(b"0123456789012345678901234567890123456789").unwrap();
    for name in ["", "docs", "deep"] {
        forge(&repo, |cached| {
            let is_meant = |one: &&mut Cached| one.0 == name || one.0.is_empty();
            for one in cached.iter_mut().filter(is_meant) {
                one.3 = Some(missing);
            }
        });
        assert_eq!(findings(&repo.json(&["lint"])), []);
        let git = Repository::open(&repo.path("")).unwrap();
        let tree = Index::open(&git).unwrap().tree().unwrap().id().to_string();
        assert_eq!(tree, repo.git(&["write-tree"]).trim());
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
        repo.git_with_input(
            &["update-index", "--index-info"],
            lines.collect::<String>().as_bytes(),
        );
    };
    repo.git(&["rm", "--quiet", "--cached", "docs/one.txt"]);
    stages("docs/one.txt");
    repo.guard(&["lint"])
        .exits(2)
        .says("unresolved conflicts in docs/one.txt");
    repo.guard(&["scope", "show"]).exits(0).says("src/a.rs");
    // A file that the other side has as a directory is no damage.
    repo.git(&["rm", "--quiet", "-r", "--cached", "docs"]);
    stages("docs");
    let theirs = format!("100644 {blob} 3\tdocs/two.txt\n");
    repo.git_with_input(&["update-index", "--index-info"], theirs.as_bytes());
    repo.guard(&["lint"])
        .exits(2)
        .says("unresolved conflicts in docs");
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
                assert_eq!(
                    tree.to_string().as_bytes(),
                    written.stdout.trim_ascii(),
                    "round {round}, byte {at}"
                );
                equal += 1;
            }
            Ok(_) => {}
            Err(_) => refused += 1,
        }
    }
    println!("{equal} of {rounds} are the trees that git writes, {refused} are refused");
    assert!(equal * 10 > rounds && refused * 10 > rounds);
}
