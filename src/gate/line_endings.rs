//! The line endings of a text.

use gix::bstr::ByteSlice;

pub(super) const BOM: &[u8] = b"\xef\xbb\xbf";

/// Whether most lines end with CRLF.
pub(crate) fn ends_lines_with_crlf(text: &[u8]) -> bool {
    ending_of(text) == b"\r\n"
}

/// The line ending that most lines of a text have.
pub(super) fn ending_of(text: &[u8]) -> &'static [u8] {
    let all = text.find_iter("\n").count();
    let crlf = text.find_iter("\r\n").count();
    if crlf * 2 > all { b"\r\n" } else { b"\n" }
}
