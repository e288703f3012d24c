//! Cuts a line of a document into paths, words and marks.

/// Whether what the repository has at a path is a directory; `None` if it has nothing.
pub type FileLookup<'a> = dyn Fn(&str) -> Option<bool> + 'a;

/// A word with the shape of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PathToken {
    /// A directory has a slash at the end.
    pub(super) path: String,
    pub(super) exists: bool,
    /// Whether it could as well be something else, such as `path.join` or `feature/x`.
    pub(super) is_weak: bool,
}

/// A part of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PlanToken {
    Path(PathToken),
    /// In lower case; empty for code that is no path.
    Word(String),
    Mark,
    /// What stands between the text of a link and its target.
    Link,
    /// The end of a clause.
    Stop,
}

/// The tokens of a line.
pub(super) fn tokens(text: &str, lookup: &FileLookup<'_>) -> Vec<PlanToken> {
    let mut tokens = Vec::new();
    for (index, part) in text.split('`').enumerate() {
        match index % 2 {
            0 => (spaced(part).split_whitespace()).for_each(|word| push(word, lookup, &mut tokens)),
            _ => tokens.push(match path_token(part, true, lookup) {
                Some(path) => PlanToken::Path(path),
                None => PlanToken::Word(String::new()),
            }),
        }
    }
    tokens
}

/// The text with blanks around its marks, and around the characters of scripts without blanks.
fn spaced(text: &str) -> String {
    let mut spaced = String::new();
    for c in text.chars() {
        let is_apart = match c {
            // A bracket belongs to a path such as `app/(auth)/x`, but `a.rs(new)` is a path with a remark.
            '(' => !spaced.ends_with('/'),
            '>' => !spaced.ends_with(['-', '=']),
            c => c >= '\u{500}' || ",;|\"<".contains(c),
        };
        match is_apart {
            true if c == '(' && spaced.ends_with(']') => spaced.push_str(" ]( "),
            true => spaced.extend([' ', c, ' ']),
            false => spaced.push(c),
        }
    }
    spaced
}

fn push(word: &str, lookup: &FileLookup<'_>, tokens: &mut Vec<PlanToken>) {
    let bare = word.trim_start_matches(['[', '\'', '*']);
    let end = bare.trim_end_matches(['.', ':', '!', '?', '\'', '*', '_', ')', ']']);
    match path_token(end, false, lookup) {
        Some(path) => {
            // The target of a link counts, not its text.
            if tokens.ends_with(&[PlanToken::Link]) {
                tokens.truncate(tokens.len() - 2);
            }
            tokens.push(PlanToken::Path(path));
        }
        None => tokens.extend(words(end).map(PlanToken::Word)),
    }
    let is_symbol = !word.contains(char::is_alphanumeric);
    match if is_symbol { word } else { &bare[end.len()..] } {
        "" | "]" | ")" => {}
        "](" => tokens.push(PlanToken::Link),
        mark if mark.contains(['.', '!', '?', '。', '<']) => tokens.push(PlanToken::Stop),
        _ => tokens.push(PlanToken::Mark),
    }
}

/// The words of a text in lower case.
pub(super) fn words(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '\'');
    words.filter(|word| !word.is_empty()).map(str::to_lowercase)
}

/// The path that a word names. `is_code`: it is a whole code span.
pub(super) fn path_token(word: &str, is_code: bool, lookup: &FileLookup<'_>) -> Option<PathToken> {
    // `:12-34`, `:94,100` and `#L10` are lines.
    let word = word.split_once("#L").map_or(word, |(path, _)| path);
    let are_lines = |rest: &str| {
        rest.chars()
            .all(|c| c.is_ascii_digit() || "-,L".contains(c))
    };
    let cut = word.rsplit_once(':').filter(|(_, rest)| are_lines(rest));
    let word = cut.map_or(word, |(path, _)| path);
    let path = word
        .strip_prefix("./")
        .unwrap_or(word)
        .trim_start_matches('/');
    let bare = path.trim_end_matches('/');
    if path.contains("..") || path.contains("//") || matches!(bare, "" | ".") {
        return None;
    }
    let is_file = has_extension(bare.rsplit('/').next().unwrap_or_default());
    let (has_slash, is_slashed) = (path.contains('/'), path.ends_with('/'));
    let may_exist = has_slash || is_file || is_code;
    let found = may_exist.then(|| lookup(bare)).flatten();
    let is_glob = path.contains('*') || path.contains('{') && path.contains(',');
    let marks = if is_glob {
        "/._-+@[]()$*{},"
    } else {
        "/._-+@[]()$"
    };
    let is_plain = path
        .chars()
        .all(|c| c.is_alphanumeric() || marks.contains(c));
    let is_shaped = is_plain && !path.starts_with(['-', '+', '@', ')', ']', '$']);
    let is_path = match found {
        Some(is_directory) => has_slash || !is_directory,
        None => is_shaped && (is_file || is_slashed || has_slash && (is_code || is_glob)),
    };
    let slash = if found == Some(true) || is_slashed {
        "/"
    } else {
        ""
    };
    is_path.then(|| PathToken {
        path: format!("{bare}{slash}"),
        exists: found.is_some(),
        is_weak: found.is_none() && !(has_slash && (is_file || is_slashed)),
    })
}

fn has_extension(name: &str) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    extension.starts_with(|c: char| c.is_ascii_alphabetic()) && extension.chars().all(is_word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(word: &str, is_code: bool) -> Option<String> {
        path_token(word, is_code, &|_| None).map(|token| token.path)
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
            "src//a.rs",
        ] {
            assert_eq!(named(word, false), None, "{word}");
        }
        assert_eq!(named("feature/x", true).as_deref(), Some("feature/x"));
    }

    #[test]
    fn what_exists_is_a_path_of_its_kind() {
        let token = |word: &str, is_directory| path_token(word, false, &|_| Some(is_directory));
        let directory = token("src/x", true);
        assert_eq!(directory.map(|token| token.path), Some("src/x/".into()));
        let file = token("bin/x", false);
        assert_eq!(file.map(|token| token.is_weak), Some(false));
        assert_eq!(token("word", true), None);
        let code = |is_directory| path_token("word", true, &|_| Some(is_directory));
        assert_eq!(
            (code(true), code(false).map(|token| token.path)),
            (None, Some("word".into()))
        );
    }

    #[test]
    fn a_name_without_a_directory_or_an_extension_is_weak() {
        for (word, is_weak) in [
            ("src/a.rs", false),
            ("src/x/", false),
            ("a.rs", true),
            ("feature/x", true),
        ] {
            let token = path_token(word, true, &|_| None);
            assert_eq!(token.map(|token| token.is_weak), Some(is_weak), "{word}");
        }
    }
}
