//! Rules for all names: text, characters, length, and what some file system treats as `.git` or as a file that configures
//! git.
//!
//! NTFS drops trailing blanks and dots, reads `name:stream`, gives long names an 8.3 short name, and Windows accepts
//! `\` as a separator. HFS+ ignores case and some code points; APFS ignores case. A repository may be checked out
//! anywhere, so these rules apply on every platform.

use std::borrow::Cow;

use super::chars::{self, fold};
use super::platform::Platform;
use super::reason::Reason;
use super::rejection::{PathFault, refuse};

/// The longest component: bytes on Unix (`NAME_MAX`), UTF-16 units on Windows.
pub const MAX_NAME: usize = 255;

/// The longest path in bytes (`PATH_MAX` without the final NUL): of an absolute request including the root, of an
/// entry relative to the repository, and of a link target.
pub const MAX_PATH: usize = 4095;

/// Checks the components of a path: NUL, UTF-8, `.git` and its disguises, misleading characters, and length. Does not
/// check the shape of the path (`..`, absolute, empty).
pub(super) fn faults(path: &[u8], platform: Platform) -> Result<(), PathFault> {
    let path = text(path)?;
    check_git_dir(path)?;
    check_chars(path)?;
    check_dots(path)?;
    check_lengths(path, platform)
}

fn check_chars(path: &str) -> Result<(), PathFault> {
    let mut previous = None;
    for c in path.chars() {
        let reason = if chars::is_emoji_selector(c) && !chars::takes_emoji_selector(previous) {
            Some(Reason::InvisibleChar)
        } else {
            chars::fault(c)
        };
        if let Some(reason) = reason {
            let what = format!("contains {} U+{:04X}", chars::noun(reason), u32::from(c));
            return refuse(reason, what);
        }
        previous = Some(c);
    }
    Ok(())
}

/// Refuses components that look like `.`, `..` or `.git` and normalise to them.
fn check_dots(path: &str) -> Result<(), PathFault> {
    let Some(dot) = path.chars().find(|&c| chars::as_ascii_dots(c).is_some()) else {
        return Ok(());
    };
    let mut plain = String::with_capacity(path.len());
    for c in path.chars() {
        match chars::as_ascii_dots(c) {
            Some(dots) => plain.push_str(dots),
            None => plain.push(c),
        }
    }
    let mut names = path.split('/').zip(plain.split('/'));
    let is_step =
        names.any(|(name, plain_name)| name != plain_name && matches!(plain_name, "." | ".."));
    if is_step || check_git_dir(&plain).is_err() {
        let what = format!("contains the dot look-alike U+{:04X}", u32::from(dot));
        return refuse(Reason::ConfusableSeparator, what);
    }
    Ok(())
}

fn check_lengths(path: &str, platform: Platform) -> Result<(), PathFault> {
    for name in platform.segments(path.as_bytes()) {
        let (length, unit) = match platform {
            Platform::Unix => (name.len(), "bytes"),
            Platform::Windows => (
                String::from_utf8_lossy(name).encode_utf16().count(),
                "UTF-16 units",
            ),
        };
        if length > MAX_NAME {
            let what = format!("contains a name of {length} {unit}; the limit is {MAX_NAME}");
            return refuse(Reason::NameTooLong, what);
        }
    }
    Ok(())
}

/// Refuses paths longer than [`MAX_PATH`] bytes.
pub(super) fn check_path_length(length: usize) -> Result<(), PathFault> {
    if length > MAX_PATH {
        let what = format!("is {length} bytes long; the limit is {MAX_PATH}");
        return refuse(Reason::PathTooLong, what);
    }
    Ok(())
}

/// The path as text.
pub(super) fn text(path: &[u8]) -> Result<&str, PathFault> {
    if path.contains(&0) {
        return refuse(Reason::Nul, "contains a NUL byte (U+0000)");
    }
    std::str::from_utf8(path).map_err(|error| {
        // A truncated character at the end has a start but no invalid byte after it.
        let byte = path.get(error.valid_up_to()).copied().unwrap_or_default();
        PathFault::new(Reason::NonUtf8, format!("is not UTF-8 (byte 0x{byte:02X})"))
    })
}

/// Refuses a path with a component that some file system treats as `.git`.
pub(super) fn check_git_dir(path: &str) -> Result<(), PathFault> {
    for component in path.split('/') {
        if component.eq_ignore_ascii_case(".git") {
            return refuse(Reason::GitDir, "leads into git's own directory");
        }
        if component.split('\\').any(is_git_alias) {
            return refuse(
                Reason::GitDirAlias,
                "contains a name that some file systems treat as .git",
            );
        }
    }
    Ok(())
}

fn is_git_alias(name: &str) -> bool {
    let name = folded(name);
    let tail = tail_after(&name, b".git").or_else(|| tail_after(&name, b"git~1"));
    tail.is_some_and(vanishes_on_ntfs)
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
    let start = prefix.get(..tilde);
    start.is_some_and(|start| short[..tilde].eq_ignore_ascii_case(start))
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
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn verdict(path: &[u8]) -> Option<Reason> {
        faults(path, Platform::Unix).err().map(|f| f.reason)
    }

    #[test]
    fn the_message_names_the_character() {
        let path = "src/a\u{202e}yp.b".as_bytes();
        let rejection = faults(path, Platform::Unix).unwrap_err().of(path);
        assert_eq!(
            rejection.message,
            r#""src/a\u{202e}yp.b" contains the bidirectional control U+202E"#
        );
    }

    #[test]
    fn text_must_be_utf8_without_nul() {
        assert_eq!(verdict(b"a\0b"), Some(Reason::Nul));
        for bytes in [&b"a\xff"[..], b"\xc0\xae/x", b"a\xc3", b"\xed\xa0\x80"] {
            assert_eq!(verdict(bytes), Some(Reason::NonUtf8));
        }
    }

    #[test]
    fn lookalike_dots_matter_only_in_special_names() {
        for path in [
            "\u{2024}\u{2024}/x",
            "\u{2025}/x",
            "a/.\u{ff0e}",
            "\u{fe52}git/x",
        ] {
            assert_eq!(
                verdict(path.as_bytes()),
                Some(Reason::ConfusableSeparator),
                "{path}"
            );
        }
        for path in ["第1．章.md", "\u{2025}\u{2025}x", "a/../第1．章.md"] {
            assert_eq!(verdict(path.as_bytes()), None, "{path}");
        }
    }

    #[test]
    fn emoji_selectors_follow_emoji_only() {
        assert_eq!(verdict("1\u{fe0f}\u{20e3}.md".as_bytes()), None);
        assert_eq!(
            verdict("a\u{fe0f}.md".as_bytes()),
            Some(Reason::InvisibleChar)
        );
    }

    #[test]
    fn names_are_measured_in_the_platforms_unit() {
        let at = "a".repeat(MAX_NAME);
        let over = format!("x/{at}a/y");
        let wide = "é".repeat(128);
        assert_eq!(verdict(at.as_bytes()), None);
        assert_eq!(verdict(over.as_bytes()), Some(Reason::NameTooLong));
        assert_eq!(verdict(wide.as_bytes()), Some(Reason::NameTooLong));
        assert!(faults(wide.as_bytes(), Platform::Windows).is_ok());
        assert!(faults(over.as_bytes(), Platform::Windows).is_err());
    }
}

#[cfg(test)]
mod disguise_tests {
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
