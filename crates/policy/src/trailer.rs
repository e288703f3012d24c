//! Trailers in commit messages, read from the last paragraph. `git interpret-trailers` writes them.

use bstr::ByteSlice;

/// The trailer that names a design.
pub const DESIGN: &str = "Guard-Design";

/// The prefix of all guard trailers, in any case.
const PREFIX: &[u8] = b"Guard-";

/// The line after which `git commit --verbose` shows a diff, without the comment character.
const SCISSORS: &[u8] = b" ------------------------ >8 ------------------------\n";

/// The text that git would commit: without comments, outer blank lines and the diff; `comment` starts a comment line.
pub fn content(message: &[u8], comment: &[u8]) -> Vec<u8> {
    let scissors = [comment, SCISSORS].concat();
    let lines = message.lines_with_terminator();
    let lines = lines.take_while(|line| *line != scissors);
    let kept: Vec<&[u8]> = lines.filter(|line| !line.starts_with(comment)).collect();
    kept.concat().trim().to_vec()
}

/// The last paragraph of a message if it contains a guard trailer, otherwise nothing. The subject is never a trailer.
/// Nothing after a NUL counts, because git does not show it.
pub fn of_guard(message: &[u8]) -> &[u8] {
    let end = message.find_byte(0).unwrap_or(message.len());
    let text = message[..end].trim_end();
    let mut start = text.len();
    let mut speaks_of_guard = false;
    for line in text.lines_with_terminator().rev() {
        if line.trim_ascii().is_empty() {
            return if speaks_of_guard { &text[start..] } else { b"" };
        }
        let prefix = line.get(..PREFIX.len());
        speaks_of_guard |= prefix.is_some_and(|prefix| prefix.eq_ignore_ascii_case(PREFIX));
        start -= line.len();
    }
    b""
}

/// The values of the trailers `key` (in any case), in order; `trailers` comes from [`of_guard`].
pub fn values<'a>(trailers: &'a [u8], key: &str) -> impl Iterator<Item = &'a [u8]> {
    trailers.lines().filter_map(move |line| {
        let (name, value) = line.split_once_str(":")?;
        let value = value.trim();
        (name.trim_end().eq_ignore_ascii_case(key.as_bytes()) && !value.is_empty()).then_some(value)
    })
}

/// The values of lines `key: value` anywhere in a message: a squash puts trailers in the middle, and git indents
/// them.
pub fn anywhere<'a>(message: &'a [u8], key: &str) -> impl Iterator<Item = &'a [u8]> {
    let lines = message.lines().map(<[u8]>::trim_start);
    lines.flat_map(move |line| values(line, key))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn message_content_is_what_git_would_commit() {
        let cut = "# ------------------------ >8 ------------------------\ndiff\n";
        for (message, comment, expected) in [
            ("\n# only notes\n", "#", ""),
            ("; note\n# a title\n", ";", "# a title"),
            (cut, "#", ""),
            (&format!("Add a\n\n{cut}"), "#", "Add a"),
        ] {
            let content = content(message.as_bytes(), comment.as_bytes());
            assert_eq!(content.as_bstr(), expected, "{message}");
        }
    }

    #[test]
    fn only_the_last_paragraph_has_trailers_to_read() {
        for (message, expected) in [
            ("Subject\n\nGuard-Design: a.md\n", &["a.md"][..]),
            (
                "Subject\n\nText.\n\nguard-design:b.md\nGuard-Design: c.md\nSigned-off-by: X <x>\n\n",
                &["b.md", "c.md"],
            ),
            ("Subject\r\n\r\nGuard-Design: a.md\r\n", &["a.md"]),
            ("Guard-Design: a.md", &[]),
            ("Subject\nGuard-Design: a.md", &[]),
            ("Subject\n\nGuard-Design: a.md\n\nThe end.", &[]),
            ("Subject\n\nGuard-Design:\nGuard-Designs: a.md", &[]),
            ("", &[]),
            ("Subject\n\0\n\nGuard-Design: a.md\n", &[]),
            ("Subject\n\nGuard-Design: a.md\n\0\n\nText\n", &["a.md"]),
        ] {
            let trailers = of_guard(message.as_bytes());
            let found: Vec<&str> = values(trailers, DESIGN)
                .map(|value| value.to_str().unwrap_or("not UTF-8"))
                .collect();
            assert_eq!(found, expected, "{message:?}");
        }
    }
}
