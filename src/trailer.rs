//! Trailers in commit messages: placed as `git interpret-trailers` does, and read from the last paragraph.

use gix::bstr::{BString, ByteSlice};

/// The trailer that names a design.
pub const DESIGN: &str = "Guard-Design";

/// The prefix of all guard trailers, in any case.
const PREFIX: &[u8] = b"Guard-";

/// The line after which `git commit --verbose` shows a diff, without the comment character.
const SCISSORS: &[u8] = b" ------------------------ >8 ------------------------\n";

/// Lines by which git recognises a trailer block with other text in it.
const OF_GIT: [&[u8]; 2] = [b"Signed-off-by: ", b"(cherry picked from commit "];

/// A commit message that a hook may complete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    text: BString,
    comment: BString,
}

impl Message {
    /// `comment` starts a comment line: git's `core.commentChar`.
    pub fn new(text: impl Into<BString>, comment: impl Into<BString>) -> Message {
        let mut text = text.into();
        if !text.is_empty() && !text.ends_with(b"\n") {
            text.push(b'\n');
        }
        Message {
            text,
            comment: comment.into(),
        }
    }

    /// The whole text, including comments.
    pub fn as_bytes(&self) -> &[u8] {
        &self.text
    }

    /// The text that would be committed: without comments and outer blank lines.
    pub fn content(&self) -> Vec<u8> {
        let kept = self.text[..self.end()]
            .lines_with_terminator()
            .filter(|line| !line.starts_with(&self.comment));
        kept.collect::<Vec<_>>().concat().trim().to_vec()
    }

    /// Adds `key: value` after the existing trailers, unless it is already there. Returns whether the text changed. A
    /// multi-line value is not a trailer and changes nothing.
    pub fn add(&mut self, key: &str, value: &[u8]) -> bool {
        if value.is_empty() || value.iter().any(u8::is_ascii_control) {
            return false;
        }
        let end = self.end();
        let start = self.block_start(end);
        let line = [key.as_bytes(), b": ", value].concat();
        let same = |present: &[u8]| {
            let present = present.trim_end();
            present.len() == line.len()
                && present[..key.len()].eq_ignore_ascii_case(key.as_bytes())
                && present[key.len()..] == line[key.len()..]
        };
        if self.text[start..end].lines().any(same) {
            return false;
        }
        let mut added = Vec::new();
        if start == end && !ends_with_blank_line(&self.text[..end]) {
            added.push(b'\n');
        }
        added.extend(line);
        added.push(b'\n');
        self.text.splice(end..end, added);
        true
    }

    /// The end of the message: before the scissors, trailing comments and blank lines.
    fn end(&self) -> usize {
        let cut = self.scissors().unwrap_or(self.text.len());
        let mut end = None;
        let mut in_conflicts = false;
        let mut at = 0;
        for line in self.text[..cut].lines_with_terminator() {
            if line.starts_with(&self.comment) || line == b"\n" {
                end = end.or(Some(at));
            } else if line == b"Conflicts:\n" {
                // Old versions of git did not write this list as comments.
                in_conflicts = true;
                end = end.or(Some(at));
            } else if !(in_conflicts && line.starts_with(b"\t")) {
                end = None;
                in_conflicts = false;
            }
            at += line.len();
        }
        end.unwrap_or(cut)
    }

    fn scissors(&self) -> Option<usize> {
        let line = [self.comment.as_slice(), SCISSORS].concat();
        if self.text.starts_with(&line) {
            return Some(0);
        }
        self.text
            .find([b"\n", line.as_slice()].concat())
            .map(|at| at + 1)
    }

    /// The start of the last paragraph if it consists of trailers, otherwise `end`. The first paragraph is the title
    /// and never counts.
    fn block_start(&self, end: usize) -> usize {
        let lines: Vec<&[u8]> = self.text[..end].lines_with_terminator().collect();
        let title = lines
            .iter()
            .position(|line| !line.starts_with(&self.comment) && is_blank(line))
            .unwrap_or(lines.len());
        let mut start = end;
        let (mut trailers, mut others, mut continuations) = (0usize, 0usize, 0usize);
        let (mut of_git, mut only_blank) = (false, true);
        for line in lines[title..].iter().rev() {
            if line.starts_with(&self.comment) {
                others += continuations;
                continuations = 0;
            } else if is_blank(line) {
                if !only_blank {
                    others += continuations;
                    let found = of_git && trailers * 3 >= others || trailers > 0 && others == 0;
                    return if found { start } else { end };
                }
            } else {
                only_blank = false;
                let is_of_git = OF_GIT.iter().any(|prefix| line.starts_with(prefix));
                of_git |= is_of_git;
                if is_of_git || is_trailer(line) {
                    trailers += 1;
                    continuations = 0;
                } else if line[0].is_ascii_whitespace() {
                    continuations += 1;
                } else {
                    others += 1 + continuations;
                    continuations = 0;
                }
            }
            start -= line.len();
        }
        end
    }
}

