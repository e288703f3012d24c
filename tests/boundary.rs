//! The boundary, on real directory layouts.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use crate::common::Repo;
use crate::common::corpus::{self, given, text};
use crate::common::corpus_layout;
use gix::bstr::BStr;
use write_guard::boundary::{Boundary, BoundaryError, NestedRepository, OpenedFile};

const MAX: u64 = 1 << 20;

/// A workspace `ws` with a secret next to it.
struct Disk {
    _dir: tempfile::TempDir,
    base: PathBuf,
}

impl Disk {
    fn new() -> Disk {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().canonicalize().unwrap();
        fs::create_dir_all(base.join("ws")).unwrap();
        fs::create_dir_all(base.join("out")).unwrap();
        fs::write(base.join("out/secret"), "secret").unwrap();
        Disk { _dir: dir, base }
    }

    fn ws(&self) -> PathBuf {
        self.base.join("ws")
    }

    fn boundary(&self) -> Boundary {
        Boundary::open(&self.ws()).unwrap()
    }
}

fn located(boundary: &Boundary, request: &str) -> Result<String, String> {
    boundary
        .locate(BStr::new(request))
        .map(|path| path.to_string())
        .map_err(|rejection| rejection.reason.id().to_owned())
}

fn reason(error: &BoundaryError) -> String {
    match error {
        BoundaryError::Refused(rejection) => rejection.reason.id().to_owned(),
        BoundaryError::Changed(path) => format!("changed: {path}"),
        BoundaryError::Io { source, .. } => format!("io: {source}"),
    }
}

/// The paths of the corpus that need a disk; `file_paths` tests the same through the file verbs.
#[test]
fn the_paths_of_the_corpus_that_need_a_disk_are_judged() {
    let entries = corpus::entries();
    let mut judged = 0;
    for entry in entries.iter().filter(|entry| !entry["needs"].is_null()) {
        let (id, expected) = (text(entry, "id"), text(entry, "expected"));
        let is_elsewhere = ["h320", "h380"].contains(&id) || expected == "reject:protected-file";
        let repo = Repo::open();
        if is_elsewhere || !given(entry).all(|line| corpus_layout::build(&repo, line).is_some()) {
            continue;
        }
        let request = corpus_layout::moved(&corpus::input(entry), &repo);
        let boundary = Boundary::open(&repo.root).unwrap();
        let path = boundary.locate(request.as_slice().into());
        let read = path.map_err(BoundaryError::from).and_then(|path| {
            let nested = boundary.nested_repository(path.as_ref())?;
            Ok((boundary.read(path.as_ref(), MAX)?, nested))
        });
        match (expected.strip_prefix("reject:"), read) {
            (None, Ok((_, None))) | (Some(_), Ok((_, Some(_)))) => {}
            (Some(why), Err(error)) => {
                // The corpus tells absolute targets from others only for some entries.
                let plain = |reason: &str| reason.replace("-absolute", "-escape");
                assert_eq!(plain(&reason(&error)), plain(why), "{id}");
            }
            (_, read) => panic!("{id}: {read:?}"),
        }
        judged += 1;
    }
    assert!(judged >= 20, "the corpus has lost entries: {judged}");
}

#[test]
#[cfg_attr(
    guard_no_unix,
    ignore = "a FIFO, which Windows lacks, would wait for a writer"
)]
fn non_regular_files_are_refused() {
    let disk = Disk::new();
    let ws = disk.ws();
    fs::create_dir(ws.join("src")).unwrap();
    fs::write(ws.join("file"), "x").unwrap();
    fs::hard_link(disk.base.join("out/secret"), ws.join("hl")).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(ws.join("sock")).unwrap();
    assert!(
        std::process::Command::new("mkfifo")
            .arg(ws.join("fifo"))
            .status()
            .unwrap()
            .success()
    );
    let boundary = disk.boundary();
    for (path, expected) in [
        ("src", "is-a-directory"),
        ("file/x", "not-a-directory"),
        ("hl", "hardlink"),
        ("sock", "not-a-regular-file"),
        ("fifo", "not-a-regular-file"),
    ] {
        let error = boundary.read(BStr::new(path), MAX).unwrap_err();
        assert_eq!(reason(&error), expected, "{path}");
    }
    let error = boundary.remove("hl".into(), &entry(b"", None)).unwrap_err();
    assert_eq!(reason(&error), "hardlink");
    assert_eq!(fs::read(disk.base.join("out/secret")).unwrap(), b"secret");
}

