//! Classifies the content of a blob, and decodes the text to count.

use std::borrow::Cow;

use bstr::ByteSlice;
use memchr::memchr_iter;

/// How many leading bytes git checks for binary content.
const BINARY_WINDOW: usize = 8_000;

/// The specified maximum size of a Git LFS pointer file.
const LFS_POINTER_LIMIT: usize = 1_024;

/// Fewer bytes show no pattern by which to detect UTF-16.
const SHORTEST_UTF16: usize = 16;

/// The kind of content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Content {
    /// Text in an encoding whose line ends are single bytes (UTF-8, Latin-1, …).
    Text,
    /// UTF-16, or UTF-32 with a byte order mark. Binary to git, but guard reads it.
    WideText,
    /// Text with few NUL bytes, the first within 8,000 bytes. Binary to git, but guard reads it.
    TextWithNul,
    /// Binary: a NUL within the first 8,000 bytes.
    Binary,
    /// A Git LFS pointer, whose content is elsewhere.
    LfsPointer,
}

impl Content {
    /// The kind of a blob.
    pub fn of(blob: &[u8]) -> Content {
        if is_lfs_pointer(blob) {
            Content::LfsPointer
        } else if !is_binary(blob) {
            Content::Text
        } else if decode_wide(blob).is_some() {
            Content::WideText
        } else if has_few_nuls(blob) {
            Content::TextWithNul
        } else {
            Content::Binary
        }
    }
}

/// The number of lines, as git counts them: a last line without a newline counts.
pub fn line_count(blob: &[u8]) -> usize {
    let newlines = memchr_iter(b'\n', blob).count();
    newlines + usize::from(!blob.is_empty() && !blob.ends_with(b"\n"))
}

/// Whether git treats the blob as binary: a NUL within its first 8,000 bytes.
pub fn is_binary(blob: &[u8]) -> bool {
    let window = &blob[..blob.len().min(BINARY_WINDOW)];
    window.find_byte(0).is_some()
}

/// Whether the blob is a Git LFS pointer: under 1,024 bytes, a version line with a known URL first, and an `oid` and
/// a `size` line.
pub fn is_lfs_pointer(blob: &[u8]) -> bool {
    const VERSIONS: [&[u8]; 2] = [
        b"version https://git-lfs.github.com/spec/",
        b"version https://hawser.github.com/spec/",
    ];
    if blob.len() >= LFS_POINTER_LIMIT || !VERSIONS.iter().any(|v| blob.starts_with(v)) {
        return false;
    }
    let keys: [&[u8]; 2] = [b"oid ", b"size "];
    keys.iter()
        .all(|key| blob.lines().any(|line| line.starts_with(key)))
}

/// Whether at most 1 % of the bytes are NUL or another control character. Compressed data may have few NULs, but many
/// other control characters.
fn has_few_nuls(blob: &[u8]) -> bool {
    // Text has backspaces, tabs, ends of lines and pages, and escape sequences.
    let controls = blob
        .iter()
        .filter(|byte| matches!(byte, 0..=0x07 | 0x0e..=0x1a | 0x1c..=0x1f));
    controls.count() <= blob.len() / 100
}

/// The text to count: UTF-16 and marked UTF-32 become UTF-8, a UTF-8 byte order mark is dropped, and a lone carriage
/// return is followed by a newline.
pub fn countable(blob: &[u8]) -> Cow<'_, [u8]> {
    match decode_wide(blob) {
        Some(text) => Cow::Owned(end_lines(text.as_bytes()).into_owned()),
        None => end_lines(blob.strip_prefix(b"\xef\xbb\xbf").unwrap_or(blob)),
    }
}

/// Adds a newline after each lone carriage return. Carriage returns before a newline belong to that line ending, as a
/// broken conversion may leave several.
fn end_lines(text: &[u8]) -> Cow<'_, [u8]> {
    let mut returns = text
        .find_iter(b"\r")
        .filter(|&at| {
            let rest = &text[at + 1..];
            rest.iter().find(|&&byte| byte != b'\r') != Some(&b'\n')
        })
        .peekable();
    if returns.peek().is_none() {
        return Cow::Borrowed(text);
    }
    let mut ended = Vec::with_capacity(text.len());
    let mut done = 0;
    for at in returns {
        ended.extend_from_slice(&text[done..=at]);
        ended.push(b'\n');
        done = at + 1;
    }
    ended.extend_from_slice(&text[done..]);
    Cow::Owned(ended)
}

