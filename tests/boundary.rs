//! The boundary, on real directory layouts.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use gix::bstr::BStr;
use write_guard::boundary::{Backend, Boundary, BoundaryError, NestedRepository, OpenedFile};

const BACKENDS: [Backend; 2] = [Backend::Kernel, Backend::Walk];
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

    fn boundaries(&self) -> Vec<Boundary> {
        BACKENDS
            .iter()
            .map(|&backend| Boundary::with_backend(&self.ws(), backend).unwrap())
            .collect()
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

/// Case, layout, request, and the path or the reason.
type Layout<'a> = (
    &'a str,
    &'a dyn Fn(&Path),
    &'a str,
    Result<&'a str, &'a str>,
);

/// The entries of the corpus that need a disk: the existing files, the request and the verdict.
#[test]
fn layouts_on_disk() {
    let build: &[Layout<'_>] = &[
        (
            "h050",
            &|ws| fs::create_dir_all(ws.join("a/b")).unwrap(),
            "a/../a/b/../../a/b/../b/target",
            Ok("a/b/target"),
        ),
        (
            "h290",
            &|ws| symlink("/etc", ws.join("ln")).unwrap(),
            "ln/new.py",
            Err("symlink-absolute"),
        ),
        (
            "h292",
            &|ws| symlink("/tmp/file.py", ws.join("lf")).unwrap(),
            "lf",
            Err("symlink-absolute"),
        ),
        (
            "h294",
            &|ws| symlink("/nonexistent/x", ws.join("dang")).unwrap(),
            "dang",
            Err("symlink-absolute"),
        ),
        (
            "h295",
            &|ws| symlink("target", ws.join("link")).unwrap(),
            "link",
            Ok("target"),
        ),
        (
            "h297",
            &|ws| symlink("../ws/target", ws.join("link")).unwrap(),
            "link",
            Err("symlink-escape"),
        ),
        (
            "h298",
            &|ws| symlink("../", ws.join("link")).unwrap(),
            "link",
            Err("symlink-escape"),
        ),
        (
            "h300",
            &|ws| {
                fs::create_dir(ws.join("dir")).unwrap();
                symlink("dir/", ws.join("link")).unwrap();
            },
            "link/target",
            Ok("dir/target"),
        ),
        (
            "h302",
            &|ws| {
                fs::create_dir_all(ws.join("a")).unwrap();
                fs::create_dir_all(ws.join("g/h")).unwrap();
                fs::create_dir_all(ws.join("g/c")).unwrap();
                symlink("a/b/c/target", ws.join("link")).unwrap();
                symlink("e", ws.join("a/b")).unwrap();
                symlink("../f", ws.join("a/e")).unwrap();
                symlink("g/h/i", ws.join("f")).unwrap();
                symlink("..", ws.join("g/h/i")).unwrap();
            },
            "link",
            Ok("g/c/target"),
        ),
        (
            "h305",
            &|ws| symlink("a", ws.join("a")).unwrap(),
            "a",
            Err("symlink-loop"),
        ),
        (
            "h306",
            &|ws| {
                symlink("loop_b", ws.join("loop_a")).unwrap();
                symlink("loop_a", ws.join("loop_b")).unwrap();
            },
            "loop_a",
            Err("symlink-loop"),
        ),
        (
            "h307: .. behind a link leads to where the link points",
            &|ws| {
                fs::create_dir_all(ws.join("b/c")).unwrap();
                symlink("b/c", ws.join("a")).unwrap();
            },
            "a/../target",
            Ok("b/target"),
        ),
        (
            "h323",
            &|ws| symlink("/proc/self/cwd", ws.join("p")).unwrap(),
            "p/x",
            Err("symlink-absolute"),
        ),
        (
            "h313",
            &|ws| fs::create_dir_all(ws.join("a/b")).unwrap(),
            "./a/./b/./target",
            Ok("a/b/target"),
        ),
    ];
    for (case, build, request, expected) in build {
        let disk = Disk::new();
        build(&disk.ws());
        for boundary in disk.boundaries() {
            let expected = expected.map(str::to_owned).map_err(str::to_owned);
            let actual = located(&boundary, request);
            assert_eq!(actual, expected, "{case}");
        }
    }
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
    for boundary in disk.boundaries() {
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
        let error = boundary
            .remove(BStr::new("hl"), &entry(b"", None))
            .unwrap_err();
        assert_eq!(reason(&error), "hardlink");
    }
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
        modified: None,
    }
}

#[test]
fn a_link_that_appears_after_locating_is_refused() {
    for backend in BACKENDS {
        let disk = Disk::new();
        fs::create_dir(disk.ws().join("d")).unwrap();
        let boundary = Boundary::with_backend(&disk.ws(), backend).unwrap();
        let path = boundary.locate(BStr::new("d/new")).unwrap();
        fs::remove_dir(disk.ws().join("d")).unwrap();
        symlink("../out", disk.ws().join("d")).unwrap();
        assert!(boundary.read(path.as_ref(), MAX).is_err());
        let (path, before): (&BStr, _) = (path.as_ref(), entry(b"secret", None));
        assert!(boundary.replace(path, None, b"x").is_err());
        assert!(boundary.replace(path, Some(&before), b"x").is_err());
        assert!(boundary.remove(path, &before).is_err());
        assert!(boundary.rename(path, &before, BStr::new("x")).is_err());
        assert_eq!(
            fs::read_dir(disk.base.join("out")).unwrap().count(),
            1,
            "{backend:?}"
        );
    }
}

#[test]
fn replacing_keeps_the_mode_and_creates_directories() {
    use std::os::unix::fs::PermissionsExt;
    for boundary_at in 0..BACKENDS.len() {
        let disk = Disk::new();
        let boundary = &disk.boundaries()[boundary_at];
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
        assert_eq!(
            fs::read_dir(disk.ws().join("a/b")).unwrap().count(),
            1,
            "no temporary file is left"
        );
    }
}

#[test]
fn nested_repositories_are_found_by_both_backends() {
    let disk = Disk::new();
    let ws = disk.ws();
    for directory in ["a/sub/.git", "a/sub/in/.git", "bare/objects", "bare/refs"] {
        fs::create_dir_all(ws.join(directory)).unwrap();
    }
    fs::write(ws.join("bare/config"), "").unwrap();
    fs::write(ws.join("file"), "").unwrap();
    let work_tree = |path: &str| Some(NestedRepository::WorkTree(path.into()));
    for boundary in disk.boundaries() {
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
}
