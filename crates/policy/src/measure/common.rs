//! The exact length of a longest common subsequence of two texts, whose units are numbers.
//!
//! One row of the table of lengths is a set of bits: where the length grows by one. A unit of the old text that the new
//! one has in few places moves single bits, so units that occur once cost as little as in a longest increasing
//! subsequence; one that the new text has in many places, such as an empty line, changes 64 places at once.

use std::ops::RangeInclusive;

/// Moving one bit takes as long as changing so many words of a row.
const MOVE: usize = 4;
/// How many words may be changed; that takes a few seconds. 500,000 lines of which every one is like many others need
/// fewer.
const MOST_WORK: usize = 1 << 32;
/// How many words the places of frequent units may take: 64 MiB.
const MOST_PLACES: usize = 8 << 20;

/// The length of a longest common subsequence of two sequences of numbers below `kinds`, of which `least` is a lower
/// bound; `None` if finding it would take too long.
pub(super) fn longest_common(
    old: &[u32],
    new: &[u32],
    kinds: usize,
    least: usize,
) -> Option<usize> {
    // What the other one lacks is in no common subsequence.
    let old = also_in(old, new, kinds);
    let new = also_in(new, &old, kinds);
    let head = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let old = &old[head..];
    let new = &new[head..];
    let ends = old.iter().rev().zip(new.iter().rev());
    let tail = ends.take_while(|(a, b)| a == b).count();
    let old = &old[..old.len() - tail];
    let new = &new[..new.len() - tail];
    let least = least.saturating_sub(head + tail);
    let between = match (old, new) {
        ([], _) | (_, []) => 0,
        _ => Search::new(old, new, kinds, least).run(old)?,
    };
    Some(head + between + tail)
}

/// The units of one sequence that the other one has, too.
fn also_in(one: &[u32], other: &[u32], kinds: usize) -> Vec<u32> {
    let mut is_there = vec![false; kinds];
    for unit in other {
        is_there[*unit as usize] = true;
    }
    let shared = one.iter().copied();
    shared.filter(|unit| is_there[*unit as usize]).collect()
}

/// Where the units of the new sequence are, and which of these places matter.
struct Search {
    /// By unit, where its places begin in `places`.
    starts: Vec<u32>,
    places: Vec<u32>,
    /// How many units of the old and of the new sequence may have no partner.
    unpaired: (usize, usize),
    /// The number of places.
    count: usize,
}

/// What a search takes.
#[derive(Debug, PartialEq, Eq)]
struct Cost {
    /// How many words are changed.
    work: usize,
    /// The units that have many places, in order: moving their bits one by one would take longer than changing a row.
    frequent: Vec<u32>,
}

impl Search {
    fn new(old: &[u32], new: &[u32], kinds: usize, least: usize) -> Search {
        let mut starts = vec![0_u32; kinds + 1];
        for unit in new {
            starts[*unit as usize + 1] += 1;
        }
        for kind in 0..kinds {
            starts[kind + 1] += starts[kind];
        }
        let mut next = starts.clone();
        let mut places = vec![0; new.len()];
        for (place, unit) in (0..).zip(new) {
            let at = &mut next[*unit as usize];
            places[*at as usize] = place;
            *at += 1;
        }
        Search {
            starts,
            places,
            unpaired: (
                old.len().saturating_sub(least),
                new.len().saturating_sub(least),
            ),
            count: new.len(),
        }
    }

    fn places_of(&self, unit: u32) -> &[u32] {
        let unit = unit as usize;
        &self.places[self.starts[unit] as usize..self.starts[unit + 1] as usize]
    }

    /// The places at which the old unit at `at` can have its partner, if at least the known number have one.
    fn reach(&self, at: usize) -> RangeInclusive<usize> {
        let (lost, added) = self.unpaired;
        at.saturating_sub(lost)..=(at + added).min(self.count - 1)
    }

