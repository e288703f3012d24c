//! Prints untrusted names and texts safely, and quotes names for commands to paste.

use std::borrow::Cow;
use std::fmt::{self, Write as _};

use super::chars;
use super::platform::Platform;
use crate::finding::json::short_escape;

/// A name that is safe to print on a terminal, in a log or on a page; see [`escaped`].
#[derive(Debug, Clone, Copy)]
pub struct Escaped<'a> {
    name: &'a [u8],
    platform: Platform,
}

/// The name unchanged if that is harmless. Otherwise in double quotes, like git: `\n` and the like, `\"`, `\\`, three
/// octal digits for other control bytes and invalid UTF-8; and `\u{202e}` for bidirectional, invisible and look-alike
/// characters and unusual blanks.
///
/// Control characters, line ends and bidirectional controls are never printed raw, and different names never look the
/// same. On Windows a backslash separates names, so a path that has nothing else to escape is shown as users write it.
pub fn escaped<T: AsRef<[u8]> + ?Sized>(name: &T) -> Escaped<'_> {
    Escaped {
        name: name.as_ref(),
        platform: Platform::HOST,
    }
}

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Most names are letters, digits and a few marks.
        let mut bytes = self.name.iter().peekable();
        if bytes.peek().is_some()
            && bytes.all(|byte| matches!(byte, b'!' | b'#'..=b'[' | b']'..=b'~'))
        {
            return f.write_str(&String::from_utf8_lossy(self.name));
        }
        let mut out = String::with_capacity(self.name.len() + 2);
        if self.platform == Platform::Windows && self.name.contains(&b'\\') {
            let mut changed = false;
            for part in self.name.split(|&byte| byte == b'\\') {
                changed |= escape(part, &mut out)?;
            }
            if !changed && !self.name.starts_with(b" ") && !self.name.ends_with(b" ") {
                return f.write_str(&String::from_utf8_lossy(self.name));
            }
            out.clear();
        }
        let changed = escape(self.name, &mut out)?;
        // Quotes also show blanks at the ends of a name.
        if changed || out.is_empty() || out.starts_with(' ') || out.ends_with(' ') {
            write!(f, "\"{out}\"")
        } else {
            f.write_str(&out)
        }
    }
}

/// The names with commas between them.
pub fn escaped_list(names: impl IntoIterator<Item = impl AsRef<[u8]>>) -> String {
    let names = names.into_iter().map(|name| escaped(&name).to_string());
    names.collect::<Vec<_>>().join(", ")
}

/// The first `most` of several names, and how many others there are.
pub fn listed(names: impl ExactSizeIterator<Item = String>, most: usize) -> String {
    let more = names.len().saturating_sub(most);
    let shown = names.take(most).collect::<Vec<_>>().join(", ");
    match more {
        0 => shown,
        _ => format!("{shown} and {more} more"),
    }
}

/// One line of text with names already escaped: remaining hostile characters become `\u{1b}`. Idempotent.
pub fn text_on_one_line(text: &str) -> Cow<'_, str> {
    if !text.contains(chars::is_hostile) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if chars::is_hostile(c) {
            out.extend(c.escape_unicode())
        } else {
            out.push(c)
        }
    }
    out.into()
}

/// Writes the name with escapes and returns whether there were any.
fn escape(name: &[u8], out: &mut String) -> Result<bool, fmt::Error> {
    let mut changed = false;
    for chunk in name.utf8_chunks() {
        let mut previous = None;
        let mut rest = chunk.valid().chars();
        while let Some(c) = rest.next() {
            let is_escaped = if let Some(letter) = short_escape(c) {
                out.extend(['\\', letter]);
                true
            } else if c.is_ascii_control() {
                write!(out, "\\{:03o}", u32::from(c))?;
                true
            } else if is_misleading(previous, c, rest.clone().next()) {
                out.extend(c.escape_unicode());
                true
            } else {
                out.push(c);
                false
            };
            changed |= is_escaped;
            previous = Some(c);
        }
        for byte in chunk.invalid() {
            write!(out, "\\{byte:03o}")?;
            changed = true;
        }
    }
    Ok(changed)
}

/// Whether a reader could overlook or confuse the character.
fn is_misleading(previous: Option<char>, c: char, next: Option<char>) -> bool {
    if c.is_ascii() {
        return false;
    }
    // Between letters or emoji a joiner changes the drawing; next to ASCII it is only hidden.
    let between_wide = previous.is_some_and(|before| !before.is_ascii())
        && next.is_some_and(|after| !after.is_ascii());
    chars::fault(c).is_some()
        || chars::as_ascii_dots(c).is_some()
        || c.is_whitespace()
        || (chars::is_joiner(c) && !between_wide)
        || (chars::is_emoji_selector(c) && !chars::takes_emoji_selector(previous))
}

/// The name as one word for a POSIX shell, single-quoted if needed.
pub fn shell_word(name: &[u8]) -> String {
    let text = String::from_utf8_lossy(name);
    let is_plain = name
        .iter()
        .all(|byte| byte.is_ascii_alphanumeric() || b"/._-+@%:,=".contains(byte));
    if is_plain && !name.is_empty() {
        return text.into_owned();
    }
    single_quoted(&text)
}

