//! One path: what looks like one, what a cell or item writes, and what a grant stores.

use std::ops::Range;
use std::sync::LazyLock;

use bstr::{BStr, ByteSlice};
use regex_lite::Regex;

use super::placeholders::{has_slot, is_placeholder};
use super::problem::{self, Problem};
use super::words::{pattern, words};
use crate::change::Kind;
use crate::finding::Rule;
use crate::path::{MAX_PATH, Platform, check_entry};
use crate::scope::{GrantKind, glob};

/// One path as written, not yet checked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct WrittenPath {
    pub(super) text: String,
    /// Including its backticks.
    pub(super) span: Range<usize>,
    /// Whether an arrow points from the previous path to this one.
    pub(super) arrow: bool,
    /// Whether it stands for everything below, as "(directory)" says.
    pub(super) directory: bool,
    /// Whether it stands in backticks, where braces are literal.
    pub(super) is_code: bool,
}

impl WrittenPath {
    pub(super) fn new(text: &str, span: Range<usize>) -> WrittenPath {
        WrittenPath {
            text: text.trim().to_owned(),
            span,
            ..WrittenPath::default()
        }
    }

    /// The text of a code span or of a value in the front matter.
    pub(super) fn code(text: &str, span: Range<usize>) -> WrittenPath {
        WrittenPath {
            is_code: true,
            ..WrittenPath::new(text, span)
        }
    }

    /// Whether it stands for several files.
    pub(super) fn may_be_narrowed(&self) -> bool {
        self.text.ends_with('/') || self.text.contains('*')
    }

    /// The path of a code span, or the two ends of `a -> b`. `arrow` is that before the span.
    pub(super) fn ends(text: &str, span: &Range<usize>, arrow: bool) -> Vec<WrittenPath> {
        let pair = [" -> ", "→", " => "].iter().find_map(|mark| {
            let (old, new) = text.trim().split_once(mark)?;
            let is_pair = !old.trim().is_empty() && !new.trim().is_empty() && !new.contains(mark);
            is_pair.then_some((old, new))
        });
        let (old, new) = pair.map_or((text, None), |(old, new)| (old, Some(new)));
        let mut ends = vec![WrittenPath {
            arrow,
            ..WrittenPath::code(old, span.clone())
        }];
        ends.extend(new.map(|new| WrittenPath {
            arrow: true,
            ..WrittenPath::code(new, span.clone())
        }));
        ends
    }
}

/// Names of files without an extension, in their usual spelling.
const WELL_KNOWN: &[&str] = &[
    "Makefile",
    "makefile",
    "GNUmakefile",
    "Dockerfile",
    "Containerfile",
    "Jenkinsfile",
    "Vagrantfile",
    "Procfile",
    "Rakefile",
    "Gemfile",
    "Brewfile",
    "Podfile",
    "Fastfile",
    "Justfile",
    "justfile",
    "Caddyfile",
    "Tiltfile",
    "BUILD",
    "WORKSPACE",
    "LICENSE",
    "LICENCE",
    "COPYING",
    "NOTICE",
    "README",
    "CHANGELOG",
    "CHANGES",
    "AUTHORS",
    "CONTRIBUTORS",
    "CODEOWNERS",
    "VERSION",
];

/// Whether code is a path rather than an expression or a command: it has a slash or an extension, or is a plain name. A
/// path with blanks has both.
pub(super) fn is_code_path(text: &str) -> bool {
    let text = text.trim();
    // `mylib>=1.2` is a requirement of a package.
    let is_requirement = [">=", "<=", "==", "~=", "@^"]
        .iter()
        .any(|mark| text.contains(mark));
    if text.is_empty() || is_requirement {
        return false;
    }
    let name = text.rsplit('/').next().unwrap_or(text);
    let has_slash = text.contains('/');
    if text.contains(char::is_whitespace) {
        let has_option = text.split_whitespace().any(|word| word.starts_with('-'));
        return has_slash && has_extension(name) && !has_option;
    }
    has_slash || has_extension(name) || is_plain_name(text)
}

/// Whether a word without backticks is a path: it has an extension or a slash at its end, or is a well-known name.
pub(super) fn is_bare_path(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or(word);
    word.chars()
        .all(|c| c.is_alphanumeric() || "._/@+[]()$-*{},~\\:#<>&'%=!^".contains(c))
        && word.contains(char::is_alphanumeric)
        && (has_extension(name)
            || word.ends_with('/')
            || name.contains('*') && word.contains('/')
            || WELL_KNOWN.contains(&name))
}

