//! Paths in addresses.

use std::fmt::Write as _;

use gix::bstr::BStr;

/// The path as a relative reference (RFC 3986), percent-encoded except for unreserved characters and `/`.
pub(crate) fn uri(path: &BStr) -> String {
    let mut out = String::with_capacity(path.len());
    for &byte in path.iter() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                out.push(char::from(byte));
            }
            _ => {
                // Writing to a string cannot fail.
                let _ = write!(out, "%{byte:02X}");
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_becomes_a_relative_reference() {
        assert_eq!(uri("src/a b%[é].rs".into()), "src/a%20b%25%5B%C3%A9%5D.rs");
        assert_eq!(uri("c:/x?y#z".into()), "c%3A/x%3Fy%23z");
    }
}
