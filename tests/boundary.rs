//! The boundary, on real directory layouts.

use std::fs;

use crate::common::system::{self, HAS_MODES, symlink};
use gix::bstr::BStr;
use write_guard_repo::boundary::{Boundary, OpenedFile};

const MAX: u64 = 1 << 20;

#[test]
fn a_link_that_appears_after_locating_is_refused() {
    let base = tempfile::tempdir().unwrap();
    let root = base.path().join("ws");
    for target in ["../out", "inside"] {
        let elsewhere = root.join(target);
        let _ = fs::remove_file(root.join("d"));
        fs::create_dir_all(root.join("d")).unwrap();
        fs::create_dir(&elsewhere).unwrap();
        fs::write(elsewhere.join("secret"), "secret").unwrap();
        let boundary = Boundary::open(&root).unwrap();
        let path = boundary.locate(BStr::new("d/secret")).unwrap();
        fs::remove_dir(root.join("d")).unwrap();
        symlink(target, root.join("d")).unwrap();
        let path: &BStr = path.as_ref();
        let before = OpenedFile {
            content: b"secret".to_vec(),
            mode: None,
            writable: true,
        };
        assert!(boundary.read(path, MAX).is_err());
        assert!(boundary.replace(path, None, b"x", false).is_err());
        assert!(boundary.replace(path, Some(&before), b"x", false).is_err());
        assert!(boundary.remove(path, &before).is_err());
        assert!(boundary.rename(path, &before, BStr::new("x")).is_err());
        assert_eq!(fs::read_dir(elsewhere).unwrap().count(), 1);
    }
}

#[test]
fn replacing_keeps_the_mode_and_creates_directories() {
    let root = tempfile::tempdir().unwrap();
    let boundary = Boundary::open(root.path()).unwrap();
    let path = BStr::new("a/b/c");
    boundary.replace(path, None, b"nothing", false).unwrap();
    let file = root.path().join("a/b/c");
    system::set_mode(&file, 0o750);
    let before = boundary.read(path, MAX).unwrap();
    boundary
        .replace(path, before.as_ref(), b"one", false)
        .unwrap();
    let mode = system::mode(&file);
    assert!(!HAS_MODES || mode & 0o7777 == 0o750, "{mode:o}");
    assert_eq!(fs::read(&file).unwrap(), b"one");
    let left = fs::read_dir(root.path().join("a/b")).unwrap().count();
    assert_eq!(left, 1, "no temporary file is left");
}