/// Whether a name is only letters, digits and the marks that names have.
fn is_plain_name(text: &str) -> bool {
    text.contains(char::is_alphanumeric)
        && text
            .chars()
            .all(|c| c.is_alphanumeric() || ".-_@+~*".contains(c))
}

/// Whether a name has an extension or begins with a dot.
pub(super) fn has_extension(name: &str) -> bool {
    // `a.rs:10-20` and `a.rs#L10` are ranges of lines.
    let name = name.split([':', '#']).next().unwrap_or("");
    let Some((stem, extension)) = name.rsplit_once('.') else {
        return false;
    };
    let is_hidden = stem.is_empty() && extension.len() > 1;
    let is_extension = (1..=8).contains(&extension.len())
        && extension.starts_with(|c: char| c.is_ascii_alphabetic())
        && extension.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_hidden || is_extension && !stem.is_empty()
}

/// "(directory)" and similar notes.
pub(super) fn is_directory_note(note: &str) -> bool {
    let first = words(note).into_iter().next();
    first.is_some_and(|word| matches!(word.as_str(), "directory" | "dir" | "folder"))
}

/// Reads a path as a grant stores it. `design` is the document itself, which rows cannot grant.
///
/// # Errors
/// The text is not a plain relative path inside the workspace.
pub(super) fn read(written: &WrittenPath, design: &BStr) -> Result<(String, GrantKind), Problem> {
    let text = without_lines(written.text.trim());
    if text.is_empty() {
        return Err(problem::empty());
    }
    if text.len() > MAX_PATH {
        return Err(problem::too_long(text.len(), MAX_PATH));
    }
    if is_placeholder(text) || !written.is_code && has_slot(text) {
        return Err(problem::placeholder(text));
    }
    refuse_outside(text)?;
    let path = with_names_only(text);
    // First, since it refuses more braces than one can search for alternatives in a short time.
    let expanded = expand(&path).ok_or_else(|| problem::bad_braces(text))?;
    let is_glob = glob::is_glob(path.as_str().into());
    for each in expanded {
        refuse_outside(&each)?;
        if is_glob && each.chars().all(|c| matches!(c, '*' | '?' | '.' | '/')) {
            return Err(problem::glob_too_wide(text));
        }
        if !is_glob && each.is_empty() {
            return Err(problem::too_wide(text));
        }
        check_path(&each, text, design)?;
    }
    let is_directory = written.directory || text.ends_with('/');
    Ok(if is_glob && is_directory {
        (path + "/**", GrantKind::Glob)
    } else if is_glob {
        (path, GrantKind::Glob)
    } else if is_directory {
        (path, GrantKind::Directory)
    } else {
        (path, GrantKind::File)
    })
}

/// A path without lines, empty names and `.`.
pub(super) fn plain(text: &str) -> String {
    with_names_only(without_lines(text.trim()))
}

fn with_names_only(path: &str) -> String {
    names(path).collect::<Vec<_>>().join("/")
}

/// The names of a path without empty ones and `.`.
pub(super) fn names(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter(|name| !matches!(*name, "" | "."))
}

/// Refuses paths that are dangerous on some system, belong to guard's settings, or are the design itself.
fn check_path(path: &str, text: &str, design: &BStr) -> Result<(), Problem> {
    // A design means the same on every system, so rules of the host do not apply.
    check_entry(path.into(), Kind::File, Platform::Unix).map_err(|rejection| {
        let id = rejection.reason.id();
        let advice = rejection.reason.advice();
        Problem::new(Rule::DesignBadRow, id, rejection.message, advice)
    })?;
    let first = path.split('/').next().unwrap_or("");
    if first.eq_ignore_ascii_case(".guard") || path.eq_ignore_ascii_case("guard.toml") {
        Err(problem::protected_file(text))
    } else if design.as_bytes() == path.as_bytes() {
        Err(problem::self_grant(text))
    } else {
        Ok(())
    }
}

/// Refuses paths outside the workspace, and text that is not a path.
fn refuse_outside(text: &str) -> Result<(), Problem> {
    let is_uri = text.contains("://") || text.starts_with("mailto:") || text.starts_with("file:");
    Err(match text.as_bytes() {
        _ if is_uri => problem::uri(text),
        [b'/' | b'\\', ..] => problem::absolute(text),
        [drive, b':', ..] if drive.is_ascii_alphabetic() => problem::absolute(text),
        [b'~', ..] => problem::tilde(text),
        _ if text.split(['/', '\\']).any(|name| name == "..") => problem::dotdot(text),
        _ if text.contains('\\') => problem::backslash(text),
        _ => return Ok(()),
    })
}