    /// The places of a unit within reach of one at `at` in the old sequence.
    fn places_in_reach(&self, unit: u32, at: usize) -> &[u32] {
        let places = self.places_of(unit);
        let reach = self.reach(at);
        let start = places.partition_point(|place| (*place as usize) < *reach.start());
        let end = places.partition_point(|place| *place as usize <= *reach.end());
        &places[start..end]
    }

    /// The words of a row with the places within reach.
    fn words_in_reach(&self, at: usize) -> RangeInclusive<usize> {
        let reach = self.reach(at);
        reach.start() / 64..=reach.end() / 64
    }

    /// The number of words of a row.
    fn words(&self) -> usize {
        self.count.div_ceil(64)
    }

    fn cost(&self, old: &[u32]) -> Cost {
        let words = self.words();
        let mut work = 0;
        let mut frequent = Vec::new();
        for (at, &unit) in old.iter().enumerate() {
            work += if self.places_of(unit).len() * MOVE >= words {
                frequent.push(unit);
                self.words_in_reach(at).count()
            } else {
                self.places_in_reach(unit, at).len() * MOVE
            };
        }
        frequent.sort_unstable();
        frequent.dedup();
        Cost { work, frequent }
    }

    fn run(&self, old: &[u32]) -> Option<usize> {
        let words = self.words();
        let Cost { work, frequent } = self.cost(old);
        if work > MOST_WORK || frequent.len().saturating_mul(words) > MOST_PLACES {
            return None;
        }
        let mut places_of_frequent = vec![0_u64; frequent.len() * words];
        for (unit, bits) in frequent.iter().zip(places_of_frequent.chunks_mut(words)) {
            for &place in self.places_of(*unit) {
                bits[place as usize / 64] |= 1 << (place % 64);
            }
        }
        let mut row = Row::new(words);
        for (at, &unit) in old.iter().enumerate() {
            match frequent.binary_search(&unit) {
                Ok(known) => {
                    let places = &places_of_frequent[known * words..];
                    row.meet_all(places, self.words_in_reach(at));
                }
                Err(_) => {
                    for &place in self.places_in_reach(unit, at).iter().rev() {
                        row.meet(place as usize);
                    }
                }
            }
        }
        Some(row.length())
    }
}

/// The bits of a word of 64 places behind that of one place.
fn bits_behind(place: usize) -> u64 {
    !1 << (place % 64)
}

/// One row of the table of lengths.
struct Row {
    /// A bit per place of the new sequence: whether the length grows there.
    grows: Vec<u64>,
    /// A bit per word of them: whether any may be set.
    any: Vec<u64>,
}

impl Row {
    fn new(words: usize) -> Row {
        Row {
            grows: vec![0; words],
            any: vec![0; words.div_ceil(64)],
        }
    }

    /// The unit has a partner at this place: the length grows here instead of at the next place where it does. Of
    /// several places, the last goes first.
    fn meet(&mut self, place: usize) {
        let word = place / 64;
        let bit = 1_u64 << (place % 64);
        if self.grows[word] & bit != 0 {
            return;
        }
        let behind = self.grows[word] & bits_behind(place);
        let next = if behind == 0 {
            self.next_word(word)
        } else {
            Some(word)
        };
        if let Some(next) = next {
            let bits = if next == word {
                behind
            } else {
                self.grows[next]
            };
            self.grows[next] &= !(1 << bits.trailing_zeros());
            if self.grows[next] == 0 {
                self.any[next / 64] &= !(1 << (next % 64));
            }
        }
        self.grows[word] |= bit;
        self.any[word / 64] |= 1 << (word % 64);
    }

    /// The first word behind this one with a bit.
    fn next_word(&mut self, word: usize) -> Option<usize> {
        let mut at = word / 64;
        let mut behind = self.any[at] & bits_behind(word);
        loop {
            while behind == 0 {
                at += 1;
                behind = *self.any.get(at)?;
            }
            let found = at * 64 + behind.trailing_zeros() as usize;
            if self.grows.get(found).is_some_and(|bits| *bits != 0) {
                return Some(found);
            }
            behind &= behind - 1;
            self.any[at] &= !(1 << (found % 64));
        }
    }

