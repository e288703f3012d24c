//! The labelled hostile and harmless paths.

use std::path::Path;

use gix::bstr::ByteSlice;
use serde_json::Value;

use super::Repo;

/// The entries of fixtures/paths/hostile.json.
pub fn entries() -> Vec<Value> {
    serde_json::from_str(include_str!("../../fixtures/paths/hostile.json")).unwrap()
}

/// Whether an absolute path is beside the repository in the system's temporary directory, where agents may write.
pub fn is_scratch(path: &str, repo: &Repo) -> bool {
    let path = Path::new(path);
    path.starts_with(std::env::temp_dir()) && !path.starts_with(&repo.root)
}

/// A string of an entry.
pub fn text<'a>(entry: &'a Value, key: &str) -> &'a str {
    entry[key].as_str().unwrap()
}

/// The input: a string, or `{"bytes_hex": "61ff"}`.
pub fn input(entry: &Value) -> Vec<u8> {
    let input = &entry["input"];
    if let Some(text) = input.as_str() {
        return text.as_bytes().to_vec();
    }
    let hex = text(input, "bytes_hex");
    (0..hex.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap())
        .collect()
}

/// The existing files, one per line.
pub fn given(entry: &Value) -> impl Iterator<Item = &str> {
    let lines = entry["given"].as_array().into_iter().flatten();
    lines.filter_map(Value::as_str)
}

/// `"a"`, `["a", "b"]` or `{"kind": …, "path": …}` of a cell as pairs of kind and path.
pub fn parsed_as(entry: &Value) -> Vec<(String, String)> {
    let one = |value: &Value| match value {
        Value::String(path) => ("file".to_owned(), path.clone()),
        other => (
            text(other, "kind").to_owned(),
            text(other, "path").to_owned(),
        ),
    };
    match &entry["parsed_as"] {
        Value::Array(all) => all.iter().map(one).collect(),
        other => vec![one(other)],
    }
}

/// A design whose only row has this cell: a Rename row if the cell has an arrow between two paths, else Modify.
pub fn design_with(cell: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(cell);
    let kind = if text.contains(" -> ") || text.contains('→') {
        "Rename"
    } else {
        "Modify"
    };
    let mut out = b"# LLD-188\n\n## 2.1 Files Changed\n\n| File | Change Type | Description |\n|---|---|---|\n| ".to_vec();
    out.extend_from_slice(cell);
    out.extend_from_slice(format!(" | {kind} | why |\n").as_bytes());
    out
}

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
#[cfg(unix)]
pub fn build(repo: &Repo, line: &str) -> Option<()> {
    use std::fs;
    use std::os::unix::ffi::OsStringExt;
    if let Some((at, target)) = line.split_once(" => ") {
        let at = repo.path(std::ffi::OsString::from_vec(moved(at.as_bytes(), repo)));
        fs::create_dir_all(at.parent()?).unwrap();
        let target = std::ffi::OsString::from_vec(moved(target.as_bytes(), repo));
        std::os::unix::fs::symlink(target, at).unwrap();
    } else if let Some(name) = line.strip_suffix(" (unix socket)") {
        std::os::unix::net::UnixListener::bind(repo.path(name)).unwrap();
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
