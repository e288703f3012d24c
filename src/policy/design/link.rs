//! Links in path cells: the text and the target have to name the same file.

use gix::bstr::{BStr, ByteSlice};

use super::entry::plain;
use super::problem::{Problem, link_mismatch, url};

/// Accepts a link whose target matches its text: as a path from the root or from the design's directory, or as a URL
/// that ends with the text.
///
/// # Errors
/// The link names two different files, or a URL.
pub(super) fn agree(design: &BStr, text: &str, target: &str) -> Result<(), Problem> {
    let is_end = |text: &str| path_of(&decode(target)).ends_with(&format!("/{text}"));
    match plain(text) {
        text if text.is_empty() || text.contains(":/") => Err(url(target)),
        text if text.contains('/') && is_end(&text) => Ok(()),
        _ => agree_in_repository(design, text, target),
    }
}

/// The same for a link that must lead to a file of the repository, which a URL does not.
pub(super) fn agree_in_repository(design: &BStr, text: &str, target: &str) -> Result<(), Problem> {
    let (text, decoded) = (plain(text), decode(target));
    let target = path_of(&decoded);
    let is_same = !target.starts_with('/') && plain(target) == text;
    match is_same || resolve(design, target).as_deref() == Some(&text) {
        true => Ok(()),
        false => Err(link_mismatch(&text, target)),
    }
}

/// A target without fragment and query.
fn path_of(target: &str) -> &str {
    target.split(['#', '?']).next().unwrap_or("")
}

/// The path of a relative target, seen from the design.
fn resolve(design: &BStr, target: &str) -> Option<String> {
    let mut names: Vec<&str> = design.to_str().unwrap_or("").split('/').collect();
    names.pop();
    for name in target.split('/') {
        match name {
            ".." => names.pop().map(|_| ())?,
            "" | "." => {}
            name => names.push(name),
        }
    }
    Some(names.join("/"))
}

/// Percent-decodes a target like a browser; a target that is not UTF-8 after decoding stays unchanged.
pub(super) fn decode(target: &str) -> String {
    let mut parts = target.split('%');
    let mut bytes = parts.next().unwrap_or("").as_bytes().to_vec();
    for part in parts {
        let hex = part.get(..2).filter(|hex| !hex.starts_with('+'));
        let byte = hex.and_then(|hex| u8::from_str_radix(hex, 16).ok());
        bytes.push(byte.unwrap_or(b'%'));
        bytes.extend(part.bytes().skip(byte.map_or(0, |_| 2)));
    }
    String::from_utf8(bytes).unwrap_or_else(|_| target.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agrees(text: &str, target: &str) -> bool {
        agree(BStr::new("docs/lld/LLD-1.md"), text, target).is_ok()
    }

    #[test]
    fn same_file() {
        assert!(agrees("src/a.py", "src/a.py"));
        assert!(agrees("src/a.py", "./src/a.py#L10"));
        assert!(agrees("src/a.py", "../../src/a.py"));
        assert!(agrees("README.md", "../../README.md"));
        assert!(agrees("src/a.py", "../blob/main/src/a.py"));
        assert!(agrees("src/a b.py", "src/a%20b.py"));
        assert!(agrees("src/x/", "src/x"));
    }

    #[test]
    fn two_files() {
        assert!(!agrees("src/a.py", "src/evil.py"));
        assert!(!agrees("a.py", "src/a.py"));
        assert!(!agrees("src/a.py", "https://example.org/xsrc/a.py"));
        assert!(!agrees("https://x/src/a.py", "https://x/src/a.py"));
    }

    #[test]
    fn decoding() {
        assert_eq!(decode("a%20b%2"), "a b%2");
        assert_eq!(decode("%ff"), "%ff");
        assert_eq!(decode("%+1"), "%+1");
    }
}
