//! Reads one path and what it grants: a file, a directory or a glob.

use gix::bstr::{BStr, ByteSlice};

use super::braces;
use super::placeholder::is_placeholder;
use super::problem::{Problem, empty_cell, escaped, placeholder, url};
use crate::change::Kind;
use crate::finding::Rule;
use crate::path::{Platform, check_entry};
use crate::policy::GrantKind;

/// A path as a grant stores it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct GrantPath {
    pub(super) path: String,
    pub(super) kind: GrantKind,
}

/// Reads a path. `directory` says that it covers everything below; `design` is the document itself, which rows cannot
/// grant.
///
/// # Errors
/// The text is not a plain relative path inside the workspace.
pub(super) fn read(text: &str, directory: bool, design: &BStr) -> Result<GrantPath, Problem> {
    let text = without_lines(text.trim());
    if text.is_empty() {
        return Err(empty_cell());
    }
    if is_placeholder(text) {
        return Err(placeholder(text));
    }
    refuse_outside(text)?;
    let mut path = plain(text);
    let is_glob = path.contains(['*', '{']);
    let is_wild = |name: &str| name.chars().all(|c| matches!(c, '*' | '?' | '.'));
    for each in expand(&path)? {
        refuse_outside(&each)?;
        if each.is_empty() || is_glob && each.split('/').all(is_wild) {
            return Err(too_wide(text, is_glob));
        }
        check_path(&each, text, design)?;
    }
    let directory = directory || text.ends_with('/');
    let kind = match (is_glob, directory) {
        (true, _) => GrantKind::Glob,
        (false, true) => GrantKind::Directory,
        (false, false) => GrantKind::File,
    };
    if is_glob && directory {
        path.push_str("/**");
    }
    Ok(GrantPath { path, kind })
}

/// A path without lines, empty names and `.`.
pub(super) fn plain(text: &str) -> String {
    let names = without_lines(text.trim()).split('/');
    let names = names.filter(|name| !name.is_empty() && *name != ".");
    names.collect::<Vec<_>>().join("/")
}

/// Refuses paths that are dangerous on some system, belong to guard's settings, or are the design itself.
fn check_path(path: &str, text: &str, design: &BStr) -> Result<(), Problem> {
    // A design means the same on every system, so rules of the host do not apply.
    check_entry(path.into(), Kind::File, Platform::Unix).map_err(|rejection| {
        let reason = rejection.reason;
        Problem::bad_row(reason.id(), rejection.message, reason.advice())
    })?;
    let first = path.split('/').next().unwrap_or("");
    if first.eq_ignore_ascii_case(".guard") || path.eq_ignore_ascii_case("guard.toml") {
        let text = escaped(text);
        return Err(Problem::bad_row(
            "protected-file",
            format!("`{text}` belongs to guard's settings, which a row cannot grant"),
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
    let is_url = text.contains("://") || text.starts_with("mailto:") || text.starts_with("file:");
    let (reason, why) = match text.as_bytes() {
        _ if is_url => return Err(url(text)),
        [b'/' | b'\\', ..] => ("absolute", "is absolute"),
        [drive, b':', ..] if drive.is_ascii_alphabetic() => ("absolute", "is absolute"),
        [b'~', ..] => (
            "tilde",
            "starts with `~`, which other programs expand to a home directory",
        ),
        _ if text.split(['/', '\\']).any(|name| name == "..") => ("dotdot", "contains `..`"),
        _ if text.contains('\\') => {
            let message = format!("`{}` contains a backslash", escaped(text));
            let help = escaped(&text.replace('\\', "/"));
            let help = format!("separate directories with `/`: `{help}`");
            return Err(Problem::bad_row("backslash", message, help));
        }
        _ => return Ok(()),
    };
    let message = format!("`{}` {why}", escaped(text));
    let help = "write the path relative to the repository root, without `..`";
    Err(Problem::new(Rule::DesignOutside, reason, message, help))
}

fn too_wide(text: &str, is_glob: bool) -> Problem {
    let reason = if is_glob { "glob-too-wide" } else { "too-wide" };
    let message = format!("`{}` grants the whole workspace", escaped(text));
    let help = "name the files or directories of this change";
    Problem::new(Rule::DesignTooWide, reason, message, help)
}

fn expand(path: &str) -> Result<Vec<String>, Problem> {
    let path_text = escaped(path);
    let message =
        || format!("the braces in `{path_text}` are unclosed or expand to too many paths");
    let help = "write `{a,b}` with a closing brace, or one row per path";
    braces::expand(path).ok_or_else(|| Problem::bad_row("bad-braces", message(), help))
}

/// Strips `:12`, `:12:3`, `:12-34`, `#L10` or `#L10-L20` from the end.
fn without_lines(text: &str) -> &str {
    let is_line = |c: char| c.is_ascii_digit() || ":#LC-–, ".contains(c);
    let head = text.trim_end_matches(is_line).len();
    let begins = |at: usize| {
        let rest = text.get(at..).unwrap_or("");
        let lines = rest.strip_prefix(':').or(rest.strip_prefix("#L"));
        lines.is_some_and(|lines| lines.starts_with(|c: char| c.is_ascii_digit()))
    };
    let cut = (head.max(1)..text.len()).find(|&at| begins(at));
    cut.and_then(|at| text.get(..at)).unwrap_or(text)
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
