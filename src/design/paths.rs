//! One path: what looks like one, what a cell or item writes, and what a grant stores.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use gix::bstr::{BStr, ByteSlice};
use percent_encoding::percent_decode_str;
use regex_lite::Regex;

use super::is_in;
use super::problem::{self, Problem};
use super::source::{PieceKind, Run};
use super::words::words;
use crate::change::Kind;
use crate::finding::Rule;
use crate::path::{Platform, check_entry};
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
    /// Whether "(no changes)" follows.
    pub(super) denied: bool,
}

impl WrittenPath {
    pub(super) fn new(text: &str, span: Range<usize>) -> WrittenPath {
        WrittenPath {
            text: text.trim().to_owned(),
            span,
            ..WrittenPath::default()
        }
    }

    /// The path of a code span, or the two ends of `a -> b`. `arrow` is that before the span.
    pub(super) fn ends(text: &str, span: &Range<usize>, arrow: bool) -> Vec<WrittenPath> {
        let path = |text, arrow| WrittenPath {
            arrow,
            ..WrittenPath::new(text, span.clone())
        };
        let ends = [" -> ", "→", " => "].iter().find_map(|mark| {
            let (old, new) = text.trim().split_once(mark)?;
            let is_pair = !old.trim().is_empty() && !new.trim().is_empty() && !new.contains(mark);
            is_pair.then(|| vec![path(old, arrow), path(new, true)])
        });
        ends.unwrap_or_else(|| vec![path(text, arrow)])
    }
}

/// Names of files without an extension.
const WELL_KNOWN: &str = "makefile|gnumakefile|dockerfile|containerfile|jenkinsfile|vagrantfile|procfile|rakefile|\
    gemfile|brewfile|podfile|fastfile|justfile|caddyfile|tiltfile|build|workspace|license|licence|copying|notice|readme|\
    changelog|changes|authors|contributors|codeowners|version";

/// Whether code looks like a path rather than an identifier.
pub(super) fn has_path_shape(text: &str) -> bool {
    let text = text.trim();
    // `mylib>=1.2` is a requirement of a package.
    let mut versions = [">=", "<=", "==", "~=", "@^"].iter();
    let is_name = !text.contains(char::is_whitespace) && !versions.any(|mark| text.contains(mark));
    is_name && (text.contains('/') || is_file_name(text))
}

/// Whether a word without backticks is a path.
pub(super) fn is_bare_path(word: &str) -> bool {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || "._/@+[]()$-".contains(c);
    word.chars().all(is_allowed)
        && word.contains(|c: char| c.is_ascii_alphanumeric())
        && has_path_shape(word)
}

/// Whether a name has an extension, begins with a dot, or is well known.
pub(super) fn is_file_name(text: &str) -> bool {
    // `a.rs:10-20` is a range of lines.
    let name = text.split(':').next().unwrap_or("");
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    let has_extension = (1..=5).contains(&extension.len())
        && extension.starts_with(|c: char| c.is_ascii_alphabetic())
        && extension.bytes().all(|byte| byte.is_ascii_alphanumeric());
    has_extension
        || text.starts_with('.') && text.len() > 1
        || is_in(&name.to_lowercase(), WELL_KNOWN)
}

/// "(directory)" and similar remarks.
pub(super) fn is_directory_remark(remark: &str) -> bool {
    let first = words(remark).into_iter().next();
    first.is_some_and(|word| is_in(&word, "directory|dir|folder"))
}

/// Reads a path as a grant stores it. `directory` says that it covers everything below; `design` is the document itself,
/// which rows cannot grant.
///
/// # Errors
/// The text is not a plain relative path inside the workspace.
pub(super) fn read(
    text: &str,
    directory: bool,
    design: &BStr,
) -> Result<(String, GrantKind), Problem> {
    let text = without_lines(text.trim());
    if text.is_empty() {
        return Err(problem::empty());
    }
    if is_placeholder(text) {
        return Err(problem::placeholder(text));
    }
    refuse_outside(text)?;
    let path = with_names_only(text);
    let is_glob = path.contains(['*', '{']);
    let is_wild = |name: &str| name.chars().all(|c| matches!(c, '*' | '?' | '.'));
    for each in expand(&path).ok_or_else(|| problem::bad_braces(text))? {
        refuse_outside(&each)?;
        match is_glob {
            true if each.split('/').all(is_wild) => return Err(problem::glob_too_wide(text)),
            false if each.is_empty() => return Err(problem::too_wide(text)),
            _ => check_path(&each, text, design)?,
        }
    }
    Ok(match (is_glob, directory || text.ends_with('/')) {
        (true, true) => (path + "/**", GrantKind::Glob),
        (true, false) => (path, GrantKind::Glob),
        (false, true) => (path, GrantKind::Directory),
        (false, false) => (path, GrantKind::File),
    })
}

