//! What of a glob is literal: where patterns begin to be patterns, and the parts that every match has.

use std::ops::Range;

use gix::bstr::BStr;

/// Whether a path is a pattern: has a `*`, or braces with alternatives.
pub fn is_glob(path: &BStr) -> bool {
    literal_prefix(path).len() < path.len()
}

/// What every match of the pattern begins with: the bytes before the first
/// `*` or brace group.
pub(super) fn literal_prefix(pattern: &BStr) -> &[u8] {
    let special = (0..pattern.len()).find(|&at| match pattern[at] {
        b'*' => true,
        b'{' => alternatives(pattern, at..pattern.len()).is_some(),
        _ => false,
    });
    &pattern[..special.unwrap_or(pattern.len())]
}

/// What every match of the pattern ends with: the bytes after the last that
/// can belong to a `*` (with its slash) or a brace group.
pub(super) fn literal_suffix(pattern: &BStr) -> &[u8] {
    let last = pattern
        .iter()
        .rposition(|byte| matches!(byte, b'*' | b'{' | b',' | b'}'));
    let suffix = &pattern[last.map_or(0, |at| at + 1)..];
    suffix.strip_prefix(b"/").unwrap_or(suffix)
}

/// The longest part between two stars, which every match of the pattern holds; nothing where there are braces.
pub(super) fn literal_inside(pattern: &BStr) -> &[u8] {
    if pattern.contains(&b'{') {
        return b"";
    }
    // What is before the first star and after the last are the prefix and the suffix.
    let mut parts = pattern.split(|&byte| byte == b'*');
    parts.next();
    parts.next_back();
    let inner = parts.max_by_key(|part| part.len()).unwrap_or_default();
    // The slash may belong to the stars before it.
    inner.strip_prefix(b"/").unwrap_or(inner)
}

/// The alternatives of the brace group that opens at the start of `range`, and where it ends.
pub(super) fn alternatives(
    pattern: &[u8],
    range: Range<usize>,
) -> Option<(Vec<Range<usize>>, usize)> {
    let mut parts = Vec::new();
    let mut start = range.start + 1;
    let mut depth = 0_usize;
    for at in range {
        match pattern[at] {
            b'{' => depth += 1,
            b',' if depth == 1 => {
                parts.push(start..at);
                start = at + 1;
            }
            b'}' => {
                depth -= 1;
                if depth == 0 {
                    parts.push(start..at);
                    return (parts.len() > 1).then_some((parts, at + 1));
                }
            }
            _ => {}
        }
    }
    None
}
