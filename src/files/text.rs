//! The line endings of a text, and what `extend` answers.

use gix::bstr::ByteSlice;

const BOM: &[u8] = b"\xef\xbb\xbf";

/// The byte order mark of a text, if it has one, and the rest.
pub(super) fn split_mark(text: &[u8]) -> (&[u8], &[u8]) {
    text.split_at(if text.starts_with(BOM) { BOM.len() } else { 0 })
}

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

/// The result of `extend`; each entry names one definition, import or statement.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Extension {
    /// What was added.
    pub added: Vec<String>,
    /// What differs between file and content, and stays unchanged.
    pub kept: Vec<String>,
    /// What the content has but `extend` does not add: statements without a name, and unused imports.
    pub left_out: Vec<String>,
}
