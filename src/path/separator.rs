//! Checks paths as Windows would read them.

use gix::bstr::ByteSlice;

use super::reason::{PathFault, Reason};

/// The length of `c:` at the start of a path. Any character may be a drive.
pub(super) fn drive(path: &[u8]) -> Option<usize> {
    let (_, end, _) = path.char_indices().next()?;
    (path.get(end) == Some(&b':')).then_some(end + 1)
}

/// Refuses a path that is absolute on Windows (`C:\x`, `C:/x`, `\x`, `\\server\share`). A lone `\` or `c:` is only an
/// odd name.
pub(super) fn check_windows_absolute(path: &[u8]) -> Result<(), PathFault> {
    let rooted = path.len() > 1 && path[0] == b'\\';
    let on_drive = drive(path).is_some_and(|length| matches!(path.get(length), Some(b'/' | b'\\')));
    if rooted || on_drive {
        return Err(PathFault::new(
            Reason::WindowsAbsolute,
            "is an absolute path on Windows",
        ));
    }
    Ok(())
}

/// Refuses a path that leaves the workspace if `\` is a separator. `depth` is the number of directories between the
/// workspace and the start of the path.
pub(super) fn check_backslash_traversal(path: &[u8], depth: usize) -> Result<(), PathFault> {
    if path.contains(&b'\\') && escapes(path.split(|&byte| byte == b'/' || byte == b'\\'), depth) {
        return Err(PathFault::new(
            Reason::BackslashTraversal,
            "leaves the workspace where \\ separates directories",
        ));
    }
    Ok(())
}

/// Whether `..` rises above the workspace at any step.
fn escapes<'a>(segments: impl Iterator<Item = &'a [u8]>, mut depth: usize) -> bool {
    for segment in segments {
        match segment {
            b"" | b"." => {}
            b".." if depth == 0 => return true,
            b".." => depth -= 1,
            _ => depth += 1,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_absolute_forms() {
        for path in [
            &br"C:\x"[..],
            b"c:/x",
            br"\x",
            br"\\srv\share",
            br"\\?\C:\x",
            "é:\\x".as_bytes(),
        ] {
            assert!(check_windows_absolute(path).is_err(), "{path:?}");
        }
        for path in [&b"\\"[..], b"c:", b"c:x", br"a\b", b"", b"ab:/x"] {
            assert!(check_windows_absolute(path).is_ok(), "{path:?}");
        }
    }

    #[test]
    fn backslashes_are_separators_only_to_leave() {
        for (path, depth, ok) in [
            (&br"..\x"[..], 0, false),
            (br"..\x", 1, true),
            (br"a\..\..\x", 0, false),
            (br"a/..\..\x", 0, false),
            (br"a\..\x", 0, true),
            (br"dev\x2ddisk", 0, true),
            (b"../x", 0, true),
        ] {
            let verdict = check_backslash_traversal(path, depth);
            assert_eq!(verdict.is_ok(), ok, "{path:?} at {depth}");
        }
    }
}
