//! Addresses of files, to open in a browser or an editor.

use std::path::Path;

use gix::bstr::ByteSlice;

use crate::report;

/// The `file:` address of a path.
pub(super) fn of(path: &Path) -> String {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let path = path.to_string_lossy().replace('\\', "/");
    let slash = if path.starts_with('/') { "" } else { "/" };
    format!("file://{slash}{}", report::uri(path.as_bytes().as_bstr()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn address_has_no_blank_and_no_character_with_a_meaning() {
        assert_eq!(
            of(Path::new("/tmp/a b/#c?ä.html")),
            "file:///tmp/a%20b/%23c%3F%C3%A4.html"
        );
    }
}
