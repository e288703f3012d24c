//! Somebody who exchanges a directory and a link that leads outside, all the time, and a program that checks before it
//! opens, which loses against them.

use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{CWD, RenameFlags, renameat_with};

/// What only the outside holds.
pub const SECRET: &[u8] = b"secret";

/// A workspace `ws` with the directory `d`, and `l` that leads to `out` beside the workspace.
pub struct Field {
    _dir: tempfile::TempDir,
    pub ws: PathBuf,
    out: PathBuf,
}

impl Field {
    /// In memory where that is possible, as every write is synced.
    pub fn new() -> Field {
        let memory = Path::new("/dev/shm");
        let dir = if memory.is_dir() {
            tempfile::tempdir_in(memory)
        } else {
            tempfile::tempdir()
        }
        .unwrap();
        let base = dir.path().canonicalize().unwrap();
        fs::create_dir_all(base.join("ws/d")).unwrap();
        let (ws, out) = (base.join("ws"), base.join("out"));
        put_outside(&ws, &out);
        Field { _dir: dir, ws, out }
    }

    /// Runs `work` while the directory and the link are exchanged.
    pub fn during_exchanges<T>(&self, work: impl FnOnce() -> T) -> T {
        exchanging(&self.ws, work)
    }

    /// What is wrong with the outside: 0, or something got out.
    pub fn escapes(&self) -> usize {
        escapes(&self.out)
    }
}

/// Makes the outside and the link to it.
pub fn put_outside(ws: &Path, out: &Path) {
    fs::create_dir(out).unwrap();
    fs::write(out.join("secret"), SECRET).unwrap();
    symlink("../out", ws.join("l")).unwrap();
}

/// Runs `work` while `d` and `l` in `ws` are exchanged; both are where they were at the end.
pub fn exchanging<T>(ws: &Path, work: impl FnOnce() -> T) -> T {
    let stop = AtomicBool::new(false);
    let (d, l) = (ws.join("d"), ws.join("l"));
    let exchange = || renameat_with(CWD, &d, CWD, &l, RenameFlags::EXCHANGE).unwrap();
    std::thread::scope(|scope| {
        let swapper = scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                exchange();
            }
        });
        let result = work();
        stop.store(true, Ordering::Relaxed);
        swapper.join().unwrap();
        if fs::symlink_metadata(&d).unwrap().is_symlink() {
            exchange();
        }
        result
    })
}

/// Outside there is only the secret, unchanged.
pub fn escapes(out: &Path) -> usize {
    let names = fs::read_dir(out).unwrap().count();
    let secret = fs::read(out.join("secret")).is_ok_and(|content| content == SECRET);
    usize::from(names != 1 || !secret)
}

/// Checks that the path is inside, then does it: the mistake that the boundary must not make.
pub fn check_then<T>(
    ws: &Path,
    path: &str,
    act: impl FnOnce(&Path) -> io::Result<T>,
) -> io::Result<T> {
    let path = ws.join(path);
    let parent = path.parent().unwrap().canonicalize()?;
    if !parent.starts_with(ws) {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    act(&path)
}