/// A path without lines, empty names and `.`.
fn plain(text: &str) -> String {
    with_names_only(without_lines(text.trim()))
}

fn with_names_only(path: &str) -> String {
    names(path).collect::<Vec<_>>().join("/")
}

/// The names of a path without empty ones and `.`.
fn names(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter(|name| !matches!(*name, "" | "."))
}

/// Refuses paths that are dangerous on some system, belong to guard's settings, or are the design itself.
fn check_path(path: &str, text: &str, design: &BStr) -> Result<(), Problem> {
    // A design means the same on every system, so rules of the host do not apply.
    check_entry(path.into(), Kind::File, Platform::Unix).map_err(|rejection| {
        let (id, advice) = (rejection.reason.id(), rejection.reason.advice());
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
static LINES: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new("(.)(?::|#L)[0-9][-0-9:#LC–, ]*$").ok());

fn without_lines(text: &str) -> &str {
    // Hardly any path has lines, and the pattern is slow.
    let lines = LINES.as_ref().filter(|_| text.contains([':', '#']));
    let before = lines.and_then(|lines| lines.captures(text)?.get(1));
    before.map_or(text, |before| &text[..before.end()])
}

/// A word for a path that is not known yet. `*` and `.` alone are judged as globs and directories.
static PLACEHOLDER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let word = "n/a|na|none|todo|tbd|tba|xxx|[-–—…?:]+|(?:todo|tbd)[ :].*|to be .*";
    Regex::new(&format!(r"^[*_` ()\[\]]*(?is:{word})[*_` ()\[\]]*$")).ok()
});

/// Whether a text is a word or template for a path that is not known yet.
pub(super) fn is_placeholder(text: &str) -> bool {
    is_template(text) || PLACEHOLDER.as_ref().is_none_or(|word| word.is_match(text))
}

/// Whether a part of a path is to be filled in: `path/to/a`, `…/a`, `LLD-XXXX.md`, `<name>.py`, `{name}.py`.
fn is_template(text: &str) -> bool {
    let whole = format!("/{text}/");
    let parts = ["/path/to/", "/.../", "/…/", "XXXX", "0XXX"];
    let is_name = |rest: &str| {
        rest.split_once('}')
            .is_some_and(|(name, _)| !name.contains(','))
    };
    parts.iter().any(|part| whole.contains(part))
        || text.contains('<') && text.contains('>')
        || text.split('{').skip(1).any(is_name)
}

/// All paths that the braces expand to; `None` if they are unclosed or expand to too many.
pub(super) fn expand(path: &str) -> Option<Vec<String>> {
    glob::expand(path, "").filter(|all| all.iter().all(|path| !path.contains(['{', '}'])))
}

/// Accepts a link whose target matches its text: as a path from the root or from the design's directory, or as a URL
/// that ends with the text.
///
/// # Errors
/// The link names two different files, or a URL.
pub(super) fn agree(design: &BStr, text: &str, target: &str) -> Result<(), Problem> {
    let is_end = |text: &str| path_of(target).ends_with(&format!("/{text}"));
    match plain(text) {
        text if text.is_empty() || text.contains(":/") => Err(problem::uri(target)),
        text if text.contains('/') && is_end(&text) => Ok(()),
        _ => agree_in_repository(design, text, target),
    }
}

/// The same for a link that must lead to a file of the repository, which a URL does not.
fn agree_in_repository(design: &BStr, text: &str, target: &str) -> Result<(), Problem> {
    let (text, target) = (plain(text), path_of(target));
    let is_same = !target.starts_with('/') && plain(&target) == text;
    match is_same || resolve(design, &target).as_deref() == Some(&text) {
        true => Ok(()),
        false => Err(problem::link_mismatch(text, target)),
    }
}

