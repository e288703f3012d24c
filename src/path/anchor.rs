//! Splits an absolute path into its start and the part below the workspace.

use super::platform::Platform;
use super::portable::fold;
use super::reason::{PathFault, Reason};
use super::separator::drive;

/// The start of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PathAnchor {
    Relative,
    /// `/`, or `\` on Windows: the root, or the root of the current drive.
    Root,
    /// `C:\`, as its lower-case letter.
    Drive(u8),
    /// `\\server\share`, or a volume without a letter.
    Server,
}

/// The part of an absolute path below the workspace; `rest` follows the anchor.
pub(super) fn below_root<'a>(
    root: &[u8],
    anchor: PathAnchor,
    mut rest: &'a [u8],
    platform: Platform,
) -> Result<&'a [u8], PathFault> {
    if platform == Platform::Windows
        && anchor == PathAnchor::Root
        && rest.iter().all(|&byte| platform.is_separator(byte))
    {
        return Err(PathFault::new(
            Reason::IsDriveRoot,
            "is the root of a drive",
        ));
    }
    let outside = || {
        PathFault::new(
            Reason::PathOutside,
            "is an absolute path outside the workspace",
        )
    };
    let (root_anchor, root) = self::anchor(root, platform)?;
    if anchor != root_anchor {
        return Err(outside());
    }
    for expected in platform.segments(root).filter(|name| !is_here(name)) {
        let (name, tail) = next_name(rest, platform);
        let same = match platform {
            Platform::Unix => name == expected,
            Platform::Windows => fold(name.into()) == fold(expected.into()),
        };
        if !same {
            return Err(outside());
        }
        rest = tail;
    }
    Ok(rest)
}

/// The first component that is neither empty nor `.`, and the rest.
fn next_name(mut path: &[u8], platform: Platform) -> (&[u8], &[u8]) {
    loop {
        let end = path.iter().position(|&b| platform.is_separator(b));
        let (name, tail) = match end {
            Some(end) => (&path[..end], &path[end + 1..]),
            None => (path, &b""[..]),
        };
        if !is_here(name) || end.is_none() {
            return (name, tail);
        }
        path = tail;
    }
}

fn is_here(name: &[u8]) -> bool {
    matches!(name, b"" | b".")
}

/// Splits off the anchor.
pub(super) fn anchor(path: &[u8], platform: Platform) -> Result<(PathAnchor, &[u8]), PathFault> {
    if platform == Platform::Unix {
        return Ok(match path.strip_prefix(b"/") {
            Some(rest) => (PathAnchor::Root, rest),
            None => (PathAnchor::Relative, path),
        });
    }
    // `\\?\`, the prefix of canonical Windows paths, does not change the drive or server.
    let verbatim = path.strip_prefix(br"\\?\");
    if let Some(rest) = verbatim
        && drive(rest).is_none()
    {
        return Ok((
            PathAnchor::Server,
            rest.strip_prefix(br"UNC\").unwrap_or(rest),
        ));
    }
    let path = verbatim.unwrap_or(path);
    let slash = |at: usize| {
        path.get(at)
            .is_some_and(|&byte| platform.is_separator(byte))
    };
    match drive(path) {
        Some(length) if slash(length) => Ok((
            PathAnchor::Drive(path[0].to_ascii_lowercase()),
            &path[length + 1..],
        )),
        Some(_) => Err(PathFault::new(
            Reason::WindowsDriveRelative,
            "is relative to another drive's current directory",
        )),
        None if slash(0) && slash(1) => Ok((PathAnchor::Server, &path[2..])),
        None if slash(0) => Ok((PathAnchor::Root, &path[1..])),
        None => Ok((PathAnchor::Relative, path)),
    }
}
