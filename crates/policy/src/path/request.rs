//! Paths that requests name.

use bstr::BString;

use super::chars::fold;
use super::entry;
use super::names::{self, check_git_dir, check_path_length, text};
use super::platform::Platform;
use super::reason::Reason;
use super::rejection::{PathFault, Rejection, refuse};
use super::windows::{check_backslash_traversal, check_windows_absolute, drive, resolved};
use crate::change::Kind;

/// The path in the workspace that a request names.
///
/// `root` is the canonical absolute path of the workspace; `input` is relative to it, or absolute. The result is
/// separated by `/`, without `.`, `..` and repeated slashes, never empty, and passes [`check_entry`](super::check_entry).
///
/// This is lexical: `..` inside the workspace is resolved by name. A caller with a file system must also resolve the
/// *input*, because `link/..` may be elsewhere. Nothing is decoded or expanded: `%2e`, `$HOME` and `*` are literal.
pub fn normalize_request(
    root: &[u8],
    input: &[u8],
    platform: Platform,
) -> Result<BString, Rejection> {
    normalize(root, input, platform).map_err(|fault| fault.of(input))
}

/// A request made in the directory `here`, relative to the workspace root.
///
/// An absolute path stays unchanged, and so does a relative path that [`normalize_request`] refuses: `~/x` does not
/// become a file in that directory.
pub fn from_directory(here: &[u8], input: &[u8], platform: Platform) -> BString {
    match anchor(input, platform) {
        Ok((PathAnchor::Relative, rest)) if text(rest).and_then(check_relative).is_ok() => {
            below_directory(here, input)
        }
        _ => input.into(),
    }
}

/// The path of a name in a directory; the root is empty.
pub fn below_directory(directory: &[u8], name: &[u8]) -> BString {
    if directory.is_empty() {
        name.into()
    } else {
        [directory, b"/", name].concat().into()
    }
}

/// The part of a request below the workspace as spelled, with `.`, `..` and repeated slashes. Use it only for
/// requests that [`normalize_request`] accepts.
///
/// # Errors
/// The path is absolute and outside the workspace.
pub fn spelled_below<'a>(
    root: &[u8],
    input: &'a [u8],
    platform: Platform,
) -> Result<&'a [u8], Rejection> {
    let below = below(root, input, platform).map_err(|fault| fault.of(input))?;
    let start = below.iter().position(|&byte| !platform.is_separator(byte));
    Ok(&below[start.unwrap_or(below.len())..])
}

fn normalize(root: &[u8], input: &[u8], platform: Platform) -> Result<BString, PathFault> {
    if input.contains(&0) {
        return refuse(Reason::Nul, "contains a NUL byte (U+0000)");
    }
    let below = below(root, input, platform)?;
    // Checks the spelling, so that names before `..` count, too.
    check_git_dir(text(below)?)?;
    let path = resolve(below, platform)?;
    check_windows_absolute(&path)?;
    // The spelling: `..` may take back a name with `\`, which separates on other systems.
    check_backslash_traversal(below, 0)?;
    names::faults(below, platform)?;
    // What is left must be what a commit may have.
    entry::faults(&path, Kind::File, platform)?;
    let root_end = root.iter().rposition(|&byte| !platform.is_separator(byte));
    check_path_length(root_end.map_or(0, |last| last + 1) + 1 + path.len())?;
    Ok(path)
}

/// The part of a request below the workspace.
fn below<'a>(root: &[u8], input: &'a [u8], platform: Platform) -> Result<&'a [u8], PathFault> {
    let (anchor, rest) = anchor(input, platform)?;
    if anchor != PathAnchor::Relative {
        return below_root(root, anchor, rest, platform);
    }
    check_relative(text(rest)?)?;
    Ok(rest)
}

