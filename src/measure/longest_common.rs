//! Computes the exact number of kept units or, within limited effort, a lower bound.
//!
//! The longest common subsequence is computed with bit rows (Hyyrö's variant of the algorithm of Crochemore et al.):
//! one row per old token, 64 new tokens per step. A zero bit marks where the subsequence grows.

use std::collections::HashMap;

use gix::diff::blob::Token;

use super::text::{equal_end, equal_start};

/// The maximum steps per token, on both sides together. git's own limit is the square root of their number and at
/// least 256.
const STEPS_PER_TOKEN: usize = 32;
/// So many steps are always allowed, because they take no noticeable time.
const STEPS_AT_LEAST: usize = 1 << 25;
/// Larger inputs are compared in blocks of this many tokens per side.
const BLOCK: usize = 2_048;

/// The number of kept tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Common {
    /// At least this many are kept by the shortest diff.
    pub(super) count: usize,
    /// Whether the number is exact.
    pub(super) is_exact: bool,
    /// The steps used.
    pub(super) steps: usize,
}

/// The number of tokens of `old` that the shortest diff keeps, or a lower bound if that takes too many steps.
pub(super) fn kept(old: &[Token], new: &[Token]) -> Common {
    let steps = STEPS_PER_TOKEN.saturating_mul(old.len() + new.len());
    kept_within(old, new, steps.max(STEPS_AT_LEAST), BLOCK)
}

fn kept_within(mut old: &[Token], mut new: &[Token], limit: usize, block: usize) -> Common {
    let ends = trim(&mut old, &mut new);
    let (old, new) = (common_only(old, new), common_only(new, old));
    let most = old.len().min(new.len());
    let mut steps = 0;
    let exact = if is_subsequence(&old, &new) || is_subsequence(&new, &old) {
        Some(most)
    } else {
        longest_common(&old, &new, limit, &mut steps)
    };
    let count = exact.unwrap_or_else(|| {
        // A block is small enough to need no limit.
        let in_block = |(old, new)| longest_common(old, new, usize::MAX, &mut steps).unwrap_or(0);
        blocks(&old, &new, block).into_iter().map(in_block).sum()
    });
    Common {
        count: ends + count,
        is_exact: exact.is_some() || count == most,
        steps,
    }
}

/// Removes the equal ends; returns their number of tokens.
fn trim(old: &mut &[Token], new: &mut &[Token]) -> usize {
    let head = equal_start(old, new);
    (*old, *new) = (&old[head..], &new[head..]);
    let tail = equal_end(old, new);
    (*old, *new) = (&old[..old.len() - tail], &new[..new.len() - tail]);
    head + tail
}

/// Whether `part` is a subsequence of `whole`; the texts then differ only by added or removed lines.
fn is_subsequence(part: &[Token], whole: &[Token]) -> bool {
    let mut whole = whole.iter();
    part.len() <= whole.len() && part.iter().all(|token| whole.any(|other| other == token))
}

/// The tokens that also occur on the other side.
fn common_only(tokens: &[Token], other: &[Token]) -> Vec<Token> {
    let places = TokenPlaces::of(other);
    let is_common = |token: &&Token| !places.get(**token).is_empty();
    tokens.iter().filter(is_common).copied().collect()
}

/// The positions of each token on one side.
struct TokenPlaces {
    /// For each token, its first index in `places`, plus a final end.
    starts: Vec<usize>,
    places: Vec<usize>,
}

