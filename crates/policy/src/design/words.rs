//! Words: how a text is split into them, and how a closed list of phrases is searched for.

use std::collections::HashMap;

use regex_lite::Regex;

/// Characters that GitHub does not show: they may stand inside a word that readers see whole.
const INVISIBLE: &[(char, char)] = &[
    ('\u{ad}', '\u{ad}'),
    ('\u{34f}', '\u{34f}'),
    ('\u{61c}', '\u{61c}'),
    ('\u{115f}', '\u{1160}'),
    ('\u{17b4}', '\u{17b5}'),
    ('\u{180b}', '\u{180f}'),
    ('\u{200b}', '\u{200f}'),
    ('\u{202a}', '\u{202e}'),
    ('\u{2060}', '\u{206f}'),
    ('\u{3164}', '\u{3164}'),
    ('\u{fe00}', '\u{fe0f}'),
    ('\u{feff}', '\u{feff}'),
    ('\u{ffa0}', '\u{ffa0}'),
    ('\u{e0000}', '\u{e0fff}'),
];

/// The text as readers see it: without invisible characters, with full-width ones in their usual width, and with a plain
/// apostrophe.
pub(super) fn as_seen(text: &str) -> String {
    if text.is_ascii() {
        return text.to_owned();
    }
    let mut seen = String::with_capacity(text.len());
    for c in text.chars() {
        let is_invisible = INVISIBLE
            .iter()
            .any(|(first, last)| (*first..=*last).contains(&c));
        if is_invisible {
            continue;
        }
        seen.push(match c {
            '’' | '‘' | 'ʼ' | '＇' => '\'',
            '\u{3000}' | '\u{a0}' => ' ',
            // The full-width forms of ASCII, in the same order.
            '\u{ff01}'..='\u{ff5e}' => {
                char::from_u32(c as u32 - 0xff01 + u32::from('!')).unwrap_or(c)
            }
            c => c,
        });
    }
    seen
}

/// The words of a text in lower case. An apostrophe or underscore inside a word belongs to it.
pub(super) fn words(text: &str) -> Vec<String> {
    as_seen(text)
        .to_lowercase()
        .split(|c: char| !c.is_alphanumeric() && !matches!(c, '\'' | '_'))
        .map(|word| word.trim_matches(['\'', '_']))
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

/// The words in lower case, with one blank between them.
pub(super) fn joined(text: &str) -> String {
    words(text).join(" ")
}

/// A closed list of phrases, looked up by their first words: a large design has tens of thousands of remarks.
pub(super) struct Phrases {
    /// Phrases of ASCII words, by their first word; each with its other words.
    by_first: HashMap<&'static str, Vec<Vec<&'static str>>>,
    /// Phrases in scripts that may have no blanks between words.
    unspaced: Vec<&'static str>,
}

impl Phrases {
    pub(super) fn new(phrases: &[&'static str]) -> Phrases {
        let mut by_first: HashMap<&str, Vec<Vec<&str>>> = HashMap::new();
        let mut unspaced = Vec::new();
        for phrase in phrases {
            let mut words = phrase.split(' ');
            match words.next() {
                Some(first) if phrase.is_ascii() => {
                    by_first.entry(first).or_default().push(words.collect());
                }
                _ => unspaced.push(*phrase),
            }
        }
        Phrases { by_first, unspaced }
    }

    /// Whether a text contains one of the phrases as whole words. A phrase in another script than ASCII may stand
    /// anywhere.
    pub(super) fn are_in(&self, said: &[String]) -> bool {
        for (at, word) in said.iter().enumerate() {
            let behind = &said[at + 1..];
            let rests = self.by_first.get(word.as_str()).into_iter().flatten();
            for rest in rests {
                if behind.len() >= rest.len()
                    && rest.iter().zip(behind).all(|(one, two)| one == two)
                {
                    return true;
                }
            }
        }
        if said.iter().all(|word| word.is_ascii()) {
            return false;
        }
        let joined = said.join(" ");
        self.unspaced.iter().any(|phrase| joined.contains(phrase))
    }
}

/// A regular expression of the grammar.
pub(super) fn pattern(text: &str) -> Regex {
    #[expect(
        clippy::expect_used,
        reason = "each pattern is a constant, and tests use them all"
    )]
    Regex::new(text).expect("a valid pattern")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_what_readers_see() {
        assert_eq!(
            words("Don’t __touch__ a_b, Ｘ!"),
            ["don't", "touch", "a_b", "x"]
        );
        assert_eq!(joined("Rej\u{200b}ec\u{ad}ted"), "rejected");
    }

    #[test]
    fn a_phrase_is_found_as_whole_words() {
        let phrases = Phrases::new(&["do not", "never", "不修改", "ne pas modifier", "inchangé"]);
        for text in [
            "do not touch",
            "x DO  NOT",
            "never",
            "这里不修改",
            "c'est inchangé ici",
        ] {
            assert!(phrases.are_in(&words(text)), "{text}");
        }
        for text in ["", "undo nothing", "do", "not do", "nevermore", "修改"] {
            assert!(!phrases.are_in(&words(text)), "{text}");
        }
    }
}