#[test]
fn workspace_reached_through_a_link_is_the_same_workspace() {
    let disk = Disk::new();
    symlink(disk.ws(), disk.base.join("alias")).unwrap();
    let boundary = Boundary::open(&disk.base.join("alias")).unwrap();
    for request in [
        disk.ws().join("a.py"),
        disk.base.join("alias/a.py"),
        disk.base.join("alias/./b/../a.py"),
    ] {
        assert_eq!(
            located(&boundary, request.to_str().unwrap()),
            Ok("a.py".into())
        );
    }
    for request in [
        disk.base.join("ws2/a.py"),
        disk.base.join("alias/../out/secret"),
    ] {
        assert!(
            located(&boundary, request.to_str().unwrap()).is_err(),
            "{request:?}"
        );
    }
}

/// What a lookup found at a path.
fn entry(content: &[u8], mode: Option<u32>) -> OpenedFile {
    OpenedFile {
        content: content.to_vec(),
        mode,
        writable: true,
    }
}

#[test]
fn a_link_that_appears_after_locating_is_refused() {
    let disk = Disk::new();
    fs::create_dir(disk.ws().join("d")).unwrap();
    let boundary = disk.boundary();
    let path = boundary.locate(BStr::new("d/secret")).unwrap();
    fs::remove_dir(disk.ws().join("d")).unwrap();
    symlink("../out", disk.ws().join("d")).unwrap();
    let (path, before): (&BStr, _) = (path.as_ref(), entry(b"secret", None));
    assert!(boundary.read(path, MAX).is_err());
    assert!(boundary.replace(path, None, b"x").is_err());
    assert!(boundary.replace(path, Some(&before), b"x").is_err());
    assert!(boundary.remove(path, &before).is_err());
    assert!(boundary.rename(path, &before, BStr::new("x")).is_err());
    assert_eq!(fs::read_dir(disk.base.join("out")).unwrap().count(), 1);
}

#[test]
fn replacing_keeps_the_mode_and_creates_directories() {
    use std::os::unix::fs::PermissionsExt;
    let disk = Disk::new();
    let boundary = disk.boundary();
    let path = BStr::new("a/b/c");
    boundary.replace(path, None, b"nothing").unwrap();
    let file = disk.ws().join("a/b/c");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o750)).unwrap();
    let before = boundary.read(path, MAX).unwrap();
    boundary.replace(path, before.as_ref(), b"one").unwrap();
    if !cfg!(guard_no_unix) {
        let mode = fs::metadata(&file).unwrap().permissions().mode();
        assert_eq!(mode & 0o7777, 0o750);
    }
    assert_eq!(fs::read(&file).unwrap(), b"one");
    let left = fs::read_dir(disk.ws().join("a/b")).unwrap().count();
    assert_eq!(left, 1, "no temporary file is left");
}

#[test]
fn nested_repositories_are_found() {
    let disk = Disk::new();
    let ws = disk.ws();
    for directory in ["a/sub/.git", "a/sub/in/.git", "bare/objects", "bare/refs"] {
        fs::create_dir_all(ws.join(directory)).unwrap();
    }
    fs::write(ws.join("bare/config"), "").unwrap();
    fs::write(ws.join("file"), "").unwrap();
    let work_tree = |path: &str| Some(NestedRepository::WorkTree(path.into()));
    let boundary = disk.boundary();
    for (path, expected) in [
        ("a", None),
        ("a/x", None),
        ("a/subx", None),
        ("a/sub", work_tree("a/sub")),
        ("a/sub/x/y", work_tree("a/sub")),
        ("a/sub/in/x", work_tree("a/sub")),
        ("bare/config", None),
        ("bare/HEAD", Some(NestedRepository::Bare("bare".into()))),
        ("none/x", None),
        ("file/x", None),
    ] {
        let found = boundary.nested_repository(path.into()).unwrap();
        assert_eq!(found, expected, "{path}");
    }
}
