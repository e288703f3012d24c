//! Words: how a text is split into them, and how a closed list of phrases is searched for.

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

/// Whether joined words contain one of the phrases as whole words. A phrase in a script without blanks between words
/// may stand anywhere.
pub(super) fn contain_phrase(joined: &str, phrases: &[&str]) -> bool {
    let padded = format!(" {joined} ");
    phrases.iter().any(|phrase| {
        if phrase.is_ascii() {
            padded.contains(&format!(" {phrase} "))
        } else {
            padded.contains(phrase)
        }
    })
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
        assert!(contain_phrase("do not touch", &["do not"]));
        assert!(!contain_phrase("undo nothing", &["do not"]));
        assert!(contain_phrase("这里不修改", &["不修改"]));
    }
}
