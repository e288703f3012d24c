//! What several formats share: the order of findings, sentences, paths in addresses, and names and texts that are safe to
//! print.
//!
//! A report quotes untrusted text: file names, lines of a design, content. It must not move the cursor, reorder or
//! hide text, or start a line.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::sync::LazyLock;

use gix::bstr::BStr;
use regex_lite::Regex;

use write_guard_policy::error::Error;
use write_guard_policy::finding::{Anchor, Finding};
pub(super) use write_guard_policy::path::text_on_one_line as text;
use write_guard_policy::path::{escaped, is_hostile};
use write_guard_policy::verdict::Verdict;

/// What a run of guard found.
#[derive(Clone, Copy)]
pub(super) struct RunResult<'a> {
    /// The verdict, or the faults behind the failure.
    pub(super) verdict: &'a Verdict,
    /// Why there is no verdict.
    pub(super) failure: Option<&'a Error>,
}

/// The finding in one sentence that names its path.
pub(super) fn sentence(finding: &Finding) -> String {
    let message = message(&finding.message);
    let path = finding.path.as_ref().map(|path| escaped(path).to_string());
    match path.filter(|path| !message.contains(path)) {
        Some(path) => format!("{path}: {message}"),
        None => message,
    }
}

/// The next steps, one per line, safe to show.
pub(super) fn advice(finding: &Finding) -> Vec<String> {
    let lines = finding.help.iter();
    lines.map(|line| message(line)).collect()
}

/// Why there is no verdict, and what to do, in one line.
pub(super) fn cannot_judge(error: &Error) -> String {
    let lines: Vec<_> = std::iter::once(error.message.as_str())
        .chain(error.help.iter().map(|line| &**line))
        .flat_map(|text| text.lines())
        .map(message)
        .collect();
    format!("guard could not check: {}", lines.join("; "))
}

/// The sentence and the advice of a finding, each on a line of its own.
pub(super) fn in_full(finding: &Finding) -> String {
    let lines: Vec<_> = std::iter::once(sentence(finding))
        .chain(advice(finding))
        .collect();
    lines.join("\n")
}

/// The order of findings in every format: most severe first, then by commit, path, rule and place.
pub(super) fn ordered(findings: &[Finding]) -> Vec<&Finding> {
    fn key(f: &Finding) -> impl Ord + '_ {
        let place = f.design.as_ref().map(|at| (&at.path, at.span.start));
        (
            Reverse(f.level),
            f.commit,
            &f.path,
            f.rule,
            place,
            &f.message,
        )
    }
    let mut findings: Vec<_> = findings.iter().collect();
    findings.sort_by(|a, b| key(a).cmp(&key(b)));
    findings
}

/// `design:line`.
pub(super) fn place(anchor: &Anchor) -> String {
    format!("{}:{}", escaped(&anchor.path), anchor.line)
}

/// `1 change`, `2 changes`.
pub(crate) fn plural(count: usize, word: &str) -> String {
    let s = if count == 1 { "" } else { "s" };
    format!("{count} {word}{s}")
}

/// A time in seconds since 1970, in UTC.
pub(crate) fn rfc3339(seconds: i64) -> String {
    gix::date::Time::new(seconds, 0).format_or_unix(gix::date::time::format::ISO8601_STRICT)
}

/// The counts that are not zero, such as `1 error, 2 notes`.
pub(super) fn remarks(counts: &[(usize, &str)]) -> String {
    let there = counts.iter().filter(|(count, _)| *count > 0);
    let words: Vec<_> = there.map(|(count, word)| plural(*count, word)).collect();
    words.join(", ")
}

/// Rows in aligned columns.
pub(super) fn columns(rows: impl Iterator<Item = Vec<String>>) -> String {
    let rows: Vec<_> = rows.collect();
    let count = rows.first().map_or(0, Vec::len);
    let widths: Vec<_> = (0..count)
        .map(|at| rows.iter().map(|row| row[at].chars().count()).max())
        .collect();
    rows.iter()
        .map(|row| {
            let cells = row.iter().zip(&widths);
            let cells = cells.map(|(cell, width)| format!("  {cell:0$}", width.unwrap_or(0)));
            cells.collect::<String>().trim_end_matches(' ').to_owned() + "\n"
        })
        .collect()
}

/// The path as a relative reference (RFC 3986), percent-encoded except for unreserved characters and `/`.
pub(crate) fn uri(path: &BStr) -> String {
    path.iter()
        .map(|&byte| {
            if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
                char::from(byte).to_string()
            } else {
                format!("%{byte:02X}")
            }
        })
        .collect()
}

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
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace('\'', "&#39;")
}

/// Breaks CI commands in a log: `::error::` at the start of a line (GitHub), and `##[error]`, `##vso[…]` and
/// `##teamcity[…]` anywhere (GitHub, Azure, TeamCity).
///
/// GitHub's runner ignores blanks before the colons.
pub(super) fn commands(text: String) -> String {
    static AT_START: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new("(?m)^([ \\t]*)::").ok());
    let text = brackets(text);
    match &*AT_START {
        Some(command) if text.contains("::") => {
            command.replace_all(&text, "${1}\\u{3a}:").into_owned()
        }
        _ => text,
    }
}

/// Escapes the bracket of `##[`, `##vso[` and the like.
pub(super) fn brackets(text: String) -> String {
    static COMMAND: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(##[A-Za-z]*)\[").ok());
    match &*COMMAND {
        Some(command) if text.contains("##") => {
            command.replace_all(&text, "${1}\\u{5b}").into_owned()
        }
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_becomes_a_relative_reference() {
        assert_eq!(uri("src/a b%[é].rs".into()), "src/a%20b%25%5B%C3%A9%5D.rs");
        assert_eq!(uri("c:/x?y#z".into()), "c%3A/x%3Fy%23z");
    }

    use write_guard_policy::path::escaped;

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
