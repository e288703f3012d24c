//! Adds text to a text, keeping its line endings, byte order mark and final newline; and replaces unique parts of one, all
//! or none.

use gix::bstr::{BStr, ByteSlice};
use serde::Deserialize;

use super::failure::{Failure, FailureKind, GateResult};
use super::line_endings::{PlainLines, ending_of, plain, with_endings_of};
use write_guard_policy::path::{escaped, listed};

const BOM: &[u8] = b"\xef\xbb\xbf";

/// The byte order mark of a text, if it has one, and the rest.
pub(super) fn split_mark(text: &[u8]) -> (&[u8], &[u8]) {
    text.split_at(if text.starts_with(BOM) { BOM.len() } else { 0 })
}

/// Inserts `content` before a line of `old`, or after the last one.
pub(super) fn join(
    path: &BStr,
    old: &[u8],
    content: &[u8],
    before_line: Option<usize>,
) -> GateResult<Vec<u8>> {
    let (mark, text) = split_mark(old);
    let mut lines: Vec<&[u8]> = text.lines_with_terminator().collect();
    let count = lines.len();
    let at = match before_line {
        None => count,
        Some(line) if (1..=count + 1).contains(&line) => line - 1,
        Some(line) => {
            let message = format!("{} has no line {line} to insert before", escaped(path));
            return Err(Failure::new(FailureKind::NoSuchLine, message)
                .help(format!("give a line from 1 to {}", count + 1))
                .detail("lines", count));
        }
    };
    if old.is_empty() {
        return Ok(content.to_vec());
    }
    let (_, content) = split_mark(content);
    if text.is_empty() {
        return Ok([mark, content].concat());
    }
    let ending = ending_of(text);
    let added = content.replace("\r\n", "\n").replace("\n", ending);
    if added.is_empty() {
        return Ok(old.to_vec());
    }
    let ends = text.ends_with(b"\n");
    lines.insert(at, &added);
    let mut result = mark.to_vec();
    for line in &lines {
        // Only the last line of the file and of the content may lack a line ending.
        if result.len() > mark.len() && !result.ends_with(b"\n") {
            result.extend_from_slice(ending);
        }
        result.extend_from_slice(line);
    }
    if ends && !result.ends_with(b"\n") {
        result.extend_from_slice(ending);
    } else if !ends && result.ends_with(b"\n") {
        result.truncate(result.len() - ending.len());
    }
    Ok(result)
}

/// The result of `extend`; each entry names one definition, import or statement.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Extension {
    /// What was added.
    pub added: Vec<String>,
    /// What differs between file and content, and stays unchanged.
    pub kept: Vec<String>,
    /// What the content has but `extend` does not add: statements without a name, and unused imports.
    pub left_out: Vec<String>,
}

impl Extension {
    /// Each entry after the name of its list.
    pub fn lines(&self) -> Vec<String> {
        let lists = [
            ("added", &self.added),
            ("kept", &self.kept),
            ("left out", &self.left_out),
        ];
        let lines = lists.into_iter().flat_map(|(list, names)| {
            names
                .iter()
                .map(move |name| format!("  {list}: {}", escaped(name)))
        });
        lines.collect()
    }
}

/// One replacement, also in a list of edits.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Edit {
    /// The search text; never empty.
    pub search: String,
    /// The replacement, taken literally.
    pub replace: String,
    /// Whether to replace every occurrence; otherwise there must be exactly one.
    #[serde(skip)]
    pub every: bool,
}

/// The number of lines of matches to list in an error.
const LISTED: usize = 10;
/// The number of matches to count.
const MOST: usize = 1000;

/// Applies the edits in order, each to the previous result. Line endings do not count when a text is looked for, and new
/// lines end as those that they replace.
///
/// # Errors
/// There is no edit. Or
/// An edit matches nowhere or several times (overlaps count). With more than one edit, the message contains its
/// number, from 1.
pub fn apply(content: &[u8], edits: &[Edit]) -> Result<Vec<u8>, Failure> {
    if edits.is_empty() {
        let why = "the list of edits is empty";
        return Err(
            Failure::new(FailureKind::CannotJudge, why).help("give at least one text to replace")
        );
    }
    let mut content = content.to_vec();
    for (at, edit) in edits.iter().enumerate() {
        let which = match edits.len() {
            1 => String::new(),
            all => format!("edit {} of {all}: ", at + 1),
        };
        content = replaced(&content, edit, &which)?;
    }
    Ok(content)
}

