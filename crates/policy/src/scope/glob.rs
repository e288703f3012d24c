//! Globs of a design: `*`, `**` and `{a,b}`; all other characters are literal.

use std::ops::Range;

use bstr::{BStr, BString, ByteSlice};
use regex_lite::Regex;

/// The maximum length of a pattern, in bytes.
const MAX_LEN: usize = 1_024;

/// The maximum number of paths that braces may stand for, and their length together.
const MAX_EXPANDED: usize = 256;
const MAX_EXPANDED_LEN: usize = 16 * MAX_LEN;

/// Stands at the ends of an alternative, so that its stars do not join those beside it. No byte is this character.
const MARK: &str = "\u{100}";

/// Why a pattern is refused.
pub type GlobFault = &'static str;

const TOO_LONG: GlobFault = "the pattern has more than 1,024 bytes, or more than 256 alternatives; split it into several \
                             rows";

/// A compiled pattern.
///
/// `*` matches any bytes but `/`, or none. `**` matches any bytes; as a whole segment with its slash (`**/`,
/// `a/**/b`) it also matches nothing, so `a/**/b` matches `a/b`. `{a,b}` stands for both paths; without a comma or a
/// closing brace it is literal. `?`, `[`, `(`, `$` and `\` are literal. Matching is by bytes, case-sensitive, and takes
/// at most the length of the path times that of all alternatives.
#[derive(Debug, Clone)]
pub struct Glob {
    /// The bytes with which every match begins and ends, for a quick look.
    ends: [Vec<u8>; 2],
    /// Matches the bytes of a path, each as the character of that number.
    regex: Regex,
}

impl Glob {
    /// Compiles a pattern.
    ///
    /// # Errors
    ///
    /// A pattern that is too long or stands for too many paths.
    pub fn new(pattern: &BStr) -> Result<Glob, GlobFault> {
        if pattern.len() > MAX_LEN {
            return Err(TOO_LONG);
        }
        let alternatives = expand(&characters(pattern), MARK).ok_or(TOO_LONG)?;
        let alternatives: Vec<String> = alternatives.iter().map(|one| translate(one)).collect();
        let regex = Regex::new(&format!("(?s)^(?:{})$", alternatives.join("|")));
        let special = pattern.iter().rposition(|byte| b"*{},".contains(byte));
        let end = &pattern[special.map_or(0, |at| at + 1)..];
        // The slash behind `**` may match nothing.
        let end = end.strip_prefix(b"/").unwrap_or(end);
        Ok(Glob {
            ends: [literal_prefix(pattern).to_vec(), end.to_vec()],
            regex: regex.map_err(|_| TOO_LONG)?,
        })
    }

    /// Whether the whole path matches.
    pub fn matches(&self, path: &BStr) -> bool {
        let [start, end] = &self.ends;
        path.starts_with(start) && path.ends_with(end) && self.regex.is_match(&characters(path))
    }
}

/// The character of the number of each byte: regular expressions read text, and a path may be any bytes.
pub(super) fn characters(bytes: &BStr) -> String {
    bytes.iter().map(|&byte| char::from(byte)).collect()
}

/// The bytes of such characters.
pub(super) fn bytes_of(characters: &str) -> BString {
    characters.chars().map(|one| one as u8).collect()
}

/// A pattern without alternatives as a regular expression.
fn translate(pattern: &str) -> String {
    pattern
        .split_inclusive('/')
        .map(|segment| match segment.trim_start_matches('*') {
            "/" if segment.len() > 2 => "(?:.*/)?".to_owned(),
            _ => {
                let escaped = regex_lite::escape(segment);
                let stars = escaped.replace(r"\*\*", ".*").replace(r"\*", "[^/]*");
                stars.replace(MARK, "")
            }
        })
        .collect()
}

/// Whether a path is a pattern: it has a `*`, or braces with alternatives.
pub fn is_glob(path: &BStr) -> bool {
    path.contains(&b'*') || group(&characters(path)).is_some()
}

/// The literal start of a pattern: the bytes before the first `*` or brace.
fn literal_prefix(pattern: &BStr) -> &[u8] {
    let special = pattern.find_byteset("*{");
    &pattern[..special.unwrap_or(pattern.len())]
}

/// The directory above all matches of a pattern; empty for the root.
pub fn directory_above(pattern: &BStr) -> &BStr {
    let literal = literal_prefix(pattern);
    let slash = literal.rfind_byte(b'/').unwrap_or(0);
    literal[..slash].into()
}

/// The paths that the braces of a pattern stand for, with `mark` behind each alternative and between stars; `None` if
/// there are too many. Braces without alternatives are literal.
pub(crate) fn expand(pattern: &str, mark: &str) -> Option<Vec<String>> {
    if pattern.matches('{').count() > MAX_EXPANDED {
        return None;
    }
    let Some((at, parts, end)) = group(pattern) else {
        return Some(vec![pattern.to_owned()]);
    };
    let before = &pattern[..at];
    let behind = &pattern[end..];
    let start = if before.ends_with('*') { mark } else { "" };
    let mut expanded = Vec::new();
    for part in parts {
        let one = [before, start, &pattern[part], mark, behind].concat();
        expanded.extend(expand(&one, mark)?);
        let len: usize = expanded.iter().map(String::len).sum();
        if expanded.len() > MAX_EXPANDED || len > MAX_EXPANDED_LEN {
            return None;
        }
    }
    Some(expanded)
}

