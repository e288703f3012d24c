//! What `git add` has just written is loose. guard reads many such objects in its own way, and sees the same as git.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::io::Write as _;
use std::path::PathBuf;

use crate::common::Repo;
use gix::zlib::Compression;
use gix::zlib::stream::deflate;
use serde_json::Value;

/// More loose objects than guard leaves to gix.
const MANY: usize = 24;

const ROWS: &[(&str, &str, &str)] = &[("src/", "Modify (Directory)", "the files")];

fn lines(word: &str, count: usize) -> String {
    (0..count).map(|n| format!("{word} {n}\n")).collect()
}

/// Small files with other contents staged than committed, and two of 300 lines.
fn with_many(files: usize) -> Repo {
    filled(Repo::new(), files)
}

fn filled(repo: Repo, files: usize) -> Repo {
    let fill = |word: &str| {
        for n in 0..files {
            repo.write(
                format!("src/a{n:02}.txt"),
                lines(&format!("{word} {n}"), 20),
            );
        }
        repo.git(&["add", "--all"]);
    };
    repo.write("src/0.txt", lines("line", 300));
    repo.write("src/z.txt", lines("line", 300));
    fill("old");
    repo.govern(ROWS);
    fill("new");
    repo
}

/// The file of a loose object.
fn loose_file(repo: &Repo, id: &str) -> PathBuf {
    repo.path(format!(".git/objects/{}/{}", &id[..2], &id[2..]))
}

/// A loose object with this header and content, whatever its id.
fn forge(repo: &Repo, id: &str, header: &str, content: &str) {
    let mut stream = deflate::Write::new(Vec::new(), Compression::BEST_SPEED);
    stream
        .write_all(format!("{header}\0{content}").as_bytes())
        .unwrap();
    stream.flush().unwrap();
    replace(repo, id, &stream.into_inner());
}

fn replace(repo: &Repo, id: &str, bytes: &[u8]) {
    let file = loose_file(repo, id);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    let _ = fs::remove_file(&file);
    fs::write(file, bytes).unwrap();
}

fn staged(repo: &Repo, path: &str) -> String {
    repo.git(&["rev-parse", &format!(":{path}")])
}

/// The judged changes and the findings.
fn report(repo: &Repo) -> (Value, Value) {
    let report = repo.json(&["lint"]);
    assert_eq!(report["changes"].as_array().unwrap().len(), MANY);
    (report["changes"].clone(), report["findings"].clone())
}

#[test]
fn a_packed_object_hides_a_loose_one() {
    // The first of a few, and the last of many.
    is_hidden("src/0.txt", 0);
    is_hidden("src/z.txt", MANY);
}

/// git commits and reads a packed stub, whatever the loose object of the same name says.
fn is_hidden(path: &str, others: usize) {
    let repo = with_many(others);
    repo.stage(path, "stub\n");
    let id = staged(&repo, path);
    let pack = ["pack-objects", "--quiet", ".git/objects/pack/pack"];
    repo.git_with_input(&pack, format!("{id}\n").as_bytes());
    let kept = lines("line", 300);
    forge(&repo, &id, &format!("blob {}", kept.len()), &kept);
    assert_eq!(repo.git(&["cat-file", "blob", &id]), "stub");
    let loses = format!("{path} loses 300 of 300 lines");
    repo.guard(&["lint"]).exits(1).says(&loses);
    repo.git(&["multi-pack-index", "write"]);
    repo.guard(&["lint"]).exits(1).says(&loses);
    fs::remove_dir_all(repo.path(".git/objects/pack")).unwrap();
    repo.guard(&["lint"]).exits(0);
}

#[test]
fn loose_and_packed_objects_are_read_alike() {
    let noise: String = (0..60_000_u64)
        .map(|n| format!("{:x}\n", n.wrapping_mul(0x9e37_79b9_7f4a_7c15)))
        .collect();
    for (format, compression) in [("sha1", "0"), ("sha1", "9"), ("sha256", "1")] {
        let options = format!("--object-format={format}");
        let repo = filled(Repo::init(&[&options]), MANY);
        repo.git(&["config", "core.looseCompression", compression]);
        for (name, content) in [
            ("a01", lines("word", 4_000)),
            ("a02", lines("word", 120_000)),
            ("a03", noise.clone()),
            ("a04", String::new()),
            ("a05", "\n".to_owned()),
            ("a06", "x".repeat((1 << 20) - 13)),
            ("a07", "x".repeat((1 << 20) - 12)),
            ("a08", "blob 3\0abc".to_owned()),
        ] {
            repo.write(format!("src/{name}.txt"), content);
        }
        repo.git(&["add", "--all"]);
        let loose = report(&repo);
        // Through an alternate, some packed.
        fs::rename(repo.path(".git/objects"), repo.path("../other")).unwrap();
        fs::create_dir_all(repo.path(".git/objects/info")).unwrap();
        fs::write(
            repo.path(".git/objects/info/alternates"),
            "../../../other\n",
        )
        .unwrap();
        assert_eq!(report(&repo), loose);
        repo.git(&["repack", "-adq"]);
        fs::remove_dir_all(repo.path("../other")).unwrap();
        assert!(!loose_file(&repo, &staged(&repo, "src/a01.txt")).exists());
        assert_eq!(report(&repo), loose);
    }
}

#[test]
fn damaged_loose_objects_are_refused_among_many() {
    let last = lines("line", 299);
    let repo = with_many(MANY);
    repo.stage("src/z.txt", last);
    repo.guard(&["lint"]).exits(0);
    let id = staged(&repo, "src/z.txt");
    let whole = fs::read(loose_file(&repo, &id)).unwrap();
    let is_refused = || {
        repo.guard(&["lint"]).exits(2).says(&id);
    };
    for header in ["blob 3", "blob 03", "blub 2", "tree 2", "blob", ""] {
        forge(&repo, &id, header, "x\n");
        is_refused();
    }
    for bytes in [&[][..], &whole[..20], &whole[..whole.len() - 1], b"x\n"] {
        replace(&repo, &id, bytes);
        is_refused();
    }
    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 1;
    replace(&repo, &id, &flipped);
    is_refused();
    let file = loose_file(&repo, &id);
    fs::remove_file(&file).unwrap();
    is_refused();
    fs::create_dir(&file).unwrap();
    is_refused();
    fs::remove_dir(&file).unwrap();
    #[cfg(unix)]
    {
        let made = repo.command("mkfifo").arg(&file).status().unwrap();
        assert!(made.success());
        is_refused();
        fs::remove_file(&file).unwrap();
    }
    replace(&repo, &id, &whole);
    repo.guard(&["lint"]).exits(0);
}
