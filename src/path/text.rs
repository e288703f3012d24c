//! A path's bytes as text.

use super::reason::{PathFault, Reason};

/// The path as text.
pub(super) fn text(path: &[u8]) -> Result<&str, PathFault> {
    if path.contains(&0) {
        return Err(PathFault::new(Reason::Nul, "contains a NUL byte (U+0000)"));
    }
    std::str::from_utf8(path).map_err(|error| {
        // A truncated character at the end has a start but no invalid byte after it.
        let byte = path.get(error.valid_up_to()).copied().unwrap_or_default();
        PathFault::new(Reason::NonUtf8, format!("is not UTF-8 (byte 0x{byte:02X})"))
    })
}