/// The first brace group with alternatives: its place, the alternatives, and its end.
fn group(pattern: &str) -> Option<(usize, Vec<Range<usize>>, usize)> {
    let mut opened = pattern.match_indices('{').map(|(at, _)| at);
    opened.find_map(|open| {
        let mut parts = Vec::new();
        let mut start = open + 1;
        let mut depth = 0_usize;
        for (at, byte) in pattern.bytes().enumerate().skip(open) {
            match byte {
                b'{' => depth += 1,
                b',' if depth == 1 => {
                    parts.push(start..at);
                    start = at + 1;
                }
                b'}' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                parts.push(start..at);
                return (parts.len() > 1).then_some((open, parts, at + 1));
            }
        }
        None
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use bstr::ByteSlice;

    use super::*;

    fn matches(pattern: &str, path: &str) -> bool {
        Glob::new(pattern.into()).unwrap().matches(path.into())
    }

    fn check(pattern: &str, yes: &[&str], no: &[&str]) {
        for path in yes {
            assert!(matches(pattern, path), "{pattern} should match {path}");
        }
        for path in no {
            assert!(!matches(pattern, path), "{pattern} should not match {path}");
        }
    }

    #[test]
    fn as_many_braces_as_alternatives_are_read() {
        let most = "{".repeat(MAX_EXPANDED);
        assert_eq!(expand(&most, ""), Some(vec![most.clone()]));
        assert_eq!(expand(&format!("{most}{{"), ""), None);
    }

    #[test]
    fn a_star_stays_within_a_segment() {
        check(
            "src/*.rs",
            &["src/a.rs", "src/.rs", "src/.a.rs", "src/a.b.rs"],
            &["src/a/b.rs", "src/a.rs.bak", "lib/src/a.rs", "src/a.rS"],
        );
        check("a/*/c", &["a/b/c"], &["a/c", "a/b/b/c"]);
        check(
            "test_*_*.py",
            &["test_a_b.py", "test___.py"],
            &["test_a.py"],
        );
    }

    #[test]
    fn two_stars_cross_segments() {
        check("docs/**", &["docs/a", "docs/a/b.md"], &["docs", "docsx/a"]);
        check("a/**/b", &["a/b", "a/x/b", "a/x/y/b"], &["a/xb", "ab"]);
        check("**/b.py", &["b.py", "a/b.py", "a/c/b.py"], &["ab.py"]);
        check("a/**/*.py", &["a/x.py", "a/b/x.py"], &["a/x.pyc"]);
        check("a**z", &["az", "a/b/z"], &["a/b"]);
        check("a/***", &["a/b/c"], &["a"]);
    }

    #[test]
    fn braces_match_either_and_nest() {
        check("a.{js,ts}", &["a.js", "a.ts"], &["a.j", "a.", "a.js,ts"]);
        check("{a,b{c,d}}/x", &["a/x", "bc/x", "bd/x"], &["b/x", "ac/x"]);
        check("{,x}y", &["y", "xy"], &["x"]);
        check("*{*,b}{*,c}d", &["xd", "bcd"], &["x/d"]);
        check("{**/,}a*", &["a", "b/ab"], &["b"]);
        check("src/{a,b/**}/c", &["src/a/c", "src/b/x/c"], &["src/b/c"]);
    }

    #[test]
    fn everything_else_is_literal() {
        check("app/[id]/*.tsx", &["app/[id]/p.tsx"], &["app/i/p.tsx"]);
        check("(g)/$u?/*", &["(g)/$u?/a"], &["(g)/$ux/a"]);
        check("{a}*", &["{a}b"], &["ab"]);
        check("{a,b*", &["{a,bc"], &["a", "bc"]);
        check("a},b*", &["a},bc"], &["a"]);
        check("a\\*", &["a\\b"], &["a*"]);
        check("é*\u{301}", &["éx\u{301}"], &["e\u{301}x\u{301}"]);
    }

    #[test]
    fn patterns_are_distinguished_from_paths() {
        for pattern in ["a*", "**", "{a,b}", "x/{a,{b}}"] {
            assert!(is_glob(pattern.into()), "{pattern}");
        }
        for path in ["a", "[id]", "{a}", "{a,b", "a?", "{{a}}"] {
            assert!(!is_glob(path.into()), "{path}");
        }
    }

    #[test]
    fn not_utf8_matches_by_bytes() {
        let glob = Glob::new(b"a*\xff".as_bstr()).unwrap();
        assert!(glob.matches(b"a\xfe\xff".as_bstr()));
        assert!(!glob.matches(b"a\xff\xfe".as_bstr()));
    }

    #[test]
    fn many_stars_take_linear_time() {
        // A backtracking matcher would need more steps than there are atoms.
        let path = format!("{}/b", "a".repeat(1_000));
        assert!(!matches(&format!("{}b", "a*".repeat(300)), &path));
        assert!(!matches(&format!("{}b", "**a".repeat(300)), &path));
        assert!(!matches(&format!("{}b", "{a,*,a*}".repeat(5)), &path));
    }

    #[test]
    fn patterns_beyond_the_bounds_are_refused() {
        let is_refused = |pattern: String| Glob::new(pattern.as_str().into()).is_err();
        for (pattern, more) in [("a".repeat(1_024), "a"), ("{a,b}".repeat(8), "{a,b}")] {
            assert!(!is_refused(pattern.clone()), "{pattern}");
            assert!(is_refused(pattern + more));
        }
        let long = |count: usize| format!("{{{}a}}{}", "a,".repeat(count), "a".repeat(900));
        assert!(!is_refused(long(15)) && is_refused(long(20)));
    }
}
