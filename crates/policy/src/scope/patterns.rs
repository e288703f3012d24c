//! Lists of paths in the settings: gitignore patterns, matched as git does.

use std::sync::OnceLock;

use bstr::{BStr, BString, ByteSlice};
use gix_glob::pattern::Mode;
use gix_glob::wildmatch;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The maximum length of a pattern, in bytes.
const MAX_LEN: usize = 1_024;

/// The maximum number of stars: at 64, gix gives up, and the pattern would match nothing.
const MAX_STARS: usize = 32;

/// Why a pattern is refused, and what to write instead. Git would ignore most of these silently, and the list would cover
/// less than it seems to.
pub type PatternFault = &'static str;

/// Patterns with the meaning of a `.gitignore` at the root. The last match decides, but everything below a covered
/// directory is covered, whatever a later `!` says.
#[derive(Debug, Clone, Default)]
pub struct Patterns {
    /// The built-in patterns, compiled on first use: most runs never need them.
    built_in: &'static [&'static str],
    compiled: OnceLock<Vec<Pattern>>,
    excepted: Vec<BString>,
}

#[derive(Debug, Clone)]
struct Pattern {
    text: String,
    glob: gix_glob::Pattern,
    /// The text behind the last wildcard, with which every match ends: most paths differ there.
    end: Vec<u8>,
}

impl Patterns {
    /// Compiles the strings of the settings.
    ///
    /// # Errors
    /// A pattern is invalid.
    pub fn new(patterns: Vec<String>) -> Result<Patterns, PatternFault> {
        let compiled = patterns.into_iter().map(Pattern::new);
        let compiled: Vec<_> = compiled.collect::<Result<_, _>>()?;
        Ok(Patterns {
            compiled: compiled.into(),
            ..Patterns::default()
        })
    }

    /// Whether they are guard's own, which no settings have replaced.
    pub fn are_built_in(&self) -> bool {
        !self.built_in.is_empty() && self.excepted.is_empty()
    }

    /// Built-in patterns, which a test checks.
    pub(crate) const fn built_in(patterns: &'static [&'static str]) -> Patterns {
        Patterns {
            built_in: patterns,
            compiled: OnceLock::new(),
            excepted: Vec::new(),
        }
    }

    fn all(&self) -> &[Pattern] {
        self.compiled.get_or_init(|| {
            let patterns = self.built_in.iter().copied().map(str::to_owned);
            patterns.flat_map(Pattern::new).collect()
        })
    }

    /// The pattern that covers `path`: the last match for it or for its outermost covered parent directory.
    pub fn find(&self, path: &BStr) -> Option<&str> {
        let mut above = path.find_iter("/").map(|end| path[..end].as_bstr());
        above
            .find_map(|directory| self.covering(directory, true))
            .or_else(|| {
                let is_excepted = self.excepted.iter().any(|excepted| excepted == path);
                self.covering(path, false).filter(|_| !is_excepted)
            })
    }

    /// The pattern that covers a path on its own account: the last match.
    fn covering(&self, path: &BStr, is_directory: bool) -> Option<&str> {
        let mut patterns = self.all().iter().rev();
        let last = patterns.find(|pattern| pattern.matches(path, is_directory))?;
        (!last.glob.is_negative()).then_some(last.text.as_str())
    }

    /// Whether a pattern covers `path`.
    pub fn contains(&self, path: &BStr) -> bool {
        self.find(path).is_some()
    }

    /// Excepts exactly this path, unless its directory is covered.
    pub(crate) fn except(&mut self, path: &BStr) {
        self.excepted.push(path.to_owned());
    }

    /// The patterns as written.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.all().iter().map(|pattern| pattern.text.as_str())
    }
}

