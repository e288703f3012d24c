//! Globs of a design: `*`, `**` and `{a,b}`; all other characters are literal.
//!
//! A pattern is compiled to a non-deterministic automaton and run over the path once, with the set of all states. The
//! time is at most the length of the path times that of the pattern.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::ops::Range;

use gix::bstr::BStr;

pub use super::literal::is_glob;
use super::literal::{Literals, alternatives, literals};

/// Longer patterns are refused, in bytes.
const MAX_LEN: usize = 1_024;

/// The maximum nesting of braces.
const MAX_DEPTH: usize = 8;

/// Why a pattern is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GlobError {
    /// More than 1,024 bytes.
    TooLong,
    /// Braces nested more than 8 deep.
    TooDeep,
}

impl fmt::Display for GlobError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            GlobError::TooLong => {
                "the pattern has more than 1,024 bytes; split it into several rows"
            }
            GlobError::TooDeep => {
                "the pattern nests braces more than 8 deep; split it into several rows"
            }
        })
    }
}

impl std::error::Error for GlobError {}

/// A compiled pattern.
///
/// `*` matches any bytes but `/`, or none. `**` matches any bytes; as a whole segment with its slash (`**/`,
/// `a/**/b`) it also matches nothing, so `a/**/b` matches `a/b`. `{a,b}` matches either; without a comma or a closing
/// brace it is literal. `?`, `[`, `(`, `$` and `\` are literal. Matching is by bytes and case-sensitive.
#[derive(Debug, Clone)]
pub struct Glob {
    program: Vec<GlobStep>,
}

#[derive(Debug, Clone, Copy)]
enum GlobStep {
    Byte(u8),
    /// Any byte but `/`.
    NotSlash,
    Any,
    /// Continue at both positions.
    Split(usize, usize),
    Jump(usize),
}

impl Glob {
    /// Compiles a pattern.
    ///
    /// # Errors
    ///
    /// A pattern that is too long or too deeply nested.
    pub fn new(pattern: &BStr) -> Result<Glob, GlobError> {
        if pattern.len() > MAX_LEN {
            return Err(GlobError::TooLong);
        }
        let mut compiler = Compiler {
            pattern,
            program: Vec::with_capacity(pattern.len()),
        };
        compiler.sequence(0..pattern.len(), true, 0)?;
        Ok(Glob {
            program: compiler.program,
        })
    }

    /// Whether the whole path matches.
    pub fn matches(&self, path: &BStr) -> bool {
        let mut states = States::new(self.program.len());
        let mut next = states.clone();
        states.enter(0, &self.program);
        for &byte in path.iter() {
            next.clear();
            for &at in &states.list {
                let passes = match self.program.get(at) {
                    Some(GlobStep::Byte(wanted)) => byte == *wanted,
                    Some(GlobStep::NotSlash) => byte != b'/',
                    Some(GlobStep::Any) => true,
                    Some(GlobStep::Split(..) | GlobStep::Jump(_)) | None => false,
                };
                if passes {
                    next.enter(at + 1, &self.program);
                }
            }
            std::mem::swap(&mut states, &mut next);
            if states.list.is_empty() {
                return false;
            }
        }
        states.seen[self.program.len()]
    }
}

/// Many numbered globs. A path is matched only against globs with the same literal start, end and inner parts.
#[derive(Debug, Clone, Default)]
pub struct GlobSet {
    globs: Vec<(usize, Glob)>,
    /// The globs by literal prefix, then by suffix, then by inner literals.
    by_prefix: Keyed<Keyed<Keyed<Vec<usize>>>>,
}

/// Values by a key of bytes.
#[derive(Debug, Clone, Default)]
struct Keyed<T> {
    values: HashMap<Vec<u8>, T>,
    /// The lengths of the keys.
    lengths: BTreeSet<usize>,
}

impl<T: Default> Keyed<T> {
    fn entry(&mut self, key: &[u8]) -> &mut T {
        self.lengths.insert(key.len());
        self.values.entry(key.to_vec()).or_default()
    }