/// The content after one edit.
fn replaced(content: &[u8], edit: &Edit, which: &str) -> GateResult<Vec<u8>> {
    let lines = PlainLines::of(content);
    let search = plain(&edit.search);
    let starts: Vec<usize> =
        if edit.every && !search.is_empty() && lines.text().contains_str(&search) {
            lines.text().find_iter(&search).collect()
        } else {
            vec![find_one(lines.text(), search.as_bytes(), which)?]
        };
    let mut result = Vec::with_capacity(content.len());
    let mut end = 0;
    for start in starts {
        let part = lines.in_original(start..start + search.len());
        result.extend_from_slice(&content[end..part.start]);
        end = part.end;
        result.extend_from_slice(&with_endings_of(&edit.replace, &content[part], content));
    }
    result.extend_from_slice(&content[end..]);
    Ok(result)
}

fn find_one(content: &[u8], search: &[u8], which: &str) -> Result<usize, Failure> {
    if search.is_empty() {
        let message = format!("{which}the search text is empty");
        return Err(Failure::new(FailureKind::SearchNotFound, message)
            .help("give the exact text to replace"));
    }
    let matches = positions(content, search);
    match matches.as_slice() {
        [] => {
            let message = format!("{which}the search text is not in the file");
            Err(Failure::new(FailureKind::SearchNotFound, message)
                .help("read the file and copy the text as it is, with its white space"))
        }
        [only] => Ok(*only),
        several => {
            let count = several.len();
            let lines = several
                .iter()
                .map(|at| (content[..*at].find_iter("\n").count() + 1).to_string());
            let lines = listed(lines, LISTED);
            let or_more = if count == MOST { " or more" } else { "" };
            let message =
                format!("{which}the search text occurs {count} times{or_more}: lines {lines}");
            Err(Failure::new(FailureKind::MultipleMatches, message)
                .help("add lines before or after it until it is unique")
                .detail("matches", count))
        }
    }
}

/// The start of each match, including overlaps, up to [`MOST`]: `aa` occurs twice in `aaa`.
fn positions(content: &[u8], search: &[u8]) -> Vec<usize> {
    let mut next = 0;
    let found = std::iter::from_fn(|| {
        let at = next + content.get(next..)?.find(search)?;
        next = at + 1;
        Some(at)
    });
    found.take(MOST).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn edit(search: &str, replace: &str) -> Edit {
        Edit {
            search: search.into(),
            replace: replace.into(),
            every: false,
        }
    }

    fn failed(content: &str, edits: &[Edit]) -> (FailureKind, String) {
        let failure = apply(content.as_bytes(), edits).unwrap_err();
        (failure.kind, failure.message)
    }

    #[test]
    fn ag_04_the_replacement_is_literal_and_the_rest_stays() {
        let result = apply(b"a\r\nhello\nb", &[edit("hello", "cost: $& and $1 \\n")]).unwrap();
        assert_eq!(result.as_bstr(), "a\r\ncost: $& and $1 \\n\nb");
    }

    #[test]
    fn ag_03_no_match_and_several_matches_are_different_errors() {
        assert_eq!(
            failed("abc", &[edit("x", "y")]).0,
            FailureKind::SearchNotFound
        );
        let (kind, message) = failed("a\nb\na\n", &[edit("a", "y")]);
        assert_eq!(kind, FailureKind::MultipleMatches);
        assert_eq!(message, "the search text occurs 2 times: lines 1, 3");
    }

    #[test]
    fn overlapping_matches_count_each() {
        assert_eq!(
            failed("aaa", &[edit("aa", "b")]).0,
            FailureKind::MultipleMatches
        );
    }

    #[test]
    fn a_long_text_that_repeats_itself_is_not_counted_for_ever() {
        let (kind, message) = failed(&"a".repeat(40_000), &[edit(&"a".repeat(20_000), "b")]);
        assert_eq!(kind, FailureKind::MultipleMatches);
        assert!(message.contains("occurs 1000 times or more"), "{message}");
        assert_eq!(positions(b"abaabab", b"aba"), [0, 3]);
    }

    #[test]
    fn jc_118_edits_apply_all_or_none_and_errors_name_the_edit() {
        let (kind, message) = failed("one two", &[edit("one", "1"), edit("three", "3")]);
        assert_eq!(kind, FailureKind::SearchNotFound);
        assert!(message.starts_with("edit 2 of 2: "), "{message}");
    }

    #[test]
    fn later_edits_see_earlier_ones() {
        let result = apply(b"one", &[edit("one", "two"), edit("two", "three")]).unwrap();
        assert_eq!(result.as_bstr(), "three");
    }

    #[test]
    fn an_empty_search_matches_nothing() {
        assert_eq!(
            failed("abc", &[edit("", "y")]).0,
            FailureKind::SearchNotFound
        );
    }
}