/// Decodes UTF-16, or UTF-32 with a byte order mark; `None` for invalid bytes.
fn decode_wide(blob: &[u8]) -> Option<String> {
    // The mark of UTF-32LE starts with that of UTF-16LE, so UTF-32 goes first.
    match blob {
        [0xff, 0xfe, 0, 0, rest @ ..] => decode_utf32(rest, u32::from_le_bytes),
        [0, 0, 0xfe, 0xff, rest @ ..] => decode_utf32(rest, u32::from_be_bytes),
        [0xff, 0xfe, rest @ ..] => decode_utf16(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => decode_utf16(rest, u16::from_be_bytes),
        _ => decode_unmarked_utf16(blob),
    }
}

/// Decodes UTF-16 without a byte order mark: content that is binary to git, readable when decoded, and partly ASCII,
/// such as blanks and line endings in every script.
fn decode_unmarked_utf16(blob: &[u8]) -> Option<String> {
    if blob.len() < SHORTEST_UTF16 || !blob.len().is_multiple_of(2) || !is_binary(blob) {
        return None;
    }
    // UTF-8 has few NULs; UTF-16 of Latin letters has one in two bytes.
    if blob.is_utf8() && blob.find_iter(b"\0").count() < blob.len() / 4 {
        return None;
    }
    [u16::from_le_bytes, u16::from_be_bytes]
        .into_iter()
        .filter_map(|unit| decode_utf16(blob, unit))
        .filter(|text| !text.chars().any(is_never_in_text))
        .filter(|text| count_ascii(text) * 100 >= blob.len() / 2)
        .max_by_key(|text| count_ascii(text))
}

fn count_ascii(text: &str) -> usize {
    text.bytes().filter(u8::is_ascii).count()
}

/// Control, private and invalid characters, except blanks and line endings.
fn is_never_in_text(c: char) -> bool {
    let is_layout = matches!(c, '\t' | '\n' | '\x0c' | '\r');
    let is_private = matches!(c, '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..);
    let is_none = matches!(c, '\u{fdd0}'..='\u{fdef}') || u32::from(c) & 0xfffe == 0xfffe;
    (c.is_control() && !is_layout) || is_private || is_none
}

fn decode_utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Option<String> {
    let (units, rest) = bytes.as_chunks::<2>();
    if !rest.is_empty() {
        return None;
    }
    char::decode_utf16(units.iter().map(|&pair| unit(pair)))
        .collect::<Result<String, _>>()
        .ok()
}

fn decode_utf32(bytes: &[u8], unit: fn([u8; 4]) -> u32) -> Option<String> {
    let (units, rest) = bytes.as_chunks::<4>();
    if !rest.is_empty() {
        return None;
    }
    units
        .iter()
        .map(|&quad| char::from_u32(unit(quad)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn utf16le(text: &str) -> Vec<u8> {
        let mut bytes = b"\xff\xfe".to_vec();
        bytes.extend(text.encode_utf16().flat_map(u16::to_le_bytes));
        bytes
    }

    #[test]
    fn lines_are_counted_as_git_counts_them() {
        assert_eq!(line_count(b""), 0);
        assert_eq!(line_count(b"\n"), 1);
        assert_eq!(line_count(b"a"), 1);
        assert_eq!(line_count(b"a\nb"), 2);
        assert_eq!(line_count(b"a\nb\n"), 2);
        assert_eq!(line_count(b"a\r\nb\r\n"), 2);
        assert_eq!(line_count(b"a\rb\r"), 1);
    }

    #[test]
    fn a_nul_within_8000_bytes_is_binary_and_one_after_is_not() {
        let mut blob = vec![b'x'; 9_000];
        assert!(!is_binary(&blob));
        blob[8_000] = 0;
        assert!(!is_binary(&blob));
        blob[7_999] = 0;
        assert!(is_binary(&blob));
        assert_eq!(Content::of(&blob), Content::TextWithNul);
    }

    #[test]
    fn lfs_pointers_differ_from_text_about_them() {
        let pointer = format!(
            "version https://git-lfs.github.com/spec/v1\noid sha256:{}\nsize 12345\n",
            "4d".repeat(32)
        );
        assert_eq!(Content::of(pointer.as_bytes()), Content::LfsPointer);
        assert!(!is_lfs_pointer(
            b"version https://git-lfs.github.com/spec/v1\n"
        ));
        assert!(!is_lfs_pointer(format!("see:\n{pointer}").as_bytes()));
        assert!(!is_lfs_pointer(
            format!("{pointer}{}", "x".repeat(1_024)).as_bytes()
        ));
    }

    #[test]
    fn utf16_and_utf32_are_decoded_and_invalid_text_is_binary() {
        let text = "one\ntwo é 𝄞\n";
        assert_eq!(Content::of(&utf16le(text)), Content::WideText);
        assert_eq!(&*countable(&utf16le(text)), text.as_bytes());
        let mut utf32be = b"\0\0\xfe\xff".to_vec();
        utf32be.extend(text.chars().flat_map(|c| (c as u32).to_be_bytes()));
        assert_eq!(&*countable(&utf32be), text.as_bytes());
        let mut utf32le = b"\xff\xfe\0\0".to_vec();
        utf32le.extend(text.chars().flat_map(|c| (c as u32).to_le_bytes()));
        assert_eq!(&*countable(&utf32le), text.as_bytes());
        let mut odd = utf16le(text);
        odd.push(0);
        assert_eq!(Content::of(&odd), Content::Binary);
    }

    #[test]
    fn utf16_without_a_mark_is_known_by_its_pattern() {
        for text in [
            "one\ntwo\n",
            "\u{8fd9}\u{662f}\u{4e00}\u{4e2a}\n\u{6587}\u{4ef6}\n",
        ] {
            let units = || text.encode_utf16();
            let little: Vec<u8> = units().flat_map(u16::to_le_bytes).collect();
            let big: Vec<u8> = units().flat_map(u16::to_be_bytes).collect();
            for blob in [little, big] {
                assert_eq!(Content::of(&blob), Content::WideText, "{text}");
                assert_eq!(&*countable(&blob), text.as_bytes());
            }
        }
        let samples: Vec<u8> = (0..1_000_u16)
            .flat_map(|n| (n * 61).to_le_bytes())
            .collect();
        assert_eq!(Content::of(&samples), Content::Binary);
    }

    #[test]
    fn utf16_has_a_nul_in_four_bytes_and_eight_units() {
        let pairs = b"a\0aa".repeat(4);
        assert_eq!(Content::of(&pairs), Content::WideText);
        assert_eq!(Content::of(&pairs[..14]), Content::Binary, "too short");
        let mut fewer = pairs.clone();
        fewer[1] = b'a';
        assert_eq!(Content::of(&fewer), Content::Binary, "three of 16");
    }

    #[test]
    fn characters_that_are_in_no_text_are_not_utf16() {
        let with = |c: char| -> Vec<u8> {
            let text = format!("some words{c} and others");
            text.encode_utf16().flat_map(u16::to_le_bytes).collect()
        };
        for c in ['\t', '\n', '\x0c', '\r', '\u{a0}', '\u{fdf0}'] {
            assert_eq!(Content::of(&with(c)), Content::WideText, "{c:?}");
        }
        for c in [
            '\x01',
            '\x1b',
            '\x7f',
            '\u{e000}',
            '\u{f8ff}',
            '\u{fdd0}',
            '\u{fdef}',
            '\u{ffff}',
            '\u{1fffe}',
            '\u{f0000}',
        ] {
            assert_eq!(Content::of(&with(c)), Content::Binary, "{c:?}");
        }
    }

    #[test]
    fn one_nul_in_a_hundred_bytes_is_text_and_more_is_not() {
        let mut dump = b"insert into t values (1);\n".repeat(400);
        dump.truncate(10_000);
        dump[..100].fill(0);
        assert_eq!(Content::of(&dump), Content::TextWithNul);
        assert_eq!(&*countable(&dump), &dump);
        dump[100] = 0;
        assert_eq!(Content::of(&dump), Content::Binary);
    }

    #[test]
    fn lone_carriage_return_ends_a_line() {
        let lines = |text: &[u8]| line_count(&countable(text));
        assert_eq!(lines(b"a\rb\r"), 2);
        assert_eq!(lines(b"a\rb\r\nc\nd"), 4);
        assert_eq!(lines(b"a\r\r\nb\r\r\n"), 2, "one broken line end each");
        assert_eq!(lines(b"a\r\rb"), 3);
    }

    #[test]
    fn a_utf8_byte_order_mark_is_not_content() {
        assert_eq!(&*countable(b"\xef\xbb\xbfa\n"), b"a\n");
    }
}
