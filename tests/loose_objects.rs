//! Objects that `git add` has just written are loose. guard sees the same as git, and refuses damaged ones.

use std::fs;
use std::io::Write as _;
use std::path::PathBuf;

use gix::zlib::Compression;
use gix::zlib::stream::deflate;

use crate::common::{Repo, lines};

const PATH: &str = "src/a.txt";

/// A file of 300 lines that may be modified.
fn repo() -> Repo {
    let repo = Repo::new();
    repo.stage(PATH, lines(1..=300));
    repo.govern(&[(PATH, "Modify", "x")]);
    repo
}

/// The file of a loose object.
fn loose_file(repo: &Repo, id: &str) -> PathBuf {
    repo.path(format!(".git/objects/{}/{}", &id[..2], &id[2..]))
}

/// A loose object with this header and content, whatever its id.
fn forge(repo: &Repo, id: &str, header: &str, content: &str) {
    let mut stream = deflate::Write::new(Vec::new(), Compression::BEST_SPEED);
    write!(stream, "{header}\0{content}").unwrap();
    stream.flush().unwrap();
    replace(repo, id, &stream.into_inner());
}

fn replace(repo: &Repo, id: &str, bytes: &[u8]) {
    let file = loose_file(repo, id);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    let _ = fs::remove_file(&file);
    fs::write(file, bytes).unwrap();
}

/// git commits and reads a packed stub, whatever the loose object of the same name says.
#[test]
fn a_packed_object_hides_a_loose_one() {
    let repo = repo();
    repo.stage(PATH, "stub\n");
    let id = repo.git(&["rev-parse", &format!(":{PATH}")]);
    let pack = ["pack-objects", "--quiet", ".git/objects/pack/pack"];
    repo.git_with_input(&pack, format!("{id}\n").as_bytes());
    let kept = lines(1..=300);
    forge(&repo, &id, &format!("blob {}", kept.len()), &kept);
    assert_eq!(repo.git(&["cat-file", "blob", &id]), "stub");
    let loses = format!("{PATH} loses 300 of 300 lines");
    repo.guard(&["lint"]).exits(1).says(&loses);
    repo.git(&["multi-pack-index", "write"]);
    repo.guard(&["lint"]).exits(1).says(&loses);
    fs::remove_dir_all(repo.path(".git/objects/pack")).unwrap();
    repo.guard(&["lint"]).exits(0);
}

#[test]
fn damaged_loose_objects_are_refused() {
    let repo = repo();
    repo.stage(PATH, lines(1..=299));
    repo.guard(&["lint"]).exits(0);
    let id = repo.git(&["rev-parse", &format!(":{PATH}")]);
    let whole = fs::read(loose_file(&repo, &id)).unwrap();
    let is_refused = |why: &str| {
        let refused = repo.guard(&["lint"]).exits(2).says(&id).says(why);
        assert_eq!(refused.text().contains("MiB"), why.contains("MiB"));
    };
    for (header, why) in [
        ("blob 3", "cannot be read"),
        ("tree 2", "is a tree, not a blob"),
        ("", "cannot be read"),
        ("blob 268435456", "cannot be read"),
        ("blob 268435457", "guard reads objects of up to 256 MiB"),
    ] {
        forge(&repo, &id, header, "x\n");
        is_refused(why);
    }
    for bytes in [&[][..], &whole[..whole.len() - 1]] {
        replace(&repo, &id, bytes);
        is_refused("cannot be read");
    }
    fs::remove_file(loose_file(&repo, &id)).unwrap();
    is_refused("it is not in the repository");
}