/// `:12`, `:12:3`, `:12-34`, `#L10` or `#L10-L20` at the end of a path.
static LINES: LazyLock<Regex> = LazyLock::new(|| pattern("(.)(?::|#L)[0-9][-0-9:#LC–, ]*$"));

pub(super) fn without_lines(text: &str) -> &str {
    // Hardly any path has lines, and the pattern is slow.
    if !text.contains([':', '#']) {
        return text;
    }
    let before = LINES.captures(text).and_then(|lines| lines.get(1));
    before.map_or(text, |before| &text[..before.end()])
}

/// All paths that the braces expand to; `None` if they are unbalanced or expand to too many.
pub(super) fn expand(path: &str) -> Option<Vec<String>> {
    if path.matches('{').count() != path.matches('}').count() {
        return None;
    }
    glob::expand(path, "")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn entry(text: &str) -> Result<(String, GrantKind), &'static str> {
        let written = WrittenPath::code(text, 0..0);
        read(&written, BStr::new("docs/lld/LLD-1.md")).map_err(|problem| problem.reason)
    }

    fn file(path: &str) -> Result<(String, GrantKind), &'static str> {
        Ok((path.to_owned(), GrantKind::File))
    }

    #[test]
    fn the_longest_path_is_that_of_the_system() {
        let longest = "a/".repeat(MAX_PATH / 2) + "f";
        assert_eq!(longest.len(), MAX_PATH);
        assert_eq!(entry(&longest), file(&longest));
        assert_eq!(entry(&format!("{longest}f")), Err("too-long"));
    }

    #[test]
    fn only_a_letter_is_a_drive() {
        assert_eq!(entry("c:x"), Err("absolute"));
        assert_eq!(entry("1:x"), file("1:x"));
    }

    #[test]
    fn an_arrow_between_two_names_is_a_pair() {
        let ends = |text: &str| -> Vec<(String, bool)> {
            let ends = WrittenPath::ends(text, &(0..0), false).into_iter();
            ends.map(|end| (end.text, end.arrow)).collect()
        };
        let one = |text: &str| vec![(text.to_owned(), false)];
        assert_eq!(
            ends("a -> b"),
            [("a".to_owned(), false), ("b".to_owned(), true)]
        );
        for text in ["a", "→b", "a→", "a -> b -> c"] {
            assert_eq!(ends(text), one(text), "{text}");
        }
    }

    #[test]
    fn an_address_is_no_path() {
        for text in ["https://x/a.py", "mailto:a@b.py", "file:src/a.py"] {
            assert_eq!(entry(text), Err("uri"), "{text}");
        }
    }

    #[test]
    fn spellings_of_one_path_meet() {
        for text in [
            "src/a.py",
            "./src/a.py",
            "src//a.py",
            "src/./a.py",
            "src/a.py:10",
            "src/a.py:10-20",
            "src/a.py:1:2",
            "src/a.py:94,100",
            "src/a.py:14-15, 20",
            "src/a.py#L10",
            "src/a.py#L10-L20",
        ] {
            assert_eq!(entry(text), file("src/a.py"), "{text}");
        }
        assert_eq!(entry("src/a.py#Lib"), file("src/a.py#Lib"));
    }

    #[test]
    fn route_names_and_shell_text_are_literal() {
        for text in [
            "app/[id]/page.tsx",
            "app/(shell)/docs/[[...slug]]/page.tsx",
            "$HOME/x",
            "$(touch x).txt",
            "a?.py",
            "config.default.py",
            "%2e%2e/x",
        ] {
            assert_eq!(entry(text), file(text), "{text}");
        }
    }

    #[test]
    fn directories_and_globs() {
        assert_eq!(entry("src/x/"), Ok(("src/x".into(), GrantKind::Directory)));
        assert_eq!(
            read(
                &WrittenPath {
                    directory: true,
                    ..WrittenPath::code("src/x", 0..0)
                },
                BStr::new("d")
            )
            .unwrap()
            .1,
            GrantKind::Directory
        );
        assert_eq!(entry("src/*.py"), Ok(("src/*.py".into(), GrantKind::Glob)));
        assert_eq!(
            entry("src/{a,b}.py"),
            Ok(("src/{a,b}.py".into(), GrantKind::Glob))
        );
        assert_eq!(entry("src/*/"), Ok(("src/*/**".into(), GrantKind::Glob)));
    }

    #[test]
    fn too_wide() {
        for text in [
            "*",
            "**",
            "**/*",
            "*/*",
            "./**",
            "*.*",
            "{*,**}",
            "{src/a,**}",
            "**/",
        ] {
            assert_eq!(entry(text), Err("glob-too-wide"), "{text}");
        }
        for text in [".", "./", "././"] {
            assert_eq!(entry(text), Err("too-wide"), "{text}");
        }
    }

    #[test]
    fn outside() {
        for (text, reason) in [
            ("../a", "dotdot"),
            ("a/../b", "dotdot"),
            ("a/..", "dotdot"),
            ("/etc/x", "absolute"),
            ("C:\\x", "absolute"),
            ("C:/x", "absolute"),
            ("\\\\srv\\x", "absolute"),
            ("~/x", "tilde"),
            ("~root/x", "tilde"),
            ("..\\x", "dotdot"),
            ("src/{a,../../b}", "dotdot"),
            ("{/etc,a}/x", "absolute"),
            ("src\\a.py", "backslash"),
            ("https://x/a.py", "uri"),
        ] {
            assert_eq!(entry(text), Err(reason), "{text}");
        }
    }

    #[test]
    fn nothing_grants_the_rules_themselves() {
        for text in [
            "guard.toml",
            "./guard.toml",
            ".guard/allowed_signers",
            ".guard/",
            ".GUARD/x",
            ".guard/*",
            "{guard.toml,a}",
        ] {
            assert_eq!(entry(text), Err("protected-file"), "{text}");
        }
        assert_eq!(entry("docs/lld/LLD-1.md"), Err("self-grant"));
        assert_eq!(entry("src/guard.toml"), file("src/guard.toml"));
    }

    #[test]
    fn misleading_names_are_refused() {
        for (text, reason) in [
            (".git/hooks/x", "git-dir"),
            ("a/.GIT/x", "git-dir"),
            ("git~1/config", "git-dir-alias"),
            ("{.git,a}/config", "git-dir"),
            ("src/a\u{200b}.py", "invisible-char"),
            ("src/\u{202e}yp.a", "bidi-control"),
            ("\u{ff0e}\u{ff0e}/x", "confusable-separator"),
            ("a\tb", "control-char"),
        ] {
            assert_eq!(entry(text), Err(reason), "{text}");
        }
        let long = format!("src/{}", "é".repeat(128));
        assert_eq!(entry(&long), Err("name-too-long"));
        assert!(entry(&format!("src/{}x", "é".repeat(127))).is_ok());
    }

    #[test]
    fn braces_without_a_comma_are_literal_in_code_only() {
        for text in [
            "users@{id}.yaml",
            "{{pkg.slug}}/setup.py",
            "{% if x %}/a.py",
        ] {
            assert_eq!(entry(text), file(text), "{text}");
            let bare = read(&WrittenPath::new(text, 0..0), BStr::new("d"));
            assert_eq!(
                bare.map_err(|problem| problem.reason),
                Err("placeholder"),
                "{text}"
            );
        }
    }

    #[test]
    fn code_is_a_path_by_its_slash_extension_or_plain_name() {
        for text in [
            "src/a",
            "a.rs",
            "My App/A.swift",
            "handler",
            ".env",
            "a.rs:3-4",
            "app/(x)/[id]",
        ] {
            assert!(is_code_path(text), "{text}");
        }
        for text in [
            "cargo test",
            "foo()",
            "mylib>=1.2",
            "a = b",
            "npx vitest -t src/a.ts",
            "",
        ] {
            assert!(!is_code_path(text), "{text}");
        }
    }

    #[test]
    fn a_word_is_a_path_by_its_extension_or_slash() {
        for text in [
            "src/a.rs",
            "README.md",
            "docs/toys/",
            "Makefile",
            "src/*.rs",
            "ページ/案内.md",
        ] {
            assert!(is_bare_path(text), "{text}");
        }
        for text in ["audio/video", "readme", "src/a", "...", "changes", "v1.2"] {
            assert!(!is_bare_path(text), "{text}");
        }
    }

    #[test]
    fn alternatives() {
        assert_eq!(expand("a{b,c}d"), Some(vec!["abd".into(), "acd".into()]));
        assert_eq!(
            expand("{a,b{c,d}}"),
            Some(vec!["a".into(), "bc".into(), "bd".into()])
        );
        assert_eq!(expand("{a,}x"), Some(vec!["ax".into(), "x".into()]));
        assert_eq!(expand("plain"), Some(vec!["plain".into()]));
    }

    #[test]
    fn broken_or_huge() {
        assert_eq!(expand("a{b,c"), None);
        assert_eq!(expand("a}b{c,d}"), None);
        assert_eq!(expand(&"{a,b}".repeat(9)), None);
    }
}
