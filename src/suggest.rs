//! Finds the known word closest to a mistyped one.

/// The minimum similarity: 0 for nothing in common, 1 for equal words.
const MIN_SIMILARITY: f64 = 0.75;

/// The known word most similar to the given one (the last of equals); `None` if none is close.
pub(crate) fn closest_word<'w>(
    given: &str,
    known: impl IntoIterator<Item = &'w str>,
) -> Option<&'w str> {
    known
        .into_iter()
        .map(|word| (strsim::jaro_winkler(given, word), word))
        .filter(|(similarity, _)| *similarity > MIN_SIMILARITY)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, word)| word)
}

#[cfg(test)]
mod tests {
    use super::*;

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