    /// The values whose keys are among these bytes; `parts` yields the bytes of a length.
    fn among<'a, P: Iterator<Item = &'a [u8]>>(
        &'a self,
        parts: impl Fn(usize) -> P + 'a,
    ) -> impl Iterator<Item = &'a T> {
        let lengths = self.lengths.iter();
        lengths.flat_map(move |&length| parts(length).filter_map(|part| self.values.get(part)))
    }
}

/// The maximum length of a key, which limits the number of lengths.
const KEY: usize = 32;

/// The last bytes.
fn last(bytes: &[u8]) -> &[u8] {
    &bytes[bytes.len().saturating_sub(KEY)..]
}

impl GlobSet {
    /// The set of these numbered patterns, without those that [`Glob::new`] refuses.
    pub fn new<'a>(patterns: impl IntoIterator<Item = (usize, &'a BStr)>) -> GlobSet {
        let mut globs = Vec::new();
        let mut all: Vec<(usize, Literals)> = Vec::new();
        for (number, pattern) in patterns {
            if let Ok(glob) = Glob::new(pattern) {
                let at = globs.len();
                all.extend(literals(pattern).into_iter().map(|one| (at, one)));
                globs.push((number, glob));
            }
        }
        let mut occurrences: HashMap<&[u8], usize> = HashMap::new();
        for part in all.iter().flat_map(|(_, literals)| &literals.inner) {
            *occurrences.entry(last(part)).or_default() += 1;
        }
        let mut by_prefix: Keyed<Keyed<Keyed<Vec<usize>>>> = Keyed::default();
        for (at, literals) in &all {
            let inner = literals.inner.iter().map(|part| last(part));
            // Rare literals are the most selective.
            let rarest = inner.min_by_key(|part| (occurrences.get(part), Reverse(part.len())));
            by_prefix
                .entry(&literals.prefix)
                .entry(last(&literals.suffix))
                .entry(rarest.unwrap_or_default())
                .push(*at);
        }
        GlobSet { globs, by_prefix }
    }

    /// The numbers of the globs.
    pub fn numbers(&self) -> impl Iterator<Item = usize> {
        self.globs.iter().map(|(number, _)| *number)
    }

    /// The numbers of the matching globs, in the order given.
    pub fn matching(&self, path: &BStr) -> Vec<usize> {
        let mut found: Vec<usize> = self.candidates(path).collect();
        found.sort_unstable();
        found.dedup();
        found
            .into_iter()
            .map(|at| &self.globs[at])
            .filter(|(_, glob)| glob.matches(path))
            .map(|(number, _)| *number)
            .collect()
    }

    /// The positions of globs that may match, possibly repeated.
    fn candidates<'a>(&'a self, path: &'a BStr) -> impl Iterator<Item = usize> {
        let path: &[u8] = path;
        let begins = move |length| path.get(..length).into_iter();
        let ends = move |length| {
            let start = path.len().checked_sub(length);
            start.and_then(|start| path.get(start..)).into_iter()
        };
        let holds = move |length: usize| {
            let nothing = (length == 0).then_some(&[][..]);
            // No window has the length 0.
            let windows = path.windows(length.max(1)).filter(move |_| length > 0);
            nothing.into_iter().chain(windows)
        };
        self.by_prefix
            .among(begins)
            .flat_map(move |by_suffix| by_suffix.among(ends))
            .flat_map(move |by_inner| by_inner.among(holds))
            .flatten()
            .copied()
    }
}

struct Compiler<'a> {
    pattern: &'a [u8],
    program: Vec<GlobStep>,
}

