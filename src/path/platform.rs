//! Whose rules for names apply.

/// The family of systems whose reading of a path is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Platform {
    /// Linux, macOS and the like: `/` separates, names are bytes.
    Unix,
    /// `/` and `\` separate; drives, streams and reserved names exist.
    Windows,
}

impl Platform {
    /// The platform this program was built for.
    pub fn host() -> Platform {
        if cfg!(windows) {
            Platform::Windows
        } else {
            Platform::Unix
        }
    }

    /// Whether the byte separates components.
    pub(super) fn is_separator(self, byte: u8) -> bool {
        byte == b'/' || (self == Platform::Windows && byte == b'\\')
    }

    /// The components of a path as they are spelled, empty ones, `.` and `..` included.
    pub(super) fn segments(self, path: &[u8]) -> impl Iterator<Item = &[u8]> {
        path.split(move |&byte| self.is_separator(byte))
    }
}
