//! The ignore rules of a work tree in one list, so that they outlive the files that state them.

use std::fs;

use gix::bstr::{BStr, BString, ByteSlice};

use super::CheckpointStore;
use crate::error::Result;
use crate::git::Repository;
use crate::git::work_tree::excludes_file;

/// The name of the files with the rules of a directory.
pub(super) const FILE: &[u8] = b".gitignore";

impl CheckpointStore {
    /// The rules outside the work tree: of the user and of the repository, in rising precedence.
    pub(super) fn outer_rules(&self, repo: &Repository) -> Result<Vec<u8>> {
        let files = [
            excludes_file(repo)?,
            Some(self.common_dir.join("info").join("exclude")),
        ];
        let mut rules = Vec::new();
        for file in files.into_iter().flatten() {
            rules.extend(fs::read(file).unwrap_or_default());
            rules.push(b'\n');
        }
        Ok(rules)
    }

    /// The outer rules, then those of each directory, the deepest last.
    pub(super) fn all_rules(&self, outer: Vec<u8>, files: Vec<BString>) -> Vec<u8> {
        let mut files = files;
        files.sort_by_key(|path| (path.find_iter("/").count(), path.clone()));
        files.dedup();
        let mut rules = outer;
        for file in files {
            let Ok(place) = gix::path::from_bstr(BStr::new(&file)) else {
                continue;
            };
            let place = self.root.join(place);
            // git follows no link here.
            if place.is_symlink() {
                continue;
            }
            let text = fs::read(place).unwrap_or_default();
            let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&text);
            let directory = file
                .rsplit_once_str("/")
                .map_or(&b""[..], |(before, _)| before);
            for line in text.lines() {
                rules.extend(from_root(directory, line));
                rules.push(b'\n');
            }
        }
        rules
    }
}

/// A pattern of a directory, as it reads at the root.
fn from_root(directory: &[u8], line: &[u8]) -> Vec<u8> {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    if directory.is_empty() || line.is_empty() || line.starts_with(b"#") {
        return line.to_owned();
    }
    let (sign, pattern) = match line.strip_prefix(b"!") {
        Some(pattern) => (&b"!/"[..], pattern),
        None => (&b"/"[..], line),
    };
    let mut text = sign.to_owned();
    for &byte in directory {
        if b"*?[\\".contains(&byte) {
            text.push(b'\\');
        }
        text.push(byte);
    }
    let end = pattern.trim_end();
    let is_anchored = end[..end.len().saturating_sub(1)].contains(&b'/');
    text.extend(if is_anchored { &b"/"[..] } else { b"/**/" });
    text.extend(pattern.strip_prefix(b"/").unwrap_or(pattern));
    text
}

#[cfg(test)]
mod tests {
    use super::from_root;

    #[test]
    fn pattern_of_a_directory_reads_the_same_at_the_root() {
        for (directory, line, expected) in [
            ("", "*.o", "*.o"),
            ("a/b", "*.o", "/a/b/**/*.o"),
            ("a", "!keep", "!/a/**/keep"),
            ("a", "/top", "/a/top"),
            ("a", "dir/", "/a/**/dir/"),
            ("a", "x/y", "/a/x/y"),
            ("[a]*", "x\r", "/\\[a]\\*/**/x"),
            ("a", "# a comment", "# a comment"),
            ("a", "", ""),
        ] {
            let found = from_root(directory.as_bytes(), line.as_bytes());
            assert_eq!(String::from_utf8_lossy(&found), expected);
        }
    }
}
