//! Lists of paths in the settings: gitignore patterns, matched as git does.

use std::fmt;
use std::sync::OnceLock;

use gix::bstr::{BStr, ByteSlice};
use gix::glob::pattern::Mode;
use gix::glob::wildmatch;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The maximum length of a pattern, in bytes.
const MAX_LEN: usize = 1_024;

/// The maximum number of stars: at 64, gix gives up, and the pattern would match nothing.
const MAX_STARS: usize = 32;

/// Patterns with the meaning of a `.gitignore` at the root. The last match decides, but everything below a covered
/// directory is covered, whatever a later `!` says.
#[derive(Debug, Clone, Default)]
pub struct Patterns {
    /// The built-in patterns, compiled on first use: most runs never need them.
    built_in: &'static [&'static str],
    compiled: OnceLock<Vec<Pattern>>,
}

#[derive(Debug, Clone)]
struct Pattern {
    text: String,
    glob: gix::glob::Pattern,
    /// Texts in every match, which are faster to find than wildcards.
    texts: Vec<Vec<u8>>,
    /// Whether every match ends with the last of these texts.
    ends_with_text: bool,
    /// The first and the last byte of every match, if there is one: most paths differ there.
    edges: [Option<u8>; 2],
}

/// Why a pattern is refused. Git would ignore most of these silently, and the list would cover less than it seems to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PatternError {
    /// More than 1,024 bytes.
    TooLong,
    /// More than 32 stars.
    TooManyStars,
    /// Empty or blank.
    Empty,
    /// It begins with `#`.
    Comment,
    /// Nothing remains after `!` and `/`.
    Nothing,
    /// Ends with a backslash that escapes nothing.
    Backslash,
    /// Contains a line feed, a carriage return or a NUL.
    LineBreak,
    /// Contains `{a,b}`, which gitignore patterns do not support.
    Braces,
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PatternError::TooLong => "has more than 1,024 bytes; split it into several patterns",
            PatternError::TooManyStars => "has more than 32 stars; split it into several patterns",
            PatternError::Empty => "is empty; remove it",
            PatternError::Comment => "is a comment in a .gitignore; write `\\#` for a name that begins with `#`",
            PatternError::Nothing => "matches nothing; name a path after the `!` or `/`",
            PatternError::Backslash => "ends with a backslash, so it matches nothing; write `\\\\` for a backslash",
            PatternError::LineBreak => "contains a line break or a NUL; write one pattern per string",
            PatternError::Braces => {
                "has braces, which are literal in a .gitignore; write one pattern per alternative, or `\\{`"
            }
        })
    }
}

impl std::error::Error for PatternError {}

impl Patterns {
    /// Compiles the strings of the settings.
    ///
    /// # Errors
    /// A pattern is invalid.
    pub fn new(patterns: Vec<String>) -> Result<Patterns, PatternError> {
        let compiled = patterns.into_iter().map(Pattern::new);
        let compiled: Vec<_> = compiled.collect::<Result<_, _>>()?;
        Ok(Patterns {
            built_in: &[],
            compiled: compiled.into(),
        })
    }

    /// Checks one pattern.
    ///
    /// # Errors
    /// As for [`Patterns::new`].
    pub fn check(pattern: &str) -> Result<(), PatternError> {
        Pattern::new(pattern.to_owned()).map(drop)
    }

    /// Built-in patterns, which a test checks.
    /// Whether they are guard's own, which no settings have replaced.
    pub fn are_built_in(&self) -> bool {
        !self.built_in.is_empty()
    }

