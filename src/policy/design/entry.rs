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
    let Some(alternatives) = braces::expand(&path) else {
        let help = "write `{a,b}` with a closing brace, or one row per path";
        let why = "has braces that are unclosed or expand to too many paths";
        return Err(refused("bad-braces", text, why, help));
    };
    for each in alternatives {
        refuse_outside(&each)?;
        if each.is_empty() || is_glob && each.split('/').all(is_wild) {
            let reason = if is_glob { "glob-too-wide" } else { "too-wide" };
            let help = "name the files or directories of this change";
            let why = "grants the whole workspace";
            return Err(refused(reason, text, why, help));
        }
        check_path(&each, text, design)?;
    }
    let directory = directory || text.ends_with('/');
    if is_glob && directory {
        path.push_str("/**");
    }
    let kind = match (is_glob, directory) {
        (true, _) => GrantKind::Glob,
        (false, true) => GrantKind::Directory,
        (false, false) => GrantKind::File,
    };
    Ok(GrantPath { path, kind })
}

fn refused(reason: &'static str, text: &str, why: &str, help: &str) -> Problem {
    let rule = match reason {
        "absolute" | "tilde" | "dotdot" => Rule::DesignOutside,
        "too-wide" | "glob-too-wide" => Rule::DesignTooWide,
        _ => Rule::DesignBadRow,
    };
    Problem::new(rule, reason, format!("`{}` {why}", escaped(text)), help)
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
    let is_settings =
        first.eq_ignore_ascii_case(".guard") || path.eq_ignore_ascii_case("guard.toml");
    let (reason, why) = if is_settings {
        ("protected-file", "belongs to guard's settings")
    } else if path.as_bytes() == design.as_bytes() {
        ("self-grant", "is the design itself")
    } else {
        return Ok(());
    };
    let help = "remove the row; the file may change in a separate commit";
    Err(refused(reason, text, why, help))
}

/// Refuses paths outside the workspace, and text that is not a path.
fn refuse_outside(text: &str) -> Result<(), Problem> {
    if text.contains("://") || text.starts_with("mailto:") || text.starts_with("file:") {
        return Err(url(text));
    }
    let (reason, why) = match text.as_bytes() {
        [b'/' | b'\\', ..] => ("absolute", "is absolute"),
        [drive, b':', ..] if drive.is_ascii_alphabetic() => ("absolute", "is absolute"),
        [b'~', ..] => ("tilde", "starts with `~`"),
        _ if text.split(['/', '\\']).any(|name| name == "..") => ("dotdot", "contains `..`"),
        _ if text.contains('\\') => ("backslash", "contains a backslash"),
        _ => return Ok(()),
    };
    let help = "write the path from the root of the repository, with `/` and without `..`";
    Err(refused(reason, text, why, help))
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
