//! Reads one path and what it grants: a file, a directory or a glob.

use gix::bstr::{BStr, ByteSlice};

use super::braces;
use super::placeholder::is_placeholder;
use super::problem::{Problem, empty_cell, escaped, placeholder, url};
use crate::change::Kind;
use crate::finding::Rule;
use crate::path::{MAX_PATH, Platform, check_entry};
use crate::policy::GrantKind;

/// A path as a grant stores it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct GrantPath {
    pub(super) path: String,
    pub(super) kind: GrantKind,
}

/// The longest text to read, in bytes: braces may expand to several paths.
const TEXT_MAX: usize = 4 * MAX_PATH;

/// Reads a path. `directory` says that it covers everything below; `design` is the document itself, which rows cannot
/// grant.
///
/// # Errors
/// The text is not a plain relative path inside the workspace.
pub(super) fn read(text: &str, directory: bool, design: &BStr) -> Result<GrantPath, Problem> {
    let text = without_line_suffix(text.trim());
    if text.is_empty() {
        return Err(empty_cell());
    }
    if text.len() > TEXT_MAX {
        let message = format!("the path has {} bytes, more than {MAX_PATH}", text.len());
        return Err(Problem::bad_row(
            "path-too-long",
            message,
            "write one path per row",
        ));
    }
    if is_placeholder(text) {
        return Err(placeholder(text));
    }
    refuse_outside(text)?;
    if text.contains('\\') {
        return Err(Problem::bad_row(
            "backslash",
            format!("`{}` contains a backslash", escaped(text)),
            format!(
                "separate directories with `/`: `{}`",
                escaped(&text.replace('\\', "/"))
            ),
        ));
    }
    let directory = directory || text.ends_with('/');
    let path = plain(text);
    let is_glob = path.contains('*') || path.contains('{');
    if path.is_empty() {
        return Err(too_wide("too-wide", text));
    }
    let check = |path: &str| {
        refuse_outside(path)?;
        let is_wild = |name: &str| name.chars().all(|c| matches!(c, '*' | '?' | '.'));
        if is_glob && names(path).all(is_wild) {
            return Err(too_wide("glob-too-wide", text));
        }
        check_path(path, text, design)
    };
    if is_glob {
        expand(&path)?.iter().try_for_each(|path| check(path))?;
    } else {
        check(&path)?;
    }
    let (path, kind) = match (is_glob, directory) {
        (true, true) => (format!("{path}/**"), GrantKind::Glob),
        (true, false) => (path, GrantKind::Glob),
        (false, true) => (path, GrantKind::Directory),
        (false, false) => (path, GrantKind::File),
    };
    Ok(GrantPath { path, kind })
}

/// The path without empty names and `.`.
fn plain(text: &str) -> String {
    let is_plain = |name: &str| !name.is_empty() && name != ".";
    match text.split('/').all(is_plain) {
        true => text.to_owned(),
        false => names(text).collect::<Vec<_>>().join("/"),
    }
}

fn names(path: &str) -> impl Iterator<Item = &str> {
    path.split('/')
        .filter(|name| !name.is_empty() && *name != ".")
}

/// Refuses paths that rows cannot grant.
///
/// # Errors
/// The path is dangerous on some system, belongs to guard's settings, or is the design itself.
pub(super) fn check_path(path: &str, text: &str, design: &BStr) -> Result<(), Problem> {
    // A design means the same on every system, so rules of the host do not apply.
    check_entry(path.into(), Kind::File, Platform::Unix).map_err(|rejection| {
        let reason = rejection.reason;
        Problem::bad_row(reason.id(), rejection.message, reason.advice())
    })?;
    let mut names = names(path);
    let first = names.next().unwrap_or("");
    if first.eq_ignore_ascii_case(".guard")
        || (first.eq_ignore_ascii_case("guard.toml") && names.next().is_none())
    {
        return Err(Problem::bad_row(
            "protected-file",
            format!(
                "`{}` belongs to guard's settings, which a row cannot grant",
                escaped(text)
            ),
            "remove the row; change the settings in a separate commit",
        ));
    }
    if path.as_bytes() == design.as_bytes() {
        return Err(Problem::bad_row(
            "self-grant",
            "the design lists itself",
            "remove the row; a design may always change in a separate commit",
        ));
    }
    Ok(())
}

/// Refuses paths outside the workspace, and text that is not a path.
fn refuse_outside(text: &str) -> Result<(), Problem> {
    let outside = |reason, why: &str| {
        let help = "write the path relative to the repository root, without `..`";
        Err(Problem::new(
            Rule::DesignOutside,
            reason,
            format!("`{}` {why}", escaped(text)),
            help,
        ))
    };
    let has_scheme = text.contains(':') && text.contains("://");
    if has_scheme || text.starts_with("mailto:") || text.starts_with("file:") {
        return Err(url(text));
    }
    let has_drive = text.as_bytes().first().is_some_and(u8::is_ascii_alphabetic)
        && text.as_bytes().get(1) == Some(&b':');
    if has_drive || text.starts_with(['/', '\\']) {
        return outside("absolute", "is absolute");
    }
    if text.starts_with('~') {
        return outside(
            "tilde",
            "starts with `~`, which other programs expand to a home directory",
        );
    }
    let has_dots = text.as_bytes().windows(2).any(|pair| pair == b"..");
    if has_dots && text.split(['/', '\\']).any(|name| name == "..") {
        return outside("dotdot", "contains `..`");
    }
    Ok(())
}

fn too_wide(reason: &'static str, text: &str) -> Problem {
    Problem::new(
        Rule::DesignTooWide,
        reason,
        format!("`{}` grants the whole workspace", escaped(text)),
        "name the files or directories of this change",
    )
}

fn expand(path: &str) -> Result<Vec<String>, Problem> {
    braces::expand(path).ok_or_else(|| {
        Problem::bad_row(
            "bad-braces",
            format!(
                "the braces in `{}` are unclosed or expand to too many paths",
                escaped(path)
            ),
            "write `{a,b}` with a closing brace, or one row per path",
        )
    })
}

/// Strips `:12`, `:12:3`, `:12-34`, `#L10` or `#L10-L20` from the end.
fn without_line_suffix(text: &str) -> &str {
    if text.contains('#')
        && let Some((path, fragment)) = text.rsplit_once("#L")
    {
        let is_line = fragment.starts_with(|c: char| c.is_ascii_digit())
            && fragment
                .chars()
                .all(|c| c.is_ascii_digit() || matches!(c, 'L' | 'C' | '-'));
        if is_line && !path.is_empty() {
            return path;
        }
    }
    let mut path = text;
    for _ in 0..2 {
        match path.rsplit_once(':') {
            Some((rest, lines)) if !rest.is_empty() && is_line_range(lines) => path = rest,
            _ => break,
        }
    }
    path
}

fn is_line_range(text: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_range = |text: &str| match text.split_once(['-', '–']) {
        Some((first, last)) => is_number(first) && is_number(last),
        None => is_number(text),
    };
    text.split(',').all(|part| is_range(part.trim()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn entry(text: &str) -> Result<(String, GrantKind), &'static str> {
        read(text, false, BStr::new("docs/lld/LLD-1.md"))
            .map(|entry| (entry.path, entry.kind))
            .map_err(|problem| problem.reason)
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
            read("src/x", true, BStr::new("d")).unwrap().kind,
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
}
