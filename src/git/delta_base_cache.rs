//! Cache of pack delta bases: without it guard would unpack each object of a long delta chain again for every object
//! that builds on it.

use std::collections::HashMap;
use std::mem;

use gix::objs::Kind;
use gix::odb::pack::cache::DecodeEntry;

/// A pack and the offset in it.
type PackOffset = (u32, u64);

/// Recently used objects, within a limit: when the young generation reaches half the limit, it becomes the old one.
pub(super) struct DeltaBaseCache {
    /// The limit, in bytes of content.
    limit: usize,
    /// The size of the young generation.
    used: usize,
    young: HashMap<PackOffset, DeltaBase>,
    old: HashMap<PackOffset, DeltaBase>,
}

struct DeltaBase {
    kind: Kind,
    packed_size: usize,
    content: Vec<u8>,
}

impl DeltaBaseCache {
    /// A cache of at most `limit` bytes of content.
    pub(super) fn new(limit: usize) -> DeltaBaseCache {
        DeltaBaseCache {
            limit,
            used: 0,
            young: HashMap::new(),
            old: HashMap::new(),
        }
    }

    fn keep(&mut self, place: PackOffset, base: DeltaBase) {
        let size = base.content.len();
        if size > self.limit / 2 {
            return;
        }
        if self.used + size > self.limit / 2 {
            self.old = mem::take(&mut self.young);
            self.used = 0;
        }
        self.used += size;
        if let Some(before) = self.young.insert(place, base) {
            self.used -= before.content.len();
        }
    }
}

impl DecodeEntry for DeltaBaseCache {
    fn put(&mut self, pack: u32, offset: u64, content: &[u8], kind: Kind, packed_size: usize) {
        let base = DeltaBase {
            kind,
            packed_size,
            content: content.to_vec(),
        };
        self.keep((pack, offset), base);
    }

    fn get(&mut self, pack: u32, offset: u64, out: &mut Vec<u8>) -> Option<(Kind, usize)> {
        let place = (pack, offset);
        if let Some(base) = self.old.remove(&place) {
            self.keep(place, base);
        }
        let base = self.young.get(&place)?;
        out.clear();
        out.extend_from_slice(&base.content);
        Some((base.kind, base.packed_size))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(cache: &mut DeltaBaseCache, offset: u64) -> bool {
        cache.get(0, offset, &mut Vec::new()).is_some()
    }

    #[test]
    fn what_was_kept_comes_back_whole() {
        let mut cache = DeltaBaseCache::new(100);
        cache.put(1, 12, b"content", Kind::Tree, 5);
        let mut out = b"before".to_vec();
        assert_eq!(cache.get(1, 12, &mut out), Some((Kind::Tree, 5)));
        assert_eq!(out, b"content");
        assert_eq!(cache.get(2, 12, &mut out), None);
    }

    #[test]
    fn what_is_used_stays_and_the_limit_holds() {
        let mut cache = DeltaBaseCache::new(100);
        for offset in 0..50 {
            cache.put(0, offset, &[0; 10], Kind::Blob, 1);
            assert!(holds(&mut cache, 0), "used every time, after {offset}");
            let all = cache.young.values().chain(cache.old.values());
            assert!(all.map(|base| base.content.len()).sum::<usize>() <= 100);
        }
        assert!(!holds(&mut cache, 20));
        cache.put(0, 99, &[0; 51], Kind::Blob, 1);
        assert!(!holds(&mut cache, 99), "too large to keep");
    }
}
