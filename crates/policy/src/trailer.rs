//! Trailers in commit messages, read from the last paragraph and from those that a squash puts before it. `git
//! interpret-trailers` writes them.

use bstr::ByteSlice;

/// The trailer that names a design.
pub const DESIGN: &str = "Guard-Design";

/// The prefix of all guard trailers, in any case.
const PREFIX: &[u8] = b"Guard-";

/// The line after which `git commit --verbose` shows a diff, without the comment character.
const SCISSORS: &[u8] = b" ------------------------ >8 ------------------------\n";

/// The longest text that git could be told to begin comments with, for what is found in a message.
const LONGEST_COMMENT: usize = 16;

/// What starts a comment line by the message itself: what stands before the scissors. Where there are none, nothing tells.
pub fn comment_of(message: &[u8]) -> Option<&[u8]> {
    let mut before = message.lines_with_terminator().filter_map(|line| {
        let before = line.strip_suffix(SCISSORS)?;
        (1..=LONGEST_COMMENT)
            .contains(&before.len())
            .then_some(before)
    });
    before.next()
}

/// The text that git would commit: without comments, outer blank lines and the diff; `comment` starts a comment line.
pub fn content(message: &[u8], comment: &[u8]) -> Vec<u8> {
    let scissors = [comment, SCISSORS].concat();
    let lines = message.lines_with_terminator();
    let lines = lines.take_while(|line| *line != scissors);
    let kept: Vec<&[u8]> = lines.filter(|line| !line.starts_with(comment)).collect();
    kept.concat().trim().to_vec()
}

/// The paragraphs of a message that are blocks of trailers and contain one of guard: the last one, and each one that
/// consists of trailers alone, since a squash puts the messages of its commits behind each other, sometimes indented. The
/// subject is never a trailer. Nothing after a NUL counts, because git does not show it.
pub fn of_guard(message: &[u8]) -> Vec<u8> {
    let end = message.find_byte(0).unwrap_or(message.len());
    let lines: Vec<&[u8]> = message[..end].trim_end().lines_with_terminator().collect();
    let paragraphs = lines.split(|line| line.trim_ascii().is_empty());
    let mut paragraphs: Vec<&[&[u8]]> = paragraphs.filter(|block| !block.is_empty()).collect();
    let last = paragraphs.pop().filter(|_| !paragraphs.is_empty());
    let mut blocks = Vec::new();
    let others = paragraphs.into_iter().skip(1);
    for block in others.filter(|block| is_block(block)).chain(last) {
        if block.iter().any(|line| speaks_of_guard(line)) {
            for line in block {
                blocks.extend_from_slice(line.trim_ascii());
                blocks.push(b'\n');
            }
        }
    }
    blocks
}

fn speaks_of_guard(line: &[u8]) -> bool {
    let prefix = line.trim_ascii_start().get(..PREFIX.len());
    prefix.is_some_and(|prefix| prefix.eq_ignore_ascii_case(PREFIX))
}

/// Whether each line is a trailer, or the mark that `git cherry-pick -x` leaves between them.
fn is_block(lines: &[&[u8]]) -> bool {
    lines.iter().all(|line| {
        let line = line.trim_ascii();
        is_trailer(line) || line.starts_with(b"(cherry picked from commit ")
    })
}

/// Whether the line has a colon behind a token of letters, digits and hyphens, as git defines a trailer.
fn is_trailer(line: &[u8]) -> bool {
    let Some((token, _)) = line.split_once_str(":") else {
        return false;
    };
    let token = token.trim_ascii_end();
    !token.is_empty()
        && token
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || *byte == b'-')
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
    fn the_scissors_tell_what_starts_a_comment() {
        let cut = "------------------------ >8 ------------------------\n";
        for (message, expected) in [
            (format!("Add a\n; x\n; {cut}; Do not\n"), Some(";")),
            (format!("Add a\n// {cut}diff\n"), Some("//")),
            (format!("Add a\n {cut}"), None),
            ("Add a\n# no\n".to_owned(), None),
        ] {
            let found = comment_of(message.as_bytes());
            assert_eq!(found.map(|found| found.to_str_lossy()).as_deref(), expected);
        }
    }

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
    fn trailers_stand_in_the_last_paragraph_or_in_blocks_of_their_own() {
        for (message, expected) in [
            ("Subject\n\nGuard-Design: a.md\n", &["a.md"][..]),
            (
                "Subject\n\nText.\n\nguard-design:b.md\nGuard-Design: c.md\nSigned-off-by: X <x>\n\n",
                &["b.md", "c.md"],
            ),
            ("Subject\r\n\r\nGuard-Design: a.md\r\n", &["a.md"]),
            ("Guard-Design: a.md", &[]),
            ("Subject\nGuard-Design: a.md", &[]),
            ("Subject\n\nGuard-Design: a.md\n\nThe end.", &["a.md"]),
            (
                "Subject\n\nSee:\nGuard-Design: a.md and b.md\n\nThe end.",
                &["a.md and b.md"],
            ),
            ("Subject\n\nAs in\nGuard-Design: a.md\n\nThe end.", &[]),
            (
                "Work (#12)\n\n* one\n\nCo-Authored-By: B <b@x>\nGuard-Design: a.md\n\n* two\n\nGuard-Design: b.md\n\n---------\n\nCo-authored-by: B <b@x>\n",
                &["a.md", "b.md"],
            ),
            (
                "Squashed commit of the following:\n\ncommit 1\nAuthor: A <a@x>\n\n    one\n    \n    Guard-Design: a.md\n\ncommit 2\n\n    two\n",
                &["a.md"],
            ),
            (
                "Subject\n\nGuard-Design: a.md\n(cherry picked from commit 1)\n\n# Conflicts:\n",
                &["a.md"],
            ),
            ("Subject\n\nGuard-Design:\nGuard-Designs: a.md", &[]),
            ("", &[]),
            ("Subject\n\0\n\nGuard-Design: a.md\n", &[]),
            ("Subject\n\nGuard-Design: a.md\n\0\n\nText\n", &["a.md"]),
        ] {
            let trailers = of_guard(message.as_bytes());
            let found: Vec<&str> = values(&trailers, DESIGN)
                .map(|value| value.to_str().unwrap_or("not UTF-8"))
                .collect();
            assert_eq!(found, expected, "{message:?}");
        }
    }
}
