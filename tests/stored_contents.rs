//! An approval names the content that a commit will have: guard converts a content as `git add` does.

use gix::bstr::BStr;
use write_guard_policy::sha256::sha256;
use write_guard_repo::Repository;

use crate::common::Repo;

/// Contents with the line endings and marks that git converts.
const CONTENTS: &[&[u8]] = &[
    b"",
    b"one\ntwo\n",
    b"one\r\ntwo\r\n",
    b"one\r\ntwo\n",
    b"one\rtwo\r",
    b"a\0b\r\n",
    b"$Id: 123 $\r\n",
    "\u{e9}\r\n".as_bytes(),
];

const AUTOCRLF: &[&str] = &["false", "true", "input"];

const ATTRIBUTES: &[&str] = &[
    "",
    "text",
    "-text",
    "text=auto",
    "eol=crlf",
    "eol=lf",
    "text=auto eol=crlf",
    "binary",
    "ident",
    "crlf",
    "text ident",
];

/// What `git add` makes of the file that is there.
fn staged(repo: &Repo, file: &str) -> String {
    repo.git(&["add", "--force", file]);
    repo.git(&["rev-parse", &format!(":{file}")])
}

#[test]
fn a_content_is_stored_as_git_stores_it() {
    let repo = Repo::new();
    let mut converted = 0;
    for autocrlf in AUTOCRLF {
        repo.git(&["config", "core.autocrlf", autocrlf]);
        for attributes in ATTRIBUTES {
            repo.write(".gitattributes", format!("*.txt {attributes}\n"));
            // What the index has of the file counts, too.
            for before in [None, Some("old\n"), Some("old\r\n")] {
                for content in CONTENTS {
                    repo.git(&["update-index", "--force-remove", "d/a.txt"]);
                    if let Some(before) = before {
                        let id = repo.blob(before.as_bytes()).to_string();
                        let entry = format!("100644,{id},d/a.txt");
                        repo.git(&["update-index", "--add", "--cacheinfo", &entry]);
                    }
                    let opened = Repository::open(&repo.path("")).unwrap();
                    let stored = opened.stored_id(BStr::new("d/a.txt"), content).unwrap();
                    repo.write("d/a.txt", content);
                    converted += usize::from(stored != repo.blob(content));
                    let case = format!("{autocrlf} {attributes:?} {before:?} {content:?}");
                    assert_eq!(stored.to_string(), staged(&repo, "d/a.txt"), "{case}");
                }
            }
        }
    }
    assert!(converted > 100, "{converted}");
}

#[test]
fn an_encoding_of_the_work_tree_is_converted() {
    let repo = Repo::new();
    repo.write(
        ".gitattributes",
        "*.txt text working-tree-encoding=UTF-16LE\n",
    );
    let content: Vec<u8> = "\u{e9}\r\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    repo.write("a.txt", &content);
    let opened = Repository::open(&repo.path("")).unwrap();
    let stored = opened.stored_id(BStr::new("a.txt"), &content).unwrap();
    assert_eq!(stored.to_string(), staged(&repo, "a.txt"));
    assert_eq!(repo.git(&["show", ":a.txt"]), "\u{e9}");
}

/// The pointer's form is Git LFS's specification; its program need not be there.
#[test]
fn a_file_of_git_lfs_is_stored_as_its_pointer() {
    let repo = Repo::new();
    repo.write(
        ".gitattributes",
        "*.bin filter=lfs diff=lfs merge=lfs -text\n",
    );
    let content = b"\0\x01\r\n";
    let pointer = format!(
        "version https://git-lfs.github.com/spec/v1\noid sha256:{}\nsize 4\n",
        sha256(content)
    );
    let opened = Repository::open(&repo.path("")).unwrap();
    let stored = |content: &[u8]| opened.stored_id(BStr::new("a.bin"), content).unwrap();
    assert_eq!(stored(content), repo.blob(pointer.as_bytes()));
    assert_eq!(stored(pointer.as_bytes()), repo.blob(pointer.as_bytes()));
}

#[test]
fn no_filter_that_the_repository_configures_is_started() {
    let repo = Repo::new();
    repo.write(".gitattributes", "*.txt filter=own\n");
    let mark = repo.path("../started");
    let clean = format!("touch '{}'; cat", mark.display());
    repo.git(&["config", "filter.own.clean", &clean]);
    let opened = Repository::open(&repo.path("")).unwrap();
    let stored = opened.stored_id(BStr::new("a.txt"), b"x\n").unwrap();
    assert_eq!(stored, repo.blob(b"x\n"));
    assert!(!mark.exists());
}