/// The last paragraph of a message if it contains a guard trailer, otherwise nothing. The subject is never a trailer.
/// Nothing after a NUL counts, because git does not show it.
pub fn of_guard(message: &[u8]) -> &[u8] {
    let end = message.find_byte(0).unwrap_or(message.len());
    let text = message[..end].trim_end();
    let mut start = text.len();
    let mut speaks_of_guard = false;
    for line in text.lines_with_terminator().rev() {
        if is_blank(line) {
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

/// Whether the line is `Key: value`, with a key of letters, digits and `-`.
fn is_trailer(line: &[u8]) -> bool {
    let Some(colon) = line.find_byte(b':') else {
        return false;
    };
    let key = line[..colon].trim_end_with(|c| c == ' ' || c == '\t');
    !key.is_empty()
        && key
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || *byte == b'-')
}

fn is_blank(line: &[u8]) -> bool {
    line.iter().all(u8::is_ascii_whitespace)
}

fn ends_with_blank_line(text: &[u8]) -> bool {
    text.lines().next_back().is_none_or(is_blank)
}

/// The comment character that git chose under `core.commentChar=auto`, from git's notes at the end.
pub fn comment_of(text: &[u8]) -> u8 {
    const CANDIDATES: &[u8] = b"#;@!$%^&|:";
    text.lines()
        .rev()
        .find(|line| !is_blank(line))
        .and_then(|line| line.first().copied())
        .filter(|first| CANDIDATES.contains(first))
        .unwrap_or(b'#')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn added(text: &str) -> String {
        let mut message = Message::new(text, "#");
        message.add(DESIGN, b"docs/a.md");
        String::from_utf8_lossy(message.as_bytes()).into_owned()
    }

    #[test]
    fn a_title_gets_a_blank_line_first() {
        assert_eq!(added("Add a\n"), "Add a\n\nGuard-Design: docs/a.md\n");
        // A title alone is never a trailer, whatever it looks like.
        assert_eq!(added("fix: a"), "fix: a\n\nGuard-Design: docs/a.md\n");
    }

    #[test]
    fn existing_trailers_stay_together() {
        assert_eq!(
            added("Add a\n\nBody.\n\nSigned-off-by: A <a@b>\n"),
            "Add a\n\nBody.\n\nSigned-off-by: A <a@b>\nGuard-Design: docs/a.md\n"
        );
    }

    #[test]
    fn comments_and_the_diff_below_the_scissors_stay_at_the_end() {
        let comments = "\n# Please enter the commit message\n#\n# ------------------------ >8 ------------------------\n# Do not touch\ndiff --git a/x b/x\n+Guard-Design: docs/a.md\n";
        assert_eq!(
            added(&format!("Add a\n{comments}")),
            format!("Add a\n\nGuard-Design: docs/a.md\n{comments}")
        );
    }

    #[test]
    fn the_same_trailer_is_not_added_twice() {
        let once = added("Add a\n");
        assert_eq!(added(&once), once);
        let other = "Add a\n\nGuard-Design: docs/b.md\n";
        assert_eq!(added(other), format!("{other}Guard-Design: docs/a.md\n"));
    }

    #[test]
    fn two_line_value_is_not_a_trailer() {
        let mut message = Message::new("Add a\n", "#");
        assert!(!message.add(DESIGN, b"a.md\nSigned-off-by: A Person <else@x>"));
        assert_eq!(message.as_bytes(), b"Add a\n");
    }

    #[test]
    fn message_content_is_what_git_would_commit() {
        assert_eq!(Message::new("\n# only notes\n", "#").content(), b"");
        assert_eq!(
            Message::new("; note\n# a title\n", ";").content(),
            b"# a title"
        );
        assert_eq!(
            Message::new(
                "# ------------------------ >8 ------------------------\ndiff\n",
                "#"
            )
            .content(),
            b""
        );
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

    #[test]
    fn auto_comment_character_is_that_of_the_last_line() {
        assert_eq!(comment_of(b"# title\n\n; notes of git\n"), b';');
        assert_eq!(comment_of(b"title\n"), b'#');
    }
}