/// Refuses relative spellings that other programs would expand or fetch.
fn check_relative(input: &str) -> Result<(), PathFault> {
    if input.trim().is_empty() {
        return refuse(Reason::Empty, "is not a path");
    }
    if input.starts_with('~') {
        let what = "starts with ~, which shells and tools expand to another directory";
        return refuse(Reason::Tilde, what);
    }
    if let Some((scheme, _)) = input.split_once("://")
        && scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
        && scheme.len() > 1
    {
        return refuse(Reason::Uri, "is a URL");
    }
    Ok(())
}

/// Resolves `.` and `..`. Refuses paths outside the workspace, the workspace itself, and spellings of directories.
fn resolve(below: &[u8], platform: Platform) -> Result<BString, PathFault> {
    let Some(names) = resolved(Vec::new(), platform.segments(below)) else {
        return refuse(Reason::PathEscapes, "leaves the workspace through ..");
    };
    if names.is_empty() {
        return refuse(Reason::IsWorkspaceRoot, "is the workspace itself");
    }
    if matches!(platform.segments(below).last(), Some(b"" | b"." | b"..")) {
        return refuse(Reason::TrailingSlash, "names a directory");
    }
    Ok(names.join(&b'/').into())
}

/// The start of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PathAnchor {
    Relative,
    /// `/`, or `\` on Windows: the root, or the root of the current drive.
    Root,
    /// `C:\`, as its lower-case letter.
    Drive(u8),
    /// `\\server\share`, or a volume without a letter.
    Server,
}

/// The part of an absolute path below the workspace; `rest` follows the anchor.
fn below_root<'a>(
    root: &[u8],
    anchor: PathAnchor,
    mut rest: &'a [u8],
    platform: Platform,
) -> Result<&'a [u8], PathFault> {
    if platform == Platform::Windows
        && anchor == PathAnchor::Root
        && rest.iter().all(|&byte| platform.is_separator(byte))
    {
        return refuse(Reason::IsDriveRoot, "is the root of a drive");
    }
    let outside = "is an absolute path outside the workspace";
    let (root_anchor, root) = self::anchor(root, platform)?;
    if anchor != root_anchor {
        return refuse(Reason::PathOutside, outside);
    }
    for expected in platform.segments(root).filter(|name| !is_here(name)) {
        let (name, tail) = next_name(rest, platform);
        let same = match platform {
            Platform::Unix => name == expected,
            Platform::Windows => fold(name.into()) == fold(expected.into()),
        };
        if !same {
            return refuse(Reason::PathOutside, outside);
        }
        rest = tail;
    }
    Ok(rest)
}

/// The first component that is neither empty nor `.`, and the rest.
fn next_name(mut path: &[u8], platform: Platform) -> (&[u8], &[u8]) {
    while let Some(end) = path.iter().position(|&b| platform.is_separator(b)) {
        let name = &path[..end];
        let tail = &path[end + 1..];
        if !is_here(name) {
            return (name, tail);
        }
        path = tail;
    }
    (path, b"")
}

fn is_here(name: &[u8]) -> bool {
    matches!(name, b"" | b".")
}

/// What follows the separator with which the path begins.
fn behind_separator(path: &[u8], platform: Platform) -> Option<&[u8]> {
    let (&first, rest) = path.split_first()?;
    platform.is_separator(first).then_some(rest)
}