impl PartialEq for Patterns {
    fn eq(&self, other: &Patterns) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Eq for Patterns {}

impl Serialize for Patterns {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl<'de> Deserialize<'de> for Patterns {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Patterns::new(Vec::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

impl Pattern {
    fn new(text: String) -> Result<Pattern, PatternFault> {
        let stars = text.matches('*').count();
        let line_break = ['\n', '\r', '\0'];
        let unescaped = text.replace(r"\\", "");
        let fault = if text.len() > MAX_LEN {
            "has more than 1,024 bytes; split it into several patterns"
        } else if stars > MAX_STARS {
            "has more than 32 stars; split it into several patterns"
        } else if text.contains(line_break) {
            "contains a line break or a NUL; write one pattern per string"
        } else if text.starts_with('#') {
            "is a comment in a .gitignore; write `\\#` for a name that begins with `#`"
        } else if text.trim().is_empty() {
            "is empty; remove it"
        } else if unescaped.ends_with('\\') {
            "ends with a backslash, so it matches nothing; write `\\\\` for a backslash"
        } else if unescaped.replace("\\{", "").contains('{') {
            "has braces, which are literal in a .gitignore; write one pattern per alternative, or \
             `\\{`"
        } else {
            return Pattern::parse(text);
        };
        Err(fault)
    }

    fn parse(text: String) -> Result<Pattern, PatternFault> {
        let nothing = "matches nothing; name a path after the `!` or `/`";
        let glob = gix_glob::parse(without_trailing_blanks(text.as_bytes()))
            .filter(|glob| !glob.text.is_empty())
            .ok_or(nothing)?;
        let wildcard = glob.text.iter().rposition(|byte| b"*?[]\\".contains(byte));
        let end = &glob.text[wildcard.map_or(0, |at| at + 1)..];
        Ok(Pattern {
            // The slash behind `**` may match nothing.
            end: end.strip_prefix(b"/").unwrap_or(end).to_vec(),
            glob,
            text,
        })
    }

    /// Matches like git: compares the part before the first wildcard and matches the rest alone, so that `**` starts
    /// a segment there. [`gix_glob::Pattern::matches`] differs in this.
    fn matches(&self, path: &BStr, is_directory: bool) -> bool {
        let glob = &self.glob;
        if glob.mode.contains(Mode::MUST_BE_DIR) && !is_directory || !path.ends_with(&self.end) {
            return false;
        }
        let is_name = glob.mode.contains(Mode::NO_SUB_DIR) && !glob.mode.contains(Mode::ABSOLUTE);
        let name = path.rfind_byte(b'/').map_or(0, |slash| slash + 1);
        let subject = if is_name { &path[name..] } else { path };
        let Some(literal) = glob.first_wildcard_pos else {
            return glob.text == *subject;
        };
        let (literal, rest) = glob.text.split_at(literal);
        let mode = wildmatch::Mode::NO_MATCH_SLASH_LITERAL;
        let subject = subject.strip_prefix(literal);
        subject.is_some_and(|subject| gix_glob::wildmatch(rest.into(), subject.into(), mode))
    }
}

/// The pattern as git reads it: blanks at the end do not count, unless a backslash quotes the first of them.
fn without_trailing_blanks(pattern: &[u8]) -> &[u8] {
    let trimmed = pattern.trim_end_with(|c| c == ' ');
    let from_the_end = trimmed.iter().rev();
    let backslashes = from_the_end.take_while(|byte| **byte == b'\\').count();
    let is_quoted = backslashes % 2 == 1 && trimmed.len() < pattern.len();
    &pattern[..trimmed.len() + usize::from(is_quoted)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_in_gitignore() {
        for (pattern, path, expected) in [
            ("Cargo.lock", "Cargo.lock", true),
            ("Cargo.lock", "crates/a/Cargo.lock", true),
            ("/Cargo.lock", "crates/a/Cargo.lock", false),
            ("/Cargo.lock", "Cargo.lock", true),
            ("*.pem", "keys/server.pem", true),
            ("*.pem", "keys/server.pem.md", false),
            ("docs/", "docs/a/b.md", true),
            ("docs/", "docs", false),
            ("docs/", "a/docs/b.md", true),
            ("docs/lld/**", "docs/lld/active/a.md", true),
            ("docs/lld", "docs/lld/a.md", true),
            ("docs/lld", "x/docs/lld/a.md", false),
            ("src/*.rs", "src/a/b.rs", false),
            ("src/*.rs", "src/b.rs", true),
            ("**/tests/**", "tests/a.rs", true),
            ("**/tests/**", "a/tests/b/c.rs", true),
            ("**/tests/**", "a/latests/c.rs", false),
            ("a/**/b", "a/b", true),
            ("a/**/b", "a/x/y/b", true),
            ("a*/b?c.[ch]", "ax/bxc.h", true),
            ("a*/b?c.[ch]", "ax/bc.h", false),
            ("a  ", "a", true),
            (r"a\ ", "a ", true),
            (r"a\ ", "a", false),
            (r"a\\ ", r"a\", true),
            (r"a\\ ", r"a\ ", false),
            ("*\\*.md", "a*.md", true),
            ("*\\*.md", "ab.md", false),
        ] {
            let patterns = Patterns::new(vec![pattern.to_owned()]);
            let covers = patterns.map(|patterns| patterns.contains(path.into()));
            assert_eq!(covers, Ok(expected), "{pattern} {path}");
        }
    }
    fn list(patterns: &[&str]) -> Patterns {
        let patterns = patterns.iter().map(|pattern| (*pattern).to_owned());
        Patterns::new(patterns.collect()).unwrap_or_default()
    }

    #[test]
    fn the_last_match_decides_except_below_a_covered_directory() {
        for (patterns, path, expected) in [
            (&["*.pem", "!a.pem"][..], "b.pem", Some("*.pem")),
            (&["*.pem", "!a.pem"], "a.pem", None),
            (&["!a.pem", "*.pem"], "a.pem", Some("*.pem")),
            (&["*", "*.pem"], "a.pem", Some("*.pem")),
            (&["keys/", "!keys/a.pem"], "keys/a.pem", Some("keys/")),
            (&["keys/*", "!keys/a.pem"], "keys/a.pem", None),
            (&["**/a", "!x/"], "x/a", Some("**/a")),
            (&["/*.rs"], "src/a.rs", None),
            (&["/*.rs"], "a.rs", Some("/*.rs")),
            (&[], "a", None),
        ] {
            let list = list(patterns);
            assert_eq!(list.find(path.into()), expected, "{patterns:?} {path}");
            assert_eq!(list.contains(path.into()), expected.is_some());
        }
    }

    #[test]
    fn one_path_can_be_excepted_whatever_its_name() {
        for path in [
            "a.env",
            "x/a.env",
            "a*.env",
            "[a]?{b}.env",
            "a b .env",
            "#a.env",
            "!a.env",
        ] {
            let all = list(&["*.env"]);
            assert!(all.contains(path.into()), "{path}");
            let mut others = all;
            others.except(path.into());
            assert!(!others.contains(path.into()), "{path}");
            assert!(others.contains("aa.env".into()) && others.contains("y/a.env".into()));
        }
        let mut below = list(&["keys/"]);
        below.except("keys/a.pem".into());
        assert!(below.contains("keys/a.pem".into()));
        assert_ne!(below, list(&["*.pem"]));
    }

    #[test]
    fn each_fault_of_a_pattern_is_named() {
        let check = |pattern: &str| Patterns::new(vec![pattern.to_owned()]).map(drop);
        let long = "a".repeat(1_025);
        let stars = "*/".repeat(33);
        for (pattern, why) in [
            (&*long, "has more than 1,024 bytes"),
            (&stars, "has more than 32 stars"),
            ("a\nb", "contains a line break"),
            ("a\0b", "contains a line break"),
            ("#a", "is a comment"),
            ("", "is empty"),
            ("  ", "is empty"),
            ("a\\", "ends with a backslash"),
            ("a\\\\\\", "ends with a backslash"),
            ("{a,b}", "has braces"),
            ("x{a,b}", "has braces"),
            ("\\\\{a,b}", "has braces"),
            ("{a}", "has braces"),
            ("!", "matches nothing"),
            ("/", "matches nothing"),
        ] {
            let fault = check(pattern).err().unwrap_or_default();
            assert!(fault.starts_with(why), "{pattern}: {fault}");
        }
        let long = "a".repeat(1_024);
        let stars = "*/".repeat(32);
        for pattern in [
            &*long, &stars, "\\#a", "a\\\\", "\\{a,b}", "\\{a}", "a,b", "x",
        ] {
            assert_eq!(check(pattern), Ok(()), "{pattern}");
        }
    }

    #[test]
    fn built_in_patterns_are_told_from_those_of_the_settings() {
        let built_in = Patterns::built_in(&["*.a", "*.b"]);
        assert!(built_in.are_built_in() && built_in.iter().eq(["*.a", "*.b"]));
        assert!(!list(&["*.a", "*.b"]).are_built_in());
        assert_eq!(built_in, list(&["*.a", "*.b"]));
        assert_ne!(built_in, list(&["*.a"]));
    }
}
