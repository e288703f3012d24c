//! A process that keeps swapping a directory and a link that leads outside, and a program that checks before it opens
//! and therefore loses the race.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use super::system::{self, symlink};

/// Content that exists only outside.
pub const SECRET: &[u8] = b"secret";

/// Makes the outside and the link to it.
pub fn put_outside(ws: &Path, out: &Path) {
    fs::create_dir(out).unwrap();
    fs::write(out.join("secret"), SECRET).unwrap();
    symlink("../out", ws.join("l")).unwrap();
}

/// Runs `work` while `d` and `l` in `ws` are swapped; at the end, both are in their original places.
pub fn exchanging<T>(ws: &Path, work: impl FnOnce() -> T) -> T {
    let stop = AtomicBool::new(false);
    let (d, l) = (ws.join("d"), ws.join("l"));
    let exchange = || system::exchange(&d, &l);
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

/// Asserts that only the secret is outside, unchanged.
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
