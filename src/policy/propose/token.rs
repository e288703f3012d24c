//! Which words of a document name a path.

use gix::bstr::{BStr, BString};

/// What the repository has at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// Nothing.
    Nothing,
    /// A file.
    File,
    /// A directory.
    Directory,
}

/// Names of files without an extension.
const NAMES: &[&str] = &[
    "Makefile",
    "Dockerfile",
    "Justfile",
    "Gemfile",
    "Rakefile",
    "Procfile",
    "LICENSE",
];

const MAX_PATH: usize = 300;

/// A word with the shape of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PathToken {
    /// A directory has a slash at the end.
    pub(super) path: BString,
    pub(super) exists: bool,
    /// Whether it could as well be something else, such as `path.join` or `feature/x`.
    pub(super) is_weak: bool,
    /// Whether no plan can be sure of it: a glob, or an absolute path that may belong to a machine.
    pub(super) is_odd: bool,
}

impl PathToken {
    /// Whether it stands for everything below a directory.
    pub(super) fn is_wide(&self) -> bool {
        self.path.ends_with(b"/")
    }
}

/// The path that a word names. `is_code`: it is a whole code span or link.
pub(super) fn path_token(
    word: &str,
    is_code: bool,
    exists: &dyn Fn(&BStr) -> Existing,
) -> Option<PathToken> {
    let word = without_lines(word.strip_prefix("./").unwrap_or(word));
    let path = word.strip_prefix('/').unwrap_or(word);
    let trimmed = path.trim_end_matches('/');
    if trimmed.is_empty()
        || trimmed == "."
        || path.len() > MAX_PATH
        || path.contains("..")
        || path.contains("//")
    {
        return None;
    }
    let found = exists(BStr::new(trimmed));
    let name = trimmed.rsplit('/').next().unwrap_or_default();
    let has_slash = path.contains('/');
    let is_glob = path.contains('*') || path.contains('{') && path.contains(',');
    let is_file_name = has_extension(name) || NAMES.contains(&name);
    let is_plain =
        |c: char| c.is_alphanumeric() || "/._-+@[]()$*".contains(c) || is_glob && "{},".contains(c);
    let is_start = |c: char| c.is_alphanumeric() || "._[*(".contains(c);
    let is_path = match found {
        Existing::File => has_slash || is_file_name || is_code,
        Existing::Directory => has_slash,
        Existing::Nothing if !path.chars().all(is_plain) || !path.starts_with(is_start) => false,
        Existing::Nothing => {
            is_file_name || path.ends_with('/') || has_slash && (is_code || is_glob)
        }
    };
    let exists = found != Existing::Nothing;
    let mut owned = BString::from(path);
    if found == Existing::Directory && trimmed == path {
        owned.push(b'/');
    }
    is_path.then_some(PathToken {
        path: owned,
        exists,
        is_weak: !exists && !(has_slash && (is_file_name || path.ends_with('/'))),
        is_odd: is_glob || !exists && path.len() < word.len(),
    })
}

/// Cuts off `:12-34`, `:94,100` and `#L10`.
fn without_lines(word: &str) -> &str {
    let word = word.split_once("#L").map_or(word, |(path, _)| path);
    match word.rsplit_once(':') {
        Some((path, lines))
            if lines
                .chars()
                .all(|c| c.is_ascii_digit() || "-,L".contains(c)) =>
        {
            path
        }
        _ => word,
    }
}

fn has_extension(name: &str) -> bool {
    let Some((_, extension)) = name.rsplit_once('.') else {
        return false;
    };
    let is_word = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
    extension.starts_with(|c: char| c.is_ascii_alphabetic()) && extension.chars().all(is_word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(word: &str, is_code: bool) -> Option<String> {
        path_token(word, is_code, &|_| Existing::Nothing).map(|token| token.path.to_string())
    }

    #[test]
    fn words_with_the_shape_of_a_path() {
        for (word, path) in [
            ("src/a.rs", "src/a.rs"),
            ("./src/a.rs:94,100", "src/a.rs"),
            ("src/a.rs#L10-L20", "src/a.rs"),
            ("app/[id]/(auth)/page.tsx", "app/[id]/(auth)/page.tsx"),
            (".eslintrc.json", ".eslintrc.json"),
            ("docs/", "docs/"),
            ("src/**/*.rs", "src/**/*.rs"),
            ("/src/a.rs", "src/a.rs"),
        ] {
            assert_eq!(named(word, false).as_deref(), Some(path), "{word}");
        }
        for word in [
            "",
            "and/or",
            "v1.2",
            "https://a.b/c.rs",
            "../a.rs",
            "~/a.rs",
            "C:\\a.rs",
            "/api/x",
            "<id>/a.rs",
            "src/...",
            "--flag",
            "a b.rs",
            "$x",
            "@scope/x",
            "path.join('a')",
            "word",
            "src/{a}.rs",
        ] {
            assert_eq!(named(word, false), None, "{word}");
        }
        assert_eq!(named("feature/x", true).as_deref(), Some("feature/x"));
    }

    #[test]
    fn what_exists_is_a_path_of_its_kind() {
        let token = |word: &str, found| path_token(word, false, &|_| found);
        assert_eq!(
            token("src/x", Existing::Directory).map(|token| token.path),
            Some("src/x/".into())
        );
        assert_eq!(
            token("bin/x", Existing::File).map(|token| token.is_weak),
            Some(false)
        );
        assert_eq!(token("word", Existing::Directory), None);
    }
}
