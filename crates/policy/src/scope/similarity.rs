//! How similar two texts are, to suggest the one that was meant.

use bstr::{BStr, ByteSlice};

/// Texts less similar than this have nothing in common.
const MIN_TEXT: f64 = 0.5;
/// The least similarity of a suggested word: 0 for nothing in common, 1 for equal words.
const MIN_WORD: f64 = 0.75;
/// Longer texts are not compared.
const MAX_NAME: usize = 1_000;

/// The known word most similar to the given one (the last of equals); `None` if none is close.
pub(crate) fn closest_word<'w>(
    given: &str,
    known: impl IntoIterator<Item = &'w str>,
) -> Option<&'w str> {
    known
        .into_iter()
        .map(|word| (strsim::jaro_winkler(given, word), word))
        .filter(|(similarity, _)| *similarity > MIN_WORD)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, word)| word)
}

/// A text in lower case, and which characters it has: a bit for each number modulo 64.
#[derive(Debug, Clone)]
pub(super) struct Folded {
    text: String,
    letters: u64,
}

impl Folded {
    pub(super) fn new(text: &BStr) -> Self {
        let text = text.to_str_lossy().to_lowercase();
        let mut letters = 0;
        for letter in text.chars() {
            letters |= 1 << (u32::from(letter) % 64);
        }
        Self { text, letters }
    }

    /// The most that `similarity` can be, without an alignment: each letter that the other text lacks is an edit.
    pub(super) fn bound(&self, other: &Self) -> f64 {
        let lost = (self.letters & !other.letters).count_ones();
        let added = (other.letters & !self.letters).count_ones();
        let edits = lost.max(added);
        // Not less than the similarity, however both are rounded.
        1.0 + 1e-9 - f64::from(edits) / self.length(other) as f64
    }

    /// The bytes of the longer text; at least 1.
    fn length(&self, other: &Self) -> usize {
        self.text.len().max(other.text.len()).max(1)
    }

    /// 1 minus the share of letters to edit; 0 if that is less than half or less than `least`.
    pub(super) fn similarity(&self, other: &Self, least: f64) -> f64 {
        let least = MIN_TEXT.max(least);
        if self.length(other) > MAX_NAME || self.bound(other) < least {
            return 0.0;
        }
        let similarity = strsim::normalized_levenshtein(&self.text, &other.text);
        if similarity >= MIN_TEXT {
            similarity
        } else {
            0.0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_texts_are_more_similar_than_their_characters_allow() {
        let texts = [
            "",
            "a",
            "A",
            "lld.py",
            "LLD_path.py",
            "index",
            "xedni",
            "dé́jà",
            "DÉJÀ",
            "k",
            "\u{212a}",
            "İstanbul",
            "istanbul",
            "aaaa",
            "aaab",
            "日本語",
            "日本",
        ];
        let mut excluded = 0;
        for (left, right) in texts
            .iter()
            .flat_map(|left| texts.map(|right| (*left, right)))
        {
            let [left, right] = [left, right].map(|text| Folded::new(text.into()));
            let exact = left.similarity(&right, 0.0);
            assert!(left.bound(&right) >= exact, "{} {}", left.text, right.text);
            for least in [exact, 0.7] {
                let found = left.similarity(&right, least);
                assert!(found == exact || found == 0.0 && exact < least);
                excluded += usize::from(found < exact);
            }
        }
        assert!(excluded > 0);
    }

    #[test]
    fn most_similar_word_or_none_is_suggested() {
        let known = ["protect", "protect-tests", "always"];
        assert_eq!(closest_word("protct", known), Some("protect"));
        assert_eq!(closest_word("protect-test", known), Some("protect-tests"));
        assert_eq!(closest_word("zzz", known), None);
        assert_eq!(closest_word("", known), None);
        assert_eq!(closest_word("protect", []), None);
    }
}
