//! Writes git's index and reads directories without git.

use std::fs;
use std::path::Path;

use gix::ObjectId;

use super::system;

/// Mode, object and path of one index entry.
pub type Entry = (u32, ObjectId, Vec<u8>);

/// The entries in the output of `git ls-files -z --stage`.
pub fn parse_listing(listing: &[u8]) -> Vec<Entry> {
    let records = listing.split(|&byte| byte == 0).filter(|r| !r.is_empty());
    records
        .map(|record| {
            let tab = record.iter().position(|&byte| byte == b'\t').unwrap();
            let mut words = record[..tab].split(|&byte| byte == b' ');
            let mode = std::str::from_utf8(words.next().unwrap()).unwrap();
            let mode = u32::from_str_radix(mode, 8).unwrap();
            let id = ObjectId::from_hex(words.next().unwrap()).unwrap();
            (mode, id, record[tab + 1..].to_owned())
        })
        .collect()
}

/// An index of version 2 in git's own layout, with the checksum at its end.
pub fn index_file(entries: &[Entry]) -> Vec<u8> {
    let mut bytes = b"DIRC\0\0\0\x02".to_vec();
    bytes.extend(u32::try_from(entries.len()).unwrap().to_be_bytes());
    for (mode, id, path) in entries {
        let start = bytes.len();
        bytes.extend([0; 24]); // times, device, inode: unknown, so git looks at the file itself
        bytes.extend(mode.to_be_bytes());
        bytes.extend([0; 12]); // owner, group, size
        bytes.extend(id.as_slice());
        bytes.extend(u16::try_from(path.len().min(0xfff)).unwrap().to_be_bytes());
        bytes.extend(path);
        let length = bytes.len() - start;
        bytes.resize(start + (length / 8 + 1) * 8, 0); // one to eight NULs
    }
    let kind = entries
        .first()
        .map_or(gix::hash::Kind::Sha1, |e| e.1.kind());
    let checksum = hash(kind, &bytes);
    bytes.extend(checksum.as_slice());
    bytes
}

/// The checksum at the end of an index.
pub fn checksum(bytes: &[u8]) -> ObjectId {
    hash(gix::hash::Kind::Sha1, bytes)
}

fn hash(kind: gix::hash::Kind, bytes: &[u8]) -> ObjectId {
    let mut hasher = gix::hash::hasher(kind);
    hasher.update(bytes);
    hasher.try_finalize().unwrap()
}

fn digest(root: &Path, directory: &Path, lines: &mut Vec<String>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let meta = fs::symlink_metadata(&path).unwrap();
        let mode = system::mode(&path);
        let content = if meta.is_symlink() {
            fs::read_link(&path)
                .unwrap()
                .as_os_str()
                .as_encoded_bytes()
                .to_vec()
        } else if meta.is_file() {
            fs::read(&path).unwrap()
        } else {
            Vec::new()
        };
        let content = hash(gix::hash::Kind::Sha1, &content);
        let name = path.strip_prefix(root).unwrap();
        let name = if cfg!(windows) {
            system::in_shell(name).into()
        } else {
            name.to_owned()
        };
        lines.push(format!("{mode:06o} {content} {name:?}"));
        if meta.is_dir() {
            digest(root, &path, lines);
        }
    }
}

/// One line per file below `root`: mode, digest of the content, name.
pub fn digest_tree(root: &Path) -> String {
    let mut lines = Vec::new();
    digest(root, root, &mut lines);
    lines.sort();
    lines.join("\n")
}