    /// The unit has a partner at each of `places`. Where the length does not grow is a number in binary; adding the
    /// places to it does in one pass what [`Row::meet`] does one by one.
    fn meet_all(&mut self, places: &[u64], words: RangeInclusive<usize>) {
        self.any[words.start() / 64..=words.end() / 64].fill(u64::MAX);
        let mut carry = false;
        let both = self.grows[words.clone()].iter_mut().zip(&places[words]);
        for (grows, met) in both {
            let level = !*grows;
            let (sum, over) = level.overflowing_add(level & met);
            let (sum, over_too) = sum.overflowing_add(u64::from(carry));
            carry = over || over_too;
            *grows = !(sum | (level & !met));
        }
    }

    fn length(&self) -> usize {
        let bits = self.grows.iter().map(|word| word.count_ones() as usize);
        bits.sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fastrand::Rng;

    /// The same, the slow way.
    fn slowly(old: &[u32], new: &[u32]) -> usize {
        let mut row = vec![0; new.len() + 1];
        for unit in old {
            let mut diagonal = 0;
            for (at, other) in new.iter().enumerate() {
                let above = row[at + 1];
                row[at + 1] = if unit == other {
                    diagonal + 1
                } else {
                    above.max(row[at])
                };
                diagonal = above;
            }
        }
        row[new.len()]
    }

    /// Some units that occur often and some that do not, and an edited version.
    fn pair(dice: &mut Rng, size: usize) -> (Vec<u32>, Vec<u32>, usize) {
        let kinds = [2, 5, 40, 2 * size as u32 + 2][dice.usize(..4)];
        let often = dice.u32(..101);
        let unit = |dice: &mut Rng| {
            if dice.u32(..100) < often {
                dice.u32(..3.min(kinds))
            } else {
                dice.u32(..kinds)
            }
        };
        let length = dice.usize(..=size);
        let old: Vec<u32> = (0..length).map(|_| unit(dice)).collect();
        let rate = [0, 3, 30, 100][dice.usize(..4)];
        let mut new = Vec::new();
        for &one in &old {
            match dice.usize(..100) < rate {
                true if dice.bool() => new.extend([unit(dice), one]),
                true if dice.bool() => {}
                true => new.push(unit(dice)),
                false => new.push(one),
            }
        }
        if dice.u8(..4) == 0 && !new.is_empty() {
            let turn = dice.usize(..new.len());
            new.rotate_left(turn);
        }
        (old, new, kinds as usize)
    }

    #[test]
    fn length_is_that_of_the_slow_way() {
        let mut dice = Rng::with_seed(0x1c5);
        for round in 0..20_000 {
            let size = if round % 100 == 0 { 900 } else { 40 };
            let (old, new, kinds) = pair(&mut dice, size);
            let expected = slowly(&old, &new);
            let told = format!("round {round}: {old:?} {new:?}");
            let found = |least| longest_common(&old, &new, kinds, least);
            assert_eq!(found(0), Some(expected), "{told}");
            let least = dice.usize(..=expected);
            assert_eq!(found(least), Some(expected), "at least {least}, {told}");
        }
    }

    /// The long way takes a minute per core without optimization.
    #[test]
    #[ignore = "slow: .ci/long"]
    fn length_of_long_sequences_is_that_of_the_slow_way() {
        let mut dice = Rng::with_seed(0x1c6);
        for round in 0..200 {
            let (old, new, kinds) = pair(&mut dice, 50_000);
            let expected = slowly(&old, &new);
            assert_eq!(
                longest_common(&old, &new, kinds, 0),
                Some(expected),
                "round {round}"
            );
        }
    }

    /// The partner of an old unit is from 2 places before it to 3 behind.
    fn search() -> Search {
        let new: Vec<u32> = (0..10).chain([3, 3]).collect();
        Search::new(&[0; 11], &new, 10, 9)
    }

    #[test]
    fn a_partner_is_within_the_reach_that_the_known_part_leaves() {
        let search = search();
        let reach = |at| search.reach(at);
        assert_eq!(reach(0), 0..=3);
        assert_eq!(reach(5), 3..=8);
        assert_eq!(reach(10), 8..=11, "no place is behind the last one");
        assert_eq!(search.places_of(3), [3, 10, 11]);
        assert_eq!(search.places_in_reach(3, 0), [3]);
        assert_eq!(search.places_in_reach(3, 5), [3]);
        assert_eq!(search.places_in_reach(3, 6), [0; 0]);
        assert_eq!(search.places_in_reach(3, 7), [10]);
        assert_eq!(search.places_in_reach(3, 8), [10, 11]);
        let new = vec![0; 300];
        let long = Search::new(&[0; 100], &new, 1, 90);
        assert_eq!(long.words(), 5);
        assert_eq!(long.words_in_reach(60), 0..=4);
        assert_eq!(long.words_in_reach(80), 1..=4);
    }

    #[test]
    fn a_unit_with_a_place_in_every_fourth_word_is_frequent() {
        // 300 places are 5 words: two places of a unit are as many as 8 words.
        let mut new: Vec<u32> = (0..300).collect();
        new[299] = 7;
        let search = Search::new(&[5, 7, 7, 9, 400], &new, 401, 0);
        let cost = search.cost(&[5, 7, 7, 9, 400]);
        assert_eq!(
            cost,
            Cost {
                work: 4 + 5 + 5 + 4,
                frequent: vec![7]
            }
        );
    }

    #[test]
    fn the_words_that_are_passed_over_have_no_bit() {
        let mut dice = Rng::with_seed(3);
        let mut row = Row::new(200);
        for _ in 0..3_000 {
            row.meet(dice.usize(..200 * 64));
            if dice.u8(..3) == 0 {
                row.next_word(dice.usize(..200));
            }
        }
        for (word, bits) in row.grows.iter().enumerate() {
            let any = row.any[word / 64] & (1 << (word % 64)) != 0;
            assert_eq!(any, *bits != 0, "{word}");
        }
    }

    #[test]
    fn a_search_notes_the_words_that_it_found_empty() {
        let mut row = Row::new(200);
        row.any.fill(u64::MAX);
        row.grows[150] = 1;
        assert_eq!(row.next_word(3), Some(150));
        for word in 0..200 {
            let any = row.any[word / 64] & (1 << (word % 64)) != 0;
            assert_eq!(any, !(4..150).contains(&word), "{word}");
        }
        assert_eq!(row.next_word(150), None);
    }

    /// 6,000 places have more words than one word has bits.
    #[test]
    fn rare_units_far_apart_have_the_length_of_the_slow_way() {
        let mut dice = Rng::with_seed(0x1c7);
        for _ in 0..3 {
            let mut units = || (0..6_000).map(|_| dice.u32(..6_000)).collect();
            let old: Vec<u32> = units();
            let new: Vec<u32> = units();
            let expected = slowly(&old, &new);
            assert_eq!(longest_common(&old, &new, 6_000, 0), Some(expected));
        }
    }

    #[test]
    fn a_known_part_bounds_the_work() {
        // 600,000 units of two kinds, of which a few differ.
        let mut dice = Rng::with_seed(9);
        let old: Vec<u32> = (0..600_000).map(|_| dice.u32(..2)).collect();
        let mut new = old.clone();
        for at in (1..30).map(|n| n * 20_000) {
            new.remove(at);
        }
        let found = longest_common(&old, &new, 2, old.len() - 60);
        assert_eq!(found, Some(new.len()));
        assert_eq!(longest_common(&old, &new, 2, 0), None);
    }
}
