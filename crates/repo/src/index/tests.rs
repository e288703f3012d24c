//! The reader against gix's own decoder.

use std::panic::{AssertUnwindSafe, catch_unwind};

use gix::hash::Kind as HashKind;
use gix::index::State as IndexState;
use gix::index::entry::Flags;

use gix::ObjectId;

use super::committed::CachedTrees;
use super::file::EntryCursor;
use super::*;
use fastrand::Rng;

/// An entry to write: path, mode, flags, second flags.
type Given = (Vec<u8>, u32, u16, u16);

/// An extension: name and body.
type GivenExtension<'a> = (&'a [u8; 4], &'a [u8]);

/// Paths as in a source tree, in order, with one in eight entries changed in mode or flags.
fn tree_of(count: usize) -> Vec<Given> {
    let mut entries: Vec<Given> = (0..count)
        .map(|n| {
            let path = format!("dir{:03}/sub{:02}/file-{n:06}.rs", n / 97, n / 13 % 7);
            let (mode, flags, more) = match n % 8 {
                1 => (0o100_755, 0x8000, 0),
                3 => (0o120_000, 0, 0x4000),
                5 => (0o160_000, 0, 0x2000),
                _ => (0o100_644, 0, 0),
            };
            (path.into_bytes(), mode, flags, more)
        })
        .collect();
    entries.sort();
    entries
}