impl Compiler<'_> {
    /// Compiles part of the pattern; `fresh` says that it starts a path segment.
    fn sequence(
        &mut self,
        range: Range<usize>,
        fresh: bool,
        depth: usize,
    ) -> Result<(), GlobError> {
        let mut at = range.start;
        let mut fresh = fresh;
        while at < range.end {
            let byte = self.pattern[at];
            match byte {
                b'*' => at = self.stars(at, range.end, fresh),
                b'{' => match alternatives(self.pattern, at..range.end) {
                    Some((parts, end)) => {
                        self.either(parts, fresh, depth + 1)?;
                        at = end;
                    }
                    None => at = self.byte(at),
                },
                _ => at = self.byte(at),
            }
            fresh = self.pattern[at - 1] == b'/';
        }
        Ok(())
    }

    fn byte(&mut self, at: usize) -> usize {
        self.program.push(GlobStep::Byte(self.pattern[at]));
        at + 1
    }

    /// Compiles a run of stars, with the slash after a `**` segment.
    fn stars(&mut self, at: usize, end: usize, fresh: bool) -> usize {
        let stars = self.pattern[at..end]
            .iter()
            .take_while(|&&byte| byte == b'*')
            .count();
        let after = at + stars;
        if stars == 1 {
            self.repeat(GlobStep::NotSlash);
        } else if fresh && after < end && self.pattern[after] == b'/' {
            let split = self.program.len();
            self.program.push(GlobStep::Split(split + 1, 0));
            self.repeat(GlobStep::Any);
            self.program.push(GlobStep::Byte(b'/'));
            self.program[split] = GlobStep::Split(split + 1, self.program.len());
            return after + 1;
        } else {
            self.repeat(GlobStep::Any);
        }
        after
    }

    fn repeat(&mut self, step: GlobStep) {
        let split = self.program.len();
        self.program.extend([
            GlobStep::Split(split + 1, split + 3),
            step,
            GlobStep::Jump(split),
        ]);
    }

    fn either(
        &mut self,
        parts: Vec<Range<usize>>,
        fresh: bool,
        depth: usize,
    ) -> Result<(), GlobError> {
        if depth > MAX_DEPTH {
            return Err(GlobError::TooDeep);
        }
        let mut exits = Vec::new();
        let last = parts.len() - 1;
        for (index, part) in parts.into_iter().enumerate() {
            let split = self.program.len();
            if index < last {
                self.program.push(GlobStep::Split(split + 1, 0));
            }
            self.sequence(part, fresh, depth)?;
            if index < last {
                exits.push(self.program.len());
                self.program.push(GlobStep::Jump(0));
                self.program[split] = GlobStep::Split(split + 1, self.program.len());
            }
        }
        for exit in exits {
            self.program[exit] = GlobStep::Jump(self.program.len());
        }
        Ok(())
    }
}

/// A set of program positions.
#[derive(Clone)]
struct States {
    list: Vec<usize>,
    seen: Vec<bool>,
    /// Positions to enter; empty between calls.
    open: Vec<usize>,
}

impl States {
    /// For a program of this length; the position after its end is a match.
    fn new(program: usize) -> States {
        States {
            list: Vec::new(),
            seen: vec![false; program + 1],
            open: Vec::new(),
        }
    }

    fn clear(&mut self) {
        self.list.clear();
        self.seen.fill(false);
    }

    /// Adds a position and all positions reachable without a byte.
    fn enter(&mut self, at: usize, program: &[GlobStep]) {
        self.open.push(at);
        while let Some(at) = self.open.pop() {
            if std::mem::replace(&mut self.seen[at], true) {
                continue;
            }
            self.list.push(at);
            match program.get(at) {
                Some(&GlobStep::Split(here, there)) => self.open.extend([here, there]),
                Some(&GlobStep::Jump(there)) => self.open.push(there),
                _ => {}
            }
        }
    }
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

    fn set(patterns: &[String]) -> GlobSet {
        let patterns = patterns.iter().map(|pattern| pattern.as_str().into());
        GlobSet::new(patterns.enumerate())
    }

