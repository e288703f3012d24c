//! The files that an entry of the corpus of paths assumes, built in a repository.

use std::path::Path;

use gix::bstr::ByteSlice;

use super::{Repo, system};

/// The corpus assumes a workspace at `/ws`; this one is elsewhere.
pub fn moved(input: &[u8], repo: &Repo) -> Vec<u8> {
    let root = repo.root.as_os_str().as_encoded_bytes();
    let name = repo.root.file_name().unwrap().as_encoded_bytes();
    let mut input = input.replace("../ws", [b"../", name].concat());
    input = input.replace("/proc/self/root/ws", [b"/proc/self/root", root].concat());
    if let Some(rest) = input.strip_prefix(b"/ws") {
        input = [root, rest].concat();
    }
    input = input.replace("/alias", [root, b"-alias"].concat());
    // The limit of a path includes its root, and this root is longer by this much.
    let longer = root.len() - b"/ws".len();
    if input.len() > 4096 - 256 && input.contains(&b'/') {
        input.truncate(input.len() - longer);
        if let Some(last) = input.last_mut().filter(|last| **last == b'/') {
            *last = b'a';
        }
    }
    input
}

/// Builds one line of a layout; `None` if this test cannot.
pub fn build(repo: &Repo, line: &str) -> Option<()> {
    use std::fs;
    if let Some((at, target)) = line.split_once(" => ") {
        let at = repo.path(system::name(moved(at.as_bytes(), repo))?);
        fs::create_dir_all(at.parent()?).unwrap();
        let target = system::name(moved(target.as_bytes(), repo))?;
        system::symlink(target, at).unwrap();
    } else if let Some(name) = line.strip_suffix(" (unix socket)") {
        system::socket(repo.path(name));
    } else if let Some((name, _)) = line.split_once(" (hard link") {
        repo.write("../outside", "x\n");
        fs::hard_link(repo.path("../outside"), repo.path(name)).unwrap();
    } else if let Some(name) = line.strip_suffix(" (character device 1:3)") {
        // Only root may, and not in every container.
        let made = super::run(repo.command("mknod").args([name, "c", "1", "3"]));
        return (made.code == 0).then_some(());
    } else if let Some(name) = line.strip_suffix("/ (submodule)") {
        repo.git(&["init", "--quiet", "--template=", name]);
        let commit = ["commit", "--quiet", "--allow-empty", "-m", "Begin"];
        repo.git(&[&["-C", name], &commit[..]].concat());
        repo.git(&["-c", "advice.addEmbeddedRepo=false", "add", name]);
    } else if line.contains(" (") || line.contains(" is a symlink to ") {
        return None;
    } else if let Some(directory) = line.strip_suffix('/') {
        fs::create_dir_all(repo.path(directory)).unwrap();
    } else {
        repo.write(line, "x\n");
    }
    Some(())
}

/// Whether an absolute path is beside the repository in the system's temporary directory, where agents may write.
pub fn is_scratch(path: &str, repo: &Repo) -> bool {
    let path = Path::new(path);
    path.starts_with(std::env::temp_dir()) && !path.starts_with(&repo.root)
}