/// An index file. Of version 2, second flags are left out.
fn written(version: u32, entries: &[Given], extensions: &[GivenExtension<'_>]) -> Vec<u8> {
    let mut bytes = b"DIRC".to_vec();
    bytes.extend(version.to_be_bytes());
    bytes.extend(u32::try_from(entries.len()).unwrap().to_be_bytes());
    let mut previous: &[u8] = b"";
    for (n, (path, mode, flags, more)) in entries.iter().enumerate() {
        let start = bytes.len();
        bytes.extend([7; 24]);
        bytes.extend(mode.to_be_bytes());
        bytes.extend([9; 12]);
        let mut id = [0x11; 20];
        id[..8].copy_from_slice(&(n as u64).to_be_bytes());
        bytes.extend(id);
        let extended = version > 2 && *more != 0;
        let length = u16::try_from(path.len().min(0xfff)).unwrap();
        bytes.extend((flags | length | if extended { 0x4000 } else { 0 }).to_be_bytes());
        if extended {
            bytes.extend(more.to_be_bytes());
        }
        if version == 4 {
            let same = previous
                .iter()
                .zip(path)
                .take_while(|(a, b)| a == b)
                .count();
            let dropped = previous.len() - same;
            if dropped >= 0x80 {
                bytes.push(u8::try_from(0x80 | ((dropped >> 7) - 1)).unwrap());
            }
            bytes.push(u8::try_from(dropped & 0x7f).unwrap());
            bytes.extend(&path[same..]);
            bytes.push(0);
        } else {
            bytes.extend(path);
            let length = bytes.len() - start;
            bytes.resize(start + (length / 8 + 1) * 8, 0);
        }
        previous = path;
    }
    for (name, body) in extensions {
        bytes.extend(*name);
        bytes.extend(u32::try_from(body.len()).unwrap().to_be_bytes());
        bytes.extend(*body);
    }
    bytes.extend([0; 20]);
    bytes
}

/// Path, mode, id, stage and whether it is only meant to be added.
type DecodedEntry = (BString, u32, ObjectId, u16, bool);

fn decoded(cursor: &EntryCursor<'_>) -> Option<DecodedEntry> {
    let (path, entry) = cursor.current()?;
    let is_intent = entry.is_intent_to_add;
    Some((
        path.to_owned(),
        entry.mode,
        entry.id,
        entry.stage,
        is_intent,
    ))
}

fn by_guard(bytes: &[u8]) -> IndexRead<Vec<DecodedEntry>> {
    let index = IndexFile::read(Cursor::new(bytes.to_vec()), HashKind::Sha1)?;
    let mut cursor = index.entries()?;
    let mut all = Vec::new();
    while let Some(one) = decoded(&cursor) {
        all.push(one);
        cursor.advance(1)?;
    }
    assert_eq!(all.len(), index.entries().unwrap().left());
    if let Some(cached) = &index.cached_tree {
        CachedTrees::parse(cached, 20)?;
    }
    Ok(all)
}

fn by_gix(bytes: &[u8]) -> Option<Vec<DecodedEntry>> {
    let options = gix::index::decode::Options {
        thread_limit: Some(1),
        ..Default::default()
    };
    let decode = || {
        let modified = IndexState::new(HashKind::Sha1).timestamp();
        IndexState::from_bytes(bytes, modified, HashKind::Sha1, options)
    };
    // Its decoder may panic on damaged bytes.
    let (state, _) = catch_unwind(AssertUnwindSafe(decode)).ok()?.ok()?;
    let entries = state.entries().iter().map(|entry| {
        let is_intent = entry.flags.contains(Flags::INTENT_TO_ADD);
        let stage = u16::try_from(entry.stage_raw()).unwrap();
        let path = entry.path(&state).to_owned();
        (path, entry.mode.bits(), entry.id, stage, is_intent)
    });
    Some(entries.collect())
}

#[test]
fn entries_of_every_version_are_those_that_gix_decodes() {
    let mut long: Vec<Given> = (0..300)
        .map(|n| {
            let path = format!("{}/{n:03}", vec!["a".repeat(n); 13].join("/"));
            (path.into_bytes(), 0o100_644, 0, 0)
        })
        .collect();
    long.sort();
    for version in 2..=4 {
        for count in [0, 1, 2, 255, 256, 257, 5000, 100_000] {
            let bytes = written(version, &tree_of(count), &[]);
            let entries = by_guard(&bytes).unwrap();
            assert_eq!(entries.len(), count);
            assert!(
                Some(entries) == by_gix(&bytes),
                "{version}, {count} entries"
            );
        }
        let bytes = written(version, &long, &[]);
        assert!(
            by_guard(&bytes).ok() == by_gix(&bytes),
            "{version}, long paths"
        );
        assert!(by_gix(&bytes).is_some());
    }
}

#[test]
fn paths_longer_than_their_length_field_can_tell_are_read() {
    for version in 2..=4 {
        for length in [4094, 4095, 4096, 8000] {
            let given = [
                (vec![b'a'; length], 0o100_644, 0, 0),
                (vec![b'b'], 0o100_644, 0, 0),
            ];
            let entries = by_guard(&written(version, &given, &[])).unwrap();
            let lengths: Vec<usize> = entries.iter().map(|entry| entry.0.len()).collect();
            assert_eq!(lengths, [length, 1], "version {version}");
        }
        let given = [(vec![b'a'; 20_000], 0o100_644, 0, 0)];
        let why = by_guard(&written(version, &given, &[])).unwrap_err();
        assert!(why.contains("longer than"), "{why}");
    }
}

#[test]
fn reading_can_begin_at_any_entry() {
    for version in [2, 4] {
        let bytes = written(version, &tree_of(3000), &[]);
        let all = by_guard(&bytes).unwrap();
        let index = IndexFile::read(Cursor::new(bytes), HashKind::Sha1).unwrap();
        let mut random = Rng::with_seed(5);
        for _ in 0..300 {
            let from = random.usize(..3000);
            let steps = random.usize(..3000);
            let mut cursor = index.entries().unwrap();
            cursor.advance(from).unwrap();
            cursor.advance(steps).unwrap();
            assert_eq!(decoded(&cursor).as_ref(), all.get(from + steps));
        }
    }
}

/// A byte flipped, overwritten, removed or inserted, or the end cut off.
fn damage(bytes: &mut Vec<u8>, random: &mut Rng) {
    let at = random.usize(..bytes.len());
    match random.usize(..6) {
        0 => bytes[at] ^= 1 << random.usize(..8),
        1 => bytes[at] = 0xff,
        2 => bytes[at] = 0,
        3 => drop(bytes.remove(at)),
        4 => bytes.insert(at, b'/'),
        _ => bytes.truncate(at.max(1)),
    }
}

#[test]
fn damaged_bytes_give_the_entries_that_gix_decodes_or_an_error() {
    let extension = [
        b"\x0040 2\n".as_slice(),
        &[7; 20],
        b"dir000\x0020 0\n",
        &[8; 20],
        b"dir001\x00-1 0\n",
    ];
    let extension = extension.concat();
    let mut random = Rng::with_seed(0x9e37_79b9_7f4a_7c15);
    let mut read = 0;
    let mut refused = 0;
    for round in 0..10_000_u32 {
        let version = 2 + round % 3;
        let mut bytes = written(version, &tree_of(40), &[(b"TREE", &extension)]);
        for _ in 0..=random.usize(..3) {
            damage(&mut bytes, &mut random);
        }
        match (by_guard(&bytes), by_gix(&bytes)) {
            (Ok(guard), Some(gix)) => {
                assert!(guard == gix, "round {round}");
                read += 1;
            }
            // gix refuses more than git does, such as an extension that it does not need.
            (Ok(_), None) => {}
            (Err(why), _) => {
                assert!(!why.is_empty());
                refused += 1;
            }
        }
    }
    assert!(
        read > 2000 && refused > 2000,
        "{read} read, {refused} refused"
    );
}

#[test]
fn extensions_that_git_does_not_write_are_damage() {
    let entries = tree_of(4);
    let end = u32::try_from(written(2, &entries, &[]).len() - 20).unwrap();
    let table = |blocks: &[(u32, u32)]| {
        let mut table = vec![0, 0, 0, 1];
        for (offset, count) in blocks {
            table.extend(offset.to_be_bytes());
            table.extend(count.to_be_bytes());
        }
        table
    };
    let marker = |offset: u32| [&offset.to_be_bytes()[..], &[0; 20]].concat();
    let half = 12 + (end - 12) / 2;
    let tree = b"\x00-1 0\n".as_slice();
    let cases: [(&[GivenExtension<'_>], &str); 12] = [
        (&[(b"TREE", tree)], ""),
        (&[(b"UNTR", b"anything")], ""),
        (
            &[
                (b"IEOT", &table(&[(12, 2), (half, 2)])),
                (b"EOIE", &marker(end)),
            ],
            "",
        ),
        (&[(b"TREE", tree), (b"TREE", tree)], "two TREE extensions"),
        (&[(b"TREE", b"\x00-1 1\n")], "malformed"),
        (&[(b"TREE", b"\x00+1 0\n01234567890123456789")], "malformed"),
        (&[(b"TREE", b"\x001 0\n01234567890123456789+")], "malformed"),
        (&[(b"TREE", b"\x001 0\n0123")], "malformed"),
        (&[(b"evil", b"")], "does not know its extension evil"),
        (&[(b"EOIE", &marker(end - 8))], "EOIE"),
        (&[(b"IEOT", &table(&[(12, 1), (half, 3)]))], "IEOT"),
        (&[(b"IEOT", &table(&[(12, 2)]))], "IEOT"),
    ];
    for (extensions, why) in cases {
        match by_guard(&written(2, &entries, extensions)) {
            Ok(all) => assert_eq!((all.len(), why), (4, "")),
            Err(error) => assert!(!why.is_empty() && error.contains(why), "{why}: {error}"),
        }
    }
}
