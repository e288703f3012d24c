//! Makes names and texts safe to print.
//!
//! A report quotes untrusted text: file names, lines of a design, content. It must not move the cursor, reorder or
//! hide text, or start a line.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex_lite::{Captures, Regex};

use crate::path::is_hostile;
pub(super) use crate::path::text_on_one_line as text;

/// The maximum length of a message, a label or a line of help.
const MESSAGE_CHARS: usize = 2000;

/// A line of a file: every character keeps its column, so that marks below it stay aligned. A tab becomes a blank.
pub(super) fn line(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '\t' => ' ',
            c if is_hostile(c) => '\u{fffd}',
            c => c,
        })
        .collect()
}

/// The first `max` characters; `…` replaces the last one if more follow.
pub(super) fn clip(text: &str, max: usize) -> Cow<'_, str> {
    let Some((end, _)) = text.char_indices().nth(max) else {
        return Cow::Borrowed(text);
    };
    let kept = text[..end].chars().count().saturating_sub(1);
    Cow::Owned(text.chars().take(kept).chain(['…']).collect())
}

/// A sentence on one line, cut at [`MESSAGE_CHARS`].
pub(super) fn message(sentence: &str) -> String {
    clip(&text(sentence), MESSAGE_CHARS).into_owned()
}

/// Text inside an element or a quoted attribute of HTML or XML.
pub(super) fn markup(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

/// Breaks CI commands in a log: `::error::` at the start of a line (GitHub), and `##[error]`, `##vso[…]` and
/// `##teamcity[…]` anywhere (GitHub, Azure, TeamCity).
pub(super) fn commands(text: String) -> String {
    let text = brackets(text, "\\u{5b}");
    if !text.lines().any(starts_command) {
        return text;
    }
    let mut out = String::with_capacity(text.len() + 16);
    for line in text.split_inclusive('\n') {
        if starts_command(line) {
            let rest = line.trim_start();
            out.push_str(&line[..line.len() - rest.len()]);
            out.push_str("\\u{3a}");
            out.push_str(&rest[1..]);
        } else {
            out.push_str(line);
        }
    }
    out
}

/// GitHub's runner ignores blanks before the colons.
fn starts_command(line: &str) -> bool {
    line.trim_start().starts_with("::")
}

/// Replaces the bracket of `##[`, `##vso[` and the like by `instead`.
pub(super) fn brackets(text: String, instead: &str) -> String {
    static COMMAND: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(##[A-Za-z]*)\[").ok());
    match &*COMMAND {
        Some(command) if text.contains("##") => command
            .replace_all(&text, |found: &Captures<'_>| {
                format!("{}{instead}", &found[1])
            })
            .into_owned(),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::path::escaped;

    #[test]
    fn an_escaped_name_passes_through_text_unchanged() {
        let shown = escaped(b"a\x1b\\b\xff").to_string();
        assert_eq!(text(&shown), shown);
    }

    #[test]
    fn a_line_keeps_its_number_of_characters() {
        let source = "| \u{1b}]0;x\u{7}\u{202e}\t`a` |";
        let shown = line(source);
        assert_eq!(shown, "| \u{fffd}]0;x\u{fffd}\u{fffd} `a` |");
        assert_eq!(shown.chars().count(), source.chars().count());
    }

    #[test]
    fn clip_counts_characters_and_marks_the_cut() {
        assert_eq!(clip("äöü", 3), "äöü");
        assert_eq!(clip("äöüß", 3), "äö…");
    }

    #[test]
    fn ci_commands_are_defused() {
        for (text, safe) in [
            ("::error::x\n", "\\u{3a}:error::x\n"),
            ("a\n  ::add-mask::x\nb", "a\n  \\u{3a}:add-mask::x\nb"),
            ("see ##[error]x", "see ##\\u{5b}error]x"),
            ("a ###vso[x]", "a ###vso\\u{5b}x]"),
            ("##teamcity[a] ##[b]", "##teamcity\\u{5b}a] ##\\u{5b}b]"),
        ] {
            assert_eq!(commands(text.to_owned()), safe);
        }
    }

    #[test]
    fn text_that_only_resembles_a_command_is_kept() {
        for text in ["a::b::c", "src/[id].ts ## [x] #[a]", "## vso [x]\n"] {
            assert_eq!(commands(text.to_owned()), text);
        }
    }

    #[test]
    fn ordinary_non_english_text_is_not_escaped() {
        assert!(!"naïve 文件 файл ملف 👍".contains(is_hostile));
    }
}
