//! Links: their text and their target must name the same file.

use std::borrow::Cow;

use bstr::{BStr, ByteSlice};
use percent_encoding::percent_decode_str;

use super::paths::{names, plain};
use super::problem::{self, Problem};

/// Accepts a link whose target is the file that its text names, from the root or from the design's directory.
///
/// # Errors
/// The link names two different files, or a URL.
pub(super) fn agree(design: &BStr, text: &str, target: &str) -> Result<(), Problem> {
    let name = plain(text);
    let path = path_of(target);
    if name.is_empty() || name.contains(":/") || path.contains("://") {
        return Err(problem::uri(target));
    }
    let is_same = !path.starts_with('/') && plain(&path) == name;
    if is_same || resolve(design, &path).as_deref() == Some(&name) {
        Ok(())
    } else {
        Err(problem::link_mismatch(name, path))
    }
}

/// A target as decoded, without fragment and query.
fn path_of(target: &str) -> String {
    decode(target).split(['#', '?']).take(1).collect()
}

/// The path of a relative target, seen from the design.
fn resolve(design: &BStr, target: &str) -> Option<String> {
    let mut path: Vec<&str> = design.to_str().unwrap_or("").split('/').collect();
    path.pop();
    for name in names(target) {
        match name {
            ".." => drop(path.pop()?),
            name => path.push(name),
        }
    }
    Some(path.join("/"))
}

/// Percent-decodes a target like a browser; a target that is not UTF-8 after decoding stays unchanged.
fn decode(target: &str) -> Cow<'_, str> {
    let decoded = percent_decode_str(target).decode_utf8();
    decoded.unwrap_or(Cow::Borrowed(target))
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
        assert!(agrees("src/a b.py", "src/a%20b.py"));
        assert!(agrees("src/x/", "src/x"));
    }

    #[test]
    fn two_files() {
        assert!(!agrees("src/a.py", "src/evil.py"));
        assert!(!agrees("a.py", "src/a.py"));
        assert!(!agrees("src/a.py", "../blob/main/src/a.py"));
        assert!(!agrees("src/a.py", "https://example.org/src/a.py"));
        assert!(!agrees("https://x/src/a.py", "https://x/src/a.py"));
    }

    #[test]
    fn decoding() {
        assert_eq!(decode("a%20b%2"), "a b%2");
        assert_eq!(decode("%ff"), "%ff");
        assert_eq!(decode("%+1"), "%+1");
    }
}
