//! How Windows reads paths, and which names it does not allow.

use bstr::{BStr, ByteSlice};

use super::platform::Platform;
use super::reason::Reason;
use super::rejection::{PathFault, Rejection, refuse};

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
        return refuse(Reason::WindowsAbsolute, "is an absolute path on Windows");
    }
    Ok(())
}

/// Refuses a path that leaves the workspace if `\` is a separator. `depth` is the number of directories between the
/// workspace and the start of the path.
pub(super) fn check_backslash_traversal(path: &[u8], depth: usize) -> Result<(), PathFault> {
    let start = vec![&b"x"[..]; depth];
    if path.contains(&b'\\') && resolved(start, Platform::Windows.segments(path)).is_none() {
        let what = "leaves the workspace where \\ separates directories";
        return refuse(Reason::BackslashTraversal, what);
    }
    Ok(())
}

/// The names of a path from a directory, with `.` and `..` resolved; `None` if `..` rises above the workspace at any
/// step.
pub(super) fn resolved<'a>(
    mut here: Vec<&'a [u8]>,
    segments: impl Iterator<Item = &'a [u8]>,
) -> Option<Vec<&'a [u8]>> {
    for segment in segments {
        match segment {
            b"" | b"." => {}
            b".." => drop(here.pop()?),
            name => here.push(name),
        }
    }
    Some(here)
}

/// Why Windows could not check out a path that is legal on Unix.
pub fn portable_name(path: &BStr) -> Option<Rejection> {
    faults(path).err().map(|fault| fault.of(path))
}

pub(super) fn faults(path: &[u8]) -> Result<(), PathFault> {
    if drive(path).is_some() {
        let what = "starts with a drive letter on Windows";
        return refuse(Reason::WindowsDriveRelative, what);
    }
    for name in path.split(|&byte| byte == b'/') {
        check_name(name)?;
    }
    Ok(())
}

/// Checks one component that is neither empty, `.` nor `..`.
fn check_name(name: &[u8]) -> Result<(), PathFault> {
    if let Some(device) = reserved(name) {
        let what = format!("contains {device}, which Windows reserves for a device");
        return refuse(Reason::WindowsReservedName, what);
    }
    if name.contains(&b':') {
        let what = "contains the character : (U+003A), which names a stream on Windows";
        return refuse(Reason::WindowsStream, what);
    }
    let mut bytes = name.iter();
    if let Some(&byte) = bytes.find(|&&byte| byte < b' ' || b"<>\"|?*\\".contains(&byte)) {
        let what = format!("contains the character U+{byte:04X}, which Windows does not allow");
        return refuse(Reason::WindowsIllegalChar, what);
    }
    if name.ends_with(b".") || name.ends_with(b" ") {
        let what = "contains a name that ends with a dot or space, which Windows drops";
        return refuse(Reason::WindowsTrailingDotOrSpace, what);
    }
    Ok(())
}

/// The device that Windows sees in a name with any extension.
fn reserved(name: &[u8]) -> Option<String> {
    let stem = name.split(|&b| b == b'.' || b == b':').next()?;
    let stem = std::str::from_utf8(stem).ok()?.trim_end_matches(' ');
    let upper = stem.to_ascii_uppercase();
    let number = upper.strip_prefix("COM").or(upper.strip_prefix("LPT"));
    let is_device = match number {
        // Latin-1 superscript digits count as digits.
        Some(number) => number.chars().count() == 1 && "123456789¹²³".contains(number),
        None => ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"].contains(&&*upper),
    };
    is_device.then_some(upper)
}

#[cfg(test)]
mod separator_tests {
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
            (br"a\.\..\..\x", 0, false),
            (br"a\\..\..\x", 0, false),
            (br"dev\x2ddisk", 0, true),
            (b"../x", 0, true),
        ] {
            let verdict = check_backslash_traversal(path, depth);
            assert_eq!(verdict.is_ok(), ok, "{path:?} at {depth}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(path: &str) -> Option<Reason> {
        portable_name(path.into()).map(|rejection| rejection.reason)
    }

    #[test]
    fn reserved_names_in_any_case_with_any_extension() {
        for path in [
            "con",
            "a/CON.abc",
            "coN.tar.xz ",
            "aux.c",
            "NuL",
            "com1",
            "LPt8",
            "COM\u{b9}.txt",
            "lpt\u{b3}",
            "conIn$  ",
            "ConOut$  .xyz",
            "PRN./abc",
            "nul:x",
        ] {
            assert_eq!(verdict(path), Some(Reason::WindowsReservedName), "{path}");
        }
        for path in [
            "conout.c", "com0.c", "lptN", "com10", "com", "console", "a.con",
        ] {
            assert_eq!(verdict(path), None, "{path}");
        }
    }

    #[test]
    fn streams_drives_characters_and_ends() {
        for (path, reason) in [
            ("file::$DATA", Reason::WindowsStream),
            ("src/a:b", Reason::WindowsStream),
            ("c:x", Reason::WindowsDriveRelative),
            ("a?b", Reason::WindowsIllegalChar),
            ("a\"b", Reason::WindowsIllegalChar),
            ("a\\b", Reason::WindowsIllegalChar),
            ("a\tb", Reason::WindowsIllegalChar),
            ("a./b", Reason::WindowsTrailingDotOrSpace),
            ("a ", Reason::WindowsTrailingDotOrSpace),
            ("...", Reason::WindowsTrailingDotOrSpace),
        ] {
            assert_eq!(verdict(path), Some(reason), "{path:?}");
        }
    }

    #[test]
    fn the_message_names_the_character() {
        let message = portable_name("src/a|b".into()).map(|rejection| rejection.message);
        let expected = "src/a|b contains the character U+007C, which Windows does not allow";
        assert_eq!(message.as_deref(), Some(expected));
    }
}
