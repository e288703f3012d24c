//! The literal parts of a glob.

use std::ops::Range;

use gix::bstr::BStr;

/// Whether a path is a pattern: it has a `*`, or braces with alternatives.
pub fn is_glob(path: &BStr) -> bool {
    literal_prefix(path).len() < path.len()
}

/// The literal start of a pattern: the bytes before the first `*` or brace group.
pub(super) fn literal_prefix(pattern: &BStr) -> &[u8] {
    let special = (0..pattern.len()).find(|&at| match pattern[at] {
        b'*' => true,
        b'{' => alternatives(pattern, at..pattern.len()).is_some(),
        _ => false,
    });
    &pattern[..special.unwrap_or(pattern.len())]
}

/// The literal start, end and inner parts of all matches of a pattern.
#[derive(Debug, Clone, Default)]
pub(super) struct Literals {
    pub(super) prefix: Vec<u8>,
    pub(super) suffix: Vec<u8>,
    pub(super) inner: Vec<Vec<u8>>,
}

/// With more alternatives than this, later groups count as stars.
const MAX_ALTERNATIVES: usize = 64;

/// The literal parts of each alternative of the pattern.
pub(super) fn literals(pattern: &BStr) -> Vec<Literals> {
    let mut all: Vec<Vec<PatternPart<'_>>> = vec![Vec::new()];
    expand(pattern, 0..pattern.len(), &mut all);
    all.iter().map(|parts| Literals::of(parts)).collect()
}

/// A part of a pattern.
#[derive(Debug, Clone, Copy)]
enum PatternPart<'a> {
    Text(&'a [u8]),
    /// Any bytes, including a following slash that may belong to them.
    Any,
}

/// Appends a part of the pattern to each list.
fn expand<'a>(pattern: &'a [u8], range: Range<usize>, all: &mut Vec<Vec<PatternPart<'a>>>) {
    let mut at = range.start;
    let mut text = at;
    let push =
        |all: &mut Vec<Vec<PatternPart<'a>>>, part| all.iter_mut().for_each(|one| one.push(part));
    while at < range.end {
        let group = match pattern[at] {
            b'*' => Some((Vec::new(), at + 1)),
            b'{' => alternatives(pattern, at..range.end),
            _ => None,
        };
        let Some((parts, end)) = group else {
            at += 1;
            continue;
        };
        push(all, PatternPart::Text(&pattern[text..at]));
        if parts.is_empty() || all.len() * parts.len() > MAX_ALTERNATIVES {
            push(all, PatternPart::Any);
        } else {
            let before = std::mem::take(all);
            for part in parts {
                let mut one = before.clone();
                expand(pattern, part, &mut one);
                all.append(&mut one);
            }
        }
        (at, text) = (end, end);
    }
    push(all, PatternPart::Text(&pattern[text..range.end]));
}

impl Literals {
    fn of(parts: &[PatternPart<'_>]) -> Literals {
        let mut texts = vec![Vec::new()];
        for part in parts {
            match (part, texts.last_mut()) {
                (PatternPart::Text(text), Some(last)) => last.extend_from_slice(text),
                _ => texts.push(Vec::new()),
            }
        }
        for text in texts.iter_mut().skip(1) {
            if text.first() == Some(&b'/') {
                text.remove(0);
            }
        }
        let suffix = if texts.len() > 1 { texts.pop() } else { None };
        let prefix = texts.remove(0);
        texts.retain(|text| !text.is_empty());
        Literals {
            prefix,
            suffix: suffix.unwrap_or_default(),
            inner: texts,
        }
    }
}

/// The alternatives of the brace group at the start of `range`, and its end.
pub(super) fn alternatives(
    pattern: &[u8],
    range: Range<usize>,
) -> Option<(Vec<Range<usize>>, usize)> {
    group(pattern, range).filter(|(parts, _)| parts.len() > 1)
}

/// The same of a group that may have but one part.
pub(super) fn group(pattern: &[u8], range: Range<usize>) -> Option<(Vec<Range<usize>>, usize)> {
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
                    return Some((parts, at + 1));
                }
            }
            _ => {}
        }
    }
    None
}