    #[test]
    fn globs_with_braces_or_common_inner_text_are_distinguished_too() {
        type Make = fn(usize) -> String;
        let kinds: [(Make, Make); 5] = [
            (
                |n| format!("src/{{a{n},b{n}}}/*.rs"),
                |n| format!("src/b{n}/x.rs"),
            ),
            (
                |n| format!("{{src,lib/{{p,q}}}}/m{n}/*.rs"),
                |n| format!("lib/q/m{n}/x.rs"),
            ),
            (
                |n| format!("src/**/{{x,y}}_f{n}_*.rs"),
                |n| format!("src/y_f{n}_.rs"),
            ),
            (
                |n| format!("src/*_{n}_*/components/*.rs"),
                |n| format!("src/a_{n}_b/components/x.rs"),
            ),
            (
                |n| format!("{{src,lib}}/f{n}.{{rs,md}}"),
                |n| format!("lib/f{n}.md"),
            ),
        ];
        for (pattern, path) in kinds {
            let patterns: Vec<String> = (0..1_000).map(pattern).collect();
            let set = set(&patterns);
            let mut candidates = 0;
            for n in 0..1_000 {
                let path = path(n);
                let path: &BStr = path.as_str().into();
                assert_eq!(set.matching(path), [n], "{path}");
                candidates += set.candidates(path).count();
            }
            assert!(candidates <= 4_000, "{}: {candidates}", patterns[7]);
        }
    }

    #[test]
    fn a_set_finds_what_its_globs_match() {
        let patterns = [
            "{**/,}a*",
            "{,x}y",
            "a/**/b",
            "**",
            "a{b,c*}d",
            "src/{a,b/**}/c",
            "{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}*",
            "{a}*",
            "{a,b*",
            "*/a/**/b/*",
            "a**z",
            "x{,/**}/y",
            "*",
            "a*a",
            "{a,b}/**/{c,d}/*",
            "{{a,b},c}*/{d,}e",
        ];
        let patterns = patterns.map(str::to_owned);
        let set = set(&patterns);
        let letters = [
            "a", "b", "c", "x", "y", "z", "/", "/a/", "d", "/b/c", "{a", ",b", "}", "src/", "e",
        ];
        let mut path = String::new();
        for n in 0..50_000_usize {
            path.push_str(letters[(n * n + n / 7) % letters.len()]);
            if n % 6 == 5 {
                let expected =
                    |(at, pattern): (usize, &String)| matches(pattern, &path).then_some(at);
                let expected: Vec<usize> =
                    patterns.iter().enumerate().filter_map(expected).collect();
                assert_eq!(set.matching(path.as_str().into()), expected, "{path}");
                path.clear();
            }
        }
        for path in [
            "aaaaaaax", "abababab", "a/b", "x/y", "a/a/b/b", "q/a/b/c", "cd", "abcd", "src/a/c",
            "ce/e", "a/e",
        ] {
            let expected = |(at, pattern): (usize, &String)| matches(pattern, path).then_some(at);
            let expected: Vec<usize> = patterns.iter().enumerate().filter_map(expected).collect();
            assert_eq!(set.matching(path.into()), expected, "{path}");
        }
    }

    #[test]
    fn path_is_compared_only_with_globs_of_matching_ends() {
        let patterns: Vec<String> = (0..2_000).map(|n| format!("src/m{n}/*.rs")).collect();
        let set = set(&patterns);
        let path = "src/m1234/a.rs".into();
        assert_eq!(set.matching(path), [1_234]);
        let candidates: usize = (0..2_000)
            .map(|n| {
                let path = format!("src/m{n}/a.rs");
                set.candidates(path.as_str().into()).count()
            })
            .sum();
        assert_eq!(candidates, 2_000);
        assert!(set.matching("src/m1234/a.py".into()).is_empty());
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
        assert_eq!(refuse("a".repeat(1_025)), GlobError::TooLong);
        let nested = |depth| format!("{}{}", "{a,".repeat(depth), "}".repeat(depth));
        assert_eq!(refuse(nested(9)), GlobError::TooDeep);
        assert!(Glob::new(nested(8).as_str().into()).is_ok());
    }
}
