//! Exact, literal, unique replacements; a list applies all or none.

use gix::bstr::ByteSlice;

use super::{Failure, FailureKind};

/// One replacement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The search text; never empty.
    pub search: Vec<u8>,
    /// The replacement, byte for byte.
    pub replace: Vec<u8>,
}

/// The number of lines of matches to list in an error.
const LISTED: usize = 10;

/// Applies the edits in order, each to the previous result.
///
/// # Errors
/// An edit matches nowhere or several times (overlaps count). With more than one edit, the message contains its
/// number, from 1.
pub fn apply(content: &[u8], edits: &[Edit]) -> Result<Vec<u8>, Failure> {
    let mut content = content.to_vec();
    for (at, edit) in edits.iter().enumerate() {
        let which = if edits.len() > 1 {
            format!("edit {} of {}: ", at + 1, edits.len())
        } else {
            String::new()
        };
        let start = find_one(&content, &edit.search, &which)?;
        content.splice(
            start..start + edit.search.len(),
            edit.replace.iter().copied(),
        );
    }
    Ok(content)
}

fn find_one(content: &[u8], search: &[u8], which: &str) -> Result<usize, Failure> {
    if search.is_empty() {
        return Err(Failure::new(
            FailureKind::SearchNotFound,
            format!("{which}the search text is empty"),
        )
        .help("give the exact text to replace"));
    }
    let matches = positions(content, search);
    match matches.as_slice() {
        [] => Err(Failure::new(
            FailureKind::SearchNotFound,
            format!("{which}the search text is not in the file"),
        )
        .help(why_not_found(content, search))),
        [only] => Ok(*only),
        several => {
            let lines: Vec<String> = several
                .iter()
                .take(LISTED)
                .map(|&at| (content[..at].find_iter("\n").count() + 1).to_string())
                .collect();
            let more = several.len().saturating_sub(LISTED);
            let more = if more > 0 {
                format!(" and {more} more")
            } else {
                String::new()
            };
            Err(Failure::new(
                FailureKind::MultipleMatches,
                format!(
                    "{which}the search text occurs {} times: lines {}{more}",
                    several.len(),
                    lines.join(", ")
                ),
            )
            .help("add lines before or after it until it is unique")
            .detail("matches", several.len()))
        }
    }
}

/// The help for a text that is not in the file.
fn why_not_found(content: &[u8], search: &[u8]) -> &'static str {
    let occurs_without = |drop: fn(&u8) -> bool| {
        let kept = |text: &[u8]| -> Vec<u8> {
            let bytes = text.iter().copied();
            bytes.filter(|byte| !drop(byte)).collect()
        };
        kept(content).contains_str(kept(search))
    };
    if occurs_without(|&byte| byte == b'\r') {
        "it would match with the file's line endings (CRLF); read the file and copy the text as it is"
    } else if occurs_without(u8::is_ascii_whitespace) {
        "only whitespace differs; read the file and copy the text as it is"
    } else {
        "read the file again; it may have changed since"
    }
}

/// The start of each match, including overlaps: `aa` occurs twice in `aaa`.
fn positions(content: &[u8], search: &[u8]) -> Vec<usize> {
    let Some(first) = content.find(search) else {
        return Vec::new();
    };
    match content[first + 1..].find(search) {
        None => vec![first],
        Some(_) => overlapping(content, search),
    }
}

/// The same with Knuth-Morris-Pratt: linear even for repetitive text.
fn overlapping(content: &[u8], search: &[u8]) -> Vec<usize> {
    // For each prefix of `search`, the length of its longest proper border.
    let mut borders = vec![0; search.len()];
    let mut matched = 0;
    for at in 1..search.len() {
        while matched > 0 && search[at] != search[matched] {
            matched = borders[matched - 1];
        }
        matched += usize::from(search[at] == search[matched]);
        borders[at] = matched;
    }
    let mut found = Vec::new();
    matched = 0;
    for (at, byte) in content.iter().enumerate() {
        while matched > 0 && search.get(matched) != Some(byte) {
            matched = borders[matched - 1];
        }
        matched += usize::from(search.get(matched) == Some(byte));
        if matched == search.len() {
            found.push(at + 1 - matched);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn edit(search: &str, replace: &str) -> Edit {
        Edit {
            search: search.into(),
            replace: replace.into(),
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
    fn a_long_text_that_repeats_itself_is_counted_in_linear_time() {
        let begin = std::time::Instant::now();
        let (kind, message) = failed(&"a".repeat(400_000), &[edit(&"a".repeat(200_000), "b")]);
        assert_eq!(kind, FailureKind::MultipleMatches);
        assert!(message.contains("occurs 200001 times"), "{message}");
        assert!(begin.elapsed().as_secs() < 20, "{:?}", begin.elapsed());
        assert_eq!(positions(b"abaabab", b"aba"), [0, 3]);
        assert_eq!(positions(b"aabaabaab", b"aab"), [0, 3, 6]);
        assert_eq!(positions(b"ababababc", b"ababc"), [4]);
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