/// The text as one word for a POSIX shell, always single-quoted, so that no word of the shell's own is among them.
pub fn single_quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn harmless_names_are_left_as_they_are() {
        for name in [
            "src/a.py",
            "a b/(x)/[id].tsx",
            "naïve/日本語/ノ.md",
            "cafe\u{301}.py",
            "a'b$`",
            "👩\u{200d}💻.md",
            "می\u{200c}خواهم.md",
            "❤\u{fe0f}.md",
            "-rf",
        ] {
            assert_eq!(escaped(name).to_string(), name);
        }
    }

    #[test]
    fn a_list_names_the_first_ones_and_counts_the_others() {
        let names = ["a", "b", "c"].map(str::to_owned);
        assert_eq!(listed(names.clone().into_iter(), 3), "a, b, c");
        assert_eq!(listed(names.into_iter(), 1), "a and 2 more");
    }

    #[test]
    fn control_bytes_quotes_and_backslashes_are_quoted_as_git_does() {
        for (name, shown) in [
            (&b"a\nb"[..], r#""a\nb""#),
            (b"a\tb\r", r#""a\tb\r""#),
            (b"a\x1b[2Kb", r#""a\033[2Kb""#),
            (b"a\x7f", r#""a\177""#),
            (b"a\"b", r#""a\"b""#),
            (b"a\\b", r#""a\\b""#),
            (b"a\xff", r#""a\377""#),
            (b"\xc0\xae", r#""\300\256""#),
            (b"", r#""""#),
            (b" a", r#"" a""#),
            (b"a ", r#""a ""#),
        ] {
            let platform = Platform::Unix;
            assert_eq!(Escaped { name, platform }.to_string(), shown);
        }
    }

    #[test]
    fn windows_paths_are_shown_as_users_write_them() {
        for (name, shown) in [
            (r"C:\w\src\a.py", r"C:\w\src\a.py"),
            (r"C:\naïve dir\a.py", r"C:\naïve dir\a.py"),
            (r"\\server\share\a", r"\\server\share\a"),
            ("a\\b\n", r#""a\\b\n""#),
            (r"a\b ", r#""a\\b ""#),
            (r"a\u{202e}", r"a\u{202e}"),
            ("a\u{202e}", r#""a\u{202e}""#),
        ] {
            let platform = Platform::Windows;
            let escaped = Escaped {
                name: name.as_bytes(),
                platform,
            };
            assert_eq!(escaped.to_string(), shown);
        }
    }

    #[test]
    fn characters_that_mislead_are_spelled_out() {
        for (name, shown) in [
            ("a\u{202e}yp.b", r#""a\u{202e}yp.b""#),
            ("a\u{200b}", r#""a\u{200b}""#),
            (
                "\u{ff0e}\u{2025}\u{ff0f}x",
                r#""\u{ff0e}\u{2025}\u{ff0f}x""#,
            ),
            ("a\u{85}\u{2028}", r#""a\u{85}\u{2028}""#),
            (".git\u{200d}", r#"".git\u{200d}""#),
            ("日\u{200d}a", r#""日\u{200d}a""#),
            ("a\u{200d}日", r#""a\u{200d}日""#),
            ("a\u{fe0f}", r#""a\u{fe0f}""#),
            ("a\u{a0}b", r#""a\u{a0}b""#),
        ] {
            assert_eq!(escaped(name).to_string(), shown);
        }
    }

    #[test]
    fn an_escape_and_the_same_characters_spelled_literally_stay_apart() {
        assert_ne!(
            escaped("a\u{202e}").to_string(),
            escaped(r"a\u{202e}").to_string()
        );
    }

    #[test]
    fn a_text_is_shown_on_one_line_without_hostile_characters() {
        for (text, shown) in [
            ("plain \"text\" あ", "plain \"text\" あ"),
            ("a\nb\u{1b}[2J", "a\\u{a}b\\u{1b}[2J"),
            ("a\u{202e}b", "a\\u{202e}b"),
        ] {
            assert_eq!(text_on_one_line(text), shown);
            assert_eq!(text_on_one_line(shown), shown);
        }
    }

    #[test]
    fn dangerous_characters_are_never_printed_raw() {
        for c in '\0'..=char::MAX {
            let shown = escaped(&format!("a{c}b")).to_string();
            assert!(
                shown.chars().all(|c| chars::fault(c).is_none()),
                "U+{:04X}",
                u32::from(c)
            );
        }
    }
}

#[cfg(test)]
mod shell_tests {
    use super::shell_word;

    #[test]
    fn only_words_that_a_shell_would_change_are_quoted() {
        for (name, word) in [
            ("docs/lld/LLD-188.md", "docs/lld/LLD-188.md"),
            ("a b.md", "'a b.md'"),
            ("$(x).md", "'$(x).md'"),
            ("it's.md", "'it'\\''s.md'"),
            ("", "''"),
        ] {
            assert_eq!(shell_word(name.as_bytes()), word);
        }
    }
}
