//! Names that some file system treats as `.git` or as a file that configures git.
//!
//! NTFS drops trailing blanks and dots, reads `name:stream`, gives long names an 8.3 short name, and Windows accepts
//! `\` as a separator. HFS+ ignores case and some code points; APFS ignores case. A repository may be checked out
//! anywhere, so these rules apply on every platform.

use std::borrow::Cow;

use super::portable::fold;
use super::reason::{PathFault, Reason};
use super::text::text;

/// Refuses a path with a component that some file system treats as `.git`.
pub(super) fn check_git_dir(path: &str) -> Result<(), PathFault> {
    for component in path.split('/') {
        if component.eq_ignore_ascii_case(".git") {
            return Err(PathFault::new(
                Reason::GitDir,
                "leads into git's own directory",
            ));
        }
        if component.split('\\').any(is_git_alias) {
            return Err(PathFault::new(
                Reason::GitDirAlias,
                "contains a name that some file systems treat as .git",
            ));
        }
    }
    Ok(())
}

fn is_git_alias(name: &str) -> bool {
    let name = folded(name);
    [&b".git"[..], b"git~1"]
        .iter()
        .any(|git| tail_after(&name, git).is_some_and(vanishes_on_ntfs))
}

/// Files that configure git, each with the first six characters of its short names on NTFS: of the ordinary ones,
/// followed by `~1` to `~4`, and of the hashed ones, which NTFS uses when the ordinary ones are taken (values from
/// git's documentation).
const CONTROL_FILES: [(&str, &str, &str); 4] = [
    (".gitmodules", "gitmod", "gi7eba"),
    (".gitattributes", "gitatt", "gi7d29"),
    (".gitignore", "gitign", "gi250a"),
    (".mailmap", "mailma", "maba30"),
];

/// The control file that the last component of a path matches.
pub(super) fn control_file(path: &[u8]) -> Option<&'static str> {
    let name = path.rsplit(|&b| b == b'/' || b == b'\\').next()?;
    let name = folded(text(name).ok()?);
    let found = CONTROL_FILES.into_iter().find(|(file, short, hashed)| {
        tail_after(&name, file.as_bytes()).is_some_and(vanishes_on_ntfs)
            || tail_after(&name, short.as_bytes()).is_some_and(is_ordinary_number)
            || is_hashed_short_name(&name, hashed.as_bytes())
    });
    found.map(|(file, ..)| file)
}

/// `~1` to `~4`: from the fifth collision on, NTFS hashes.
fn is_ordinary_number(tail: &[u8]) -> bool {
    matches!(tail, [b'~', b'1'..=b'4', rest @ ..] if vanishes_on_ntfs(rest))
}

/// Eight characters: as much of the prefix as fits, `~`, and a number without leading zero.
fn is_hashed_short_name(name: &[u8], prefix: &[u8]) -> bool {
    let Some((short, rest)) = name.split_at_checked(8) else {
        return false;
    };
    let Some(tilde) = short.iter().position(|&b| b == b'~') else {
        return false;
    };
    let number = &short[tilde + 1..];
    prefix
        .get(..tilde)
        .is_some_and(|prefix| short[..tilde].eq_ignore_ascii_case(prefix))
        && number.first().is_some_and(|&digit| digit != b'0')
        && number.iter().all(u8::is_ascii_digit)
        && vanishes_on_ntfs(rest)
}

/// The text after the prefix, ignoring case.
fn tail_after<'a>(name: &'a [u8], prefix: &[u8]) -> Option<&'a [u8]> {
    let (head, tail) = name.split_at_checked(prefix.len())?;
    head.eq_ignore_ascii_case(prefix).then_some(tail)
}

/// Whether the rest is empty, blanks and dots, or such a stream name.
fn vanishes_on_ntfs(tail: &[u8]) -> bool {
    tail.iter()
        .find(|&&b| b != b' ' && b != b'.')
        .is_none_or(|&b| b == b':')
}

/// The name as file systems compare it; the callers handle ASCII case.
fn folded(name: &str) -> Cow<'_, [u8]> {
    if name.is_ascii() {
        Cow::Borrowed(name.as_bytes())
    } else {
        Cow::Owned(fold(name.into()).into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(path: &str) -> Option<Reason> {
        check_git_dir(path).err().map(|fault| fault.reason)
    }

    #[test]
    fn git_dir_in_any_case_at_any_depth() {
        for path in [".git", ".GIT/config", "a/.gIt/x", ".git/../a"] {
            assert_eq!(verdict(path), Some(Reason::GitDir), "{path}");
        }
    }

    #[test]
    fn disguises_of_the_git_dir() {
        for path in [
            "git~1",
            "a/GIT~1/x",
            ".git ",
            ".git. ./x",
            ".git:x",
            ".git::$INDEX_ALLOCATION",
            "GIT~1 .:s",
            ".\\.git\\x",
            "a\\.GIT",
            "\u{200c}.git",
            ".g\u{feff}it",
            ".git\u{200d} ",
            "git\u{206e}~1",
        ] {
            assert_eq!(verdict(path), Some(Reason::GitDirAlias), "{path:?}");
        }
    }

    #[test]
    fn names_similar_to_the_git_dir_are_allowed() {
        for path in [
            ".gitu",
            ".github/x",
            ".gitignore",
            "git",
            "git~2",
            "git~10",
            "gitu~1",
            "a.git",
            ".git~1",
            ".git x",
            "..git",
        ] {
            assert_eq!(verdict(path), None, "{path}");
        }
    }

    #[test]
    fn control_files_by_all_their_names() {
        for (path, file) in [
            (".gitmodules", ".gitmodules"),
            ("a/.GitModules. ", ".gitmodules"),
            (".gitmodules:$DATA", ".gitmodules"),
            ("GITMOD~1 .", ".gitmodules"),
            ("gitatt~4", ".gitattributes"),
            ("GI7EBA~1", ".gitmodules"),
            ("GI7EB~10", ".gitmodules"),
            ("GI7D29~1", ".gitattributes"),
            ("GI250A~9", ".gitignore"),
            ("MABA30~1", ".mailmap"),
            ("MAILMA~1", ".mailmap"),
            ("~1000000", ".gitmodules"),
            ("x\\.mailmap", ".mailmap"),
            (".git\u{200c}ignore", ".gitignore"),
            // U+017F folds to s.
            (".gitmodule\u{17f}", ".gitmodules"),
        ] {
            assert_eq!(control_file(path.as_bytes()), Some(file), "{path:?}");
        }
    }

    #[test]
    fn names_similar_to_control_files_are_allowed() {
        for path in [
            "gitmodules",
            ".gitmodule",
            ".gitmodules x",
            ".gitmodules .x",
            "GITMOD~0",
            "GITMOD~5",
            "GITMOD~11",
            "GI7EBA~0",
            "GI7EBA~~1",
            "Gx7EBA~1",
            "GI7EBX~1",
            "GI7EB~1",
            "GI7EB~01",
            "GI7EB~1X",
            "GI7EBA~1x",
        ] {
            assert_eq!(control_file(path.as_bytes()), None, "{path}");
        }
    }
}
