//! Parses one HTML tag like a browser.

/// One tag with its attributes.
pub(super) struct Tag<'a> {
    pub(super) name: String,
    pub(super) attributes: &'a str,
    pub(super) is_end: bool,
    /// The length in bytes after the `<`.
    pub(super) length: usize,
}

/// A heading written in HTML.
pub(super) struct RawHeading {
    pub(super) level: u8,
    /// The text between its tags.
    pub(super) text: String,
    pub(super) start: usize,
}

/// Elements that browsers reopen in the next block.
pub(super) const STRIKES: &[&str] = &["s", "strike"];

/// The tag after a `<`; `None` if it is not a tag or does not end.
pub(super) fn tag(text: &str) -> Option<Tag<'_>> {
    #[derive(Clone, Copy, PartialEq, Eq)]
    enum TagState {
        Between,
        Name,
        AfterName,
        BeforeValue,
        Unquoted,
        Quoted(u8),
    }
    let is_end = text.starts_with('/');
    let begin = usize::from(is_end);
    let rest = text.get(begin..)?;
    if !rest.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return None;
    }
    let name = rest
        .split(|c: char| c.is_ascii_whitespace() || matches!(c, '/' | '>'))
        .next()?;
    let first = begin + name.len();
    let mut state = TagState::Between;
    for (index, byte) in text.bytes().enumerate().skip(first) {
        state = match (state, byte) {
            (TagState::Quoted(quote), byte) if byte == quote => TagState::Between,
            (TagState::Quoted(_), _) => state,
            (_, b'>') => {
                return Some(Tag {
                    name: name.to_ascii_lowercase(),
                    attributes: text.get(first..index)?,
                    is_end,
                    length: index + 1,
                });
            }
            (TagState::BeforeValue, b'"' | b'\'') => TagState::Quoted(byte),
            (TagState::BeforeValue, byte) if byte.is_ascii_whitespace() => state,
            (TagState::BeforeValue, _) => TagState::Unquoted,
            (TagState::Unquoted, byte) if byte.is_ascii_whitespace() => TagState::Between,
            (TagState::Unquoted, _) => state,
            (TagState::Name | TagState::AfterName, b'=') => TagState::BeforeValue,
            (TagState::Name, byte) if byte.is_ascii_whitespace() => TagState::AfterName,
            (TagState::Between | TagState::AfterName, byte) if byte.is_ascii_whitespace() => state,
            (_, b'/') => TagState::Between,
            _ => TagState::Name,
        };
    }
    None
}

/// Tags that change how text looks without hiding it.
const HARMLESS: &[&str] = &[
    "a", "abbr", "b", "big", "br", "cite", "code", "em", "font", "i", "img", "ins", "kbd", "mark",
    "q", "samp", "small", "span", "strong", "sub", "sup", "tt", "u", "var", "wbr",
];

/// Whether a tag could hide the text after it.
pub(super) fn obscures(tag: &Tag<'_>) -> bool {
    let attributes = tag.attributes.to_ascii_lowercase();
    !HARMLESS.contains(&tag.name.as_str())
        || ["hidden", "style"]
            .iter()
            .any(|name| attributes.contains(name))
}

/// Whether a tag strikes text out.
pub(super) fn strikes(tag: &Tag<'_>) -> bool {
    tag.name == "del" || STRIKES.contains(&tag.name.as_str())
}

/// The level of `h1` to `h6`.
pub(super) fn heading_level(name: &str) -> Option<u8> {
    let level = name.strip_prefix('h')?.parse().ok()?;
    (1..=6).contains(&level).then_some(level)
}

/// The heading whose tag was just read.
pub(super) fn raw_heading(rest: &str, length: usize, start: usize) -> Option<RawHeading> {
    let tag = tag(rest).filter(|tag| !tag.is_end)?;
    let level = heading_level(&tag.name)?;
    let text = rest.get(length..)?;
    let end = text.find("</h").or(text.find("</H")).unwrap_or(text.len());
    Some(RawHeading {
        level,
        text: without_tags(text.get(..end)?),
        start,
    })
}

fn without_tags(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('<') {
        out.push_str(before);
        match tag(behind) {
            Some(tag) => rest = behind.get(tag.length..).unwrap_or(""),
            None => {
                out.push('<');
                rest = behind;
            }
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_in_html() {
        let rest = "h2 id=x>Out <b>of</b> scope</h2></div>";
        let length = tag(rest).map_or(0, |tag| tag.length);
        let found = raw_heading(rest, length, 5);
        let found = found.map(|found| (found.level, found.text, found.start));
        assert_eq!(found, Some((2, "Out of scope".to_owned(), 5)));
    }

    #[test]
    fn attributes_end_as_in_a_browser() {
        for (text, attributes) in [
            ("a b='>' c>x", " b='>' c"),
            ("a b'>'>", " b'"),
            ("a b = \">\">", " b = \">\""),
            ("a =\">", " =\""),
            ("/a b=x/y>", " b=x/y"),
        ] {
            assert_eq!(
                tag(text).map(|tag| tag.attributes),
                Some(attributes),
                "{text}"
            );
        }
        assert!(tag("a b='>").is_none());
        assert!(tag("1>").is_none());
    }
}
