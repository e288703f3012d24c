//! Names that Windows does not allow, and names that differ only in case.

use gix::bstr::{BStr, BString};

use super::chars;
use super::reason::{PathFault, Reason, Rejection};
use super::separator::drive;

/// Why Windows could not check out a path that is legal on Unix.
pub fn portable_name(path: &BStr) -> Option<Rejection> {
    faults(path).err().map(|fault| fault.of(path))
}

pub(super) fn faults(path: &[u8]) -> Result<(), PathFault> {
    if drive(path).is_some() {
        return Err(PathFault::new(
            Reason::WindowsDriveRelative,
            "starts with a drive letter on Windows",
        ));
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
        return Err(PathFault::new(Reason::WindowsReservedName, what));
    }
    if name.contains(&b':') {
        return Err(PathFault::new(
            Reason::WindowsStream,
            "contains the character : (U+003A), which names a stream on Windows",
        ));
    }
    let illegal = |&&byte: &&u8| byte < b' ' || b"<>\"|?*\\".contains(&byte);
    if let Some(&byte) = name.iter().find(illegal) {
        let what = format!("contains the character U+{byte:04X}, which Windows does not allow");
        return Err(PathFault::new(Reason::WindowsIllegalChar, what));
    }
    if name.ends_with(b".") || name.ends_with(b" ") {
        return Err(PathFault::new(
            Reason::WindowsTrailingDotOrSpace,
            "contains a name that ends with a dot or space, which Windows drops",
        ));
    }
    Ok(())
}

/// The device that Windows sees in a name with any extension.
fn reserved(name: &[u8]) -> Option<String> {
    let stem = name.split(|&b| b == b'.' || b == b':').next()?;
    let stem = std::str::from_utf8(stem).ok()?.trim_end_matches(' ');
    let upper = stem.to_ascii_uppercase();
    let is_device = matches!(
        &upper[..],
        "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$"
    ) || ["COM", "LPT"]
        .iter()
        .filter_map(|port| upper.strip_prefix(port))
        // Latin-1 superscript digits count as digits.
        .any(|number| {
            matches!(
                number.chars().collect::<Vec<_>>()[..],
                ['1'..='9' | '¹' | '²' | '³']
            )
        });
    is_device.then_some(upper)
}

/// The case-folded path: two paths with the same value collide on some file system.
///
/// Approximates Unicode case folding by upper and lower case. Code points that HFS+ ignores are dropped; composed and
/// decomposed forms stay different; invalid UTF-8 is kept.
pub fn fold(path: &BStr) -> BString {
    let mut folded = BString::default();
    fold_into(path, &mut folded);
    folded
}

/// Like [`fold`], but replaces the content of `folded`.
pub fn fold_into(path: &BStr, folded: &mut BString) {
    folded.clear();
    folded.reserve(path.len());
    if path.is_ascii() {
        folded.extend_from_slice(path);
        folded.make_ascii_lowercase();
        return;
    }
    for chunk in path.utf8_chunks() {
        let mut text = String::with_capacity(chunk.valid().len());
        for c in chunk.valid().chars() {
            match c {
                c if chars::is_ignored_by_hfs(c) => {}
                // Its upper case is I, but no file system treats it as i.
                'ı' => text.push(c),
                c => text.extend(c.to_uppercase().flat_map(char::to_lowercase)),
            }
        }
        folded.extend_from_slice(text.as_bytes());
        folded.extend_from_slice(chunk.invalid());
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

    #[test]
    fn folding_equates_names_that_any_file_system_equates() {
        for (a, b) in [
            ("README", "readme"),
            ("K.py", "\u{212a}.py"),
            ("ΣΊΣΥΦΟΣ", "σίσυφος"),
            ("Straße", "STRASSE"),
            ("a\u{200d}b", "AB"),
        ] {
            assert_eq!(fold(a.into()), fold(b.into()), "{a} {b}");
        }
        for (a, b) in [("a", "b"), ("sınıf", "sinif"), ("é", "e\u{301}")] {
            assert_ne!(fold(a.into()), fold(b.into()), "{a} {b}");
        }
        assert_eq!(fold(b"A\xff\xc9".into()), BString::from(&b"a\xff\xc9"[..]));
    }
}
