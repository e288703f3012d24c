//! Globs of a design: `*`, `**` and `{a,b}`; all other characters are literal.

use std::ops::Range;

use gix::bstr::BStr;
use regex_lite::Regex;

/// Longer patterns are refused, in bytes.
const MAX_LEN: usize = 1_024;

/// The maximum nesting of braces.
const MAX_DEPTH: usize = 8;

/// The maximum number of paths that braces may stand for.
const MAX_EXPANDED: usize = 256;

/// Why a pattern is refused.
pub type GlobFault = &'static str;

const TOO_LONG: GlobFault = "the pattern has more than 1,024 bytes; split it into several rows";
const TOO_DEEP: GlobFault = "the pattern nests braces more than 8 deep; split it into several rows";

/// A compiled pattern.
///
/// `*` matches any bytes but `/`, or none. `**` matches any bytes; as a whole segment with its slash (`**/`,
/// `a/**/b`) it also matches nothing, so `a/**/b` matches `a/b`. `{a,b}` matches either; without a comma or a closing
/// brace it is literal. `?`, `[`, `(`, `$` and `\` are literal. Matching is by bytes, case-sensitive, and takes at most
/// the length of the path times that of the pattern.
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
    /// A pattern that is too long or too deeply nested.
    pub fn new(pattern: &BStr) -> Result<Glob, GlobFault> {
        if pattern.len() > MAX_LEN {
            return Err(TOO_LONG);
        }
        let mut regex = "(?s)^".to_owned();
        translate(pattern, 0..pattern.len(), true, 0, &mut regex)?;
        regex.push('$');
        let special = pattern.iter().rposition(|byte| b"*{},".contains(byte));
        let end = &pattern[special.map_or(0, |at| at + 1)..];
        // The slash behind `**` may match nothing.
        let end = end.strip_prefix(b"/").unwrap_or(end);
        Ok(Glob {
            ends: [literal_prefix(pattern).to_vec(), end.to_vec()],
            regex: Regex::new(&regex).map_err(|_| TOO_LONG)?,
        })
    }

    /// Whether the whole path matches.
    pub fn matches(&self, path: &BStr) -> bool {
        let [start, end] = &self.ends;
        path.starts_with(start) && path.ends_with(end) && {
            let characters: String = path.iter().map(|&byte| char::from(byte)).collect();
            self.regex.is_match(&characters)
        }
    }
}

/// Appends part of a pattern as a regular expression; `fresh` says that it starts a path segment.
fn translate(
    pattern: &[u8],
    range: Range<usize>,
    mut fresh: bool,
    depth: usize,
    regex: &mut String,
) -> Result<(), GlobFault> {
    if depth > MAX_DEPTH {
        return Err(TOO_DEEP);
    }
    let mut at = range.start;
    while at < range.end {
        let rest = &pattern[at..range.end];
        if let Some((parts, end)) = alternatives(pattern, at..range.end) {
            for (number, part) in parts.into_iter().enumerate() {
                regex.push_str(if number == 0 { "(?:" } else { "|" });
                translate(pattern, part, fresh, depth + 1, regex)?;
            }
            regex.push(')');
            at = end;
        } else {
            let stars = rest.iter().take_while(|&&byte| byte == b'*').count();
            at += stars.max(1);
            match stars {
                0 => regex.push_str(&regex_lite::escape(&char::from(rest[0]).to_string())),
                1 => regex.push_str("[^/]*"),
                _ if fresh && rest.get(stars) == Some(&b'/') => {
                    regex.push_str("(?:.*/)?");
                    at += 1;
                }
                _ => regex.push_str(".*"),
            }
        }
        fresh = pattern[at - 1] == b'/';
    }
    Ok(())
}

/// Whether a path is a pattern: it has a `*`, or braces with alternatives.
pub fn is_glob(path: &BStr) -> bool {
    literal_prefix(path).len() < path.len()
}

/// The literal start of a pattern: the bytes before the first `*` or brace group.
pub(super) fn literal_prefix(pattern: &BStr) -> &[u8] {
    let is_special =
        |&at: &usize| pattern[at] == b'*' || alternatives(pattern, at..pattern.len()).is_some();
    let special = (0..pattern.len()).find(is_special);
    &pattern[..special.unwrap_or(pattern.len())]
}

/// The paths that the braces of a pattern stand for; `None` if there are too many. Braces without alternatives are
/// literal.
pub(crate) fn expand(pattern: &str) -> Option<Vec<String>> {
    if pattern.matches('{').count() > MAX_EXPANDED {
        return None;
    }
    let bytes = pattern.as_bytes();
    let group = |at| Some((at, alternatives(bytes, at..bytes.len())?));
    let Some((at, (parts, end))) = (0..bytes.len()).find_map(group) else {
        return Some(vec![pattern.to_owned()]);
    };
    let mut expanded = Vec::new();
    for part in parts {
        let one = [&pattern[..at], &pattern[part], &pattern[end..]].concat();
        expanded.extend(expand(&one)?);
        if expanded.len() > MAX_EXPANDED {
            return None;
        }
    }
    Some(expanded)
}

/// The alternatives of the brace group at the start of `range`, and its end.
pub(super) fn alternatives(
    pattern: &[u8],
    range: Range<usize>,
) -> Option<(Vec<Range<usize>>, usize)> {
    if pattern.get(range.start) != Some(&b'{') {
        return None;
    }
    let mut parts = Vec::new();
    let mut start = range.start + 1;
    let mut depth = 0_usize;
    for at in range {
        match pattern[at] {
            b'{' => depth += 1,
            b',' if depth == 1 => {
                parts.push(start..at);
                start = at + 1;
            }
            b'}' => {
                depth -= 1;
                if depth == 0 {
                    parts.push(start..at);
                    return (parts.len() > 1).then_some((parts, at + 1));
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use gix::bstr::ByteSlice;

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
        assert!(!matches(&format!("{}b", "{a,*,a*}".repeat(100)), &path));
        assert!(!matches(&format!("{}b", "{a,}".repeat(200)), &path));
    }

    #[test]
    fn patterns_beyond_the_bounds_are_refused() {
        let refuse = |pattern: String| Glob::new(pattern.as_str().into()).unwrap_err();
        assert_eq!(refuse("a".repeat(1_025)), TOO_LONG);
        let nested = |depth| format!("{}{}", "{a,".repeat(depth), "}".repeat(depth));
        assert_eq!(refuse(nested(9)), TOO_DEEP);
        assert!(Glob::new(nested(8).as_str().into()).is_ok());
    }
}