impl TokenPlaces {
    fn of(tokens: &[Token]) -> TokenPlaces {
        let count = tokens.iter().map(|token| token.0 as usize + 1).max();
        let mut starts = vec![0; count.unwrap_or(0) + 1];
        for token in tokens {
            starts[token.0 as usize + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut next = starts.clone();
        let mut places = vec![0; tokens.len()];
        for (place, token) in tokens.iter().enumerate() {
            let slot = &mut next[token.0 as usize];
            places[*slot] = place;
            *slot += 1;
        }
        TokenPlaces { starts, places }
    }

    fn get(&self, token: Token) -> &[usize] {
        let at = token.0 as usize;
        match (self.starts.get(at), self.starts.get(at + 1)) {
            (Some(&start), Some(&end)) => &self.places[start..end],
            _ => &[],
        }
    }
}

/// The length of the longest common subsequence; `None` if it takes more than `limit` steps.
fn longest_common(old: &[Token], new: &[Token], limit: usize, steps: &mut usize) -> Option<usize> {
    let words = new.len().div_ceil(64);
    let places = TokenPlaces::of(new);
    let mut masks: HashMap<u32, Vec<u64>> = HashMap::new();
    let mut row = vec![u64::MAX; words];
    // From here on the row is all ones.
    let mut end = 0;
    for &token in old {
        let places = places.get(token);
        if let Some(last) = places.last() {
            end = end.max(last / 64 + 1);
        }
        if places.len() > end / 8 {
            *steps += end;
            let mask = masks.entry(token.0).or_insert_with(|| mask(places, words));
            let mut carry = false;
            for (bits, &mask) in row[..end].iter_mut().zip(mask.iter()) {
                carry = grow(bits, mask, carry);
            }
        } else {
            *steps += grow_at(&mut row[..end], places);
        }
        if *steps > limit {
            return None;
        }
    }
    let padding = words * 64 - new.len();
    let ones: usize = row.iter().map(|bits| bits.count_ones() as usize).sum();
    // Bits after the end are still ones.
    Some(new.len() - (ones - padding))
}

fn mask(places: &[usize], words: usize) -> Vec<u64> {
    let mut mask = vec![0; words];
    for place in places {
        mask[place / 64] |= 1 << (place % 64);
    }
    mask
}

/// Updates one word of a row, where `mask` has the positions of the token; returns the carry.
fn grow(bits: &mut u64, mask: u64, carry: bool) -> bool {
    let (sum, over) = bits.overflowing_add(*bits & mask);
    let (sum, over_too) = sum.overflowing_add(u64::from(carry));
    *bits = sum | (*bits & !mask);
    over || over_too
}

/// Updates the row for a token with few positions; returns the steps used.
fn grow_at(row: &mut [u64], places: &[usize]) -> usize {
    let mut steps = places.len();
    let mut places = places.iter().peekable();
    let mut at = 0;
    let mut carry = false;
    loop {
        if !carry {
            // Words without the token stay unchanged.
            match places.peek() {
                Some(place) => at = at.max(*place / 64),
                None => return steps,
            }
        }
        let Some(bits) = row.get_mut(at) else {
            return steps;
        };
        let mut mask = 0;
        while let Some(place) = places.next_if(|place| *place / 64 == at) {
            mask |= 1 << (place % 64);
        }
        carry = grow(bits, mask, carry);
        steps += 1;
        at += 1;
    }
}

/// Splits both sides into corresponding parts: at tokens that occur once on both sides in the same order and, where
/// these are too far apart, proportionally.
fn blocks<'a>(old: &'a [Token], new: &'a [Token], size: usize) -> Vec<(&'a [Token], &'a [Token])> {
    let mut blocks = Vec::new();
    let (mut from, mut to) = (0, 0);
    let ends = anchors(old, new)
        .into_iter()
        .chain([(old.len(), new.len())]);
    let mut last = (0, 0);
    for (old_end, new_end) in ends {
        let is_far = old_end - from > size || new_end - to > size;
        if is_far && last != (from, to) {
            blocks.push((&old[from..last.0], &new[to..last.1]));
            (from, to) = last;
        }
        last = (old_end, new_end);
        let (old_length, new_length) = (old_end - from, new_end - to);
        if old_length > size || new_length > size {
            let parts = old_length.max(new_length).div_ceil(size);
            for part in 1..=parts {
                let cut = |length: usize| (length as u128 * part as u128 / parts as u128) as usize;
                let (old_cut, new_cut) = (
                    old_end - old_length + cut(old_length),
                    new_end - new_length + cut(new_length),
                );
                blocks.push((&old[from..old_cut], &new[to..new_cut]));
                (from, to) = (old_cut, new_cut);
            }
        }
    }
    blocks.push((&old[from..], &new[to..]));
    blocks
}

/// The longest list of tokens that occur once on both sides, in the order of both, by position.
fn anchors(old: &[Token], new: &[Token]) -> Vec<(usize, usize)> {
    let (old_places, new_places) = (TokenPlaces::of(old), TokenPlaces::of(new));
    // The last token of each length has the smallest position; each knows its predecessor.
    let mut tails: Vec<usize> = Vec::new();
    let mut pairs: Vec<(usize, usize, Option<usize>)> = Vec::new();
    for (at, &token) in old.iter().enumerate() {
        let ([_], &[there]) = (old_places.get(token), new_places.get(token)) else {
            continue;
        };
        let length = tails.partition_point(|&tail| pairs[tail].1 < there);
        let before = length.checked_sub(1).map(|before| tails[before]);
        pairs.push((at, there, before));
        tails.truncate(tails.len().max(length));
        match tails.get_mut(length) {
            Some(tail) => *tail = pairs.len() - 1,
            None => tails.push(pairs.len() - 1),
        }
    }
    let mut next = tails.last().copied();
    let mut found = Vec::with_capacity(tails.len());
    while let Some(at) = next {
        let (old, new, before) = pairs[at];
        found.push((old, new));
        next = before;
    }
    found.reverse();
    found
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::random::Random;

    impl Random {
        fn tokens(&mut self, count: usize, alphabet: usize) -> Vec<Token> {
            (0..count)
                .map(|_| Token(self.below(alphabet) as u32))
                .collect()
        }
    }

    /// The length of the longest common subsequence, the slow way.
    pub(in crate::measure) fn slowly<T: PartialEq>(old: &[T], new: &[T]) -> usize {
        let mut row = vec![0; new.len() + 1];
        for token in old {
            let mut diagonal = 0;
            for (at, other) in new.iter().enumerate() {
                let above = row[at + 1];
                row[at + 1] = if token == other {
                    diagonal + 1
                } else {
                    above.max(row[at])
                };
                diagonal = above;
            }
        }
        row[new.len()]
    }

    #[test]
    fn within_the_limit_the_count_is_exact_and_beyond_it_never_too_high() {
        let mut dice = Random(0x9e37_79b9_7f4a_7c15);
        for round in 0..600 {
            let alphabet = [1, 2, 10, 300, 5_000][round % 5];
            let (old_size, new_size) = (dice.below(400), dice.below(400));
            let old = dice.tokens(old_size, alphabet);
            let mut new = dice.tokens(new_size, alphabet);
            if round % 3 == 0 {
                new = old.iter().filter(|_| dice.below(4) > 0).copied().collect();
                let at = dice.below(new.len() + 1);
                new.rotate_left(at);
            }
            let exact = slowly(&old, &new);
            let found = kept(&old, &new);
            assert_eq!(
                (found.count, found.is_exact),
                (exact, true),
                "round {round}"
            );
            let bounded = kept_within(&old, &new, dice.below(300), 1 + dice.below(100));
            assert!(bounded.count <= exact, "round {round}");
            assert!(!bounded.is_exact || bounded.count == exact, "round {round}");
        }
    }

    #[test]
    fn effort_is_bounded_for_any_tokens() {
        let mut dice = Random(7);
        let shuffled = |dice: &mut Random, count: usize| {
            let mut tokens: Vec<_> = (0..count as u32).map(Token).collect();
            for at in 1..count {
                tokens.swap(at, dice.below(at + 1));
            }
            tokens
        };
        for alphabet in [2, 10, 1_000, 0] {
            let count = 40_000;
            let (old, new) = match alphabet {
                0 => (shuffled(&mut dice, count), shuffled(&mut dice, count)),
                _ => (dice.tokens(count, alphabet), dice.tokens(count, alphabet)),
            };
            let limit = 16 * 2 * count;
            let found = kept_within(&old, &new, limit, BLOCK);
            // A row may be finished, and then the blocks are compared: a word for 64 tokens of each row.
            let most = limit + 2 * count.div_ceil(64) + count * BLOCK.div_ceil(64) * 2;
            assert!(found.steps <= most, "{alphabet}: {found:?}");
            assert_eq!(found.is_exact, alphabet == 0, "{alphabet}: {found:?}");
        }
    }

    #[test]
    fn blocks_follow_tokens_that_both_sides_have_once() {
        let mut dice = Random(3);
        let mut old: Vec<_> = dice.tokens(3_000, 2);
        for (number, at) in (0..3_000).step_by(50).enumerate() {
            old[at] = Token(2 + number as u32);
        }
        // As many lines of the same kind come first, so that no part is opposite its like.
        let new = [dice.tokens(3_000, 2), old.clone()].concat();
        let found = kept_within(&old, &new, 0, 200);
        assert!(found.count > 2_900, "{found:?}");
    }
}
