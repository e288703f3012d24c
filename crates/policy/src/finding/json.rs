//! Paths in JSON: strings. A path that is not UTF-8 or starts with a double quote is quoted as git does (`"a\377"`,
//! including the quotes), so a string that starts with a double quote is always a quoted path.

use std::fmt::Write as _;

use bstr::{BStr, BString, ByteSlice};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::Help;

/// A path as a JSON string's value.
pub fn path_text(path: &BStr) -> String {
    match path.to_str() {
        Ok(text) if !text.starts_with('"') => text.to_owned(),
        _ => git_quoted(path),
    }
}

/// For `serialize_with`: a path.
pub(crate) fn path<S: Serializer>(path: &BString, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&path_text(path.as_ref()))
}

/// For `serialize_with`: a path or null.
pub(crate) fn optional_path<S: Serializer>(
    path: &Option<BString>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    path.as_ref()
        .map(|path| path_text(path.as_ref()))
        .serialize(serializer)
}

/// The keys of help lines for programs: all of them, and the commands alone.
///
/// # Errors
/// Those of the serializer.
pub fn help_and_commands<S: Serializer>(help: &[Help], serializer: S) -> Result<S::Ok, S::Error> {
    let commands: Vec<&str> = help.iter().filter_map(Help::to_run).collect();
    let mut keys = serializer.serialize_map(Some(2))?;
    keys.serialize_entry("help", help)?;
    keys.serialize_entry("commands", &commands)?;
    keys.end()
}

/// What follows a backslash where git quotes the character with one letter or mark.
pub(crate) fn short_escape(c: char) -> Option<char> {
    Some(match c {
        '\x07' => 'a',
        '\x08' => 'b',
        '\t' => 't',
        '\n' => 'n',
        '\x0b' => 'v',
        '\x0c' => 'f',
        '\r' => 'r',
        '"' | '\\' => c,
        _ => return None,
    })
}

/// The path between double quotes with git's C-like escapes, as git prints it
/// with `core.quotePath` on.
fn git_quoted(path: &BStr) -> String {
    let mut out = String::from("\"");
    for &byte in path.iter() {
        if let Some(letter) = short_escape(char::from(byte)) {
            out.extend(['\\', letter]);
        } else if matches!(byte, b' '..=b'~') {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "\\{byte:03o}");
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_utf8_without_a_leading_quote_is_written_as_it_is() {
        for (path, json) in [
            ("src/ä b.rs".as_bytes(), "src/ä b.rs"),
            (b"a\xff\"\\\n", r#""a\377\"\\\n""#),
            (br#""a\377""#, r#""\"a\\377\"""#),
        ] {
            assert_eq!(path_text(BStr::new(path)), json);
        }
    }
}
