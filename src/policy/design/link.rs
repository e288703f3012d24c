//! Links in path cells: the text and the target have to name the same file.

use gix::bstr::{BStr, ByteSlice};

use super::problem::{Problem, link_mismatch, url};

/// Accepts a link whose target matches its text: as a path from the root or from the design's directory, or as a URL
/// that ends with the text.
///
/// # Errors
/// The link names two different files, or a URL.
pub(super) fn agree(design: &BStr, text: &str, target: &str) -> Result<(), Problem> {
    let text = plain(text);
    if text.contains("://") || text.is_empty() {
        return Err(url(target));
    }
    let target = decode(target);
    if leads_to(design, &text, &target)
        || text.contains('/') && path_of(&target).ends_with(&format!("/{text}"))
    {
        return Ok(());
    }
    Err(link_mismatch(&text, path_of(&target)))
}

/// The same for a link that must lead to a file of the repository, which a URL does not.
pub(super) fn agree_in_repository(design: &BStr, text: &str, target: &str) -> Result<(), Problem> {
    agree(design, text, target)?;
    match leads_to(design, &plain(text), &decode(target)) {
        true => Ok(()),
        false => Err(link_mismatch(&plain(text), target)),
    }
}

/// Whether a target is this path, from the root or from the design's directory.
fn leads_to(design: &BStr, text: &str, target: &str) -> bool {
    let from_design = resolve(design.to_str().unwrap_or(""), path_of(target));
    plain(path_of(target)) == text || from_design.as_deref() == Some(text)
}

/// A target without fragment and query.
fn path_of(target: &str) -> &str {
    target.split(['#', '?']).next().unwrap_or("")
}

/// A path in its simplest form.
fn plain(text: &str) -> String {
    let text = text.trim();
    let text = text.split_once("#L").map_or(text, |(path, _)| path);
    let (text, _) = text
        .split_once(':')
        .filter(|(_, rest)| rest.starts_with(|c: char| c.is_ascii_digit()))
        .unwrap_or((text, ""));
    text.split('/')
        .filter(|name| *name != ".")
        .collect::<Vec<_>>()
        .join("/")
        .trim_end_matches('/')
        .to_owned()
}

/// The path of a relative target, seen from the design.
fn resolve(design: &str, target: &str) -> Option<String> {
    let mut names: Vec<&str> = design.split('/').collect();
    names.pop();
    for name in target.split('/') {
        match name {
            ".." => {
                names.pop()?;
            }
            "" | "." => {}
            name => names.push(name),
        }
    }
    Some(names.join("/"))
}

/// Percent-decodes a target like a browser; a target that is not UTF-8 after decoding stays unchanged.
pub(super) fn decode(target: &str) -> String {
    let mut bytes = Vec::with_capacity(target.len());
    let mut rest = target.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        let byte = tail.get(..2).filter(|_| first == b'%').and_then(|hex| {
            let hex = hex
                .to_str()
                .ok()
                .filter(|hex| hex.bytes().all(|digit| digit.is_ascii_hexdigit()))?;
            u8::from_str_radix(hex, 16).ok()
        });
        bytes.push(byte.unwrap_or(first));
        rest = tail.get(2..).filter(|_| byte.is_some()).unwrap_or(tail);
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
