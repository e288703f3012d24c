//! The families of systems, and how they spell paths.

use std::borrow::Cow;

/// A family of systems with the same path syntax.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Platform {
    /// Linux, macOS and similar: `/` separates, names are bytes.
    Unix,
    /// `/` and `\` separate; drives, streams and reserved names exist.
    Windows,
}

impl Platform {
    /// The platform that guard was built for.
    pub const HOST: Platform = if cfg!(windows) {
        Platform::Windows
    } else {
        Platform::Unix
    };

    /// Whether the byte is a separator.
    pub(super) fn is_separator(self, byte: u8) -> bool {
        byte == b'/' || (self == Platform::Windows && byte == b'\\')
    }

    /// The components as spelled, including empty ones, `.` and `..`.
    pub(super) fn segments(self, path: &[u8]) -> impl Iterator<Item = &[u8]> {
        path.split(move |&byte| self.is_separator(byte))
    }
}

/// A path without the prefix `\\?\` by which Windows turns off its rules for names: a drive's and a share's path has a
/// plain spelling, any other such path has none and stays.
pub fn without_verbatim_prefix(path: &str) -> Cow<'_, str> {
    let Some(rest) = path.strip_prefix(r"\\?\") else {
        return Cow::Borrowed(path);
    };
    if let Some(share) = rest.strip_prefix(r"UNC\") {
        return Cow::Owned(format!(r"\\{share}"));
    }
    let is_drive = rest.as_bytes().get(1) == Some(&b':');
    Cow::Borrowed(if is_drive { rest } else { path })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verbatim_paths_have_a_plain_spelling() {
        for (path, plain) in [
            (r"\\?\C:\w\d3", r"C:\w\d3"),
            (r"\\?\c:\", r"c:\"),
            (r"\\?\UNC\server\share\x", r"\\server\share\x"),
            (r"\\?\Volume{1-2}\x", r"\\?\Volume{1-2}\x"),
            (r"C:\w", r"C:\w"),
            ("/tmp/w", "/tmp/w"),
        ] {
            assert_eq!(without_verbatim_prefix(path), plain);
        }
    }
}