    pub(super) fn built_in(patterns: &'static [&'static str]) -> Patterns {
        Patterns {
            built_in: patterns,
            compiled: OnceLock::new(),
        }
    }

    fn all(&self) -> &[Pattern] {
        self.compiled.get_or_init(|| {
            let patterns = self.built_in.iter().map(|&pattern| pattern.to_owned());
            patterns.flat_map(Pattern::new).collect()
        })
    }

    /// The pattern that covers `path`: the last match for it or for its outermost covered parent directory.
    pub fn find(&self, path: &BStr) -> Option<&str> {
        if self.all().is_empty() {
            return None;
        }
        // Each prefix that ends at a slash is a directory; the whole path is the file.
        let slashes = (0..path.len()).filter(|&at| path[at] == b'/');
        let mut ends = slashes.chain([path.len()]);
        ends.find_map(|end| self.covering(&PathStep::new(path, end)))
    }

    /// The pattern that covers a step on its own account: the last match.
    fn covering(&self, step: &PathStep<'_>) -> Option<&str> {
        let last = self
            .all()
            .iter()
            .rev()
            .find(|pattern| pattern.matches(step));
        last.filter(|pattern| !pattern.glob.is_negative())
            .map(|pattern| pattern.text.as_str())
    }

    /// Whether a pattern covers `path`.
    pub fn contains(&self, path: &BStr) -> bool {
        self.find(path).is_some()
    }

    /// Whether a pattern covers a directory or one above it.
    pub fn contains_directory(&self, path: &BStr) -> bool {
        let mut ends = path.find_iter("/").chain([path.len()]);
        ends.any(|end| self.covers(&path[..end], true))
    }

    /// Whether a pattern covers a path, or the file `name` in a directory of this path, on its own account.
    pub fn names_here_or_below(&self, path: &BStr, name: &str) -> bool {
        let below = [path.as_bytes(), b"/", name.as_bytes()].concat();
        self.covers(path, false) || self.covers(path, true) || self.covers(&below, false)
    }

    fn covers(&self, path: &[u8], is_directory: bool) -> bool {
        let step = PathStep::of(path.as_bstr(), is_directory);
        self.covering(&step).is_some()
    }

    /// The same patterns except for exactly this path; unchanged if no pattern can name it.
    #[must_use]
    pub(super) fn except(self, path: &BStr) -> Patterns {
        let Ok(path) = path.to_str() else {
            return self;
        };
        let mut exception = "!/".to_owned();
        for c in path.chars() {
            if "*?[]{}\\ ".contains(c) {
                exception.push('\\');
            }
            exception.push(c);
        }
        let patterns = self.iter().map(str::to_owned).chain([exception]).collect();
        Patterns::new(patterns).unwrap_or(self)
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

/// A parent directory of a path, or the path itself.
struct PathStep<'a> {
    path: &'a BStr,
    name: &'a BStr,
    is_directory: bool,
}

