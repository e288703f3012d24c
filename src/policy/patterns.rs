//! Lists of paths in the settings.

use std::sync::OnceLock;

use gix::bstr::{BStr, ByteSlice};

use super::glob::{Glob, GlobError};

/// Patterns with the meaning that they have in `.gitignore`: one without a slash matches the name of a file or
/// directory anywhere, any other is anchored at the root (a leading slash only anchors), and a match of a
/// directory covers everything below it.
#[derive(Debug, Clone, Default)]
pub struct Patterns {
    /// Those of this program, compiled when they are first asked: most runs never do.
    built_in: &'static [&'static str],
    compiled: OnceLock<Vec<Pattern>>,
}

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
        let compiled: Vec<_> = patterns
            .into_iter()
            .map(Pattern::new)
            .collect::<Result<_, _>>()?;
        Ok(Patterns {
            built_in: &[],
            compiled: compiled.into(),
        })
    }

    /// From patterns of this program, which a test knows to be right.
    pub(super) fn built_in(patterns: &'static [&'static str]) -> Patterns {
        Patterns {
            built_in: patterns,
            compiled: OnceLock::new(),
        }
    }

    fn all(&self) -> &[Pattern] {
        self.compiled.get_or_init(|| {
            let patterns = self.built_in.iter().map(|&pattern| pattern.to_owned());
            patterns
                .filter_map(|pattern| Pattern::new(pattern).ok())
                .collect()
        })
    }

    /// The first pattern that covers `path`.
    pub fn find(&self, path: &BStr) -> Option<&str> {
        if self.all().is_empty() {
            return None;
        }
        // Every prefix that ends at a slash is a directory; the whole path is the file.
        let slashes = (0..path.len()).filter(|&at| path[at] == b'/');
        let mut start = 0;
        let steps: Vec<Step<'_>> = slashes
            .chain([path.len()])
            .map(|end| {
                let name = &path[start..end];
                start = end + 1;
                Step {
                    prefix: path[..end].as_bstr(),
                    name: name.as_bstr(),
                }
            })
            .collect();
        let pattern = self.all().iter().find(|pattern| pattern.covers(&steps))?;
        Some(&pattern.text)
    }

    /// Whether a pattern covers `path`.
    pub fn contains(&self, path: &BStr) -> bool {
        self.find(path).is_some()
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

/// A directory on the way to a path, or the path itself.
struct Step<'a> {
    prefix: &'a BStr,
    name: &'a BStr,
}

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

    fn covers(&self, steps: &[Step<'_>]) -> bool {
        let count = steps.len() - usize::from(self.directory_only);
        steps[..count].iter().any(|step| {
            self.glob.matches(if self.anchored {
                step.prefix
            } else {
                step.name
            })
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
            let patterns = Patterns::new(vec![pattern.to_owned()]);
            let covers = patterns.map(|patterns| patterns.contains(path.into()));
            assert_eq!(covers, Ok(expected), "{pattern} {path}");
        }
    }
}
