//! The platform whose path rules apply.

/// A family of systems with the same path syntax.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Platform {
    /// Linux, macOS and similar: `/` separates, names are bytes.
    Unix,
    /// `/` and `\` separate; drives, streams and reserved names exist.
    Windows,
}

impl Platform {
    /// Whether the byte is a separator.
    pub(super) fn is_separator(self, byte: u8) -> bool {
        byte == b'/' || (self == Platform::Windows && byte == b'\\')
    }

    /// The components as spelled, including empty ones, `.` and `..`.
    pub(super) fn segments(self, path: &[u8]) -> impl Iterator<Item = &[u8]> {
        path.split(move |&byte| self.is_separator(byte))
    }
}