/// Checks what an item holds beside its text.
///
/// # Errors
/// A part is struck out, an image or HTML, or a link names two files.
pub(super) fn check_pieces(run: &Run, design: &BStr) -> Result<(), Problem> {
    run.pieces.iter().try_for_each(|piece| match &piece.kind {
        PieceKind::Link { text, target } => agree_in_repository(design, text, target),
        PieceKind::Html(tag) if !tag.starts_with("<!--") => Err(problem::html(tag)),
        PieceKind::Image => Err(problem::image()),
        PieceKind::Struck => Err(problem::struck_out()),
        PieceKind::Html(_) | PieceKind::Code(_) => Ok(()),
    })
}

/// A target as decoded, without fragment and query.
fn path_of(target: &str) -> String {
    decode(target).split(['#', '?']).take(1).collect()
}

/// The path of a relative target, seen from the design.
fn resolve(design: &BStr, target: &str) -> Option<String> {
    let mut path: Vec<&str> = design.to_str().unwrap_or("").split('/').collect();
    path.pop();
    for name in names(target) {
        match name {
            ".." => drop(path.pop()?),
            name => path.push(name),
        }
    }
    Some(path.join("/"))
}

/// Percent-decodes a target like a browser; a target that is not UTF-8 after decoding stays unchanged.
pub(super) fn decode(target: &str) -> Cow<'_, str> {
    let decoded = percent_decode_str(target).decode_utf8();
    decoded.unwrap_or(Cow::Borrowed(target))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn entry(text: &str) -> Result<(String, GrantKind), &'static str> {
        read(text, false, BStr::new("docs/lld/LLD-1.md")).map_err(|problem| problem.reason)
    }

    fn file(path: &str) -> Result<(String, GrantKind), &'static str> {
        Ok((path.to_owned(), GrantKind::File))
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
            read("src/x", true, BStr::new("d")).unwrap().1,
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
    fn placeholders() {
        for text in [
            "path/to/file.py",
            "src/path/to/x",
            "docs/adr/XXXX-name.md",
            "docs/0XXX-a.md",
            "{path/to/file.py}",
            "src/{name}.py",
            "TBD",
            "todo",
            "TODO: find it",
            "N/A",
            "None",
            "-",
            "...",
            "src/.../x",
            "src/<module>/x.py",
            "*To be populated*",
            "?",
        ] {
            assert!(is_placeholder(text), "{text}");
        }
    }

    #[test]
    fn names_that_only_look_like_it() {
        for text in [
            "none.py",
            "src/todo",
            "na.rs",
            "*",
            ".",
            "src/{a,b}.rs",
            "my/path/tool.rs",
            "[...slug].tsx",
            "docs/08xx.md",
        ] {
            assert!(!is_placeholder(text), "{text}");
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

    fn agrees(text: &str, target: &str) -> bool {
        agree(BStr::new("docs/lld/LLD-1.md"), text, target).is_ok()
    }

    #[test]
    fn same_file() {
        assert!(agrees("src/a.py", "src/a.py"));
        assert!(agrees("src/a.py", "./src/a.py#L10"));
        assert!(agrees("src/a.py", "../../src/a.py"));
        assert!(agrees("README.md", "../../README.md"));
        assert!(agrees("src/a.py", "../blob/main/src/a.py"));
        assert!(agrees("src/a b.py", "src/a%20b.py"));
        assert!(agrees("src/x/", "src/x"));
    }

    #[test]
    fn two_files() {
        assert!(!agrees("src/a.py", "src/evil.py"));
        assert!(!agrees("a.py", "src/a.py"));
        assert!(!agrees("src/a.py", "https://example.org/xsrc/a.py"));
        assert!(!agrees("https://x/src/a.py", "https://x/src/a.py"));
    }

    #[test]
    fn decoding() {
        assert_eq!(decode("a%20b%2"), "a b%2");
        assert_eq!(decode("%ff"), "%ff");
        assert_eq!(decode("%+1"), "%+1");
    }
}
