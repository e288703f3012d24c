//! Rules for all names.

use super::chars;
use super::disguise::check_git_dir;
use super::platform::Platform;
use super::reason::{PathFault, Reason};
use super::text::text;

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
            return Err(PathFault::new(reason, what));
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
    let lookalike = path
        .split('/')
        .zip(plain.split('/'))
        .any(|(name, plain)| name != plain && matches!(plain, "." | ".."));
    if lookalike || check_git_dir(&plain).is_err() {
        let what = format!("contains the dot look-alike U+{:04X}", u32::from(dot));
        return Err(PathFault::new(Reason::ConfusableSeparator, what));
    }
    Ok(())
}

fn check_lengths(path: &str, platform: Platform) -> Result<(), PathFault> {
    for name in platform.segments(path.as_bytes()) {
        if name.len() <= MAX_NAME {
            continue;
        }
        let (length, unit) = match platform {
            Platform::Unix => (name.len(), "bytes"),
            Platform::Windows => (
                String::from_utf8_lossy(name).encode_utf16().count(),
                "UTF-16 units",
            ),
        };
        if length > MAX_NAME {
            return Err(PathFault::new(
                Reason::NameTooLong,
                format!("contains a name of {length} {unit}; the limit is {MAX_NAME}"),
            ));
        }
    }
    Ok(())
}

/// Refuses paths longer than [`MAX_PATH`] bytes.
pub(super) fn check_path_length(length: usize) -> Result<(), PathFault> {
    if length > MAX_PATH {
        return Err(PathFault::new(
            Reason::PathTooLong,
            format!("is {length} bytes long; the limit is {MAX_PATH}"),
        ));
    }
    Ok(())
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
