//! Cuts a line of a document into paths, words and marks.

use super::GrantKind;

/// What the repository has at a path.
pub type FileLookup<'a> = dyn Fn(&str) -> Option<GrantKind> + 'a;

/// Names of files without an extension.
const NAMES: &str = "Makefile Dockerfile Justfile Gemfile Rakefile Procfile LICENSE";

const MAX_PATH: usize = 300;

/// A word with the shape of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PathToken {
    /// A directory has a slash at the end.
    pub(super) path: String,
    pub(super) exists: bool,
    /// Whether it could as well be something else, such as `path.join` or `feature/x`.
    pub(super) is_weak: bool,
    /// Whether no plan can be sure of it: a glob, or an absolute path that may belong to a machine.
    pub(super) is_odd: bool,
}

/// A part of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PlanToken {
    Path(PathToken),
    /// In lower case; empty for code that is no path.
    Word(String),
    /// `.` ends a clause, `:` a label; `,` separates paths, and `-` begins a remark.
    Mark(char),
}

/// The tokens of a line.
pub(super) fn tokens(text: &str, lookup: &FileLookup<'_>) -> Vec<PlanToken> {
    let mut scanner = Scanner {
        lookup,
        tokens: Vec::new(),
        link: None,
    };
    for (index, part) in text.split('`').enumerate() {
        match index % 2 {
            0 => scanner.text(part),
            _ => scanner.push(part, true),
        }
    }
    scanner.tokens
}

struct Scanner<'a> {
    lookup: &'a FileLookup<'a>,
    tokens: Vec<PlanToken>,
    /// Where the text of a link is whose target comes next.
    link: Option<usize>,
}

impl Scanner<'_> {
    fn text(&mut self, text: &str) {
        let mut word = String::new();
        for c in text.chars().chain([' ']) {
            // Scripts without blanks stand alone. A bracket belongs to a path such as `app/(auth)/x`, but `a.rs(new)`
            // is a path with a remark.
            let is_mark = match c {
                '(' => !word.ends_with('/'),
                '>' => !word.ends_with(['-', '=']),
                c => c.is_whitespace() || c >= '\u{500}' || ",;|\"<".contains(c),
            };
            if !is_mark {
                word.push(c);
                continue;
            }
            let is_link = c == '(' && word.ends_with(']');
            self.word(&std::mem::take(&mut word));
            self.link = is_link.then(|| self.tokens.len().saturating_sub(1));
            match c {
                _ if is_link || c.is_whitespace() => {}
                ',' | '，' | '、' => self.tokens.push(PlanToken::Mark(',')),
                ';' | '；' | '。' | '<' => self.tokens.push(PlanToken::Mark('.')),
                '：' | '>' => self.tokens.push(PlanToken::Mark(':')),
                c if c.is_alphanumeric() => self.tokens.push(PlanToken::Word(c.into())),
                _ => self.tokens.push(PlanToken::Mark('-')),
            }
        }
    }

    fn word(&mut self, word: &str) {
        let mark = match word {
            "-" | "--" | "#" | "//" => '-',
            "->" | "=>" | "&" | "+" | "/" => ',',
            _ => {
                let bare = word.trim_start_matches(['[', '\'', '*']);
                let end = bare.trim_end_matches(['.', ':', '!', '?', '\'', '*', '_', ')', ']']);
                self.push(end, false);
                match &bare[end.len()..] {
                    closing if closing.contains(':') => ':',
                    closing if closing.contains(['.', '!', '?']) => '.',
                    _ => return,
                }
            }
        };
        self.tokens.push(PlanToken::Mark(mark));
    }

    fn push(&mut self, word: &str, is_code: bool) {
        if let Some(token) = path_token(word, is_code, self.lookup) {
            // The target of a link counts, not its text.
            if let Some(at) = self.link.take()
                && matches!(self.tokens.get(at), Some(PlanToken::Path(_)))
            {
                self.tokens.truncate(at);
            }
            self.tokens.push(PlanToken::Path(token));
        } else if is_code {
            self.tokens.push(PlanToken::Word(String::new()));
        } else {
            self.tokens.extend(words(word).map(PlanToken::Word));
        }
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
    let word = word.strip_prefix("./").unwrap_or(word);
    let path = word.strip_prefix('/').unwrap_or(word);
    let bare = path.trim_end_matches('/');
    let is_bad = path.len() > MAX_PATH || path.contains("..") || path.contains("//");
    if is_bad || matches!(bare, "" | ".") {
        return None;
    }
    let name = bare.rsplit('/').next().unwrap_or_default();
    let is_file = has_extension(name) || NAMES.split(' ').any(|known| known == name);
    let (has_slash, is_slashed) = (path.contains('/'), path.ends_with('/'));
    let may_exist = has_slash || is_file || is_code;
    let found = if may_exist { lookup(bare) } else { None };
    let is_glob = path.contains('*') || path.contains('{') && path.contains(',');
    let is_plain =
        |c: char| c.is_alphanumeric() || "/._-+@[]()$*".contains(c) || is_glob && "{},".contains(c);
    let is_shaped = path.chars().all(is_plain)
        && path.starts_with(|c: char| c.is_alphanumeric() || "._[*(".contains(c));
    let is_path = match found {
        Some(GrantKind::Directory) => has_slash,
        Some(_) => true,
        None => is_shaped && (is_file || is_slashed || has_slash && (is_code || is_glob)),
    };
    let is_directory = found == Some(GrantKind::Directory) || is_slashed;
    is_path.then(|| PathToken {
        path: format!("{bare}{}", if is_directory { "/" } else { "" }),
        exists: found.is_some(),
        is_weak: found.is_none() && !(has_slash && (is_file || is_slashed)),
        is_odd: is_glob || found.is_none() && path.len() < word.len(),
    })
}

fn has_extension(name: &str) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
    name.rsplit_once('.').is_some_and(|(_, extension)| {
        extension.starts_with(|c: char| c.is_ascii_alphabetic()) && extension.chars().all(is_word)
    })
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
        ] {
            assert_eq!(named(word, false), None, "{word}");
        }
        assert_eq!(named("feature/x", true).as_deref(), Some("feature/x"));
    }

    #[test]
    fn what_exists_is_a_path_of_its_kind() {
        let token = |word: &str, kind| path_token(word, false, &|_| Some(kind));
        let directory = token("src/x", GrantKind::Directory);
        assert_eq!(directory.map(|token| token.path), Some("src/x/".into()));
        let file = token("bin/x", GrantKind::File);
        assert_eq!(file.map(|token| token.is_weak), Some(false));
        assert_eq!(token("word", GrantKind::Directory), None);
    }
}
