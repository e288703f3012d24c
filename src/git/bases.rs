//! Objects that packed ones are stored as differences from, kept for a while: without them each object of a long
//! chain would be unpacked once for every object after it.

use std::collections::HashMap;
use std::mem;

use gix::objs::Kind;
use gix::odb::pack::cache::DecodeEntry;

/// The number of a pack, and where in it.
type Place = (u32, u64);

/// What was used lately, within a limit: once the young generation is half as large, it becomes the old one.
pub(super) struct Bases {
    /// In bytes of content.
    limit: usize,
    /// How much of it the young ones have.
    used: usize,
    young: HashMap<Place, Base>,
    old: HashMap<Place, Base>,
}

struct Base {
    kind: Kind,
    packed_size: usize,
    content: Vec<u8>,
}

impl Bases {
    /// For at most `limit` bytes of content.
    pub(super) fn new(limit: usize) -> Bases {
        Bases {
            limit,
            used: 0,
            young: HashMap::new(),
            old: HashMap::new(),
        }
    }

    fn keep(&mut self, place: Place, base: Base) {
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

impl DecodeEntry for Bases {
    fn put(&mut self, pack: u32, offset: u64, content: &[u8], kind: Kind, packed_size: usize) {
        let base = Base {
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

    fn holds(bases: &mut Bases, offset: u64) -> bool {
        bases.get(0, offset, &mut Vec::new()).is_some()
    }

    #[test]
    fn what_was_kept_comes_back_whole() {
        let mut bases = Bases::new(100);
        bases.put(1, 12, b"content", Kind::Tree, 5);
        let mut out = b"before".to_vec();
        assert_eq!(bases.get(1, 12, &mut out), Some((Kind::Tree, 5)));
        assert_eq!(out, b"content");
        assert_eq!(bases.get(2, 12, &mut out), None);
    }

    #[test]
    fn what_is_used_stays_and_the_limit_holds() {
        let mut bases = Bases::new(100);
        for offset in 0..50 {
            bases.put(0, offset, &[0; 10], Kind::Blob, 1);
            assert!(holds(&mut bases, 0), "used every time, after {offset}");
            let all = bases.young.values().chain(bases.old.values());
            assert!(all.map(|base| base.content.len()).sum::<usize>() <= 100);
        }
        assert!(!holds(&mut bases, 20));
        bases.put(0, 99, &[0; 51], Kind::Blob, 1);
        assert!(!holds(&mut bases, 99), "too large to keep");
    }
}
