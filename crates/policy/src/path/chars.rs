//! Characters that make a name misleading.
//!
//! The tables are short ranges from the Unicode Character Database (version 16), written out where they are used.

use bstr::{BStr, BString};

use super::reason::Reason;

/// The problem of a character anywhere in a path.
///
/// Zero-width joiners are allowed, because Persian and emoji need them; comparisons of names ignore them.
pub(super) fn fault(c: char) -> Option<Reason> {
    match c {
        // Printable ASCII first: nearly all characters.
        ' '..='~' => None,
        '\0' => Some(Reason::Nul),
        // General category Cc, and the line and paragraph separators.
        c if c.is_control() => Some(Reason::ControlChar),
        '\u{2028}' | '\u{2029}' => Some(Reason::ControlChar),
        c if is_bidi_control(c) => Some(Reason::BidiControl),
        c if is_like_slash(c) => Some(Reason::ConfusableSeparator),
        c if is_invisible(c) => Some(Reason::InvisibleChar),
        _ => None,
    }
}

/// Whether a character in running text could mislead a terminal or a reader: controls (including line feed and tab),
/// line separators, bidirectional controls and invisible characters.
pub fn is_hostile(c: char) -> bool {
    !matches!(fault(c), None | Some(Reason::ConfusableSeparator))
}

/// The noun for messages about this problem.
pub(super) fn noun(reason: Reason) -> &'static str {
    match reason {
        Reason::ControlChar => "the control character",
        Reason::BidiControl => "the bidirectional control",
        Reason::ConfusableSeparator => "the path separator look-alike",
        _ => "the invisible character",
    }
}

/// Property `Bidi_Control` (PropList.txt).
fn is_bidi_control(c: char) -> bool {
    matches!(c,
        '\u{061C}' | '\u{200E}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// Property `Default_Ignorable_Code_Point` (DerivedCoreProperties.txt) without joiners, bidirectional controls and
/// emoji variation selectors, but with interlinear annotations and the blank Braille pattern, which are also
/// invisible.
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{00AD}' | '\u{034F}' | '\u{115F}'..='\u{1160}' | '\u{17B4}'..='\u{17B5}'
        | '\u{180B}'..='\u{180F}' | '\u{200B}' | '\u{2060}'..='\u{2065}' | '\u{206A}'..='\u{206F}'
        | '\u{2800}' | '\u{3164}' | '\u{FE00}'..='\u{FE0D}' | '\u{FEFF}' | '\u{FFA0}'
        | '\u{FFF0}'..='\u{FFFB}' | '\u{1BCA0}'..='\u{1BCA3}' | '\u{1D173}'..='\u{1D17A}'
        | '\u{E0000}'..='\u{E0FFF}')
}

/// Symbols that UTS #39 (confusables.txt) or NFKC maps to `/` or `\`. Letters and CJK strokes in that list, such as
/// the katakana no, are common in normal text and allowed.
fn is_like_slash(c: char) -> bool {
    matches!(
        c,
        // /
        '\u{1735}' | '\u{2041}' | '\u{2044}' | '\u{2215}' | '\u{2571}' | '\u{27CB}' | '\u{29F8}'
        | '\u{FF0F}' | '\u{1D23A}'
        // \
        | '\u{2216}' | '\u{2572}' | '\u{27CD}' | '\u{29F5}' | '\u{29F9}' | '\u{FE68}'
        | '\u{FF3C}' | '\u{1D20F}'
    )
}

/// The ASCII dots to which NFKC maps another dot. Such dots are ordinary punctuation, and dangerous only as part of
/// `.`, `..` or `.git`.
pub(super) fn as_ascii_dots(c: char) -> Option<&'static str> {
    match c {
        '\u{2024}' | '\u{FE52}' | '\u{FF0E}' => Some("."),
        '\u{2025}' => Some(".."),
        _ => None,
    }
}

/// ZWNJ and ZWJ: legal, invisible, and ignored by some comparisons.
pub(super) fn is_joiner(c: char) -> bool {
    matches!(c, '\u{200C}' | '\u{200D}')
}

/// VS15 and VS16, which select the text or emoji form.
pub(super) fn is_emoji_selector(c: char) -> bool {
    matches!(c, '\u{FE0E}' | '\u{FE0F}')
}

/// Whether an emoji variation selector may follow: after symbols and keycap bases, but not after ASCII letters or
/// dots, where it would only hide.
pub(super) fn takes_emoji_selector(previous: Option<char>) -> bool {
    previous.is_some_and(|c| !c.is_ascii() || matches!(c, '0'..='9' | '#' | '*'))
}

