//! Lists of paths in the settings.

use gix::bstr::{BStr, ByteSlice};

use super::glob::{Glob, GlobError};

/// Patterns with the meaning that they have in `.gitignore`: one without a slash matches the name of a file or
/// directory anywhere, any other is anchored at the root (a leading slash only anchors), and a match of a
/// directory covers everything below it.
#[derive(Debug, Clone, Default)]
pub struct Patterns(Vec<Pattern>);

#[derive(Debug, Clone)]
struct Pattern {
    text: String,
    glob: Glob,
    anchored: bool,
    directory_only: bool,
}

impl Patterns {
    /// From the strings of the settings.
    ///
    /// # Errors
    /// A pattern that is too long or too deeply nested.
    pub fn new(patterns: Vec<String>) -> Result<Patterns, GlobError> {
        patterns
            .into_iter()
            .map(Pattern::new)
            .collect::<Result<_, _>>()
            .map(Patterns)
    }

    /// From patterns of this program, which a test knows to be right.
    pub(super) fn built_in(patterns: &[&str]) -> Patterns {
        let patterns = patterns.iter().map(|&pattern| pattern.to_owned());
        Patterns(
            patterns
                .filter_map(|pattern| Pattern::new(pattern).ok())
                .collect(),
        )
    }

    /// The first pattern that covers `path`.
    pub fn find(&self, path: &BStr) -> Option<&str> {
        let pattern = self.0.iter().find(|pattern| pattern.covers(path))?;
        Some(&pattern.text)
    }

    /// Whether a pattern covers `path`.
    pub fn contains(&self, path: &BStr) -> bool {
        self.find(path).is_some()
    }

    /// The patterns as written.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|pattern| pattern.text.as_str())
    }
}

impl PartialEq for Patterns {
    fn eq(&self, other: &Patterns) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Eq for Patterns {}

impl Pattern {
    fn new(text: String) -> Result<Pattern, GlobError> {
        let without_end = text.trim_end_matches('/');
        Ok(Pattern {
            anchored: without_end.contains('/'),
            directory_only: without_end.len() < text.len(),
            glob: Glob::new(without_end.trim_start_matches('/').into())?,
            text,
        })
    }

    fn covers(&self, path: &BStr) -> bool {
        // Every prefix that ends at a slash is a directory; the whole path is the file.
        let directories = path.find_iter("/");
        directories
            .chain((!self.directory_only).then_some(path.len()))
            .any(|end| {
                let prefix = &path[..end];
                let name = || prefix.rsplit(|&byte| byte == b'/').next().unwrap_or(prefix);
                self.glob
                    .matches(if self.anchored { prefix } else { name() }.into())
            })
    }
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
        ] {
            let patterns = Patterns::built_in(&[pattern]);
            assert_eq!(patterns.contains(path.into()), expected, "{pattern} {path}");
        }
    }
}