/// Splits off the anchor.
fn anchor(path: &[u8], platform: Platform) -> Result<(PathAnchor, &[u8]), PathFault> {
    if platform == Platform::Unix {
        return Ok(match path.strip_prefix(b"/") {
            Some(rest) => (PathAnchor::Root, rest),
            None => (PathAnchor::Relative, path),
        });
    }
    // `\\?\`, the prefix of canonical Windows paths, does not change the drive or server.
    let verbatim = path.strip_prefix(br"\\?\");
    if let Some(rest) = verbatim.filter(|rest| drive(rest).is_none()) {
        let server = rest.strip_prefix(br"UNC\").unwrap_or(rest);
        return Ok((PathAnchor::Server, server));
    }
    let path = verbatim.unwrap_or(path);
    if let Some(length) = drive(path) {
        return match behind_separator(&path[length..], platform) {
            Some(rest) => Ok((PathAnchor::Drive(path[0].to_ascii_lowercase()), rest)),
            None => refuse(
                Reason::WindowsDriveRelative,
                "is relative to another drive's current directory",
            ),
        };
    }
    let Some(rest) = behind_separator(path, platform) else {
        return Ok((PathAnchor::Relative, path));
    };
    Ok(match behind_separator(rest, platform) {
        Some(server) => (PathAnchor::Server, server),
        None => (PathAnchor::Root, rest),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spelling_keeps_its_dots_and_loses_only_the_root() {
        for (input, below) in [
            ("/ws/a/../b", "a/../b"),
            ("/ws//./a", "./a"),
            ("/./ws/a", "a"),
            ("a//b", "a//b"),
        ] {
            let spelled = spelled_below(b"/ws", input.as_bytes(), Platform::Unix);
            assert_eq!(spelled.unwrap_or_default(), below.as_bytes());
        }
        assert!(spelled_below(b"/ws", b"/etc/passwd", Platform::Unix).is_err());
    }

    #[test]
    fn a_relative_request_is_made_in_its_directory() {
        for (here, input, expected) in [
            ("src", "a.py", "src/a.py"),
            ("src", "../a.py", "src/../a.py"),
            ("", "a.py", "a.py"),
            ("src", "/ws/a.py", "/ws/a.py"),
            ("src", "~/a.py", "~/a.py"),
            ("src", "https://x/a.py", "https://x/a.py"),
            ("src", " ", " "),
        ] {
            let path = from_directory(here.as_bytes(), input.as_bytes(), Platform::Unix);
            assert_eq!(path, expected);
        }
    }

    fn unix(input: &str) -> Result<String, Reason> {
        normalize_request(b"/ws", input.as_bytes(), Platform::Unix)
            .map(|path| path.to_string())
            .map_err(|rejection| rejection.reason)
    }

    fn windows(input: &str) -> Result<String, Reason> {
        normalize_request(br"\\?\C:\Ws", input.as_bytes(), Platform::Windows)
            .map(|path| path.to_string())
            .map_err(|rejection| rejection.reason)
    }

    #[test]
    fn all_spellings_of_a_path_are_equal() {
        for input in [
            "src/a.py",
            "./src//a.py",
            "src/./a.py",
            "src/x/../a.py",
            "/ws/src/a.py",
            "//ws/.//src/a.py",
            "/ws/y/../src/a.py",
        ] {
            assert_eq!(unix(input).as_deref(), Ok("src/a.py"), "{input}");
        }
    }

    #[test]
    fn names_are_literal() {
        for input in [
            "%2e%2e",
            "$HOME/x",
            "*",
            "[id]",
            "...",
            "..foo",
            "a~",
            "-rf",
            "src\\a.py",
            "\\",
            "c:",
            " a",
        ] {
            assert_eq!(unix(input).as_deref(), Ok(input), "{input}");
        }
        // The documented way to a name that begins with a tilde.
        assert_eq!(unix("./~x").as_deref(), Ok("~x"));
    }

    #[test]
    fn each_fault_of_a_request_has_its_reason() {
        for (input, reason) in [
            ("", Reason::Empty),
            (" \t", Reason::Empty),
            ("./.", Reason::IsWorkspaceRoot),
            ("a/..//", Reason::IsWorkspaceRoot),
            ("/ws", Reason::IsWorkspaceRoot),
            ("a/", Reason::TrailingSlash),
            ("a/.", Reason::TrailingSlash),
            ("a/b/..", Reason::TrailingSlash),
            ("../x", Reason::PathEscapes),
            ("../ws/x", Reason::PathEscapes),
            ("/ws/../ws/x", Reason::PathEscapes),
            ("/ws2/x", Reason::PathOutside),
            ("/WS/x", Reason::PathOutside),
            ("/x/../ws/a", Reason::PathOutside),
            ("/", Reason::PathOutside),
            ("~/x", Reason::Tilde),
            ("~root/x", Reason::Tilde),
            ("file:///etc/passwd", Reason::Uri),
            ("c://x", Reason::WindowsAbsolute),
            ("a\0/../../b", Reason::Nul),
            ("a\nb", Reason::ControlChar),
            (".git/../src/a.py", Reason::GitDir),
            (".\\.git\\x", Reason::GitDirAlias),
            ("a\\..\\..\\x", Reason::BackslashTraversal),
            ("a\\..\\..\\x/../b", Reason::BackslashTraversal),
            // What `/..` takes back does not count for what is left.
            ("a\\b/../..\\c", Reason::BackslashTraversal),
            ("C:\\x", Reason::WindowsAbsolute),
            ("./C:\\x", Reason::WindowsAbsolute),
        ] {
            assert_eq!(unix(input), Err(reason), "{input:?}");
        }
    }

    #[test]
    fn the_path_is_measured_with_its_root() {
        let at = "a/".repeat(2045) + "f";
        assert_eq!(at.len() + "/ws/".len(), 4095);
        assert_eq!(unix(&at).as_deref(), Ok(&at[..]));
        assert_eq!(unix(&format!("{at}f")), Err(Reason::PathTooLong));
        // What `..` takes back is not counted.
        assert_eq!(unix(&format!("a/../{at}")).as_deref(), Ok(&at[..]));
    }

    #[test]
    fn a_root_that_is_not_utf8_can_be_named() {
        let path = normalize_request(b"/w\xff", b"/w\xff/a", Platform::Unix);
        assert_eq!(path, Ok("a".into()));
    }

    #[test]
    fn the_file_system_root_can_be_the_workspace() {
        let path = normalize_request(b"/", b"/a", Platform::Unix);
        assert_eq!(path, Ok("a".into()));
        let root = normalize_request(b"/", b"/", Platform::Unix);
        assert_eq!(root.map_err(|r| r.reason), Err(Reason::IsWorkspaceRoot));
    }

    #[test]
    fn windows_spellings_meet_in_one_path() {
        for input in [
            r"src\a.py",
            "src/a.py",
            r"C:\ws\src\a.py",
            "c:/WS/src/a.py",
            r"\\?\C:\Ws\src\a.py",
            r"x\..\src\a.py",
        ] {
            assert_eq!(windows(input).as_deref(), Ok("src/a.py"), "{input}");
        }
    }

    #[test]
    fn a_windows_share_can_be_the_workspace() {
        for (root, input) in [
            (r"\\srv\share\ws", r"\\srv\share\ws\a"),
            (r"\\?\UNC\srv\share\ws", r"//srv/share/ws/a"),
        ] {
            let path = normalize_request(root.as_bytes(), input.as_bytes(), Platform::Windows);
            assert_eq!(path, Ok("a".into()), "{root}");
        }
    }

    #[test]
    fn windows_has_its_own_reasons() {
        for (input, reason) in [
            (r"..\x", Reason::PathEscapes),
            (r"D:\Ws\x", Reason::PathOutside),
            (r"\Ws\x", Reason::PathOutside),
            (r"\\srv\share\x", Reason::PathOutside),
            (r"\\?\UNC\srv\share\x", Reason::PathOutside),
            (r"\\?\Ws\x", Reason::PathOutside),
            (r"\\?\", Reason::PathOutside),
            (r"\", Reason::IsDriveRoot),
            ("c:x", Reason::WindowsDriveRelative),
            ("a/nul.txt", Reason::WindowsReservedName),
            ("a|b", Reason::WindowsIllegalChar),
            ("a.", Reason::WindowsTrailingDotOrSpace),
            ("a:b", Reason::WindowsDriveRelative),
            ("ab:c", Reason::WindowsStream),
            (r"src\.git\x", Reason::GitDirAlias),
            ("a\\\u{2025}", Reason::ConfusableSeparator),
        ] {
            assert_eq!(windows(input), Err(reason), "{input:?}");
        }
    }
}