impl<'a> PathStep<'a> {
    /// The path up to `end`.
    fn new(path: &'a BStr, end: usize) -> PathStep<'a> {
        PathStep::of(path[..end].as_bstr(), end < path.len())
    }

    fn of(path: &'a BStr, is_directory: bool) -> PathStep<'a> {
        let name = path.rfind_byte(b'/').map_or(0, |slash| slash + 1);
        PathStep {
            path,
            name: path[name..].as_bstr(),
            is_directory,
        }
    }
}

impl Pattern {
    fn new(text: String) -> Result<Pattern, PatternError> {
        let stars = text.matches('*').count();
        let line_break = ['\n', '\r', '\0'];
        let checks = [
            (text.len() > MAX_LEN, PatternError::TooLong),
            (stars > MAX_STARS, PatternError::TooManyStars),
            (text.contains(line_break), PatternError::LineBreak),
            (text.starts_with('#'), PatternError::Comment),
            (text.trim().is_empty(), PatternError::Empty),
            (ends_with_open_escape(&text), PatternError::Backslash),
            (has_alternatives(&text), PatternError::Braces),
        ];
        if let Some((_, error)) = checks.into_iter().find(|(is_wrong, _)| *is_wrong) {
            return Err(error);
        }
        let (glob, ..) = gix::ignore::parse(text.as_bytes(), false)
            .next()
            .filter(|(glob, ..)| !glob.text.is_empty())
            .ok_or(PatternError::Nothing)?;
        let texts = texts_in_every_match(&glob);
        Ok(Pattern {
            ends_with_text: !glob.text.ends_with(b"*") && !glob.text.ends_with(b"?"),
            edges: edges(&glob),
            text,
            glob,
            texts,
        })
    }

    /// Matches like git: compares the part before the first wildcard and matches the rest alone, so that `**` starts
    /// a segment there. [`gix::glob::Pattern::matches`] differs in this.
    fn matches(&self, step: &PathStep<'_>) -> bool {
        let Pattern { glob, texts, .. } = self;
        if glob.mode.contains(Mode::MUST_BE_DIR) && !step.is_directory {
            return false;
        }
        let is_name = glob.mode.contains(Mode::NO_SUB_DIR) && !glob.mode.contains(Mode::ABSOLUTE);
        let subject = if is_name { step.name } else { step.path };
        let differs = |byte: Option<u8>, of: Option<&u8>| byte.is_some() && byte.as_ref() != of;
        if differs(self.edges[0], subject.first()) || differs(self.edges[1], subject.last()) {
            return false;
        }
        let Some(literal) = glob.first_wildcard_pos else {
            return glob.text == *subject;
        };
        if self.ends_with_text && texts.last().is_some_and(|end| !subject.ends_with(end)) {
            return false;
        }
        let (literal, rest) = glob.text.split_at(literal);
        subject.strip_prefix(literal).is_some_and(|subject| {
            texts.iter().all(|text| contains(subject, text))
                && gix::glob::wildmatch(
                    rest.as_bstr(),
                    subject.as_bstr(),
                    wildmatch::Mode::NO_MATCH_SLASH_LITERAL,
                )
        })
    }
}

/// The first and the last byte of every match. Only plain text is looked at.
fn edges(glob: &gix::glob::Pattern) -> [Option<u8>; 2] {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    if glob.text.contains(&b'[') || glob.text.contains(&b'\\') {
        return [None; 2];
    }
    let first = glob
        .text
        .first()
        .filter(|_| glob.first_wildcard_pos != Some(0));
    [first, glob.text.last()].map(|byte| byte.copied().filter(is_plain))
}

/// The literal texts between the wildcards of a pattern. Slashes beside `**` may match nothing.
fn texts_in_every_match(glob: &gix::glob::Pattern) -> Vec<Vec<u8>> {
    let rest = &glob.text[glob.first_wildcard_pos.unwrap_or(glob.text.len())..];
    if rest.contains(&b'[') || rest.contains(&b'\\') {
        return Vec::new();
    }
    let texts = rest.split(|byte| matches!(byte, b'*' | b'?'));
    let texts = texts.map(|text| text.trim_with(|c| c == '/').to_vec());
    texts.filter(|text| !text.is_empty()).collect()
}

/// Whether a short text is in a short name: a search that prepares itself takes longer.
fn contains(name: &[u8], text: &[u8]) -> bool {
    let mut places = name.windows(text.len());
    places.any(|place| place.first() == text.first() && place == text)
}

/// Whether the text ends with an odd number of backslashes.
fn ends_with_open_escape(text: &str) -> bool {
    text.bytes().rev().take_while(|&byte| byte == b'\\').count() % 2 == 1
}

/// Whether the text contains an unescaped `{a,b}`.
fn has_alternatives(text: &str) -> bool {
    let mut bytes = text.bytes();
    let (mut open, mut comma) = (false, false);
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' => {
                bytes.next();
            }
            b'{' => (open, comma) = (true, false),
            b',' => comma = open,
            b'}' if comma => return true,
            b'}' => open = false,
            _ => {}
        }
    }
    false
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
            ("*\\*.md", "a*.md", true),
            ("*\\*.md", "ab.md", false),
        ] {
            let patterns = Patterns::new(vec![pattern.to_owned()]);
            let covers = patterns.map(|patterns| patterns.contains(path.into()));
            assert_eq!(covers, Ok(expected), "{pattern} {path}");
        }
    }
}