/// The code points that HFS+ ignores in comparisons (Apple Technical Note 1150, "Unicode Subtleties").
fn is_ignored_by_hfs(c: char) -> bool {
    matches!(c,
        '\u{200C}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{206A}'..='\u{206F}' | '\u{FEFF}')
}

/// The case-folded path: two paths with the same value collide on some file system.
///
/// Approximates Unicode case folding by upper and lower case. Code points that HFS+ ignores are dropped; composed and
/// decomposed forms stay different; invalid UTF-8 is kept.
pub fn fold(path: &BStr) -> BString {
    let mut folded = BString::default();
    fold_into(path, &mut folded);
    folded
}

/// Like [`fold`], but replaces the content of `folded`.
pub fn fold_into(path: &BStr, folded: &mut BString) {
    folded.clear();
    folded.reserve(path.len());
    if path.is_ascii() {
        folded.extend_from_slice(path);
        folded.make_ascii_lowercase();
        return;
    }
    for chunk in path.utf8_chunks() {
        let mut text = String::with_capacity(chunk.valid().len());
        for c in chunk.valid().chars() {
            match c {
                c if is_ignored_by_hfs(c) => {}
                // Its upper case is I, but no file system treats it as i.
                'ı' => text.push(c),
                c => text.extend(c.to_uppercase().flat_map(char::to_lowercase)),
            }
        }
        folded.extend_from_slice(text.as_bytes());
        folded.extend_from_slice(chunk.invalid());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_has_its_reason() {
        for (reason, text) in [
            (Reason::Nul, "\0"),
            (
                Reason::ControlChar,
                "\t\n\r\u{1b}\u{7f}\u{80}\u{85}\u{9b}\u{2028}\u{2029}",
            ),
            (
                Reason::BidiControl,
                "\u{61c}\u{200e}\u{200f}\u{202a}\u{202e}\u{2066}\u{2069}",
            ),
            (
                Reason::InvisibleChar,
                "\u{ad}\u{115f}\u{180e}\u{200b}\u{2060}\u{206e}\u{2800}\u{3164}\u{fe00}\u{feff}\u{ffa0}\u{e0041}\u{e0100}",
            ),
            (
                Reason::ConfusableSeparator,
                "\u{2044}\u{2215}\u{29f8}\u{ff0f}\u{ff3c}\u{fe68}",
            ),
        ] {
            for c in text.chars() {
                assert_eq!(fault(c), Some(reason), "U+{:04X}", u32::from(c));
            }
        }
    }

    #[test]
    fn running_text_may_have_look_alikes_but_nothing_that_controls_or_hides() {
        for c in "a\u{2215}\u{ff0f}あ ".chars() {
            assert!(!is_hostile(c), "U+{:04X}", u32::from(c));
        }
        for c in "\0\n\t\u{1b}\u{2028}\u{202e}\u{200b}".chars() {
            assert!(is_hostile(c), "U+{:04X}", u32::from(c));
        }
    }

    #[test]
    fn messages_name_the_class() {
        for (c, expected) in [
            ('\n', "the control character"),
            ('\u{202e}', "the bidirectional control"),
            ('\u{2215}', "the path separator look-alike"),
            ('\u{200b}', "the invisible character"),
        ] {
            assert_eq!(fault(c).map(noun), Some(expected));
        }
    }

    #[test]
    fn ordinary_writing_has_no_fault() {
        for c in "azAZ09 ~\\/.-_éßжあノ丿語ة\u{301}\u{200c}\u{200d}😀\u{fe0f}…。．".chars()
        {
            assert_eq!(fault(c), None, "U+{:04X}", u32::from(c));
        }
    }

    #[test]
    fn folding_equates_names_that_any_file_system_equates() {
        for (a, b) in [
            ("README", "readme"),
            ("K.py", "\u{212a}.py"),
            ("ΣΊΣΥΦΟΣ", "σίσυφος"),
            ("Straße", "STRASSE"),
            ("a\u{200d}b", "AB"),
        ] {
            assert_eq!(fold(a.into()), fold(b.into()), "{a} {b}");
        }
        for (a, b) in [("a", "b"), ("sınıf", "sinif"), ("é", "e\u{301}")] {
            assert_ne!(fold(a.into()), fold(b.into()), "{a} {b}");
        }
        assert_eq!(fold(b"A\xff\xc9".into()), BString::from(&b"a\xff\xc9"[..]));
    }
}
