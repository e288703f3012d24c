//! Quotes names for commands to paste.

/// The name as one word for a POSIX shell, single-quoted if needed.
pub fn shell_word(name: &[u8]) -> String {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"/._-+@%:,=".contains(byte);
    let text = String::from_utf8_lossy(name);
    if !name.is_empty() && name.iter().all(plain) {
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
